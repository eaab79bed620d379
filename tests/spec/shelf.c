/* For tests/spec.sh: the operations of an object that another unit sets up; -DWRONG=N is one of
 * several mistakes. */
#include "racefuzz.h"

extern _Atomic int shelf[4];

RF_OPERATION(shelf, put, (int place, int value), int, .args = {RF_ARG(0, 3)}) {
    return rf_atomic_exchange(&shelf[place], value);
}
RF_OPERATION(shelf, look, (int place), int, .args = {RF_ARG(0, 3)}) {
#ifdef CHECKED /* each call is what was declared */
    RF_ASSERT(place >= 0 && place <= 3);
#endif
    return rf_atomic_load(&shelf[place]);
}

#if WRONG == 1
RF_OPERATION(shelves, take, (void), int) { return 0; }
#elif WRONG == 2
RF_OPERATION(shelf, put2, (void), int, .args = {RF_ARG(0, 3)}) { return 0; }
#elif WRONG == 3
RF_OPERATION(shelf, empty, (int place), int, .args = {RF_ARG(3, 0)}) { return place; }
#elif WRONG == 4
RF_OBJECT(shelf) {}
#elif WRONG == 5
RF_OBJECT_END(shelves) {}
#elif WRONG == 6
RF_OBJECT(bare) {}
RF_LINEARIZABLE(bare)
#elif WRONG == 7
RF_LINEARIZABLE(shelves)
#elif WRONG == 12
RF_OBJECT(bounds) {}
RF_OPERATION(bounds, nothing, (void), void) {}
RF_LINEARIZABLE(bounds, .threads = 16)
#elif WRONG == 14
RF_OPERATION(shelf, push, (int value), bool, .key = 2) { return value; }
#elif WRONG == 13
RF_OBJECT(steps) {}
RF_OPERATION(steps, nothing, (void), void) {}
RF_LINEARIZABLE(steps, .own_steps = 4)
#elif WRONG == 10
RF_MODEL(shelf, int) { *model = 0; }
RF_MODEL_OPERATION(shelf, put, (int place, int value), int) { return place + value + *model; }
#elif WRONG == 11
RF_MODEL(shelf, int) { *model = 0; }
RF_MODEL_OPERATION(shelf, put, (int value), int) { return value + *model; }
#elif WRONG == 8 /* fails without any other thread */
RF_OPERATION(shelf, breaks, (void), void) { RF_ASSERT_EQ(rf_atomic_load(&shelf[0]), 0); }
#elif WRONG == 9 /* does not set up all that there is */
static int calls;
RF_OPERATION(shelf, counts, (void), int) { return ++calls; }
#endif

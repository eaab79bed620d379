/* What must not compile: each line under its own number. */
#include "racefuzz.h"

struct bits {
    int field : 3;
};

#if CASE == 14
RF_OPERATION(object, address, (void), const char *) { return "not the text"; }
#elif CASE == 15
RF_OPERATION(object, many, (int a, int b, int c, int d, int e), int) { return a + b + c + d + e; }
#elif CASE == 16
RF_OPERATION(object, whole, (void), struct bits) { return (struct bits){0}; }
#endif

void reject(struct bits *bits, _Atomic int *atomic, volatile _Atomic int *both, int (*array)[4],
            const int *constant, _Atomic float *real) {
#if CASE == 0 /* compiles: the others fail for their own line */
    (void)bits, (void)atomic, (void)both, (void)array, (void)constant, (void)real;
#elif CASE == 1
    (void)RF_LOAD(bits->field);
#elif CASE == 2
    RF_STORE(bits->field, 1);
#elif CASE == 3
    (void)RF_LOAD(*atomic);
#elif CASE == 4
    RF_STORE(*atomic, 1);
#elif CASE == 5
    (void)RF_LOAD(*both);
#elif CASE == 6
    (void)RF_LOAD(*array);
#elif CASE == 7
    RF_STORE(*array, 0);
#elif CASE == 8
    RF_STORE(*constant, 1);
#elif CASE == 9
    (void)rf_atomic_fetch_add(real, 1);
#elif CASE == 10
    RF_LOCK(constant);
#elif CASE == 11
    RF_GUARD((rf_rwlock *)NULL) {}
#elif CASE == 12
    RF_WAIT((rf_cond *)NULL, (rf_cond *)NULL);
#elif CASE == 13
    RF_SEM_POST(bits);
#endif
}

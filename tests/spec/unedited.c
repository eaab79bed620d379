/* For tests/spec.sh: the operations of library.c. */
#include "racefuzz.h"

void library_push(int value);
int library_pop(void);

static void library_empty(void) {
    while (library_pop()) continue;
}

RF_OBJECT(library) { library_empty(); }
RF_OBJECT_END(library) { library_empty(); }
RF_OPERATION(library, push, (int value), void) { library_push(value); }
RF_OPERATION(library, pop, (void), int) { return library_pop(); }
RF_LINEARIZABLE(library)
RF_MAIN()

/* A message that is passed by volatile objects and fences, as before C11. */
#include "tests/hook/check.h"

static int data;
static volatile int ready;
static int *volatile where;

THREAD(give) {
    data = 42;
#ifndef UNORDERED
    __sync_synchronize();
#endif
    ready = 1;
    where = &data;
}

THREAD(take) {
    if (ready) {
        __sync_synchronize();
        assert(data == 42);
    }
    if (where) assert(*where == 42);
    assert(__sync_fetch_and_add(&ready, 0) <= 1);
}

int main(void) {
    run_two(give, NULL, take, NULL);
    return ready != 1;
}

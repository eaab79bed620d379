/* Operators on _Atomic objects, and a message that is passed with ORDER_STORE and ORDER_LOAD. */
#include "tests/hook/check.h"

static _Atomic int data, ready, count;

THREAD(give) {
    data = 42;
    atomic_store_explicit(&ready, 1, ORDER_STORE);
    count++;
}

THREAD(take) {
    count += 1;
    atomic_fetch_add(&count, 1);
    if (atomic_load_explicit(&ready, ORDER_LOAD))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
}

int main(void) {
    run_two(give, NULL, take, NULL);
    assert(count == 3);
    return 0;
}

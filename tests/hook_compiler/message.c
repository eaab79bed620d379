/* Operators on _Atomic objects, and a message that is passed with ORDER_STORE and ORDER_LOAD. */
#include "tests/hook/check.h"

static _Atomic int data, ready, count;

static void *give(void *arg) {
    data = 42;
    atomic_store_explicit(&ready, 1, ORDER_STORE);
    count++;
    return arg;
}

static void *take(void *arg) {
    count += 1;
    atomic_fetch_add(&count, 1);
    if (atomic_load_explicit(&ready, ORDER_LOAD))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, give, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 3);
    return 0;
}

/* Atomic objects whose size the machine has no instruction for: libatomic's, if nobody steps in. */
#include "tests/hook/check.h"

typedef struct {
    char byte[SIZE];
} object;

static object shared;
static int data;

THREAD(publish) {
    object o;
    memset(&o, 1, sizeof o);
    data = 1;
    __atomic_store(&shared, &o, __ATOMIC_RELEASE);
}

int main(void) {
    pthread_t t;
    object o, two;
    pthread_create(&t, NULL, publish, NULL);
    __atomic_load(&shared, &o, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < sizeof o; i++) assert(o.byte[i] == o.byte[0]);
    if (o.byte[0]) assert(data);
    pthread_join(t, NULL);
    memset(&two, 2, sizeof two);
    __atomic_exchange(&shared, &two, &o, __ATOMIC_RELAXED);
    assert(o.byte[SIZE - 1] == 1);
    assert(!__atomic_compare_exchange(&shared, &o, &o, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    assert(o.byte[SIZE - 1] == 2);
    assert(__atomic_compare_exchange(&shared, &o, &o, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return 0;
}

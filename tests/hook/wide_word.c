/* A futex word that is half of a wider atomic, as atomic_uint_fast32_t has it in glibc. */
#include "check.h"

static atomic_uint_fast32_t word;
static int data;

THREAD(waiter) {
    while (atomic_load(&word) == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    assert(data == 1);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    data = 1;
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(t, 0);
}

/* A futex word that is half of a wider atomic, as atomic_uint_fast32_t has it in glibc. */
#include <stdatomic.h>
#include <pthread.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <assert.h>
static atomic_uint_fast32_t word;
static int data;
static void *waiter(void *a) {
    while (atomic_load(&word) == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    assert(data == 1);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    data = 1;
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(t, 0);
}

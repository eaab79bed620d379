/* pthreadpool: workers that do not spin wait for work, and the pool is destroyed. */
#include <pthreadpool.h>
#include <stddef.h>

static int calls[3];

static void work(void *p, size_t i) { ((int *)p)[i]++; }

int main(void) {
    pthreadpool_t pool = pthreadpool_create(2);
    pthreadpool_parallelize_1d(pool, work, calls, 3, PTHREADPOOL_FLAG_DONT_SPIN_WORKERS);
    pthreadpool_destroy(pool);
    return calls[0] != 1 || calls[1] != 1 || calls[2] != 1;
}

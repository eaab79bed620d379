/* tinycthread: threads of C11 on those of POSIX, one after the other what it has.  Its own test is
 * in no package. */
#include "tinycthread.h"
#include <assert.h>
#include <stdlib.h>

static mtx_t lock;
static cnd_t changed;
static tss_t own;
static once_flag once = ONCE_FLAG_INIT;
static int begun, sum, freed;

static void begins(void) { begun++; }

static void frees(void *p) {
    free(p);
    mtx_lock(&lock);
    freed++;
    mtx_unlock(&lock);
}

static int adds(void *arg) {
    int *number = malloc(sizeof *number);
    *number = *(int *)arg;
    call_once(&once, begins);
    assert(begun == 1);
    assert(tss_set(own, number) == thrd_success);
    thrd_yield();
    mtx_lock(&lock);
    sum += *(int *)tss_get(own);
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    return *(int *)arg;
}

int main(void) {
    int number[2] = {3, 4}, result;
    thrd_t thread[2];
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(cnd_init(&changed) == thrd_success);
    assert(tss_create(&own, frees) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&thread[i], adds, &number[i]) == thrd_success);
    mtx_lock(&lock);
    assert(mtx_trylock(&lock) != thrd_success);
    while (sum != 7) cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 10; /* nobody tells */
    mtx_lock(&lock);
    while (cnd_timedwait(&changed, &lock, &until) == thrd_success);
    mtx_unlock(&lock);
    for (int i = 0; i < 2; i++) {
        assert(thrd_join(thread[i], &result) == thrd_success);
        assert(result == number[i]);
    }
    assert(freed == 2 && begun == 1);
    tss_delete(own);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}

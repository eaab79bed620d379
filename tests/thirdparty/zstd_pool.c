/* zstd's thread pool (lib/common/pool.c): jobs through a short queue, a pool that grows. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "pool.h"

enum { JOBS = 4 };

static int done[JOBS];

static void job(void *arg) { ++*(int *)arg; }

int main(void) {
    POOL_ctx *pool = POOL_create(2, 1);
    assert(pool);
    POOL_add(pool, job, &done[0]);
    POOL_add(pool, job, &done[1]);
    if (!POOL_tryAdd(pool, job, &done[2])) POOL_add(pool, job, &done[2]);
    POOL_joinJobs(pool);
    for (int i = 0; i < 3; i++) assert(done[i] == 1);
    assert(POOL_resize(pool, 3) == 0);
    POOL_add(pool, job, &done[3]);
    POOL_free(pool);
    assert(done[3] == 1);
    return 0;
}

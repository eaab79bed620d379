/* apr's memory: each of two threads makes a pool and gives it back, from one allocator. */
#include <apr_allocator.h>
#include <apr_general.h>
#include <apr_pools.h>
#include <apr_thread_mutex.h>
#include <pthread.h>
#include <string.h>

static apr_pool_t *parent;

static void *uses_a_pool(void *arg) {
    apr_pool_t *pool;
    apr_pool_create(&pool, parent);
    memset(apr_palloc(pool, 9000), 0, 9000);
    apr_pool_destroy(pool);
    return arg;
}

int main(void) {
    apr_initialize();
    apr_pool_create(&parent, NULL);
    pthread_t other;
    pthread_create(&other, NULL, uses_a_pool, NULL);
    uses_a_pool(NULL);
    pthread_join(other, NULL);
    apr_terminate();
    return 0;
}

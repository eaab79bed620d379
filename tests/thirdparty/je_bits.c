/* jemalloc: a thread frees two blocks while another takes two of the same slab. */
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stddef.h>

static void *block[4];

static void *frees(void *arg) {
    for (int i = 0; i < 2; i++) je_dallocx(block[i], MALLOCX_TCACHE_NONE);
    return arg;
}

int main(void) {
    for (int i = 0; i < 2; i++) block[i] = je_mallocx(48, MALLOCX_TCACHE_NONE);
    pthread_t other;
    pthread_create(&other, NULL, frees, NULL);
    for (int i = 2; i < 4; i++) block[i] = je_mallocx(48, MALLOCX_TCACHE_NONE);
    pthread_join(other, NULL);
    return block[2] == block[3];
}

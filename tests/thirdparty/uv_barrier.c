/* libuv's own barrier, for systems without pthread_barrier_t: two threads meet twice. */
#include <stdlib.h>
#include <uv.h>

void *uv__malloc(size_t n) { return malloc(n); }
void uv__free(void *p) { free(p); }

static uv_barrier_t barrier;

static void meets(void *arg) {
    (void)arg;
    uv_barrier_wait(&barrier);
    uv_barrier_wait(&barrier);
}

int main(void) {
    uv_thread_t t;
    if (uv_barrier_init(&barrier, 2)) return 1;
    uv_thread_create(&t, meets, NULL);
    meets(NULL);
    uv_thread_join(&t);
    uv_barrier_destroy(&barrier);
    return 0;
}

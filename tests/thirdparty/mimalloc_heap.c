/* mimalloc: a block is freed by another thread while the heap that it came from is deleted. */
#include <mimalloc.h>
#include <pthread.h>

static void *frees(void *p) {
    mi_free(p);
    return NULL;
}

int main(void) {
    pthread_t t;
    void *p[6];
    mi_heap_t *heap = mi_heap_new();
    for (int i = 0; i < 6; i++) p[i] = mi_heap_malloc(heap, 100000);
    pthread_create(&t, NULL, frees, p[0]);
    mi_heap_delete(heap);
    pthread_join(t, NULL);
    for (int i = 1; i < 6; i++) mi_free(p[i]);
    return 0;
}

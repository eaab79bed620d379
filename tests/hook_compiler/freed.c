/* Writes the same again and again, the last time to memory that is freed. */
#include <pthread.h>
#include <stdlib.h>

static int *volatile block;

static void *use(void *arg) {
    for (int i = 0; i < 100; i++) *block = i;
    free(block);
    *block = 100;
    return arg;
}

int main(void) {
    pthread_t a;
    block = malloc(sizeof *block);
    pthread_create(&a, NULL, use, NULL);
    pthread_join(a, NULL);
    return 0;
}

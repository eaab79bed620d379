/* What may not be done to the heap; the argument says which. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct shared {
    pthread_mutex_t lock;
    char text[20];
} shared;

static shared *s;
static char *volatile block;
static int way;

static void *other(void *arg) {
    switch (way) {
    case 1: free(block); break;
    case 2: pthread_mutex_lock(&s->lock), pthread_mutex_unlock(&s->lock); break;
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    way = argc > 1 ? atoi(argv[1]) : 0;
    s = calloc(1, sizeof *s);
    block = malloc(12);
    pthread_create(&t, NULL, other, NULL);
    switch (way) {
    case 1: free(block); break;
    case 2: free(s); break;
    case 3: free(block), free(block); break;
    case 4: free(block + 4); break;
    case 5: memset(block, 0, 14), free(block); break;
    case 6: memset(block, 0, 14); break; /* seen at the end */
    case 7: block = realloc(block, 100), block = realloc(block - 32, 10); break;
    case 8: s = realloc(NULL, 20), free(s), free(s); break; /* clang joins what is the same */
    case 9: free(s), pthread_mutex_unlock(&s->lock); break;
    case 10: free(s), pthread_mutex_init(&s->lock, NULL); break;
    case 11: free(block), pthread_once((pthread_once_t *)block, abort); break;
    case 12: pthread_spin_lock((pthread_spinlock_t *)block); break;
    case 13: free(block), pthread_spin_lock((pthread_spinlock_t *)block); break;
    case 14: pthread_mutex_unlock((pthread_mutex_t *)malloc(sizeof(pthread_mutex_t))); break;
    }
    pthread_join(t, NULL);
    return 0;
}

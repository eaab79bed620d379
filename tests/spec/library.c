/* For tests/spec.sh: a stack that knows nothing of racefuzz; without -DFIXED a push reads the top
 * and links to it in two steps. */
#include <pthread.h>
#include <stdlib.h>

typedef struct node {
    struct node *next;
    int value;
} node;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static node *top;

void library_push(int value);
void library_push(int value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    pthread_mutex_lock(&lock);
    n->next = top;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    top = n;
    pthread_mutex_unlock(&lock);
}

int library_pop(void);
int library_pop(void) {
    pthread_mutex_lock(&lock);
    node *n = top;
    int value = n ? n->value : 0;
    if (n) top = n->next;
    pthread_mutex_unlock(&lock);
    free(n);
    return value;
}

#include "words.h"
#include <pthread.h>

#define ROOM 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char *line[ROOM];
static unsigned first, count;
static bool closed;

void queue_open(void) {
    pthread_mutex_lock(&lock);
    first = count = 0;
    closed = false;
    pthread_mutex_unlock(&lock);
}

void queue_put(char *text) {
    pthread_mutex_lock(&lock);
    while (count == ROOM) pthread_cond_wait(&changed, &lock);
    line[(first + count++) % ROOM] = text;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

char *queue_take(void) {
    char *text = NULL;
    pthread_mutex_lock(&lock);
    while (!count && !closed) pthread_cond_wait(&changed, &lock);
    if (count) {
        text = line[first];
        first = (first + 1) % ROOM;
        count--;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return text;
}

void queue_close(void) {
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

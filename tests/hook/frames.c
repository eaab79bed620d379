/* Requests on the stack of who waits for them, and threads that are still at it when he has gone.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct request {
    int done;
    sem_t is;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};
static struct request *asked; /* where no thread is given one when it is created */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t asks;
static pthread_t helper;
static char way;

static void *helps(void *given) {
    struct request *r = given;
    if (!r) {
        sem_wait(&asks);
        pthread_mutex_lock(&lock);
        r = asked;
        pthread_mutex_unlock(&lock);
    }
    if (way == 'l') pthread_mutex_lock(&r->lock); /* lock, late: the signal comes after it */
    if (way == 'L') pthread_mutex_lock(&r->lock);
    r->done++;
    if (way == 'l') pthread_cond_signal(&r->changed);
    if (way == 'l' || way == 'L') pthread_mutex_unlock(&r->lock);
    if (way == 'L') pthread_cond_signal(&r->changed);
    if (way == 's' || way == 'S' || !given) sem_post(&r->is);
    if (way == 'S' || way == 'G') r->done++; /* after the last word */
    return given;
}

static void waits(int deeper) {
    struct request r;
    memset(&r, 0, sizeof r);
    if (deeper) {
        waits(deeper - 1);
        return;
    }
    sem_init(&r.is, 0, 0);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    int gives = way != 'g' && way != 'G';
    pthread_create(&helper, NULL, helps, gives ? &r : NULL);
    if (!gives) {
        pthread_mutex_lock(&lock);
        asked = &r;
        pthread_mutex_unlock(&lock);
        sem_post(&asks);
    }
    if (way == 's' || way == 'S' || !gives) sem_wait(&r.is);
    if (way == 'l' || way == 'L') {
        pthread_mutex_lock(&r.lock);
        while (!r.done) pthread_cond_wait(&r.changed, &r.lock);
        pthread_mutex_unlock(&r.lock);
    }
    if (way == 'j') pthread_join(helper, NULL);
}

static int *place;
static sem_t placed, put;

static void *puts_it(void *arg) {
    sem_wait(&placed);
    *place = 7;
    sem_post(&put);
    return arg;
}

/* Where the variables of waits were. */
static int is_told(void) {
    int told[64];
    place = &told[32];
    sem_post(&placed);
    sem_wait(&put);
    return told[32];
}

int main(int argc, char **argv) {
    pthread_t other;
    way = argc > 1 ? *argv[1] : 's';
    sem_init(&asks, 0, 0);
    if (way == 'm') { /* main's own stay there */
        int stays = 0;
        pthread_create(&helper, NULL, helps, &(struct request){.done = stays});
        pthread_detach(helper);
        return 0;
    }
    if (way == 'a') { /* the same memory again */
        way = 's';
        sem_init(&placed, 0, 0);
        sem_init(&put, 0, 0);
        pthread_create(&other, NULL, puts_it, NULL);
        waits(0);
        int told = is_told();
        pthread_join(other, NULL);
        pthread_join(helper, NULL);
        return told != 7;
    }
    waits(1);
    if (way != 'j') pthread_join(helper, NULL);
    return 0;
}

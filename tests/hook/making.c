/* Makes what a thread uses, before or after it has begun: tests/making.sh. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t m;
static sem_t s;

static void *locks(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *posts(void *arg) {
    sem_post(&s);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    const char *what = argc > 1 ? argv[1] : "right";
    if (!strcmp(what, "right")) pthread_mutex_init(&m, NULL);
    pthread_create(&t, NULL, strcmp(what, "sem") ? locks : posts, NULL);
    if (!strcmp(what, "mutex")) pthread_mutex_init(&m, NULL);
    if (!strcmp(what, "sem")) sem_init(&s, 0, 0);
    if (!strcmp(what, "destroy")) pthread_mutex_destroy(&m);
    pthread_join(t, NULL);
    return 0;
}

/* A program that has a thread which it has not made itself (foreign_library.c, which is compiled
 * without hooks): tests/foreign.sh. */
#include "check.h"

int run_elsewhere(void *(*f)(void *), void *arg);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static sem_t s;
static atomic_int a;
static int x;

#define DOES(name, ...)         \
 static void *name(void *arg) { \
  __VA_ARGS__;                  \
  return arg;                   \
 }
DOES(locks, pthread_mutex_lock(&m); pthread_mutex_unlock(&m))
DOES(posts, sem_post(&s))
DOES(allocates, free(malloc(3)))
DOES(asks, arg = (void *)pthread_self())
DOES(remembers, arg = pthread_getspecific(key))
DOES(sleeps, usleep(1))
DOES(writes, x = 1)
DOES(adds, a++)

static const struct {
    const char *name;
    void *(*does)(void *);
} all[] = {{"locks", locks},         {"posts", posts},   {"allocates", allocates}, {"asks", asks},
           {"remembers", remembers}, {"sleeps", sleeps}, {"writes", writes},       {"adds", adds}};

THREAD(ours) {
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
}

int main(int argc, char **argv) {
    pthread_t t;
    pthread_key_create(&key, NULL);
    pthread_create(&t, NULL, ours, NULL);
    for (unsigned i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (!strcmp(argv[1], all[i].name)) run_elsewhere(all[i].does, NULL);
    pthread_join(t, NULL);
    return 0;
}

/* Misuse of C11's conditions and mutexes that only some schedules show; the argument says which. */
#include <threads.h>

static mtx_t mutex;
static cnd_t ready;
static int done;

static int finish(void *arg) {
    mtx_lock(&mutex);
    done = 1;
    if (arg) {
        mtx_unlock(&mutex);
        cnd_signal(&ready);
    } else {
        cnd_signal(&ready);
        mtx_unlock(&mutex);
    }
    return 0;
}

/* Takes the mutex only if it is free, and gives it back in any case. */
static int hurries(void *arg) {
    (void)mtx_trylock(&mutex);
    done++;
    mtx_unlock(&mutex);
    return arg != NULL;
}

int main(int argc, char **argv) {
    char what = argc > 1 ? argv[1][0] : 'f';
    thrd_t t, u;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&ready);
    if (what == 'm') {
        thrd_create(&t, hurries, NULL);
        thrd_create(&u, hurries, NULL);
        thrd_join(u, NULL);
    } else {
        /* e: the condition goes before the signal; l: it is not looked at before the wait */
        thrd_create(&t, finish, what == 'e' ? &done : NULL);
        mtx_lock(&mutex);
        if (what == 'l') cnd_wait(&ready, &mutex);
        while (!done) cnd_wait(&ready, &mutex);
        mtx_unlock(&mutex);
        if (what == 'e') cnd_destroy(&ready);
    }
    thrd_join(t, NULL);
    return 0;
}

/* Code that knows of claims only: others access what a thread claims by C's own means. */
#include "check.h"

static int plain;
static _Atomic int word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(has) {
    RF_EXCLUSIVE_ACCESS(plain) { sched_yield(); }
}

THREAD(writes) {
    RF_EXCLUSIVE_WRITER(word) { atomic_fetch_add(&word, 1); }
}

THREAD(writes_locked) {
    pthread_mutex_lock(&lock);
    RF_EXCLUSIVE_WRITER(plain) { plain++; }
    pthread_mutex_unlock(&lock);
}

static void *ends(void *a) {
    RF_EXCLUSIVE_ACCESS(plain) pthread_exit(a);
    return NULL;
}

static void *loads(void *a) { return plain < 0 ? NULL : a; }

static void *copies(void *a) {
    int here;
    memcpy(&here, &plain, sizeof here);
    return here < 0 ? NULL : a;
}

THREAD(adds) { word++; }

THREAD(builtin) { __atomic_store_n((int *)&word, 1, __ATOMIC_RELAXED); }

static void *looks(void *a) { return atomic_load(&word) < 0 ? NULL : a; }

static const struct {
    const char *name;
    void *(*one)(void *), *(*other)(void *);
} cases[] = {{"wrong_load", has, loads},       {"wrong_copy", has, copies},
             {"wrong_operator", writes, adds}, {"wrong_builtin", writes, builtin},
             {"right_load", writes, looks},    {"right_lock", writes_locked, writes_locked},
             {"after_exit", ends, loads}};

int main(int argc, char **argv) {
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        pthread_t a, b;
        if (argc < 2 || strcmp(argv[1], cases[i].name) != 0) continue;
        pthread_create(&a, NULL, cases[i].one, argv);
        bool after = cases[i].name[0] == 'a';
        if (after) pthread_join(a, NULL);
        pthread_create(&b, NULL, cases[i].other, argv);
        if (!after) pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    return 0;
}

/* Objects with thread storage duration, the C library's too: each thread has its own, with their
 * first values, whoever ran before it and whoever runs in between. */
#include "check.h"
#include <locale.h>

enum { MANY = 64 };

static _Thread_local int number = 5;
static _Thread_local char zeros[4096];
static int target;
static _Thread_local int *relocated = &target;
static __thread _Alignas(64) char aligned[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static pthread_key_t key;
static int destroyed;

/* tests/hook/tls_library.c */
extern __thread int library_number;
int *library_hidden(void);

static void finds_first_values(void) {
    CHECK(errno == 0);
    CHECK(number == 5);
    CHECK(relocated == &target);
    CHECK((size_t)aligned % 64 == 0);
    for (size_t i = 0; i < sizeof zeros; i++) CHECK(!zeros[i]);
    CHECK(library_number == 7);
    CHECK(*library_hidden() == 0);
}

static void sets(int n) {
    number = n;
    memset(zeros, n, sizeof zeros);
    relocated = &number;
    library_number = n;
    *library_hidden() = n;
    errno = n;
}

static void finds(int n) {
    CHECK(errno == n);
    CHECK(number == n && zeros[0] == (char)n && zeros[sizeof zeros - 1] == (char)n);
    CHECK(relocated == &number);
    CHECK(library_number == n && *library_hidden() == n);
}

/* Keys are destroyed before the thread's objects are gone. */
static void destroy(void *value) {
    CHECK(value == &number && number < 0);
    destroyed++;
}

static void *works(void *arg) {
    int n = (int)(size_t)arg;
    finds_first_values();
    sets(n);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        finds(n);
        pthread_mutex_unlock(&lock);
        finds(n);
    }
    pthread_setspecific(key, &number);
    number = -n;
    return &number;
}

static void first_values_come_again(void) {
    for (int round = 0; round < 3; round++) {
        pthread_t t[3];
        void *address[3];
        for (size_t i = 0; i < 3; i++) pthread_create(&t[i], NULL, works, (void *)(i + 10));
        for (size_t i = 0; i < 3; i++) {
            pthread_join(t[i], &address[i]);
            CHECK(address[i] != &number);
        }
    }
    CHECK(destroyed == 9);
    destroyed = 0;
}

static int *where[MANY];

static void *meets(void *arg) {
    size_t me = (size_t)arg;
    where[me] = &number;
    number = (int)me;
    pthread_barrier_wait(&all);
    for (size_t i = 0; i < MANY; i++) {
        CHECK(i == me || where[i] != &number);
        CHECK(*where[i] == (int)i);
    }
    pthread_barrier_wait(&all);
    return NULL;
}

static void many_live_at_once(void) {
    pthread_t t[MANY];
    pthread_barrier_init(&all, NULL, MANY);
    for (size_t i = 0; i < MANY; i++) pthread_create(&t[i], NULL, meets, (void *)i);
    for (size_t i = 0; i < MANY; i++) pthread_join(t[i], NULL);
}

/* The C library's own. */
static void *uses_the_library(void *arg) {
    char text[64], *word, *rest = text;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    CHECK(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    uselocale(c);
    snprintf(text, sizeof text, "%d %.2f", (int)(size_t)arg, 1.5);
    FILE *f = tmpfile();
    CHECK(f && fprintf(f, "%s\n", text) > 0);
    void *kept[20];
    for (int i = 0; i < 20; i++) {
        kept[i] = malloc((size_t)(10 * i + 1));
        memset(kept[i], i, (size_t)(10 * i + 1));
        pthread_mutex_lock(&lock);
        CHECK(uselocale((locale_t)0) == c);
        free(kept[i / 2]);
        kept[i / 2] = NULL;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 20; i++) free(kept[i]);
    word = strtok_r(text, " ", &rest);
    CHECK(word && atoi(word) == (int)(size_t)arg);
    fclose(f);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(c);
    return NULL;
}

static void the_library_knows_threads(void) {
    pthread_t t[4];
    for (size_t i = 0; i < 4; i++) pthread_create(&t[i], NULL, uses_the_library, (void *)i);
    for (size_t i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

static int turns;

/* Nobody is kept out of printf for good by one that waits with the stream in its hands. */
static void *prints(void *arg) {
    flockfile(stdout);
    CHECK(!ftrylockfile(stdout));
    int turn = ++turns;
    pthread_mutex_lock(&lock);
    printf("%d ", (int)(size_t)arg);
    pthread_mutex_unlock(&lock);
    CHECK(turn == turns);
    funlockfile(stdout);
    funlockfile(stdout);
    printf("done\n");
    return NULL;
}

static void streams_have_locks(void) {
    pthread_t t[2];
    turns = 0;
    for (size_t i = 0; i < 2; i++) pthread_create(&t[i], NULL, prints, (void *)i);
    printf("main\n");
    for (size_t i = 0; i < 2; i++) pthread_join(t[i], NULL);
    flockfile(stdin);
    funlockfile(stdin);
}

/* Before main, in its thread. */
static _Thread_local int constructed;
static __attribute__((constructor)) void construct(void) { constructed = 3; }

THREAD(is_not_constructed) { CHECK(constructed == 0); }

int main(void) {
    pthread_t t;
    errno = 0;
    CHECK(constructed == 3);
    finds_first_values();
    sets(99);
    errno = 0;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, is_not_constructed, NULL);
    pthread_join(t, NULL);
    first_values_come_again();
    many_live_at_once();
    the_library_knows_threads();
    streams_have_locks();
    errno = 99;
    finds(99);
    return 0;
}

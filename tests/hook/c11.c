/* Every function of <threads.h>, with the results that C11 gives it. */
#include "check.h"
#include <threads.h>

static mtx_t plain, timed, recursive;
static cnd_t changed;
static int stage, waiting, calls, destroyed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key, silent;

static struct timespec in_ms(long ms) {
    struct timespec t;
    CHECK(timespec_get(&t, TIME_UTC) == TIME_UTC);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static const struct timespec invalid = {0, 1000000000};

/* ---- threads ---- */

static int seven(void *arg) { return arg == &stage ? -7 : 0; }

static int leaves(void *arg) {
    (void)arg;
    thrd_exit(8);
}

static int compares(void *creator) {
    thrd_t me = thrd_current();
    return thrd_equal(me, thrd_current()) && !thrd_equal(me, *(thrd_t *)creator);
}

static int lets_go(void *arg) {
    CHECK(mtx_lock(&plain) == thrd_success);
    stage = 1;
    CHECK(mtx_unlock(&plain) == thrd_success);
    CHECK(cnd_signal(&changed) == thrd_success);
    return arg != NULL;
}

static void threads(void) {
    thrd_t t, me = thrd_current();
    int result = 0;
    CHECK(thrd_create(&t, seven, &stage) == thrd_success);
    CHECK(thrd_join(t, &result) == thrd_success && result == -7);
    CHECK(thrd_create(&t, leaves, NULL) == thrd_success);
    CHECK(thrd_join(t, &result) == thrd_success && result == 8);
    CHECK(thrd_create(&t, compares, &me) == thrd_success);
    CHECK(!thrd_equal(t, me));
    CHECK(thrd_join(t, &result) == thrd_success && result == 1);
    CHECK(thrd_create(&t, seven, NULL) == thrd_success);
    CHECK(thrd_join(t, NULL) == thrd_success);

    stage = 0;
    CHECK(thrd_create(&t, lets_go, NULL) == thrd_success);
    CHECK(thrd_detach(t) == thrd_success);
    CHECK(mtx_lock(&plain) == thrd_success);
    while (!stage) CHECK(cnd_wait(&changed, &plain) == thrd_success);
    CHECK(mtx_unlock(&plain) == thrd_success);
    thrd_yield();
}

static void sleeping(void) {
    struct timespec before = in_ms(0), left = {5, 5}, t = {0, 20000000}, after;
    CHECK(thrd_sleep(&t, &left) == 0);
    CHECK(thrd_sleep(&t, NULL) == 0);
    after = in_ms(0);
    CHECK((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 39);
    CHECK(thrd_sleep(&invalid, NULL) < -1);
    CHECK(timespec_get(&t, 0) == 0);
}

/* ---- mutex ---- */

static int others(void *arg) {
    struct timespec soon = in_ms(5);
    (void)arg;
    CHECK(mtx_trylock(&plain) == thrd_busy);
    CHECK(mtx_trylock(&recursive) == thrd_busy);
    CHECK(mtx_timedlock(&timed, &soon) == thrd_timedout);
    return 0;
}

static int frees(void *arg) {
    (void)arg;
    CHECK(mtx_trylock(&plain) == thrd_success);
    CHECK(mtx_trylock(&recursive) == thrd_success);
    CHECK(mtx_unlock(&recursive) == thrd_success);
    return mtx_unlock(&plain) == thrd_success;
}

static void mutexes(void) {
    struct timespec soon = in_ms(1000);
    thrd_t t;
    int result = 0;
    CHECK(mtx_lock(&plain) == thrd_success);
    CHECK(mtx_timedlock(&timed, &soon) == thrd_success);
    CHECK(mtx_lock(&recursive) == thrd_success);
    CHECK(mtx_lock(&recursive) == thrd_success);
    CHECK(mtx_trylock(&recursive) == thrd_success);
    CHECK(mtx_timedlock(&recursive, &soon) == thrd_success);
    CHECK(thrd_create(&t, others, NULL) == thrd_success);
    CHECK(thrd_join(t, NULL) == thrd_success);
    for (int i = 0; i < 4; i++) CHECK(mtx_unlock(&recursive) == thrd_success);
    CHECK(mtx_unlock(&timed) == thrd_success);
    CHECK(mtx_unlock(&plain) == thrd_success);
    CHECK(thrd_create(&t, frees, NULL) == thrd_success);
    CHECK(thrd_join(t, &result) == thrd_success && result == 1);
}

/* ---- condition ---- */

static int waits(void *arg) {
    CHECK(mtx_lock(&timed) == thrd_success);
    waiting++;
    CHECK(cnd_broadcast(&changed) == thrd_success);
    while (!stage) {
        struct timespec late = in_ms(100000);
        int got = arg ? cnd_timedwait(&changed, &timed, &late) : cnd_wait(&changed, &timed);
        CHECK(got == thrd_success || (arg && got == thrd_timedout));
    }
    waiting--;
    CHECK(mtx_unlock(&timed) == thrd_success);
    return 0;
}

static void conditions(void) {
    struct timespec soon = in_ms(5);
    thrd_t t[3];
    int got = thrd_success;
    stage = 0;
    CHECK(mtx_lock(&timed) == thrd_success);
    while (got == thrd_success) got = cnd_timedwait(&changed, &timed, &soon);
    CHECK(got == thrd_timedout);
    CHECK(cnd_timedwait(&changed, &timed, &invalid) == thrd_error);
    CHECK(mtx_unlock(&timed) == thrd_success);
    for (int i = 0; i < 3; i++) CHECK(thrd_create(&t[i], waits, i ? NULL : &stage) == thrd_success);
    CHECK(mtx_lock(&timed) == thrd_success);
    while (waiting < 3) CHECK(cnd_wait(&changed, &timed) == thrd_success);
    stage = 1;
    CHECK(cnd_broadcast(&changed) == thrd_success);
    CHECK(mtx_unlock(&timed) == thrd_success);
    for (int i = 0; i < 3; i++) CHECK(thrd_join(t[i], NULL) == thrd_success);
    CHECK(waiting == 0);
}

/* ---- once, and what each thread has for itself ---- */

static void counts(void) { calls++; }

static int has(void *arg) {
    call_once(&once, counts);
    CHECK(calls == 1);
    CHECK(tss_get(key) == NULL);
    CHECK(tss_set(key, arg) == thrd_success);
    CHECK(tss_set(silent, arg) == thrd_success);
    CHECK(tss_get(key) == arg);
    return 0;
}

/* Sets its value again once: one more round. */
static void destroy(void *value) {
    int first;
    CHECK(mtx_lock(&plain) == thrd_success);
    first = ++*(int *)value == 1;
    destroyed++;
    CHECK(mtx_unlock(&plain) == thrd_success);
    if (first) CHECK(tss_set(key, value) == thrd_success);
}

static void specific(void) {
    thrd_t t[2];
    int value[2] = {0, 0}, mine = 0;
    CHECK(tss_create(&key, destroy) == thrd_success);
    CHECK(tss_create(&silent, NULL) == thrd_success);
    CHECK(tss_set(key, &mine) == thrd_success);
    for (int i = 0; i < 2; i++) CHECK(thrd_create(&t[i], has, &value[i]) == thrd_success);
    for (int i = 0; i < 2; i++) CHECK(thrd_join(t[i], NULL) == thrd_success);
    CHECK(calls == 1 && destroyed == 4 && value[0] == 2 && value[1] == 2);
    CHECK(tss_get(key) == &mine);
    tss_delete(key);
    tss_delete(silent);
    CHECK(tss_set(silent, &mine) == thrd_error);
    CHECK(mine == 0);
}

int main(void) {
    CHECK(mtx_init(&plain, mtx_plain) == thrd_success);
    CHECK(mtx_init(&timed, mtx_timed) == thrd_success);
    CHECK(mtx_init(&recursive, mtx_timed | mtx_recursive) == thrd_success);
    CHECK(cnd_init(&changed) == thrd_success);
    threads();
    sleeping();
    mutexes();
    conditions();
    specific();
    cnd_destroy(&changed);
    mtx_destroy(&recursive);
    mtx_destroy(&timed);
    mtx_destroy(&plain);
    return 0;
}

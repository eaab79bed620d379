/* Conditions: their clocks, their errors, and who is woken. */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, woken;

static struct timespec after(clockid_t clock, long ms) {
    struct timespec t;
    CHECK(!clock_gettime(clock, &t));
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static int before(struct timespec a, struct timespec b) {
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Nobody signals: it may wake up for nothing, and times out in the end, not too early. */
static void times_out(clockid_t clock, pthread_cond_t *cond) {
    struct timespec at = after(clock, 20);
    int error;
    CHECK(!pthread_mutex_lock(&m));
    do error = pthread_cond_timedwait(cond, &m, &at);
    while (!error);
    CHECK(error == ETIMEDOUT);
    CHECK(!before(after(clock, 0), at));
    CHECK(pthread_mutex_trylock(&m) == EBUSY); /* it has it again */
    at.tv_nsec = 1000000000;
    CHECK(pthread_cond_timedwait(cond, &m, &at) == EINVAL);
    CHECK(!pthread_mutex_unlock(&m));
}

static void of_clock(clockid_t clock) {
    pthread_condattr_t a;
    pthread_cond_t own;
    CHECK(!pthread_condattr_init(&a) && !pthread_condattr_setclock(&a, clock));
    CHECK(!pthread_cond_init(&own, &a) && !pthread_condattr_destroy(&a));
    times_out(clock, &own);
    CHECK(!pthread_cond_destroy(&own));
}

THREAD(waiter) {
    CHECK(!pthread_mutex_lock(&m));
    while (!turn) CHECK(!pthread_cond_wait(&c, &m));
    woken++;
    CHECK(!pthread_mutex_unlock(&m));
}

int main(void) {
    pthread_t t[2];
    pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    struct timespec at = {1, 0};
    int error;
    times_out(CLOCK_REALTIME, &c);
    of_clock(CLOCK_REALTIME);
    of_clock(CLOCK_MONOTONIC);
    CHECK(!pthread_mutex_lock(&m));
    while ((error = pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at)) == 0) {
    }
    CHECK(error == ETIMEDOUT);
    CHECK(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &at) == EINVAL);
    CHECK(!pthread_mutex_unlock(&m));
    CHECK(pthread_cond_timedwait(&c, &checking, &at) == EPERM);
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, waiter, NULL));
    CHECK(!pthread_cond_signal(&c)); /* whoever is woken waits again */
    CHECK(!pthread_mutex_lock(&m));
    turn = 1;
    CHECK(!pthread_cond_broadcast(&c));
    CHECK(!pthread_mutex_unlock(&m));
    for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(woken == 2);
    CHECK(!pthread_cond_destroy(&c));
    return 0;
}

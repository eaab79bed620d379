/* Clocks agree with sleeps, and with one another. */
#include "check.h"

static double seconds(clockid_t clock) {
    struct timespec t;
    CHECK(!clock_gettime(clock, &t) && t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

THREAD(sleeps) {
    double real = seconds(CLOCK_REALTIME), steady = seconds(CLOCK_MONOTONIC);
    struct timespec t = {0, 3000000}, left = {7, 7}, bad = {0, 1000000000}, negative = {-1, 0};
    CHECK(!nanosleep(&t, &left) || errno == EINTR);
    CHECK(seconds(CLOCK_MONOTONIC) - steady > 0.0029);
    CHECK(!usleep(2000));
    CHECK(seconds(CLOCK_MONOTONIC) - steady > 0.0049);
    CHECK(seconds(CLOCK_REALTIME) - real > 0.0049);
    CHECK(!clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &left));
    CHECK(!clock_gettime(CLOCK_REALTIME, &t));
    t.tv_sec += t.tv_nsec / 990000000;
    t.tv_nsec = (t.tv_nsec + 10000000) % 1000000000;
    CHECK(!clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL));
    CHECK(seconds(CLOCK_REALTIME) > (double)t.tv_sec + (double)t.tv_nsec / 1e9 - 1e-6);
    CHECK(!clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL)); /* over already */
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL) == EINVAL);
    CHECK(nanosleep(&bad, NULL) == -1 && errno == EINVAL);
    CHECK(select(-1, NULL, NULL, NULL, NULL) == -1 && errno == EINVAL);
    CHECK(pselect(-1, NULL, NULL, NULL, NULL, NULL) == -1 && errno == EINVAL);
    CHECK(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
}

int main(void) {
    pthread_t t;
    struct timeval day;
    struct timespec any;
    time_t now;
    CHECK(!pthread_create(&t, NULL, sleeps, NULL));
    sleeps(NULL);
    CHECK(!pthread_join(t, NULL));
    double before = seconds(CLOCK_REALTIME);
    CHECK(time(&now) == now);
    CHECK(!gettimeofday(&day, NULL));
    CHECK(before - (double)now < 1.1 && (double)now - before < 1.1);
    CHECK((double)day.tv_sec - before < 1.1 && day.tv_usec < 1000000);
    CHECK(seconds(CLOCK_REALTIME_COARSE) - before < 1 &&
          before - seconds(CLOCK_REALTIME_COARSE) < 1);
    CHECK(clock_gettime((clockid_t)4711, &any) == -1 && errno == EINVAL);
    before = seconds(CLOCK_MONOTONIC);
    CHECK(sleep(1) == 0);
    CHECK(seconds(CLOCK_MONOTONIC) - before > 0.999);
    return 0;
}

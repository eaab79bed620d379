/* Thread-specific values: their destructors, in rounds, and keys that are made anew. */
#include "check.h"

static pthread_key_t key, stubborn, silent;
static int destroyed, rounds, value[3];

static void destroy(void *p) {
    CHECK(!pthread_getspecific(key)); /* before, its value is taken away */
    CHECK(p == &value[0] || p == &value[1]);
    destroyed++;
}

static void set_again(void *p) {
    rounds++;
    CHECK(!pthread_setspecific(stubborn, p));
}

static void *sets(void *which) {
    CHECK(!pthread_getspecific(key));
    CHECK(!pthread_setspecific(key, &value[1]) && pthread_getspecific(key) == &value[1]);
    CHECK(!pthread_setspecific(stubborn, &value[2]));
    CHECK(!pthread_setspecific(silent, &value[2]));
    if (which) pthread_exit(which);
    return which;
}

int main(void) {
    pthread_t t;
    void *result;
    CHECK(!pthread_key_create(&key, destroy) && !pthread_key_create(&stubborn, set_again));
    CHECK(!pthread_key_create(&silent, NULL));
    CHECK(!pthread_setspecific(key, &value[0]));
    CHECK(!pthread_create(&t, NULL, sets, NULL));
    CHECK(!pthread_join(t, &result) && !result);
    CHECK(destroyed == 1 && rounds == PTHREAD_DESTRUCTOR_ITERATIONS);
    CHECK(!pthread_create(&t, NULL, sets, &value[2]));
    CHECK(!pthread_join(t, &result) && result == &value[2]);
    CHECK(destroyed == 2 && rounds == 2 * PTHREAD_DESTRUCTOR_ITERATIONS);
    CHECK(pthread_getspecific(key) == &value[0]);
    CHECK(!pthread_key_delete(key) && pthread_key_delete(key) == EINVAL);
    CHECK(pthread_setspecific(key, &value[0]) == EINVAL);
    CHECK(!pthread_key_create(&key, destroy)); /* of the same number, as a rule */
    CHECK(!pthread_getspecific(key));
    CHECK(!pthread_key_delete(key));
    CHECK(!pthread_key_delete(stubborn) && !pthread_key_delete(silent));
    return 0;
}

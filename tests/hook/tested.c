/* A test of RF_TEST whose code calls POSIX: hooks without RF_PROGRAM. */
#include "racefuzz.h"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *adds(void *p) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return p;
}
RF_TEST(two) {
    pthread_t t;
    x = 0;
    pthread_create(&t, NULL, adds, NULL);
    pthread_mutex_lock(&m);
    RF_ASSERT(x == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
}
RF_MAIN()

/* A lost wake-up: predicted in a few executions, and told with the deadlock that it makes. */
#ifndef RFI_LINKED
# define RF_IMPLEMENTATION
#endif
#include "racefuzz.h"

static rf_mutex lock = RF_MUTEX_INIT;
static rf_cond arrived = RF_COND_INIT;
static rf_atomic_int letters;

static void *reader(void *arg) {
    RF_LOCK(&lock);
    while (!rf_atomic_load(&letters)) RF_WAIT(&arrived, &lock);
    RF_UNLOCK(&lock);
    return arg;
}

static void *writer(void *arg) {
    rf_atomic_store(&letters, 1);
    RF_SIGNAL(&arrived);
    return arg;
}

RF_TEST(mail) {
    rf_atomic_init(&letters, 0);
    rf_thread a = RF_THREAD(reader, NULL), b = RF_THREAD(writer, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_MAIN()

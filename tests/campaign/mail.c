/* A lost wake-up: predicted in a few executions, and told with the deadlock that it makes. */
#ifndef RFI_LINKED
# define RF_IMPLEMENTATION
#endif
#include "racefuzz.h"
#include "tests/thread.h"

static rf_mutex lock = RF_MUTEX_INIT;
static rf_cond arrived = RF_COND_INIT;
static rf_atomic_int letters;

THREAD(reader) {
    RF_LOCK(&lock);
    while (!rf_atomic_load(&letters)) RF_WAIT(&arrived, &lock);
    RF_UNLOCK(&lock);
}

THREAD(writer) {
    rf_atomic_store(&letters, 1);
    RF_SIGNAL(&arrived);
}

RF_TEST(mail) {
    rf_atomic_init(&letters, 0);
    run_two(reader, writer);
}

RF_MAIN()

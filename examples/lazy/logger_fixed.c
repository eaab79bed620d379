/* logger_fixed.c: the logger of logger.h, by double-checked locking.  The pointer is atomic; its
 * store releases the fields, and a load that finds it acquires them. */
#include "logger.h"

static logger *_Atomic the_logger;
static rf_mutex making = RF_MUTEX_INIT;

void logger_open(void) { rf_atomic_init(&the_logger, NULL); }
void logger_close(void) { RF_FREE(rf_atomic_load(&the_logger)); }

logger *logger_get(void) {
    logger *l = rf_atomic_load_explicit(&the_logger, rf_memory_order_acquire);
    if (l) return l;
    RF_LOCK(&making);
    l = rf_atomic_load_explicit(&the_logger, rf_memory_order_relaxed); /* the lock orders it */
    if (!l) {
        l = RF_MALLOC(sizeof *l);
        RF_STORE(l->level, 3);
        RF_STORE(l->buffer, 4096);
        rf_atomic_store_explicit(&the_logger, l, rf_memory_order_release);
    }
    RF_UNLOCK(&making);
    return l;
}

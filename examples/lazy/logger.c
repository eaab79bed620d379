/* logger.c: the logger of logger.h, by double-checked locking.
 *
 * BUG: "The lock is only needed for making it": the first look at `the_logger` is a plain read
 * without the lock.  Whoever finds a logger there has not synchronised with its maker: compiler and
 * processor may show it the pointer, and not yet what the pointer leads to.  The report shows a
 * race on the pointer and one on each field, and a logger whose fields nobody has written yet.
 * Fixed in logger_fixed.c.
 */
#include "logger.h"

static logger *the_logger;
static rf_mutex making = RF_MUTEX_INIT;

void logger_open(void) { RF_STORE(the_logger, NULL); }
void logger_close(void) { RF_FREE(RF_LOAD(the_logger)); }

logger *logger_get(void) {
    logger *l = RF_LOAD(the_logger); /* no lock */
    if (l) return l;
    RF_LOCK(&making);
    l = RF_LOAD(the_logger);
    if (!l) {
        l = RF_MALLOC(sizeof *l);
        RF_STORE(l->level, 3);
        RF_STORE(l->buffer, 4096);
        RF_STORE(the_logger, l);
    }
    RF_UNLOCK(&making);
    return l;
}

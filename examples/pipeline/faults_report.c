/* faults_report.c: writing a fault down.
 *
 * BUG 2, behind a path that is rarely taken: the fault is written before the lock is taken.  The
 * first fault is handed over properly by the count, which nobody reads past before it is raised
 * under the lock.  Only a second fault meets a reader, or another parser's, and then line and
 * column come from two different faults.  Fixed in faults_report_fixed.c.
 */
#include "faults.h"

void faults_report(faults *f, uint32_t line, uint32_t column) {
    RF_STORE(f->last.line, line);     /* no lock */
    RF_STORE(f->last.column, column); /* no lock */
    RF_LOCK(&f->lock);
    RF_STORE(f->count, RF_LOAD(f->count) + 1);
    RF_UNLOCK(&f->lock);
}

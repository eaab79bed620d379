/* faults_report_fixed.c: writing a fault down; place and count change together. */
#include "faults.h"

void faults_report(faults *f, uint32_t line, uint32_t column) {
    RF_LOCK(&f->lock);
    RF_STORE(f->last.line, line);
    RF_STORE(f->last.column, column);
    RF_STORE(f->count, RF_LOAD(f->count) + 1);
    RF_UNLOCK(&f->lock);
}

/* faults.c: the fault log, but for faults_report. */
#include "faults.h"

void faults_init(faults *f) {
    rf_mutex_init(&f->lock, "faults", RF_MUTEX_NORMAL);
    RF_STORE(f->count, 0);
}

void faults_destroy(faults *f) { rf_mutex_destroy(&f->lock); }

uint32_t faults_last(faults *f, fault *last) {
    RF_LOCK(&f->lock);
    uint32_t count = RF_LOAD(f->count);
    if (count > 0) {
        last->line = RF_LOAD(f->last.line);
        last->column = RF_LOAD(f->last.column);
    }
    RF_UNLOCK(&f->lock);
    return count;
}

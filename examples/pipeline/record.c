/* record.c: reference counting. */
#include "record.h"

record *record_new(rf_sem *pool, uint32_t line, const char *text) {
    RF_SEM_WAIT(pool);
    record *r = RF_MALLOC(sizeof *r);
    if (!r) {
        RF_SEM_POST(pool);
        return NULL;
    }
    rf_atomic_init(&r->references, 1u);
    RF_STORE(r->pool, pool);
    RF_STORE(r->line, line);
    RF_STORE(r->text, text);
    return r;
}

record *record_ref(record *r) {
    rf_atomic_fetch_add_explicit(&r->references, 1u, rf_memory_order_relaxed);
    return r;
}

/* Released by all that let go, acquired by the last: nobody still reads what it frees. */
void record_unref(record *r) {
    if (!r || rf_atomic_fetch_sub_explicit(&r->references, 1u, rf_memory_order_acq_rel) != 1)
        return;
    rf_sem *pool = RF_LOAD(r->pool);
    RF_FREE(r);
    RF_SEM_POST(pool);
}

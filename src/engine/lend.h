/* engine/lend.h: plain accesses that the program makes itself, through the memory model.
 *
 * The compiler announces them (hook/compiler.h), and the program makes them after the
 * announcement.  The value that a read should return is written to memory; at the thread's next
 * event the newest value is restored, unless memory has changed.  That event also finds what a
 * write has stored.  No other thread runs in between, so at most one such access is pending.
 */
#ifndef RFI_ENGINE_LEND_H
#define RFI_ENGINE_LEND_H
#include "engine/memory.h"

#ifdef RFI_IMPL
/* Bytes of a read, and of a write, at most. */
enum { RFI_LENT_BYTES = 16, RFI_LENT_MOST = 1 << 30 };

RFI_VAR struct {
    rf_event event; /* whose access may have been made by now */
    bool pending;
    uint8_t *before; /* what was in memory when it was announced */
    uint32_t capacity;
    uint8_t value[RFI_LENT_BYTES]; /* what is there for a read */
} rfi_lent;

/* Has the program given this memory back?  `here`: a frame of the thread, which may have left
 * others by longjmp; NULL if it has left all. */
RFI_FN bool rfi_lent_gone(const rf_event *e, const void *here) {
    if (rfi_trace_on_stack(e->addr, e->thread))
        return !here || (uintptr_t)e->addr < (uintptr_t)here;
# ifdef MS_ASYNC
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)e->addr & -page;
    return RFI_REAL(msync)((void *)from, (uintptr_t)e->addr + e->size - from, MS_ASYNC) &&
           errno == ENOMEM;
# else
    return false;
# endif
}

RFI_FN void rfi_lent_write(const rf_event *e, void *at) {
    rf_mem_access a = rfi_model_access(e, RF_MEM_PLAIN);
    rfi_lent.before = rfi_grow(rfi_lent.before, &rfi_lent.capacity, (uint32_t)(2 * e->size), 1);
    uint8_t *stored = rfi_lent.before + e->size;
    memcpy(stored, at, e->size);
    memcpy(at, rfi_lent.before, e->size); /* as it was when the model last looked */
    a.in_place = false;
    rf_mem_store(&rfi_model, &a, stored);
}

RFI_FN RFI_COLD void rfi_lent_end(bool over) {
    const rf_event *e = &rfi_lent.event;
    void *at = (void *)(uintptr_t)e->addr;
    int error = errno;
    rfi_lent.pending = false;
    if (!rfi_lent_gone(e, over ? NULL : __builtin_frame_address(0))) {
        if (!(e->flags & RF_EV_WRITES)) {
            if (!memcmp(at, rfi_lent.value, e->size)) memcpy(at, rfi_lent.before, e->size);
        } else if (!over)
            rfi_lent_write(e, at);
    }
    errno = error;
}

/* The running thread comes to its next event, or to where it could be noticed what is lent. */
RFI_INLINE void rfi_settle(void) {
    if (RFI_UNLIKELY(rfi_lent.pending)) rfi_lent_end(false);
}

/* After the execution. */
RFI_INLINE void rfi_lent_drop(void) {
    if (RFI_UNLIKELY(rfi_lent.pending)) rfi_lent_end(true);
}

/* The read `e` is about to be made: chooses its value. */
RFI_FN void rfi_lend_value(rf_event *e) {
    rf_mem_access a = rfi_model_access(e, RF_MEM_PLAIN);
    a.in_place = false;
    a.whole = !rfi.plan->tears; /* it may be a pointer */
    rf_mem_load(&rfi_model, &a, rfi_lent.value);
    rfi_model.core.report.flags &=
        ~(unsigned)RF_MEM_INDETERMINATE; /* a copy of more than is used */
    rfi_model_told(e);
    if (e->flags & (RF_EV_STALE | RF_EV_TORN)) e->value = rfi_peek(rfi_lent.value, e->size);
    if (!memcmp(e->addr, rfi_lent.value, e->size)) return;
    memcpy((void *)(uintptr_t)e->addr, rfi_lent.value, e->size);
    rfi_lent.pending = true;
}

/* It is the turn of the access `e`. */
RFI_FN void rfi_lend(rf_event *e, unsigned mode) {
    if (e->size > RFI_LENT_MOST || !rfi_suspected(e, mode)) return;
    rfi_lent.before = rfi_grow(rfi_lent.before, &rfi_lent.capacity, (uint32_t)e->size, 1);
    memcpy(rfi_lent.before, e->addr, e->size);
    if (e->flags & RF_EV_WRITES)
        rfi_lent.pending = true;
    else
        rfi_lend_value(e);
    rfi_lent.event = *e;
}
#endif
#endif

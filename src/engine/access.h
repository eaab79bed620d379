/* engine/access.h: plain accesses, atomics and fences.
 *
 * Watching and scheduling are separate: a watched access is an event for the analyses, a scheduled
 * one is also a decision.  Watching everything (for the picture of a replay, or after memory was
 * freed) adds no choice.  Every unscheduled access consumes fuel, watched or not.
 */
#ifndef RFI_ENGINE_ACCESS_H
#define RFI_ENGINE_ACCESS_H
#include "engine/halves.h"
#include "engine/sched.h"
#include "engine/footing.h"

#ifdef RFI_IMPL
# define RFI_NULL_BYTES 65536u /* what has such an address is reached from a null pointer */

struct rfi_hot_state rfi_hot = {rfi_arm_none, INT32_MAX};

/* The mode of a site that was met for the first time since the job was armed. */
RFI_FN RFI_COLD uint8_t rfi_site_mode_new(uint32_t n) {
    rfi_site_modes(n + 1);
    return rfi.site_mode[n];
}

RFI_INLINE uint8_t rfi_site_mode(const rf_site *s) {
    uint32_t n = rfi_site_number(s);
    if (RFI_LIKELY(n < rfi.site_mode_count)) return rfi.site_mode[n];
    return rfi.points ? rfi_site_mode_new(n) : 0;
}

/* RFI_POINT and RFI_WATCH of an access at `s`, paying for it with fuel; an empty tank makes a
 * decision, and hints that the thread spins. */
RFI_INLINE unsigned rfi_access_mode(rfi_thr *t, const rf_site *s) {
    unsigned mode = rfi.mode;
    if (RFI_UNLIKELY(rfi.some)) mode |= rfi_site_mode(s);
    if (mode & RFI_POINT) return mode;
    rfi_settle();
    if (rfi_hot.fuel >= 0) rfi_hot.fuel--; /* else the macro has counted already */
    if (RFI_UNLIKELY(rfi_hot.fuel < 0)) {
        rfi_dry(t, s);
        rfi_make_lazy(t);
        mode |= RFI_POINT;
    }
    return mode;
}

/* The same load at the same place with the same value, again and again, is a spinning thread. */
RFI_INLINE void rfi_spin_check(rfi_thr *t, bool again, uint64_t old) {
    t->repeats = again && t->next.value == old ? t->repeats + 1 : 0;
    if (RFI_UNLIKELY(t->repeats >= RFI_SPIN_REPEAT)) rfi_make_lazy(t);
}

/* ---- values: from memory, or from the model ---- */

/* The read `e` gives `out`. */
RFI_INLINE void rfi_value_load(rf_event *e, unsigned mode, void *out) {
    bool atomic = e->flags & RF_EV_ATOMIC;
    rfi.record->atomic_loads += atomic;
    if (atomic ? rfi_model_takes(e) : RFI_UNLIKELY(rfi.adversary) && rfi_suspected(e, mode)) {
        rf_mem_access a = rfi_model_access(e, atomic ? e->order : RF_MEM_PLAIN);
        rfi_mem_load(&rfi_model, &a, out);
        rfi_model_told(e);
    } else {
        rfi_copy(out, e->addr, e->size);
        if (rfi_model_sees_fresh()) rfi_model_read(e, out);
    }
    e->value = rfi_peek(out, e->size);
}

RFI_INLINE void rfi_value_store(rf_event *e, unsigned mode, const void *in) {
    bool atomic = e->flags & RF_EV_ATOMIC;
    if (atomic ? rfi_model_takes(e)
               : mode & RFI_FIRST || (RFI_UNLIKELY(rfi.adversary) && rfi_suspected(e, mode))) {
        rf_mem_access a = rfi_model_access(e, atomic ? e->order : RF_MEM_PLAIN);
        rfi_mem_store(&rfi_model, &a, in);
        rfi_model_told(e);
    } else {
        rfi_copy((void *)(uintptr_t)e->addr, in, e->size);
        if (rfi_model_sees_fresh()) rfi_model_written(e, in);
    }
}

/* Announces a load, waits for its turn, and delivers it with the value found. */
RFI_INLINE void rfi_load_point(rfi_thr *t, const rf_site *s, const volatile void *p, size_t n,
                               unsigned flags, int order, unsigned mode, void *out) {
    bool again = t->next.site == s && t->next.addr == (const void *)(uintptr_t)p &&
                 t->next.kind == RF_EV_LOAD;
    uint64_t old = t->next.value;
    rf_event *e = rfi_announce(t, RF_EV_LOAD, s);
    e->flags = (uint16_t)(RF_EV_READS | flags);
    e->order = (uint8_t)order;
    e->addr = (const void *)(uintptr_t)p;
    e->size = n;
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, n, false);
    rfi_value_load(e, mode, out);
    rfi_spin_check(t, again, old);
    rfi_executed(e);
}

RFI_INLINE void rfi_store_point(rfi_thr *t, const rf_site *s, volatile void *p, size_t n,
                                unsigned flags, int order, unsigned mode, const void *in) {
    rf_event *e = rfi_announce(t, RF_EV_STORE, s);
    e->flags = (uint16_t)(RF_EV_WRITES | flags);
    e->order = (uint8_t)order;
    e->addr = (const void *)(uintptr_t)p;
    e->size = n;
    e->value = rfi_peek(in, n);
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, n, true);
    rfi_value_store(e, mode, in);
    rfi_executed(e);
}

/* The same for what is rarer: copies take time to compile. */
RFI_FN RFI_APART void rfi_load_rare(rfi_thr *t, const rf_site *s, const volatile void *p, size_t n,
                                    unsigned flags, int order, unsigned mode, void *out) {
    rfi_load_point(t, s, p, n, flags, order, mode, out);
}

RFI_FN RFI_APART void rfi_store_rare(rfi_thr *t, const rf_site *s, volatile void *p, size_t n,
                                     unsigned flags, int order, unsigned mode, const void *in) {
    rfi_store_point(t, s, p, n, flags, order, mode, in);
}

/* Whether an access that is not scheduled is checked must not depend on who watches: a replay,
 * which does, would fail where the campaign went on. */
RFI_INLINE void rfi_unscheduled_check(const rf_site *s, const volatile void *p, size_t n,
                                      bool writes) {
    if (!rfi.run.checks) return;
    rfi_heap_check(s, (const void *)(uintptr_t)p, n, writes);
    if (RFI_UNLIKELY(rfi.run.checks & RFI_CHECK_CLAIMED)) rfi_claim_check(s, p, n, writes);
}

RFI_INLINE rf_event rfi_unscheduled(rfi_thr *t, const rf_site *s, unsigned flags,
                                    const volatile void *p, size_t n) {
    rf_event e = {.kind = flags & RF_EV_WRITES ? RF_EV_STORE : RF_EV_LOAD,
                  .flags = (uint16_t)flags,
                  .thread = t->id,
                  .site = s,
                  .addr = (const void *)(uintptr_t)p,
                  .size = n};
    rfi_unscheduled_check(s, p, n, flags & RF_EV_WRITES);
    if (RFI_UNLIKELY((uintptr_t)p < RFI_NULL_BYTES)) t->next = e; /* for who tells the fault */
    return e;
}

/* Accesses outside of executions and inside invariants. */
RFI_INLINE bool rfi_outside(rfi_thr *t) {
    if (RFI_LIKELY(t && !rfi.quiet)) return false;
    if (rfi_hot.fuel < 0) rfi_hot.fuel = t ? RFI_FUEL : INT32_MAX;
    return true;
}

/* An access of which no event need be made.  It pays fuel like any other. */
RFI_INLINE bool rfi_access_lane(const rf_site *s, const volatile void *p, size_t n, bool writes) {
    if (!rfi.lane || rfi_hot.fuel <= 0 || (rfi.points && rfi_site_mode(s))) return false;
    const rfi_thr *t = RFI_ME(s);
    rfi_unscheduled_check(s, p, n, writes);
    if (!rfi.lane(t->id, s, (const void *)(uintptr_t)p, n, writes)) return false;
    rfi_hot.fuel--;
    return true;
}

/* Wider than the machine's word. */
RFI_INLINE bool rfi_wide(size_t n) { return RFI_UNLIKELY(n > rfi.word); }

RFI_FN void rfi_load_event(const rf_site *s, const volatile void *p, size_t n, void *out);
RFI_FN void rfi_store_event(const rf_site *s, volatile void *p, size_t n, unsigned first,
                            const void *in);

/* From the lowest address on. */
RFI_FN RFI_COLD void rfi_load_pieces(const rf_site *s, const volatile void *p, size_t n,
                                     void *out) {
    size_t word = rfi.word;
    for (size_t i = 0; i < n; i += word)
        rfi_load_event(s, (const volatile char *)p + i, n - i < word ? n - i : word,
                       (char *)out + i);
}

RFI_FN RFI_COLD void rfi_store_pieces(const rf_site *s, volatile void *p, size_t n,
                                      const void *in) {
    size_t word = rfi.word;
    for (size_t i = 0; i < n; i += word)
        rfi_store_event(s, (volatile char *)p + i, n - i < word ? n - i : word, 0,
                        (const char *)in + i);
}

RFI_FN RFI_APART void rfi_load_event(const rf_site *s, const volatile void *p, size_t n,
                                     void *out) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) {
        rfi_copy(out, (const void *)(uintptr_t)p, n);
        return;
    }
    if (rfi_wide(n)) {
        rfi_load_pieces(s, p, n, out);
        return;
    }
    rfi.record->plain = true;
    unsigned mode = rfi_access_mode(t, s);
    if (mode & RFI_POINT) {
        rfi_load_point(t, s, p, n, 0, 0, mode, out);
    } else if (mode & RFI_WATCH || rfi.adversary) {
        rf_event e = rfi_unscheduled(t, s, RF_EV_READS, p, n);
        rfi_value_load(&e, mode, out);
        if (mode & RFI_WATCH) rfi_emit(&e);
    } else {
        rfi_unscheduled_check(s, p, n, false);
        rfi_copy(out, (const void *)(uintptr_t)p, n);
    }
}

RFI_FN RFI_APART void rfi_load_lane(const rf_site *s, const volatile void *p, size_t n, void *out) {
    if (rfi_access_lane(s, p, n, false))
        rfi_copy(out, (const void *)(uintptr_t)p, n);
    else
        rfi_load_event(s, p, n, out);
}

void rfi_load(const rf_site *s, const volatile void *p, size_t n, void *out) {
    if (RFI_LIKELY(!rfi.lane))
        rfi_load_event(s, p, n, out);
    else
        rfi_load_lane(s, p, n, out);
}

/* `first`: RFI_FIRST or nothing. */
RFI_FN RFI_APART void rfi_store_event(const rf_site *s, volatile void *p, size_t n, unsigned first,
                                      const void *in) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) {
        rfi_copy((void *)(uintptr_t)p, in, n);
        return;
    }
    if (rfi_wide(n) && !first) {
        rfi_store_pieces(s, p, n, in);
        return;
    }
    rfi.record->plain = true;
    unsigned mode = rfi_access_mode(t, s) | (rfi.modelled ? first : 0);
    if (mode & RFI_POINT) {
        rfi_store_point(t, s, p, n, 0, 0, mode, in);
    } else if (mode & (RFI_WATCH | RFI_FIRST) || rfi.adversary) {
        rf_event e = rfi_unscheduled(t, s, RF_EV_WRITES, p, n);
        e.value = rfi_peek(in, n);
        if (mode & RFI_WATCH) rfi_emit(&e);
        rfi_value_store(&e, mode, in);
    } else {
        rfi_unscheduled_check(s, p, n, true);
        rfi_copy((void *)(uintptr_t)p, in, n);
    }
}

RFI_FN RFI_APART void rfi_store_lane(const rf_site *s, volatile void *p, size_t n, const void *in) {
    if (rfi_access_lane(s, p, n, true))
        rfi_copy((void *)(uintptr_t)p, in, n);
    else
        rfi_store_event(s, p, n, 0, in);
}

void rfi_store(const rf_site *s, volatile void *p, size_t n, const void *in) {
    if (RFI_LIKELY(!rfi.lane))
        rfi_store_event(s, p, n, 0, in);
    else
        rfi_store_lane(s, p, n, in);
}

void rfi_atomic_init(const rf_site *s, volatile void *p, size_t n, const void *in) {
    rfi_store_event(s, p, n, RFI_FIRST, in);
}

RFI_FN RFI_APART void rfi_racy_load_now(const rf_site *s, const volatile void *p, size_t n,
                                        void *out) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t))
        rfi_copy(out, (const void *)(uintptr_t)p, n);
    else {
        rfi.record->racy_loads++;
        rfi_load_rare(t, s, p, n, RF_EV_RACY, 0, rfi.mode, out);
    }
}

RFI_FOOTED(void, , rfi_racy_load, (const rf_site *s, const volatile void *p, size_t n, void *out),
           (s, p, n, out), s, p, out, n)

void rfi_racy_store(const rf_site *s, volatile void *p, size_t n, const void *in) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t))
        rfi_copy((void *)(uintptr_t)p, in, n);
    else
        rfi_store_rare(t, s, p, n, RF_EV_RACY, 0, rfi.mode, in);
}

/* `more`: RF_EV_IN_PLACE, and what the kind of the site does not say. */
RFI_FN void rfi_range_event(const rf_site *s, const volatile void *p, size_t n, unsigned more) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) return;
    bool writes = s->kind == RF_SITE_WRITE || more & RF_EV_WRITES;
    bool lends = more & RF_EV_IN_PLACE && rfi.adversary;
    unsigned flags = RF_EV_RANGE | more | (writes ? RF_EV_WRITES : RF_EV_READS);
    unsigned mode = rfi_access_mode(t, s);
    if (!n) return;
    if (RFI_UNLIKELY(rfi.observed & RFI_TAIL) && writes) rfi_tail_write(t, s, p, n);
    if (mode & RFI_POINT) {
        rf_event *e = rfi_announce(t, writes ? RF_EV_STORE : RF_EV_LOAD, s);
        e->flags = (uint16_t)flags;
        e->addr = (const void *)(uintptr_t)p;
        e->size = n;
        rfi_schedule(t);
        rfi_heap_check(s, e->addr, n, writes);
        if (RFI_UNLIKELY(lends)) rfi_lend(e, mode);
        rfi_executed(e);
    } else if (mode & RFI_WATCH || lends) {
        rf_event e = rfi_unscheduled(t, s, flags, p, n);
        if (RFI_UNLIKELY(lends)) rfi_lend(&e, mode);
        if (mode & RFI_WATCH) rfi_emit(&e);
    } else {
        rfi_unscheduled_check(s, p, n, writes);
    }
}

void rfi_range(const rf_site *s, const volatile void *p, size_t n) { rfi_range_event(s, p, n, 0); }

/* ---- atomics ---- */

RFI_VAR pthread_mutex_t rfi_outside_lock = PTHREAD_MUTEX_INITIALIZER;

RFI_FN void rfi_copy_outside(void *to, const void *from, size_t n) {
    RFI_REAL(pthread_mutex_lock)(&rfi_outside_lock);
    memcpy(to, from, n);
    RFI_REAL(pthread_mutex_unlock)(&rfi_outside_lock);
}

/* Orders, a bit for each: what C11 7.17.7 lets operations have.  Higher bits than these tell
 * processors something (__ATOMIC_HLE_ACQUIRE). */
enum {
    RFI_ORDER_BITS = 0x7fff,
    RFI_LOADS = 1 << __ATOMIC_RELAXED | 1 << __ATOMIC_CONSUME | 1 << __ATOMIC_ACQUIRE |
                1 << __ATOMIC_SEQ_CST,
    RFI_STORES = 1 << __ATOMIC_RELAXED | 1 << __ATOMIC_RELEASE | 1 << __ATOMIC_SEQ_CST,
    RFI_UPDATES = 63
};

RFI_FN RFI_COLD int rfi_allowed_rare(const rf_site *s, const char *what, unsigned may, int order) {
    unsigned base = (unsigned)order & RFI_ORDER_BITS;
    if (base <= __ATOMIC_SEQ_CST && may >> base & 1) return (int)base;
    char said[16];
    snprintf(said, sizeof said, "%d", order);
    rfi_fail(RF_DIAG_BAD_ORDER, s, "%s has the order %s; C11 7.17.7 allows %s", what,
             base <= __ATOMIC_SEQ_CST ? rfi_order_word(base) : said,
             may == RFI_LOADS    ? "relaxed, consume, acquire and seq_cst"
             : may == RFI_STORES ? "relaxed, release and seq_cst"
                                 : "those of memory_order");
}

/* The order of an operation, which `may` have one of these. */
RFI_INLINE int rfi_allowed(const rf_site *s, const char *what, unsigned may, int order) {
    bool allowed = (unsigned)order <= __ATOMIC_SEQ_CST && may >> order & 1;
    return RFI_LIKELY(allowed) ? order : rfi_allowed_rare(s, what, may, order);
}

RFI_FN RFI_APART void rfi_atomic_load_now(const rf_site *s, const volatile void *p, size_t n,
                                          int order, void *out) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) {
        rfi_copy_outside(out, (const void *)(uintptr_t)p, n);
        return;
    }
    order = rfi_allowed(s, "a load", RFI_LOADS, order);
    if (!rfi_halves(n) || !rfi_half_load(s, p, n, order, out))
        rfi_load_point(t, s, p, n, RF_EV_ATOMIC, order, 0, out);
}

RFI_FOOTED(void, , rfi_atomic_load,
           (const rf_site *s, const volatile void *p, size_t n, int order, void *out),
           (s, p, n, order, out), s, p, out, n)

void rfi_atomic_store(const rf_site *s, volatile void *p, size_t n, int order, const void *in) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) {
        rfi_copy_outside((void *)(uintptr_t)p, in, n);
        return;
    }
    order = rfi_allowed(s, "a store", RFI_STORES, order);
    if (!rfi_halves(n) || !rfi_half_store(s, p, n, order, in))
        rfi_store_point(t, s, p, n, RF_EV_ATOMIC, order, 0, in);
}

/* The program accesses the memory itself, right after this; it always gets the newest value. */
void rfi_atomic_in_place(const rf_site *s, volatile void *p, size_t n, bool writes, int order) {
    rfi_thr *t = RFI_ME(s);
    const unsigned flags = RF_EV_ATOMIC | RF_EV_RANGE;
    uint64_t value;
    if (rfi_outside(t)) return;
    if (writes)
        rfi_store_rare(t, s, p, n, flags, order, 0, (const void *)(uintptr_t)p);
    else
        rfi_load_rare(t, s, p, n, flags, order, 0, &value);
}

/* Announces a read-modify-write and waits for its turn. */
RFI_INLINE rf_event *rfi_rmw_point(rfi_thr *t, const rf_site *s, volatile void *p, size_t n,
                                   int order) {
    rf_event *e = rfi_announce(t, RF_EV_RMW, s);
    e->flags = RF_EV_READS | RF_EV_WRITES | RF_EV_ATOMIC;
    e->order = (uint8_t)order;
    e->addr = (const void *)(uintptr_t)p;
    e->size = n;
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, n, true);
    rfi.record->atomic_loads++;
    return e;
}

RFI_FN void rfi_rmw_begin_now(const rf_site *s, volatile void *p, size_t n, int order, void *old) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) {
        RFI_REAL(pthread_mutex_lock)(&rfi_outside_lock);
        rfi.rmw_addr = (const void *)(uintptr_t)p;
        rfi.rmw_size = n;
    } else {
        order = rfi_allowed(s, "an update", RFI_UPDATES, order);
        if (rfi_halves(n) && rfi_half_begin(s, p, n, order, old)) return;
        rf_event *e = rfi_rmw_point(t, s, p, n, order);
        if (rfi_model_takes(e)) {
            rf_mem_access a = rfi_model_access(e, order);
            rf_mem_rmw_begin(&rfi_model, &a, old);
            e->value = rfi_peek(old, n);
            return;
        }
        e->value = rfi_peek(p, n);
    }
    rfi_copy(old, (const void *)(uintptr_t)p, n);
}

RFI_FOOTED(void, , rfi_rmw_begin,
           (const rf_site *s, volatile void *p, size_t n, int order, void *old),
           (s, p, n, order, old), s, p, old, n)

void rfi_rmw_end(const void *value) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) {
        memcpy((void *)(uintptr_t)rfi.rmw_addr, value, rfi.rmw_size);
        RFI_REAL(pthread_mutex_unlock)(&rfi_outside_lock);
        return;
    }
    rf_event *e = &t->next;
    if (RFI_UNLIKELY(e->size == RFI_PAIR)) value = rfi_half_end(value);
    if (rfi_model_takes(e)) {
        rf_mem_rmw_end(&rfi_model, value);
        rfi_model_told(e);
    } else {
        rfi_copy((void *)(uintptr_t)e->addr, value, e->size);
    }
    e->value2 = rfi_peek(value, e->size);
    rfi_executed(e);
}

/* Integers and pointers, whose arithmetic is the caller's. */
typedef union rfi_scalar {
    uint8_t of_1;
    uint16_t of_2;
    uint32_t of_4;
    uint64_t of_8;
} rfi_scalar;

RFI_FN uint64_t rfi_fetch_begin_now(const rf_site *s, volatile void *p, size_t n, int order) {
    rfi_scalar old = {.of_8 = 0};
    rfi_rmw_begin_now(s, p, n, order, &old);
    return n == 4 ? old.of_4 : n == 8 ? old.of_8 : n == 2 ? old.of_2 : old.of_1;
}

RFI_FOOTED(uint64_t, return, rfi_fetch_begin,
           (const rf_site *s, volatile void *p, size_t n, int order), (s, p, n, order), s, p, NULL,
           0)

void rfi_fetch_end(uint64_t value, size_t n) {
    rfi_scalar new = {.of_8 = value};
    if (n == 4) new.of_4 = (uint32_t)value;
    if (n == 2) new.of_2 = (uint16_t)value;
    if (n == 1) new.of_1 = (uint8_t)value;
    rfi_rmw_end(&new);
}

RFI_FN RFI_APART bool rfi_cas_now(const rf_site *s, volatile void *p, size_t n, bool weak,
                                  int success, int failure, void *expected, const void *desired) {
    rfi_thr *t = RFI_ME(s);
    void *m = (void *)(uintptr_t)p;
    if (rfi_outside(t)) {
        RFI_REAL(pthread_mutex_lock)(&rfi_outside_lock);
        bool same = !memcmp(m, expected, n);
        memcpy(same ? m : expected, same ? desired : m, n);
        RFI_REAL(pthread_mutex_unlock)(&rfi_outside_lock);
        return same;
    }
    success = rfi_allowed(s, "a compare-exchange", RFI_UPDATES, success);
    failure = rfi_allowed(s, "a compare-exchange that fails", RFI_LOADS, failure);
    int half = -1;
    if (rfi_halves(n)) half = rfi_half_cas(s, p, n, weak, success, failure, expected, desired);
    if (half >= 0) return half;
    bool again = t->next.site == s && t->next.addr == m && t->next.kind == RF_EV_LOAD;
    uint64_t old = t->next.value;
    rfi_compare c = {expected, desired, (uint8_t)failure, weak && (rfi.spurious || rfi_calm()),
                     false};
    t->compare = &c;
    rf_event *e = rfi_rmw_point(t, s, p, n, success);
    t->compare = NULL;
    bool done;
    if (rfi_model_takes(e)) {
        rf_mem_access a = rfi_model_access(e, success);
        done = rf_mem_compare_exchange(&rfi_model, &a, failure, c.weak, expected, desired);
        rfi_model_told(e);
    } else {
        done = !memcmp(m, expected, n) && !c.fails && !(c.weak && rfi_spurious());
        rfi_copy(expected, m, n);
        if (done) rfi_copy(m, desired, n);
    }
    e->value = rfi_peek(expected, n);
    if (done) {
        e->value2 = rfi_peek(desired, n);
    } else {
        e->kind = RF_EV_LOAD;
        e->order = (uint8_t)failure;
        e->flags = (uint16_t)((e->flags & ~RF_EV_WRITES) | RF_EV_HARMLESS);
        rfi_spin_check(t, again, old);
    }
    rfi_executed(e);
    return done;
}

RFI_FOOTED(bool, return, rfi_cas,
           (const rf_site *s, volatile void *p, size_t n, bool weak, int success, int failure,
            void *expected, const void *desired),
           (s, p, n, weak, success, failure, expected, desired), s, p, NULL, 0)

void rfi_fence(const rf_site *s, int order) {
    rfi_thr *t = RFI_ME(s);
    if (rfi_outside(t)) return;
    order = rfi_allowed(s, "a fence", RFI_UPDATES, order);
    rf_event *e = rfi_announce(t, RF_EV_FENCE, s);
    e->order = (uint8_t)order;
    rfi_schedule(t);
    rfi_executed(e);
}
#endif
#endif

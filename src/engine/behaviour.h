/* engine/behaviour.h: the partial order of an execution, as one number.
 *
 * Executions that differ in the order of operations that commute, and in nothing else, are one
 * behaviour: a trace (A. Mazurkiewicz, Concurrent program schemes and their interpretations, 1977).
 * An operation is known by its thread (rf_thread_key) and by how many that thread has executed
 * before; a trace by its operations, each with the last ones before it that it depends on
 * (rf_events_depend).  The number is the sum of a hash of each of them, so that the order in which
 * they are added does not count.
 *
 * Guarantee: executions of one trace have the same number, in every process; others have different
 * ones, but for collisions of 64 bits.  Addresses and numbers of objects only find what happened at
 * them before.  Joins, starts and frees need no more than to be counted: what they depend on is
 * before them in every execution that has them.  Where memory returns older values, which one is
 * part of the behaviour.
 *
 * Only scheduled operations count.  Which plain accesses are scheduled changes during a campaign,
 * and its executions are to be compared: if the plan names statements (`counted`), plain accesses
 * elsewhere are not counted; they take part, without a number of their own, if they are known to
 * touch shared data.
 */
#ifndef RFI_ENGINE_BEHAVIOUR_H
#define RFI_ENGINE_BEHAVIOUR_H
#include "base/hash.h"
#include "engine/depend.h"
#include "engine/state.h"

#ifdef RFI_IMPL
/* What has happened at a location or an object: the last write, the sum of the reads since; of
 * memory in which execution, since what is left of an earlier one is nothing. */
typedef struct rfi_past {
    uint64_t write, reads, execution;
} rfi_past;

# define RFI_TRACT 512u /* bytes */

/* So many bytes of memory, in runs of bytes that have one past.  An operation on a part of a run
 * cuts it; a write makes one run of all that it covers.  Tracts and their runs outlive executions.
 */
typedef struct rfi_tract {
    struct rfi_tract *next; /* of the execution */
    uintptr_t number;       /* address / RFI_TRACT */
    union {
        rfi_past only;  /* while there has never been more than one run; then */
        rfi_past *past; /* by a run's first byte */
    };
    uint64_t begins[RFI_TRACT / 64 + 1]; /* bit set: a run begins at this byte, or the tract ends;
                                            in the last one also RFI_CUT, and in its upper half the
                                            execution */
} rfi_tract;

enum { RFI_CUT = 2 }; /* there has been more than one run */

/* A run that an access was to, as long as it: most are to one of these again. */
typedef struct rfi_target {
    uintptr_t addr;
    uint64_t size;   /* 0: none */
    uint64_t weight; /* of `size` bytes, times RFI_MET */
    rfi_past *past;
} rfi_target;

# define RFI_TRACTS_RECENT  16u
# define RFI_TRACTS_STALE   64u /* that need not be forgotten */
# define RFI_TARGETS_RECENT 256u
# define RFI_TARGET         63u /* bytes, at most */

RFI_VAR struct rfi_behaviour {
    rfi_map tract_of;  /* number -> rfi_tract * */
    rfi_tract *tracts; /* of this execution: */
    uint32_t met;
    rfi_tract *recent[RFI_TRACTS_RECENT]; /* by the low bits of the number; NULL: none */
    uint64_t executions;
    rfi_target target[RFI_TARGETS_RECENT]; /* by the low bits of address / 4 */
    rfi_arena arena;
    rfi_past *object; /* by number - 1 */
    uint32_t objects, object_capacity;
} rfi_behaviour;

# define RFI_MET             UINT64_C(0xd1342543de82ef95)
# define RFI_BEHAVIOUR_START RFI_GOLDEN /* of an execution that has done nothing; not 0 */

RFI_FN void rfi_behaviour_begin(void) {
    struct rfi_behaviour *b = &rfi_behaviour;
    bool wraps = !(uint32_t)++b->executions;
    if (b->tract_of.used > RFI_TRACTS_STALE + 4 * b->met || wraps) {
        rfi_zero(b->recent, sizeof b->recent);
        rfi_zero(b->target, sizeof b->target);
        rfi_map_reset(&b->tract_of);
        rfi_arena_reset(&b->arena);
    }
    b->tracts = NULL;
    b->objects = b->met = 0;
    rfi.record->order = RFI_BEHAVIOUR_START;
}

RFI_FN RFI_COLD rfi_tract *rfi_tract_new(uintptr_t number) {
    rfi_tract *t = rfi_arena_take(&rfi_behaviour.arena, sizeof *t);
    t->number = number;
    t->begins[0] = t->begins[RFI_TRACT / 64] = 1;
    return t;
}

RFI_FN RFI_APART rfi_tract *rfi_tract_look(uintptr_t number) {
    struct rfi_behaviour *b = &rfi_behaviour;
    uint64_t *found = rfi_map_at(&b->tract_of, number);
    if (!*found) *found = (uint64_t)(uintptr_t)rfi_tract_new(number);
    return b->recent[number % RFI_TRACTS_RECENT] = (rfi_tract *)(uintptr_t)*found;
}

RFI_INLINE rfi_tract *rfi_tract_at(uintptr_t number) {
    struct rfi_behaviour *b = &rfi_behaviour;
    rfi_tract *t = b->recent[number % RFI_TRACTS_RECENT];
    if (RFI_UNLIKELY(!t || t->number != number)) t = rfi_tract_look(number);
    uint64_t *end = &t->begins[RFI_TRACT / 64];
    if (RFI_UNLIKELY(*end >> 32 != (uint32_t)b->executions)) {
        *end = (*end & (1 | RFI_CUT)) | b->executions << 32;
        t->next = b->tracts;
        b->tracts = t;
        b->met++;
    }
    return t;
}

/* Of the run that begins at this byte. */
RFI_INLINE rfi_past *rfi_tract_past(rfi_tract *t, unsigned byte) {
    return RFI_LIKELY(t->begins[RFI_TRACT / 64] & RFI_CUT) ? &t->past[byte] : &t->only;
}

RFI_INLINE bool rfi_run_begins(const rfi_tract *t, unsigned byte) {
    return t->begins[byte / 64] >> byte % 64 & 1;
}

/* Where the run of a byte begins. */
RFI_INLINE unsigned rfi_run_begin(const rfi_tract *t, unsigned byte) {
    unsigned w = byte / 64;
    uint64_t bits = t->begins[w] & ~UINT64_C(0) >> (63 - byte % 64);
    while (!bits) bits = t->begins[--w];
    return w * 64 + 63 - (unsigned)__builtin_clzll(bits);
}

/* And where it ends. */
RFI_INLINE unsigned rfi_run_end(const rfi_tract *t, unsigned byte) {
    unsigned w = (byte + 1) / 64;
    uint64_t bits = t->begins[w] & ~UINT64_C(0) << (byte + 1) % 64;
    while (!bits) bits = t->begins[++w];
    return w * 64 + (unsigned)__builtin_ctzll(bits);
}

RFI_INLINE rfi_target *rfi_target_at(uintptr_t addr) {
    return &rfi_behaviour.target[addr / 4 % RFI_TARGETS_RECENT];
}

/* The run that begins at this byte is cut or joined. */
RFI_INLINE void rfi_target_end(const rfi_tract *t, unsigned byte) {
    uintptr_t addr = t->number * RFI_TRACT + byte;
    rfi_target *x = rfi_target_at(addr);
    if (x->addr == addr) x->size = 0;
}

/* A run begins at this byte from now on. */
RFI_INLINE void rfi_run_cut(rfi_tract *t, unsigned byte) {
    if (rfi_run_begins(t, byte)) return;
    if (!(t->begins[RFI_TRACT / 64] & RFI_CUT)) {
        rfi_past *past = rfi_arena_raw(&rfi_behaviour.arena, RFI_TRACT * sizeof *past);
        past[0] = t->only;
        t->past = past;
        t->begins[RFI_TRACT / 64] |= RFI_CUT;
    }
    unsigned begin = rfi_run_begin(t, byte);
    rfi_target_end(t, begin);
    t->past[byte] = t->past[begin];
    t->begins[byte / 64] |= UINT64_C(1) << byte % 64;
}

/* The bytes from .. to-1 are one run from now on. */
RFI_FN void rfi_run_join(rfi_tract *t, unsigned from, unsigned to) {
    for (unsigned i = from + 1; (i = rfi_run_end(t, i - 1)) < to; i++) {
        t->begins[i / 64] &= ~(UINT64_C(1) << i % 64);
        rfi_target_end(t, i);
    }
    rfi_target_end(t, from);
}

/* What an operation meets at a location, which knows of it from here on. */
RFI_INLINE uint64_t rfi_past_meet(rfi_past *p, uint64_t id, bool writes) {
    uint64_t write = p->write, reads = p->reads;
    p->reads = writes ? 0 : reads + id;
    if (!writes) return write;
    p->write = id;
    return write + reads * 3;
}

RFI_INLINE void rfi_past_renew(rfi_past *p) {
    if (RFI_UNLIKELY(p->execution != rfi_behaviour.executions))
        *p = (rfi_past){.execution = rfi_behaviour.executions};
}

/* What an operation on memory meets is the sum of what it meets at its bytes, each times a weight
 * that its distance from the first one gives: so it does not matter how they are cut into runs.
 * This is the sum of the weights of the first so many. */
RFI_INLINE uint64_t rfi_weight(uint64_t bytes) {
    uint64_t z = bytes * RFI_GOLDEN;
    return z ^ z >> 32;
}

/* What it meets at the bytes from .. to-1 of a tract, the first of which is its byte `nth`. */
RFI_FN uint64_t rfi_tract_meet(rfi_tract *t, unsigned from, unsigned to, uint64_t nth, uint64_t id,
                               bool writes) {
    uint64_t met = 0, before = rfi_weight(nth);
    rfi_run_cut(t, from);
    if (to < RFI_TRACT) rfi_run_cut(t, to);
    for (unsigned i = from, end; i < to; i = end) {
        end = rfi_run_end(t, i);
        uint64_t weight = rfi_weight(nth + end - from);
        rfi_past *past = rfi_tract_past(t, i);
        rfi_past_renew(past);
        met += rfi_past_meet(past, id, writes) * (weight - before);
        before = weight;
    }
    if (writes) rfi_run_join(t, from, to);
    return met;
}

RFI_FN RFI_APART uint64_t rfi_range_meet(uintptr_t from, uint64_t size, uint64_t id, bool writes) {
    uint64_t met = 0, n;
    for (uint64_t nth = 0; nth < size; nth += n) {
        unsigned first = (from + nth) % RFI_TRACT;
        n = size - nth < RFI_TRACT - first ? size - nth : RFI_TRACT - first;
        met += rfi_tract_meet(rfi_tract_at((from + nth) / RFI_TRACT), first, first + (unsigned)n,
                              nth, id, writes);
    }
    return met;
}

/* What has happened at the memory that `e` accesses, if that is one run; it becomes one, unless it
 * was several. */
RFI_FN RFI_APART rfi_target *rfi_target_cut(const rf_event *e, rfi_target *x) {
    unsigned first = (uintptr_t)e->addr % RFI_TRACT;
    size_t end = first + e->size;
    if (e->size - 1 >= RFI_TARGET || end > RFI_TRACT) return NULL;
    rfi_tract *t = rfi_tract_at((uintptr_t)e->addr / RFI_TRACT);
    rfi_run_cut(t, first);
    if (end < RFI_TRACT) rfi_run_cut(t, (unsigned)end);
    if (rfi_run_end(t, first) != end) return NULL;
    *x = (rfi_target){(uintptr_t)e->addr, e->size, rfi_weight(e->size) * RFI_MET,
                      rfi_tract_past(t, first)};
    return x;
}

/* The same; the first time that it is accessed in this execution, or a run that was not found. */
RFI_FN RFI_APART rfi_target *rfi_target_meet(const rf_event *e, rfi_target *x) {
    if (x->addr != (uintptr_t)e->addr || x->size != e->size) x = rfi_target_cut(e, x);
    if (!x || x->past->execution == rfi_behaviour.executions) return x;
    (void)rfi_tract_at(x->addr / RFI_TRACT); /* is one of this execution from now on */
    rfi_past_renew(x->past);
    return x;
}

RFI_INLINE rfi_target *rfi_target_of(const rf_event *e) {
    rfi_target *x = rfi_target_at((uintptr_t)e->addr);
    if (RFI_LIKELY(x->addr == (uintptr_t)e->addr && x->size == e->size &&
                   x->past->execution == rfi_behaviour.executions))
        return x;
    return rfi_target_meet(e, x);
}

RFI_FN rfi_past *rfi_object_past(uint32_t object) {
    if (object > rfi_behaviour.objects) {
        rfi_behaviour.object = rfi_grow(rfi_behaviour.object, &rfi_behaviour.object_capacity,
                                        object, sizeof *rfi_behaviour.object);
        memset(&rfi_behaviour.object[rfi_behaviour.objects], 0,
               (object - rfi_behaviour.objects) * sizeof *rfi_behaviour.object);
        rfi_behaviour.objects = object;
    }
    return &rfi_behaviour.object[object - 1];
}

RFI_INLINE bool rfi_behaviour_memory(const rf_event *e) {
    return e->flags & (RF_EV_READS | RF_EV_WRITES) && !(e->flags & RF_EV_FREES);
}

/* Does an operation take part, where not all plain accesses do?  *counts: and is it counted? */
RFI_INLINE bool rfi_behaviour_takes(const rf_event *e, bool *counts) {
    *counts = true;
    if (e->flags & (RF_EV_ATOMIC | RF_EV_RACY) || !rfi_behaviour_memory(e)) return true;
    uint32_t code = rfi_site_code(e->site);
    *counts = rfi_points_have(rfi.plan->counted, code);
    return *counts || rfi_points_have(rfi.plan->known, code);
}

/* The number of the next operation of `t`: a generator of its own (linear, congruential), so that
 * no sum of some is that of others. */
RFI_INLINE uint64_t rfi_behaviour_next(rfi_thr *t) {
    return t->number = t->number * UINT64_C(0x2545f4914f6cdd1d) + t->key;
}

/* Adds the operation `e`, by its number the last of `t`, which has met `met`, times RFI_MET. */
RFI_INLINE void rfi_behaviour_add(const rf_event *e, uint64_t id, uint64_t met, uint64_t what) {
    what += e->kind | (uint64_t)e->site->line << 8; /* differs with what was drawn */
    if (RFI_UNLIKELY(e->flags & RF_EV_STALE)) what += (e->origin->hidden + UINT64_C(1)) << 40;
    uint64_t z = id + met + what; /* what it consists of is mixed well: half of rfi_mix does */
    z = (z ^ z >> 29) * RFI_GOLDEN;
    rfi.record->order += z ^ z >> 32;
}

/* An operation of `t` that meets nothing. */
RFI_INLINE void rfi_behaviour_count(rfi_thr *t) {
    (void)rfi_behaviour_next(t);
    rfi.record->order += t->key * UINT64_C(0xd6e8feb86659fd93);
}

RFI_FN RFI_APART void rfi_behaviour_any(const rf_event *e, bool counts) {
    rfi_thr *t = rfi.current;
    rfi_uses uses = rfi_uses_of(e);
    bool memory = rfi_behaviour_memory(e);
    bool asks = e->kind == RF_EV_CALL && e->other != e->thread;
    if (!memory && !uses.object && !asks) {
        rfi_behaviour_count(t);
        return;
    }
    uint64_t id = counts ? rfi_behaviour_next(t) : t->number, met = 0, what = 0;
    if (asks) what = rfi.thread[e->other]->number;
    if (memory) met = rfi_range_meet((uintptr_t)e->addr, e->size, id, e->flags & RF_EV_WRITES);
    if (uses.object) {
        bool shares = e->flags & RF_EV_SHARED || e->kind == RF_EV_DEPART;
        met += rfi_past_meet(rfi_object_past(uses.object), id, !shares);
    }
    if (uses.other) {
        met += rfi_past_meet(rfi_object_past(uses.other), id, true) * 5;
        what += e->value << 40; /* how a wait has ended */
    }
    rfi_behaviour_add(e, id, met * RFI_MET, what);
}

RFI_INLINE void rfi_behaviour_take(const rf_event *e, bool counts) {
    rfi_past *past = NULL;
    uint64_t weight = RFI_MET;
    bool changes = !(e->flags & RF_EV_SHARED);
    if (RFI_LIKELY(e->kind <= RF_EV_RMW)) {
        const rfi_target *x = NULL;
        if (RFI_LIKELY(!(e->object | e->other))) x = rfi_target_of(e);
        if (RFI_LIKELY(x != NULL)) {
            past = x->past;
            weight = x->weight;
        }
        changes = e->flags & RF_EV_WRITES;
    } else if (e->kind <= RF_EV_UNLOCK && e->object - 1 < rfi_behaviour.objects) {
        past = &rfi_behaviour.object[e->object - 1];
    }
    rfi_thr *t = rfi.current;
    if (RFI_UNLIKELY(!past)) {
        if (e->flags & (RF_EV_READS | RF_EV_WRITES) || e->object || e->kind == RF_EV_CALL)
            rfi_behaviour_any(e, counts);
        else
            rfi_behaviour_count(t);
        return;
    }
    uint64_t id = counts ? rfi_behaviour_next(t) : t->number;
    rfi_behaviour_add(e, id, rfi_past_meet(past, id, changes) * weight, 0);
}

RFI_FN RFI_APART void rfi_behaviour_chosen(const rf_event *e) {
    bool counts;
    if (rfi_behaviour_takes(e, &counts)) rfi_behaviour_take(e, counts);
}

/* The running thread has executed a scheduled operation. */
RFI_FN void rfi_behaviour_event(const rf_event *e) {
    if (RFI_LIKELY(!rfi.plan->counted))
        rfi_behaviour_take(e, true);
    else
        rfi_behaviour_chosen(e);
}

/* Memory changes hands: nothing has happened there. */
RFI_FN RFI_COLD void rfi_behaviour_forget(const void *from, const void *to) {
    for (rfi_tract *t = rfi_behaviour.tracts; t; t = t->next) {
        uintptr_t base = t->number * RFI_TRACT, low = (uintptr_t)from, high = (uintptr_t)to;
        if (low < base) low = base;
        if (high > base + RFI_TRACT) high = base + RFI_TRACT;
        if (low < high)
            rfi_tract_meet(t, (unsigned)(low - base), (unsigned)(high - base), 0, 0, true);
    }
}
#endif
#endif

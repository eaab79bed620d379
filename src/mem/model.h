/* mem/model.h: the model as its users call it: plain data, atomics, fresh memory. */
#ifndef RFI_MEM_MODEL_H
#define RFI_MEM_MODEL_H
#include "base/hash.h"
#include "mem/atomic.h"
#include "mem/plain.h"

#ifdef RFI_IMPL
/* Memory that rf_mem_alloc gave. */
typedef struct rfi_fresh {
    uintptr_t from, to;
} rfi_fresh;

struct rf_mem {
    rfi_core core;
    rfi_atomics atomics;
    rfi_plain plain;
    rfi_map objects;  /* number -> rfi_message * */
    rfi_fresh *fresh; /* by address */
    uint32_t freshes, fresh_capacity;
};

# define RFI_FRESH 0xa5 /* every byte of fresh memory */

/* Settings, put right. */
RFI_FN void rfi_core_settle(rfi_core *c, const rf_mem_options *given) {
    rf_mem_options *o = &c->options;
    *o = *given;
    if (!o->history) o->history = RF_MEM_HISTORY;
    if (o->history < 2) o->history = 2;
    if (o->history > RF_MEM_HISTORY_MAX) o->history = RF_MEM_HISTORY_MAX;
    c->atomic_history = o->atomics == RF_MEM_SC ? 2 : o->history;
    if (!o->fairness) o->fairness = RF_MEM_FAIRNESS;
    if (!o->sample) o->sample = 3;
}

/* One of the four adversaries of RF_PICK_MIXED. */
RFI_FN rf_heuristic rfi_core_mixed(rfi_core *c, rf_heuristic pick) {
    if (pick != RF_PICK_MIXED) return pick;
    return (rf_heuristic)(RF_PICK_OLDEST + rfi_below(&c->chance, 4));
}

/* ---- an execution ---- */

RFI_FN void rfi_mem_begin(rf_mem *m, uint64_t seed, const rf_mem_options *options) {
    rfi_core *c = &m->core;
    if (options) rfi_core_settle(c, options);
    c->chance = rfi_prng_make(seed, 0);
    c->forgot = false;
    c->plain_pick = rfi_core_mixed(c, c->options.plain_pick);
    c->atomic_pick = rfi_core_mixed(c, c->options.atomic_pick);
    rfi_actors_reset(&c->threads);
    rfi_actor_of(&c->threads, 0);
    rfi_atomics_reset(&m->atomics);
    rfi_plain_reset(&m->plain);
    rfi_map_reset(&m->objects);
    m->freshes = 0;
}

rf_mem *rf_mem_new(const rf_mem_options *options) {
    static const rf_mem_options none = {0};
    rf_mem *m = RFI_REAL(calloc)(1, sizeof *m);
    if (!m) rfi_die("out of memory (%zu bytes)", sizeof *m);
    rfi_mem_begin(m, 0, options ? options : &none);
    return m;
}

void rf_mem_reset(rf_mem *m, uint64_t seed, const rf_mem_options *options) {
    rfi_mem_begin(m, rfi_mix(seed + RFI_GOLDEN), options);
}

void rf_mem_free(rf_mem *m) {
    if (!m) return;
    rfi_actors_free(&m->core.threads);
    rfi_shadow_free(&m->atomics.places);
    rfi_shadow_free(&m->plain.shadow);
    rfi_map_free(&m->objects);
    RFI_REAL(free)(m->fresh);
    RFI_REAL(free)(m);
}

const rf_mem_report *rf_mem_last(const rf_mem *m) {
    rf_mem_report *r = (rf_mem_report *)(uintptr_t)&m->core.report; /* completed when asked for */
    if (m->core.read) r->from = rfi_kept_origin(m->core.read);
    return r;
}

/* ---- happens-before ---- */

void rf_mem_fork(rf_mem *m, uint32_t parent, uint32_t child) {
    rfi_actor_fork(&m->core.threads, parent, child);
}

void rf_mem_exit(rf_mem *m, uint32_t thread) {
    rfi_actor_of(&m->core.threads, thread)->ended = true;
}

void rf_mem_join(rf_mem *m, uint32_t thread, uint32_t other) {
    rfi_actor_join(&m->core.threads, thread, other);
}

RFI_FN rfi_message *rfi_mem_object(rf_mem *m, uint64_t object) {
    uint64_t *at = rfi_map_at(&m->objects, object);
    if (!*at)
        *at = (uint64_t)(uintptr_t)rfi_arena_take(&m->core.threads.arena, sizeof(rfi_message));
    return (rfi_message *)(uintptr_t)*at;
}

void rf_mem_release(rf_mem *m, uint32_t thread, uint64_t object) {
    rfi_message_add(&m->core.threads, thread, rfi_mem_object(m, object));
}

void rf_mem_acquire(rf_mem *m, uint32_t thread, uint64_t object) {
    rfi_actor_receive(&m->core.threads, thread, rfi_mem_object(m, object));
}

void rf_mem_fence(rf_mem *m, uint32_t thread, int order) {
    rfi_atomic_fence(&m->core, &m->atomics, thread, order);
}

/* ---- memory ---- */

/* The number of fresh ranges that end at or before `addr`. */
RFI_FN uint32_t rfi_fresh_before(const rf_mem *m, uintptr_t addr) {
    uint32_t low = 0, high = m->freshes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->fresh[middle].to <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Takes [from, to) out of the fresh ranges. */
RFI_FN void rfi_fresh_take(rf_mem *m, uintptr_t from, uintptr_t to) {
    uint32_t i = rfi_fresh_before(m, from), n = i;
    if (i == m->freshes || m->fresh[i].from >= to) return;
    rfi_fresh rest[2];
    uint32_t rests = 0;
    for (; n < m->freshes && m->fresh[n].from < to; n++) {
        if (m->fresh[n].from < from) rest[rests++] = (rfi_fresh){m->fresh[n].from, from};
        if (m->fresh[n].to > to) rest[rests++] = (rfi_fresh){to, m->fresh[n].to};
    }
    m->fresh = rfi_grow(m->fresh, &m->fresh_capacity, m->freshes + rests, sizeof *m->fresh);
    memmove(m->fresh + i + rests, m->fresh + n, (m->freshes - n) * sizeof *m->fresh);
    memcpy(m->fresh + i, rest, rests * sizeof *rest);
    m->freshes += rests - (n - i);
}

void rf_mem_forget(rf_mem *m, const volatile void *addr, size_t size) {
    uintptr_t from = (uintptr_t)addr;
    rfi_atomics_forget(&m->atomics, from, from + size);
    if (rfi_plain_any(&m->plain)) rfi_plain_forget(&m->plain, from, size);
    rfi_fresh_take(m, from, from + size);
}

/* The bytes, filled with RFI_FRESH by the caller, are nobody's yet. */
RFI_FN void rfi_mem_fresh(rf_mem *m, const volatile void *addr, size_t size) {
    uintptr_t from = (uintptr_t)addr;
    rf_mem_forget(m, addr, size);
    if (!size) return;
    uint32_t i = rfi_fresh_before(m, from);
    m->fresh = rfi_grow(m->fresh, &m->fresh_capacity, m->freshes + 1, sizeof *m->fresh);
    memmove(m->fresh + i + 1, m->fresh + i, (m->freshes - i) * sizeof *m->fresh);
    m->fresh[i] = (rfi_fresh){from, from + size};
    m->freshes++;
}

void rf_mem_alloc(rf_mem *m, void *addr, size_t size) {
    memset(addr, RFI_FRESH, size);
    rfi_mem_fresh(m, addr, size);
}

/* Are these bytes, in memory or read from there, all as rf_mem_alloc gave them?  (Less than four
 * could have that value by chance; and a struct may be copied of which only some members were
 * written, not to speak of its padding.) */
RFI_FN bool rfi_mem_untouched(const rf_mem *m, const volatile void *addr, size_t size,
                              const void *value) {
    uintptr_t from = (uintptr_t)addr;
    uint32_t unit;
    if (size < sizeof unit) return false;
    for (size_t n = 0; n + sizeof unit <= size; n += sizeof unit) {
        memcpy(&unit, (const char *)value + n, sizeof unit);
        if (unit != RFI_FRESH * UINT32_C(0x01010101)) return false;
    }
    uint32_t i = rfi_fresh_before(m, from);
    return i < m->freshes && m->fresh[i].from <= from && m->fresh[i].to >= from + size;
}

/* A read returned what nobody has announced to have written: is it as it was given? */
RFI_FN void rfi_tell_fresh(rf_mem *m, const rf_mem_access *a, const void *value) {
    rf_mem_report *r = &m->core.report;
    uint32_t writer = m->core.read ? m->core.read->thread : r->from.thread;
    if (writer == RF_MEM_NOBODY && rfi_mem_untouched(m, a->addr, a->size, value))
        r->flags |= RF_MEM_INDETERMINATE;
}

/* ---- accesses ---- */

RFI_INLINE void rfi_report_begin(rf_mem *m) {
    rf_mem_report *r = &m->core.report;
    r->flags = r->hidden = r->visible = 0;
    r->from.thread = 0;
    m->core.read = NULL;
}

/* Calls for plain accesses to bytes that also belong to atomic locations: each of those is
 * accessed as a whole, plainly. */
RFI_FN bool rfi_mem_mixed(rf_mem *m, const rf_mem_access *a, char *out, const char *in) {
    rfi_shadow *places = &m->atomics.places;
    uintptr_t from = (uintptr_t)a->addr, to = from + a->size, g = rfi_atomics_first(from);
    bool any = false;
    if (!m->atomics.met || !a->size) return false;
    for (uintptr_t end = (to - 1) / RFI_GRANULE + 1; (g = rfi_shadow_next(places, g, end)) < end;
         g++) {
        for (rfi_location *x = rfi_shadow_get(places, g), *next; x; x = next) {
            next = x->next;
            if (!rfi_location_has(x, &m->atomics, from, to)) continue;
            rf_mem_access whole = *a;
            whole.addr = (const void *)x->addr;
            whole.size = x->size;
            uintptr_t low = x->addr > from ? x->addr : from;
            uintptr_t high = x->addr + x->size < to ? x->addr + x->size : to;
            char bytes[sizeof(rfi_word)];
            if (!any && out) memcpy(out, rfi_access_memory(a), a->size);
            any = true;
            if (in) {
                memcpy(bytes, (const void *)x->addr, x->size);
                memcpy(bytes + (low - x->addr), in + (low - from), high - low);
                rfi_atomic_write(&m->core, &m->atomics, &whole, bytes);
            } else {
                rfi_atomic_read(&m->core, &m->atomics, &whole, bytes);
                memcpy(out + (low - from), bytes + (low - x->addr), high - low);
            }
        }
    }
    return any;
}

RFI_FN void rfi_plain_access_load(rf_mem *m, const rf_mem_access *a, void *out) {
    if (rfi_mem_mixed(m, a, out, NULL)) return;
    if (rfi_plain_any(&m->plain) && rfi_plain_watched(&m->plain, (uintptr_t)a->addr, a->size))
        rfi_plain_load(&m->core, &m->plain, a, out);
    else
        memcpy(out, rfi_access_memory(a), a->size);
}

RFI_FN void rfi_plain_access_store(rf_mem *m, const rf_mem_access *a, const void *in) {
    bool mixed = rfi_mem_mixed(m, a, NULL, in);
    if (!mixed && rfi_plain_any(&m->plain) &&
        rfi_plain_watched(&m->plain, (uintptr_t)a->addr, a->size))
        rfi_plain_store(&m->core, &m->plain, a, in);
    else
        memcpy(rfi_access_memory(a), in, a->size);
}

RFI_INLINE void rfi_mem_load(rf_mem *m, const rf_mem_access *a, void *out) {
    rfi_report_begin(m);
    if (a->order == RF_MEM_PLAIN)
        rfi_plain_access_load(m, a, out);
    else
        rfi_atomic_read(&m->core, &m->atomics, a, out);
    if (RFI_UNLIKELY(m->freshes)) rfi_tell_fresh(m, a, out);
}

void rf_mem_load(rf_mem *m, const rf_mem_access *a, void *out) { rfi_mem_load(m, a, out); }

RFI_INLINE void rfi_mem_store(rf_mem *m, const rf_mem_access *a, const void *in) {
    rfi_report_begin(m);
    if (a->order == RF_MEM_PLAIN)
        rfi_plain_access_store(m, a, in);
    else
        rfi_atomic_write(&m->core, &m->atomics, a, in);
}

void rf_mem_store(rf_mem *m, const rf_mem_access *a, const void *in) { rfi_mem_store(m, a, in); }

void rf_mem_init(rf_mem *m, const rf_mem_access *a, const void *in) {
    rf_mem_access plain = *a;
    plain.order = RF_MEM_PLAIN;
    rfi_report_begin(m);
    rfi_atomic_write(&m->core, &m->atomics, &plain, in);
}

void rf_mem_rmw_begin(rf_mem *m, const rf_mem_access *a, void *old) {
    rfi_report_begin(m);
    rfi_atomic_update(&m->core, &m->atomics, a, old);
    if (RFI_UNLIKELY(m->freshes)) rfi_tell_fresh(m, a, old);
}

void rf_mem_rmw_end(rf_mem *m, const void *value) {
    rfi_atomic_updated(&m->core, &m->atomics, value);
}

bool rf_mem_compare_exchange(rf_mem *m, const rf_mem_access *a, int failure, bool weak,
                             void *expected, const void *desired) {
    rfi_report_begin(m);
    bool done = rfi_atomic_compare(&m->core, &m->atomics, a, failure, weak, expected, desired);
    if (RFI_UNLIKELY(m->freshes)) rfi_tell_fresh(m, a, expected);
    return done;
}

void rf_mem_watch(rf_mem *m, const volatile void *addr, size_t size) {
    rfi_plain_watch(&m->core, &m->plain, (uintptr_t)addr, size);
}

void rf_mem_watch_array(rf_mem *m, const volatile void *base, size_t element, size_t count) {
    rfi_plain_watch_array(&m->core, &m->plain, (uintptr_t)base, element, count);
}

uint32_t rf_mem_history(const rf_mem *m, const volatile void *addr) {
    uintptr_t at = (uintptr_t)addr, g = rfi_atomics_first(at);
    rfi_atomics *atomics = (rfi_atomics *)(uintptr_t)&m->atomics; /* remembers where it looked */
    const rfi_location *x = rfi_atomics_overlap(atomics, &g, at, at + 1);
    return x ? x->count : rfi_plain_history(&m->plain, at);
}
#endif
#endif

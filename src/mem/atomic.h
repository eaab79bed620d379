/* mem/atomic.h: atomic operations under RC11 (docs/inside/internals.md, The memory model).
 *
 * An operation comes after (in mo, or in what it reads from) the stores that its thread has seen:
 *   - what happens before it, and what was read by something that does (coherence);
 *   - what the psc axiom of RC11 adds, with the seq_cst order being the order of execution: for a
 *     seq_cst operation, the seq_cst stores so far and the stores that happen before some seq_cst
 *     fence; after a seq_cst fence, everything that happens before an earlier one (that is
 *     rfi_actor.seen) and the seq_cst stores before it (rfi_actor.fence).
 * A read may return any kept store that is before none of these, and puts them before it.  Since
 * every constraint says only that one store is before another, and an acyclic set of them has an
 * extension, nothing else needs to be checked, and nothing is lost (algorithms 7.9 gives the same
 * sets as "prior sets").
 */
#ifndef RFI_MEM_ATOMIC_H
#define RFI_MEM_ATOMIC_H
#include "mem/locations.h"

#ifdef RFI_IMPL
/* Of 65536: */
# define RFI_WEAK_FAILURES  4096u  /* weak exchanges that fail spuriously */
# define RFI_RECENT_LOADS   32768u /* loads that take the newest store by RF_PICK_RECENT */
# define RFI_RECENT_UPDATES 49152u /* compare-exchanges that do: most failures teach nothing */
# define RFI_SETTLED_STORES                                            \
  16384u /* stores whose place among unordered ones is settled at once \
          */

/* ---- what an access may read, and what it comes after ---- */

/* The stores that an access of `v` with this order comes after; others may be before them: all of
 * those are `hidden`. */
RFI_INLINE rfi_slots rfi_prior(const rfi_core *c, const rfi_atomics *m, const rfi_location *x,
                               rfi_visitor *v, int order, rfi_slots *hidden) {
    const rfi_actor *a = &c->threads.thread[v->thread];
    *hidden = rfi_before(x, v->seen);
    if (v->version != a->version) *hidden = rfi_update(x, v, a, *hidden);
    rfi_slots prior = v->seen;
    if (order != __ATOMIC_SEQ_CST) return prior;
    prior |= x->sc;
    if (m->fenced.n)
        for (rfi_slots z = x->all & ~prior; z; z &= z - 1) {
            const rfi_kept *k = &x->kept[rfi_ages_oldest(z)];
            if (rfi_clock_get(&m->fenced, k->thread) >= k->k) prior |= z & -z;
        }
    *hidden |= rfi_before(x, prior & ~(v->seen | *hidden));
    return prior;
}

RFI_INLINE rfi_slots rfi_unfollowed(const rfi_core *c, const rfi_location *x, rfi_slots set) {
    if (c->options.atomics != RF_MEM_C11) /* mo is the order of execution */
        return set & RFI_SLOT_BIT(x->by_age[x->count - 1]);
    return set & ~x->followed;
}

/* The stores of `set` whose value is `w`. */
RFI_FN rfi_slots rfi_valued(const rfi_location *x, rfi_slots set, const rfi_word *w) {
    rfi_slots same = 0;
    for (; set; set &= set - 1)
        if (rfi_word_same(&x->kept[rfi_ages_oldest(set)].value, w)) same |= set & -set;
    return same;
}

RFI_FN rfi_ages rfi_aged(const rfi_location *x, rfi_slots set) {
    rfi_ages ages = 0;
    for (uint32_t i = 0; i < x->count; i++)
        if (set & RFI_SLOT_BIT(x->by_age[i])) ages |= UINT64_C(1) << i;
    return ages;
}

/* The store of `set`, not empty, that executed last. */
RFI_INLINE uint32_t rfi_newest(const rfi_location *x, rfi_slots set) {
    uint32_t i = x->count - 1;
    while (!(set & RFI_SLOT_BIT(x->by_age[i]))) i--;
    return x->by_age[i];
}

RFI_FN uint32_t rfi_atomic_choose(rfi_core *c, const rfi_location *x, const rfi_visitor *v,
                                  rfi_slots set) {
    rfi_ages all = rfi_aged(x, set), different = all;
    if (v->returned) different &= ~rfi_aged(x, rfi_valued(x, set, &v->last));
    return x->by_age[rfi_core_pick(c, c->atomic_pick, all, different)];
}

/* One of the stores of `last`, which no store is after, is the last of all from now on. */
RFI_FN RFI_COLD uint32_t rfi_settle_last(rfi_core *c, rfi_location *x, rfi_slots last) {
    uint32_t s = rfi_ages_at(last, rfi_below(&c->chance, rfi_ages_count(last)));
    rfi_constrain(x, x->all, s);
    rfi_show_other(x);
    return s;
}

/* One of the stores of `set`, not empty, by the heuristic and in fairness.  RF_PICK_RECENT takes
 * the newest with probability `recent` / 65536; newest are those that no store is after in mo.
 *
 * Fairness: nobody ignores for ever the store that is last in mo.  As long as several could be that
 * one, every read counts as a miss, since two threads might wait on two of them: in the end one of
 * them, any, is made the last. */
RFI_FN RFI_APART uint32_t rfi_atomic_among(rfi_core *c, rfi_location *x, rfi_visitor *v,
                                           rfi_slots set, uint32_t recent) {
    if (c->options.atomics == RF_MEM_SC || x->in_place) return rfi_newest(x, set);
    if (RFI_UNLIKELY(c->options.choose != NULL)) return rfi_atomic_choose(c, x, v, set);
    rfi_slots last = set & ~x->covered;
    uint32_t s = rfi_newest(x, last ? last : set);
    if (RFI_UNLIKELY(v->misses >= c->options.fairness)) {
        c->report.flags |= RF_MEM_FORCED;
        if (last & (last - 1)) s = rfi_settle_last(c, x, last);
        last &= RFI_SLOT_BIT(s);
    } else if (c->atomic_pick == RF_PICK_NEWEST)
        s = rfi_newest(x, set);
    else if (c->atomic_pick != RF_PICK_RECENT)
        s = rfi_atomic_choose(c, x, v, set);
    else if (!rfi_chance(&c->chance, recent))
        s = rfi_ages_at(set, rfi_below(&c->chance, rfi_ages_count(set)));
    v->misses = last == RFI_SLOT_BIT(s) ? 0 : v->misses + 1;
    return s;
}

RFI_INLINE uint32_t rfi_atomic_pick(rfi_core *c, rfi_location *x, rfi_visitor *v, rfi_slots set,
                                    uint32_t recent) {
    c->visible = set;
    return set & (set - 1) ? rfi_atomic_among(c, x, v, set, recent) : rfi_ages_oldest(set);
}

/* ---- reports ---- */

RFI_FN rf_mem_origin rfi_kept_origin(const rfi_kept *k) {
    return (rf_mem_origin){k->thread, k->order, k->tag, k->value.low};
}

/* A read returned `s`: was it the newest? */
RFI_INLINE void rfi_tell_read(rfi_core *c, const rfi_location *x, uint32_t s) {
    uint32_t newest = x->by_age[x->count - 1], i = x->count;
    c->read = &x->kept[s];
    if (RFI_LIKELY(s == newest)) return;
    while (x->by_age[--i] != s) c->report.hidden++;
    c->report.from = rfi_kept_origin(c->read);
    c->report.flags |= RF_MEM_STALE;
    c->report.visible = rfi_ages_count(c->visible);
    c->report.newest = rfi_kept_origin(&x->kept[newest]);
}

/* Does an earlier access of somebody else race with this one, given what its thread knows? */
RFI_FN void rfi_find_race(rfi_core *c, const rfi_location *x, uint32_t t, bool plain, bool writes) {
    const rfi_clock *clock = &c->threads.thread[t].clock;
    if (x->plain_k && x->plain_thread != t && rfi_clock_get(clock, x->plain_thread) < x->plain_k) {
        c->report.flags |= RF_MEM_RACE;
        c->report.other =
            (rf_mem_origin){x->plain_thread, RF_MEM_PLAIN, x->plain_tag, x->memory.low};
    }
    if (!plain && !(writes && x->plain_reads)) return;
    for (uint32_t i = 0; i < x->visitors; i++) {
        const rfi_visitor *v = &x->visitor[i];
        uint32_t k = v->plain_read_k;
        if (plain && v->write_k > k) k = v->write_k;
        if (plain && writes && v->read_k > k) k = v->read_k;
        if (!writes) k = v->write_k;
        if (v->thread == t || rfi_clock_get(clock, v->thread) >= k) continue;
        c->report.flags |= RF_MEM_RACE;
        c->report.other = (rf_mem_origin){.thread = v->thread, .order = __ATOMIC_RELAXED};
    }
}

RFI_INLINE void rfi_tell_race(rfi_core *c, const rfi_location *x, uint32_t t, bool plain,
                              bool writes) {
    if (plain || x->plain_k || (writes && x->plain_reads)) rfi_find_race(c, x, t, plain, writes);
}

/* ---- the halves of an access ---- */

/* `v` reads store `s` and comes after `prior`. */
RFI_INLINE void rfi_half_read(rfi_core *c, rfi_location *x, rfi_visitor *v, int order,
                              rfi_slots prior, uint32_t s) {
    uint32_t t = v->thread;
    rfi_kept *k = &x->kept[s];
    if (prior & ~(x->before[s] | RFI_SLOT_BIT(s))) {
        rfi_constrain(x, prior, s);
        rfi_show_other(x);
    }
    v->seen = RFI_SLOT_BIT(s);
    c->read_slot = (uint8_t)s;
    v->returned = true;
    v->last = k->value;
    rfi_actor *a = &c->threads.thread[t];
    rfi_location_read(x, s, v, a->own);
    v->read_k = a->own;
    if (order != RF_MEM_PLAIN && rfi_message_any(&k->message) && !rfi_actor_has(a, t, &k->message))
        rfi_actor_get(&c->threads, t, &k->message, rfi_acquires(order));
    rfi_tell_read(c, x, s);
}

/* What comes with a store of `v` with this order: its release sequences. */
RFI_INLINE void rfi_half_message(rfi_core *c, rfi_location *x, rfi_visitor *v, int order,
                                 uint32_t source, uint32_t w) {
    rfi_message *to = &x->kept[w].message, *head = &v->head;
    rfi_arena *arena = &c->threads.arena;
    if (order == RF_MEM_PLAIN) return;
    if (source != RFI_NO_SLOT) rfi_message_copy(to, &x->kept[source].message, arena);
    const rfi_message *fence = &c->threads.thread[v->thread].released;
    if (rfi_releases(order))
        rfi_message_send(&c->threads, v->thread, head);
    else if (fence->k > head->k || c->options.cxx20)
        rfi_message_copy(head, fence, arena);
    if (!rfi_message_any(head)) return;
    if (head->k && rfi_clock_get(&to->clock, head->from) >= head->k) return; /* `to` tells it */
    if (rfi_message_any(to) && !(to->k && to->from == v->thread))
        rfi_message_join(to, head, arena);
    else
        rfi_message_copy(to, head, arena);
}

/* Nothing orders the new store `w` and those of `others`, that no store is after.  To leave that
 * open until somebody reads them in some order gives everybody the value he waits for: now and then
 * it is settled at once, as by a thread that reads `w` last or before one of the others. */
RFI_FN RFI_COLD void rfi_settle_store(rfi_core *c, rfi_location *x, uint32_t w, rfi_slots others) {
    if (c->options.atomics != RF_MEM_C11 || c->options.choose || x->in_place) return;
    if (c->atomic_pick == RF_PICK_NEWEST || !rfi_chance(&c->chance, RFI_SETTLED_STORES)) return;
    if (rfi_coin(&c->chance))
        rfi_constrain(x, others, w);
    else
        rfi_constrain(x, RFI_SLOT_BIT(w),
                      rfi_ages_at(others, rfi_below(&c->chance, rfi_ages_count(others))));
}

/* `v` stores after `prior`; as an update after `source` if that is a slot. */
RFI_INLINE void rfi_half_write(rfi_core *c, rfi_atomics *m, rfi_location *x, rfi_visitor *v,
                               const rf_mem_access *a, rfi_slots prior, uint32_t source,
                               const void *in) {
    rfi_word value = rfi_word_of(in, a->size);
    uint32_t w = rfi_location_append(x, value);
    rfi_kept *k = &x->kept[w];
    k->thread = v->thread;
    k->k = c->threads.thread[v->thread].own;
    k->time = ++m->time;
    k->order = (int8_t)a->order;
    k->tag = a->tag;
    rfi_slots after = prior | x->founder;
    if (source != RFI_NO_SLOT) {
        rfi_follow(x, source, w);
        after &= ~x->before[w]; /* of what is before it, the whole chain is */
    }
    x->before[w] |= c->options.atomics == RF_MEM_C11 ? rfi_upto(x, after) : x->all;
    x->before[w] &= ~RFI_SLOT_BIT(w);
    x->covered |= x->before[w];
    rfi_slots open = x->all & ~x->covered;
    if (RFI_UNLIKELY(open & (open - 1)) && open & RFI_SLOT_BIT(w))
        rfi_settle_store(c, x, w, open & ~RFI_SLOT_BIT(w));
    v->seen = RFI_SLOT_BIT(w);
    c->write_slot = (uint8_t)w;
    v->write_k = k->k;
    if (a->order == __ATOMIC_SEQ_CST) x->sc |= RFI_SLOT_BIT(w);
    rfi_half_message(c, x, v, a->order, source, w);
    if (RFI_UNLIKELY(x->covered & RFI_SLOT_BIT(w)) && !a->in_place) {
        rfi_show_other(x);
        return;
    }
    x->shown = (uint8_t)w;
    x->memory = value;
    rfi_word_put(rfi_access_memory(a), &value, a->size);
}

/* ---- operations ---- */

RFI_FN void rfi_atomic_read(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, void *out) {
    rfi_location *x = rfi_atomics_find(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    uint32_t s = rfi_atomic_pick(c, x, v, x->all & ~hidden, RFI_RECENT_LOADS);
    rfi_half_read(c, x, v, a->order, prior, s);
    rfi_word_put(out, &x->kept[s].value, a->size);
    bool plain = a->order == RF_MEM_PLAIN;
    rfi_tell_race(c, x, a->thread, plain, false);
    if (!plain) return;
    v->plain_read_k = v->read_k;
    x->plain_reads = true;
}

RFI_FN void rfi_atomic_write(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, const void *in) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    bool plain = a->order == RF_MEM_PLAIN;
    rfi_tell_race(c, x, a->thread, plain, true);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    rfi_half_write(c, m, x, v, a, prior, RFI_NO_SLOT, in);
    x->late = a->in_place;
    if (!plain) return;
    x->plain_thread = a->thread;
    x->plain_k = v->write_k;
    x->plain_tag = a->tag;
}

RFI_FN void rfi_atomic_update(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, void *old) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    rfi_slots open = rfi_unfollowed(c, x, x->all & ~hidden);
    uint32_t s = rfi_atomic_pick(c, x, v, open, RFI_RECENT_LOADS);
    rfi_half_read(c, x, v, a->order, prior, s);
    rfi_word_put(old, &x->kept[s].value, a->size);
    rfi_tell_race(c, x, a->thread, false, true);
    m->updated = x;
    m->update = *a;
    m->source = s;
}

RFI_FN void rfi_atomic_updated(rfi_core *c, rfi_atomics *m, const void *value) {
    rfi_location *x = m->updated;
    rfi_visitor *v = rfi_location_visit(x, m->update.thread, &m->places.arena);
    rfi_half_write(c, m, x, v, &m->update, v->seen, m->source, value);
}

/* What a compare-exchange may read: `open` if it succeeds, `bad` if it fails, each of them by its
 * value. */
typedef struct rfi_comparison {
    rfi_word wanted;
    rfi_slots open, bad;
    bool weak, fails;
} rfi_comparison;

/* Whether a compare-exchange succeeds is part of the choice: each store with the expected value
 * that an update can read is a success, each store with another value a failure; a weak one may
 * fail on any store, and does if `fails` says so already. */
RFI_FN RFI_APART uint32_t rfi_atomic_compared(rfi_core *c, rfi_location *x, rfi_visitor *v,
                                              rfi_comparison *q) {
    rfi_slots equal = rfi_valued(x, q->open | q->bad, &q->wanted), bad = q->bad;
    rfi_slots good = rfi_unfollowed(c, x, q->open & equal);
    if (!q->weak || (!c->options.choose && !q->fails)) bad &= ~equal;
    if (c->options.atomics == RF_MEM_SC) bad &= RFI_SLOT_BIT(x->by_age[x->count - 1]);
    q->fails |= !good;
    if (c->options.choose) {
        uint32_t n = rfi_ages_count(bad), i = rfi_core_choose(c, n + rfi_ages_count(good));
        q->fails = i < n;
        return q->fails ? rfi_ages_at(bad, i) : rfi_ages_at(good, i - n); /* the last is usual */
    }
    uint32_t s = rfi_atomic_pick(c, x, v, q->fails ? bad : good | bad, RFI_RECENT_UPDATES);
    q->fails |= !(good & RFI_SLOT_BIT(s));
    return s;
}

RFI_FN bool rfi_atomic_compare(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, int failure,
                               bool weak, void *expected, const void *desired) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden), prior_bad = prior;
    rfi_comparison q = {.wanted = rfi_word_of(expected, a->size), .weak = weak};
    q.open = q.bad = x->all & ~hidden;
    if (RFI_UNLIKELY((a->order == __ATOMIC_SEQ_CST) != (failure == __ATOMIC_SEQ_CST))) {
        prior_bad = rfi_prior(c, m, x, v, failure, &hidden);
        q.bad = x->all & ~hidden;
    }
    q.fails = weak && !c->options.choose && rfi_chance(&c->chance, RFI_WEAK_FAILURES);
    uint32_t s = rfi_ages_oldest(q.open);
    if (RFI_LIKELY(q.bad == q.open && !(q.open & (q.open - 1)) && !c->options.choose &&
                   !(x->followed & q.open))) { /* there is but one */
        c->visible = q.open;
        q.fails |= !rfi_word_same(&x->kept[s].value, &q.wanted);
    } else {
        s = rfi_atomic_compared(c, x, v, &q);
    }
    rfi_half_read(c, x, v, q.fails ? failure : a->order, q.fails ? prior_bad : prior, s);
    rfi_tell_race(c, x, a->thread, false, !q.fails);
    rfi_word_put(expected, &x->kept[s].value, a->size);
    if (!q.fails) rfi_half_write(c, m, x, v, a, v->seen, s, desired);
    return !q.fails;
}

/* The place of a seq_cst fence among all of them: it sees what earlier ones have seen, and later
 * ones what it has.  Nothing is synchronised. */
RFI_FN void rfi_atomic_serialise(rfi_core *c, rfi_atomics *m, uint32_t t) {
    rfi_arena *arena = &c->threads.arena;
    rfi_actor *a = rfi_actor_of(&c->threads, t);
    a->fence = ++m->time;
    rfi_clock_join(&m->fenced, &a->clock, arena);
    rfi_clock_reserve(&m->fenced, t + 1, arena);
    m->fenced.c[t] = a->own;
    if (!a->seen.n) rfi_clock_copy(&a->seen, &a->clock, arena);
    rfi_clock_join(&a->seen, &m->fenced, arena);
    a->version++;
}

/* atomic_thread_fence: acquire, seq_cst and release part, in this order. */
RFI_FN void rfi_atomic_fence(rfi_core *c, rfi_atomics *m, uint32_t t, int order) {
    rfi_actors *threads = &c->threads;
    if (rfi_acquires(order)) rfi_actor_acquire_fence(threads, t);
    rfi_actor *a = rfi_actor_of(threads, t);
    if (order == __ATOMIC_SEQ_CST) rfi_atomic_serialise(c, m, t);
    if (rfi_releases(order)) rfi_message_send(threads, t, &a->released);
}
#endif
#endif

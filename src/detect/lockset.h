/* detect/lockset.h: which locks each thread holds (docs/inside/internals.md, Two relations).
 *
 * Sets are interned: a set is a small number, equal sets have equal numbers, 0 is the empty set.
 * Taking or releasing a lock is one look-up in a table of transitions, and whether two sets protect
 * from each other is decided once for each pair of sets.  Nothing is kept from one execution to the
 * next.
 *
 * Invariant: the elements of a set ascend.  A lock held for reading twice stands in it twice, so
 * that the first of the two releases does not lose it.
 * Optimised: fully, each access runs it.
 */
#ifndef RFI_DETECT_LOCKSET_H
#define RFI_DETECT_LOCKSET_H
#include "engine/iface.h"

#ifdef RFI_IMPL
/* An element: number of the lock * 2 + (held for reading). */
typedef struct rfi_lockset {
    uint32_t *lock;
    uint32_t n;
    uint32_t next;   /* set whose contents have the same hash; 0: none */
    uint64_t filter; /* bit (number mod 64) of every lock: disjoint filters, disjoint sets */
} rfi_lockset;

typedef struct rfi_lockset_table {
    rfi_arena arena;
    rfi_lockset *set;
    uint32_t count, capacity;
    uint32_t *held; /* by thread */
    uint32_t threads, held_capacity;
    rfi_map by_content; /* hash -> set */
    rfi_map transition; /* set, lock, what is done with it -> set + 1 */
    rfi_map verdict;    /* two sets -> protected + 1 */
    rfi_map order;      /* two sets -> within + 1 */
    rfi_map common;     /* two sets, mode -> set + 1 */
} rfi_lockset_table;

RFI_VAR rfi_lockset_table rfi_locksets;

RFI_FN void rfi_locksets_begin(void) {
    rfi_lockset_table *l = &rfi_locksets;
    rfi_arena_reset(&l->arena);
    rfi_map_reset(&l->by_content);
    rfi_map_reset(&l->transition);
    rfi_map_reset(&l->verdict);
    rfi_map_reset(&l->order);
    rfi_map_reset(&l->common);
    l->set = rfi_grow(l->set, &l->capacity, 1, sizeof *l->set);
    l->set[0] = (rfi_lockset){0};
    l->count = 1;
    l->threads = 0;
}

/* The number of the set with these elements, which stand in the arena. */
RFI_FN uint32_t rfi_lockset_intern(uint32_t *lock, uint32_t n) {
    rfi_lockset_table *l = &rfi_locksets;
    if (!n) return 0;
    rfi_lockset made = {.lock = lock, .n = n};
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        hash = rfi_mix(hash + RFI_GOLDEN + lock[i]);
        made.filter |= UINT64_C(1) << (lock[i] / 2 % 64);
    }
    uint64_t *first = rfi_map_at(&l->by_content, hash);
    for (uint32_t s = (uint32_t)*first; s; s = l->set[s].next)
        if (l->set[s].n == n && !memcmp(l->set[s].lock, lock, n * sizeof *lock)) return s;
    made.next = (uint32_t)*first;
    l->set = rfi_grow(l->set, &l->capacity, l->count + 1, sizeof *l->set);
    l->set[l->count] = made;
    *first = l->count;
    return l->count++;
}

RFI_FN RFI_COLD uint32_t rfi_lockset_with(uint32_t set, uint32_t element) {
    const rfi_lockset *s = &rfi_locksets.set[set];
    uint32_t *lock = rfi_arena_take(&rfi_locksets.arena, (s->n + 1) * sizeof *lock), n = 0;
    for (; n < s->n && s->lock[n] < element; n++) lock[n] = s->lock[n];
    lock[n] = element;
    for (; n < s->n; n++) lock[n + 1] = s->lock[n];
    return rfi_lockset_intern(lock, n + 1);
}

/* Without one element of this lock, in whatever mode: a thread holds it in one mode only. */
RFI_FN RFI_COLD uint32_t rfi_lockset_without(uint32_t set, uint32_t object) {
    const rfi_lockset *s = &rfi_locksets.set[set];
    uint32_t *lock = rfi_arena_take(&rfi_locksets.arena, (s->n + 1) * sizeof *lock), n = 0;
    bool found = false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!found && s->lock[i] / 2 == object)
            found = true;
        else
            lock[n++] = s->lock[i];
    }
    return found ? rfi_lockset_intern(lock, n) : set;
}

/* What thread `t` holds now. */
RFI_INLINE uint32_t rfi_lockset_of(uint32_t t) {
    return t < rfi_locksets.threads ? rfi_locksets.held[t] : 0;
}

enum { RFI_LOCK_TAKE, RFI_LOCK_SHARE, RFI_LOCK_RELEASE };

/* The set after one of these is done with a lock. */
RFI_FN uint32_t rfi_lockset_after(uint32_t set, uint32_t object, unsigned act) {
    uint64_t key = (uint64_t)set << 34 | (uint64_t)object << 2 | act;
    uint64_t *to = rfi_map_at(&rfi_locksets.transition, key);
    if (RFI_UNLIKELY(!*to))
        *to = 1 + (act == RFI_LOCK_RELEASE ? rfi_lockset_without(set, object)
                                           : rfi_lockset_with(set, object * 2 + act));
    return (uint32_t)*to - 1;
}

/* Takes LOCK and UNLOCK; inner locks of a recursive mutex are other events. */
RFI_FN void rfi_locksets_event(const rf_event *e) {
    rfi_lockset_table *l = &rfi_locksets;
    l->held = rfi_grow(l->held, &l->held_capacity, e->thread + 1, sizeof *l->held);
    while (l->threads <= e->thread) l->held[l->threads++] = 0;
    unsigned act = e->kind == RF_EV_UNLOCK   ? RFI_LOCK_RELEASE
                   : e->flags & RF_EV_SHARED ? RFI_LOCK_SHARE
                                             : RFI_LOCK_TAKE;
    l->held[e->thread] = rfi_lockset_after(l->held[e->thread], e->object, act);
}

RFI_FN bool rfi_lockset_meet(const rfi_lockset *a, const rfi_lockset *b) {
    for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
        uint32_t x = a->lock[i], y = b->lock[k];
        if (x / 2 == y / 2 && !(x & y & 1)) return true;
        if (x < y)
            i++;
        else
            k++;
    }
    return false;
}

/* The sets have a lock in common that is not held for reading on both sides. */
RFI_FN bool rfi_lockset_protected(uint32_t a, uint32_t b) {
    rfi_lockset_table *l = &rfi_locksets;
    if (!(l->set[a].filter & l->set[b].filter)) return false;
    uint64_t *v = rfi_map_at(&l->verdict, a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
    if (!*v) *v = 1 + rfi_lockset_meet(&l->set[a], &l->set[b]);
    return *v == 2;
}

/* Does `b` have every lock of `a`, and exclusively what `a` has exclusively?  Then `b` protects
 * from whatever `a` protects from. */
RFI_FN bool rfi_lockset_covers(const rfi_lockset *a, const rfi_lockset *b) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t x = a->lock[i];
        while (k < b->n && b->lock[k] / 2 < x / 2) k++;
        if (k == b->n || b->lock[k] / 2 != x / 2 || (b->lock[k] & 1) > (x & 1)) return false;
    }
    return true;
}

RFI_FN bool rfi_lockset_within(uint32_t a, uint32_t b) {
    rfi_lockset_table *l = &rfi_locksets;
    if (a == b) return true;
    if (l->set[a].filter & ~l->set[b].filter) return false;
    uint64_t *v = rfi_map_at(&l->order, (uint64_t)a << 32 | b);
    if (!*v) *v = 1 + rfi_lockset_covers(&l->set[a], &l->set[b]);
    return *v == 2;
}

# define RFI_ALL_LOCKS UINT32_C(0x7fffffff) /* the set of all locks there could be */

RFI_FN RFI_COLD uint32_t rfi_lockset_intersect(uint32_t set, uint32_t held, bool exclusive) {
    const rfi_lockset none = {0}, *h = &rfi_locksets.set[held];
    const rfi_lockset *s = set == RFI_ALL_LOCKS ? &none : &rfi_locksets.set[set];
    uint32_t *lock = rfi_arena_take(&rfi_locksets.arena, (h->n + 1) * sizeof *lock), n = 0;
    for (uint32_t i = 0, k = 0; i < h->n; i++) {
        uint32_t x = h->lock[i] & ~UINT32_C(1);
        while (k < s->n && s->lock[k] < x) k++;
        bool there = set == RFI_ALL_LOCKS || (k < s->n && s->lock[k] == x);
        bool twice = n && lock[n - 1] == x;
        if (there && !twice && !(exclusive && h->lock[i] & 1)) lock[n++] = x;
    }
    return rfi_lockset_intern(lock, n);
}

/* The locks of `set` that are among those held; if `exclusive`, held not only for reading.  The
 * result says nothing of modes, and nor must `set`. */
RFI_FN uint32_t rfi_lockset_keep(uint32_t set, uint32_t held, bool exclusive) {
    uint64_t key = (uint64_t)set << 33 | (uint64_t)held << 1 | exclusive;
    uint64_t *to = rfi_map_at(&rfi_locksets.common, key);
    if (RFI_UNLIKELY(!*to)) *to = 1 + rfi_lockset_intersect(set, held, exclusive);
    return (uint32_t)*to - 1;
}

/* Writes the object numbers of at most `limit` locks of a set, ascending; returns how many it has.
 */
RFI_FN uint32_t rfi_lockset_list(uint32_t set, uint32_t *object, uint32_t limit) {
    const rfi_lockset *s = &rfi_locksets.set[set];
    for (uint32_t i = 0; i < s->n && i < limit; i++) object[i] = s->lock[i] / 2;
    return s->n;
}

/* Is the lock at this place of the list held only for reading? */
RFI_FN bool rfi_lockset_shared(uint32_t set, uint32_t i) {
    return rfi_locksets.set[set].lock[i] & 1;
}
#endif
#endif

/* The definitions of docs/inside/internals.md, Two relations, computed by brute force: every
 * message is an edge between two events, happens-before is their transitive closure, and a race is
 * looked for between every two accesses, byte by byte.  For traces of at most EVENTS events. */
#ifndef TESTS_DETECT_BRUTE_H
#define TESTS_DETECT_BRUTE_H
#include "detect_trace.h"

enum { EVENTS = 64 };

typedef uint64_t set; /* of events */

static bool is_access(const rf_event *e) {
    return (e->flags & (RF_EV_READS | RF_EV_WRITES)) && !(e->flags & RF_EV_RACY) && e->size;
}

static bool covers(const rf_event *e, const char *byte) {
    return e->size && byte >= (const char *)e->addr && byte < (const char *)e->addr + e->size;
}

static bool forgets(const rf_event *e) {
    return e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE;
}

static bool meet(const rf_event *a, const rf_event *b) {
    const char *p = a->addr, *q = b->addr;
    return p < q + b->size && q < p + a->size;
}

static uint64_t initial_tokens(const trace *t, uint32_t object) {
    for (uint32_t i = 0; i < t->n; i++) {
        const rf_event *e = &t->e[i];
        if (e->kind == RF_EV_SEM_POST && e->object == object) return e->value - 1;
        if (e->kind == RF_EV_SEM_WAIT && e->object == object) return e->value + 1;
    }
    return 0;
}

static uint64_t count_before(const trace *t, uint32_t i, unsigned kind) {
    uint64_t n = 0;
    for (uint32_t k = 0; k < i; k++) n += t->e[k].kind == kind && t->e[k].object == t->e[i].object;
    return n;
}

/* A semaphore made anew between the two is another one. */
static bool anew(const trace *t, uint32_t i, uint32_t j) {
    for (uint32_t k = i; k < j; k++)
        if (t->e[k].kind == RF_EV_INIT && t->e[k].object == t->e[j].object) return true;
    return false;
}

/* Rows of 1.5 but for the atomics: is there a message from event i to event j? */
static bool message(const trace *t, uint32_t i, uint32_t j, bool full) {
    const rf_event *a = &t->e[i], *b = &t->e[j];
    bool same = a->object == b->object;
    switch (a->kind) {
    case RF_EV_CREATE: return a->other == b->thread;
    case RF_EV_EXIT: return b->kind == RF_EV_JOIN && b->other == a->thread;
    case RF_EV_UNLOCK:
        return full && same && b->kind == RF_EV_LOCK && !(a->flags & b->flags & RF_EV_SHARED);
    case RF_EV_NOTIFY:
        if (full || b->kind != RF_EV_WAKE || b->thread != a->other) return false;
        for (uint32_t k = i; k < j; k++)
            if (t->e[k].kind == RF_EV_WAKE && t->e[k].thread == b->thread) return false;
        return b->value == RF_WAKE_SIGNAL;
    case RF_EV_SEM_POST:
        if (!same || b->kind != RF_EV_SEM_WAIT || anew(t, i, j)) return false;
        return full || count_before(t, j, RF_EV_SEM_WAIT) ==
                           initial_tokens(t, a->object) + count_before(t, i, RF_EV_SEM_POST);
    case RF_EV_ARRIVE: return same && b->kind == RF_EV_DEPART && a->value == b->value;
    case RF_EV_ONCE_DONE: return same && b->kind == RF_EV_ONCE_PASS;
    default: return false;
    }
}

static bool releases(const rf_event *e) {
    return e->order == __ATOMIC_RELEASE || e->order == __ATOMIC_ACQ_REL ||
           e->order == __ATOMIC_SEQ_CST;
}

static bool acquires(const rf_event *e) {
    return e->order == __ATOMIC_ACQUIRE || e->order == __ATOMIC_CONSUME ||
           e->order == __ATOMIC_ACQ_REL || e->order == __ATOMIC_SEQ_CST;
}

/* The release sequence headed by store a contains what load r reads, the newest store before it: a,
 * later stores of its thread, and updates that read one of the sequence. */
static bool reads_sequence(const trace *t, uint32_t a, uint32_t r) {
    const rf_event *head = &t->e[a];
    if (!(head->flags & RF_EV_ATOMIC) || !(head->flags & RF_EV_WRITES) ||
        head->addr != t->e[r].addr)
        return false;
    bool in = true; /* the newest store so far is in the sequence */
    for (uint32_t k = a + 1; k < r; k++) {
        const rf_event *e = &t->e[k];
        if (!((e->flags & RF_EV_WRITES) || forgets(e)) || !meet(e, head)) continue;
        if (!(e->flags & RF_EV_ATOMIC)) return false;
        in = e->thread == head->thread || (in && e->kind == RF_EV_RMW);
    }
    return in;
}

/* The events that synchronise with event j through atomics. */
static set atomic_sources(const trace *t, uint32_t j) {
    set from = 0;
    for (uint32_t r = 0; r <= j; r++) {
        const rf_event *load = &t->e[r], *end_at = &t->e[j];
        if (!(load->flags & RF_EV_ATOMIC) || !(load->flags & RF_EV_READS)) continue;
        bool direct = r == j && acquires(load);
        bool fenced =
            end_at->kind == RF_EV_FENCE && end_at->thread == load->thread && acquires(end_at);
        if (!direct && !fenced) continue;
        for (uint32_t a = 0; a < r; a++) {
            if (!reads_sequence(t, a, r)) continue;
            if (releases(&t->e[a])) from |= (set)1 << a;
            for (uint32_t f = 0; f < a; f++)
                if (t->e[f].kind == RF_EV_FENCE && t->e[f].thread == t->e[a].thread &&
                    releases(&t->e[f]))
                    from |= (set)1 << f;
        }
    }
    return from;
}

static void closure(const trace *t, bool full, set before[EVENTS]) {
    for (uint32_t j = 0; j < t->n; j++) {
        set direct = atomic_sources(t, j);
        for (uint32_t i = 0; i < j; i++)
            if (t->e[i].thread == t->e[j].thread || message(t, i, j, full)) direct |= (set)1 << i;
        before[j] = direct;
        for (uint32_t i = 0; i < j; i++)
            if (direct >> i & 1) before[j] |= before[i];
    }
}

/* How the thread of event i holds lock `object` then: count of shared holds * 2 + exclusive. */
static unsigned holds(const trace *t, uint32_t i, uint32_t object) {
    unsigned how = 0;
    for (uint32_t k = 0; k < i; k++) {
        const rf_event *e = &t->e[k];
        if (e->thread != t->e[i].thread || e->object != object) continue;
        unsigned unit = e->flags & RF_EV_SHARED ? 2 : 1;
        if (e->kind == RF_EV_LOCK) how += unit;
        if (e->kind == RF_EV_UNLOCK) how -= unit;
    }
    return how;
}

static bool locked_apart(const trace *t, uint32_t i, uint32_t j) {
    for (uint32_t o = 1; o <= 26; o++) {
        unsigned a = holds(t, i, o), b = holds(t, j, o);
        if (a && b && ((a | b) & 1)) return true;
    }
    return false;
}

/* The two conflict, and both mean the same location by this byte. */
static bool conflict_at(const trace *t, uint32_t i, uint32_t j, const char *byte) {
    const rf_event *a = &t->e[i], *b = &t->e[j];
    if (a->thread == b->thread || !is_access(a) || !is_access(b)) return false;
    if (!((a->flags | b->flags) & RF_EV_WRITES) || (a->flags & b->flags & RF_EV_ATOMIC))
        return false;
    if (!covers(a, byte) || !covers(b, byte)) return false;
    for (uint32_t k = i; k < j; k++)
        if (forgets(&t->e[k]) && covers(&t->e[k], byte)) return false;
    return true;
}

static bool conflict(const trace *t, uint32_t i, uint32_t j) {
    for (const char *byte = t->e[i].addr; covers(&t->e[i], byte); byte++)
        if (conflict_at(t, i, j, byte)) return true;
    return false;
}

static bool brute_agrees(const trace *t, const pairs *hb, const pairs *hy) {
    static set full[EVENTS], relaxed[EVENTS];
    pairs want_hb = {0}, want_hy = {0};
    closure(t, true, full);
    closure(t, false, relaxed);
    for (uint32_t j = 0; j < t->n; j++)
        for (uint32_t i = 0; i < j; i++) {
            if (!conflict(t, i, j)) continue;
            if (!(full[j] >> i & 1)) pairs_add(&want_hb, t->e[i].site, t->e[j].site, 2);
            if (!(relaxed[j] >> i & 1) && !locked_apart(t, i, j))
                pairs_add(&want_hy, t->e[i].site, t->e[j].site, 1);
        }
    return !memcmp(&want_hb, hb, sizeof *hb) && !memcmp(&want_hy, hy, sizeof *hy);
}
#endif

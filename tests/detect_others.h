/* FastTrack, Eraser and precise locksets, from their definitions: detect_brute.h goes on. */
#ifndef TESTS_DETECT_OTHERS_H
#define TESTS_DETECT_OTHERS_H
#include "detect_brute.h"

static bool pairs_has(const pairs *p, const rf_site *s, const rf_site *t) {
    unsigned a = s->line * 2 + s->kind, b = t->line * 2 + t->kind;
    return p->found[a < b ? a : b][a < b ? b : a];
}

static bool lockset_agrees(const trace *t, const pairs *got) {
    pairs want = {0};
    for (uint32_t j = 0; j < t->n; j++)
        for (uint32_t i = 0; i < j; i++)
            if (conflict(t, i, j) && !locked_apart(t, i, j))
                pairs_add(&want, t->e[i].site, t->e[j].site, 1);
    return !memcmp(&want, got, sizeof want);
}

/* Each access has a site of its own: whatever FastTrack reports is unordered, and of each byte it
 * reports the first access that races there. */
static bool fasttrack_agrees(const trace *t, const pairs *got) {
    static set full[EVENTS];
    static bool raced[sizeof memory];
    pairs races = {0};
    bool agrees = true;
    memset(raced, 0, sizeof raced);
    closure(t, true, full);
    for (uint32_t j = 0; j < t->n; j++) {
        const char *byte = t->e[j].addr;
        for (size_t k = 0; k < t->e[j].size; k++, byte++) {
            bool *known = &raced[byte - (const char *)memory], first = false, found = false;
            if (forgets(&t->e[j])) *known = false;
            for (uint32_t i = 0; i < j; i++) {
                if (full[j] >> i & 1 || !conflict_at(t, i, j, byte)) continue;
                pairs_add(&races, t->e[i].site, t->e[j].site, 2);
                first |= !*known;
                found |= pairs_has(got, t->e[i].site, t->e[j].site);
            }
            if (first) *known = true;
            agrees &= !first || found;
        }
    }
    for (unsigned i = 0; i < LINES * 2; i++)
        for (unsigned k = 0; k < LINES * 2; k++) agrees &= !got->found[i][k] || races.found[i][k];
    return agrees;
}

/* Bit set of the locks of event i's thread then; bit 0 is the one that atomic accesses have. */
static uint32_t locks_at(const trace *t, uint32_t i, bool exclusive) {
    uint32_t held = t->e[i].flags & RF_EV_ATOMIC ? 1 : 0;
    for (uint32_t o = 1; o <= 26; o++)
        if (holds(t, i, o) & (exclusive ? 1u : ~0u)) held |= 1u << o;
    return held;
}

/* The last access of this byte before event j by its thread (`own`) or by another one, if `write` a
 * write; NULL if there is none since the byte became what it is. */
static const rf_event *last_at(const trace *t, uint32_t j, const char *byte, bool own, bool write) {
    for (uint32_t i = j; i-- > 0;) {
        const rf_event *e = &t->e[i];
        if (!covers(e, byte)) continue;
        if (forgets(e)) return NULL;
        if (is_access(e) && (e->thread == t->e[j].thread) == own &&
            (!write || (e->flags & RF_EV_WRITES)))
            return e;
    }
    return NULL;
}

/* Eraser on one byte: the table of its states, step by step. */
static void eraser_byte(const trace *t, const char *byte, pairs *want) {
    enum { NEW, ONE_THREAD, READ_BY_ALL, WRITTEN, WARNED } state = NEW;
    uint32_t owner = 0, candidates = 0;
    for (uint32_t j = 0; j < t->n; j++) {
        const rf_event *e = &t->e[j];
        bool write = e->flags & RF_EV_WRITES;
        if (!e->size || !covers(e, byte)) continue;
        if (forgets(e)) state = NEW;
        if (!is_access(e) || state == WARNED) continue;
        if (state == NEW) {
            state = ONE_THREAD;
            owner = e->thread;
        }
        if (state == ONE_THREAD && owner == e->thread) continue;
        if (state == ONE_THREAD) {
            candidates = ~0u;
            state = READ_BY_ALL;
        }
        candidates &= locks_at(t, j, write);
        if (write) state = WRITTEN;
        if (state != WRITTEN || candidates) continue;
        state = WARNED;
        const rf_event *other = last_at(t, j, byte, false, !write);
        if (!other) {
            other = last_at(t, j, byte, false, false);
            e = last_at(t, j, byte, true, true);
        }
        pairs_add(want, other->site, e->site, 1);
    }
}

/* The slides' database: all locks are candidates, and every access removes those it has not. */
static void stateless_byte(const trace *t, const char *byte, pairs *want) {
    uint32_t candidates = ~0u;
    bool warned = false;
    for (uint32_t j = 0; j < t->n; j++) {
        const rf_event *e = &t->e[j], *other = last_at(t, j, byte, false, false);
        if (!e->size || !covers(e, byte)) continue;
        if (forgets(e)) candidates = ~0u, warned = false;
        if (!is_access(e) || warned) continue;
        candidates &= locks_at(t, j, e->flags & RF_EV_WRITES);
        warned = !candidates && other && !forgets(e);
        if (warned) pairs_add(want, other->site, e->site, 1);
    }
}

static bool bytes_agree(const trace *t, const pairs *got,
                        void (*of_byte)(const trace *, const char *, pairs *)) {
    pairs want = {0};
    for (unsigned v = 0; v < 26; v++) {
        bool used = false;
        for (uint32_t i = 0; i < t->n; i++)
            used |= t->e[i].addr && ((const unsigned char *)t->e[i].addr - memory[0]) / 64 == v;
        for (unsigned k = 0; used && k < 64; k++) of_byte(t, (const char *)&memory[v][k], &want);
    }
    return !memcmp(&want, got, sizeof want);
}

static bool eraser_agrees(const trace *t, const pairs *got) {
    return bytes_agree(t, got, eraser_byte);
}

static bool stateless_agrees(const trace *t, const pairs *got) {
    return bytes_agree(t, got, stateless_byte);
}
#endif

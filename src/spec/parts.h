/* spec/parts.h: histories by key.
 *
 * Where the operations on one key are an object of their own, and have nothing to do with other
 * keys (.key of RF_OPERATION), a history has an order if those of all keys have one (Herlihy and
 * Wing's locality; P-compositionality, Horn and Kroening, FORTE 2015).  Each is searched by itself,
 * once: the time adds up where it would multiply.
 */
#ifndef RFI_SPEC_PARTS_H
#define RFI_SPEC_PARTS_H
#include "engine/calls.h"

#ifdef RFI_IMPL
typedef struct rfi_parts {
    rfi_history history;         /* of one key */
    uint32_t *before[RFI_LANES]; /* how many calls of the key are among the first n of a lane */
    uint32_t capacity[RFI_LANES];
    uint32_t *rank, rank_capacity; /* 1 + the call, by when it returned */
    uint32_t call_capacity;
    rfi_map searched; /* keys */
} rfi_parts;

RFI_INLINE long long rfi_key_of(const rfi_invocation *c) {
    return c->argument[c->of->options.key - 1];
}

RFI_FN void rfi_parts_count(rfi_parts *p, const rfi_history *h, long long key) {
    for (uint32_t l = 0; l < h->lanes; l++) {
        uint32_t n = 0;
        p->before[l] =
            rfi_grow(p->before[l], &p->capacity[l], h->length[l] + 1, sizeof *p->before[l]);
        for (uint32_t i = 0; i < h->length[l]; i++) {
            p->before[l][i] = n;
            n += rfi_key_of(&h->call[h->lane[l][i]]) == key;
        }
        p->before[l][h->length[l]] = n;
    }
}

/* Calls that have returned do so in the same order, without gaps. */
RFI_FN void rfi_parts_rank(rfi_parts *p, uint32_t returned) {
    rfi_history *to = &p->history;
    p->rank = rfi_grow(p->rank, &p->rank_capacity, returned + 1, sizeof *p->rank);
    memset(p->rank, 0, (returned + 1) * sizeof *p->rank);
    for (uint32_t i = 0; i < to->calls; i++)
        if (to->call[i].returned) p->rank[to->call[i].returned] = i + 1;
    for (uint32_t r = 1; r <= returned; r++)
        if (p->rank[r]) to->call[p->rank[r] - 1].returned = ++to->returned;
}

/* The call that comes next in the order of their numbers, in which those of each lane are; NULL:
 * there is none.  `at`: how many of each lane were there. */
RFI_FN const rfi_invocation *rfi_parts_next(const rfi_history *h, uint32_t *at) {
    uint32_t first = h->lanes;
    for (uint32_t l = 0; l < h->lanes; l++) {
        if (at[l] == h->length[l]) continue;
        if (first == h->lanes || h->lane[l][at[l]] < h->lane[first][at[first]]) first = l;
    }
    return first < h->lanes ? &h->call[h->lane[first][at[first]++]] : NULL;
}

/* The calls of a key, with what must be before them: p->history. */
RFI_FN void rfi_parts_take(rfi_parts *p, const rfi_history *h, long long key) {
    rfi_history *to = &p->history;
    uint32_t n = 0, at[RFI_LANES] = {0};
    const rfi_invocation *from;
    rfi_parts_count(p, h, key);
    for (uint32_t l = 0; l < h->lanes; l++) n += p->before[l][h->length[l]];
    to->call = rfi_grow(to->call, &p->call_capacity, n + 1, sizeof *to->call);
    to->criterion = h->criterion;
    rfi_history_clear(to, h->lanes);
    while ((from = rfi_parts_next(h, at))) {
        if (rfi_key_of(from) != key) continue;
        rfi_invocation *c = &to->call[to->calls++];
        *c = *from;
        for (uint32_t u = 0; u < h->lanes; u++) c->need[u] = p->before[u][from->need[u]];
        rfi_history_add(to, c);
    }
    rfi_parts_rank(p, h->returned);
}
#endif
#endif

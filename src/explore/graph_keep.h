/* explore/graph_keep.h: how far a search is, as numbers, from which another process goes on.
 *
 * One walk through all that a search is made of writes it, or reads it.  A walk that estimates is
 * left out: it begins again.
 */
#ifndef RFI_EXPLORE_GRAPH_KEEP_H
#define RFI_EXPLORE_GRAPH_KEEP_H
#include "explore/graph_parts.h"

#ifdef RFI_IMPL
typedef struct rfi_gkeeper {
    rfi_bytes bytes;
    bool reads;
} rfi_gkeeper;

RFI_FN uint64_t rfi_gkeep_number(rfi_gkeeper *k, uint64_t n) {
    rfi_bytes *b = &k->bytes;
    if (k->reads) {
        uint32_t byte = 128, shift = 0;
        for (n = 0; byte & 128 && shift < 64; shift += 7) {
            byte = rfi_bytes_get(b);
            n |= (uint64_t)(byte & 127) << shift;
        }
        return n;
    }
    rfi_bytes_reserve(b, 2);
    uint64_t left = n;
    for (; left >= 128; left >>= 7) rfi_bytes_put(b, (uint32_t)left | 128);
    rfi_bytes_put(b, (uint32_t)left);
    return n;
}

/* A number of any type. */
# define RFI_G_KEEP(k, x) ((x) = (__typeof__(x))rfi_gkeep_number(k, (uint64_t)(x)))

/* How many elements follow: no more than there are bytes. */
RFI_FN uint32_t rfi_gkeep_count(rfi_gkeeper *k, uint32_t n) {
    n = (uint32_t)rfi_gkeep_number(k, n);
    uint32_t most = k->bytes.room - k->bytes.at;
    return k->reads && n > most ? most : n;
}

RFI_FN void rfi_gkeep_event(rfi_gkeeper *k, rfi_gkept *x) {
    rfi_gevent *e = &x->e;
    RFI_G_KEEP(k, e->kind), RFI_G_KEEP(k, e->flags), RFI_G_KEEP(k, e->sync);
    RFI_G_KEEP(k, e->pick), RFI_G_KEEP(k, e->order), RFI_G_KEEP(k, e->failure);
    RFI_G_KEEP(k, e->thread), RFI_G_KEEP(k, e->number), RFI_G_KEEP(k, e->location);
    RFI_G_KEEP(k, e->source), RFI_G_KEEP(k, e->print);
    RFI_G_KEEP(k, x->option), RFI_G_KEEP(k, x->options), RFI_G_KEEP(k, x->taken);
}

RFI_FN void rfi_gkeep_option(rfi_gkeeper *k, rfi_goption *o) {
    RFI_G_KEEP(k, o->way), RFI_G_KEEP(k, o->flags), RFI_G_KEEP(k, o->pick);
    RFI_G_KEEP(k, o->updates), RFI_G_KEEP(k, o->whole), RFI_G_KEEP(k, o->unsure);
    RFI_G_KEEP(k, o->read), RFI_G_KEEP(k, o->source), RFI_G_KEEP(k, o->from);
    RFI_G_KEEP(k, o->wakes);
}

RFI_FN void rfi_gkeep_frame(rfi_gkeeper *k, rfi_gframe *f) {
    RFI_G_KEEP(k, f->first), RFI_G_KEEP(k, f->given), RFI_G_KEEP(k, f->option);
    RFI_G_KEEP(k, f->read), RFI_G_KEEP(k, f->unsure);
}

/* Numbers in an array that has room for `most`. */
RFI_FN void rfi_gkeep_set(rfi_gkeeper *k, uint64_t *set, uint32_t *n, uint32_t most) {
    *n = rfi_gkeep_count(k, *n);
    if (*n > most) *n = most;
    for (uint32_t i = 0; i < *n; i++) RFI_G_KEEP(k, set[i]);
}

RFI_FN void rfi_gkeep_stack(rfi_gkeeper *k, rfi_gstack *s) {
    s->events = rfi_gkeep_count(k, s->events);
    s->event = rfi_grow(s->event, &s->event_capacity, s->events, sizeof *s->event);
    for (uint32_t i = 0; i < s->events; i++) rfi_gkeep_event(k, &s->event[i]);
    s->options = rfi_gkeep_count(k, s->options);
    s->option = rfi_grow(s->option, &s->option_capacity, s->options, sizeof *s->option);
    for (uint32_t i = 0; i < s->options; i++) rfi_gkeep_option(k, &s->option[i]);
    s->frames = rfi_gkeep_count(k, s->frames);
    s->frame = rfi_grow(s->frame, &s->frame_capacity, s->frames, sizeof *s->frame);
    for (uint32_t i = 0; i < s->frames; i++) rfi_gkeep_frame(k, &s->frame[i]);
    rfi_gkeep_set(k, s->key, &s->keys, RFI_GRAPH_THREADS);
    for (uint32_t i = 0; i < RFI_G_LOOPS; i++)
        rfi_gkeep_set(k, s->loop[i].key, &s->loop[i].count, RFI_G_SITES);
    RFI_G_KEEP(k, s->explored), RFI_G_KEEP(k, s->blocked), RFI_G_KEEP(k, s->before);
    RFI_G_KEEP(k, s->exhausted), RFI_G_KEEP(k, s->tired), RFI_G_KEEP(k, s->flaw);
    RFI_G_KEEP(k, s->kind), RFI_G_KEEP(k, s->unchained), RFI_G_KEEP(k, s->turned);
    RFI_G_KEEP(k, s->part), RFI_G_KEEP(k, s->depth);
    for (unsigned i = 0; i < sizeof s->cut; i++) RFI_G_KEEP(k, s->cut[i]);
    s->cut[sizeof s->cut - 1] = 0;
}

RFI_FN void rfi_gkeep_all(rfi_gkeeper *k) {
    rfi_gparts *p = &rfi_graphs_parts;
    rfi_gwalks *w = &rfi_g.walks;
    uint64_t sum;
    rfi_gkeep_stack(k, w->left ? &w->stack : &rfi_g.stack);
    memcpy(&sum, &w->sum, sizeof sum);
    RFI_G_KEEP(k, w->done), RFI_G_KEEP(k, w->next), RFI_G_KEEP(k, sum);
    memcpy(&w->sum, &sum, sizeof sum);
    RFI_G_KEEP(k, p->shards), RFI_G_KEEP(k, p->shared);
    uint32_t parts = rfi_gkeep_count(k, p->count);
    for (p->count = 0; p->count < parts; p->count++) rfi_gkeep_stack(k, rfi_gparts_room());
}

RFI_FN uint32_t rfi_graphs_kept(const uint8_t **bytes) {
    static rfi_gkeeper k;
    k.bytes.at = 0;
    rfi_gparts_gather();
    rfi_gkeep_all(&k);
    *bytes = k.bytes.byte;
    return k.bytes.at;
}

RFI_FN void rfi_graphs_go_on(const uint8_t *bytes, uint32_t n) {
    rfi_gkeeper k = {rfi_bytes_of(bytes, n), true};
    rfi_gkeep_all(&k);
}
#endif
#endif

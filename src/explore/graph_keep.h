/* explore/graph_keep.h: how far a search of graphs is, as numbers (saver.h).
 *
 * A walk that estimates is left out: it begins again.
 */
#ifndef RFI_EXPLORE_GRAPH_KEEP_H
#define RFI_EXPLORE_GRAPH_KEEP_H
#include "explore/graph_parts.h"
#include "explore/saver.h"

#ifdef RFI_IMPL
RFI_FN void rfi_gkeep_event(rfi_saver *k, rfi_gkept *x) {
    rfi_gevent *e = &x->e;
    RFI_SAVE(k, e->kind), RFI_SAVE(k, e->flags), RFI_SAVE(k, e->sync);
    RFI_SAVE(k, e->pick.first), RFI_SAVE(k, e->pick.second);
    RFI_SAVE(k, e->word), RFI_SAVE(k, e->other), RFI_SAVE(k, e->bits);
    RFI_SAVE(k, e->most), RFI_SAVE(k, e->most_other);
    RFI_SAVE(k, e->order), RFI_SAVE(k, e->failure);
    RFI_SAVE(k, e->thread), RFI_SAVE(k, e->number), RFI_SAVE(k, e->location);
    RFI_SAVE(k, e->source), RFI_SAVE(k, e->print);
    RFI_SAVE(k, x->option), RFI_SAVE(k, x->options), RFI_SAVE(k, x->taken);
}

RFI_FN void rfi_gkeep_option(rfi_saver *k, rfi_goption *o) {
    RFI_SAVE(k, o->way), RFI_SAVE(k, o->flags);
    RFI_SAVE(k, o->pick.first), RFI_SAVE(k, o->pick.second);
    RFI_SAVE(k, o->updates), RFI_SAVE(k, o->whole), RFI_SAVE(k, o->unsure);
    RFI_SAVE(k, o->read), RFI_SAVE(k, o->source), RFI_SAVE(k, o->from);
    RFI_SAVE(k, o->wakes.first), RFI_SAVE(k, o->wakes.second);
}

RFI_FN void rfi_gkeep_frame(rfi_saver *k, rfi_gframe *f) {
    RFI_SAVE(k, f->first), RFI_SAVE(k, f->given), RFI_SAVE(k, f->option);
    RFI_SAVE(k, f->read), RFI_SAVE(k, f->unsure);
}

/* Numbers in an array that has room for `most`. */
RFI_FN void rfi_gkeep_set(rfi_saver *k, uint64_t *set, uint32_t *n, uint32_t most) {
    *n = rfi_save_count(k, *n);
    if (*n > most) *n = most;
    for (uint32_t i = 0; i < *n; i++) RFI_SAVE(k, set[i]);
}

RFI_FN void rfi_gkeep_stack(rfi_saver *k, rfi_gstack *s) {
    s->events = rfi_save_count(k, s->events);
    s->event = rfi_grow(s->event, &s->event_capacity, s->events, sizeof *s->event);
    for (uint32_t i = 0; i < s->events; i++) rfi_gkeep_event(k, &s->event[i]);
    s->options = rfi_save_count(k, s->options);
    s->option = rfi_grow(s->option, &s->option_capacity, s->options, sizeof *s->option);
    for (uint32_t i = 0; i < s->options; i++) rfi_gkeep_option(k, &s->option[i]);
    s->frames = rfi_save_count(k, s->frames);
    s->frame = rfi_grow(s->frame, &s->frame_capacity, s->frames, sizeof *s->frame);
    for (uint32_t i = 0; i < s->frames; i++) rfi_gkeep_frame(k, &s->frame[i]);
    rfi_gkeep_set(k, s->key, &s->keys, RFI_GRAPH_THREADS);
    for (uint32_t i = 0; i < RFI_G_LOOPS; i++)
        rfi_gkeep_set(k, s->loop[i].key, &s->loop[i].count, RFI_G_SITES);
    RFI_SAVE(k, s->explored), RFI_SAVE(k, s->blocked), RFI_SAVE(k, s->before);
    RFI_SAVE(k, s->exhausted), RFI_SAVE(k, s->sc), RFI_SAVE(k, s->tired), RFI_SAVE(k, s->flaw);
    RFI_SAVE(k, s->unchained), RFI_SAVE(k, s->turned);
    RFI_SAVE(k, s->met);
    RFI_SAVE(k, s->part), RFI_SAVE(k, s->depth);
    for (unsigned i = 0; i < sizeof s->cut; i++) RFI_SAVE(k, s->cut[i]);
    for (unsigned i = 0; i < sizeof s->other; i++) RFI_SAVE(k, s->other[i]);
    s->cut[sizeof s->cut - 1] = s->other[sizeof s->other - 1] = 0;
}

RFI_FN void rfi_gkeep_all(rfi_saver *k) {
    rfi_gparts *p = &rfi_graphs_parts;
    rfi_gwalks *w = &rfi_g.walks;
    uint64_t sum;
    rfi_gkeep_stack(k, w->left ? &w->stack : &rfi_g.stack);
    memcpy(&sum, &w->sum, sizeof sum);
    RFI_SAVE(k, w->done), RFI_SAVE(k, w->next), RFI_SAVE(k, sum);
    memcpy(&w->sum, &sum, sizeof sum);
    RFI_SAVE(k, p->shards), RFI_SAVE(k, p->shared);
    uint32_t parts = rfi_save_count(k, p->count);
    for (p->count = 0; p->count < parts; p->count++) rfi_gkeep_stack(k, rfi_gparts_room());
}

RFI_FN uint32_t rfi_graphs_kept(const uint8_t **bytes) {
    static rfi_saver k;
    k.bytes.at = 0;
    rfi_gparts_gather();
    rfi_gkeep_all(&k);
    *bytes = k.bytes.byte;
    return k.bytes.at;
}

RFI_FN void rfi_graphs_go_on(const uint8_t *bytes, uint32_t n) {
    rfi_saver k = {rfi_bytes_of(bytes, n), true};
    rfi_gkeep_all(&k);
}
#endif
#endif

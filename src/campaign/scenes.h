/* campaign/scenes.h: which scenarios of calls (spec/scenario.h) were run, and which are proved.
 *
 * An explorer that enumerates draws the scenario before all else, and goes depth first: it is done
 * with all that it has begun but the one in which it stands, or, cut into parts, one for each part.
 * A scenario is known by a hash, with its size in the upper bits.
 */
#ifndef RFI_CAMPAIGN_SCENES_H
#define RFI_CAMPAIGN_SCENES_H
#include "campaign/tally.h"

#ifdef RFI_IMPL
typedef struct rfi_scenes {
    rfi_orders run, searched; /* searched: by an explorer that enumerates, */
    rfi_extent search;        /* which was so far then; */
    rfi_own_steps own;        /* it has seen; */
    bool waits;               /* and calls that may have waited; */
    bool over;                /* and has come to the end */
} rfi_scenes;

RFI_INLINE uint64_t rfi_scene_key(uint64_t hash, uint32_t size) {
    return (hash & ((UINT64_C(1) << 56) - 1)) | (uint64_t)size << 56;
}

RFI_FN void rfi_scenes_reset(rfi_scenes *x) {
    rfi_orders_reset(&x->run);
    rfi_orders_reset(&x->searched);
    x->search = (rfi_extent){.certain = true};
    x->own = (rfi_own_steps){0};
    x->waits = x->over = false;
}

/* A batch of the strategy has run these; how many were new to it, if it enumerates.  What it has
 * begun before it began anew counts for nothing, nor does what comes after a flaw. */
RFI_FN uint64_t rfi_scenes_ran(rfi_scenes *x, const rfi_tally *t, const rf_strategy *s) {
    (void)rfi_orders_merge(&x->run, &t->scenes);
    if (!s->rfi_reached || !x->search.certain) return 0;
    rfi_extent now = s->rfi_reached();
    bool anew = now.number != x->search.number;
    x->search.certain = now.certain;
    if (!now.certain) return 0;
    x->search = now;
    x->over = !now.open;
    x->waits |= t->waits || t->left_out.held_in;
    (void)rfi_own_steps_add(&x->own, t->own);
    if (anew) rfi_orders_reset(&x->searched);
    return t->search == now.number ? rfi_orders_merge(&x->searched, &t->scenes) : 0;
}

/* How many of a size there are in a set. */
RFI_FN uint64_t rfi_scenes_of(const rfi_orders *o, uint32_t size) {
    uint64_t n = 0;
    for (uint32_t i = 0; o->used && i <= o->mask; i++)
        n += o->slot[i] && (o->slot[i] & ~RFI_ORDER_AGAIN) >> 56 == size;
    return n;
}

/* Sizes are begun one after the other, where the search is one part. */
RFI_FN uint32_t rfi_scenes_whole(const rfi_scenes *x, const rfi_scenarios *s) {
    uint32_t whole = 0;
    while (whole < s->sizes && s->of_size[whole] == rfi_scenes_of(&x->searched, whole)) whole++;
    bool last = whole == s->sizes || !rfi_scenes_of(&x->searched, whole);
    return x->search.open > 1 ? 0 : whole - (whole && last && x->search.open);
}

/* Has a search that earlier processes have begun (`later`) come to its end, so all are proved, not
 * only those of this process. */
RFI_FN void rfi_scenes_sum(const rfi_scenes *x, const rfi_test *t, bool later, rfi_scenarios *s) {
    uint64_t searched = rfi_orders_count(&x->searched, false);
    if (!t->scenarios) return;
    t->scenarios(t, s);
    s->run = rfi_orders_count(&x->run, false);
    s->once = x->search.once;
    s->sc = x->search.sc;
    s->sampled = x->run.level != 0;
    s->proved = searched > x->search.open ? searched - x->search.open : 0;
    s->later = later;
    if (x->over && later && s->all != RFI_SCENARIOS_COUNTED) s->run = s->all;
    if (x->over) s->proved = s->run;
    s->waits = x->waits && t->options.progress;
    if (!x->waits && s->proved) s->own = x->own;
    s->whole = x->over ? s->sizes : x->searched.level ? 0 : rfi_scenes_whole(x, s);
}
#endif
#endif

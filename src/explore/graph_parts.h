/* explore/graph_parts.h: the search cut into parts, which can be run at the same time.
 *
 * What is left to do after the first executions is divided: a part takes over the options that the
 * oldest event which has some has left, with a copy of what comes before it.  Nothing that a part
 * explores depends on another one.  Parts are run in rounds, each for so many executions at most;
 * after a round those that are done go, and the others are divided again.  So what is executed does
 * not depend on how many workers there are, nor on who is faster.
 */
#ifndef RFI_EXPLORE_GRAPH_PARTS_H
#define RFI_EXPLORE_GRAPH_PARTS_H
#include "explore/graph_course.h"

#ifdef RFI_IMPL
/* So many executions come before the search is divided; a part has so many in a round; where fewer
 * are left for each, one part has them all. */
enum { RFI_G_WHOLE = 512, RFI_G_EACH = 4096, RFI_G_LEAST = 16 };

typedef struct rfi_gparts {
    rfi_gstack *stack; /* of parts, from 1 on; 0: what all have come to, and, while there are no
                          parts, the search itself */
    uint32_t count, capacity;
    uint32_t current;       /* stands in rfi_g.stack */
    uint32_t shard, shards; /* of processes that share the parts; shards 0 or 1: there is one */
    bool shared;            /* they were dealt out */
} rfi_gparts;

RFI_VAR rfi_gparts rfi_graphs_parts;

/* Room for one more. */
RFI_FN rfi_gstack *rfi_gparts_room(void) {
    rfi_gparts *p = &rfi_graphs_parts;
    uint32_t had = p->capacity;
    p->stack = rfi_grow(p->stack, &p->capacity, p->count + 2, sizeof *p->stack);
    if (p->capacity > had) memset(&p->stack[had], 0, (p->capacity - had) * sizeof *p->stack);
    return &p->stack[p->count + 1];
}

RFI_FN void rfi_graphs_part(uint32_t number) {
    rfi_gparts *p = &rfi_graphs_parts;
    if (number == p->current) return;
    p->stack[p->current] = rfi_g.stack;
    rfi_g.stack = p->stack[number];
    p->current = number;
}

/* ---- dividing ---- */

/* The oldest event that has further options; RFI_NO_EVENT: none has. */
RFI_FN uint32_t rfi_gstack_oldest(const rfi_gstack *s) {
    for (uint32_t i = 0; i < s->events; i++)
        if (s->event[i].options && s->event[i].taken + 1 < s->event[i].options) return i;
    return RFI_NO_EVENT;
}

/* `to` takes over the further options of the event. */
RFI_FN void rfi_gstack_divide(rfi_gstack *s, rfi_gstack *to, uint32_t event) {
    rfi_gkept *k = &s->event[event];
    to->events = event + 1;
    to->options = k->option + (k->e.kind == RFI_G_VALUE ? 0 : k->options);
    for (to->frames = 0; to->frames < s->frames && s->frame[to->frames].first <= event;)
        to->frames++;
    to->event = rfi_grow(to->event, &to->event_capacity, to->events, sizeof *to->event);
    to->option = rfi_grow(to->option, &to->option_capacity, to->options, sizeof *to->option);
    to->frame = rfi_grow(to->frame, &to->frame_capacity, to->frames, sizeof *to->frame);
    memcpy(to->event, s->event, to->events * sizeof *to->event);
    memcpy(to->option, s->option, to->options * sizeof *to->option);
    memcpy(to->frame, s->frame, to->frames * sizeof *to->frame);
    memcpy(to->key, s->key, sizeof to->key);
    to->keys = s->keys;
    rfi_gstack_knows(to, s);
    to->explored = to->blocked = 0;
    to->before = s->before;
    to->exhausted = to->tired = to->turned = to->again = to->walks = to->turns = false;
    to->flaw = RFI_G_SOUND;
    to->part = true;
    to->depth = ++s->depth;
    k->options = k->taken + 1;
    (void)rfi_gstack_next(to);
}

/* Divides the part that has been divided least; false: there is none that can be. */
RFI_FN bool rfi_gparts_divide(void) {
    rfi_gparts *p = &rfi_graphs_parts;
    rfi_gstack *to = rfi_gparts_room(), *best = NULL;
    for (uint32_t n = 1; n <= p->count; n++) {
        rfi_gstack *s = &p->stack[n];
        if (best && s->depth >= best->depth) continue;
        if (rfi_gstack_oldest(s) != RFI_NO_EVENT) best = s;
    }
    if (!best) return false;
    rfi_gstack_divide(best, to, rfi_gstack_oldest(best));
    p->count++;
    return true;
}

/* The search becomes the first part. */
RFI_FN void rfi_gparts_begin(void) {
    rfi_gparts *p = &rfi_graphs_parts;
    rfi_gstack *first = rfi_gparts_room(), *all = &rfi_g.stack, spare = *first;
    *first = *all;
    first->part = true;
    first->depth = 0;
    first->explored = first->blocked = 0;
    first->flaw = RFI_G_SOUND;
    first->tired = first->again = false;
    all->event = spare.event;
    all->option = spare.option;
    all->frame = spare.frame;
    all->number = spare.number;
    all->event_capacity = spare.event_capacity;
    all->option_capacity = spare.option_capacity;
    all->frame_capacity = spare.frame_capacity;
    all->number_capacity = spare.number_capacity;
    all->events = all->options = all->frames = 0;
    p->count = 1;
}

/* ---- gathering ---- */

/* Adds what a part has come to since the last time. */
RFI_FN void rfi_gparts_add(rfi_gstack *all, rfi_gstack *s) {
    all->explored += s->explored;
    all->blocked += s->blocked;
    all->tired |= s->tired;
    all->turned |= s->turned;
    all->unchained |= s->unchained;
    all->met |= s->met;
    if (s->flaw && rfi_gstack_flaw(all, s->flaw) && s->flaw == RFI_G_OTHER)
        memcpy(all->other, s->other, sizeof all->other);
    if (!*all->cut) memcpy(all->cut, s->cut, sizeof all->cut);
    for (uint32_t l = 0; l < RFI_G_LOOPS; l++)
        for (uint32_t i = 0; i < s->loop[l].count; i++)
            rfi_gstack_keep(all, (rfi_gloop)l, s->loop[l].key[i]);
    s->explored = s->blocked = 0;
    s->flaw = RFI_G_SOUND;
}

/* After a round: those that are done go.  Where one has met a loop that gives up, all begins anew.
 */
RFI_FN void rfi_gparts_gather(void) {
    rfi_gparts *p = &rfi_graphs_parts;
    if (!p->count || rfi_g.walks.left) return;
    rfi_graphs_part(0);
    rfi_gstack *all = &rfi_g.stack;
    uint32_t left = 0;
    bool again = false;
    for (uint32_t n = 1; n <= p->count; n++) {
        rfi_gstack *s = &p->stack[n];
        rfi_gparts_add(all, s);
        again |= s->again;
        if (s->exhausted) continue;
        rfi_gstack other = p->stack[++left];
        p->stack[left] = *s;
        if (left != n) *s = other;
    }
    p->count = left;
    all->exhausted = !left;
    for (uint32_t n = 1; n <= left; n++) rfi_gstack_knows(&p->stack[n], all);
    if (!again) return;
    p->count = 0;
    p->shared = false;
    p->shards = 1; /* the others do not know of it: this one makes all executions */
    rfi_gstack_begin_anew(all);
}

RFI_FN void rfi_gparts_forget(void) {
    rfi_graphs_part(0);
    rfi_graphs_parts.count = 0;
    rfi_graphs_parts.shared = false;
}

/* ---- shards ---- */

RFI_FN void rfi_graphs_shard(uint32_t shard, uint32_t shards) {
    rfi_graphs_parts.shard = shard;
    rfi_graphs_parts.shards = shards;
}

/* All processes have come to the same parts: each has every so manieth.  What comes before them is
 * the first one's. */
RFI_FN void rfi_gparts_share(void) {
    rfi_gparts *p = &rfi_graphs_parts;
    rfi_gstack *all = &rfi_g.stack;
    uint32_t left = 0;
    for (uint32_t n = p->shard + 1; n <= p->count; n += p->shards) {
        rfi_gstack other = p->stack[++left];
        p->stack[left] = p->stack[n];
        p->stack[n] = other;
    }
    p->count = left;
    p->shared = true;
    all->exhausted = !left;
    if (p->shard) all->explored = all->blocked = all->before = 0;
}

/* How many parts there are for the next executions, of which there may be so many, and how many of
 * them each has; 0: they are run one after the other, and then it is asked again. */
RFI_FN uint32_t rfi_graphs_divide(uint64_t executions, uint64_t *each) {
    rfi_gparts *p = &rfi_graphs_parts;
    const rfi_gstack *s = &rfi_g.stack;
    *each = rfi_g.walks.left ? rfi_g.walks.left : executions;
    if (rfi_g.walks.left) return 0;
    rfi_gparts_gather();
    uint64_t made = s->explored + s->blocked - s->before;
    if (s->exhausted) return 0;
    if (!p->count && made < RFI_G_WHOLE) {
        if (*each > RFI_G_WHOLE - made) *each = RFI_G_WHOLE - made;
        return 0;
    }
    if (!p->count) rfi_gparts_begin();
    while (p->count < RFI_PARTS && rfi_gparts_divide()) continue;
    if (p->shards > 1 && !p->shared) rfi_gparts_share();
    if (!p->count) return 0;
    if (executions / p->count < RFI_G_LEAST) return 1;
    *each = executions / p->count < RFI_G_EACH ? executions / p->count : RFI_G_EACH;
    return p->count;
}
#endif
#endif

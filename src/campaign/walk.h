/* campaign/walk.h: a failing schedule is left for its neighbours, towards fewer preemptions.
 *
 * Where nothing can be taken away any more, the schedule may still be far from the shortest: two
 * preemptions may have to move at once.  A neighbour differs by some turns: steps at a turn's end
 * are made later, or those of the thread's next turn at once, or two turns change places.  One that
 * fails in the same way is put into the order with the fewest preemptions (reorder.h), and is
 * where the walk goes on if that has no more of them than where it stands; at times also if it has
 * (simulated annealing: Kirkpatrick, Gelatt, Vecchi, Science 1983).  Of all that have failed, the
 * one with the fewest is kept.
 */
#ifndef RFI_CAMPAIGN_WALK_H
#define RFI_CAMPAIGN_WALK_H
#include "campaign/reorder.h"
#include "campaign/schedule.h"

#ifdef RFI_IMPL
# define RFI_WALK_LEVELS 8u   /* with so many preemptions to lose, all executions may be used */
# define RFI_WALK_TURNS  400u /* of a schedule, at most */
# define RFI_WALK_COLD   400u /* neighbours before the first time that any failing one is taken, */
# define RFI_WALK_CYCLE  500u /* and of so many */
# define RFI_WALK_HOT    150u /* that many */

typedef struct rfi_walk_way {
    rfi_turn turn[RFI_WALK_TURNS];
    uint32_t turns;
    uint64_t preemptions;
} rfi_walk_way;

/* The order of this execution's steps with the fewest preemptions; false: it is too long. */
RFI_FN bool rfi_walk_order(const rfi_record *r, rfi_walk_way *way) {
    static rfi_reordering o;
    if (r->turns > RFI_WALK_TURNS || !rfi_reorder_begin(&o, r)) return false;
    way->preemptions = r->preemptions;
    way->turns = r->turns;
    memcpy(way->turn, r->turn, r->turns * sizeof *r->turn);
    for (unsigned all = 0; all < 2; all++) {
        rfi_reorder_past(&o, all);
        uint64_t n = rfi_reorder_search(&o, way->preemptions);
        if (n == way->preemptions || rfi_reorder_length(&o) > RFI_WALK_TURNS) continue;
        way->preemptions = n;
        way->turns = rfi_reorder_turns(&o, way->turn);
    }
    return true;
}

/* ---- neighbours ---- */

/* Turns without a step go, and two of one thread in a row become one. */
RFI_FN void rfi_walk_tidy(rfi_walk_way *way) {
    uint32_t n = 0;
    rfi_turn *t = way->turn;
    for (uint32_t i = 0; i < way->turns; i++) {
        if (!t[i].steps) continue;
        if (n && t[n - 1].thread == t[i].thread)
            t[n - 1].steps += t[i].steps;
        else
            t[n++] = t[i];
    }
    way->turns = n;
}

RFI_FN void rfi_walk_move(rf_prng *p, rfi_walk_way *way) {
    rfi_turn *t = way->turn, none = {0, UINT32_MAX / 2, false};
    uint32_t n = way->turns, i = rfi_below(p, n), k = i + 1;
    while (k < n && t[k].thread != t[i].thread) k++;
    rfi_turn *next = k < n ? &t[k] : &none; /* the thread's next one */
    uint32_t steps = 1 + rfi_below(p, rfi_coin(p) ? 2 : t[i].steps);
    switch (rfi_below(p, 5)) {
    case 0: /* later */
        if (steps > t[i].steps) steps = t[i].steps;
        next->steps += steps;
        t[i].steps -= steps;
        break;
    case 1: /* at once */
        if (steps > next->steps) steps = next->steps;
        next->steps -= steps;
        t[i].steps += steps;
        break;
    case 2: /* all of them */
        if (k == n) break;
        next->steps += t[i].steps;
        t[i].steps = 0;
        break;
    case 3:
        if (k == n) break;
        t[i].steps += next->steps;
        next->steps = 0;
        break;
    default:
        if (i + 1 == n) break;
        none = t[i];
        t[i] = t[i + 1];
        t[i + 1] = none;
    }
    rfi_walk_tidy(way);
}

/* ---- the walk ---- */

RFI_FN bool rfi_walk_goes(rf_prng *p, const rfi_walk_way *from, const rfi_walk_way *to,
                          uint64_t best, uint32_t tries) {
    uint64_t worse = to->preemptions - from->preemptions;
    if (to->preemptions <= from->preemptions) return true;
    if (tries > RFI_WALK_COLD && tries % RFI_WALK_CYCLE < RFI_WALK_HOT) return true;
    return to->preemptions <= best + 2 && !rfi_below(p, worse == 1 ? 6 : 30);
}

/* Runs the order that was found, and takes it over if it has fewer preemptions. */
RFI_FN void rfi_walk_take(rfi_shrinking *s, const rfi_walk_way *way) {
    const rfi_record *r = rfi_shrink_turns(s, way->turn, way->turns);
    if (r && r->preemptions < s->preemptions) rfi_shrink_read(s, r);
}

RFI_FN void rfi_walk(rfi_shrinking *s) {
    static rfi_walk_way at, next;
    rf_prng p = rfi_prng_make(rfi_mix(s->key), 0);
    const rfi_record *r = s->preemptions ? rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0)) : NULL;
    if (!r || !rfi_walk_order(r, &at)) return;
    uint64_t lose = s->preemptions - 1;
    if (lose > RFI_WALK_LEVELS) lose = RFI_WALK_LEVELS;
    /* what is left is for taking away from it what can go */
    uint32_t most = (uint32_t)(s->left * lose / (RFI_WALK_LEVELS + 2)), until = s->left - most;
    if (at.preemptions < s->preemptions) rfi_walk_take(s, &at);
    for (uint32_t tries = 0; s->left > until && at.turns > 1; tries++) {
        next = at;
        do rfi_walk_move(&p, &next);
        while (next.turns > 1 && !rfi_below(&p, 3));
        r = rfi_shrink_turns(s, next.turn, next.turns);
        if (!r) continue;
        if (r->preemptions < s->preemptions) rfi_shrink_read(s, r);
        if (!rfi_walk_order(r, &next)) continue;
        if (!rfi_walk_goes(&p, &at, &next, s->preemptions, tries)) continue;
        at = next;
        if (at.preemptions < s->preemptions) rfi_walk_take(s, &at);
    }
}
#endif
#endif

/* explore/atomfuzzer.h: AtomFuzzer (Park and Sen, FSE 2008), directed at one prediction.
 *
 * A thread inside the block (or between two units that use one object of a set each) that is about
 * to execute the second operation stands in a *gap*: it is paused until another thread has executed
 * something that makes the second operation complete a violation.  That is the rule of the paper.
 * It misses the violation if the other thread has passed before the gap opens; so the checker also
 * pauses threads at the statements that are predicted to interfere (as CalFuzzer's combination
 * with pairs does; Joshi et al., CAV 2009) until a thread stands in a gap: then they execute.  A
 * coin decides between two threads in gaps of each other.
 *
 * What counts as a hit is the rule of blocks.h or atomicset.h and nothing else: the second
 * operation has been executed, and another thread's stood in between.
 */
#ifndef RFI_EXPLORE_ATOMFUZZER_H
#define RFI_EXPLORE_ATOMFUZZER_H
#include "detect/atomicset.h"
#include "detect/blocks.h"
#include "engine/iface.h"

#ifdef RFI_IMPL
typedef struct rfi_atomfuzzer {
    uint64_t what;                      /* key of the block or of the set */
    uint32_t second;                    /* the statement at which a gap ends */
    uint32_t others, other[RF_TARGETS]; /* those with which somebody comes in */
} rfi_atomfuzzer;

RFI_VAR rfi_atomfuzzer rfi_atomfuzzer_state;

RFI_FN bool rfi_atomfuzzer_may_come_in(const rf_event *e) {
    const rfi_atomfuzzer *d = &rfi_atomfuzzer_state;
    uint32_t n = rfi_site_number(e->site), i = 0;
    while (i < d->others && d->other[i] != n) i++;
    return i < d->others;
}

/* ---- gaps ---- */

/* What the announced operation is to its place, which is memory or a lock; 0: nothing. */
RFI_FN unsigned rfi_next_flags(const rf_event *e) {
    return e->kind == RF_EV_WAKE ? RF_EV_READS | RF_EV_WRITES : rfi_touch_flags(e);
}

/* The cells at the first place of an announced operation, with its bytes there. */
RFI_FN rfi_block_cell *rfi_next_cells(const rf_event *e, uint8_t *mask) {
    rfi_blocks *d = &rfi_blocks_state;
    uintptr_t from = (uintptr_t)e->addr, g = from / RFI_GRANULE;
    *mask = 1;
    if (e->kind == RF_EV_LOCK) return rfi_shadow_get(&d->locks, e->object);
    if (e->kind == RF_EV_WAKE) return rfi_shadow_get(&d->locks, e->other);
    *mask = rfi_shadow_mask(g, from, from + e->size);
    return rfi_shadow_get(&d->memory, g);
}

RFI_FN bool rfi_in_target(const rfi_instance *b) {
    return rf_site_key(b->site) == rfi_atomfuzzer_state.what;
}

/* The thread of `e` stands at the end of a gap of the block.  Who is unwanted in it now (the
 * answer), and has he been there already (*over)?  The second operation may be `e`, or come behind
 * a lock that `e` takes: then anybody is unwanted. */
RFI_FN unsigned rfi_block_gap(const rf_event *e, bool *over) {
    unsigned flags = rfi_next_flags(e), unwanted = 0, broken = 0;
    uint8_t mask;
    rfi_violation v;
    *over = false;
    for (const rfi_block_cell *c = flags ? rfi_next_cells(e, &mask) : NULL; c; c = c->next) {
        if (c->block->thread != e->thread || !(c->mask & mask) || !rfi_in_target(c->block))
            continue;
        unwanted |= rfi_cell_unwanted(c, flags);
        *over |= rfi_cell_violated(c, flags, &v);
    }
    if (unwanted) return unwanted;
    for (const rfi_instance *b = rfi_block_of(e->thread); b; b = b->outer)
        for (const rfi_block_cell *c = b->cells; c && rfi_in_target(b); c = c->sibling) {
            unwanted = RF_EV_READS | RF_EV_WRITES;
            broken |= c->theirs.site || c->saw.site;
        }
    *over = broken;
    return unwanted;
}

/* The same for a set: the thread's last unit has used one object only, and it is in none. */
RFI_FN bool rfi_set_gap(const rf_event *e, bool *over) {
    const rfi_sets *d = &rfi_sets_state;
    *over = false;
    if (!d->on || e->thread >= d->threads || d->thread[e->thread].depth) return false;
    for (const rfi_pair_of_thread *w = d->thread[e->thread].pairs; w; w = w->next) {
        if (rf_site_key(w->pair->site) != rfi_atomfuzzer_state.what) continue;
        bool a = w->now.use[0].site, b = w->now.use[1].site;
        if (a == b) continue;
        for (const rfi_set_view *o = w->pair->views; o; o = o->next)
            *over |= !o->before.unit && o->thread != e->thread && o->unit.from > w->now.to;
        return true;
    }
    return false;
}

RFI_FN bool rfi_in_gap(const rf_event *e) {
    bool over;
    if (rfi_site_number(e->site) != rfi_atomfuzzer_state.second) return false;
    return (rfi_set_gap(e, &over) || rfi_block_gap(e, &over)) && !over;
}

/* Would `e` begin or do what is unwanted in the gap of the thread that stands at `gap`? */
RFI_FN bool rfi_fits_gap(const rf_event *e, const rf_event *gap) {
    bool over;
    uint8_t mask, other;
    if (rfi_atomfuzzer_may_come_in(e)) return true;
    if (!(rfi_next_flags(e) & rfi_block_gap(gap, &over)) || !rfi_next_flags(gap)) return false;
    const rfi_block_cell *place = rfi_next_cells(gap, &other);
    return place && rfi_next_cells(e, &mask) == place && mask & other;
}

/* ---- the checker ---- */

typedef struct rfi_block_meeting {
    const rf_event *next; /* of the thread under check */
    uint32_t comers;      /* paused ones that fit into its gap */
    uint32_t gaps;        /* paused ones in whose gap it fits */
} rfi_block_meeting;

RFI_FN void rfi_meeting_find(uint32_t u, void *arg) {
    rfi_block_meeting *m = arg;
    const rf_event *e = rf_next_event(u);
    m->comers += rfi_in_gap(m->next) && rfi_fits_gap(e, m->next);
    m->gaps += rfi_in_gap(e) && rfi_fits_gap(m->next, e);
}

RFI_FN void rfi_meeting_run(uint32_t u, void *arg) {
    const rfi_block_meeting *m = arg;
    if (rfi_fits_gap(rf_next_event(u), m->next)) rf_check_run(u);
}

RFI_FN bool rfi_atomfuzzer_at(const rf_event *e) {
    return rfi_in_gap(e) || rfi_atomfuzzer_may_come_in(e);
}

RFI_FN void rfi_atomfuzzer_check(const rf_event *next) {
    rfi_block_meeting m = {next, 0, 0};
    rf_check_each_paused(rfi_meeting_find, &m);
    if (m.gaps && (!m.comers || rfi_coin(rf_check_random()))) return; /* it comes in */
    rf_check_pause();
    if (m.comers) rf_check_each_paused(rfi_meeting_run, &m);
}

/* Somebody has come in: the second operation may follow. */
RFI_FN void rfi_atomfuzzer_go_on(uint32_t u, void *unused) {
    const rf_event *e = rf_next_event(u);
    bool over;
    (void)unused;
    if (rfi_site_number(e->site) != rfi_atomfuzzer_state.second) return;
    if ((rfi_set_gap(e, &over) || rfi_block_gap(e, &over)) && over) rf_check_release(u);
}

RFI_FN void rfi_atomfuzzer_hit(const rfi_doing *second, const rfi_doing *other) {
    rf_event a = {.kind = second->kind, .site = second->site, .thread = second->thread};
    rf_event b = {.kind = other->kind, .site = other->site, .thread = other->thread};
    rf_check_hit(&a, &b);
}

RFI_FN void rfi_atomfuzzer_violated(const rfi_violation *v) {
    rfi_violation_warn("atomfuzzer", v);
    if (rfi_in_target(v->block) && rfi_site_number(v->end) == rfi_atomfuzzer_state.second)
        rfi_atomfuzzer_hit(&v->second, &v->other);
}

RFI_FN void rfi_atomfuzzer_torn(const rfi_atomic_pair *p, const rfi_set_view *gap,
                                const rfi_set_view *unit, bool real) {
    if (!real) return;
    rfi_sets_warn("atomfuzzer", p, gap, unit, real);
    unsigned b = gap->unit.use[1].site != NULL;
    if (rf_site_key(p->site) == rfi_atomfuzzer_state.what &&
        rfi_site_number(gap->unit.start) == rfi_atomfuzzer_state.second)
        rfi_atomfuzzer_hit(&gap->unit.use[b], &unit->unit.use[b]);
}

RFI_FN void rfi_atomfuzzer_begin(uint64_t seed) {
    rfi_atomfuzzer *d = &rfi_atomfuzzer_state;
    uint32_t n;
    const uint64_t *target = rf_check_targets(&n);
    (void)seed;
    *d = (rfi_atomfuzzer){.what = target[0], .second = rfi_site_number_of_key(target[1])};
    for (uint32_t i = 2; i < n; i++) d->other[d->others++] = rfi_site_number_of_key(target[i]);
    rfi_blocks_begin(d);
    rfi_blocks_state.violated = rfi_atomfuzzer_violated;
    rfi_sets_begin(d);
    rfi_sets_state.torn = rfi_atomfuzzer_torn;
}

RFI_FN void rfi_atomfuzzer_event(const rf_event *e) {
    rfi_blocks_event(&rfi_atomfuzzer_state, e);
    rfi_sets_event(&rfi_atomfuzzer_state, e);
    rf_check_each_paused(rfi_atomfuzzer_go_on, NULL);
}

RFI_FN void rfi_atomfuzzer_end(void) {
    rfi_blocks_end(&rfi_atomfuzzer_state);
    rfi_sets_end(&rfi_atomfuzzer_state);
}

RFI_VAR rf_checker rfi_atomfuzzer_checker = {
    .name = "atomfuzzer",
    .help = "lets another thread run between two operations of an atomic block",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_ATOMICITY) | RF_FAMILY_BIT(RF_FAMILY_ATOMIC_SET),
    .at_sites = true,
    .events = RFI_SETS_EVENTS,
    .begin = rfi_atomfuzzer_begin,
    .is_breakpoint = rfi_atomfuzzer_at,
    .check = rfi_atomfuzzer_check,
    .event = rfi_atomfuzzer_event,
    .end = rfi_atomfuzzer_end};
#endif
#endif

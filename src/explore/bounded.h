/* explore/bounded.h: all schedules with few preemptions, or with few delays.
 *
 * `bounded` is iterative context bounding (Musuvathi, Qadeer, PLDI 2007; CHESS, OSDI 2008): all
 * schedules without a preemption, then those with one, and so on up to the bound.  A switch is a
 * preemption if the thread that is left could go on, and has not just yielded or slept (spinning
 * threads are held back anyway): switches where it must or wants to stop are free.  For n threads
 * of at most k steps, b of them blocking, at most C(nk, c) (nb + c)! schedules have c preemptions.
 *
 * `delay-bounded` (Emmi, Qadeer, Rakamaric, POPL 2011) bounds how far a schedule is from that of a
 * deterministic scheduler, which runs a thread until it blocks and then the next one in a circle:
 * passing over r candidates is r delays.  At most (steps)^d schedules have d delays, however many
 * threads there are.
 *
 * Where c11 memory is asked for by name, an atomic that does not read the newest store that it may
 * read, or what fails or wakes up for no reason, costs like a preemption (a delay for each store
 * that is passed over).
 *
 * Guarantee: when level c is done, every schedule with at most c preemptions (delays) has been run
 * exactly once, under the conditions of dfs.h.
 */
#ifndef RFI_EXPLORE_BOUNDED_H
#define RFI_EXPLORE_BOUNDED_H
#include "explore/tree.h"

#ifdef RFI_IMPL
RFI_VAR rfi_tree rfi_bounded_tree;
RFI_VAR rfi_tree rfi_delays_tree = {.by_rank = true};
RFI_VAR uint32_t rfi_bounded_most = 3, rfi_delays_most = 3;
RFI_VAR bool rfi_bounded_yielded; /* the last step was a yield or a sleep */

/* "all 42 schedules with at most 2 preemptions explored under ..., and 100 with 3" */
RFI_FN const char *rfi_bounded_text(const rfi_tree *t, const char *what, char *text, size_t n) {
    const char *under = t->c11 ? RFI_UNDER_C11 : RFI_UNDER_SC;
    if (t->flaw || rfi_tree_complete(t) || !rfi_tree_claim(t, 0))
        return rfi_progress_text(text, n, t->executions, "schedule", rfi_tree_complete(t), t->flaw,
                                 under);
    uint32_t done = t->exhausted ? t->level : t->level - 1;
    uint64_t more = t->exhausted ? 0 : t->at_level[t->level];
    bool one = done < 2;
    const char *older = !t->c11 ? "" : one ? " or older value" : " or older values";
    char *at = text + rfi_all_text(text, n, t->executions - more, "schedule"), *end = text + n;
    if (done)
        at += snprintf(at, (size_t)(end - at), " with at most %u %s%s%s", done, what,
                       one ? "" : "s", older);
    else
        at += snprintf(at, (size_t)(end - at), " without a %s%s", what, older);
    at += snprintf(at, (size_t)(end - at), " explored %s", under);
    if (more)
        snprintf(at, (size_t)(end - at), ", and %llu with %u", (unsigned long long)more, t->level);
    return text;
}

/* ---- preemptions ---- */

RFI_FN void rfi_bounded_begin(uint64_t seed) {
    rfi_bounded_yielded = false;
    rfi_tree_begin(&rfi_bounded_tree, seed, rfi_bounded_most);
}

RFI_FN uint32_t rfi_bounded_pick(const rf_choice *c) {
    bool free = rfi_bounded_yielded || !rf_choice_has(c, c->last);
    rfi_bounded_yielded = false;
    return rfi_tree_pick(&rfi_bounded_tree, c, !free);
}

RFI_FN void rfi_bounded_event(const rf_event *e) {
    (void)e;
    rfi_bounded_yielded = true;
}

RFI_FN uint32_t rfi_bounded_fewer(void) {
    const rfi_tree *t = &rfi_bounded_tree;
    if (rfi_tree_complete(t)) return UINT32_MAX;
    return t->flaw || t->c11 ? 0 : t->level + t->exhausted;
}

RFI_TREE_STRATEGY(rfi_bounded, &rfi_bounded_tree,
                  rfi_bounded_text(&rfi_bounded_tree, "preemption", text, sizeof text))

RFI_VAR rf_strategy rfi_bounded = {
    .name = "bounded",
    .help = "all schedules without preemptions, with one, and so on, " RFI_UNDER_SC,
    .lone = true,
    .events = RF_EV_BIT(RF_EV_YIELD) | RF_EV_BIT(RF_EV_SLEEP),
    .event = rfi_bounded_event,
    .parameter = &rfi_bounded_most,
    .most = RFI_LEVELS - 1,
    .of_parameter = "preemptions",
    .rfi_fewer = rfi_bounded_fewer,
    .rfi_c11 = true,
    RFI_TREE_FIELDS(rfi_bounded)};

/* ---- delays ---- */

RFI_FN void rfi_delays_begin(uint64_t seed) {
    rfi_tree_begin(&rfi_delays_tree, seed, rfi_delays_most);
}

RFI_FN uint32_t rfi_delays_pick(const rf_choice *c) {
    return rfi_tree_pick(&rfi_delays_tree, c, true);
}

RFI_TREE_STRATEGY(rfi_delays, &rfi_delays_tree,
                  rfi_bounded_text(&rfi_delays_tree, "delay", text, sizeof text))

RFI_VAR rf_strategy rfi_delay_bounded = {
    .name = "delay-bounded",
    .help = "all schedules without delays, with one, and so on, " RFI_UNDER_SC,
    .parameter = &rfi_delays_most,
    .most = RFI_LEVELS - 1,
    .of_parameter = "delays",
    .rfi_c11 = true,
    RFI_TREE_FIELDS(rfi_delays)};
#endif
#endif

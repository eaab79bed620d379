/* explore/racefuzzer.h: RaceFuzzer (Sen, PLDI 2008, Algorithms 1 and 2; docs/inside/internals.md).
 *
 * A thread about to execute a statement of the race set is postponed until another one is about to
 * execute a conflicting access: then the race is real, and a coin decides who goes first.  Heads:
 * the arriving thread; the others stay postponed.  Tails: it is postponed, and all it races with
 * execute.  When all threads are postponed the frame releases one, which executes without another
 * check (the loop printed in the paper would not end); the frame's monitor releases threads that
 * wait for too long.  Invariant: no two postponed threads race with each other.
 *
 * Half of the executions, drawn by their seed, are patient, which is not in the paper: threads at
 * one statement of a pair of two wait side by side, and only the two statements of the pair resolve
 * their race.  Where n threads write at one statement and one reads at the other, two writers that
 * meet end the wait as published, so that the read comes before all writes in 1 / (n + 1) of the
 * executions; in patient ones in 1/2 (docs/inside/internals.md has figures).  The invariant is
 * then: no two postponed threads at different statements race.
 */
#ifndef RFI_EXPLORE_RACEFUZZER_H
#define RFI_EXPLORE_RACEFUZZER_H
#include "engine/iface.h"

#ifdef RFI_IMPL
/* The race set, as keys of statements; both may be equal. */
RFI_VAR uint64_t rfi_race_set[2];
RFI_VAR bool rfi_race_patient;

RFI_FN bool rfi_racefuzzer_at(const rf_event *e) {
    if (!(e->flags & (RF_EV_READS | RF_EV_WRITES)) && !rfi_event_on_object(e)) return false;
    uint64_t n = rf_site_key(e->site);
    return n == rfi_race_set[0] || n == rfi_race_set[1];
}

/* Racing(s, t, postponed) of Algorithm 2. */
typedef struct rfi_racing {
    const rf_event *next; /* of t */
    uint32_t count;
} rfi_racing;

/* Are these the two statements of the pair?  Else two threads are in one: a race of another pair.
 */
RFI_FN bool rfi_racing_pair(const rf_event *a, const rf_event *b) {
    uint64_t n = rf_site_key(a->site), m = rf_site_key(b->site);
    return (n == rfi_race_set[0] && m == rfi_race_set[1]) ||
           (m == rfi_race_set[0] && n == rfi_race_set[1]);
}

RFI_FN bool rfi_racing_with(const rf_event *a, const rf_event *b) {
    return rf_events_conflict(a, b) && (!rfi_race_patient || rfi_racing_pair(a, b));
}

RFI_FN void rfi_racing_find(uint32_t u, void *arg) {
    rfi_racing *racing = arg;
    const rf_event *e = rf_next_event(u);
    if (!rfi_racing_with(racing->next, e)) return;
    racing->count++;
    if (rfi_racing_pair(racing->next, e)) rf_check_hit(racing->next, e);
}

RFI_FN void rfi_racing_run(uint32_t u, void *arg) {
    const rfi_racing *racing = arg;
    if (rfi_racing_with(racing->next, rf_next_event(u))) rf_check_run(u);
}

RFI_FN void rfi_racefuzzer_check(const rf_event *next) {
    rfi_racing racing = {next, 0};
    rf_check_each_paused(rfi_racing_find, &racing);
    if (racing.count && rf_random_coin(rf_check_random())) return; /* heads: t executes, R stays */
    rf_check_pause();
    if (racing.count) rf_check_each_paused(rfi_racing_run, &racing);
}

RFI_FN void rfi_racefuzzer_begin(uint64_t seed) {
    uint32_t n;
    const uint64_t *target = rf_check_targets(&n);
    rf_prng chance = {seed};
    rfi_race_patient = rf_random_coin(&chance);
    for (unsigned i = 0; i < 2; i++) rfi_race_set[i] = target[i];
}

RFI_VAR rf_checker rfi_racefuzzer = {.name = "racefuzzer",
                                     .help = "brings the two accesses of a race together",
                                     .confirms = RF_FAMILY_BIT(RF_FAMILY_RACE),
                                     .at_sites = true,
                                     .begin = rfi_racefuzzer_begin,
                                     .is_breakpoint = rfi_racefuzzer_at,
                                     .check = rfi_racefuzzer_check};
#endif
#endif

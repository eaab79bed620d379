/* campaign/adversary.h: phase 3: which races do harm because memory returns older values.
 *
 * As in Flanagan and Freund, PLDI 2010, section 5: one race at a time, under one heuristic after
 * the other, so that a failure can be put down to this race; and once everything at once.  Only a
 * failure that never occurs with the newest values makes a race destructive: the schedules that
 * showed it are run again without the adversary, and failures that recur do not count.  Where
 * there is no race, atomics are read in the same biased way, and so are intended races.
 */
#ifndef RFI_CAMPAIGN_ADVERSARY_H
#define RFI_CAMPAIGN_ADVERSARY_H
#include "campaign/study.h"

#ifdef RFI_IMPL
# define RFI_TRIAL_LEAST 20u /* executions of one heuristic */

/* How the budget is cut, and where the phase stands. */
typedef struct rfi_trials {
    uint32_t slots, done;
    uint64_t share, extra; /* executions in each; the first `extra` have one more */
} rfi_trials;

/* ---- what counts ---- */

/* Has this failure been seen in executions in which no plain read returned an older value? */
RFI_FN bool rfi_cause_ordinary(const rfi_cause *c) {
    return c->job.phase != RFI_ADVERSARY || c->kind.count > c->kind.blamed;
}

RFI_FN bool rfi_warning_real(const rfi_warning *p) { return p->hits || p->seen; }

RFI_FN bool rfi_real_race(const rfi_warning *p) {
    return p->family == RF_FAMILY_RACE && rfi_warning_real(p);
}

RFI_FN bool rfi_study_raced(const rfi_study *s) {
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        if (rfi_real_race(&s->predicted->warning[i])) return true;
    return false;
}

/* A failure that was seen when all races returned older values at once, and with none alone. */
RFI_FN bool rfi_cause_together(const rfi_study *s, const rfi_cause *c) {
    return c->job.phase == RFI_ADVERSARY && c->job.all && !rfi_cause_ordinary(c) &&
           rfi_study_raced(s);
}

RFI_FN bool rfi_study_destructive(rfi_study *s, uint32_t pair) {
    const rfi_case *c = &s->cases[pair];
    const rfi_cause *cause = c->destructive ? rfi_study_known(s, c->ruin.key) : NULL;
    return c->destructive && !(cause && rfi_cause_ordinary(cause));
}

/* ---- one trial ---- */

/* Runs executions from .. from + n - 1 of a job; what they did is in s->batch. */
RFI_FN void rfi_trial_run(rfi_study *s, const rfi_job *j, uint64_t from, uint64_t n) {
    rfi_span range = {from, from + n};
    rfi_study_run_job(s, j, &range);
}

/* What a trial says about a pair.  True: it has the best example. */
RFI_FN bool rfi_trial_judge(rfi_study *s, rfi_case *c, rfi_trial *trial, const rfi_job *j) {
    const rfi_tally *t = s->batch;
    bool best = false;
    trial->executions += t->executions;
    trial->exposed += t->exposed;
    for (uint32_t k = 0; k < t->failures; k++) {
        const rfi_failure_kind *f = &t->failure[k];
        const rfi_cause *known = rfi_study_known(s, f->key);
        if (f->count > f->blamed || (known && rfi_cause_ordinary(known))) {
            trial->unclear += f->count;
            continue;
        }
        trial->failed += f->blamed;
        if (c->destructive && !rfi_simpler(f, &c->ruin)) continue;
        c->destructive = best = true;
        c->ruin = *f;
        c->ruin_job = *j;
    }
    if (best)
        rfi_folder_shown(RFI_ENTRY_destructive, s->predicted->warning[c - s->cases].key, j,
                         c->ruin.index);
    rfi_study_causes(s, t, j);
    return best;
}

/* The number of executions of the next trial, and the time by which it must end. */
RFI_FN uint64_t rfi_trials_next(rfi_study *s, rfi_trials *t) {
    double before = rfi_study_until(s, RFI_CONFIRM);
    uint32_t number = t->done++;
    double until = before + (1 - before) * t->done / t->slots;
    rfi_study_deadline(s, until);
    return t->share + (number < t->extra);
}

/* The same schedules with the newest values. */
RFI_FN void rfi_trial_again(rfi_study *s, const rfi_job *with, uint64_t from, uint64_t n,
                            rfi_trial *trial) {
    rfi_job j = *with;
    j.pick = RF_PICK_NEWEST;
    s->result.planned[RFI_ADVERSARY - 1] += n;
    rfi_trial_run(s, &j, from, n);
    rfi_study_causes(s, s->batch, &j);
    trial->executions += s->batch->executions;
    for (uint32_t k = 0; k < s->batch->failures; k++) trial->failed += s->batch->failure[k].count;
}

/* ---- the phase ---- */

/* Does phase 3 run executions of this granularity?  Of both: coarse ones get further, but switch
 * only at the statements of this race, and the way to it may lead through another one. */
RFI_FN bool rfi_study_takes(const rfi_study *s, bool fine) {
    return rfi_study_grain(s, fine ? RF_GRAIN_FINE : RF_GRAIN_COARSE) ==
           (fine ? RF_GRAIN_FINE : RF_GRAIN_COARSE);
}

/* Every heuristic has schedules of its own: from index `from` on, as far as what is returned. */
RFI_FN uint64_t rfi_study_judge_pick(rfi_study *s, rfi_trials *t, uint32_t pair, rf_heuristic pick,
                                     uint64_t from) {
    rfi_case *c = &s->cases[pair];
    rfi_job j = c->job;
    j.phase = RFI_ADVERSARY;
    j.pick = pick;
    uint64_t n = rfi_trials_next(s, t), half = rfi_study_takes(s, !c->job.fine) ? n / 2 : n;
    for (unsigned k = 0; k < 2; k++, half = n - half) {
        j.fine = c->job.fine ^ (k == 1);
        if (!half) continue;
        rfi_trial_run(s, &j, from, half);
        if (rfi_trial_judge(s, c, &s->predicted->warning[pair].trial[pick], &j))
            c->ruin_from = from, c->ruin_executions = half;
        from += half;
    }
    return from;
}

RFI_FN void rfi_study_judge_pair(rfi_study *s, rfi_trials *t, uint32_t pair) {
    rfi_case *c = &s->cases[pair];
    uint64_t from = rfi_study_base(s);
    for (unsigned pick = 0; pick < RFI_PICKS; pick++)
        if (s->memory->race_picks & RFI_PICK_BIT(pick))
            from = rfi_study_judge_pick(s, t, pair, (rf_heuristic)pick, from);
    if (c->destructive)
        rfi_trial_again(s, &c->ruin_job, c->ruin_from, c->ruin_executions,
                        &s->predicted->warning[pair].trial[RF_PICK_NEWEST]);
}

/* All plain data that races; all atomics too. */
RFI_FN void rfi_study_judge_all(rfi_study *s, rfi_trials *t) {
    rfi_trial control = {0};
    rfi_job j = s->job;
    j.phase = RFI_ADVERSARY;
    j.all = true;
    j.pick = s->memory->all_pick;
    uint64_t n = rfi_trials_next(s, t), from = rfi_study_base(s);
    rfi_trial_run(s, &j, from, n);
    bool fresh = false;
    for (uint32_t k = 0; k < s->batch->failures; k++)
        fresh |= !rfi_study_known(s, s->batch->failure[k].key);
    rfi_study_causes(s, s->batch, &j);
    if (fresh) rfi_trial_again(s, &j, from, n, &control);
}

/* Without a race: atomics, and intended races. */
RFI_FN void rfi_study_judge_atomics(rfi_study *s, rfi_trials *t) {
    rfi_job j = s->job;
    j.phase = RFI_ADVERSARY;
    j.all = s->predicted->racy && s->memory->race_picks;
    j.fine = rfi_study_grain(s, RF_GRAIN_COARSE) == RF_GRAIN_FINE;
    uint64_t from = rfi_study_base(s);
    for (unsigned pick = 0; pick < RFI_PICKS; pick++) {
        if (!(s->memory->atomic_picks & RFI_PICK_BIT(pick))) continue;
        j.pick = (rf_heuristic)pick;
        uint64_t n = rfi_trials_next(s, t);
        rfi_trial_run(s, &j, from, n);
        rfi_study_causes(s, s->batch, &j);
        from += n;
    }
}

/* Ranges are only announced: their bytes do not come from the model, but for those that it finds in
 * memory. */
RFI_FN bool rfi_study_tried(const rfi_study *s, uint32_t pair) {
    const rfi_warning *p = &s->predicted->warning[pair];
    const unsigned range = RF_EV_RANGE | RF_EV_IN_PLACE;
    return rfi_real_race(p) && !s->cases[pair].harmful &&
           (p->side[0].flags & range) != RF_EV_RANGE && (p->side[1].flags & range) != RF_EV_RANGE;
}

RFI_FN void rfi_study_adversary(rfi_study *s) {
    rfi_trials t = {.slots = 0};
    const rfi_tally *first = s->predicted;
    uint32_t races = 0, tried = 0;
    for (uint32_t i = 0; i < first->warnings; i++) {
        races += rfi_real_race(&first->warning[i]);
        tried += rfi_study_tried(s, i);
    }
    bool picks = s->memory->race_picks, all = picks && tried && (races > 1 || first->atomic);
    bool atomics = (!races || !picks) && (first->atomic || (picks && first->racy));
    t.slots = picks ? tried * rfi_bits(s->memory->race_picks) + all : 0;
    if (atomics) t.slots += rfi_bits(s->memory->atomic_picks);
    if (!t.slots) return;
    uint64_t least = s->executions < RFI_TRIAL_LEAST ? s->executions : RFI_TRIAL_LEAST;
    t.share = s->executions / t.slots;
    t.extra = s->executions % t.slots;
    if (t.share < least) t.share = least, t.extra = 0;
    s->result.planned[RFI_ADVERSARY - 1] = (uint64_t)t.share * t.slots + t.extra;
    rfi_study_phase = RFI_ADVERSARY;
    for (uint32_t i = 0; picks && i < first->warnings; i++)
        if (rfi_study_tried(s, i)) rfi_study_judge_pair(s, &t, i);
    if (all) rfi_study_judge_all(s, &t);
    if (atomics) rfi_study_judge_atomics(s, &t);
}
#endif
#endif

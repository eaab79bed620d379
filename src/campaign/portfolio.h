/* campaign/portfolio.h: the explorers of phase 1, and how they share its budget.
 *
 * Each explorer runs its own sequence of executions, in batches.  When several are named, or none,
 * every second batch goes to the one that is furthest behind its share, and the others go to the
 * one whose last batches showed most new behaviour.  The one that finds most bugs early begins;
 * the rest joins it when that has not been enough.  In long campaigns steps count, not executions:
 * what is cheap is tried more often.
 */
#ifndef RFI_CAMPAIGN_PORTFOLIO_H
#define RFI_CAMPAIGN_PORTFOLIO_H
#include "campaign/team.h"

#ifdef RFI_IMPL
# define RFI_ARMS  48u
# define RFI_LATER 60u   /* executions that are the first one's alone */
# define RFI_MANY  8192u /* executions, from which on their steps count, */
# define RFI_ALIKE 128u  /* and gains that differ by less are alike */
# define RFI_TRIAL 100u  /* a search is weighed after this part of the budget, and as much again */
# define RFI_PROOF 10u   /* a proof is looked for when others have had this part of it, */
# define RFI_PROOF_STEPS 1000u /* where executions have no more steps than that */
# define RFI_BATCH_STEPS \
  (UINT64_C(1) << 18) /* steps of a long batch: some 20 ms, beside which a process costs little */
# define RFI_BATCH_PART 8u /* it is no longer than this part of what its arm has executed */

# define RFI_SCENES_SHARE  12u /* of a search that proves scenarios of calls */
# define RFI_STRIKES_SHARE 13u /* of one that tries each place where a handler may strike */

typedef struct rfi_arm {
    rfi_job job;
    uint64_t next;  /* number of its next execution */
    uint32_t gain;  /* new behaviour in 1024 executions, of late */
    uint64_t steps; /* of its executions */
    uint32_t share; /* of the executions, beside those of others, */
    uint64_t from;  /* as soon as there have been so many */
    uint64_t most;  /* it runs no more than these, */
    uint64_t last;  /* and what has this number has an index that is another execution's */
    bool exhausted; /* there is no further execution */
    bool ends;      /* it goes through everything, and is expected to come to an end; */
    bool proves;    /* nobody has named it: it is there to prove the test, or to say nothing, */
    bool told;      /* unless it has come to the end, but for what it says itself; */
    bool stays;     /* or it proves scenarios of calls one by one, from the smallest on; */
    bool strikes;   /* or it is there for handlers, as soon as one has struck; */
    bool lacks;     /* it could not choose all that may happen; */
    bool proved;    /* it has gone through everything, and is certain of that */
} rfi_arm;

/* The usual ones: `auto`.  Shares and order come from bench/bugs. */
static const struct {
    const rf_strategy *strategy;
    uint32_t share;
} rfi_usual_arm[] RFI_UNUSED = {{&rfi_feedback, 12}, {&rfi_surw, 3},   {&rfi_rapos, 3},
                                {&rfi_pos, 2},       {&rfi_urw, 2},    {&rfi_drfinder, 1},
                                {&rfi_pct, 1},       {&rfi_sticky, 1}, {&rfi_random, 1}};

_Static_assert(RFI_LENGTH(rfi_strategies) + RFI_REGISTERED <= RFI_ARMS, "each may be named");

RFI_FN void rfi_arm_open(rfi_arm *a, const rfi_job *j, const rf_strategy *s, const char *names) {
    if (s == &rfi_dpor && j->weak) s = &rfi_graphs_strategy;
    *a = (rfi_arm){.job = *j, .share = 1, .most = UINT64_MAX, .last = RFI_INDEX_MOST};
    a->job.strategy = s;
    a->job.parameter = rfi_parameter_of(names, s);
    a->job.scenes = false;
    a->job.serials = a->job.again = rfi_strategy_draws(s);
    if (!s->serial || s->values) return; /* all schedules, and nothing else that is drawn */
    a->job.drawn = false;
    if (s->rfi_c11 && j->weak) return;
    a->job.spurious = false;
    a->job.memory.atomics = RF_MEM_SC;
}

/* The explorers that a list names, or the usual ones; how many. */
RFI_FN uint32_t rfi_portfolio_open(rfi_arm *arm, const rfi_job *j, const char *names) {
    const rf_strategy *s;
    uint32_t n = 0;
    if (rfi_list_usual(names))
        for (; n < RFI_LENGTH(rfi_usual_arm); n++) {
            rfi_arm_open(&arm[n], j, rfi_usual_arm[n].strategy, names);
            arm[n].share = rfi_usual_arm[n].share;
            arm[n].from = n ? RFI_LATER : 0;
        }
    uint32_t usual = n;
    for (uint32_t i = 0; names && (s = rfi_strategy_at(i)); i++) {
        uint32_t k = 0;
        while (k < usual && arm[k].job.strategy != s) k++;
        if (k == usual && rfi_list_has(names, s->name)) rfi_arm_open(&arm[n++], j, s, names);
    }
    if (!n) rfi_arm_open(&arm[n++], j, &rfi_random, names);
    return n;
}

/* The usual ones are joined by a search that may prove a test; where it can't, it costs a fiftieth
 * of the budget. */
RFI_FN void rfi_portfolio_prove(rfi_arm *arm, uint32_t *n, const rfi_job *j, uint64_t budget) {
    for (uint32_t i = 0; i < *n; i++)
        if (arm[i].job.strategy == &rfi_graphs_strategy) return; /* it was named */
    rfi_arm *a = &arm[(*n)++];
    rfi_arm_open(a, j, &rfi_graphs_strategy, NULL);
    a->proves = true;
    a->job.scenes = j->scenes;
    a->from = budget / RFI_PROOF > RFI_LATER ? budget / RFI_PROOF : RFI_LATER;
}

/* A handler has struck.  Explorers that draw let it do so early, for each step before a place is
 * one more chance to strike: the usual ones are joined by one that tries each place once; if it may
 * prove the test, all of them, however often handlers strike. */
RFI_FN void rfi_portfolio_strikes(rfi_arm *arm, uint32_t *n, const rfi_job *j, bool proves) {
    for (uint32_t i = 0; i < *n; i++)
        if (arm[i].job.strategy == &rfi_bounded) return; /* it is there, or was named */
    rfi_arm *a = &arm[(*n)++];
    rfi_arm_open(a, j, &rfi_bounded, NULL);
    if (proves) a->job.parameter = rfi_bounded.most;
    a->strikes = true;
    a->lacks = !proves;
    a->share = RFI_STRIKES_SHARE;
    a->from = RFI_LATER;
}

/* Nobody has named it, and `auto` does not always have it. */
RFI_INLINE bool rfi_arm_extra(const rfi_arm *a) { return a->proves || a->strikes; }

/* An arm has gone through everything: nobody else is needed. */
RFI_FN void rfi_portfolio_proved(rfi_arm *arm, uint32_t n, rfi_arm *a) {
    a->proved = true;
    for (uint32_t i = 0; i < n; i++) arm[i].most = arm[i].next;
}

/* There is nothing to prove any more. */
RFI_FN void rfi_portfolio_disprove(rfi_arm *arm, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (arm[i].proves) arm[i].most = arm[i].next;
}

RFI_INLINE uint64_t rfi_arm_used(const rfi_arm *a, bool many) { return many ? a->steps : a->next; }

/* Who runs next, after so many executions of all in so many batches; NULL: nothing is left to run.
 */
RFI_FN rfi_arm *rfi_portfolio_next(rfi_arm *arm, uint32_t n, uint64_t executions,
                                   uint32_t batches) {
    rfi_arm *behind = NULL, *best = NULL;
    bool many = executions >= RFI_MANY;
    for (uint32_t i = 0; i < n; i++)
        if (arm[i].ends && !arm[i].exhausted && arm[i].next < arm[i].most) return &arm[i];
    for (uint32_t i = 0; i < n; i++) {
        rfi_arm *a = &arm[i];
        if (a->exhausted || a->from > executions) continue;
        if (a->next >= a->most || a->next >= a->last) continue;
        uint64_t own = rfi_arm_used(a, many);
        if (!behind || own * behind->share < rfi_arm_used(behind, many) * a->share) behind = a;
        if (a->next && (!best || a->gain > best->gain)) best = a;
    }
    if (many && best && best->gain < behind->gain + RFI_ALIKE) best = behind;
    bool early = executions < 2 * RFI_LATER || !best || (behind && !behind->next);
    return early || batches % 2 ? behind : best;
}

/* How many executions an arm runs next, when executions have had so many steps.  Where each batch
 * teaches the next one a lot, they stay short.  It does not follow from the number of workers, nor
 * from time. */
RFI_FN uint64_t rfi_arm_batch(const rfi_arm *a, uint64_t executions, uint64_t steps) {
    uint64_t n = rfi_batch_end(a->next) - a->next, left = a->last - a->next;
    if (n > left) n = left;
    bool learns = rfi_job_learns(&a->job) && !rfi_job_serial(&a->job);
    if (learns && !rfi_job_strategy(&a->job)->lesson) return n;
    uint64_t most = RFI_BATCH_STEPS / (executions ? steps / executions + 1 : 1);
    if (most > a->next / RFI_BATCH_PART) most = a->next / RFI_BATCH_PART;
    if (most > left) most = left;
    return most > n ? most : n;
}

/* The same of one that goes through everything, beside others: it says before a
 * fiftieth of the budget is used up how much there is. */
RFI_FN uint64_t rfi_arm_part(const rfi_arm *a, uint64_t budget) {
    return a->next ? a->next : budget / RFI_TRIAL + 1;
}

/* It goes on beside the others, for as long as each scenario that it proves is worth it. */
RFI_FN void rfi_arm_stay(rfi_arm *a) {
    a->ends = false;
    a->stays = true;
    a->share = RFI_SCENES_SHARE;
}

/* An explorer that goes through everything has run, and executions are left.  If they suffice for
 * all, with a margin, it runs until it is done; if not, it has had its part, or proves scenarios.
 * When it is done, nobody else is needed: true. */
RFI_FN bool rfi_portfolio_weigh(rfi_arm *arm, uint32_t n, rfi_arm *a, uint64_t left) {
    uint64_t more = rfi_job_strategy(&a->job)->left();
    bool unknown = more == RF_LEFT_UNKNOWN; /* as yet */
    a->told = more == RF_LEFT_SAID;
    a->ends = unknown || (more && more <= left - left / 3);
    if (a->job.scenes && !a->ends && more && more < RF_LEFT_SAID)
        rfi_arm_stay(a);
    else if (!a->ends)
        a->most = a->next;
    if (!more) rfi_portfolio_proved(arm, n, a);
    return !more;
}

/* A batch of executions up to number `to` had `ran`, of which so many were new; `all`: it ran as
 * many as there are. */
RFI_FN void rfi_arm_ran(rfi_arm *a, uint64_t to, uint64_t ran, uint64_t fresh, bool all) {
    uint32_t gain = ran ? (uint32_t)(fresh * 1024 / ran) : 0;
    a->exhausted = all && ran < to - a->next;
    a->gain = a->next ? (a->gain + gain) / 2 : gain;
    a->next = to;
}
#endif
#endif

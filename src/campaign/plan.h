/* campaign/plan.h: what the campaign of one test is to do: its options, its jobs, and its time.
 *
 * Options come from the command line, then the test's own, then those of the caller of rf_run, then
 * the defaults.
 */
#ifndef RFI_CAMPAIGN_PLAN_H
#define RFI_CAMPAIGN_PLAN_H
#include "campaign/portfolio.h"
#include "campaign/scenes.h"
#include "campaign/settings.h"
#include "campaign/team.h"

#ifdef RFI_IMPL
typedef struct rfi_campaign {
    rfi_settings settings;
    const rf_options *defaults; /* of rf_run's caller; may be NULL */
    rfi_team team;
    const rfi_reporter *reporter;
    FILE *out;
    bool divides;          /* executions among shards */
    int64_t begin;         /* ms */
    uint32_t number, left; /* of the running test; tests that have not ended */
    rfi_summary summary;
    void (*progress)(const rfi_standing *s); /* at most ten times a second; NULL: never */
} rfi_campaign;

/* A distinct failure with the job that has its best example. */
typedef struct rfi_cause {
    rfi_failure_kind kind;
    rfi_job job;
    bool follows; /* it was seen after what a warning names had been produced, */
    unsigned as;  /* and these are the kinds of such warnings */
} rfi_cause;

/* What phases 2 and 3 learned about a warning, beside its figures. */
typedef struct rfi_case {
    rfi_job job;
    rfi_job seen_job;    /* in which an analysis saw it happen, in execution seen_at */
    uint64_t from, done; /* the next execution of `job`: when this round began, and now */
    uint64_t hit_steps;
    uint64_t hit_index; /* of the shortest that hit */
    uint64_t after;     /* the key of the warning in whose execution it was met first; 0: another */
    bool harmful, destructive;
    rfi_failure_kind harm; /* shortest failure after a hit, */
    rfi_failure_kind ruin; /* or after an older value, */
    rfi_job ruin_job;      /* in this job, from here on */
    uint64_t ruin_from, ruin_executions;
} rfi_case;

typedef struct rfi_study {
    rfi_campaign *campaign;
    rfi_result result;
    rfi_job job; /* of phase 1 */
    const rfi_memory *memory;
    rfi_job own_job;              /* in which a call has taken the most steps of its own */
    rfi_tally *predicted, *batch; /* all warnings and the sums of phase 1; what ran last */
    rfi_case *cases;              /* one a warning */
    rfi_arm arm[RFI_ARMS];        /* the explorers of phase 1 */
    rfi_explored explored[RFI_ARMS];
    uint32_t arms;
    bool serials; /* some explorer has begun with executions without preemptions */
    bool counts;  /* orders are compared at these statements only: */
    uint64_t counted[RFI_POINT_WORDS];
    bool common;         /* which all processes of the campaign have in common */
    uint32_t batches;    /* of phase 1 */
    uint64_t race_tries; /* executions of explorers that no try of a race has been set against */
    uint64_t rounds;     /* times that something was run */
    rfi_cause cause[RFI_MAX_FAILURES];
    uint32_t causes;
    uint64_t whole, executions; /* of all shards, and of this one */
    uint64_t round;             /* rounds of the campaign that were done before, */
    uint64_t before;            /* with so many executions, */
    uint64_t judged, omitted;   /* of those behind the scouts so many, and so many skipped, */
    uint64_t had;               /* and of phase 1 of this one, if its process was ended */
    bool exact;       /* what an execution does follows from its index, whatever shards there are */
    int64_t begin;    /* ms */
    double seconds;   /* the cap; 0 or less: none */
    bool rest;        /* phase 1 goes on with what the others have left of the time */
    bool unheard;     /* there was no time to replay all that is known */
    bool probed, old; /* a failure was replayed, and depends on earlier executions */
    bool proved;      /* an explorer has executed everything, and is certain of that */
    bool unsteady;    /* it was, but an execution that was made again was another one, */
    bool refuted;     /* or has failed */
    rfi_scenes scenes;
} rfi_study;

/* The first execution of this round where nothing tells how far earlier ones were. */
RFI_FN uint64_t rfi_study_base(const rfi_study *s) { return s->round * s->executions; }

/* ---- options ---- */

/* clang-format off */
# define RFI_OPTION(study, field, fallback) \
     ((study)->result.test->options.field != 0 ? (study)->result.test->options.field \
      : (study)->campaign->defaults && (study)->campaign->defaults->field != 0 \
          ? (study)->campaign->defaults->field \
          : (fallback))
/* clang-format on */

/* The analyses of a test's first phase. */
RFI_FN uint64_t rfi_campaign_analyses(const rfi_campaign *c, const rfi_test *test) {
    const char *list = c->settings.detect;
    if (!list) list = test->options.detect;
    if (!list && c->defaults) list = c->defaults->detect;
    return rfi_analyses_of(list);
}

RFI_FN rf_granularity rfi_study_grain(const rfi_study *s, rf_granularity preset) {
    rf_granularity given = s->campaign->settings.granularity;
    return given ? given : RFI_OPTION(s, granularity, preset);
}

/* Do its executions look for statements that touch shared data, at which they stop then? */
RFI_FN bool rfi_study_scouts(const rfi_study *s) {
    return s->job.fine && !rfi_study_grain(s, RF_GRAIN_DEFAULT) && !s->exact;
}

/* The names of the explorers; NULL: the usual ones. */
RFI_FN const char *rfi_study_explorers(const rfi_study *s) {
    const char *strategy = s->campaign->settings.strategy;
    return strategy ? strategy : RFI_OPTION(s, strategy, NULL);
}

/* A machine may hold threads back for a while; that it does so for longer is no test's mistake in
 * the eyes of those who wrote it without racefuzz. */
RFI_FN uint32_t rfi_study_late(rfi_timeouts t) {
    if (t == RFI_TIMEOUTS_PRESET) t = rfi_unedited() ? RFI_TIMEOUTS_SOME : RFI_TIMEOUTS_ANY;
    return t == RFI_TIMEOUTS_ANY ? 0 : t == RFI_TIMEOUTS_SOME ? RFI_EARLY_SOME + 1 : 1;
}

/* Does the campaign have a second phase, if there is something for it to do? */
RFI_FN bool rfi_study_directed(const rfi_study *s) {
    const rf_checker *c;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (rfi_checker_in(rfi_study_explorers(s), c)) return true;
    return false;
}

/* How many of n there are for number i of `parts`. */
RFI_FN uint64_t rfi_shard_part(uint64_t n, uint32_t i, uint32_t parts) {
    return n / parts + (i < n % parts);
}

/* This shard's part of the executions.  What goes through all schedules in an order is cut by the
 * strategy; if it can't be, all of it is one shard's. */
RFI_FN void rfi_study_part(rfi_study *s) {
    rfi_campaign *c = s->campaign;
    rfi_team *team = &c->team;
    uint32_t shards = c->divides ? c->settings.shards : 1;
    uint32_t shard = c->divides ? c->settings.shard - 1 : 0;
    bool serial = rfi_job_serial(&s->job);
    void (*cut)(uint32_t, uint32_t) = rfi_job_strategy(&s->job)->rfi_shard;
    team->shards = serial ? 1 : shards;
    team->shard = serial ? 0 : shard;
    if (cut) cut(shard, serial ? shards : 1);
    if (serial && !cut)
        s->executions = c->number % shards == shard ? s->whole : 0;
    else
        s->executions = rfi_shard_part(s->whole, shard, shards);
    for (uint32_t i = 0; i < s->arms; i++) s->arm[i].last = RFI_INDEX_MOST / team->shards;
    s->exact = c->divides && !rfi_study_directed(s);
    for (uint32_t i = 0; i < s->arms; i++) s->exact &= !rfi_job_strategy(&s->arm[i].job)->learn;
    if (!s->exact) return;
    s->executions = 0;
    for (uint32_t i = 0; i < s->arms; i++) {
        s->arm[i].most = rfi_shard_part(rfi_shard_part(s->whole, i, s->arms), shard, shards);
        s->executions += s->arm[i].most;
    }
}

/* May others join the usual explorers, which go through schedules one by one?  Not where this
 * process is one of several. */
RFI_FN bool rfi_study_may_search(const rfi_study *s) {
    const rfi_settings *o = &s->campaign->settings;
    return rfi_list_usual(rfi_study_explorers(s)) && s->job.fine && o->shards <= 1 && !o->folder &&
           !o->merge.count;
}

/* Do they look for a proof?  Not where something is to be found, nor where another memory is asked
 * for than a proof would be about, nor where the order in time counts. */
RFI_FN bool rfi_study_may_prove(const rfi_study *s) {
    const rfi_settings *o = &s->campaign->settings;
    bool known = s->memory == rfi_memory_table ||
                 (s->memory->all_pick == RF_PICK_NEWEST && s->memory->atomics != RF_MEM_C11_FAST);
    return known && rfi_study_may_search(s) && !s->result.test->options.expect && !s->job.tears &&
           !o->sample && !rfi_unedited() && !rfi_job_in_time(&s->job);
}

RFI_FN void rfi_study_settings(rfi_study *s, const rfi_test *test) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_job *j = &s->job;
    s->result.test = test;
    s->whole = o->executions ? o->executions : RFI_OPTION(s, executions, RFI_DEFAULT_EXECUTIONS);
    rfi_goodlock_alike = o->abstraction;
    const char *memory = o->memory ? o->memory : RFI_OPTION(s, memory, NULL);
    s->memory = rfi_memory_named(memory);
    const uint64_t steps = rfi_steps_usual(test);
    *j =
        (rfi_job){.test = (rfi_test *)(uintptr_t)test,
                  .phase = RFI_PREDICT,
                  .seed = o->seed,
                  .scenes = test->object != NULL,
                  .fine = rfi_study_grain(s, RF_GRAIN_FINE) == RF_GRAIN_FINE,
                  .spurious = !test->options.no_spurious && !o->no_spurious,
                  .drawn = o->random == RFI_RANDOM_DRAWN,
                  .late = rfi_study_late(o->timeouts),
                  .unroll = o->unroll,
                  .cores = o->cores,
                  .word = o->word ? 1u << (o->word - RFI_WORD_8) : 0,
                  .regions = o->blocks >= RFI_BLOCKS_LOCKS,
                  .functions = o->blocks == RFI_BLOCKS_FUNCTIONS,
                  .analyses = rfi_campaign_analyses(s->campaign, test),
                  .covers = o->report.count || o->verbose,
                  .memory = {.atomics = s->memory->atomics,
                             .history = o->history != RF_MEM_HISTORY ? o->history : 0,
                             .sample = o->sample,
                             .whole = o->tear == RFI_TEAR_OFF,
                             .cxx20 = o->cxx20},
                  .weak = memory && !strcmp(memory, "c11"),
                  .tears = o->tear == RFI_TEAR_ALL,
                  .max_steps = o->steps ? o->steps : RFI_OPTION(s, max_steps, steps),
                  .must_end = o->must_end || test->options.expect & RF_EXPECT_LIVELOCK,
                  .stack_size = o->stack ? o->stack : RFI_OPTION(s, stack_size, RFI_DEFAULT_STACK)};
    s->arms = rfi_portfolio_open(s->arm, j, rfi_study_explorers(s));
    if (rfi_study_may_prove(s)) rfi_portfolio_prove(s->arm, &s->arms, j, s->whole);
    bool usual = rfi_list_usual(rfi_study_explorers(s)); /* then random is below checkers */
    j->strategy = usual ? &rfi_random : s->arm[0].job.strategy;
    j->parameter = usual ? 0 : s->arm[0].job.parameter;
    rfi_study_part(s);
}

RFI_FN double rfi_study_seconds(const rfi_study *s) {
    const rfi_settings *o = &s->campaign->settings;
    double seconds = o->seconds_given ? o->seconds : RFI_OPTION(s, seconds, RFI_DEFAULT_SECONDS);
    if (o->timeout <= 0 || o->seconds_given) return seconds;
    double left = o->timeout * 0.9 - (double)(rfi_milliseconds() - s->campaign->begin) / 1000;
    left /= s->campaign->left ? s->campaign->left : 1; /* what the runner gives is for all */
    return seconds > 0 && seconds < left ? seconds : left > 0.05 ? left : 0.05;
}

/* The checker that confirms a warning; NULL: none.  The program's own come before those that are
 * built in. */
RFI_FN const rf_checker *rfi_study_checker(const rfi_study *s, const rfi_warning *w) {
    const rf_checker *c, *found = NULL;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (c->confirms & RF_FAMILY_BIT(w->family) && rfi_checker_in(rfi_study_explorers(s), c) &&
            (!c->of || w->by & rfi_analysis_bit(c->of)))
            found = c;
    return found;
}

/* Does the campaign have a third phase, if there is something for it to do? */
RFI_FN bool rfi_study_adversarial(const rfi_study *s) {
    return rfi_checker_in(rfi_study_explorers(s), &rfi_racefuzzer) && s->memory->atomic_picks;
}

/* The statements of a job's target, as the warning has them. */
RFI_FN void rfi_job_sites(rfi_job *j, const rfi_warning *p) {
    for (unsigned i = 0; i < p->targets; i++)
        for (unsigned k = 0; k < p->sides; k++)
            if (rfi_site_key(p->side[k].site) == p->target[i]) j->site[i] = p->side[k].site;
}

/* The job of phase 2 that runs a checker; at a warning, or at none (NULL). */
RFI_FN void rfi_study_case(const rfi_study *s, const rf_checker *checker, const rfi_warning *p,
                           rfi_job *j) {
    *j = s->job;
    j->phase = RFI_CONFIRM;
    j->checker = checker;
    j->fine = rfi_study_grain(s, checker->fine ? RF_GRAIN_FINE : RF_GRAIN_COARSE) == RF_GRAIN_FINE;
    if (!p) return;
    memcpy(j->target, p->target, p->targets * sizeof *p->target);
    rfi_job_sites(j, p);
}

/* Does phase 2 try it?  Not what a shard alone has seen there. */
RFI_FN bool rfi_study_confirms(const rfi_study *s, uint32_t i) {
    const rfi_warning *w = &s->predicted->warning[i];
    return w->predicted && rfi_study_checker(s, w);
}

/* ---- time ----
 *
 * The cap is for all that is done with a test.  Of what there is to tell, executions leave some of
 * it over; those that still run after that are cut off. */

RFI_VAR const double rfi_share_run = 0.85, rfi_share_cut = 0.95, rfi_share_told = 1.05;

/* Of the time for executions: when phase 1 ends, without and with a third one, if there is a second
 * one; and when the second one ends. */
RFI_VAR const double rfi_share_until[2][2] = {{0.4, 1}, {0.3, 0.7}};

/* Is there something for phase 2, as far as is known? */
RFI_FN bool rfi_study_awaits_second(const rfi_study *s) {
    const rf_checker *c;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (!c->confirms && rfi_checker_in(rfi_study_explorers(s), c)) return true;
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        if (rfi_study_confirms(s, i)) return true;
    return false;
}

/* For phase 3? */
RFI_FN bool rfi_study_awaits_third(const rfi_study *s) {
    const rfi_tally *sums = s->predicted;
    bool races = sums->atomic || sums->racy;
    for (uint32_t i = 0; i < sums->warnings && !races; i++)
        races = sums->warning[i].family == RF_FAMILY_RACE;
    return races && rfi_study_adversarial(s);
}

/* Which part of the time for executions phase 1 or 2 may have used in the end. */
RFI_FN double rfi_study_until(const rfi_study *s, unsigned phase) {
    bool third = rfi_study_awaits_third(s);
    bool second = phase == RFI_CONFIRM || rfi_study_awaits_second(s);
    return s->rest ? 1 : rfi_share_until[third][second ? phase - 1 : 1];
}

/* Is there something to tell, with replays? */
RFI_FN bool rfi_study_tells(const rfi_study *s) {
    bool tells = s->causes;
    for (uint32_t i = 0; i < s->predicted->warnings && !tells; i++)
        tells = s->predicted->warning[i].hits || s->predicted->warning[i].seen;
    return tells;
}

/* The time of the study that is over when a share of its cap is; 0: never. */
RFI_FN int64_t rfi_study_time(const rfi_study *s, double share) {
    return s->seconds > 0 ? s->begin + (int64_t)(s->seconds * 1000 * share) : 0;
}

/* Executions begin until so much of the time for them is over. */
RFI_FN void rfi_study_deadline(rfi_study *s, double until) {
    rfi_team *team = &s->campaign->team;
    bool tells = rfi_study_tells(s);
    s->result.capped |= team->capped;
    team->deadline = rfi_study_time(s, until * (tells ? rfi_share_run : 1));
    team->end = rfi_study_time(s, tells ? rfi_share_cut : 1);
    team->capped = team->deadline && rfi_milliseconds() >= team->deadline;
    team->grace = s->seconds > 0 && s->seconds < 10 ? 20 + (int64_t)(s->seconds * 25) : 270;
}

/* Replays are made until so much of the cap is over. */
RFI_FN void rfi_study_tell_until(rfi_study *s, int64_t end) {
    rfi_team *team = &s->campaign->team;
    int64_t now = rfi_milliseconds(), last = now + RFI_LAST_MS;
    team->deadline = 0;
    team->capped = false;
    team->end = end;
    if ((team->interrupted = rfi_interrupted) && (!end || end > last)) team->end = last;
}
#endif
#endif

/* campaign/study.h: the campaign of one test: predict and confirm.
 *
 * RaceFuzzer's two phases (Sen, PLDI 2008, section 2.2): random schedules under the hybrid detector
 * give the pairs; then every pair directs a share of the second budget.  What is real was produced
 * (brought together, or seen unordered by happens-before); harmful is a pair after whose hit an
 * execution failed.  What follows stands in adversary.h and judge.h.
 */
#ifndef RFI_CAMPAIGN_STUDY_H
#define RFI_CAMPAIGN_STUDY_H
#include "campaign/settings.h"
#include "campaign/team.h"
#include "campaign/token.h"

#ifdef RFI_IMPL
typedef struct rfi_campaign {
    rfi_settings settings;
    const rf_options *defaults; /* of rf_run's caller; may be NULL */
    rfi_team team;
    const rfi_reporter *reporter;
    FILE *out;
    rfi_summary summary;
    void (*progress)(const char *test, const char *phase, uint64_t done, uint64_t total,
                     uint32_t findings);
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
    rfi_job seen_job; /* in which an analysis saw it happen, in execution seen_at */
    uint32_t hit_index;
    bool harmful, destructive;
    rfi_failure_kind harm; /* shortest failure after a hit, */
    rfi_failure_kind ruin; /* or after an older value, */
    rfi_job ruin_job;      /* in this job, from here on */
    uint32_t ruin_from, ruin_executions;
} rfi_case;

typedef struct rfi_study {
    rfi_campaign *campaign;
    rfi_result result;
    rfi_job job; /* of phase 1 */
    const rfi_memory *memory;
    rfi_tally *predicted, *confirmed; /* of phase 1; of another job */
    rfi_case *cases;                  /* one a warning */
    rfi_cause cause[RFI_MAX_FAILURES];
    uint32_t causes;
    uint32_t executions;
} rfi_study;

# define RFI_SCOUTS 16u

/* Of the cap in seconds: when phase 1 ends, and phase 2, without and with a third one. */
static const double rfi_share_until[2][2] RFI_UNUSED = {{0.4, 1}, {0.3, 0.7}};

/* ---- settings: command line, then the test's own, then the caller's, then the default ---- */

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

/* The names of the explorers; NULL: the usual ones. */
RFI_FN const char *rfi_study_explorers(const rfi_study *s) {
    const char *strategy = s->campaign->settings.strategy;
    return strategy ? strategy : RFI_OPTION(s, strategy, NULL);
}

RFI_FN void rfi_study_settings(rfi_study *s, const rfi_test *test) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_job *j = &s->job;
    s->result.test = test;
    s->executions =
        o->executions ? o->executions : RFI_OPTION(s, executions, RFI_DEFAULT_EXECUTIONS);
    rfi_goodlock_abstraction = o->abstraction;
    s->memory = rfi_memory_named(o->memory ? o->memory : RFI_OPTION(s, memory, NULL));
    *j =
        (rfi_job){.test = (rfi_test *)(uintptr_t)test,
                  .phase = RFI_PREDICT,
                  .seed = o->seed,
                  .fine = rfi_study_grain(s, RF_GRAIN_FINE) == RF_GRAIN_FINE,
                  .spurious = !test->options.no_spurious,
                  .strategy = rfi_strategy_of(rfi_study_explorers(s)),
                  .analyses = rfi_campaign_analyses(s->campaign, test),
                  .memory = {.atomics = s->memory->atomics,
                             .history = o->history != RF_MEM_HISTORY ? o->history : 0,
                             .sample = o->sample,
                             .whole = o->tear == RFI_TEAR_OFF,
                             .cxx20 = o->cxx20},
                  .max_steps = o->steps ? o->steps : RFI_OPTION(s, max_steps, RFI_DEFAULT_STEPS),
                  .stack_size = o->stack ? o->stack : RFI_OPTION(s, stack_size, RFI_DEFAULT_STACK)};
}

RFI_FN double rfi_study_seconds(const rfi_study *s) {
    const rfi_settings *o = &s->campaign->settings;
    return o->seconds_given ? o->seconds : RFI_OPTION(s, seconds, RFI_DEFAULT_SECONDS);
}

/* Does the campaign have a second phase, if there is something for it to do? */
RFI_FN bool rfi_study_directed(const rfi_study *s) {
    const rf_checker *c;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (rfi_checker_in(rfi_study_explorers(s), c)) return true;
    return false;
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

/* Which part of the cap in seconds phase 1 or 2 may have used in the end. */
RFI_FN double rfi_study_until(const rfi_study *s, unsigned phase) {
    return rfi_study_directed(s) ? rfi_share_until[rfi_study_adversarial(s)][phase - 1] : 1;
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
    for (unsigned i = 0; i < p->targets; i++)
        for (unsigned k = 0; k < p->sides; k++)
            if (rfi_site_key(p->side[k].site) == p->target[i]) j->site[i] = p->side[k].site;
}

/* ---- warnings ---- */

RFI_FN int rfi_warning_order(const void *x, const void *y) {
    const rfi_warning *a = x, *b = y;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    for (unsigned i = 0; i < a->sides && i < b->sides; i++) {
        if (rfi_site_before(a->side[i].site, b->side[i].site)) return -1;
        if (rfi_site_before(b->side[i].site, a->side[i].site)) return 1;
    }
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Races belong together when they share a statement or were seen at the same location.  A free is a
 * write to all of a block and does not make one variable of it. */
RFI_FN bool rfi_warnings_related(const rfi_warning *p, const rfi_warning *q) {
    if (p->family != RF_FAMILY_RACE || q->family != RF_FAMILY_RACE) return false;
    bool same = p->beside == q->key || q->beside == p->key || p->beside == q->beside;
    for (unsigned a = 0; a < 4; a++)
        same |=
            p->side[a & 1].site == q->side[a >> 1].site && !(p->side[a & 1].flags & RF_EV_FREES);
    return same;
}

RFI_FN void rfi_warnings_group(rfi_warning *p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) p[i].variable = i;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < i; k++) {
                if (p[i].variable == p[k].variable || !rfi_warnings_related(&p[i], &p[k])) continue;
                uint32_t least = p[i].variable < p[k].variable ? p[i].variable : p[k].variable;
                p[i].variable = p[k].variable = least;
                again = true;
            }
    }
}

/* ---- failures ---- */

/* The failure's, or NULL. */
RFI_FN rfi_cause *rfi_study_known(rfi_study *s, uint64_t key) {
    for (uint32_t i = 0; i < s->causes; i++)
        if (s->cause[i].kind.key == key) return &s->cause[i];
    return NULL;
}

/* How little a job strays from what everybody expects of memory: its examples are shown first. */
RFI_FN unsigned rfi_job_strays(const rfi_job *j) {
    return j->phase != RFI_ADVERSARY ? 0 : rfi_job_directed(j) ? 1 : 2;
}

/* Is `k`, seen in job `j`, a better example than that of `c`? */
RFI_FN bool rfi_cause_better(const rfi_cause *c, const rfi_failure_kind *k, const rfi_job *j) {
    unsigned strays = rfi_job_strays(j), strayed = rfi_job_strays(&c->job);
    if (strays != strayed) return strays < strayed;
    if (strays && k->shortest_blamed != c->kind.shortest_blamed) return !k->shortest_blamed;
    if (k->stale != c->kind.stale) return c->kind.stale;
    return k->steps < c->kind.steps;
}

/* The kinds of the warnings that a checker is directed at. */
RFI_FN unsigned rfi_checker_kinds(const rf_checker *c) {
    unsigned kinds = 0;
    for (unsigned f = 0; f < RF_FAMILIES; f++)
        if (c->confirms & RF_FAMILY_BIT(f)) kinds |= rfi_family(f)->kind;
    return kinds;
}

RFI_FN void rfi_study_cause(rfi_study *s, const rfi_failure_kind *k, const rfi_job *j) {
    rfi_cause *c = rfi_study_known(s, k->key);
    if (!c && s->causes == RFI_MAX_FAILURES) return;
    if (!c) {
        c = &s->cause[s->causes++];
        *c = (rfi_cause){.kind = *k, .job = *j};
    } else {
        bool better = rfi_cause_better(c, k, j);
        rfi_failure_merge(&c->kind, k, better);
        if (better) c->job = *j;
    }
    if (j->phase != RFI_CONFIRM || !rfi_job_directed(j) || !k->blamed) return;
    c->follows = true;
    c->as |= rfi_checker_kinds(rfi_job_checker(j));
}

RFI_FN void rfi_study_causes(rfi_study *s, const rfi_tally *t, const rfi_job *j) {
    for (uint32_t i = 0; i < t->failures; i++) rfi_study_cause(s, &t->failure[i], j);
    rfi_first_site(&s->result.unannounced, t->unannounced);
}

/* ---- the phases ---- */

static rfi_study *rfi_study_now RFI_UNUSED; /* for the progress line */
static unsigned rfi_study_phase RFI_UNUSED;
static uint64_t rfi_study_before RFI_UNUSED;

RFI_FN void rfi_study_progress(uint64_t done) {
    static const char *const words[] = {"predict", "confirm", "judge"};
    const rfi_study *s = rfi_study_now;
    if (!s->campaign->progress) return;
    s->campaign->progress(s->result.test->options.rfi_name, words[rfi_study_phase - 1],
                          rfi_study_before + done, s->result.planned[rfi_study_phase - 1],
                          s->causes + s->result.real);
}

RFI_FN void rfi_study_deadline(rfi_study *s, int64_t from, double seconds) {
    rfi_team *team = &s->campaign->team;
    s->result.capped |= team->capped;
    team->capped = false;
    team->deadline = seconds > 0 ? from + (int64_t)(seconds * 1000) : 0;
}

RFI_FN void rfi_study_predict(rfi_study *s) {
    /* Every shard predicts everything, so all agree.  The first executions tell which analyses have
     * something to do; these don't miss the beginning of the others. */
    uint32_t few = s->executions < RFI_SCOUTS ? s->executions : RFI_SCOUTS;
    rfi_span scouts = {0, few, 0, 1}, all = {few, s->executions, 0, 1};
    rfi_study_phase = RFI_PREDICT;
    rfi_study_before = 0;
    s->result.planned[0] = s->executions;
    rfi_tally_reset(s->predicted);
    s->job.asleep = ~UINT64_C(0);
    rfi_team_run(&s->campaign->team, &s->job, &scouts, s->predicted);
    rfi_study_before = few;
    s->job.asleep = ~s->predicted->woken;
    rfi_team_run(&s->campaign->team, &s->job, &all, s->predicted);
    s->result.executions[0] = s->predicted->executions;
    s->result.steps[0] = s->predicted->steps;
    qsort(s->predicted->warning, s->predicted->warnings, sizeof *s->predicted->warning,
          rfi_warning_order);
    rfi_warnings_group(s->predicted->warning, s->predicted->warnings);
    rfi_study_causes(s, s->predicted, &s->job);
}

/* Warnings that analyses saw come true while phase 2 was at something else. */
RFI_FN void rfi_study_seen(rfi_study *s, const rfi_job *j) {
    for (uint32_t k = 0; k < s->confirmed->warnings; k++) {
        const rfi_warning *w = &s->confirmed->warning[k];
        bool fresh;
        rfi_warning *p = w->seen ? rfi_tally_warning(s->predicted, w->key, &fresh) : NULL;
        if (!p || (!fresh && p->seen)) continue;
        if (fresh) {
            *p = *w;
            p->predicted = 0;
            p->variable = (uint32_t)(p - s->predicted->warning);
        }
        p->seen = w->seen;
        p->seen_at = w->seen_at;
        rfi_case *c = &s->cases[p - s->predicted->warning];
        if (fresh) *c = (rfi_case){.job = *j};
        c->seen_job = *j;
    }
}

/* Runs one of the jobs of phase 2; what it did is in s->confirmed. */
RFI_FN void rfi_study_confirm_job(rfi_study *s, const rfi_job *j, uint32_t executions) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_span range = {0, executions, o->shard - 1, o->shards};
    rfi_tally_reset(s->confirmed);
    rfi_study_before = s->result.executions[1];
    rfi_team_run(&s->campaign->team, j, &range, s->confirmed);
    rfi_study_causes(s, s->confirmed, j);
    s->result.executions[1] += s->confirmed->executions;
    s->result.steps[1] += s->confirmed->steps;
}

RFI_FN void rfi_study_confirm_one(rfi_study *s, uint32_t i, uint32_t executions) {
    rfi_warning *p = &s->predicted->warning[i];
    rfi_case *c = &s->cases[i];
    const rfi_tally *t = s->confirmed;
    rfi_study_confirm_job(s, &c->job, executions);
    p->executions = t->executions;
    p->hits = t->hits;
    p->failed = t->failed;
    memcpy(p->failed_by_kind, t->failed_by_kind, sizeof p->failed_by_kind);
    c->hit_index = t->hit_index;
    for (uint32_t k = 0; k < t->failures; k++) {
        const rfi_failure_kind *f = &t->failure[k];
        if (!f->blamed || !f->shortest_blamed) continue;
        if (!c->harmful || rfi_simpler(f, &c->harm)) c->harm = *f;
        c->harmful = true;
    }
    s->result.real += p->hits || p->seen;
}

/* Each warning that a checker confirms gets a part of the budget, and so does each checker without
 * a target. */
RFI_FN void rfi_study_confirm(rfi_study *s, int64_t begin, double seconds) {
    uint32_t warnings = s->predicted->warnings, n = 0, done = 0;
    const rf_checker *c;
    for (uint32_t i = 0; i < warnings; i++)
        n += rfi_study_checker(s, &s->predicted->warning[i]) != NULL;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        n += !c->confirms && rfi_checker_in(rfi_study_explorers(s), c);
    rfi_study_phase = RFI_CONFIRM;
    s->result.planned[1] = n ? (s->executions > n ? s->executions : n) : 0;
    double before = rfi_study_until(s, RFI_PREDICT), after = rfi_study_until(s, RFI_CONFIRM);
    rfi_job job;
    for (uint32_t i = 0; i < warnings; i++) {
        s->cases[i].seen_job = s->job;
        c = rfi_study_checker(s, &s->predicted->warning[i]);
        if (!c) continue;
        uint32_t share = s->executions / n + (done < s->executions % n);
        rfi_study_deadline(s, begin, seconds * (before + (after - before) * ++done / n));
        rfi_study_case(s, c, &s->predicted->warning[i], &s->cases[i].job);
        rfi_study_confirm_one(s, i, share ? share : 1);
        rfi_study_seen(s, &s->cases[i].job);
    }
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++) {
        if (c->confirms || !rfi_checker_in(rfi_study_explorers(s), c)) continue;
        uint32_t share = s->executions / n + (done < s->executions % n);
        rfi_study_deadline(s, begin, seconds * (before + (after - before) * ++done / n));
        rfi_study_case(s, c, NULL, &job);
        rfi_study_confirm_job(s, &job, share ? share : 1);
        rfi_study_seen(s, &job);
    }
}
#endif
#endif

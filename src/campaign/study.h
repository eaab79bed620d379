/* campaign/study.h: the campaign of one test: predict, confirm, judge.
 *
 * RaceFuzzer's two phases (Sen, PLDI 2008, section 2.2): random schedules under the hybrid detector
 * give the pairs; then every pair directs a share of the second budget.  What is real was produced
 * (brought together, or seen unordered by happens-before); harmful is a pair after whose hit an
 * execution failed.  Before anything is printed it is replayed in a fresh process.
 */
#ifndef RFI_CAMPAIGN_STUDY_H
#define RFI_CAMPAIGN_STUDY_H
#include "campaign/options.h"
#include "campaign/token.h"
#include "campaign/team.h"

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
} rfi_cause;

/* What phase 2 learned about a pair, beside its figures. */
typedef struct rfi_case {
    rfi_job job;
    uint32_t hit_index;
    bool harmful;
    rfi_failure_kind harm; /* shortest failure after a hit */
} rfi_case;

typedef struct rfi_study {
    rfi_campaign *campaign;
    rfi_result result;
    rfi_job job; /* of phase 1 */
    rfi_tally *predicted, *confirmed;
    rfi_case *cases; /* one a pair */
    rfi_cause cause[RFI_MAX_FAILURES];
    uint32_t causes;
    uint32_t executions;
} rfi_study;

# define RFI_PHASE_1_SHARE 0.4 /* of the cap in seconds */

/* ---- settings: command line, then the test's own, then the caller's, then the default ---- */

/* clang-format off */
# define RFI_OPTION(study, field, fallback) \
     ((study)->result.test->options.field != 0 ? (study)->result.test->options.field \
      : (study)->campaign->defaults && (study)->campaign->defaults->field != 0 \
          ? (study)->campaign->defaults->field \
          : (fallback))
/* clang-format on */

RFI_FN bool rfi_list_has(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        if (!strncmp(s, name, n) && (!s[n] || s[n] == ',')) return true;
    return false;
}

RFI_FN void rfi_study_settings(rfi_study *s, const rfi_test *test) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_job *j = &s->job;
    s->result.test = test;
    s->executions =
        o->executions ? o->executions : RFI_OPTION(s, executions, RFI_DEFAULT_EXECUTIONS);
    const char *detect = o->detect ? o->detect : RFI_OPTION(s, detect, "hb,hybrid");
    rf_granularity grain =
        o->granularity ? o->granularity : RFI_OPTION(s, granularity, RF_GRAIN_FINE);
    *j =
        (rfi_job){.test = (rfi_test *)(uintptr_t)test,
                  .phase = RFI_PREDICT,
                  .seed = o->seed,
                  .fine = grain == RF_GRAIN_FINE,
                  .spurious = !test->options.no_spurious,
                  .hb = rfi_list_has(detect, "hb"),
                  .hybrid = rfi_list_has(detect, "hybrid"),
                  .max_steps = o->steps ? o->steps : RFI_OPTION(s, max_steps, RFI_DEFAULT_STEPS),
                  .stack_size = o->stack ? o->stack : RFI_OPTION(s, stack_size, RFI_DEFAULT_STACK)};
}

RFI_FN double rfi_study_seconds(const rfi_study *s) {
    const rfi_settings *o = &s->campaign->settings;
    return o->seconds_given ? o->seconds : RFI_OPTION(s, seconds, RFI_DEFAULT_SECONDS);
}

RFI_FN bool rfi_study_directed(const rfi_study *s) {
    const char *strategy = s->campaign->settings.strategy;
    return rfi_list_has(strategy ? strategy : RFI_OPTION(s, strategy, "racefuzzer"), "racefuzzer");
}

/* The job that confirms a pair. */
RFI_FN void rfi_study_case(const rfi_study *s, const rfi_pair *p, rfi_job *j) {
    const rfi_settings *o = &s->campaign->settings;
    rf_granularity grain =
        o->granularity ? o->granularity : RFI_OPTION(s, granularity, RF_GRAIN_COARSE);
    *j = s->job;
    j->phase = RFI_CONFIRM;
    j->fine = grain == RF_GRAIN_FINE;
    for (unsigned i = 0; i < 2; i++) {
        j->site[i] = p->side[i].site;
        j->site_key[i] = rfi_site_key(j->site[i]);
    }
}

/* ---- pairs ---- */

RFI_FN int rfi_pair_order(const void *x, const void *y) {
    const rfi_pair *a = x, *b = y;
    for (unsigned i = 0; i < 2; i++) {
        if (rfi_site_before(a->side[i].site, b->side[i].site)) return -1;
        if (rfi_site_before(b->side[i].site, a->side[i].site)) return 1;
    }
    return 0;
}

/* Pairs belong together when they share a statement or were seen at the same location.  A free is a
 * write to all of a block and does not make one variable of it. */
RFI_FN void rfi_pairs_group(rfi_pair *p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) p[i].variable = i;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < i; k++) {
                bool same = p[i].beside == p[k].key || p[k].beside == p[i].key ||
                            p[i].beside == p[k].beside;
                for (unsigned a = 0; a < 4; a++)
                    same |= p[i].side[a & 1].site == p[k].side[a >> 1].site &&
                            !(p[i].side[a & 1].flags & RF_EV_FREES);
                if (!same || p[i].variable == p[k].variable) continue;
                uint32_t least = p[i].variable < p[k].variable ? p[i].variable : p[k].variable;
                p[i].variable = p[k].variable = least;
                again = true;
            }
    }
}

/* ---- failures ---- */

RFI_FN void rfi_study_cause(rfi_study *s, const rfi_failure_kind *k, const rfi_job *j) {
    uint32_t i = 0;
    while (i < s->causes && s->cause[i].kind.key != k->key) i++;
    if (i == RFI_MAX_FAILURES) return;
    rfi_cause *c = &s->cause[i];
    uint64_t count = 0, after_hit = 0;
    bool better = i == s->causes;
    if (better) {
        s->causes++;
    } else {
        count = c->kind.count;
        after_hit = c->kind.after_hit;
        better = k->steps < c->kind.steps;
    }
    if (better) *c = (rfi_cause){*k, *j};
    c->kind.count = count + k->count;
    c->kind.after_hit = after_hit + k->after_hit;
}

RFI_FN void rfi_study_causes(rfi_study *s, const rfi_tally *t, const rfi_job *j) {
    for (uint32_t i = 0; i < t->failures; i++) rfi_study_cause(s, &t->failure[i], j);
}

/* ---- the phases ---- */

static rfi_study *rfi_study_now RFI_UNUSED; /* for the progress line */
static unsigned rfi_study_phase RFI_UNUSED;
static uint64_t rfi_study_before RFI_UNUSED;

RFI_FN void rfi_study_progress(uint64_t done) {
    const rfi_study *s = rfi_study_now;
    if (!s->campaign->progress) return;
    s->campaign->progress(s->result.test->options.rfi_name,
                          rfi_study_phase == RFI_PREDICT ? "predict" : "confirm",
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
    rfi_span all = {0, s->executions, 0, 1}; /* every shard predicts everything, so all agree */
    rfi_study_phase = RFI_PREDICT;
    rfi_study_before = 0;
    s->result.planned[0] = s->executions;
    rfi_tally_reset(s->predicted);
    rfi_team_run(&s->campaign->team, &s->job, &all, s->predicted);
    s->result.executions[0] = s->predicted->executions;
    s->result.steps[0] = s->predicted->steps;
    qsort(s->predicted->pair, s->predicted->pairs, sizeof *s->predicted->pair, rfi_pair_order);
    rfi_pairs_group(s->predicted->pair, s->predicted->pairs);
    rfi_study_causes(s, s->predicted, &s->job);
}

RFI_FN void rfi_study_confirm_pair(rfi_study *s, uint32_t i, uint32_t executions) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_pair *p = &s->predicted->pair[i];
    rfi_case *c = &s->cases[i];
    rfi_tally *t = s->confirmed;
    rfi_span range = {0, executions, o->shard - 1, o->shards};
    rfi_tally_reset(t);
    rfi_team_run(&s->campaign->team, &c->job, &range, t);
    p->executions = t->executions;
    p->hits = t->hits;
    p->failed = t->failed;
    memcpy(p->failed_by_kind, t->failed_by_kind, sizeof p->failed_by_kind);
    c->hit_index = t->hit_index;
    for (uint32_t k = 0; k < t->failures; k++) {
        const rfi_failure_kind *f = &t->failure[k];
        if (!f->after_hit || !f->shortest_after_hit) continue;
        if (!c->harmful || rfi_shorter(f->steps, f->index, c->harm.steps, c->harm.index))
            c->harm = *f;
        c->harmful = true;
    }
    rfi_study_causes(s, t, &c->job);
    s->result.executions[1] += t->executions;
    s->result.steps[1] += t->steps;
    s->result.real += p->hits || p->unordered;
}

RFI_FN void rfi_study_confirm(rfi_study *s, int64_t begin, double seconds) {
    uint32_t n = s->predicted->pairs;
    rfi_study_phase = RFI_CONFIRM;
    s->result.planned[1] = n ? (s->executions > n ? s->executions : n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t share = s->executions / n + (i < s->executions % n);
        double from = RFI_PHASE_1_SHARE + (1 - RFI_PHASE_1_SHARE) * (i + 1) / n;
        rfi_study_case(s, &s->predicted->pair[i], &s->cases[i].job);
        rfi_study_deadline(s, begin, seconds * from);
        rfi_study_before = s->result.executions[1];
        rfi_study_confirm_pair(s, i, share ? share : 1);
    }
}

/* Runs both phases of `test`; the study then holds everything that was found. */
RFI_FN void rfi_study_run(rfi_study *s, rfi_campaign *c, const rfi_test *test) {
    rfi_tally *predicted = s->predicted, *confirmed = s->confirmed;
    rfi_case *cases = s->cases;
    if (!predicted) predicted = rfi_pages(sizeof *predicted, false);
    if (!confirmed) confirmed = rfi_pages(sizeof *confirmed, false);
    if (!cases) cases = rfi_pages(RFI_MAX_PAIRS * sizeof *cases, false);
    *s = (rfi_study){.campaign = c, .predicted = predicted, .confirmed = confirmed, .cases = cases};
    memset(cases, 0, predicted->pairs * sizeof *cases);
    rfi_study_settings(s, test);
    rfi_study_now = s;
    c->team.isolate = c->team.isolate || test->options.isolate;
    c->team.verify = c->settings.verify;
    c->team.progress = rfi_study_progress;
    double seconds = rfi_study_seconds(s);
    int64_t begin = rfi_milliseconds();
    bool directed = rfi_study_directed(s);
    rfi_study_deadline(s, begin, directed ? seconds * RFI_PHASE_1_SHARE : seconds);
    rfi_study_predict(s);
    s->result.pair = predicted->pair;
    s->result.pairs = predicted->pairs;
    s->result.pairs_left_out =
        predicted->pairs_left_out > UINT32_MAX ? UINT32_MAX : (uint32_t)predicted->pairs_left_out;
    if (directed)
        rfi_study_confirm(s, begin, seconds);
    else
        for (uint32_t i = 0; i < predicted->pairs; i++)
            s->result.real += predicted->pair[i].unordered != 0;
    rfi_study_deadline(s, begin, 0);
    s->result.seconds = (double)(rfi_milliseconds() - begin) / 1000;
}
#endif
#endif

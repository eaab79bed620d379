/* campaign/study.h: the campaign of one test: predict and confirm.
 *
 * RaceFuzzer's two phases (Sen, PLDI 2008, section 2.2): schedules under the hybrid detector give
 * the pairs (and new ones direct one or two at once); then each pair has a share of the second
 * budget.  It is real if produced, or seen unordered, and harmful if an execution failed behind it.
 */
#ifndef RFI_CAMPAIGN_STUDY_H
#define RFI_CAMPAIGN_STUDY_H
#include "campaign/keep.h"
#include "campaign/suppress.h"

#ifdef RFI_IMPL
# define RFI_SCOUTS      16u   /* executions that tell which analyses have something to do */
# define RFI_SCOUT_EVERY 8u    /* of the later runs this one is a scout too */
# define RFI_POINTS      256u  /* statements that are points, at most; else all are */
# define RFI_LONG        1000u /* steps of an execution: few explorers give one thread more */
# define RFI_LONG_LATER  200u  /* the same behind so many executions: most bugs are found before */
# define RFI_LONG_FIRST  16u
# define RFI_TRIES       2u /* executions that a new warning gets at once */
# define RFI_RACE_TRY    4u /* executions of explorers for one of those that try a race */

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

/* Races belong together when they share a statement or were seen at the same location.  A free or
 * an allocation is a write to all of a block and does not make one variable of it. */
RFI_FN bool rfi_warnings_related(const rfi_warning *p, const rfi_warning *q) {
    if (p->family != RF_FAMILY_RACE || q->family != RF_FAMILY_RACE) return false;
    bool same = p->beside == q->key || q->beside == p->key || p->beside == q->beside;
    for (unsigned a = 0; a < 4; a++)
        same |= p->side[a & 1].site == q->side[a >> 1].site &&
                !(p->side[a & 1].flags & (RF_EV_FREES | RF_EV_MAKES));
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
    if (k->again != c->kind.again) return c->kind.again;
    if (k->early != c->kind.early) return c->kind.early;
    if (k->unwoken != c->kind.unwoken) return c->kind.unwoken;
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
        rfi_folder_shown(RFI_ENTRY_failed, k->key, j, k->index);
    } else {
        bool better = rfi_cause_better(c, k, j);
        rfi_failure_merge(&c->kind, k, better);
        if (better) c->job = *j;
        if (better) rfi_folder_shown(RFI_ENTRY_failed, k->key, j, k->index);
    }
    if (j->phase != RFI_CONFIRM || !rfi_job_directed(j) || !k->blamed) return;
    c->follows |= !j->unknown;
    c->as |= rfi_checker_kinds(rfi_job_checker(j));
}

RFI_FN void rfi_study_causes(rfi_study *s, const rfi_tally *t, const rfi_job *j) {
    for (uint32_t i = 0; i < t->failures; i++) rfi_study_cause(s, &t->failure[i], j);
    rfi_first_site(&s->result.unannounced, t->unannounced);
}

/* ---- the phases ---- */

RFI_VAR rfi_study *rfi_study_now; /* for the progress line */
RFI_VAR unsigned rfi_study_phase;
RFI_VAR uint64_t rfi_study_before;

RFI_VAR unsigned rfi_study_families; /* of what phase 2 directs executions at, RF_FAMILY_BITs */

RFI_FN const char *rfi_study_doing(const rfi_study *s) {
    if (s->campaign->team.telling) return "replaying what was found";
    if (rfi_study_phase == RFI_PREDICT) return "exploring schedules";
    if (rfi_study_phase == RFI_ADVERSARY) return "trying older values";
    switch (rfi_study_families) {
    case RF_FAMILY_BIT(RF_FAMILY_RACE): return "confirming races";
    case RF_FAMILY_BIT(RF_FAMILY_DEADLOCK): return "confirming deadlocks";
    case RF_FAMILY_BIT(RF_FAMILY_ATOMICITY): return "confirming atomicity violations";
    default: return "confirming warnings";
    }
}

/* What there may still be to run, as far as is known: later phases have the same budget. */
RFI_FN uint64_t rfi_study_left(const rfi_study *s, uint64_t done, uint64_t rate) {
    uint64_t n = s->result.planned[rfi_study_phase - 1], ms = UINT64_MAX;
    int64_t end = rfi_study_time(s, 1), now = rfi_milliseconds();
    n -= n > done ? done : n;
    if (rfi_study_phase == RFI_PREDICT && rfi_study_awaits_second(s)) n += s->executions;
    if (rfi_study_phase < RFI_ADVERSARY && rfi_study_awaits_third(s)) n += s->executions;
    if (rate) ms = n * 1000 / rate;
    if (end && (now >= end || (uint64_t)(end - now) < ms))
        ms = now < end ? (uint64_t)(end - now) : 0;
    return ms == UINT64_MAX ? ms : (ms + 999) / 1000;
}

RFI_FN void rfi_study_progress(uint64_t done) {
    static int64_t shown;
    const rfi_study *s = rfi_study_now;
    const rfi_campaign *c = s->campaign;
    int64_t now = c->progress ? rfi_milliseconds() : 0;
    if (!c->progress || now - shown < 100) return;
    shown = now;
    const rfi_summary *sum = &c->summary;
    rfi_standing at = {.test = s->result.test->options.rfi_name,
                       .doing = rfi_study_doing(s),
                       .number = sum->passed + sum->failed + sum->skipped + 1,
                       .tests = sum->tests,
                       .left = UINT64_MAX,
                       .findings = s->causes};
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        at.findings += s->predicted->warning[i].hits || s->predicted->warning[i].seen;
    if (!c->team.telling) {
        uint64_t all = rfi_sum_of_phases(s->result.executions) + done;
        at.done = rfi_study_before + done;
        at.total = s->result.planned[rfi_study_phase - 1];
        if (now > s->begin) at.rate = all * 1000 / (uint64_t)(now - s->begin);
        at.left = rfi_study_left(s, at.done, at.rate);
    }
    c->progress(&at);
}

/* Runs executions of a job; what they did is in s->batch. */
RFI_FN void rfi_study_run_job(rfi_study *s, const rfi_job *j, const rfi_span *range) {
    rfi_result *r = &s->result;
    rfi_tally *t = s->batch;
    rfi_tally_reset(t);
    s->rounds++;
    rfi_study_before = r->executions[rfi_study_phase - 1];
    rfi_team_run(&s->campaign->team, j, range, t);
    if (!r->first_failure && t->first_failed != UINT64_MAX)
        r->first_failure = rfi_sum_of_phases(r->executions) +
                           t->first_failed / s->campaign->team.shards - range->from + 1;
    r->executions[j->phase - 1] += t->executions;
    r->steps[j->phase - 1] += t->steps;
    rfi_cuts_add(&r->cut, &t->cut);
    rfi_cuts_add(&r->unfinished, &t->unfinished);
    r->given_up += t->given_up;
    rfi_memos_keep(j, t);
}

/* What the analyses and checkers have said in the last run.  Workers say it in any order. */
RFI_FN void rfi_study_warnings(rfi_study *s, const rfi_job *j) {
    rfi_tally *t = s->batch, *all = s->predicted;
    RFI_REAL(qsort)(t->warning, t->warnings, sizeof *t->warning, rfi_warning_order);
    for (uint32_t i = 0; i < t->warnings; i++) {
        rfi_warning *w = &t->warning[i];
        if (w->family == RF_FAMILY_RACE && j->phase == RFI_PREDICT)
            for (unsigned side = 0; side < 2; side++)
                rfi_points_add(all->shared, rfi_site_code(w->side[side].site));
        if (j->phase != RFI_PREDICT) { /* it is at something else */
            if (!w->seen) continue;
            w->predicted = 0;
        }
        uint32_t k = rfi_tally_find(all, w->key);
        bool fresh = k == all->warnings;
        if (!fresh && j->phase != RFI_PREDICT && all->warning[k].seen) continue;
        bool first = w->seen && (fresh || !all->warning[k].seen);
        w->seen_at.run = s->rounds;
        if (w->predicted_at.index != UINT64_MAX) w->predicted_at.run = s->rounds;
        uint64_t seen_in = w->seen_at.index, predicted_in = w->predicted_at.index;
        rfi_tally_merge_warning(all, w);
        if (k == RFI_MAX_WARNINGS) continue;
        if (fresh && w->predicted) rfi_folder_shown(RFI_ENTRY_predicted, w->key, j, predicted_in);
        if (first) rfi_folder_shown(RFI_ENTRY_seen, w->key, j, seen_in);
        if (fresh) {
            s->cases[k] = (rfi_case){.job = *j};
            all->warning[k].variable = k;
        }
        if (first) s->cases[k].seen_job = *j;
    }
}

/* Executions that are directed at a warning. */
RFI_FN void rfi_study_direct(rfi_study *s, uint32_t i, const rfi_job *j, const rfi_span *range) {
    rfi_warning *p = &s->predicted->warning[i];
    rfi_case *c = &s->cases[i];
    const rfi_tally *t = s->batch;
    rfi_study_run_job(s, j, range);
    rfi_study_causes(s, t, j);
    p->executions += t->executions;
    p->failed += t->failed;
    for (unsigned k = 0; k < 6; k++) p->failed_by_kind[k] += t->failed_by_kind[k];
    if (t->hits &&
        (!p->hits || rfi_shorter(t->hit_steps, t->hit_index, c->hit_steps, c->hit_index))) {
        c->hit_steps = t->hit_steps;
        c->hit_index = t->hit_index;
        rfi_folder_shown(RFI_ENTRY_produced, p->key, j, t->hit_index);
    }
    p->hits += t->hits;
    for (uint32_t k = 0; k < t->failures; k++) {
        const rfi_failure_kind *f = &t->failure[k];
        if (!f->blamed || !f->shortest_blamed) continue;
        if (!c->harmful || rfi_simpler(f, &c->harm)) {
            c->harm = *f;
            rfi_folder_shown(RFI_ENTRY_harmful, p->key, j, f->index);
        }
        c->harmful = true;
    }
    uint32_t known = s->predicted->warnings;
    rfi_study_warnings(s, j);
    for (; known < s->predicted->warnings; known++) s->cases[known].after = p->key;
}

/* More of them, from the first that it has not had. */
RFI_FN void rfi_study_confirm_one(rfi_study *s, uint32_t i, uint64_t executions) {
    rfi_case *c = &s->cases[i];
    rfi_span range = {c->done, c->done + executions};
    rfi_job again; /* where the example is a replay */
    const rfi_warning *p = &s->predicted->warning[i];
    rfi_job *j = p->hits && c->job.replay ? &again : &c->job;
    if (!c->done || j == &again || j->phase != RFI_CONFIRM)
        rfi_study_case(s, rfi_study_checker(s, p), p, j);
    rfi_study_direct(s, i, j, &range);
    c->done += executions;
    rfi_study_directed_to(s, i);
}

/* ---- phase 1 ---- */

/* One more execution for each warning that has had `time` of them; races take what they may. */
RFI_FN void rfi_study_try_once(rfi_study *s, uint32_t time, uint64_t *left) {
    for (uint32_t i = 0; i < s->predicted->warnings && *left; i++) {
        bool race = s->predicted->warning[i].family == RF_FAMILY_RACE;
        if (s->cases[i].done - s->cases[i].from != time || !rfi_study_confirms(s, i)) continue;
        if (race && s->race_tries < RFI_RACE_TRY) continue;
        if (race) s->race_tries -= RFI_RACE_TRY;
        rfi_study_confirm_one(s, i, 1);
        --*left;
    }
}

/* New warnings are tried before long, each twice: what directed executions find is found early.
 * Most races do no harm, so they get one execution in so many; half of phase 2's go this way at
 * most. */
RFI_FN void rfi_study_try(rfi_study *s, uint64_t explored) {
    uint64_t left = s->executions / 2;
    s->race_tries += explored;
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        left -= s->cases[i].done - s->cases[i].from;
    for (uint32_t time = 0; time < RFI_TRIES; time++) rfi_study_try_once(s, time, &left);
}

/* Warnings in the order of what they say, with their cases. */
RFI_FN void rfi_study_sort(rfi_study *s) {
    rfi_warning *w = s->predicted->warning;
    uint32_t n = s->predicted->warnings;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k && rfi_warning_order(&w[k - 1], &w[k]) > 0; k--) {
            rfi_warning warning = w[k];
            rfi_case kase = s->cases[k];
            w[k] = w[k - 1];
            s->cases[k] = s->cases[k - 1];
            w[k - 1] = warning;
            s->cases[k - 1] = kase;
        }
    rfi_warnings_group(w, n);
}

/* From here on, orders are compared at the statements that the first scouts have found, so that a
 * scout's order is like that of the others.  Theirs were not. */
RFI_FN void rfi_study_count(rfi_study *s) {
    if (s->counts) return;
    s->counts = true;
    memcpy(s->counted, s->predicted->shared, sizeof s->counted);
    rfi_orders_reset(&s->predicted->orders);
    for (uint32_t i = 0; i < s->arms; i++) s->explored[i].fresh = 0;
}

/* What the next executions of phase 1 know from the earlier ones.  Some of the later ones look
 * again for statements that touch shared data. */
RFI_FN void rfi_study_prepare(rfi_study *s, rfi_job *j) {
    const rfi_tally *sums = s->predicted;
    bool scouts = sums->executions < RFI_SCOUTS;
    uint32_t points = 0;
    for (unsigned i = 0; i < RFI_POINT_WORDS; i++) points += rfi_bits(sums->shared[i]);
    j->asleep = scouts ? ~UINT64_C(0) : ~sums->woken;
    /* a search through all schedules must see the same steps throughout */
    j->scout = rfi_study_scouts(s) && !j->strategy->serial;
    j->shared = j->scout && !scouts && points <= RFI_POINTS && s->batches % RFI_SCOUT_EVERY;
    if (j->scout && s->common) j->counted = s->counted;
    j->apart = s->common;
    if (!j->scout || scouts) return;
    memcpy(j->point, sums->shared, sizeof j->point);
    rfi_study_count(s);
    j->counted = s->counted;
    j->scout = !j->shared;
}

/* What the last batch of an explorer has added; how many of its orders nobody had shown before, or,
 * where scenarios are proved one by one, how many of these it has begun. */
RFI_FN uint64_t rfi_study_explored(rfi_study *s, rfi_arm *a) {
    rfi_explored *x = &s->explored[a - s->arm];
    const rfi_tally *t = s->batch;
    uint64_t fresh = a->proves ? 0 : rfi_orders_merge(&s->predicted->orders, &t->orders);
    uint64_t scenes = rfi_scenes_ran(&s->scenes, t, rfi_job_strategy(&a->job));
    rfi_coverage_add(&s->predicted->coverage, &t->coverage);
    x->executions += t->executions;
    x->fresh += fresh;
    x->failed += t->failures_left_out;
    for (uint32_t i = 0; i < t->failures; i++) x->failed += t->failure[i].count;
    if (a->stays && !s->scenes.search.certain) a->most = 0;
    return a->stays ? scenes : fresh;
}

/* Explorers that enumerate stop no threads (scenario.h). */
RFI_FN bool rfi_study_unstopped(const rfi_study *s) {
    bool unstopped = s->job.test->options.progress && !s->proved;
    for (uint32_t i = 0; i < s->arms; i++)
        unstopped &= !s->explored[i].executions || rfi_job_strategy(&s->arm[i].job)->choose;
    return unstopped;
}

RFI_FN void rfi_study_statistics(rfi_study *s) {
    const rfi_tally *sums = s->predicted;
    rfi_statistics *r = &s->result.statistics;
    *r = (rfi_statistics){.switches = sums->switches,
                          .preemptions = sums->preemptions,
                          .compared = sums->orders.executions,
                          .orders = rfi_orders_count(&sums->orders, false),
                          .once = rfi_orders_count(&sums->orders, true),
                          .left_out = sums->left_out,
                          .skipped = sums->skipped,
                          .untold = sums->hooked && rfi_untold_any(),
                          .unstopped = rfi_study_unstopped(s),
                          .sampled = sums->orders.level != 0,
                          .drawn = true,
                          .proved = s->proved && !s->causes,
                          .unsteady = s->unsteady,
                          .explorer = s->explored,
                          .explorers = s->arms,
                          .coverage = s->job.covers ? &sums->coverage : NULL};
    if (s->job.test->options.progress == RF_WAIT_FREE) r->own = sums->own;
    rfi_scenes_sum(&s->scenes, s->job.test, s->before != 0, &r->scenarios);
    if (s->causes) r->scenarios.own.most = 0;
    if (!s->job.spurious) r->left_out.calm = 0;
    if (s->proved) r->left_out.held = r->left_out.held_in = 0; /* by others, and beside the point */
    s->result.sight = (rfi_sight){sums->steps,
                                  sums->kinds,
                                  sums->threads,
                                  sums->hooked && !sums->plain && !rfi_code_announces,
                                  sums->hooked && rfi_symbols.apart,
                                  !sums->executions};
    for (uint32_t i = 0; i < s->arms; i++) {
        rfi_explored *x = &s->explored[i];
        const rfi_job *j = &s->arm[i].job;
        x->strategy = rfi_job_strategy(j);
        x->parameter = j->parameter;
        bool kept = x->strategy->rfi_keeps && s->arm[i].next; /* by earlier processes */
        if (!x->executions && !kept) continue;
        x->tacit = rfi_arm_extra(&s->arm[i]) && !s->arm[i].told;
        x->proved = s->arm[i].proved;
        if (x->strategy->serial && !rfi_arm_extra(&s->arm[i])) r->drawn = false;
        bool wrong = (s->unsteady || s->refuted) && x->strategy->left;
        bool says = x->strategy->summary && !wrong;
        const char *summary = says ? x->strategy->summary() : NULL;
        snprintf(x->summary, sizeof x->summary, "%s", summary ? summary : "");
    }
}

/* The first failure is replayed at once: if it depends on earlier executions, so may all others,
 * and there is no use in going on.  False: it does. */
RFI_FN bool rfi_study_probe(rfi_study *s) {
    rfi_team *team = &s->campaign->team;
    const rfi_cause *c = &s->cause[0];
    if (!s->causes || s->probed || !team->workers || team->isolate) return true;
    rf_diagnostic d = c->kind.failure.diagnostic;
    s->probed = true;
    if (d == RF_DIAG_RUNAWAY || d == RF_DIAG_BLOCKED || d == RF_DIAG_UNREPEATABLE) return true;
    const rfi_record *r = rfi_team_replay(team, &c->job, c->kind.index);
    s->old =
        r && !r->cut && !(r->failure.diagnostic && rfi_failure_key(&r->failure) == c->kind.key);
    return !s->old;
}

RFI_FN void rfi_study_predict(rfi_study *s) {
    s->result.planned[0] = s->executions;
    rfi_tally_reset(s->predicted);
    rfi_scenes_reset(&s->scenes);
    for (uint32_t i = 0; i < s->arms; i++) { /* before any: some share what they learn */
        const rf_strategy *strategy = rfi_job_strategy(&s->arm[i].job);
        s->arm[i].job.keeps = !strategy->serial;
        if (strategy->learn && strategy->forget) strategy->forget();
    }
}

/* Are executions so long that one thread is seldom run entirely before another one? */
RFI_FN bool rfi_study_long(const rfi_study *s) {
    const rfi_tally *sums = s->predicted;
    uint64_t length = sums->executions < RFI_LONG_FIRST ? RFI_LONG : RFI_LONG_LATER;
    return sums->executions && sums->steps / sums->executions >= length;
}

/* Is there nothing to prove: a failure or a race was seen, nothing is scheduled, executions are
 * long, or a search leaves something out? */
RFI_FN bool rfi_study_unprovable(const rfi_study *s, const rfi_left_out *left) {
    const rfi_tally *sums = s->predicted;
    rfi_sight sight = {.steps = sums->steps, .kinds = sums->kinds, .threads = sums->threads};
    bool some = sums->executions >= RFI_LATER;
    for (uint32_t i = 0; i < sums->warnings; i++)
        if (sums->warning[i].seen && sums->warning[i].family == RF_FAMILY_RACE) return true;
    return s->causes || left->unused || left->stopped || left->late || left->anytime ||
           (some && (rfi_sight_none(&sight) || sums->steps > sums->executions * RFI_PROOF_STEPS));
}

# define RFI_MADE_AGAIN 8u

/* Are some executions the same when they are made again?  Else they depend on earlier ones or on
 * chance, which may look the same once, and what was explored is not all.  Nor is it if one of them
 * fails, which then is a failure like any other. */
RFI_FN bool rfi_study_repeats(rfi_study *s) {
    rfi_team *team = &s->campaign->team;
    rfi_job j = s->job;
    rfi_span some = {0, RFI_MADE_AGAIN};
    bool verify = team->verify;
    j.strategy = &rfi_random;
    j.parameter = 0;
    rfi_tally_reset(s->batch);
    team->verify = true;
    rfi_team_run(team, &j, &some, s->batch);
    team->verify = verify;
    for (uint32_t i = 0; i < s->batch->failures; i++) {
        const rfi_failure_kind *k = &s->batch->failure[i];
        bool differs = k->failure.diagnostic == RF_DIAG_UNREPEATABLE;
        *(differs ? &s->unsteady : &s->refuted) = true;
        if (!differs) rfi_study_cause(s, k, &j);
    }
    if (s->refuted) s->result.executions[j.phase - 1] += s->batch->executions;
    return !s->batch->failures;
}

/* An explorer that goes through everything has run. */
RFI_FN void rfi_study_weigh(rfi_study *s, rfi_arm *a) {
    uint64_t had = s->had + s->predicted->executions + s->campaign->team.losses.lost;
    bool waits = s->job.test->options.progress && s->scenes.waits; /* which may be no progress */
    bool done = !waits && !rfi_job_strategy(&a->job)->left();
    bool wrong = done && !s->causes && !rfi_study_repeats(s);
    if (waits && a->job.scenes)
        rfi_arm_stay(a);
    else if (wrong)
        rfi_portfolio_disprove(s->arm, s->arms);
    else if (s->arms == 1)
        s->proved = a->proved = done;
    else if (!waits && a->most > a->next)
        s->proved = rfi_portfolio_weigh(s->arm, s->arms, a, s->executions - had);
}

/* One that tries each place where a handler may strike has run, to its end if `all`.  Memory is
 * that of one core: if it has gone through everything, and could choose all that may happen, nobody
 * else is needed. */
RFI_FN void rfi_study_struck(rfi_study *s, rfi_arm *a, bool all) {
    const rfi_tally *t = s->batch;
    const rfi_left_out *left = &t->left_out;
    a->lacks |= !all || t->kinds & RFI_NOT_ALL || (left->calm && s->job.spurious) ||
                left->processes || rfi_study_unprovable(s, left);
    if (a->lacks || !a->exhausted || rfi_bounded.rfi_fewer() != UINT32_MAX) return;
    s->proved = rfi_study_repeats(s);
    if (s->proved) rfi_portfolio_proved(s->arm, s->arms, a);
}

/* Phase 1, or more of it.  Every shard predicts everything, so all agree. */
RFI_FN void rfi_study_explore(rfi_study *s) {
    rfi_tally *sums = s->predicted;
    rfi_arm *a;
    bool tries = rfi_study_directed(s) && !rfi_job_serial(&s->job);
    const rfi_losses *losses = &s->campaign->team.losses;
    while (s->had + sums->executions + losses->lost < s->executions &&
           (a = rfi_portfolio_next(s->arm, s->arms, sums->executions, s->batches)) != NULL) {
        uint64_t most = s->executions - s->had - sums->executions - losses->lost;
        uint64_t n = rfi_arm_batch(a, sums->executions, sums->steps);
        bool weighed = rfi_job_strategy(&a->job)->left && !a->stays;
        if (weighed) n = rfi_arm_part(a, s->executions);
        if (weighed && rfi_folder.out && n > RFI_KEPT_PART) n = RFI_KEPT_PART;
        if (most > a->most - a->next) most = a->most - a->next;
        rfi_span range = {a->next, a->next + (n < most ? n : most)};
        rfi_study_deadline(s, rfi_study_until(s, RFI_PREDICT));
        if (rfi_team_over(&s->campaign->team)) break;
        uint32_t lost = losses->lost;
        rfi_study_phase = RFI_PREDICT;
        rfi_study_prepare(s, &a->job);
        if (!s->serials && a->job.serials && (s->exact ? !a->next : rfi_study_long(s))) {
            s->serials = !s->exact;
            a->job.opening = s->exact ? 1 : rfi_team_index(&s->campaign->team, a->next) + 1;
        }
        rfi_study_run_job(s, &a->job, &range);
        rfi_study_causes(s, s->batch, &a->job);
        rfi_study_warnings(s, &a->job);
        rfi_left_out left_out = sums->left_out;
        rfi_own_steps own = sums->own;
        if (rfi_own_steps_add(&own, s->batch->own)) s->own_job = a->job;
        rfi_tally_sums(sums, s->batch);
        if (sums->kinds & RFI_STRUCK && rfi_study_may_search(s))
            rfi_portfolio_strikes(s->arm, &s->arms, &s->job,
                                  rfi_study_may_prove(s) && !s->job.scenes);
        if (a->proves) sums->left_out = left_out;
        left_out = a->proves ? s->batch->left_out : (rfi_left_out){0};
        s->batches++;
        bool all = !rfi_team_over(&s->campaign->team) && losses->lost == lost;
        a->steps += s->batch->steps;
        rfi_arm_ran(a, range.to, s->batch->executions, rfi_study_explored(s, a), all);
        rfi_study_checkpoint(s, false);
        if (rfi_study_unprovable(s, &left_out)) rfi_portfolio_disprove(s->arm, s->arms);
        if (all && (weighed || (a->stays && a->exhausted))) rfi_study_weigh(s, a);
        if (a->strikes) rfi_study_struck(s, a, all);
        if (rfi_team_over(&s->campaign->team) || !rfi_study_probe(s)) break;
        if (tries) rfi_study_try(s, range.to - range.from);
        if (rfi_team_over(&s->campaign->team)) break;
    }
    rfi_study_statistics(s);
    rfi_study_sort(s);
}

/* ---- phase 2 ---- */

/* Each warning that a checker confirms gets a part of the budget, and so does each checker without
 * a target. */
RFI_FN void rfi_study_confirm(rfi_study *s) {
    uint32_t warnings = s->predicted->warnings, n = 0, done = 0;
    const rf_checker *c;
    for (uint32_t i = 0; i < warnings; i++) n += rfi_study_confirms(s, i);
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        n += !c->confirms && rfi_checker_in(rfi_study_explorers(s), c);
    rfi_study_phase = RFI_CONFIRM;
    rfi_study_families = 0;
    s->result.planned[1] = n ? (s->executions > n ? s->executions : n) : 0;
    double before = rfi_study_until(s, RFI_PREDICT), after = rfi_study_until(s, RFI_CONFIRM);
    rfi_job job;
    for (uint32_t i = 0; i < warnings; i++) {
        if (!rfi_study_confirms(s, i)) continue;
        uint64_t share = rfi_shard_part(s->executions, done, n);
        uint64_t tried = s->cases[i].done - s->cases[i].from;
        rfi_study_families |= RF_FAMILY_BIT(s->predicted->warning[i].family);
        rfi_study_deadline(s, before + (after - before) * ++done / n);
        if (!tried || share > tried) rfi_study_confirm_one(s, i, share > tried ? share - tried : 1);
    }
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++) {
        if (c->confirms || !rfi_checker_in(rfi_study_explorers(s), c)) continue;
        uint64_t share = rfi_shard_part(s->executions, done, n), from = rfi_study_base(s);
        rfi_span range = {from, from + (share ? share : 1)};
        rfi_study_deadline(s, before + (after - before) * ++done / n);
        rfi_study_case(s, c, NULL, &job);
        rfi_study_run_job(s, &job, &range);
        rfi_study_causes(s, s->batch, &job);
        rfi_study_warnings(s, &job);
    }
}
#endif
#endif

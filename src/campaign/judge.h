/* campaign/judge.h: from what was found to what is printed, and whether the test passes. */
#ifndef RFI_CAMPAIGN_JUDGE_H
#define RFI_CAMPAIGN_JUDGE_H
#include "campaign/experiment.h"
#include "campaign/resume.h"
#include "campaign/shrink.h"

#ifdef RFI_IMPL
RFI_FN rfi_verdict rfi_study_verdict(rfi_study *s, uint32_t pair) {
    if (s->cases[pair].harmful) return RFI_HARMFUL;
    if (rfi_study_destructive(s, pair)) return RFI_DESTRUCTIVE;
    return rfi_warning_real(&s->predicted->warning[pair]) ? RFI_REAL : RFI_POTENTIAL;
}

/* A failure that was seen after a warning had come true, or only where a race's memory returned
 * older values, is its doing: it is told with it, if the warning is known. */
RFI_FN bool rfi_cause_of_warning(const rfi_cause *c) {
    if (c->job.phase != RFI_ADVERSARY) return c->follows;
    return rfi_job_directed(&c->job) && !c->job.unknown && !rfi_cause_ordinary(c);
}

/* Does the test expect the failure as the doing of what it expects? */
RFI_FN bool rfi_cause_expected(const rfi_study *s, const rfi_cause *c, unsigned expect) {
    if (c->job.phase != RFI_ADVERSARY) return expect & (c->as | c->kind.after);
    return expect & RF_EXPECT_RACE &&
           (rfi_cause_of_warning(c) || c->job.unknown || rfi_cause_together(s, c));
}

/* Has none of its executions come to its end, or was there no time for one?  What an explorer ends
 * early may be all that there is in a part of a campaign. */
RFI_FN bool rfi_study_open(const rfi_study *s, bool nothing) {
    const rfi_result *r = &s->result;
    const rfi_settings *o = &s->campaign->settings;
    bool part = o->shards > 1 || o->folder || o->merge.count;
    uint64_t open = r->cut.executions + r->unfinished.executions + (part ? 0 : r->given_up);
    return (nothing && r->capped) || (open && open >= rfi_sum_of_phases(r->executions));
}

/* What kind of fault a warning is, RF_EXPECT_*; one that is none by itself is what it led to. */
RFI_FN unsigned rfi_study_kind(const rfi_study *s, uint32_t i) {
    const rfi_case *k = &s->cases[i];
    unsigned kind = rfi_family(s->predicted->warning[i].family)->kind;
    return kind || !k->harmful ? kind : rfi_diagnostic(k->harm.failure.diagnostic)->kind;
}

/* The kinds found, and which of them the test's expectation covers. */
RFI_FN void rfi_study_judge(rfi_study *s) {
    rfi_result *r = &s->result;
    unsigned expect = r->test->options.expect, found = 0, blamed = 0;
    bool harm_only = s->campaign->settings.fail_on == RFI_FAIL_ON_HARM, suppressed = false;
    r->potential = r->real = r->destructive = r->harmful = 0;
    for (uint32_t i = 0; i < r->warnings; i++) {
        rfi_verdict v = rfi_study_verdict(s, i);
        bool fault = rfi_family(r->warning[i].family)->kind;
        r->potential += fault && v == RFI_POTENTIAL;
        r->real += fault && v == RFI_REAL;
        r->destructive += v == RFI_DESTRUCTIVE;
        r->harmful += v == RFI_HARMFUL;
        unsigned kind = rfi_study_kind(s, i);
        if (v != RFI_POTENTIAL) found |= kind;
        const rfi_case *k = &s->cases[i];
        if (rfi_suppressed(r->test, &r->warning[i], k->harmful ? &k->harm.failure : NULL)) {
            suppressed = true;
            continue;
        }
        if (v > RFI_REAL || (v == RFI_REAL && !harm_only)) blamed |= kind;
    }
    for (uint32_t i = 0; i < s->causes; i++) {
        const rfi_cause *c = &s->cause[i];
        unsigned kind = rfi_diagnostic(c->kind.failure.diagnostic)->kind;
        found |= kind;
        if (rfi_cause_expected(s, c, expect)) continue;
        /* a warning's doing fails the test if the warning does */
        if (rfi_cause_of_warning(c) ? suppressed
                                    : rfi_suppressed(r->test, NULL, &c->kind.failure) != NULL)
            continue;
        blamed |= kind;
    }
    r->found = found;
    r->missing = expect & ~found;
    uint64_t skipped = s->predicted->skipped + s->omitted;
    r->skipped = skipped && skipped == s->predicted->executions + s->judged;
    r->statistics.omitted = s->omitted;
    r->losses = s->campaign->team.losses;
    bool merging = s->campaign->settings.merge.count;
    bool nothing = !rfi_sum_of_phases(r->executions) &&
                   (!s->before || (!merging && !s->executions)); /* others have filled the folder */
    bool none = rfi_study_open(s, nothing);
    bool done = !r->losses.lost && !r->losses.ended[0];
    r->passed = done && !none && !r->skipped && !r->missing && !(blamed & ~expect);
    if (none)
        snprintf(r->reason, sizeof r->reason, "no execution has %s",
                 r->unfinished.executions || r->given_up ? "come to its end" : "ended in time");
    if (r->skipped)
        snprintf(r->reason, sizeof r->reason, "%s",
                 s->predicted->skipped ? s->predicted->skip_reason : "so was all in the folders");
    r->merged = merging ? s->before : 0;
    if (nothing && (merging || !s->executions)) {
        r->skipped = r->elsewhere = true;
        r->passed = false;
        if (merging)
            snprintf(r->reason, sizeof r->reason, "these folders have nothing of it");
        else
            snprintf(r->reason, sizeof r->reason, "its %llu execution%s of other shards",
                     (unsigned long long)s->whole, s->whole == 1 ? " is" : "s are");
    }
}

/* ---- findings, each replayed before it is told ---- */

typedef struct rfi_telling {
    rfi_study *study;
    bool silent;     /* only find out whether everything reproduces */
    bool reproduced; /* everything did so far */
} rfi_telling;

/* The warning as the replay has told it; NULL: it has not seen it happen. */
RFI_FN const rfi_warning *rfi_replay_warning(const rfi_telling *t, const rfi_finding *f) {
    const rfi_team *team = &t->study->campaign->team;
    const rfi_tally *tally = team->workers ? &team->worker[0].shared->tally : &team->here->tally;
    for (uint32_t i = 0; f->warning && i < tally->warnings; i++)
        if (tally->warning[i].key == f->warning->key && tally->warning[i].seen)
            return &tally->warning[i];
    return NULL;
}

RFI_FN bool rfi_replay_agrees(const rfi_telling *t, const rfi_finding *f, const rfi_record *r) {
    if (f->failure && f->failure->failure.diagnostic == RF_DIAG_UNREPEATABLE) return true;
    if (f->failure) return r->failure.diagnostic && rfi_failure_key(&r->failure) == f->failure->key;
    return r->hit_count || rfi_replay_warning(t, f);
}

/* Have all explorers executed all schedules with fewer preemptions, and none of them failed so? (Of
 * what earlier processes have seen only the shortest example is known.) */
RFI_FN bool rfi_study_fewest(rfi_study *s, uint64_t key, uint64_t preemptions) {
    const rfi_cause *c = rfi_study_known(s, key);
    bool fewest = c && c->kind.fewest >= preemptions && !c->kind.stale && !rfi_job_strays(&c->job);
    for (uint32_t i = 0; i < s->arms; i++) {
        const rf_strategy *x = rfi_job_strategy(&s->arm[i].job);
        if (!x->rfi_fewer || x->rfi_fewer() < preemptions) return false;
    }
    return fewest && !s->before && !s->unsteady;
}

/* Replays the execution that shows the finding.  A failure's schedule is shrunk then: *j and what
 * is replayed are that of the shrunk one. */
RFI_FN void rfi_tell_replay(const rfi_telling *t, rfi_finding *f, rfi_job *j, uint64_t *index,
                            rfi_shrunk *shrunk) {
    rfi_campaign *c = t->study->campaign;
    bool late = c->team.end && rfi_milliseconds() >= c->team.end;
    late |= t->silent && rfi_interrupted;
    if (f->suppressed) return;
    j->chains = !t->silent;
    j->brief = f->brief;
    for (unsigned k = 0; f->warning && k < 2; k++) j->chain_at[k] = f->warning->side[k].site;
    f->record = late ? NULL : rfi_team_replay(&c->team, j, *index);
    f->reproduced = f->record && rfi_replay_agrees(t, f, f->record);
    if (t->silent || !f->reproduced || !f->failure || f->brief) return;
    if (!rfi_shrinkable(f->record, c->settings.shrink)) return;
    const rfi_record *r =
        rfi_shrink(&c->team, j, index, f->record, &c->settings, t->study->batch, shrunk);
    shrunk->fewest = rfi_study_fewest(t->study, f->failure->key, shrunk->preemptions);
    f->shrunk = shrunk;
    f->record = r ? r : rfi_team_replay(&c->team, j, *index);
    f->reproduced = f->record && rfi_replay_agrees(t, f, f->record);
}

RFI_FN void rfi_tell(rfi_telling *t, rfi_finding *f, const rfi_job *job, uint64_t index) {
    rfi_study *s = t->study;
    rfi_campaign *c = s->campaign;
    static char token[RFI_TOKEN_BYTES];
    rf_diagnostic d = f->failure ? f->failure->failure.diagnostic : RF_DIAG_NONE;
    if (t->silent && (d == RF_DIAG_RUNAWAY || d == RF_DIAG_BLOCKED)) return; /* takes its time */
    rfi_job shown_job = *job, *j = &shown_job;
    rfi_shrunk shrunk;
    rfi_tell_replay(t, f, j, &index, &shrunk);
    bool unknown = !f->record || f->record->cut; /* whether it would have been so */
    t->reproduced &= f->reproduced || unknown;
    if (t->silent) return;
    s->result.unreplayed += !f->record && !f->suppressed;
    if (!f->suppressed) f->output = rfi_team_output(&c->team);
    rfi_token_write(j, index, f->record, token);
    f->token = token;
    rfi_warning happened; /* the threads and places of this very execution */
    const rfi_warning *seen = rfi_replay_warning(t, f);
    if (seen && seen->family != RF_FAMILY_RACE) {
        happened = *f->warning;
        happened.sides = seen->sides;
        memcpy(happened.side, seen->side, sizeof seen->side);
        memcpy(happened.text, seen->text, sizeof seen->text);
        f->warning = &happened;
    }
    rfi_failure_kind shown;
    if (f->reproduced && f->failure && f->record) {
        shown = *f->failure;
        if (rfi_diagnostic(d)->kind == RF_EXPECT_CRASH || f->shrunk)
            shown.failure = f->record->failure; /* a replay knows better where a process died */
        shown.steps = f->record->steps;
        f->failure = &shown;
    }
    if (!f->reproduced && unknown && f->record)
        f->note =
            "The replay of this execution was cut off when time was up; by its token it is whole.";
    else if (!f->reproduced && f->record)
        f->note =
            c->team.workers
                ? "This execution did not repeat in a fresh process: the test depends on something "
                  "outside of it (time, addresses, input, files)."
                : "This execution did not repeat: the test depends on earlier executions or on "
                  "something outside of it; RF_JOBS=1 finds out, it has fresh processes.";
    if (f->record && f->record->used_more)
        f->note = "The explorer used more of what it had learned than a token can hold: the token "
                  "does not repeat this execution.";
    if (s->result.stateful && f->reproduced)
        f->note =
            "The test keeps state between executions (a static or global that the body does not "
            "set); each execution had a process of its own.";
    if (f->fails || f->suppressed) rfi_folder_fails(f->print); /* it is not gone */
    c->reporter->finding(c->out, &s->result, f);
}

/* One that would fail the test may be suppressed. */
RFI_FN void rfi_item_suppress(rfi_study *s, rfi_finding *f) {
    const rfi_failure *failure = f->failure ? &f->failure->failure : NULL;
    rfi_result *r = &s->result;
    f->print = rfi_print_of(r->test, f->warning, failure);
    if (f->fails) f->suppressed = rfi_suppressed(r->test, f->warning, failure);
    if (!f->suppressed) return;
    f->fails = false;
    ++*(f->suppressed == rfi_by_baseline ? &r->known : &r->suppressed);
}

/* The finding of a warning, and which execution shows it. */
RFI_FN rfi_item rfi_warning_item(rfi_study *s, uint32_t i) {
    const rfi_case *k = &s->cases[i];
    const rfi_warning *p = &s->predicted->warning[i];
    unsigned kind = rfi_study_kind(s, i);
    rfi_finding f = {.warning = p, .verdict = rfi_study_verdict(s, i), .token = "", .output = ""};
    rfi_item item = {.of = k};
    f.expected = s->result.test->options.expect & kind;
    bool harm_only = s->campaign->settings.fail_on == RFI_FAIL_ON_HARM;
    f.fails = kind && !f.expected && f.verdict > (harm_only ? RFI_REAL : RFI_POTENTIAL);
    switch (f.verdict) {
    case RFI_HARMFUL:
        f.failure = &k->harm;
        item.job = &k->job;
        item.index = k->harm.index;
        break;
    case RFI_DESTRUCTIVE:
        f.failure = &k->ruin;
        item.job = &k->ruin_job;
        item.index = k->ruin.index;
        break;
    case RFI_REAL:
        item.job = p->hits ? &k->job : &k->seen_job;
        item.index = p->hits ? k->hit_index : p->seen_at.index;
        break;
    case RFI_POTENTIAL: break;
    }
    item.finding = f;
    return item;
}

RFI_FN rfi_item rfi_cause_item(const rfi_study *s, const rfi_cause *c) {
    unsigned kind = rfi_diagnostic(c->kind.failure.diagnostic)->kind;
    unsigned expect = s->result.test->options.expect;
    bool together = rfi_cause_together(s, c);
    if (together) kind |= RF_EXPECT_RACE;
    rfi_finding f = {.failure = &c->kind,
                     .token = "",
                     .output = "",
                     .together = together,
                     .expected = expect & kind || rfi_cause_expected(s, c, expect)};
    f.fails = !f.expected;
    return (rfi_item){.finding = f, .job = &c->job, .index = c->kind.index};
}

/* What there is to tell, group by group, and of these in this order: harmful and destructive
 * warnings, failures of other causes, real warnings, predictions.  How many; to be freed. */
RFI_FN uint32_t rfi_study_items(rfi_study *s, bool silent, rfi_item **list) {
    uint32_t n = 0;
    rfi_item *item = RFI_REAL(calloc)(s->result.warnings + s->causes + 1, sizeof *item);
    if (!item) rfi_die("out of memory (findings)");
    for (int v = RFI_HARMFUL; v >= RFI_POTENTIAL; v--) {
        if (v == RFI_REAL)
            for (uint32_t i = 0; i < s->causes; i++)
                if (!rfi_cause_of_warning(&s->cause[i]))
                    item[n++] = rfi_cause_item(s, &s->cause[i]);
        for (uint32_t i = 0; i < s->result.warnings; i++)
            if ((int)rfi_study_verdict(s, i) == v) item[n++] = rfi_warning_item(s, i);
    }
    s->result.suppressed = s->result.known = 0;
    for (uint32_t i = 0; i < n; i++) rfi_item_suppress(s, &item[i].finding);
    rfi_items_alone(item, n);
    rfi_items_join(item, n, false);
    if (!silent) rfi_items_try(s, item, n);
    rfi_items_join(item, n, true);
    rfi_items_order(item, n, s->campaign->settings.all);
    *list = item;
    return n;
}

/* The schedule in which a call has taken the most steps of its own. */
RFI_FN void rfi_study_own(rfi_study *s) {
    static char token[RFI_TOKEN_BYTES];
    rfi_statistics *of = &s->result.statistics;
    rfi_team *team = &s->campaign->team;
    bool late = rfi_interrupted || (team->end && rfi_milliseconds() >= team->end);
    if (!of->own.most || late) return;
    const rfi_record *r = rfi_team_replay(team, &s->own_job, of->own.index);
    if (!r || r->used_more || r->own.most != of->own.most) return;
    rfi_token_write(&s->own_job, of->own.index, r, token);
    of->own_token = token;
}

/* Tells all; or finds out (silent) whether all reproduces. */
RFI_FN bool rfi_study_tell(rfi_study *s, bool silent) {
    rfi_telling t = {s, silent, true};
    rfi_campaign *c = s->campaign;
    rfi_item *item;
    uint32_t n = rfi_study_items(s, silent, &item);
    for (uint32_t i = 0; i < n; i++)
        if (item[i].job)
            rfi_tell(&t, &item[i].finding, item[i].job, item[i].index);
        else if (!silent)
            c->reporter->finding(c->out, &s->result, &item[i].finding);
    RFI_REAL(free)(item);
    if (!silent) rfi_study_own(s);
    return t.reproduced;
}

/* ---- the whole ---- */

/* Was everything executed, so that no warning of a race or a deadlock can come true? */
RFI_FN bool rfi_study_settled(const rfi_study *s) {
    const unsigned families = RF_FAMILY_BIT(RF_FAMILY_RACE) | RF_FAMILY_BIT(RF_FAMILY_DEADLOCK);
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        if (!(families & RF_FAMILY_BIT(s->predicted->warning[i].family))) return false;
    return s->proved && !s->causes;
}

/* Phase 1 leaves some time for the others; what they do not need it has in the end.  Not where
 * schedules are gone through in an order, which the other phases would disturb. */
RFI_FN void rfi_study_phases(rfi_study *s) {
    rfi_team *team = &s->campaign->team;
    rfi_study_explore(s);
    if (s->campaign->settings.merge.count) return;
    bool left = team->capped, serial = false;
    for (uint32_t i = 0; i < s->arms; i++) serial |= rfi_job_serial(&s->arm[i].job);
    if (!serial) team->capped = false;
    if (s->old || rfi_study_settled(s)) return;
    if (rfi_study_directed(s)) rfi_study_confirm(s);
    if (rfi_study_adversarial(s)) rfi_study_adversary(s);
    if (!left || serial) return;
    s->rest = true;
    rfi_study_deadline(s, 1);
    rfi_study_explore(s);
    bool tried = true;
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        tried &= s->cases[i].done > s->cases[i].from || !rfi_study_confirms(s, i);
    if (!tried && !rfi_team_over(team)) rfi_study_confirm(s);
}

/* Runs the phases of `test`; the study then holds everything that was found. */
RFI_FN void rfi_study_run(rfi_study *s, rfi_campaign *c, const rfi_test *test, int64_t since) {
    rfi_tally *predicted = s->predicted, *batch = s->batch;
    rfi_case *cases = s->cases;
    if (!predicted) predicted = rfi_pages(sizeof *predicted, false);
    if (!batch) batch = rfi_pages(sizeof *batch, false);
    if (!cases) cases = rfi_pages(RFI_MAX_WARNINGS * sizeof *cases, false);
    memset(s, 0, offsetof(rfi_study, scenes)); /* which rfi_study_predict resets */
    s->campaign = c, s->predicted = predicted, s->batch = batch, s->cases = cases;
    memset(cases, 0, predicted->warnings * sizeof *cases);
    rfi_memos_forget();
    rfi_study_settings(s, test);
    rfi_study_now = s;
    c->team.losses = (rfi_losses){0};
    c->team.isolate = c->team.isolate || test->options.isolate;
    c->team.verify = c->settings.verify;
    c->team.progress = rfi_study_progress;
    s->begin = rfi_milliseconds();
    s->seconds = rfi_study_seconds(s);
    if (s->seconds > 0) { /* one that is over is still a cap */
        double left = s->seconds - (double)(s->begin - since) / 1000;
        s->seconds = left > 0.001 ? left : 0.001;
    }
    rfi_study_predict(s);
    rfi_study_begin(s);
    rfi_study_phases(s);
    rfi_study_round(s);
    s->result.capped |= c->team.capped;
    c->team.capped = false;
    s->result.warning = predicted->warning;
    s->result.warnings = predicted->warnings;
    s->result.warnings_left_out = predicted->warnings_left_out > UINT32_MAX
                                      ? UINT32_MAX
                                      : (uint32_t)predicted->warnings_left_out;
    s->result.seconds = (double)(rfi_milliseconds() - s->begin) / 1000;
}

/* Do findings depend on earlier executions, and is there time to find them without?  Part of the
 * time for telling goes into that. */
RFI_FN bool rfi_study_depends(rfi_study *s) {
    rfi_team *team = &s->campaign->team;
    int64_t now = rfi_milliseconds(), told = rfi_study_time(s, rfi_share_told);
    if (!team->workers || team->isolate || rfi_interrupted) return false;
    rfi_study_tell_until(s, told ? now + (told - now) / 3 : 0);
    bool depends = s->old || !rfi_study_tell(s, true);
    bool late = told && rfi_milliseconds() > rfi_study_time(s, 0.8);
    return depends && !late && !rfi_interrupted;
}

# define RFI_TOO_FEW 20u /* executions: fewer are told loudly, if the cap is the reason */

/* Why a test has not passed, if the engine could not do its work. */
RFI_FN void rfi_say_losses(rfi_result *r) {
    const rfi_losses *l = &r->losses;
    if (r->reason[0]) return;
    if (l->ended[0])
        snprintf(r->reason, sizeof r->reason, "given up: %.230s", l->ended);
    else if (l->lost)
        snprintf(r->reason, sizeof r->reason, "%u execution%s could not be run: %.200s", l->lost,
                 l->lost == 1 ? "" : "s", l->why);
}

/* What has failed before, and had no time to do so again, has not passed; what is expected, or does
 * not count, may be all of it. */
RFI_FN void rfi_say_unheard(rfi_study *s) {
    rfi_result *r = &s->result;
    if (!s->unheard || !r->passed || r->test->options.expect || r->suppressed || r->known) return;
    r->passed = false;
    snprintf(r->reason, sizeof r->reason,
             "there was no time to replay what is known in the folder (--seconds)");
}

/* Would more executions tell more?  Not where what was expected was found, nor where there are no
 * others. */
RFI_FN bool rfi_study_wants_more(const rfi_study *s, const rfi_test *test) {
    bool more = false;
    for (uint32_t i = 0; i < s->arms; i++) more |= !s->arm[i].exhausted;
    return more && !s->proved && s->result.passed && !test->options.expect;
}

/* A test that passes after few executions. */
RFI_FN void rfi_say_few(const rfi_campaign *c, rfi_study *s, const rfi_test *test) {
    rfi_result *r = &s->result;
    uint64_t done = rfi_sum_of_phases(r->executions) + r->merged, least = c->settings.least;
    bool capped = r->capped && !least && done < RFI_TOO_FEW;
    if (!rfi_study_wants_more(s, test)) return;
    r->few = done < least;
    if ((r->few || capped) && !r->reason[0])
        snprintf(r->reason, sizeof r->reason,
                 "only %llu execution%s: this says next to nothing (--seconds, --min-executions)",
                 (unsigned long long)done, done == 1 ? "" : "s");
}

/* What an earlier run has told by itself, and is told with a warning now, is not gone; and a later
 * one may tell by itself what is told with a warning now. */
RFI_FN void rfi_study_follow(rfi_study *s) {
    const rfi_test *test = s->result.test;
    for (uint32_t i = 0; i < s->causes; i++) {
        const rfi_cause *c = &s->cause[i];
        if (!rfi_cause_of_warning(c)) continue;
        uint64_t print = rfi_print_of(test, NULL, &c->kind.failure);
        s->result.led_to[s->result.leads++] = print;
        if (!rfi_cause_expected(s, c, test->options.expect)) rfi_folder_fails(print);
    }
}

/* The whole campaign of a test, told to the reporter. */
RFI_FN void rfi_campaign_test(rfi_campaign *c, rfi_study *s, const rfi_test *test) {
    c->reporter->test(c->out, test);
    c->team.isolate = c->team.interrupted = false;
    int64_t begin = rfi_milliseconds();
    rfi_study_run(s, c, test, begin);
    rfi_study_judge(s);
    if (rfi_study_depends(s)) {
        c->team.isolate =
            true; /* state from earlier executions got in the way: once more, without */
        rfi_study_run(s, c, test, begin);
        rfi_study_judge(s);
        s->result.stateful = true;
    }
    if (rfi_interrupted) {
        s->result.passed = false;
        snprintf(s->result.reason, sizeof s->result.reason, "interrupted by %s",
                 rfi_signal_name(rfi_interrupted));
    }
    rfi_study_tell_until(s, rfi_study_time(s, rfi_share_told));
    c->team.telling = true;
    if (!rfi_study_tell(s, false)) s->result.stateful = false; /* it is something else */
    c->team.telling = false;
    rfi_study_follow(s);
    if (!s->result.elsewhere && !rfi_interrupted) rfi_folder_tried(test, s->unheard);
    rfi_say_unheard(s);
    s->result.losses = c->team.losses;
    rfi_say_losses(&s->result);
    rfi_say_few(c, s, test);
    c->reporter->result(c->out, &s->result);
    c->summary.passed += s->result.passed;
    c->summary.few += s->result.few;
    c->summary.skipped += s->result.skipped;
    c->summary.elsewhere += s->result.elsewhere;
    c->summary.suppressed += s->result.suppressed;
    c->summary.known += s->result.known;
    c->summary.failed += !s->result.passed && !s->result.skipped;
    c->summary.ended += !s->result.passed && s->result.losses.ended[0] && !s->causes &&
                        !s->result.real && !s->result.harmful && !s->result.destructive;
}
#endif
#endif

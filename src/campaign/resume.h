/* campaign/resume.h: how the study of a test goes on where its campaign was left.
 *
 * What is known is replayed first, by the tokens: each warning and each failure until one of its
 * executions shows it again.  Then the explorers go on behind the executions that their lane has
 * had, with what these have taught (as far as that was kept).
 */
#ifndef RFI_CAMPAIGN_RESUME_H
#define RFI_CAMPAIGN_RESUME_H
#include "campaign/adversary.h"

#ifdef RFI_IMPL
/* ---- tokens ---- */

/* The warning that a job is directed at; RFI_MAX_WARNINGS: none that is known. */
RFI_FN uint32_t rfi_study_target(const rfi_study *s, const rfi_job *j) {
    const rfi_tally *known = s->predicted;
    uint32_t n = rfi_job_targets(j);
    for (uint32_t i = 0; n && i < known->warnings; i++)
        if (known->warning[i].targets == n &&
            !memcmp(known->warning[i].target, j->target, n * sizeof *j->target))
            return i;
    return RFI_MAX_WARNINGS;
}

/* Is known what the note tells? */
RFI_FN bool rfi_entry_known(rfi_study *s, const rfi_entry *n) {
    uint64_t key = rfi_entry_hex(n->text, "key");
    const rfi_tally *all = s->predicted;
    if (n->kind == RFI_ENTRY_failed) return rfi_study_known(s, key) != NULL;
    uint32_t i = rfi_tally_find(all, key);
    if (i == all->warnings) return false;
    switch (n->kind) {
    case RFI_ENTRY_seen: return all->warning[i].seen;
    case RFI_ENTRY_produced: return all->warning[i].hits;
    case RFI_ENTRY_harmful: return s->cases[i].harmful;
    case RFI_ENTRY_destructive: return s->cases[i].destructive;
    default: return true;
    }
}

/* One execution again, as part of the study. */
RFI_FN void rfi_study_replays(rfi_study *s, rfi_job *j, uint64_t index) {
    rfi_team *team = &s->campaign->team;
    uint32_t shards = team->shards, shard = team->shard, i = rfi_study_target(s, j);
    rfi_span one = {index, index + 1};
    team->shards = 1, team->shard = 0; /* the index is that of all */
    rfi_study_phase = j->phase;
    j->unknown = i == RFI_MAX_WARNINGS && rfi_job_directed(j); /* it is not predicted any more */
    if (i < RFI_MAX_WARNINGS) rfi_job_sites(j, &s->predicted->warning[i]);
    if (j->phase == RFI_CONFIRM && i < RFI_MAX_WARNINGS) {
        bool hit = s->predicted->warning[i].hits, harmful = s->cases[i].harmful;
        rfi_study_direct(s, i, j, &one);
        if ((s->predicted->warning[i].hits && !hit) || (s->cases[i].harmful && !harmful))
            s->cases[i].job = *j;
    } else {
        rfi_study_run_job(s, j, &one);
        if (j->phase == RFI_ADVERSARY && i < RFI_MAX_WARNINGS)
            (void)rfi_trial_judge(s, &s->cases[i], &s->predicted->warning[i].trial[j->pick], j);
        else
            rfi_study_causes(s, s->batch, j);
        rfi_study_warnings(s, j);
    }
    team->shards = shards, team->shard = shard;
}

/* Replays the token of a note. */
RFI_FN void rfi_study_note(rfi_study *s, const rfi_entry *n) {
    static rfi_token t;
    char why[256];
    if (!rfi_token_read(rfi_entry_text(n->text, "token"), &t, why, sizeof why)) return;
    if (rfi_job_strategy(&t.job)->values && !n->built && !s->campaign->settings.merge.count)
        return; /* what it tells of reads need not be allowed any more; it is searched for anew */
    t.job.test = s->job.test;
    t.job.analyses = s->job.analyses;
    t.job.replay = true;
    if (t.job.used_bytes) { /* for as long as somebody may replay it */
        uint8_t *used = RFI_REAL(malloc)(t.job.used_bytes);
        if (!used) rfi_die("out of memory (campaign)");
        memcpy(used, t.used, t.job.used_bytes);
        t.job.used = used;
    }
    rfi_study_replays(s, &t.job, t.index);
}

RFI_FN void rfi_study_recall(rfi_study *s, const char *name) {
    const rfi_team *team = &s->campaign->team;
    for (rfi_entry_kind kind = 0; kind <= RFI_ENTRY_failed; kind++)
        for (const rfi_entry *n = rfi_folder.first; n; n = n->next) {
            if (n->kind != kind || strcmp(n->test, name) || rfi_entry_known(s, n)) continue;
            rfi_study_deadline(s, 1);
            if (!rfi_team_over(team)) rfi_study_note(s, n);
            if (!rfi_team_over(team)) continue;
            s->unheard |= kind > RFI_ENTRY_predicted && !rfi_entry_known(s, n);
        }
}

/* ---- how far it is ---- */

RFI_FN rfi_arm *rfi_study_arm(rfi_study *s, const char *explorer) {
    for (uint32_t i = 0; i < s->arms; i++)
        if (!strcmp(rfi_job_strategy(&s->arm[i].job)->name, explorer)) return &s->arm[i];
    return NULL;
}

/* What its executions have taught, or how far its search is. */
RFI_FN void rfi_study_relearn(const rfi_arm *a, const rfi_entry *entry) {
    const rf_strategy *s = rfi_job_strategy(&a->job);
    uint32_t n;
    const uint8_t *bytes = rfi_entry_bytes(entry->text, s->name, &n);
    if (!bytes) return;
    if (entry->kind == RFI_ENTRY_search && s->rfi_go_on) s->rfi_go_on(bytes, n);
    if (entry->kind == RFI_ENTRY_lesson && s->learn && !s->serial) s->learn(bytes, n);
}

RFI_FN void rfi_study_reorder(rfi_study *s, const char *line) {
    rfi_orders *o = &s->predicted->orders;
    const char *at = strstr(line, "\"members\":\"");
    uint64_t level = rfi_entry_number(line, "level");
    if (!at || level > 63) return;
    o->executions += rfi_entry_number(line, "executions");
    while (o->level < level) rfi_orders_settle(o);
    for (at += 11; strlen(at) > 16 && *at != '"'; at += 17)
        (void)rfi_orders_put(o, strtoull(at, NULL, 16));
}

/* ---- orders that can be compared ----
 *
 * Orders of several processes can be compared where the same statements count (behaviour.h).  What
 * a process learns of them is its own, so some executions that all processes of a campaign have in
 * common find them: random schedules, with the campaign's seed.  Who comes later reads them. */

/* The statements that stand in the folder. */
RFI_FN bool rfi_study_statements_known(rfi_study *s, const char *name) {
    const rfi_entry *n = rfi_folder.first;
    static rfi_job read;
    while (n && (n->kind != RFI_ENTRY_statements || !n->built || strcmp(n->test, name) != 0))
        n = n->next;
    memset(read.point, 0, sizeof read.point);
    if (!n || !rfi_token_points(rfi_entry_text(n->text, "points"), &read)) return false;
    memcpy(s->counted, read.point, sizeof s->counted);
    return true;
}

/* Finds them. */
RFI_FN bool rfi_study_statements_found(rfi_study *s) {
    rfi_team *team = &s->campaign->team;
    rfi_job j = s->job;
    uint32_t shards = team->shards, shard = team->shard;
    rfi_span first = {0, RFI_SCOUTS};
    j.seed = rfi_folder.seed;
    j.strategy = &rfi_random;
    j.parameter = 0;
    j.scout = true;
    j.serials = true; /* as tokens have it */
    j.asleep = ~UINT64_C(0);
    rfi_study_phase = RFI_PREDICT;
    rfi_study_deadline(s, rfi_study_until(s, RFI_PREDICT));
    team->shards = 1, team->shard = 0; /* so they are the same in all shards */
    rfi_study_run_job(s, &j, &first);
    team->shards = shards, team->shard = shard;
    rfi_study_causes(s, s->batch, &j);
    rfi_study_warnings(s, &j);
    memcpy(s->counted, s->batch->shared, sizeof s->counted);
    return s->batch->executions == RFI_SCOUTS;
}

RFI_FN void rfi_study_compare(rfi_study *s, const char *name) {
    static char points[RFI_TOKEN_BYTES];
    if (!rfi_folder.out || !s->executions || !rfi_study_scouts(s) || rfi_job_serial(&s->job))
        return;
    bool known = rfi_study_statements_known(s, name);
    if (!known && !rfi_study_statements_found(s)) return;
    s->counts = s->common = true;
    for (unsigned i = 0; i < RFI_POINT_WORDS; i++) s->predicted->shared[i] |= s->counted[i];
    if (known) return;
    rfi_text t = {points, points + sizeof points};
    rfi_token_put_points(&t, s->counted);
    FILE *out = rfi_folder_line(RFI_ENTRY_statements, s->result.test);
    fprintf(out, ",\"points\":\"%s\"", points);
    rfi_saved_executions(s, out);
    rfi_folder_end();
}

/* In a merge: the statements that most executions were compared at. */
RFI_FN uint64_t rfi_study_most_compared(const char *name) {
    rfi_map sum = {0};
    uint64_t best = 0, most = 0;
    for (const rfi_entry *n = rfi_folder.first; n; n = n->next) {
        if (n->kind != RFI_ENTRY_orders || !n->built || strcmp(n->test, name) != 0) continue;
        uint64_t at = rfi_entry_hex(n->text, "statements");
        uint64_t *of = rfi_map_at(&sum, at);
        *of += rfi_entry_number(n->text, "executions");
        if (*of > most) most = *of, best = at;
    }
    rfi_map_free(&sum);
    return best;
}

/* What was not tried on the way to where a search is. */
RFI_FN void rfi_study_left_out(rfi_study *s, const char *line) {
    rfi_left_out *left = &s->predicted->left_out;
# define RFI_RECALL(field) left->field += rfi_entry_number(line, # field);
    RFI_LEFT_OUT(RFI_RECALL)
# undef RFI_RECALL
}

/* Sets arms and budget as the lane has left them. */
RFI_FN void rfi_study_resume(rfi_study *s, const char *name) {
    uint64_t base[RFI_ARMS] = {0};
    const rfi_entry *search = NULL;
    bool merging = s->campaign->settings.merge.count;
    uint64_t statements = merging ? rfi_study_most_compared(name) : rfi_study_statements(s);
    for (const rfi_entry *n = rfi_folder.first; n; n = n->next) {
        if (strcmp(n->test, name) != 0) continue;
        s->before += rfi_entry_number(n->text, "executions") * (n->kind != RFI_ENTRY_orders);
        if (n->kind != RFI_ENTRY_orders && n->kind != RFI_ENTRY_statements)
            s->judged += rfi_entry_number(n->text, "executions");
        s->omitted += rfi_entry_number(n->text, "skipped");
        rfi_arm *a = rfi_study_arm(s, rfi_entry_text(n->text, "explorer"));
        if (n->kind == RFI_ENTRY_orders && (merging ? n->built : n->ours) &&
            rfi_entry_hex(n->text, "statements") == statements)
            rfi_study_reorder(s, n->text);
        if (!n->ours || merging) continue;
        if (n->kind == RFI_ENTRY_done && a) a->next = rfi_entry_number(n->text, "next");
        if (n->kind == RFI_ENTRY_lesson && a) rfi_study_relearn(a, n);
        if (n->kind == RFI_ENTRY_search && a &&
            rfi_entry_hex(n->text, "under") == rfi_folder_under(&a->job))
            search = n;
        if (n->kind != RFI_ENTRY_round) continue;
        s->round = rfi_entry_number(n->text, "number");
        for (uint32_t i = 0; i < s->arms; i++) base[i] = s->arm[i].next;
    }
    rfi_arm *of = search ? rfi_study_arm(s, rfi_entry_text(search->text, "explorer")) : NULL;
    if (of) rfi_study_relearn(of, search); /* the last one has all */
    if (of) rfi_study_left_out(s, search->text);
    for (uint32_t i = 0; i < s->arms; i++) {
        rfi_arm *a = &s->arm[i];
        s->had += a->next - base[i];
        if (a->most != UINT64_MAX) a->most += base[i];
        rfi_saved.next[i] = a->next;
        a->from = a->next ? 0 : a->from;
    }
    if (merging || s->had > s->executions) s->had = s->executions;
    s->result.planned[RFI_PREDICT - 1] = s->executions - s->had;
}

/* How far phase 2 is with each warning. */
RFI_FN void rfi_study_redirect(rfi_study *s, const char *name) {
    for (const rfi_entry *n = rfi_folder.first; n; n = n->next) {
        if (strcmp(n->test, name) != 0 || !n->ours) continue;
        for (uint32_t i = 0; n->kind == RFI_ENTRY_round && i < s->predicted->warnings; i++)
            s->cases[i].from = s->cases[i].done;
        if (n->kind != RFI_ENTRY_directed) continue;
        uint32_t i = rfi_tally_find(s->predicted, rfi_entry_hex(n->text, "key"));
        if (i < s->predicted->warnings) s->cases[i].done = rfi_entry_number(n->text, "next");
    }
}

/* Before phase 1. */
RFI_FN void rfi_study_begin(rfi_study *s) {
    char name[RFI_TOKEN_NAME];
    rfi_token_name(s->result.test->options.rfi_name, name);
    rfi_folder.room = RFI_LESSONS_KEPT;
    rfi_map_reset(&rfi_folder.taught);
    memset(&rfi_saved, 0, offsetof(struct rfi_saved, told));
    rfi_saved.pause = 1000, rfi_saved.at = rfi_milliseconds();
    rfi_orders_reset(&rfi_saved.told);
    rfi_study_compare(s, name);
    if (!rfi_folder.first && !s->campaign->settings.merge.count) return;
    rfi_study_resume(s, name);
    rfi_study_recall(s, name);
    rfi_study_redirect(s, name);
    rfi_saved.executions = rfi_sum_of_phases(s->result.executions);
    rfi_saved.skipped = s->predicted->skipped;
    rfi_saved.orders = s->predicted->orders.executions;
    (void)rfi_orders_merge(&rfi_saved.told, &s->predicted->orders);
}
#endif
#endif

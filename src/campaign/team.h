/* campaign/team.h: the supervisor of the workers.
 *
 * It forks them, records the death of one in its tally and forks another for the remaining
 * executions, ends workers that hang, and sums the tallies.  Which worker runs what does not
 * change the sum.  It takes signals only while it waits: SIGCHLD, so that a process for each
 * execution costs little more than a fork; SIGINT, SIGTERM and SIGHUP, after the first of which
 * the campaign ends with what it has found (a second one ends it at once).
 */
#ifndef RFI_CAMPAIGN_TEAM_H
#define RFI_CAMPAIGN_TEAM_H
#include "campaign/memo.h"
#include "campaign/supervise.h"

#ifdef RFI_IMPL
# include <sys/select.h>

# define RFI_ECHO_MS 500 /* a signal that comes again within this time is the same wish */
# define RFI_LAST_MS 500 /* for telling what was found, after the first; a second is promised */

/* Which executions of this shard: number from, from+1, ... below to. */
typedef struct rfi_span {
    uint64_t from, to;
} rfi_span;

/* The index of execution n of this shard: no other shard has it. */
RFI_INLINE uint64_t rfi_team_index(const rfi_team *team, uint64_t n) {
    return n * team->shards + team->shard;
}

/* ---- opening and closing ---- */

/* The first wish is noted, and so is its echo: timeout(1) sends a signal twice.  A later one is to
 * be taken literally. */
RFI_FN void rfi_on_interrupt(int sig) {
    static volatile int64_t first;
    int64_t now = rfi_milliseconds();
    if (rfi_interrupted && now - first > RFI_ECHO_MS) {
        RFI_REAL(signal)(sig, SIG_DFL);
        RFI_REAL(raise)(sig);
    } else if (!rfi_interrupted) {
        rfi_interrupted = sig;
        first = now;
        if (rfi.current) rfi_hurry(rfi.record); /* the execution that runs in this process */
    }
}

RFI_FN void rfi_on_death(int sig) { (void)sig; }

/* Makes ready to run jobs, with team->backend; 0 workers: in this process. */
RFI_FN void rfi_team_open(rfi_team *team, uint32_t workers) {
    if (rfi_local_wanted(team->local)) rfi_local_open();
    rfi_engine_open(team->backend); /* before the fork: workers start warm */
    rfi_code_open();                /* and have the same places */
    rfi_crash_unwinder();
    team->workers = workers;
    team->shards = 1; /* until it is divided */
    team->supervisor = rfi_process();
    if (!workers) {
        team->here = rfi_shared_new();
        return;
    }
    team->nothing = RFI_REAL(open)("/dev/null", O_RDONLY | O_CLOEXEC);
    team->worker = RFI_REAL(calloc)(workers, sizeof *team->worker);
    if (!team->worker) rfi_die("out of memory");
    for (uint32_t i = 0; i < workers; i++) {
        team->worker[i].shared = rfi_shared_new();
        team->worker[i].output = rfi_output_new();
    }
}

/* From here to rfi_team_close, SIGCHLD is blocked but for waits, and a wish for an end is noted. */
RFI_FN void rfi_team_listen(rfi_team *team) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &team->mask);
    team->wait = team->mask;
    sigdelset(&team->wait, SIGCHLD);
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++) {
        struct sigaction a = {.sa_handler = i ? rfi_on_interrupt : rfi_on_death,
                              .sa_flags = SA_RESTART};
        sigemptyset(&a.sa_mask);
        RFI_REAL(sigaction)(rfi_team_signals[i], NULL, &team->before[i]);
        if (i && team->before[i].sa_handler == SIG_IGN) continue; /* as nohup wants it */
        RFI_REAL(sigaction)(rfi_team_signals[i], &a, NULL);
    }
}

RFI_FN void rfi_shared_free(rfi_shared *s) {
    rfi_watch_forget(&s->record);
    rfi_leavings_clear(&s->record.leavings);
    rfi_shared_twice(s, false);
    RFI_REAL(munmap)(s, sizeof *s);
}

RFI_FN void rfi_team_deaf(const rfi_team *team) {
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++)
        RFI_REAL(sigaction)(rfi_team_signals[i], &team->before[i], NULL);
}

/* After an interrupt its handler stays until all is printed: the echo may come late. */
RFI_FN void rfi_team_close(rfi_team *team) {
    if (!rfi_interrupted) rfi_team_deaf(team);
    sigprocmask(SIG_SETMASK, &team->mask, NULL);
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_shared_free(team->worker[i].shared);
        RFI_REAL(close)(team->worker[i].output);
    }
    if (team->workers)
        RFI_REAL(close)(team->nothing);
    else
        rfi_shared_free(team->here);
    RFI_REAL(free)(team->worker);
}

/* ---- all of them ---- */

/* Nothing more is to be run. */
RFI_FN bool rfi_team_over(const rfi_team *team) {
    return team->capped || rfi_interrupted || team->losses.ended[0];
}

/* Those that run are to end now, wherever they stand.  Said again and again: one may just begin. */
RFI_FN RFI_COLD void rfi_team_hurry(rfi_team *team, int64_t now) {
    if (!team->hurried) team->hurried = now;
    for (uint32_t i = 0; i < team->workers; i++) {
        team->worker[i].shared->stop = 1;
        rfi_hurry(&team->worker[i].shared->record);
    }
}

/* An interrupt while it is told what was found leaves little time for the rest. */
RFI_FN void rfi_team_heed(rfi_team *team, int64_t now) {
    if (!rfi_interrupted || !team->telling || team->interrupted) return;
    team->interrupted = true;
    if (!team->end || team->end > now + RFI_LAST_MS) team->end = now + RFI_LAST_MS;
}

/* Waits for a death, a wish for an end, the deadlines, or the time to look at the workers. */
RFI_FN void rfi_team_wait(rfi_team *team) {
    int64_t ms = RFI_LOOK_MS, now = rfi_milliseconds(), next = team->end;
    if (team->deadline && !team->capped) next = team->deadline;
    if (team->hurried) next = team->hurried + team->grace;
    if (next && next - now < ms) ms = next > now ? next - now : 0;
    struct timespec t = {0, (long)ms * 1000000};
    (void)pselect(0, NULL, NULL, NULL, &t, &team->wait);
    now = rfi_milliseconds();
    if (team->deadline && !team->capped && now >= team->deadline) {
        team->capped = true;
        for (uint32_t i = 0; i < team->workers; i++) team->worker[i].shared->stop = 1;
    }
    rfi_team_heed(team, now);
    if ((team->end && now >= team->end) || (rfi_interrupted && !team->telling))
        rfi_team_hurry(team, now);
}

/* The way through the executions of a range in this process. */
typedef struct rfi_here {
    rfi_team *team;
    const rfi_job *job;
    rfi_plan *p;
    uint64_t i, to, done;
    uint32_t looks, left; /* the clock is looked at once in so many executions; until it is */
    int64_t looked;       /* ms */
} rfi_here;

# define RFI_HERE_LOOKS 64u

/* Looks at the clock, rarely where executions are short: is it time to begin no further one? */
RFI_FN bool rfi_here_late(rfi_here *h) {
    rfi_team *team = h->team;
    if (h->left) {
        h->left--;
        return false;
    }
    int64_t now = rfi_milliseconds();
    h->looks = now - h->looked > 1 ? 1 : h->looks < RFI_HERE_LOOKS ? h->looks * 2 : h->looks;
    h->left = h->looks - 1;
    h->looked = now;
    if (team->progress && h->done) team->progress(h->done);
    team->capped |= team->deadline && now >= team->deadline;
    return team->deadline && now >= team->deadline;
}

RFI_FN bool rfi_here_more(rfi_here *h) {
    rfi_shared *s = h->team->here;
    if (h->i >= h->to || rfi_interrupted) return false;
    if (rfi_job_serial(h->job)) {
        s->lessons.used = 0; /* learned */
        if (!rfi_series_goes_on(h->job, s)) return false;
    }
    return !rfi_here_late(h);
}

RFI_FN void rfi_here_next(rfi_here *h) {
    h->i++;
    h->done++;
}

RFI_FN bool rfi_here_before(void *here) {
    rfi_here *h = here;
    if (!rfi_here_more(h)) return false;
    rfi_job_next(h->p, rfi_team_index(h->team, h->i), &h->team->here->record);
    return true;
}

RFI_FN void rfi_here_after(void *here) {
    rfi_here *h = here;
    rfi_worker_add(h->team->here, true);
    rfi_here_next(h);
}

RFI_FN void rfi_team_run_here(rfi_team *team, const rfi_job *j, const rfi_span *range,
                              rfi_tally *t) {
    rfi_plan p;
    rfi_shared *s = team->here;
    rfi_here here = {team, j, &p, range->from, range->to, 0, 1, 0, 0};
    rfi_series all = {&p, &s->record, j->test, rfi_here_before, rfi_here_after, &here};
    team->job = j;
    rfi_job_arm(j);
    rfi_job_plan(j, team->verify, &p);
    rfi_shared_ready(team, s);
    rfi_worker_school(j, s);
    rfi_sink_tally = &s->tally;
    rfi_crash_until = team->end;
    s->record.over = 0;
    if (!s->first) rfi_execute(&all);
    for (; rfi_here_more(&here); rfi_here_next(&here)) /* to verify: each of them twice */
        rfi_worker_run(j, &p, rfi_team_index(team, here.i), s);
    if (rfi_job_serial(j)) s->lessons.used = 0;
    rfi_tally_merge(t, &s->tally);
}

/* Runs executions with what has been learned until now. */
RFI_FN void rfi_team_run_forked(rfi_team *team, const rfi_job *j, const rfi_span *range,
                                rfi_tally *t) {
    uint32_t workers = rfi_job_serial(j) ? 1 : team->workers;
    uint64_t first = rfi_team_index(team, range->from), to = rfi_team_index(team, range->to);
    rfi_task task = {j, to, (uint64_t)team->shards * workers, false, t};
    team->hurried = 0;
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_worker *w = &team->worker[i];
        rfi_worker_ready(team, w, &task, first + (uint64_t)i * team->shards);
        if (i < workers && w->next < to) rfi_worker_fork(team, w, &task);
    }
    for (bool busy = true; busy;) {
        rfi_team_wait(team);
        busy = false;
        for (uint32_t i = 0; i < workers; i++)
            busy |= rfi_worker_tend(team, &team->worker[i], &task);
        uint64_t done = t->executions;
        for (uint32_t i = 0; i < workers; i++) done += team->worker[i].shared->tally.executions;
        if (team->progress) team->progress(done);
    }
}

/* ---- a search that is divided ---- */

/* Each of its parts has so many indices, from `from` on. */
typedef struct rfi_parts_run {
    rfi_team *team;
    const rfi_job *job;
    rfi_tally *sum;
    uint64_t from, each;
    uint32_t parts, begun;
    uint64_t ran[RFI_PARTS];
    rfi_task task[RFI_MAX_JOBS];
} rfi_parts_run;

/* The next part is a worker's. */
RFI_FN void rfi_parts_begin(rfi_parts_run *r, uint32_t worker) {
    rfi_worker *w = &r->team->worker[worker];
    rfi_task *task = &r->task[worker];
    uint64_t from = r->from + r->begun * r->each;
    *task = (rfi_task){r->job, from + r->each, 1, false, r->sum};
    w->part = ++r->begun;
    rfi_job_part(r->job, w->part);
    rfi_worker_ready(r->team, w, task, from);
    rfi_worker_fork(r->team, w, task);
}

RFI_FN bool rfi_parts_tend(rfi_parts_run *r, uint32_t worker) {
    rfi_worker *w = &r->team->worker[worker];
    if (!w->part) return false;
    if (rfi_worker_tend(r->team, w, &r->task[worker])) return true;
    r->ran[w->part - 1] = w->ran;
    w->part = 0;
    if (r->begun == r->parts || rfi_team_over(r->team)) return false;
    rfi_parts_begin(r, worker);
    return true;
}

RFI_FN void rfi_parts_forked(rfi_parts_run *r) {
    rfi_team *team = r->team;
    team->hurried = 0;
    for (uint32_t i = 0; i < team->workers && r->begun < r->parts; i++) rfi_parts_begin(r, i);
    for (bool busy = true; busy;) {
        rfi_team_wait(team);
        busy = false;
        for (uint32_t i = 0; i < team->workers; i++) busy |= rfi_parts_tend(r, i);
        uint64_t done = r->sum->executions;
        for (uint32_t i = 0; i < team->workers; i++)
            if (team->worker[i].part) done += team->worker[i].shared->tally.executions;
        if (team->progress) team->progress(done);
    }
}

RFI_FN void rfi_parts_here(rfi_parts_run *r) {
    for (; r->begun < r->parts && !rfi_team_over(r->team); r->begun++) {
        uint64_t before = r->sum->executions, from = r->from + r->begun * r->each;
        rfi_span range = {from, from + r->each};
        rfi_job_part(r->job, r->begun + 1);
        rfi_team_run_here(r->team, r->job, &range, r->sum);
        r->ran[r->begun] = r->sum->executions - before;
    }
}

/* Runs all parts.  Their executions have indices with gaps between them; how many came before the
 * first that failed is told all the same, `number` before them all. */
RFI_FN void rfi_team_run_parts(rfi_team *team, const rfi_job *j, uint64_t number, uint32_t parts,
                               uint64_t each, rfi_tally *t) {
    static rfi_parts_run r;
    r = (rfi_parts_run){.team = team,
                        .job = j,
                        .sum = t,
                        .from = number + team->skipped,
                        .each = each,
                        .parts = parts};
    uint64_t failed = t->first_failed;
    if (team->workers)
        rfi_parts_forked(&r);
    else
        rfi_parts_here(&r);
    rfi_job_part(j, 0);
    uint64_t before = number;
    for (uint32_t i = 0; i < parts; i++) {
        uint64_t from = r.from + i * each;
        bool here = t->first_failed != failed && t->first_failed - from < each;
        if (here) failed = before + (t->first_failed - from);
        before += r.ran[i];
    }
    t->first_failed = failed;
    team->skipped += parts * each - (before - number);
}

RFI_FN void rfi_team_run_batch(rfi_team *team, const rfi_job *j, const rfi_span *range,
                               rfi_tally *t) {
    if (team->workers)
        rfi_team_run_forked(team, j, range, t);
    else
        rfi_team_run_here(team, j, range, t);
    if (rfi_job_learns(j)) rfi_team_learn(team, j);
}

/* Executions of a search that can be divided, one after the other. */
RFI_FN void rfi_team_run_whole(rfi_team *team, const rfi_job *j, const rfi_span *range,
                               rfi_tally *t) {
    rfi_span later = {range->from + team->skipped, range->to + team->skipped};
    uint64_t failed = t->first_failed;
    rfi_team_run_batch(team, j, &later, t);
    if (t->first_failed != failed) t->first_failed -= team->skipped;
}

/* Runs the executions of a range and adds them to `t`.  Where executions teach, ranges follow one
 * another, and one that begins at 0 is another campaign's. */
RFI_FN void rfi_team_run(rfi_team *team, const rfi_job *j, const rfi_span *range, rfi_tally *t) {
    const rf_strategy *strategy = rfi_job_strategy(j);
    rfi_span batch = *range;
    bool learns = rfi_job_learns(j);
    bool divides = rfi_job_serial(j) && strategy->rfi_divide && !j->scenes;
    if (learns && !range->from && !j->keeps && strategy->forget) {
        strategy->forget();
        team->skipped = 0;
    }
    while (batch.from < range->to && !rfi_team_over(team)) {
        uint64_t before = t->executions, each = range->to - batch.from;
        uint32_t parts = divides ? strategy->rfi_divide(each, &each) : 0;
        if (learns && strategy->exhausted && strategy->exhausted()) break;
        uint64_t end = rfi_batch_end_under(strategy, batch.from);
        if (learns && !strategy->serial && end < range->to) batch.to = end;
        if (divides) batch.to = batch.from + each;
        if (parts)
            rfi_team_run_parts(team, j, batch.from, parts, each, t);
        else if (divides)
            rfi_team_run_whole(team, j, &batch, t);
        else
            rfi_team_run_batch(team, j, &batch, t);
        if (rfi_job_serial(j) && t->executions == before) break;
        batch.from = rfi_job_serial(j) ? batch.from + (t->executions - before) : batch.to;
        batch.to = range->to;
    }
    rfi_tally_sort(t);
}

/* Runs one execution with its trace in a fresh process (or here), with what it had used of what had
 * been learned; its record stays until the next call.  NULL: it could not be run. */
RFI_FN const rfi_record *rfi_team_replay(rfi_team *team, const rfi_job *of, uint64_t index) {
    const rfi_memo *memo = of->used ? NULL : rfi_memo_of(of, index);
    rfi_job again = *of;
    const rfi_job *j = &again;
    again.replay = true;
    if (memo) {
        again.used = memo->used;
        again.used_bytes = memo->bytes;
    }
    if (!team->workers) {
        rfi_plan p;
        team->job = of;
        rfi_job_arm(j);
        rfi_job_plan(j, true, &p);
        rfi_shared_ready(team, team->here);
        rfi_worker_school(j, team->here);
        rfi_crash_until = team->end;
        team->here->record.over = 0;
        rfi_worker_run(j, &p, index, team->here);
        rfi_team_heed(team, rfi_milliseconds());
        return &team->here->record;
    }
    rfi_worker *w = &team->worker[0];
    rfi_task task = {j, index + 1, 1, true, NULL};
    bool isolate = team->isolate;
    team->hurried = 0;
    team->isolate = true;
    rfi_worker_ready(team, w, &task, index);
    rfi_worker_fork(team, w, &task);
    do {
        rfi_team_wait(team);
        if (team->progress && team->telling) team->progress(0);
    } while (rfi_worker_tend(team, w, &task));
    team->isolate = isolate;
    return w->shared->tally.executions ? &w->shared->record : NULL;
}

/* The end of what the last replay wrote. */
RFI_FN const char *rfi_team_output(const rfi_team *team) {
    return team->workers ? rfi_output_text(team->worker[0].output) : "";
}
#endif
#endif

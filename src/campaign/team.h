/* campaign/team.h: the supervisor of the workers.
 *
 * It forks them, writes the death of one into its tally and forks another for the rest of its
 * executions, ends those that stand still, and adds the tallies up.  Which worker runs what has no
 * influence on the sum.  Signals are heard while it waits, and nowhere else: SIGCHLD, so that a
 * process for each execution costs little more than a fork; SIGINT, SIGTERM and SIGHUP, after the
 * first of which the campaign ends with what it has found (a second one ends it at once).
 */
#ifndef RFI_CAMPAIGN_TEAM_H
#define RFI_CAMPAIGN_TEAM_H
#include "campaign/memo.h"
#include "campaign/worker.h"

#ifdef RFI_IMPL
# include <sys/select.h>

# define RFI_ECHO_MS 500 /* a signal that comes again within this time is the same wish */

/* Which executions: from, from+1, ... below to; of those the ones of this shard. */
typedef struct rfi_span {
    uint32_t from, to, shard, shards; /* index % shards == shard */
} rfi_span;

/* The signal that asked for an end, or 0. */
RFI_VAR volatile sig_atomic_t rfi_interrupted;

/* ---- opening and closing ---- */

/* The first wish is noted, and so is its echo: timeout(1) sends a signal twice.  A later one is to
 * be taken literally. */
RFI_FN void rfi_on_interrupt(int sig) {
    static volatile int64_t first;
    int64_t now = rfi_milliseconds();
    if (rfi_interrupted && now - first > RFI_ECHO_MS) {
        signal(sig, SIG_DFL);
        raise(sig);
    } else if (!rfi_interrupted) {
        rfi_interrupted = sig;
        first = now;
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
    team->supervisor = getpid();
    if (!workers) {
        team->here = rfi_shared_new();
        return;
    }
    team->nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    team->worker = calloc(workers, sizeof *team->worker);
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
        sigaction(rfi_team_signals[i], NULL, &team->before[i]);
        if (i && team->before[i].sa_handler == SIG_IGN) continue; /* as nohup wants it */
        sigaction(rfi_team_signals[i], &a, NULL);
    }
}

RFI_FN void rfi_shared_free(rfi_shared *s) {
    rfi_watch_forget(&s->record);
    if (s->first) munmap(s->first, sizeof *s->first);
    munmap(s, sizeof *s);
}

RFI_FN void rfi_team_close(rfi_team *team) {
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++)
        sigaction(rfi_team_signals[i], &team->before[i], NULL);
    sigprocmask(SIG_SETMASK, &team->mask, NULL);
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_shared_free(team->worker[i].shared);
        close(team->worker[i].output);
    }
    if (team->workers)
        close(team->nothing);
    else
        rfi_shared_free(team->here);
    free(team->worker);
}

/* ---- one worker ---- */

/* What the supervisor and worker i both see. */
RFI_FN rfi_shared *rfi_team_shared(rfi_team *team, uint32_t i) {
    return team->workers ? team->worker[i].shared : team->here;
}

/* Makes it ready for the executions of a job from `next` on. */
RFI_FN void rfi_shared_ready(const rfi_team *team, rfi_shared *s) {
    s->stop = s->complete = 0;
    s->pass = team->isolate && team->workers ? RFI_PASS_FIRST : RFI_PASS_ALL;
    if (!team->verify)
        s->pass = RFI_PASS_ALL;
    else if (!s->first)
        s->first = rfi_pages(sizeof *s->first, true);
    s->lessons.used = 0;
    rfi_tally_reset(&s->tally);
}

RFI_FN void rfi_worker_ready(const rfi_team *team, rfi_worker *w, uint64_t next) {
    rfi_shared_ready(team, w->shared);
    rfi_output_reset(w->output);
    w->next = next;
}

RFI_FN void rfi_worker_fork(rfi_team *team, rfi_worker *w, const rfi_job *j, uint32_t to,
                            uint64_t stride, bool trace) {
    w->shared->record.state = RFI_IDLE;
    if (w->shared->record.threads) rfi_local_warm(w->shared->record.threads - 1);
    w->watch = (rfi_watch){.look_at = rfi_milliseconds()};
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) rfi_die("fork: %s", strerror(errno));
    if (!w->pid) rfi_worker_main(team, w, j, to, stride, trace);
}

/* True: it has stood still for too long, did not say where, and was killed. */
RFI_FN bool rfi_worker_end(const rfi_team *team, rfi_worker *w, int *status) {
    clockid_t clock;
    rfi_record *r = &w->shared->record;
    if (!rfi_watch_now(&w->watch) || clock_getcpuclockid(w->pid, &clock)) return false;
    int64_t stood = rfi_watch_stood(&w->watch, rfi_cpu_time(clock), r);
    if (!rfi_watch_asks(&w->watch, stood, (int64_t)team->watchdog * 1000, r, w->pid)) return false;
    kill(w->pid, SIGKILL);
    return waitpid(w->pid, status, 0) == w->pid;
}

/* ---- learning ---- */

/* Learns what executions have taught, in the order of their numbers; each worker's stand in it. */
RFI_FN void rfi_team_learn(rfi_team *team, const rfi_job *j) {
    const rf_strategy *strategy = rfi_job_strategy(j);
    uint32_t n = team->workers ? team->workers : 1, at[RFI_MAX_JOBS] = {0};
    for (;;) {
        const rfi_lesson *first = NULL;
        uint32_t of = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t offset = at[i];
            const rfi_lesson *l = rfi_lessons_next(&rfi_team_shared(team, i)->lessons, &offset);
            if (l && (!first || l->index < first->index)) first = l, of = i;
        }
        if (!first) break;
        at[of] += rfi_lesson_size(first->bytes);
        strategy->learn(first + 1, first->bytes);
    }
    for (uint32_t i = 0; i < n; i++) rfi_team_shared(team, i)->lessons.used = 0;
}

/* Executions from 0 on are cut into batches of 2, 4, ... 64, 64, ...: the end of that of `index`.
 */
RFI_FN uint32_t rfi_batch_end(uint32_t index) {
    uint32_t size = 2;
    while (index >= size && size < RFI_BATCH) index -= size, size *= 2;
    return size - 2 + (index / size + 1) * size;
}

/* The worker is gone: what became of its execution?  True when it has more to do. */
RFI_FN bool rfi_worker_buried(rfi_worker *w, int status, bool blocked, bool learns,
                              uint64_t stride) {
    rfi_shared *s = w->shared;
    rfi_record *r = &s->record;
    w->pid = 0;
    if (s->complete) return false;
    if (r->state == RFI_RUNNING) {
        if (r->failure.diagnostic == RF_DIAG_NONE) rfi_death_note(r, status, blocked);
        if (s->pass == RFI_PASS_FIRST) {
            rfi_first_run_keep(s->first, r);
        } else {
            rfi_tally_execution(&s->tally, r);
            if (learns) (void)rfi_lesson_end(&s->lessons);
        }
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        rfi_die("a worker died between two executions (%s %d)\n%s",
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                rfi_output_text(w->output));
    }
    w->next = s->pass == RFI_PASS_FIRST ? r->index : r->index + stride;
    if (s->pass != RFI_PASS_ALL)
        s->pass = s->pass == RFI_PASS_FIRST ? RFI_PASS_SECOND : RFI_PASS_FIRST;
    return true;
}

/* Looks after one worker; true while it (or its successor) runs. */
RFI_FN bool rfi_worker_tend(rfi_team *team, rfi_worker *w, const rfi_job *j, uint32_t to,
                            uint64_t stride, bool trace) {
    int status = 0;
    bool blocked = false;
    if (!w->pid) return false;
    if (!waitpid(w->pid, &status, WNOHANG) && !(blocked = rfi_worker_end(team, w, &status)))
        return true;
    if (!rfi_worker_buried(w, status, blocked, rfi_job_learns(j), stride)) return false;
    if (w->next >= to || w->shared->stop) return false;
    if (rfi_job_serial(j)) {
        rfi_team_learn(team, j);
        if (!rfi_series_goes_on(j, w->shared)) return false;
    }
    rfi_worker_fork(team, w, j, to, stride, trace);
    return true;
}

/* ---- all of them ---- */

/* Waits for a death, a wish for an end, the deadline, or the time to look at the workers. */
RFI_FN void rfi_team_wait(rfi_team *team) {
    int64_t ms = RFI_LOOK_MS;
    if (team->deadline && !team->capped) {
        int64_t left = team->deadline - rfi_milliseconds();
        if (left < ms) ms = left > 0 ? left : 0;
    }
    struct timespec t = {0, (long)ms * 1000000};
    (void)pselect(0, NULL, NULL, NULL, &t, &team->wait);
    if (team->deadline && !team->capped && rfi_milliseconds() >= team->deadline) {
        team->capped = true;
        for (uint32_t i = 0; i < team->workers; i++) team->worker[i].shared->stop = 1;
    }
}

/* Somebody wants an end: what the workers are just doing does not count. */
RFI_FN void rfi_team_kill(rfi_team *team) {
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_worker *w = &team->worker[i];
        if (!w->pid) continue;
        kill(w->pid, SIGKILL);
        waitpid(w->pid, NULL, 0);
        w->pid = 0;
    }
}

RFI_FN void rfi_team_run_here(rfi_team *team, const rfi_job *j, const rfi_span *range,
                              rfi_tally *t) {
    rfi_plan p;
    rfi_shared *s = team->here;
    team->job = j;
    rfi_job_arm(j);
    rfi_job_plan(j, team->verify, &p);
    rfi_shared_ready(team, s);
    rfi_worker_school(j, s);
    uint32_t done = 0;
    for (uint32_t i = range->from; i < range->to && !rfi_interrupted; i++) {
        if (i % range->shards != range->shard) continue;
        if (rfi_job_serial(j)) {
            s->lessons.used = 0; /* learned */
            if (!rfi_series_goes_on(j, s)) break;
        }
        if (team->deadline && rfi_milliseconds() >= team->deadline) {
            team->capped = true;
            break;
        }
        rfi_worker_run(j, &p, i, s);
        if (team->progress && !(++done & 255)) team->progress(done);
    }
    if (rfi_job_serial(j)) s->lessons.used = 0;
    rfi_tally_merge(t, &s->tally);
}

/* Runs executions with what has been learned until now. */
RFI_FN void rfi_team_run_forked(rfi_team *team, const rfi_job *j, const rfi_span *range,
                                rfi_tally *t) {
    uint32_t workers = rfi_job_serial(j) ? 1 : team->workers;
    uint64_t shards = range->shards, stride = shards * workers;
    uint64_t first = range->from + (range->shard + shards - range->from % shards) % shards;
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_worker *w = &team->worker[i];
        rfi_worker_ready(team, w, first + i * shards);
        if (i < workers && w->next < range->to)
            rfi_worker_fork(team, w, j, range->to, stride, false);
    }
    for (bool busy = true; busy;) {
        rfi_team_wait(team);
        uint64_t done = 0;
        busy = false;
        if (rfi_interrupted) rfi_team_kill(team);
        for (uint32_t i = 0; i < team->workers; i++) {
            busy |= rfi_worker_tend(team, &team->worker[i], j, range->to, stride, false);
            done += team->worker[i].shared->tally.executions;
        }
        if (team->progress) team->progress(done);
    }
    for (uint32_t i = 0; i < team->workers; i++) rfi_tally_merge(t, &team->worker[i].shared->tally);
}

RFI_FN void rfi_team_run_batch(rfi_team *team, const rfi_job *j, const rfi_span *range,
                               rfi_tally *t) {
    if (team->workers)
        rfi_team_run_forked(team, j, range, t);
    else
        rfi_team_run_here(team, j, range, t);
    if (rfi_job_learns(j)) rfi_team_learn(team, j);
}

/* Runs the executions of a range and adds them to `t`.  Where executions teach, ranges follow one
 * another, and one that begins at 0 is another campaign's. */
RFI_FN void rfi_team_run(rfi_team *team, const rfi_job *j, const rfi_span *range, rfi_tally *t) {
    const rf_strategy *strategy = rfi_job_strategy(j);
    rfi_span batch = *range;
    bool learns = rfi_job_learns(j);
    if (learns && !range->from && !j->keeps && strategy->forget) strategy->forget();
    while (batch.from < range->to && !team->capped && !rfi_interrupted) {
        uint64_t before = t->executions;
        if (learns && strategy->exhausted && strategy->exhausted()) break;
        if (learns && !strategy->serial && rfi_batch_end(batch.from) < range->to)
            batch.to = rfi_batch_end(batch.from);
        rfi_team_run_batch(team, j, &batch, t);
        if (rfi_job_serial(j) && t->executions == before) break;
        batch.from = rfi_job_serial(j)
                         ? batch.from + (uint32_t)(t->executions - before) * range->shards
                         : batch.to;
        batch.to = range->to;
    }
    rfi_tally_sort(t);
}

/* Runs one execution with its trace in a fresh process (or here), with what it had used of what had
 * been learned; its record stays until the next call. */
RFI_FN const rfi_record *rfi_team_replay(rfi_team *team, const rfi_job *of, uint32_t index) {
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
        rfi_worker_run(j, &p, index, team->here);
        return &team->here->record;
    }
    rfi_worker *w = &team->worker[0];
    bool isolate = team->isolate;
    team->isolate = true;
    rfi_worker_ready(team, w, index);
    rfi_worker_fork(team, w, j, index + 1, 1, true);
    do rfi_team_wait(team);
    while (rfi_worker_tend(team, w, j, index + 1, 1, true));
    team->isolate = isolate;
    return &w->shared->record;
}

/* The end of what the last replay wrote. */
RFI_FN const char *rfi_team_output(const rfi_team *team) {
    return team->workers ? rfi_output_text(team->worker[0].output) : "";
}
#endif
#endif

/* campaign/worker.h: executions run in processes of their own.
 *
 * The supervisor forks workers, each of which runs every n-th execution of a job and keeps its tally
 * and the record of the running execution in memory that both see.  A worker that dies loses
 * nothing: the supervisor writes its death into the tally and forks another one for the rest.
 * Without workers (RF_JOBS=0, a debugger, a replay) the same code runs in this process.
 */
#ifndef RFI_CAMPAIGN_WORKER_H
#define RFI_CAMPAIGN_WORKER_H
#include "campaign/crash.h"
#include "campaign/tally.h"
#include <poll.h>

#ifdef RFI_IMPL
# define RFI_POLL_MS      50
# define RFI_BLOCKED_MS   5000 /* without CPU time in one execution */
# define RFI_OUTPUT_BYTES 8192 /* of standard error and output that are kept */
# define RFI_OUTPUT_LIMIT ((off_t)1 << 20)

typedef struct rfi_shared {
    volatile uint32_t stop;     /* set by the supervisor: no further execution */
    volatile uint32_t complete; /* set by the worker */
    rfi_tally tally;
    rfi_record record;
} rfi_shared;

typedef struct rfi_worker {
    rfi_shared *shared;
    pid_t pid;         /* 0: not running */
    int alive;         /* read end of a pipe that its death closes */
    int output;        /* where its standard error and output go */
    uint32_t next;     /* index to go on with */
    uint64_t cpu;      /* at the last look, ns */
    uint32_t cpu_index;
    int64_t cpu_at;    /* ms */
} rfi_worker;

/* All that runs jobs. */
typedef struct rfi_team {
    rfi_worker *worker;
    uint32_t workers;      /* 0: in this process */
    rfi_shared *here;      /* then: the record and tally */
    rfi_backend_kind backend;
    uint32_t watchdog;
    bool isolate, verify;
    int64_t deadline;      /* ms, 0: none */
    bool capped;
    void (*progress)(uint64_t done); /* may be NULL */
} rfi_team;

/* Which executions: from, from+1, ... below to; of those the ones of this shard. */
typedef struct rfi_span {
    uint32_t from, to, shard, shards; /* index % shards == shard */
} rfi_span;

RFI_FN int64_t rfi_milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

RFI_FN rfi_shared *rfi_shared_new(void) {
    rfi_shared *s = rfi_pages(sizeof *s, true);
    return s;
}

RFI_FN int rfi_output_new(void) {
    char name[] = "/tmp/racefuzz-XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0) return open("/dev/null", O_RDWR | O_CLOEXEC);
    unlink(name);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

RFI_FN void rfi_team_open(rfi_team *team, uint32_t workers) {
    team->workers = workers;
    if (!workers) {
        team->here = rfi_shared_new();
        return;
    }
    team->worker = calloc(workers, sizeof *team->worker);
    if (!team->worker) rfi_die("out of memory");
    for (uint32_t i = 0; i < workers; i++) {
        team->worker[i].shared = rfi_shared_new();
        team->worker[i].output = rfi_output_new();
    }
}

/* ---- inside a worker ---- */

/* Runs the execution once more and compares event by event; a difference is a failure. */
RFI_FN void rfi_verify(const rfi_job *j, rfi_plan *p, uint32_t index, rfi_record *r) {
    static rfi_record *first;
    if (!first) first = rfi_pages(sizeof *first, false);
    memcpy(first, r, sizeof *r);
    rfi_job_run(j, p, index, r);
    if (r->hash == first->hash && r->events == first->events) return;
    uint64_t n = r->events < first->events ? r->events : first->events, i = 0;
    if (n > RFI_RECORD_EVENTS) i = (r->events > first->events ? r->events : first->events) - RFI_RECORD_EVENTS;
    while (i < n && r->print[i % RFI_RECORD_EVENTS] == first->print[i % RFI_RECORD_EVENTS]) i++;
    const rf_event *a = &first->event[i % RFI_RECORD_EVENTS], *b = &r->event[i % RFI_RECORD_EVENTS];
    rfi_failure *f = &r->failure;
    f->diagnostic = RF_DIAG_UNREPEATABLE;
    f->site = i < r->events ? b->site : a->site;
    f->thread = i < r->events ? b->thread : a->thread;
    snprintf(f->message, sizeof f->message,
             "event %llu differs: first T%u's %s at %s:%u, then T%u's %s at %s:%u",
             (unsigned long long)i + 1, a->thread, i < first->events ? rfi_event_word(a->kind) : "end",
             a->site ? rfi_basename(a->site->file) : "?", a->site ? a->site->line : 0, b->thread,
             i < r->events ? rfi_event_word(b->kind) : "end",
             b->site ? rfi_basename(b->site->file) : "?", b->site ? b->site->line : 0);
}

/* One execution of an armed job, added to the tally. */
RFI_FN void rfi_worker_run(const rfi_team *team, const rfi_job *j, rfi_plan *p, uint32_t index,
                           rfi_shared *s) {
    rfi_sink_tally = &s->tally;
    rfi_job_run(j, p, index, &s->record);
    if (RFI_UNLIKELY(team->verify)) rfi_verify(j, p, index, &s->record);
    rfi_tally_execution(&s->tally, &s->record);
    s->record.state = RFI_IDLE;
}

RFI_FN void rfi_worker_crashed(void) { _exit(RFI_EXIT_CRASHED); }

RFI_FN RFI_NORETURN void rfi_worker_main(const rfi_team *team, const rfi_worker *w, const rfi_job *j,
                                         uint32_t to, uint32_t stride, bool trace) {
    dup2(w->output, STDOUT_FILENO);
    dup2(w->output, STDERR_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
    rfi_engine_open(team->backend);
    rfi_crash_open(team->watchdog, rfi_worker_crashed);
    rfi_race_sink = rfi_sink_race;
    rfi_job_arm(j);
    rfi_plan p;
    rfi_job_plan(j, trace || team->verify, &p);
    uint64_t done = 0;
    for (uint64_t i = w->next; i < to && !w->shared->stop; i += stride) {
        rfi_worker_run(team, j, &p, (uint32_t)i, w->shared);
        if (team->isolate) break;
        if (!(++done & 63)) {
            struct stat st;
            if (!fstat(w->output, &st) && st.st_size > RFI_OUTPUT_LIMIT) (void)!ftruncate(w->output, 0);
        }
    }
    w->shared->complete = !team->isolate;
    fflush(NULL);
    _exit(0);
}

/* ---- in the supervisor ---- */

RFI_FN void rfi_worker_fork(rfi_team *team, rfi_worker *w, const rfi_job *j, uint32_t to,
                            uint32_t stride, bool trace) {
    int ends[2];
    if (pipe(ends)) rfi_die("pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    w->shared->record.state = RFI_IDLE;
    w->cpu_at = rfi_milliseconds();
    w->cpu_index = UINT32_MAX;
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) rfi_die("fork: %s", strerror(errno));
    if (!w->pid) {
        close(ends[0]);
        rfi_worker_main(team, w, j, to, stride, trace);
    }
    close(ends[1]);
    w->alive = ends[0];
}

/* Has the worker stood in one execution for too long without using CPU time? */
RFI_FN bool rfi_worker_blocked(rfi_worker *w) {
    clockid_t clock;
    struct timespec t;
    int64_t now = rfi_milliseconds();
    if (clock_getcpuclockid(w->pid, &clock) || clock_gettime(clock, &t)) return false;
    uint64_t cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    if (cpu - w->cpu > 1000000 || w->cpu_index != w->shared->record.index ||
        w->shared->record.state != RFI_RUNNING) {
        w->cpu = cpu;
        w->cpu_index = w->shared->record.index;
        w->cpu_at = now;
    }
    return now - w->cpu_at > RFI_BLOCKED_MS;
}

/* The worker is gone: what became of its execution?  True when it has more to do. */
RFI_FN bool rfi_worker_buried(rfi_worker *w, int status, bool blocked, uint32_t stride) {
    rfi_record *r = &w->shared->record;
    close(w->alive);
    w->pid = 0;
    if (w->shared->complete) return false;
    if (r->state == RFI_RUNNING) {
        if (blocked || !WIFEXITED(status) || WEXITSTATUS(status) != RFI_EXIT_CRASHED)
            rfi_death_message(r, status, blocked);
        rfi_tally_execution(&w->shared->tally, r);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        rfi_die("a worker died between two executions (%s %d); its output is lost",
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    w->next = r->index + stride;
    return true;
}

/* Looks after one worker; true while it (or its successor) runs. */
RFI_FN bool rfi_worker_tend(rfi_team *team, rfi_worker *w, const rfi_job *j, uint32_t to,
                            uint32_t stride, bool trace) {
    int status = 0;
    if (!w->pid) return false;
    pid_t got = waitpid(w->pid, &status, WNOHANG);
    bool blocked = false;
    if (!got) {
        blocked = rfi_worker_blocked(w);
        if (!blocked) return true;
        kill(w->pid, SIGKILL);
        waitpid(w->pid, &status, 0);
    }
    if (!rfi_worker_buried(w, status, blocked, stride)) return false;
    if (w->next >= to || w->shared->stop) return false;
    rfi_worker_fork(team, w, j, to, stride, trace);
    return true;
}

RFI_FN void rfi_team_wait(rfi_team *team) {
    struct pollfd fds[256];
    nfds_t n = 0;
    for (uint32_t i = 0; i < team->workers && n < 256; i++)
        if (team->worker[i].pid) fds[n++] = (struct pollfd){.fd = team->worker[i].alive, .events = POLLIN};
    (void)poll(fds, n, RFI_POLL_MS);
    if (team->deadline && !team->capped && rfi_milliseconds() >= team->deadline) {
        team->capped = true;
        for (uint32_t i = 0; i < team->workers; i++) team->worker[i].shared->stop = 1;
    }
}

RFI_FN void rfi_team_run_here(rfi_team *team, const rfi_job *j, const rfi_span *range, rfi_tally *t) {
    rfi_plan p;
    rfi_shared *s = team->here;
    rfi_job_arm(j);
    rfi_job_plan(j, team->verify, &p);
    rfi_tally_reset(&s->tally);
    uint32_t done = 0;
    for (uint32_t i = range->from; i < range->to; i++) {
        if (i % range->shards != range->shard) continue;
        if (team->deadline && rfi_milliseconds() >= team->deadline) {
            team->capped = true;
            break;
        }
        rfi_worker_run(team, j, &p, i, s);
        if (team->progress && !(++done & 255)) team->progress(done);
    }
    rfi_tally_merge(t, &s->tally);
}

/* Runs the executions of a range and adds them to `t`. */
RFI_FN void rfi_team_run(rfi_team *team, const rfi_job *j, const rfi_span *range, rfi_tally *t) {
    if (range->from >= range->to || team->capped) return;
    if (!team->workers) {
        rfi_team_run_here(team, j, range, t);
        return;
    }
    uint32_t stride = range->shards * team->workers;
    uint32_t first = range->from + (range->shard + range->shards - range->from % range->shards) % range->shards;
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_worker *w = &team->worker[i];
        w->next = first + i * range->shards;
        w->shared->stop = w->shared->complete = 0;
        rfi_tally_reset(&w->shared->tally);
        (void)!ftruncate(w->output, 0);
        if (w->next < range->to) rfi_worker_fork(team, w, j, range->to, stride, false);
    }
    for (bool busy = true; busy;) {
        rfi_team_wait(team);
        uint64_t done = 0;
        busy = false;
        for (uint32_t i = 0; i < team->workers; i++) {
            busy |= rfi_worker_tend(team, &team->worker[i], j, range->to, stride, false);
            done += team->worker[i].shared->tally.executions;
        }
        if (team->progress) team->progress(done);
    }
    for (uint32_t i = 0; i < team->workers; i++) rfi_tally_merge(t, &team->worker[i].shared->tally);
}

/* Runs one execution with its trace in a fresh process (or here); its record stays until the next
 * call. */
RFI_FN const rfi_record *rfi_team_replay(rfi_team *team, const rfi_job *j, uint32_t index) {
    if (!team->workers) {
        rfi_plan p;
        rfi_job_arm(j);
        rfi_job_plan(j, true, &p);
        rfi_tally_reset(&team->here->tally);
        rfi_sink_tally = &team->here->tally;
        rfi_job_run(j, &p, index, &team->here->record);
        return &team->here->record;
    }
    rfi_worker *w = &team->worker[0];
    bool isolate = team->isolate;
    team->isolate = true;
    w->next = index;
    w->shared->stop = w->shared->complete = 0;
    rfi_tally_reset(&w->shared->tally);
    (void)!ftruncate(w->output, 0);
    rfi_worker_fork(team, w, j, index + 1, 1, true);
    do rfi_team_wait(team);
    while (rfi_worker_tend(team, w, j, index + 1, 1, true));
    team->isolate = isolate;
    return &w->shared->record;
}

/* The end of what the last replay wrote. */
RFI_FN const char *rfi_team_output(const rfi_team *team) {
    static char text[RFI_OUTPUT_BYTES + 1];
    text[0] = 0;
    if (!team->workers) return text;
    int fd = team->worker[0].output;
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > RFI_OUTPUT_BYTES ? size - RFI_OUTPUT_BYTES : 0;
    ssize_t n = size > 0 ? pread(fd, text, RFI_OUTPUT_BYTES, from) : 0;
    text[n > 0 ? n : 0] = 0;
    return text;
}
#endif
#endif

/* campaign/worker.h: processes that run executions.
 *
 * Each worker runs every n-th execution of a job and keeps its tally and the record of the running
 * execution in memory that its supervisor (team.h) sees too, so that a worker that dies loses
 * nothing.  Without workers (RF_JOBS=0, a debugger, a replay) the same code runs in this process.
 * Optimised: fully, each execution runs it.
 */
#ifndef RFI_CAMPAIGN_WORKER_H
#define RFI_CAMPAIGN_WORKER_H
#include "campaign/handlers.h"
#include "campaign/tally.h"

#ifdef RFI_IMPL
# ifdef __linux__
#  include <sys/prctl.h>
# endif

# define RFI_OUTPUT_BYTES 8192             /* of standard error and output that are shown */
# define RFI_OUTPUT_KEPT  ((off_t)4 << 20) /* no more is written: a loop may print for ever */
# define RFI_CHORE_MASK   63u              /* executions between two chores of a worker, less 1 */

/* What --verify keeps of an execution's first run. */
typedef struct rfi_first_run {
    uint64_t events, hash;
    bool cut; /* time was up */
    rf_diagnostic diagnostic;
    rf_event event[RFI_RECORD_EVENTS];
    uint64_t print[RFI_RECORD_EVENTS];
    uint32_t used_bytes;
    uint8_t used[RF_USED_BYTES];
    rfi_tally unused; /* takes what detectors see in the other run */
} rfi_first_run;

/* Which runs a worker makes: all, or, where each has a process of its own, one. */
typedef enum rfi_pass { RFI_PASS_ALL, RFI_PASS_FIRST, RFI_PASS_SECOND } rfi_pass;

typedef struct rfi_shared {
    volatile uint32_t stop;     /* set by the supervisor: no further execution */
    volatile uint32_t complete; /* set by the worker */
    char died[RFI_LAST_WORDS];  /* why the engine could not go on in it; "": it could */
    volatile pid_t process; /* the worker, where a witness stands between it and the supervisor; */
    volatile int status;    /* how it has ended, as waitpid has it, */
    volatile uint32_t seen; /* which the witness has seen */
    rfi_first_run *first;   /* NULL: nothing is run twice */
    rfi_pass pass;
    rfi_tally tally;
    rfi_record record;
    rfi_lessons lessons; /* that nobody has learned yet */
} rfi_shared;

/* A death that nothing in the execution explains. */
typedef struct rfi_death {
    uint64_t index, steps; /* where it was */
    int status;            /* as waitpid has it */
    uint32_t seen;         /* so often, in a row and exactly so, by a witness */
    bool any;
} rfi_death;

typedef struct rfi_worker {
    rfi_shared *shared;
    pid_t pid;         /* 0: not running */
    int output;        /* where its standard error and output go */
    uint64_t next;     /* index to go on with, */
    uint64_t from, to; /* in this piece of its share (supervise.h) */
    uint64_t ran;      /* executions of earlier pieces */
    uint32_t part;     /* of a search; 0: of nothing that is cut into parts */
    uint32_t lessons;  /* bytes of those from earlier pieces */
    uint32_t deaths;   /* without a word, since a piece has ended: */
    int64_t since;     /* ms */
    rfi_death death;   /* the last one */
    rfi_watch watch;
} rfi_worker;

/* All that runs jobs. */
typedef struct rfi_team {
    rfi_worker *worker;
    uint32_t workers;   /* 0: in this process */
    rfi_shared *here;   /* then: the record and tally, */
    const rfi_job *job; /* and what is running */
    pid_t supervisor;
    int nothing; /* /dev/null, the standard input of workers */
    rfi_backend_kind backend;
    rfi_local_choice local;
    uint32_t watchdog;
    bool isolate, verify;
    uint64_t skipped;       /* indices that executions of a divided search have left out */
    uint32_t shard, shards; /* those with index % shards == shard */
    int64_t deadline;       /* ms: when no further execution begins; 0: none */
    int64_t end;            /* ms: when those that run are cut off; 0: none */
    int64_t hurried;        /* ms: since when they are to end; 0: they need not, */
    int64_t grace;          /* and how long they may take for that */
    bool capped;
    bool telling, interrupted; /* an interrupt leaves some time for telling, and there was one */
    rfi_losses losses;         /* since somebody has set them to zero */
    void (*progress)(uint64_t done); /* may be NULL */
    sigset_t mask, wait;             /* of the caller of rf_run; while waiting */
    struct sigaction before[4];      /* its reactions to rfi_team_signals */
} rfi_team;

/* To be heard of by a team: that a worker has died, and that somebody wants an end. */
RFI_VAR const int rfi_team_signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};

RFI_FN rfi_shared *rfi_shared_new(void) { return rfi_pages(sizeof(rfi_shared), true); }

/* ---- what a worker writes to its standard output and error ---- */

RFI_FN RFI_COLD int rfi_output_file(void) {
    const char *folder = getenv("TEST_TMPDIR"); /* Bazel's */
    char name[PATH_MAX];
    if (!folder || !*folder) folder = getenv("TMPDIR");
    int n = snprintf(name, sizeof name, "%s/racefuzz-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = n < (int)sizeof name ? RFI_REAL(mkstemp)(name) : -1;
    if (fd < 0) return RFI_REAL(open)("/dev/null", O_RDWR | O_CLOEXEC);
    RFI_REAL(unlink)(name);
    RFI_REAL(fcntl)(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Memory where the system has it: no file can be left behind, and its size can be limited.  Where
 * files may not be so large, nothing is kept. */
RFI_FN int rfi_output_new(void) {
    struct rlimit most;
    if (!RFI_REAL(getrlimit)(RLIMIT_FSIZE, &most) && most.rlim_cur < (rlim_t)RFI_OUTPUT_KEPT)
        return open("/dev/null", O_RDWR | O_CLOEXEC);
# ifdef MFD_ALLOW_SEALING
    int fd = memfd_create("racefuzz-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0) {
        if (!RFI_REAL(ftruncate)(fd, RFI_OUTPUT_KEPT))
            RFI_REAL(fcntl)(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
        return fd;
    }
# endif
    return rfi_output_file();
}

/* What was written lies before the offset, which all processes share. */
RFI_FN void rfi_output_reset(int fd) { (void)RFI_REAL(lseek)(fd, 0, SEEK_SET); }

/* The end of it; valid until the next call. */
RFI_FN const char *rfi_output_text(int fd) {
    static char text[RFI_OUTPUT_BYTES + 1];
    off_t size = RFI_REAL(lseek)(fd, 0, SEEK_CUR);
    off_t from = size > RFI_OUTPUT_BYTES ? size - RFI_OUTPUT_BYTES : 0;
    ssize_t n = size > 0 ? RFI_REAL(pread)(fd, text, (size_t)(size - from), from) : 0;
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* ---- running twice (--verify) ---- */

RFI_FN void rfi_first_run_keep(rfi_first_run *first, const rfi_record *r) {
    size_t n = r->events < RFI_RECORD_EVENTS ? (size_t)r->events : RFI_RECORD_EVENTS;
    first->events = r->events;
    first->hash = r->hash;
    first->cut = r->cut;
    first->diagnostic = r->failure.diagnostic;
    memcpy(first->event, r->event, n * sizeof *r->event);
    memcpy(first->print, r->print, n * sizeof *r->print);
    first->used_bytes = r->used_bytes;
    memcpy(first->used, r->used, r->used_bytes);
}

RFI_FN void rfi_say_run_event(rfi_text *out, const rf_event *e, bool there) {
    if (!there) {
        rfi_append(out, "the end");
        return;
    }
    rfi_append(out, "T%u's %s", e->thread, rfi_event_word(e->kind));
    if (e->site) rfi_append(out, " at %s", RFI_AT(e->site));
    if (e->size && e->size <= sizeof e->value)
        rfi_append(out, " (value %llu)", (unsigned long long)e->value);
}

/* The runs differ: says so in the failure of the second one. */
RFI_FN RFI_COLD void rfi_runs_differ(const rfi_first_run *first, rfi_record *r) {
    uint64_t less = r->events < first->events ? r->events : first->events;
    uint64_t more = r->events < first->events ? first->events : r->events;
    uint64_t i = more > RFI_RECORD_EVENTS ? more - RFI_RECORD_EVENTS : 0; /* the first one kept */
    while (i < less && r->print[i % RFI_RECORD_EVENTS] == first->print[i % RFI_RECORD_EVENTS]) i++;
    const rf_event *a = &first->event[i % RFI_RECORD_EVENTS], *b = &r->event[i % RFI_RECORD_EVENTS];
    rfi_failure *f = &r->failure;
    rf_diagnostic second = f->diagnostic;
    rfi_text out = rfi_message_of(f);
    f->diagnostic = RF_DIAG_UNREPEATABLE;
    f->site = i < r->events ? b->site : i < more ? a->site : f->site;
    f->thread = i < r->events ? b->thread : i < more ? a->thread : f->thread;
    if (i < more) {
        rfi_append(&out, "event %llu differs: first ", (unsigned long long)i + 1);
        rfi_say_run_event(&out, a, i < first->events);
        rfi_append(&out, ", then ");
        rfi_say_run_event(&out, b, i < r->events);
    } else {
        rfi_append(&out, "the same events, but first %s, then %s",
                   rfi_diagnostic(first->diagnostic)->words, rfi_diagnostic(second)->words);
    }
}

/* The execution, or the half of it that is this process's part; true when it is complete. */
RFI_FN RFI_COLD bool rfi_run_twice(const rfi_job *j, rfi_plan *p, uint64_t index, rfi_shared *s) {
    if (s->pass != RFI_PASS_SECOND) {
        rfi_job_run(j, p, index, &s->record);
        rfi_first_run_keep(s->first, &s->record);
        if (s->pass == RFI_PASS_FIRST) return false;
        rfi_tally_reset(&s->first->unused);
        rfi_sink_tally = &s->first->unused;
    }
    if (p->strategy->threads && p->strategy->recall) /* the machine does not repeat itself */
        p->strategy->recall(s->first->used, s->first->used_bytes);
    rfi_coverage *coverage = rfi.coverage; /* it has been counted */
    rfi.coverage = NULL;
    rfi_job_run(j, p, index, &s->record);
    rfi.coverage = coverage;
    const rfi_record *r = &s->record;
    if (r->cut || s->first->cut) return true; /* nothing is known of their ends */
    if (r->hash != s->first->hash || r->events != s->first->events ||
        r->failure.diagnostic != s->first->diagnostic)
        rfi_runs_differ(s->first, &s->record);
    return true;
}

/* ---- inside a worker ---- */

/* Whether and where the executions of a job teach, and tell which statements they cover. */
RFI_FN void rfi_worker_school(const rfi_job *j, rfi_shared *s) {
    rfi.lessons = rfi_job_learns(j) ? &s->lessons : NULL;
    rfi.coverage = j->covers && j->phase == RFI_PREDICT && !j->replay ? &s->tally.coverage : NULL;
}

/* An execution has ended: its lesson is complete, and in a series learned. */
RFI_FN RFI_COLD void rfi_worker_taught(void) {
    const rfi_lesson *l = rfi_lesson_end(rfi.lessons, rfi.record->cut);
    if (rfi.strategy->serial) rfi.strategy->learn(l + 1, l->bytes);
}

/* The same: adds it to the tally. */
RFI_INLINE void rfi_worker_add(rfi_shared *s, bool complete) {
    if (RFI_UNLIKELY(rfi_forked)) rfi_fork_over();
    if (RFI_LIKELY(complete)) {
        rfi_tally_execution(&s->tally, &s->record);
        if (RFI_UNLIKELY(rfi.lessons != NULL)) rfi_worker_taught();
    }
    s->record.state = RFI_IDLE;
}

/* Can a series go on in this process, as far as its strategy is concerned? */
RFI_FN bool rfi_series_goes_on(const rfi_job *j, const rfi_shared *s) {
    const rf_strategy *strategy = rfi_job_strategy(j);
    return rfi_lessons_room(&s->lessons, RF_LESSON_BYTES) &&
           !(strategy->exhausted && strategy->exhausted());
}

/* One execution of an armed job, added to the tally. */
RFI_FN void rfi_worker_run(const rfi_job *j, rfi_plan *p, uint64_t index, rfi_shared *s) {
    bool complete = true;
    rfi_sink_tally = &s->tally;
    if (RFI_UNLIKELY(s->first != NULL))
        complete = rfi_run_twice(j, p, index, s);
    else
        rfi_job_run(j, p, index, &s->record);
    rfi_worker_add(s, complete);
}

RFI_FN void rfi_worker_crashed(void) { rfi_quit(RFI_EXIT_CRASHED); }

/* A report that grows too large is an error that can be told, but the code under test dies of its
 * own files as it would without us. */
RFI_FN void rfi_large_files(bool ours) {
    static struct sigaction before;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    static bool known;
    if (!known) RFI_REAL(sigaction)(SIGXFSZ, NULL, &before);
    known = true;
    RFI_REAL(sigaction)(SIGXFSZ, ours ? &ignored : &before, NULL);
}

/* The standard streams and signals are the worker's own from here on, and it dies with its
 * supervisor. */
RFI_FN void rfi_worker_begin(const rfi_team *team, const rfi_worker *w) {
# ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
# endif
    if (getppid() != team->supervisor) rfi_quit(0);
    rfi_last_words = w->shared->died;
    /* What a program sends to its group reaches no other. */
    if (team->isolate) (void)RFI_REAL(setpgid)(0, 0);
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++)
        RFI_REAL(sigaction)(rfi_team_signals[i], &team->before[i], NULL);
    sigprocmask(SIG_SETMASK, &team->mask, NULL);
    rfi_large_files(false);
    if (team->nothing >= 0) RFI_REAL(dup2)(team->nothing, STDIN_FILENO);
    RFI_REAL(dup2)(w->output, STDOUT_FILENO);
    RFI_REAL(dup2)(w->output, STDERR_FILENO);
    RFI_REAL(setvbuf)(stdout, NULL, _IOLBF, 0);
    rfi_crash_open(team->watchdog, true, rfi_worker_crashed);
    rfi_sink_open();
}

/* Now and then: makes room for more output; ends if the supervisor did (where the system does not
 * see to that). */
RFI_FN void rfi_worker_chores(const rfi_team *team, const rfi_worker *w) {
    RFI_REAL(fflush)(stdout);
    if (RFI_REAL(lseek)(w->output, 0, SEEK_CUR) > RFI_OUTPUT_KEPT / 2) rfi_output_reset(w->output);
    if (getppid() != team->supervisor) rfi_quit(0);
}

/* A worker's way through its share of a job. */
typedef struct rfi_share {
    const rfi_team *team;
    const rfi_worker *w;
    const rfi_job *job;
    rfi_plan *p;
    uint64_t index, to, stride;
    uint32_t done;
    bool serial;
} rfi_share;

RFI_FN bool rfi_share_more(const rfi_share *h) {
    return h->index < h->to && !h->w->shared->stop && !(h->team->isolate && h->done) &&
           (!h->serial || rfi_series_goes_on(h->job, h->w->shared));
}

RFI_FN bool rfi_share_before(void *share) {
    const rfi_share *h = share;
    if (!rfi_share_more(h)) return false;
    rfi_job_next(h->p, h->index, &h->w->shared->record);
    return true;
}

RFI_FN void rfi_share_next(rfi_share *h) {
    h->index += h->stride;
    if (!(++h->done & RFI_CHORE_MASK)) rfi_worker_chores(h->team, h->w);
}

RFI_FN void rfi_share_after(void *share) {
    rfi_share *h = share;
    rfi_worker_add(h->w->shared, true);
    rfi_share_next(h);
}

RFI_FN RFI_NORETURN void rfi_worker_main(const rfi_team *team, const rfi_worker *w,
                                         const rfi_job *j, uint64_t to, uint64_t stride,
                                         bool trace) {
    rfi_plan p;
    rfi_shared *s = w->shared;
    rfi_share share = {team, w, j, &p, w->next, to, stride, 0, rfi_job_serial(j)};
    rfi_series all = {&p, &s->record, j->test, rfi_share_before, rfi_share_after, &share};
    rfi_worker_begin(team, w);
    rfi_job_arm(j);
    rfi_job_plan(j, trace || team->verify, &p);
    rfi_worker_school(j, s);
    rfi_sink_tally = &s->tally;
    if (!s->first) rfi_execute(&all);
    for (; rfi_share_more(&share); rfi_share_next(&share)) /* to verify: each of them twice */
        rfi_worker_run(j, &p, share.index, s);
    s->complete = !team->isolate;
    RFI_REAL(fflush)(NULL);
    rfi_quit(0);
}
#endif
#endif

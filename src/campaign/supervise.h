/* campaign/supervise.h: one worker as the supervisor sees it: its start, its end, and the rest of
 * its share.
 *
 * A share is run in pieces.  The findings of a piece are added to the total when it ends, so the
 * death of a worker costs one piece at most.  A death that the execution explains (a caught
 * signal, exit(), an endless wait) is a finding, and a new worker continues with the next
 * execution.  After any other death the piece is run again: first the executions before the one in
 * which the worker died, then that one alone, with a witness process between supervisor and
 * worker.  If the worker dies repeatedly in the same way at the same step and the witness
 * survives, the test is the cause; otherwise the worker was killed from outside, which is reported
 * and changes no finding.
 */
#ifndef RFI_CAMPAIGN_SUPERVISE_H
#define RFI_CAMPAIGN_SUPERVISE_H
#include "campaign/folder.h"
#include "campaign/worker.h"

#ifdef RFI_IMPL
# ifdef __linux__
#  include <dirent.h>
# endif

# define RFI_PIECE          4096u /* executions */
# define RFI_PIECE_ISOLATED 16u   /* that have a process each */
# define RFI_SAME_DEATHS    3u    /* in a row, seen by a witness, that are the test's own */
# define RFI_DEATHS_MOST    24u   /* in a row, and for so many ms, without a piece that ends */
# define RFI_DEATHS_MS      2000
# define RFI_FORK_TRIES     100u

/* Executions that a run shares out, and where their tallies go; NULL: they stay where they are. */
typedef struct rfi_task {
    const rfi_job *job;
    uint64_t to, stride;
    bool trace;
    rfi_tally *sum;
} rfi_task;

/* What the supervisor and worker i both see. */
RFI_FN rfi_shared *rfi_team_shared(rfi_team *team, uint32_t i) {
    return team->workers ? team->worker[i].shared : team->here;
}

/* ---- learning ---- */

/* Learns what executions of workers `from` to `to` have taught, in the order of their numbers; each
 * worker's stand in it. */
RFI_FN void rfi_team_learn_of(rfi_team *team, const rfi_job *j, uint32_t from, uint32_t to) {
    const rf_strategy *strategy = rfi_job_strategy(j);
    uint32_t at[RFI_MAX_JOBS] = {0};
    for (;;) {
        const rfi_lesson *first = NULL;
        uint32_t of = 0;
        for (uint32_t i = from; i < to; i++) {
            uint32_t offset = at[i];
            const rfi_lesson *l = rfi_lessons_next(&rfi_team_shared(team, i)->lessons, &offset);
            if (l && (!first || rfi_lesson_index(l) < rfi_lesson_index(first))) first = l, of = i;
        }
        if (!first) break;
        at[of] += rfi_lesson_size(first->bytes);
        strategy->learn(first + 1, first->bytes);
        if (rfi_folder.out && !strategy->serial)
            rfi_folder_lesson(j, (const uint8_t *)(first + 1), first->bytes);
    }
    for (uint32_t i = from; i < to; i++) rfi_team_shared(team, i)->lessons.used = 0;
}

RFI_FN void rfi_team_learn(rfi_team *team, const rfi_job *j) {
    rfi_team_learn_of(team, j, 0, team->workers ? team->workers : 1);
}

/* What is run or learned next is a part of a search, or (0) all of it. */
RFI_FN void rfi_job_part(const rfi_job *j, uint32_t part) {
    const rf_strategy *strategy = rfi_job_strategy(j);
    if (strategy->rfi_part && rfi_job_serial(j)) strategy->rfi_part(part);
}

/* Executions from 0 on are cut into batches of 2, 4, ... `most`, `most`, ...: the end of that of
 * `index`. */
RFI_FN uint64_t rfi_batch_end_of(uint64_t index, uint32_t most) {
    uint64_t size = 2;
    while (index >= size && size < most) index -= size, size *= 2;
    return size - 2 + (index / size + 1) * size;
}

RFI_FN uint64_t rfi_batch_end(uint64_t index) { return rfi_batch_end_of(index, RFI_BATCH); }

/* The same under a strategy: they grow on as long as there is room for all lessons of one, since a
 * process for each costs more than small executions do. */
RFI_FN uint64_t rfi_batch_end_under(const rf_strategy *s, uint64_t index) {
    uint32_t most = RFI_BATCH, lesson = rfi_lesson_size(rfi_lesson_most(s));
    while (most < RFI_BATCH_SMALL && (most * 2 + 1) * lesson <= RFI_LESSON_ROOM) most *= 2;
    return rfi_batch_end_of(index, most);
}

/* ---- pieces ---- */

RFI_FN rfi_pass rfi_team_pass(const rfi_team *team) {
    return team->verify && team->isolate && team->workers ? RFI_PASS_FIRST : RFI_PASS_ALL;
}

/* Does a worker run each execution twice? */
RFI_FN void rfi_shared_twice(rfi_shared *s, bool twice) {
    if (twice == (s->first != NULL)) return;
    if (s->first) RFI_REAL(munmap)(s->first, sizeof *s->first);
    s->first = twice ? rfi_pages(sizeof *s->first, true) : NULL;
}

/* Makes it ready for the executions of a job. */
RFI_FN void rfi_shared_ready(const rfi_team *team, rfi_shared *s) {
    s->stop = s->complete = 0;
    s->died[0] = 0;
    s->pass = rfi_team_pass(team);
    rfi_shared_twice(s, team->verify);
    s->lessons.used = 0;
    rfi_tally_reset(&s->tally);
}

/* The next piece of the share begins at w->next. */
RFI_FN void rfi_worker_piece(const rfi_team *team, rfi_worker *w, const rfi_task *k) {
    uint64_t most = (team->isolate ? RFI_PIECE_ISOLATED : RFI_PIECE) * k->stride;
    w->from = w->next;
    w->to = k->to > w->from && k->to - w->from > most ? w->from + most : k->to;
}

/* Of a share that begins at `next`. */
RFI_FN void rfi_worker_ready(const rfi_team *team, rfi_worker *w, const rfi_task *k,
                             uint64_t next) {
    rfi_shared_ready(team, w->shared);
    rfi_output_reset(w->output);
    w->next = next;
    w->ran = 0;
    w->lessons = w->deaths = 0;
    w->since = rfi_milliseconds();
    w->death = (rfi_death){.any = false};
    rfi_worker_piece(team, w, k);
}

/* The piece is over, and what it has found counts. */
RFI_FN void rfi_worker_commit(rfi_team *team, rfi_worker *w, const rfi_task *k) {
    rfi_shared *s = w->shared;
    uint32_t number = (uint32_t)(w - team->worker);
    if (rfi_job_serial(k->job)) rfi_team_learn_of(team, k->job, number, number + 1);
    w->ran += s->tally.executions;
    w->lessons = s->lessons.used;
    w->deaths = 0;
    w->since = rfi_milliseconds();
    if (k->sum) {
        rfi_tally_merge(k->sum, &s->tally);
        rfi_tally_reset(&s->tally);
    }
    rfi_worker_piece(team, w, k);
}

/* As if the piece had not begun; it is cut before or behind the execution in which it ended. */
RFI_FN void rfi_worker_rewind(const rfi_team *team, rfi_worker *w, const rfi_task *k) {
    rfi_shared *s = w->shared;
    uint64_t died = s->record.index;
    rfi_tally_reset(&s->tally);
    s->lessons.used = w->lessons;
    s->pass = rfi_team_pass(team);
    s->died[0] = 0;
    w->to = died > w->from ? died : w->from + k->stride;
    w->next = w->from;
}

/* ---- the life of one ---- */

/* No worker can run any more, for a reason that is told once. */
RFI_FN RFI_COLD RFI_PRINTF(2, 3) void rfi_team_gives_up(rfi_team *team, const char *fmt, ...) {
    va_list ap;
    if (team->losses.ended[0]) return;
    va_start(ap, fmt);
    vsnprintf(team->losses.ended, sizeof team->losses.ended, fmt, ap);
    va_end(ap);
}

/* fork(); where the system has no room for another process, it may have some soon. */
RFI_FN pid_t rfi_fork_patiently(void) {
    const struct timespec pause = {0, 10000000};
    pid_t pid;
    rfi_forks = true;
    for (unsigned i = 0; (pid = RFI_REAL(fork)()) < 0 && i < RFI_FORK_TRIES; i++)
        RFI_REAL(nanosleep)(&pause, NULL);
    rfi_forks = false;
    return pid;
}

/* The calling process becomes the witness of a worker, as which this comes back. */
RFI_FN RFI_COLD void rfi_worker_witness(rfi_team *team, rfi_shared *s) {
    int status = 0;
# ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
# endif
    if (getppid() != team->supervisor) rfi_quit(0);
    team->supervisor = rfi_process();
    rfi_last_words = s->died;
    pid_t worker = rfi_fork_patiently();
    if (worker < 0) rfi_die("no process can be started (fork: %s)", strerror(errno));
    if (!worker) return;
    s->process = worker;
    while (RFI_REAL(waitpid)(worker, &status, 0) != worker) continue;
    s->status = status;
    s->seen = 1;
    rfi_quit(0);
}

/* Is it to run the execution in which it died for no reason, and no other one? */
RFI_FN bool rfi_worker_retries(const rfi_worker *w) {
    return w->death.any && w->from == w->death.index && w->next == w->from;
}

RFI_FN pid_t rfi_worker_process(const rfi_worker *w) {
    return w->shared->process ? w->shared->process : w->pid;
}

RFI_FN void rfi_worker_fork(rfi_team *team, rfi_worker *w, const rfi_task *k) {
    rfi_shared *s = w->shared;
    s->complete = s->seen = 0;
    s->process = 0;
    s->record.over = 0;
    s->record.state = RFI_IDLE;
    s->record.index = w->next;
    if (s->record.threads) rfi_local_warm(s->record.threads - 1);
    w->watch = (rfi_watch){.look_at = rfi_milliseconds()};
    RFI_REAL(fflush)(NULL);
    w->pid = rfi_fork_patiently();
    if (w->pid < 0) {
        w->pid = 0;
        rfi_team_gives_up(team, "no process can be started (fork: %s)", strerror(errno));
    } else if (!w->pid) {
        if (rfi_worker_retries(w)) rfi_worker_witness(team, s);
        rfi_worker_main(team, w, k->job, w->to, k->stride, k->trace);
    }
}

/* Does somebody else keep it from running: was it stopped, or does it get no processor? */
RFI_FN RFI_COLD bool rfi_worker_held(pid_t process) {
    bool held = false;
# ifdef __linux__
    char name[64], text[512];
    snprintf(name, sizeof name, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(name);
    const struct dirent *task;
    while (tasks && !held && (task = RFI_REAL(readdir)(tasks))) {
        snprintf(name, sizeof name, "/proc/%d/task/%.20s/stat", (int)process, task->d_name);
        int fd = RFI_REAL(open)(name, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : RFI_REAL(pread)(fd, text, sizeof text - 1, 0);
        if (fd >= 0) RFI_REAL(close)(fd);
        text[n > 0 ? n : 0] = 0;
        const char *state = strrchr(text, ')'); /* behind the name, which may hold anything */
        held = state && state[1] && strchr("RTt", state[2]);
    }
    if (tasks) RFI_REAL(closedir)(tasks);
# endif
    return held;
}

/* Has it stood still, or gone round, for too long, without saying where?  Then it was killed. */
RFI_FN rfi_silence rfi_worker_silent(const rfi_team *team, rfi_worker *w, int *status) {
    clockid_t clock;
    rfi_record *r = &w->shared->record;
    pid_t process = rfi_worker_process(w);
    if (!rfi_watch_now(&w->watch) || clock_getcpuclockid(process, &clock)) return RFI_NOT_SILENT;
    int64_t limit = (int64_t)team->watchdog * 1000;
    int64_t stood = rfi_watch_stood(&w->watch, rfi_cpu_time(clock), r);
    if (stood >= limit && rfi_worker_held(process)) stood = w->watch.looks = 0;
    rfi_silence silence = rfi_watch_asks(&w->watch, stood, limit, r, process) ? RFI_STANDS
                          : rfi_watch_loops(&w->watch, limit)                 ? RFI_LOOPS
                                                                              : RFI_NOT_SILENT;
    if (silence == RFI_NOT_SILENT) return silence;
    RFI_REAL(kill)(process, SIGKILL);
    return RFI_REAL(waitpid)(w->pid, status, 0) == w->pid ? silence : RFI_NOT_SILENT;
}

/* ---- the death of one ---- */

/* Time is up and it does not end by itself: the running execution counts as far as it got.  What
 * was found stands, unless it was just being written. */
RFI_FN RFI_COLD void rfi_worker_cut(rfi_team *team, rfi_worker *w, const rfi_task *k) {
    rfi_shared *s = w->shared;
    if (w->pid) {
        if (s->process) RFI_REAL(kill)(s->process, SIGKILL);
        RFI_REAL(kill)(w->pid, SIGKILL);
        RFI_REAL(waitpid)(w->pid, NULL, 0);
        w->pid = 0;
        rfi_leavings_clear(&s->record.leavings);
    }
    if (s->tally.writing) {
        rfi_worker_rewind(team, w, k);
    } else if (s->record.state == RFI_RUNNING) {
        s->record.cut = true;
        s->record.failure = (rfi_failure){.thread = RFI_NO_THREAD};
        rfi_tally_execution(&s->tally, &s->record);
    }
    rfi_worker_commit(team, w, k);
}

/* Nothing explains it.  True: it has come so often that the test must be the cause. */
RFI_FN bool rfi_worker_deadly(rfi_worker *w, int status) {
    const rfi_record *r = &w->shared->record;
    rfi_death *d = &w->death;
    bool same = d->index == r->index && d->steps == r->steps && d->status == status;
    uint32_t seen = w->shared->seen ? (same ? d->seen : 0) + 1 : 0;
    *d = (rfi_death){r->index, r->steps, status, seen, true};
    return seen >= RFI_SAME_DEATHS;
}

/* It was killed, or died between two executions: its piece is run again, if there is time. */
RFI_FN RFI_COLD void rfi_worker_killed(rfi_team *team, rfi_worker *w, const rfi_task *k,
                                       int status) {
    if (w->shared->stop) {
        rfi_worker_cut(team, w, k);
        return;
    }
    int n = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    const char *name = WIFSIGNALED(status) ? rfi_signal_name(n) : NULL;
    char *how = team->losses.how;
    team->losses.killed++;
    if (name)
        snprintf(how, sizeof team->losses.how, "%s", name);
    else
        snprintf(how, sizeof team->losses.how, "%s %d", WIFSIGNALED(status) ? "signal" : "status",
                 n);
    if (++w->deaths >= RFI_DEATHS_MOST && rfi_milliseconds() - w->since >= RFI_DEATHS_MS)
        rfi_team_gives_up(team, "workers die again and again, not by the test (%s)", how);
    rfi_worker_rewind(team, w, k);
}

/* The engine could not go on.  In a fresh process it may (the test leaks memory); if not, this
 * execution is given up. */
RFI_FN RFI_COLD void rfi_worker_failed(rfi_team *team, rfi_worker *w, const rfi_task *k) {
    rfi_shared *s = w->shared;
    bool alone = w->from == s->record.index && w->death.any && w->death.index == w->from;
    w->death = (rfi_death){.index = s->record.index, .any = true};
    if (alone) {
        team->losses.lost++;
        memcpy(team->losses.why, s->died, sizeof s->died);
    }
    rfi_worker_rewind(team, w, k);
    if (!alone) return;
    w->next = w->from + k->stride;
    rfi_worker_piece(team, w, k);
}

/* The execution has explained the death. */
RFI_FN void rfi_worker_execution_ended(rfi_worker *w, bool learns) {
    rfi_shared *s = w->shared;
    if (s->pass == RFI_PASS_FIRST) {
        rfi_first_run_keep(s->first, &s->record);
    } else {
        rfi_tally_execution(&s->tally, &s->record);
        if (learns) (void)rfi_lesson_end(&s->lessons, s->record.cut);
    }
}

/* The worker is gone: what became of its execution, and where does its successor go on?  False:
 * what it has found since its piece began is lost. */
RFI_FN bool rfi_worker_buried(rfi_team *team, rfi_worker *w, const rfi_task *k, int status,
                              rfi_silence silence) {
    rfi_shared *s = w->shared;
    rfi_record *r = &s->record;
    w->pid = 0;
    rfi_leavings_clear(&r->leavings);
    if (s->complete) {
        w->next = w->from + s->tally.executions * k->stride;
        return true;
    }
    if (s->died[0]) {
        rfi_worker_failed(team, w, k);
        return false;
    }
    if (r->state == RFI_RUNNING) {
        bool explained = silence || WIFEXITED(status), deadly = false;
        if (!explained && !(deadly = rfi_worker_deadly(w, status))) {
            rfi_worker_killed(team, w, k, status);
            return false;
        }
        if (deadly) team->losses.killed -= RFI_SAME_DEATHS; /* they were none */
        if (r->failure.diagnostic == RF_DIAG_NONE) rfi_death_note(r, status, silence);
        rfi_worker_execution_ended(w, rfi_job_learns(k->job));
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        rfi_worker_killed(team, w, k, status);
        return false;
    }
    w->next = s->pass == RFI_PASS_FIRST ? r->index : r->index + k->stride;
    if (s->pass != RFI_PASS_ALL)
        s->pass = s->pass == RFI_PASS_FIRST ? RFI_PASS_SECOND : RFI_PASS_FIRST;
    return true;
}

/* Looks after one worker; true while it (or its successor) runs. */
RFI_FN bool rfi_worker_tend(rfi_team *team, rfi_worker *w, const rfi_task *k) {
    int status = 0;
    rfi_silence silence = RFI_NOT_SILENT;
    bool serial = rfi_job_serial(k->job);
    if (!w->pid) return false;
    rfi_job_part(k->job, w->part);
    if (!RFI_REAL(waitpid)(w->pid, &status, WNOHANG) &&
        !(silence = rfi_worker_silent(team, w, &status))) {
        bool over = team->hurried && rfi_milliseconds() - team->hurried >= team->grace;
        if (over) rfi_worker_cut(team, w, k);
        return !over;
    }
    if (w->shared->seen) status = w->shared->status;
    bool kept = rfi_worker_buried(team, w, k, status, silence);
    if (kept && (serial || w->next >= w->to || w->shared->complete || w->shared->stop))
        rfi_worker_commit(team, w, k);
    if (w->next >= k->to || w->shared->stop || team->losses.ended[0]) return false;
    if (serial && !rfi_series_goes_on(k->job, w->shared)) return false;
    rfi_worker_fork(team, w, k);
    return w->pid != 0;
}
#endif
#endif

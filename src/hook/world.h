/* hook/world.h: waits for something that comes from other threads or from outside: files that get
 * ready, signals.
 *
 * Other threads run meanwhile, and time-outs are virtual.  If no other thread is enabled, the
 * thread polls for a few milliseconds; then it waits for real, and the watchdog names the call.
 */
#ifndef RFI_HOOK_WORLD_H
#define RFI_HOOK_WORLD_H
#include "campaign/crash.h"
#include "engine/futex.h"
#include "hook/actions.h"
#include "hook/inside.h"

#ifdef RFI_IMPL
# include <sys/select.h>
# include <sys/stat.h>

# ifdef __linux__
#  include <sys/epoll.h>
#  include <sys/eventfd.h>
#  include <sys/timerfd.h>

struct pollfd; /* <poll.h> would take the word poll from tests that have the engine in their unit */
typedef unsigned long rfi_nfds;

RFI_FN int rfi_real_ppoll(struct pollfd *file, rfi_nfds n, const struct timespec *t,
                          const sigset_t *mask) {
    struct timespec left; /* the kernel writes what is left */
    if (t) left = *t;
    return (int)RFI_REAL(syscall)(SYS_ppoll, file, n, t ? &left : NULL, mask, 8);
}

RFI_FN int rfi_real_poll(struct pollfd *file, rfi_nfds n, int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    return rfi_real_ppoll(file, n, ms < 0 ? NULL : &t, NULL);
}
# else
#  include <poll.h>
typedef nfds_t rfi_nfds;
#  define rfi_real_poll  RFI_REAL(poll)
#  define rfi_real_ppoll RFI_REAL(ppoll)
# endif

enum { RFI_FILE_IN = 1, RFI_FILE_OUT = 4 }; /* POLLIN, POLLOUT */

RFI_FN int rfi_real_poll_one(int fd, short events, int ms) {
    struct {
        int fd;
        short events, got; /* a struct pollfd */
    } file = {fd, events, 0};
    return rfi_real_poll((struct pollfd *)(void *)&file, 1, ms);
}

enum { RFI_WORLD_MS = 10, RFI_FOREIGN_MS = 200 };

/* A lock of a file that is waited for; the commands of fcntl are: to look, to try, to wait. */
typedef struct rfi_file_lock {
    enum { RFI_LOCK_FLOCK, RFI_LOCK_LOCKF, RFI_LOCK_FCNTL } how;
    int fd, command;
    void *of;
    off_t bytes;
} rfi_file_lock;

/* What is waited for. */
typedef struct rfi_hook_world {
    /* Waits for `ms` real milliseconds at most, or until it is there (-1); 0: it is not there.
     * NULL: there is nothing but a signal to come. */
    int (*look)(const struct rfi_hook_world *w, int ms);
    /* The same, where `look` takes what has come and this does not. */
    int (*comes)(const struct rfi_hook_world *w, int ms);
    /* Nothing but threads of this process can make it come.  NULL: others may. */
    bool (*inside)(const struct rfi_hook_world *w);
    const rf_site *site;
    const char *name; /* of the call */
    bool restarts;    /* after a handler that says so */
    bool foreign;     /* what comes is from other processes alone, and it waits until it comes */
    bool takes;       /* a call that follows takes what has come, if that is still there */
    bool timed;       /* it ends by itself */
    union {
        rfi_file_lock lock;
        struct {
            int fd;
            short events;
        } one;
        struct {
            pid_t id;
            int options, *status;
            struct rusage *usage;
        } child;
        struct {
            struct pollfd *file;
            rfi_nfds files;
        };
        struct {
            const fd_set *wanted;
            fd_set *set[3];
            int end;
        };
        struct {
            struct epoll_event *event;
            int queue, events;
        };
        struct {
            const sigset_t *signals;
            siginfo_t *info;
        };
    };
} rfi_hook_world;

/* Nobody else can go on, but for those that stand here too and have looked after that step. */
RFI_FN bool rfi_hook_alone(uint64_t since) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *u = rfi.thread[i];
        if (u == rfi.current || u->finished || !rfi_in(rfi.enabled, i)) continue;
        const rfi_hook_thread *t = rfi_hook_of(u);
        if (t->looked <= since) return false;
    }
    return true;
}

/* Others go on; it looks again when it has its turn. */
RFI_FN void rfi_hook_give_way(const rfi_hook_world *w) {
    rfi_hook_self()->looked = rfi.run.steps + 1;
    rfi.current->outside = w->takes                     ? RFI_OUTSIDE_TAKES
                           : w->timed && rfi.plan->late ? RFI_OUTSIDE_LATE
                                                        : RFI_OUTSIDE_HAS;
    rfi.current->timed = w->timed && w->takes;
    rfi_yield(w->site);
    rfi.current->timed = false;
    rfi.current->outside = RFI_INSIDE;
    rfi_hook_self()->looked = 0;
}

/* Until a signal is sent to the thread: nobody else ends that. */
RFI_FN void rfi_hook_park(const rf_site *s) {
    static rfi_object signals;
    if (signals.generation != rfi.generation)
        rfi_object_register(&signals, RFI_SIGNAL, s, "a signal");
    rfi.current->notified = rfi.current->interrupted = false;
    rfi.current->wake = RF_WAKE_SPURIOUS;
    rfi_park(s, &signals, 0, false);
}

/* What others have done before is seen. */
RFI_FN void rfi_hook_look_first(const rfi_hook_world *w) {
    bool chosen = w->timed && rfi.current && rfi.strategy->values;
    rfi_call(w->site, w->name, &rfi_hook_outside, RF_EV_READS | (chosen ? RF_EV_TIMED : 0));
}

# ifdef __linux__
/* ---- timerfd: an eventfd that virtual time writes to ---- */

typedef struct rfi_hook_timer {
    int fd; /* -1: closed */
    clockid_t clock;
    uint64_t next, every; /* in ms; 0: it is not set, there is no other */
} rfi_hook_timer;

RFI_VAR struct {
    uint32_t generation, count, capacity;
    rfi_hook_timer *timer;
} rfi_hook_timers;

RFI_FN rfi_hook_timer *rfi_hook_timer_of(int fd) {
    if (rfi_hook_timers.generation != rfi.generation) rfi_hook_timers.count = 0;
    rfi_hook_timers.generation = rfi.generation;
    for (uint32_t i = 0; i < rfi_hook_timers.count; i++)
        if (rfi_hook_timers.timer[i].fd == fd) return &rfi_hook_timers.timer[i];
    return NULL;
}

RFI_FN void rfi_hook_timer_closed(int fd) {
    rfi_hook_timer *t = rfi_hook_shares() ? rfi_hook_timer_of(fd) : NULL;
    if (t) t->fd = -1;
}

RFI_FN rfi_hook_timer *rfi_hook_timer_new(void) {
    rfi_hook_timer *closed = rfi_hook_timer_of(-1);
    if (closed) return closed;
    rfi_hook_timers.timer = rfi_grow(rfi_hook_timers.timer, &rfi_hook_timers.capacity,
                                     rfi_hook_timers.count + 1, sizeof *rfi_hook_timers.timer);
    return &rfi_hook_timers.timer[rfi_hook_timers.count++];
}

/* Those whose time has come; the result is how far away the next one is. */
RFI_FN uint64_t rfi_hook_timers_ring(void) {
    uint64_t left = UINT64_MAX;
    (void)rfi_hook_timer_of(-1);
    for (uint32_t i = 0; i < rfi_hook_timers.count; i++) {
        rfi_hook_timer *t = &rfi_hook_timers.timer[i];
        if (t->fd < 0 || !t->next) continue;
        if (t->next <= rfi.run.now) {
            uint64_t n = t->every ? 1 + (rfi.run.now - t->next) / t->every : 1;
            t->next = t->every ? t->next + n * t->every : 0;
            (void)RFI_REAL(eventfd_write)(t->fd, n);
        }
        if (t->next && t->next - rfi.run.now < left) left = t->next - rfi.run.now;
    }
    return left;
}
# else
#  define rfi_hook_timers_ring()      UINT64_MAX
#  define rfi_hook_timer_closed(file) ((void)(file))
# endif

/* How many other processes in turn have not done in their time what was waited for, in all
 * processes of the campaign: so it seems to depend on the program, and the next ones have less. */
typedef struct rfi_hook_slow {
    volatile uint32_t children, pipes;
} rfi_hook_slow;

RFI_VAR rfi_hook_slow rfi_hook_slow_here, *rfi_hook_slows = &rfi_hook_slow_here;

RFI_FN void rfi_hook_patience(volatile uint32_t *slow, bool done) {
    *slow = done ? 0 : *slow + (*slow < 8);
}

/* What other processes do takes real time, of which a token knows nothing: where nobody here can
 * answer, there is no look before they have. */
RFI_FN int rfi_hook_look(const rfi_hook_world *w, int ms) {
    (void)rfi_hook_timers_ring();
    int found = w->look ? w->look(w, ms) : 0;
    if (found || ms || !w->look || !w->foreign) return found;
    found = w->look(w, RFI_FOREIGN_MS >> rfi_hook_slows->pipes);
    rfi_hook_patience(&rfi_hook_slows->pipes, found);
    return found;
}

/* Where time does not pass early: while others go on, and at each deadline of theirs, it looks.
 * The result is below 0 for a signal. */
RFI_FN int rfi_hook_await_late(const rfi_hook_world *w, uint64_t until) {
    while (rfi.run.now < until && !rfi_time_impatient()) {
        if (rfi_hook_alone(0)) {
            uint64_t left = until - rfi.run.now, next = rfi_time_to_next();
            if (rfi_hook_sleep(w->site, (int64_t)(next < left ? next : left)) >= 0) return -1;
        } else {
            rfi_hook_give_way(w);
            if (rfi_hook_point(w->site)) return -1;
        }
        int found = rfi_hook_look(w, 0);
        if (found) return found;
    }
    return 0;
}

/* The time-out may come whenever time may pass. */
RFI_FN int rfi_hook_await_until(const rfi_hook_world *w, int64_t ms) {
    if (rfi_hook_point(w->site)) return rfi_hook_errno(EINTR);
    int found = rfi_hook_look(w, 0);
    if (found) return found;
    uint64_t until = rfi.run.now + (uint64_t)ms;
    if ((uint64_t)ms > rfi_early_left()) found = rfi_hook_await_late(w, until);
    if (found) return found < 0 ? rfi_hook_errno(EINTR) : found;
    if (ms && w->look)
        rfi.current->outside = w->timed && rfi.plan->late ? RFI_OUTSIDE_LATE : RFI_OUTSIDE_HAS;
    if (!ms)
        rfi_yield(w->site);
    else if (rfi.run.now < until)
        found = rfi_hook_sleep(w->site, (int64_t)(until - rfi.run.now)) >= 0;
    rfi.current->outside = RFI_INSIDE;
    if (found) return rfi_hook_errno(EINTR);
    if (!rfi_hook_alone(0) || (ms && w->inside && rfi_inside_alone() && w->inside(w))) ms = 0;
    return rfi_hook_look(w, ms < RFI_WORLD_MS ? (int)ms : RFI_WORLD_MS);
}

/* How far away the next signal of a timer, or deadline of another thread is. */
RFI_FN uint64_t rfi_hook_next_due(void) {
    uint64_t signal = rfi_sig_next(), next = rfi_time_to_next();
    return signal < next ? signal : next;
}

/* For as long as it takes.  Where all that could go on stand here, each has looked once more before
 * one of them waits for real. */
RFI_FN int rfi_hook_await(const rfi_hook_world *w) {
    uint64_t since = 0; /* the step since which it has been alone */
    int ms = 0;
    for (;;) {
        unsigned ran = rfi_hook_point(w->site);
        if (w->restarts ? ran & RFI_HOOK_STOPS : ran) return rfi_hook_errno(EINTR);
        uint64_t timer = rfi_hook_timers_ring();
        if (timer != UINT64_MAX) {
            int rang = rfi_hook_await_until(w, (int64_t)timer);
            if (rang) return rang;
            continue;
        }
        ms = !since || !rfi_hook_alone(since) ? 0 : ms ? -1 : RFI_WORLD_MS;
        if (ms < 0 && (timer = rfi_hook_next_due()) != UINT64_MAX) { /* virtual time, not real */
            int rang = rfi_hook_await_until(w, (int64_t)timer);
            if (rang) return rang;
            continue;
        }
        rfi_crash_waits = ms < 0 ? w->name : NULL;
        int found = rfi_hook_look(w, ms);
        if (found < 0 && errno == EINTR && rfi_sig_poll()) continue;
        if (found) {
            if (ms) rfi_hook_asks(RFI_ASKS_WHEN, "what came from outside, by %s", w->name);
            return found;
        }
        if (!w->look) rfi_hook_park(w->site);
        if (!rfi_hook_alone(0))
            since = 0;
        else if (!since)
            since = rfi.run.steps;
        rfi_hook_give_way(w);
    }
}

/* ---- poll, select ---- */

RFI_FN int rfi_hook_look_poll(const rfi_hook_world *w, int ms) {
    return rfi_real_poll(w->file, w->files, ms);
}

/* First in struct pollfd: the file, none if below 0. */
RFI_FN int rfi_hook_polled(const struct pollfd *file, rfi_nfds i) {
    return *(const int *)((const char *)file + i * 8);
}

RFI_FN bool rfi_hook_poll_inside(const rfi_hook_world *w) {
    for (rfi_nfds i = 0; i < w->files; i++) {
        int fd = rfi_hook_polled(w->file, i);
        if (fd >= 0 && !rfi_inside(fd)) return false;
    }
    return true;
}

/* Sets are read again and again, and written when something is there. */
RFI_FN int rfi_hook_look_select(const rfi_hook_world *w, int ms) {
    fd_set copy[3], *set[3];
    struct timeval t = {ms / 1000, ms % 1000 * 1000};
    for (unsigned i = 0; i < 3; i++) {
        copy[i] = w->wanted[i];
        set[i] = w->set[i] ? &copy[i] : NULL;
    }
    int found = RFI_REAL(select)(w->end, set[0], set[1], set[2], ms < 0 ? NULL : &t);
    for (unsigned i = 0; found > 0 && i < 3; i++)
        if (w->set[i]) *w->set[i] = copy[i];
    return found;
}

RFI_FN bool rfi_hook_select_inside(const rfi_hook_world *w) {
    for (int i = 0; i < w->end; i++) {
        bool any = false;
        for (unsigned k = 0; k < 3; k++) any |= w->set[k] && FD_ISSET(i, &w->wanted[k]);
        if (any && !rfi_inside(i)) return false;
    }
    return true;
}

/* For as long as it takes; what was there may be gone when the thread has its turn. */
RFI_FN int rfi_hook_await_turn(const rfi_hook_world *w) {
    rfi_hook_world until = *w;
    if (w->comes) until.look = w->comes;
    for (;;) {
        int found = w->takes ? rfi_hook_look(w, 0) : 0;
        if (found || (found = rfi_hook_await(&until)) <= 0 || !w->takes) return found;
        rfi_hook_look_first(w);
    }
}

/* For some time, under a strategy that knows memory itself: whether it ends by itself is chosen
 * where it would begin, since by waiting longer a thread sees no more than by another call. */
RFI_FN int rfi_hook_await_chosen(const rfi_hook_world *w, int64_t ms) {
    int found = rfi_hook_look(w, 0);
    if (found) return found;
    if (rfi_wait_ends(rfi.current, w->site, 2)) {
        rfi_now_to(rfi.run.now + (uint64_t)ms);
        return 0;
    }
    rfi_hook_world turn = *w;
    turn.takes = true;
    return rfi_hook_await_turn(&turn);
}

/* So many milliseconds; below 0: for as long as it takes.  A mask is the process's meanwhile. */
RFI_FN int rfi_hook_await_for(rfi_hook_world *w, int64_t ms, const sigset_t *mask) {
    sigset_t room, before;
    uint64_t blocked = 0;
    int found = 0;
    w->timed = ms > 0;
    rfi_hook_look_first(w);
    if (mask) {
        RFI_REAL(pthread_sigmask)(SIG_SETMASK, rfi_hook_mask(mask, SIG_SETMASK, &room), &before);
        blocked = rfi_sig_suspend(w->site, mask, &found);
    }
    bool chosen = w->timed && w->look && rfi.strategy->values && !rfi.plan->late;
    if (!found && ms < 0)
        found = rfi_hook_await_turn(w);
    else if (!found && chosen && rfi_hook_timers_ring() == UINT64_MAX)
        found = rfi_hook_await_chosen(w, ms);
    else
        for (uint64_t timer; !found; ms -= (int64_t)timer) {
            timer = rfi_hook_timers_ring();
            if (timer > (uint64_t)ms) timer = (uint64_t)ms;
            found = rfi_hook_await_until(w, (int64_t)timer);
            if (timer == (uint64_t)ms) break;
        }
    int error = errno;
    if (mask) {
        RFI_REAL(pthread_sigmask)(SIG_SETMASK, &before, NULL);
        (void)rfi_sig_mask(w->site, blocked);
    }
    errno = error;
    return found;
}

RFI_FN int rfi_hook_poll(const rf_site *s, struct pollfd *file, rfi_nfds n, int64_t ms,
                         const sigset_t *mask) {
    bool any = false;
    for (rfi_nfds i = 0; i < n; i++) any |= rfi_hook_polled(file, i) >= 0;
    rfi_hook_world w = {.look = any ? rfi_hook_look_poll : NULL, .site = s};
    w.inside = rfi_hook_poll_inside;
    for (rfi_nfds i = 0; i < n; i++) {
        bool foreign = rfi_hook_foreign("poll", rfi_hook_polled(file, i));
        w.foreign |= foreign && ms < 0;
    }
    w.takes = any && ms < 0;
    w.file = file;
    w.files = n;
    w.name = "poll";
    return rfi_hook_await_for(&w, ms, mask);
}

RFI_FN int rfi_hook_select(const rf_site *s, int end, fd_set **set, int64_t ms,
                           const sigset_t *mask) {
    bool any = end && (set[0] || set[1] || set[2]);
    rfi_hook_world w = {.look = any ? rfi_hook_look_select : NULL, .site = s};
    fd_set wanted[3] = {0};
    w.takes = any && ms < 0;
    w.end = end;
    w.wanted = wanted;
    for (unsigned i = 0; i < 3; i++)
        if ((w.set[i] = set[i])) wanted[i] = *set[i];
    for (int i = 0; set[0] && i < end; i++)
        w.foreign |= FD_ISSET(i, set[0]) && rfi_hook_foreign("select", i) && ms < 0;
    w.name = "select";
    w.inside = rfi_hook_select_inside;
    int found = rfi_hook_await_for(&w, ms, mask);
    for (unsigned i = 0; !found && i < 3; i++)
        if (set[i]) FD_ZERO(set[i]);
    return found;
}

int RFI_HOOK(poll)(struct pollfd *file, rfi_nfds n, int ms) {
    if (!rfi_hook_shares()) return rfi_real_poll(file, n, ms);
    return rfi_hook_poll(RFI_CALLER(), file, n, ms, NULL);
}

int RFI_HOOK(ppoll)(struct pollfd *file, rfi_nfds n, const struct timespec *t,
                    const sigset_t *mask) {
    if (!rfi_hook_shares()) return rfi_real_ppoll(file, n, t, mask);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    return rfi_hook_poll(RFI_CALLER(), file, n, t ? rfi_hook_ms(t, 0) : -1, mask);
}

int RFI_HOOK(select)(int end, fd_set *in, fd_set *out, fd_set *more, struct timeval *t) {
    if (!rfi_hook_shares() || end > FD_SETSIZE) return RFI_REAL(select)(end, in, out, more, t);
    if (t && (t->tv_sec < 0 || t->tv_usec < 0)) return rfi_hook_errno(EINVAL);
    fd_set *set[3] = {in, out, more};
    int64_t ms = t ? (int64_t)t->tv_sec * 1000 + (t->tv_usec + 999) / 1000 : -1;
    int found = rfi_hook_select(RFI_CALLER(), end, set, ms, NULL);
    if (!found && t) *t = (struct timeval){0, 0}; /* what is left of it */
    return found;
}

int RFI_HOOK(pselect)(int end, fd_set *in, fd_set *out, fd_set *more, const struct timespec *t,
                      const sigset_t *mask) {
    if (!rfi_hook_shares() || end > FD_SETSIZE)
        return RFI_REAL(pselect)(end, in, out, more, t, mask);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    fd_set *set[3] = {in, out, more};
    return rfi_hook_select(RFI_CALLER(), end, set, t ? rfi_hook_ms(t, 0) : -1, mask);
}

# ifdef __linux__
/* ---- epoll ---- */

RFI_FN int rfi_hook_look_epoll(const rfi_hook_world *w, int ms) {
    return RFI_REAL(epoll_wait)(w->queue, w->event, w->events, ms);
}

/* What a look hands out once only (EPOLLET, EPOLLONESHOT) is left there. */
RFI_FN int rfi_hook_epoll_comes(const rfi_hook_world *w, int ms) {
    return rfi_real_poll_one(w->queue, RFI_FILE_IN, ms);
}

RFI_FN bool rfi_hook_epoll_inside(const rfi_hook_world *w) { return rfi_inside_queue(w->queue); }

RFI_FN int rfi_hook_epoll(const rf_site *s, const rfi_hook_world *of, int ms,
                          const sigset_t *mask) {
    rfi_hook_world w = *of;
    w.look = rfi_hook_look_epoll;
    w.comes = rfi_hook_epoll_comes;
    w.inside = rfi_hook_epoll_inside;
    w.takes = ms < 0;
    w.site = s;
    w.name = "epoll_wait";
    return rfi_hook_await_for(&w, ms, mask);
}

int RFI_HOOK(epoll_wait)(int queue, struct epoll_event *event, int n, int ms) {
    rfi_hook_world w = {.queue = queue, .event = event, .events = n};
    if (!rfi_hook_shares()) return RFI_REAL(epoll_wait)(queue, event, n, ms);
    return rfi_hook_epoll(RFI_CALLER(), &w, ms, NULL);
}

int RFI_HOOK(epoll_pwait)(int queue, struct epoll_event *event, int n, int ms,
                          const sigset_t *mask) {
    rfi_hook_world w = {.queue = queue, .event = event, .events = n};
    if (!rfi_hook_shares()) return RFI_REAL(epoll_pwait)(queue, event, n, ms, mask);
    return rfi_hook_epoll(RFI_CALLER(), &w, ms, mask);
}

/* Others may wait for what it changes. */
int RFI_HOOK(epoll_ctl)(int queue, int how, int fd, struct epoll_event *event) {
    if (rfi_hook_shares())
        rfi_call(RFI_CALLER(), "epoll_ctl", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    return RFI_REAL(epoll_ctl)(queue, how, fd, event);
}
# endif

/* ---- sigwait ---- */

/* Where no other thread can send a signal, one of a child may still come, or of a parent. */
RFI_FN int rfi_hook_look_signals(const rfi_hook_world *w, int ms) {
    struct timespec t = {0, (long)(ms < 0 ? 0 : ms) * 1000000};
    siginfo_t child;
    rfi_sig_entry e;
    if (rfi_sig_take(w->site, rfi_sig_bits(w->signals), &e)) {
        if (w->info) *w->info = e.info;
        return e.info.si_signo;
    }
    bool comes = rfi_forked || (sigismember(w->signals, SIGCHLD) == 1 &&
                                !waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT));
    if (ms < 0 && comes) return RFI_REAL(sigwaitinfo)(w->signals, w->info);
    int signal = RFI_REAL(sigtimedwait)(w->signals, w->info, &t);
    if (signal < 0 && errno == EAGAIN && ms < 0) rfi_hook_park(w->site);
    return signal < 0 && errno == EAGAIN ? 0 : signal;
}

RFI_FN int rfi_hook_sigwait(const rf_site *s, const sigset_t *set, siginfo_t *info, int64_t ms) {
    rfi_hook_world w = {.look = rfi_hook_look_signals, .site = s};
    w.signals = set;
    w.info = info;
    w.name = "sigwait";
    rfi_call(s, w.name, &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES); /* it takes one */
    return ms < 0 ? rfi_hook_await(&w) : rfi_hook_await_until(&w, ms);
}

int RFI_HOOK(sigwait)(const sigset_t *set, int *signal) {
    if (!rfi_hook_shares()) return RFI_REAL(sigwait)(set, signal);
    const rf_site *here = RFI_CALLER();
    do *signal = rfi_hook_sigwait(here, set, NULL, -1);
    while (*signal < 0 && errno == EINTR);
    return *signal < 0 ? errno : 0;
}

int RFI_HOOK(sigwaitinfo)(const sigset_t *set, siginfo_t *info) {
    if (!rfi_hook_shares()) return RFI_REAL(sigwaitinfo)(set, info);
    return rfi_hook_sigwait(RFI_CALLER(), set, info, -1);
}

int RFI_HOOK(sigtimedwait)(const sigset_t *set, siginfo_t *info, const struct timespec *t) {
    if (!rfi_hook_shares()) return RFI_REAL(sigtimedwait)(set, info, t);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    int signal = rfi_hook_sigwait(RFI_CALLER(), set, info, t ? rfi_hook_ms(t, 0) : -1);
    return signal ? signal : rfi_hook_errno(EAGAIN);
}
#endif
#endif

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
# endif

RFI_FN int rfi_real_poll_one(int fd, short events, int ms) {
    rfi_polled file = {fd, events, 0};
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

/* A file that is being opened. */
typedef struct rfi_file_open {
    int fd, at, flags;
    unsigned mode;
    const char *path;
} rfi_file_open;

/* What is waited for. */
typedef struct rfi_hook_world {
    /* Waits for `ms` real milliseconds at most, or until it is there (-1); 0: it is not there.
     * NULL: there is nothing but a signal to come. */
    int (*look)(const struct rfi_hook_world *w, int ms);
    /* The same, where `look` takes what has come and this does not; it may say so too often. */
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
            int else_what;
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
        struct rfi_sysv *sysv;
        rfi_file_open *open;
        struct {
            const sigset_t *signals;
            siginfo_t *info;
        };
    };
} rfi_hook_world;

/* Another thread that can go on, from number `i` on; RFI_NO_THREAD: there is none. */
RFI_FN uint32_t rfi_hook_beside(uint32_t i) {
    for (; i < rfi.run.threads; i++)
        if (rfi.thread[i] != rfi.current && !rfi.thread[i]->finished && rfi_in(rfi.enabled, i))
            return i;
    return RFI_NO_THREAD;
}

/* There are only such that stand here too and have looked after that step. */
RFI_FN bool rfi_hook_alone(uint64_t since) {
    for (uint32_t i = 0; (i = rfi_hook_beside(i)) != RFI_NO_THREAD; i++)
        if (rfi_hook_of(rfi.thread[i])->looked <= since) return false;
    return true;
}

/* Steps but for those that were only looks. */
RFI_FN uint64_t rfi_hook_moves(void) { return rfi.run.steps - rfi.run.glances; }

/* Others go on; it looks again when it has its turn. */
RFI_FN void rfi_hook_give_way(const rfi_hook_world *w) {
    uint64_t moves = rfi_hook_moves();
    rfi.frame.looks = moves == rfi.frame.moves ? rfi.frame.looks + 1 : 0;
    rfi.frame.moves = moves;
    rfi.run.glances++;
    rfi_hook_self()->looked = rfi.run.steps + 1;
    rfi_hook_self()->world = w;
    rfi.current->outside = w->takes                     ? RFI_OUTSIDE_TAKES
                           : w->timed && rfi.plan->late ? RFI_OUTSIDE_LATE
                                                        : RFI_OUTSIDE_HAS;
    rfi.current->called = w->name;
    rfi.current->timed = w->timed && w->takes;
    rfi_yield(w->site);
    rfi.current->timed = false;
    rfi.current->outside = RFI_INSIDE;
    rfi_hook_self()->looked = 0;
    rfi_hook_self()->waited = true;
}

/* Until a signal is sent to the thread: nobody else ends that. */
RFI_FN void rfi_hook_park(const rf_site *s, bool file) {
    static rfi_object waited[2];
    rfi_object *o = &waited[file];
    if (o->generation != rfi.generation)
        rfi_object_register(o, RFI_SIGNAL, s,
                            file ? "what only threads here could send" : "a signal");
    rfi.current->notified = rfi.current->interrupted = false;
    rfi.current->wake = RF_WAKE_SPURIOUS;
    rfi_park(s, o, 0, false);
}

/* For who can't be asked whether something has come for him. */
RFI_FN int rfi_hook_may_come(const rfi_hook_world *w, int ms) { return (void)w, (void)ms, 1; }

/* What has come tells of what was done before. */
RFI_FN void rfi_hook_hear(const rfi_hook_world *w, unsigned timed) {
    rfi_call_told(w->site, w->name, &rfi_hook_outside, __ATOMIC_ACQUIRE, RF_EV_READS | timed);
}

/* What others have done before is seen.  Who goes on when something has come is told of it here. */
RFI_FN void rfi_hook_look_first(const rfi_hook_world *w) {
    bool chosen = w->timed && rfi.current && rfi.strategy->values;
    if (w->takes || chosen)
        rfi_hook_hear(w, chosen ? RF_EV_TIMED : 0);
    else
        rfi_call(w->site, w->name, &rfi_hook_outside, RF_EV_READS);
}

# ifdef __linux__
/* ---- timerfd: an eventfd that virtual time writes to ---- */

typedef struct rfi_hook_timer {
    int fd; /* -1: closed */
    clockid_t clock;
    uint64_t next, every; /* in ms; 0: it is not set, there is no other */
    uint32_t setting;     /* the number of the last one, in the process */
} rfi_hook_timer;

RFI_VAR struct {
    uint32_t generation, count, capacity, settings;
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
    uint64_t end = rfi_sig_on() && rfi_sig.pending ? rfi_sig_timers_end() : UINT64_MAX;
    uint64_t left = rfi_sig_timers_ring();
    if (end < left) left = end;
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
#  define rfi_hook_timers_ring()      rfi_sig_timers_ring()
#  define rfi_hook_timer_closed(file) ((void)(file))
# endif

/* How often other processes have not done in their time what was waited for, in all processes of
 * the campaign: so it seems to depend on the program, and the next ones have less.  One that does
 * it is worth little: most of those that the program keeps waiting are quick where it does not. */
typedef struct rfi_hook_slow {
    volatile uint32_t children, pipes;
} rfi_hook_slow;

RFI_VAR rfi_hook_slow rfi_hook_slow_here, *rfi_hook_slows = &rfi_hook_slow_here;

RFI_FN void rfi_hook_patience(volatile uint32_t *slow, bool done) {
    uint32_t n = *slow;
    *slow = !done ? n + (n < 128 ? 16 : 0) : n > 64 ? 64 : n - (n > 0);
}

/* How long it may take, of so many milliseconds. */
RFI_FN uint32_t rfi_hook_patient(uint32_t ms, const volatile uint32_t *slow) {
    return ms >> (*slow >> 4);
}

/* What other processes do takes real time, of which a token knows nothing: where nobody here can
 * answer, there is no look before they have. */
RFI_FN int rfi_hook_look(const rfi_hook_world *w, int ms) {
    (void)rfi_hook_timers_ring();
    int found = w->look ? w->look(w, ms) : 0;
    if (found || ms || !w->look || !w->foreign) return found;
    found = w->look(w, (int)rfi_hook_patient(RFI_FOREIGN_MS, &rfi_hook_slows->pipes));
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

/* Only what threads of this process do makes it come. */
RFI_FN bool rfi_hook_inside(const rfi_hook_world *w) {
    return w->inside && rfi_inside_alone() && w->inside(w);
}

/* The time-out may come whenever time may pass. */
RFI_FN int rfi_hook_await_until(const rfi_hook_world *w, int64_t ms) {
    if (rfi_hook_point(w->site)) return rfi_hook_errno(EINTR);
    int found = rfi_hook_look(w, 0);
    if (found) return found;
    uint64_t until = rfi.run.now + (uint64_t)ms;
    if ((uint64_t)ms > rfi_early_left()) found = rfi_hook_await_late(w, until);
    if (found) return found < 0 ? rfi_hook_errno(EINTR) : found;
    rfi.current->called = w->name;
    if (ms && w->look)
        rfi.current->outside = w->timed && rfi.plan->late ? RFI_OUTSIDE_LATE : RFI_OUTSIDE_HAS;
    if (!ms)
        rfi_yield(w->site);
    else if (rfi.run.now < until)
        found = rfi_hook_sleep(w->site, (int64_t)(until - rfi.run.now)) >= 0;
    rfi.current->outside = RFI_INSIDE;
    if (found) return rfi_hook_errno(EINTR);
    if (!rfi_hook_alone(0) || (ms && rfi_hook_inside(w))) ms = 0;
    return rfi_hook_look(w, ms < RFI_WORLD_MS ? (int)ms : RFI_WORLD_MS);
}

/* How far away the next signal of a timer, or deadline of another thread is. */
RFI_FN uint64_t rfi_hook_next_due(void) {
    uint64_t signal = rfi_sig_next(), next = rfi_time_to_next();
    return signal < next ? signal : next;
}

/* The same for all who stand here: nobody is left who would do it. */
RFI_FN bool rfi_hook_in_vain(void) {
    for (uint32_t i = 0; (i = rfi_hook_beside(i)) != RFI_NO_THREAD; i++)
        if (!rfi_hook_inside(rfi_hook_of(rfi.thread[i])->world)) return false;
    return !rfi_inside_kernel();
}

/* For real, until something comes for this thread, or, where the result is 0, for one beside it. */
RFI_FN int rfi_hook_look_long(const rfi_hook_world *w) {
    bool signals = w->comes == rfi_hook_may_come; /* then it stands until one is sent */
    if (signals || rfi_hook_beside(0) == RFI_NO_THREAD) return rfi_hook_look(w, -1);
    for (int ms = RFI_WORLD_MS;; ms += ms < 100 ? ms : 0) {
        int found = rfi_hook_look(w, ms);
        if (found) return found;
        for (uint32_t i = 0; (i = rfi_hook_beside(i)) != RFI_NO_THREAD; i++) {
            const rfi_hook_world *o = rfi_hook_of(rfi.thread[i])->world;
            if (!o->look || (o->comes ? o->comes : o->look)(o, 0)) return 0;
        }
    }
}

/* For as long as it takes.  Where all that could go on stand here, each has looked once more before
 * one of them waits for real. */
RFI_FN int rfi_hook_await(const rfi_hook_world *w) {
    uint64_t since = 0, moves = 0; /* the step since which it has been alone, and nobody did more */
    int ms = 0;
    for (;;) {
        unsigned ran = rfi_hook_point(w->site);
        ran |= rfi_sig_ends_wait(w->site, RFI_OFFER_LOOK, w->restarts, NULL);
        if (w->restarts ? ran & RFI_HOOK_STOPS : ran) return rfi_hook_errno(EINTR);
        uint64_t timer = rfi_hook_timers_ring();
        if (timer != UINT64_MAX) {
            int rang = rfi_hook_await_until(w, (int64_t)timer);
            if (rang) return rang;
            continue;
        }
        bool alone = since && moves == rfi_hook_moves() && rfi_hook_alone(since);
        bool inside = alone && rfi_hook_inside(w);
        ms = !alone || inside ? 0 : ms ? -1 : RFI_WORLD_MS;
        if ((ms < 0 || inside) && (timer = rfi_hook_next_due()) != UINT64_MAX) {
            int rang = rfi_hook_await_until(w, (int64_t)timer); /* virtual time, not real */
            if (rang) return rang;
            continue;
        }
        rfi_crash_waits = ms < 0 ? w->name : NULL;
        int found = ms < 0 ? rfi_hook_look_long(w) : rfi_hook_look(w, ms);
        if (found < 0 && errno == EINTR && rfi_sig_poll()) continue;
        if (found) {
            if (ms) rfi_hook_asks(RFI_ASKS_WHEN, "what came from outside, by %s", w->name);
            return found;
        }
        if (!w->look || (inside && rfi_hook_in_vain())) rfi_hook_park(w->site, w->look != NULL);
        if (!rfi_hook_alone(0))
            since = 0;
        else if (!since || moves != rfi_hook_moves())
            since = rfi.run.steps, moves = rfi_hook_moves();
        rfi_hook_give_way(w);
    }
}
#endif
#endif

/* hook/signals.h: signals that have a handler of the code under test.
 *
 * They are kept here and not by the kernel: actions, masks of threads, what is pending.  Each such
 * signal has a source, and that a logical thread that strikes (engine/strike.h) at any step at
 * which one is pending and a thread does not block it; another one while the handler of the first
 * runs.  What a thread sends itself while it does not block it comes at once, as POSIX has it, and
 * is the thread's own doing.  Signals from outside are noted by a handler of ours, and strike like
 * the others.  Faults stay with the kernel.
 *
 * To the analyses, a thread that blocks a signal holds a mutex, which the handler holds too where
 * it runs on top of that thread.  Memory is that of one core from the first signal on that may
 * strike.
 */
#ifndef RFI_HOOK_SIGNALS_H
#define RFI_HOOK_SIGNALS_H
#include "campaign/crash.h"
#include "engine/futex.h"
#include "hook/compiler.h"
#include "hook/threads.h"

#ifdef RFI_IMPL
enum { RFI_SIGNAL_QUEUE = 32, RFI_SIGNAL_TIMERS = 16, RFI_SIGNAL_REST = 12 };
# define RFI_SIGNAL_LATE 200u /* ms in which one comes that has been sent */
enum { RFI_HOOK_RESTARTS = 1, RFI_HOOK_STOPS = 2 };

typedef struct rfi_sig_entry {
    uint32_t target; /* thread; RFI_NO_THREAD: any */
    siginfo_t info;
} rfi_sig_entry;

/* A timer that sends one: alarm, setitimer, timer_create. */
typedef struct rfi_sig_timer {
    int signal;            /* 0: none */
    bool armed, made;      /* made: by timer_create */
    bool counts;           /* what it sends was counted (catches.h) */
    bool working;          /* it counts a processor's time, of which we do not know */
    uint64_t until, every; /* in virtual milliseconds */
    uint64_t rest;         /* before this step it sends nothing early, */
    uint32_t early;        /* as often as it has */
    union sigval value;
    void (*notify)(union sigval);  /* SIGEV_THREAD: called in a thread of its own; NULL: it sends */
    uint32_t settings;             /* so often it was set */
    int code;                      /* si_code */
    const rf_site *site;           /* where that was; */
    uint64_t passed;               /* so much time had passed early */
    struct rfi_sig_source *source; /* NULL: its signal has had no handler */
} rfi_sig_timer;

/* A thread that strikes. */
typedef struct rfi_sig_striker {
    struct rfi_sig_source *source;
    uint32_t thread;
    rfi_sig_entry now;
    struct rfi_sig_striker *next;
} rfi_sig_striker;

/* Where a signal comes from. */
typedef struct rfi_sig_source {
    const rf_site *site; /* that has set the handler */
    rf_sem sent;
    int signal;
    uint32_t posts; /* so many were counted for the process (catches.h) */
    uint32_t queued;
    rfi_sig_timer *timer;
    rfi_sig_entry queue[RFI_SIGNAL_QUEUE];
    rfi_sig_striker *idle;        /* the first one strikes next */
    struct rfi_sig_source *other; /* of the same signal, for another timer */
} rfi_sig_source;

/* A handler that runs: on the stack that it uses. */
typedef struct rfi_sig_frame {
    struct rfi_sig_frame *outer;
    rfi_thr *by; /* the strike ends with it; NULL: no strike does */
    uint64_t before, taken;
    int signal;
} rfi_sig_frame;

RFI_VAR struct {
    uint32_t generation; /* of the execution that all of this is of */
    uint64_t known, met; /* signals that have a handler; that had one; */
    uint64_t files;      /* that come by a file, where they are blocked (signalfd) */
    uint64_t stops;      /* whose handlers end waits, although `signal` sets them */
    uint32_t pending;    /* that are queued, and timers that are armed */
    bool outside;        /* the kernel has delivered one */
    bool sends, changes; /* one was sent; an action was changed beside other threads; */
    bool to_all, masked; /* to the process; a thread has changed its mask (catches.h) */
    struct sigaction action[RFI_SIGNALS + 1];
    rfi_sig_source *source[RFI_SIGNALS + 1];
    rfi_sig_timer timer[RFI_SIGNAL_TIMERS]; /* the first three are those of setitimer */
    siginfo_t kept[2]; /* pending, without a handler, of the watchdog's signals; */
    uint32_t owns;     /* and of all others, */
    rfi_sig_entry own[RFI_SIGNAL_QUEUE]; /* those that one thread was sent, and blocks */
    void *(*serve)(void *striker);       /* what a thread that strikes runs */
} rfi_sig;

/* What the kernel has delivered since it was last looked at. */
RFI_VAR uint64_t rfi_sig_came;

RFI_INLINE bool rfi_sig_on(void) { return rfi_sig.generation == rfi.generation && rfi.current; }

RFI_FN void rfi_sig_set(uint64_t bits, sigset_t *set) {
    for (int i = 1; i <= RFI_SIGNALS; i++) {
        if (bits & rfi_sig_bit(i)) (void)sigaddset(set, i);
    }
}

/* What the kernel does with it; SIGPIPE, where the program leaves it alone, is told as a crash. */
RFI_FN int rfi_sig_reaction(int signal, struct sigaction *a) {
    int result = RFI_REAL(sigaction)(signal, NULL, a);
    if (signal == SIGPIPE && a->sa_sigaction == rfi_on_signal)
        *a = (struct sigaction){.sa_handler = SIG_DFL};
    return result;
}

/* What is pending in the kernel. */
RFI_FN uint64_t rfi_sig_kernels(void) {
    sigset_t set;
    return RFI_REAL(sigpending)(&set) ? 0 : rfi_sig_bits(&set);
}

/* One that this process sends. */
RFI_FN rfi_sig_entry rfi_sig_entry_of(int signal, int code) {
    rfi_sig_entry e = {.target = RFI_NO_THREAD};
    e.info.si_signo = signal;
    e.info.si_code = code;
    e.info.si_pid = rfi_process();
    e.info.si_uid = getuid();
    return e;
}

/* It is pending there from now on; the result is an error number.  A thread may not say of itself
 * what only the kernel says. */
RFI_FN int rfi_sig_to_kernel(const siginfo_t *info) {
# ifdef __linux__
    if (info->si_code < 0 && info->si_code != SI_TKILL)
        return RFI_REAL(syscall)(SYS_rt_sigqueueinfo, rfi_process(), info->si_signo, info) ? errno
                                                                                           : 0;
# endif
    return RFI_REAL(kill)(rfi_process(), info->si_signo) ? errno : 0;
}

/* The kernel's: faults, those that nobody handles, and those that do not exist. */
RFI_FN bool rfi_sig_foreign(int signal) {
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
    case SIGSTOP: return true;
    default: return signal < 1 || signal > RFI_SIGNALS;
    }
}

/* The watchdog uses these itself: the kernel is not told of the program's handlers. */
RFI_FN bool rfi_sig_ours(int signal) { return signal == SIGALRM || signal == SIGPROF; }

/* Strategies that do not know what comes at any step. */
RFI_FN bool rfi_sig_impossible(void) { return rfi.strategy->values || rfi.strategy->threads; }

/* ---- who is struck ---- */

RFI_FN bool rfi_sig_may(rfi_thr *u, int signal) {
    const rfi_hook_thread *h = rfi_hook_of(u);
    if (u->under || u->source || u->finished || h->blocked & rfi_sig_bit(signal)) return false;
    if (u->ready == rfi_ready_never) return false; /* the parent's */
    if (u->next.kind == RF_EV_START) return h->framed || !u->id;
    return rfi_may_strike(rfi_topmost(u));
}

/* How many threads may be, and the `nth` of them. */
RFI_FN uint32_t rfi_sig_victims(int signal, uint32_t nth, rfi_thr **victim) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        if (rfi_sig_may(rfi.thread[i], signal) && n++ == nth && victim) *victim = rfi.thread[i];
    return n;
}

/* The first that can be delivered; s->queued: there is none. */
RFI_FN uint32_t rfi_sig_first(const rfi_sig_source *s) {
    uint32_t i = 0;
    bool any = s->queued && rfi_sig_victims(s->signal, 0, NULL);
    for (; i < s->queued; i++) {
        uint32_t to = s->queue[i].target;
        if (to == RFI_NO_THREAD ? any : rfi_sig_may(rfi.thread[to], s->signal)) break;
    }
    return i;
}

/* Early, unless timeouts are to come late: who sets a timer counts on no step before it. */
RFI_FN bool rfi_sig_expired(const rfi_sig_source *s) {
    const rfi_sig_timer *t = s->timer;
    if (!t || !t->armed) return false;
    return t->until <= rfi.run.now || (rfi.plan->late != 1 && rfi.run.steps >= t->rest);
}

RFI_FN bool rfi_ready_signalled(const rfi_thr *t) {
    const rfi_sig_striker *k = t->arg;
    const rfi_sig_source *s = k->source;
    if (s->idle != k || !(rfi_sig.known & rfi_sig_bit(s->signal)) || rfi_sig_impossible())
        return false;
    return rfi_sig_first(s) < s->queued ||
           (rfi_sig_expired(s) && rfi_sig_victims(s->signal, 0, NULL));
}

/* A timer is set anew: has it sent before, and the running thread blocks that? */
RFI_FN bool rfi_sig_sent_before(const rfi_sig_timer *t) {
    if (!(rfi_hook_self()->blocked & rfi_sig_bit(t->signal))) return false;
    if (!rfi.strategy->values && t->until <= rfi.run.now) return true;
    return !rfi.plan->late && rfi_choose_of(2, &rfi.input);
}

/* Masks, or what is pending, have changed. */
RFI_FN void rfi_sig_reconsider(void) {
    for (uint64_t bits = rfi_sig.met; bits; bits &= bits - 1)
        for (rfi_sig_source *s = rfi_sig.source[__builtin_ctzll(bits) + 1]; s; s = s->other)
            rfi_reconsider(&s->sent.object);
}

/* That none was there, or that the last step has changed who can take one, is known to who reduces
 * schedules. */
RFI_FN void rfi_sig_touched(const rf_site *site, const rfi_sig_source *s) {
    rf_event e = {.kind = RF_EV_TRYFAIL,
                  .thread = rfi.current->id,
                  .site = site,
                  .object = s->sent.object.number};
    if (rfi.strategy->rfi_reduces) rfi_emit(&e);
}

/* The mask of a thread; before that it was the result. */
RFI_FN uint64_t rfi_sig_block(const rf_site *site, rfi_hook_thread *h, uint64_t bits) {
    uint64_t before = h->blocked;
    h->blocked = bits;
    for (uint64_t met = (before ^ bits) & rfi_sig.met; met; met &= met - 1)
        rfi_sig_touched(site, rfi_sig.source[__builtin_ctzll(met) + 1]);
    rfi_sig_reconsider();
    return before;
}

/* ---- timers ---- */

/* How far away the next signal is that a timer sends to who can be struck. */
RFI_FN uint64_t rfi_sig_next(void) {
    uint64_t left = UINT64_MAX;
    for (uint32_t i = 0; rfi_sig_on() && i < RFI_SIGNAL_TIMERS; i++) {
        const rfi_sig_timer *t = &rfi_sig.timer[i];
        if (!t->armed || !t->source || !rfi_sig_victims(t->signal, 0, NULL)) continue;
        uint64_t l = t->until > rfi.run.now ? t->until - rfi.run.now : 0;
        if (l < left) left = l;
    }
    return left;
}

/* There is a thread that strikes next for it. */
RFI_FN void rfi_sig_striker_ready(rfi_sig_source *s) {
    if (s->idle) return;
    rfi_sig_striker *k = rfi_arena_take(&rfi.arena, sizeof *k);
    k->source = s;
    bool fine = rfi.fine;
    rfi.fine = true; /* its first step is to wait */
    rf_thread t = rfi_create_called(s->site, rfi_sig.serve, k, NULL, false);
    rfi.fine = fine;
    rfi_detach(s->site, t);
    rfi.run.sources++;
    rfi.run.attention++;
    if (!rfi.record->tracing || t.id >= RFI_RECORD_THREADS) return;
    char *own = rfi.record->thread[t.id].own;
    snprintf(own, sizeof rfi.record->thread[t.id].own, "%.15s", rfi_object_called(&s->sent.object));
}

/* Who strikes next has a deadline as long as it is armed.  What sends early again and again leaves
 * others more and more steps in between, until time passes. */
RFI_FN void rfi_sig_wind(rfi_sig_timer *timer) {
    rfi_sig_source *s = timer->source;
    if (!s) return;
    rfi_sig_striker_ready(s);
    rfi_thr *t = rfi.thread[s->idle->thread];
    rfi_due_over(t, false);
    if (timer->armed) {
        t->until = timer->until;
        if (timer->early)
            rfi_due_always(t);
        else
            rfi_due(t);
    }
    rfi_reconsider(&s->sent.object);
}

RFI_FN void rfi_sig_armed(rfi_sig_timer *timer, bool armed) {
    rfi_sig.pending += armed;
    rfi_sig.pending -= timer->armed;
    timer->armed = armed;
}

/* It sends now: the next time comes after its interval. */
RFI_FN rfi_sig_entry rfi_sig_expire(rfi_sig_timer *timer) {
    rfi_sig_entry e = {.target = RFI_NO_THREAD};
    rfi_thr *t = rfi.thread[timer->source->idle->thread];
    e.info.si_signo = timer->signal;
    e.info.si_code = timer->code;
    e.info.si_value = timer->value;
    if (timer->until > rfi.run.now && timer->every) {
        timer->early += timer->early < RFI_SIGNAL_REST;
        timer->rest = rfi.run.steps + (UINT64_C(1) << timer->early);
    }
    t->until = timer->until;
    rfi_due_over(t, true);
    rfi_sig_armed(timer, timer->every != 0);
    timer->until = rfi.run.now + timer->every;
    rfi_sig_wind(timer);
    return e;
}

/* ---- timers whose signal is not to strike ---- */

RFI_FN bool rfi_sig_pends(int signal) {
    if (rfi_sig_ours(signal)) return rfi_sig.kept[signal == SIGPROF].si_signo;
    return rfi_sig_kernels() & rfi_sig_bit(signal);
}

/* It is pending from now on, for sigwait and signalfd. */
RFI_FN void rfi_sig_ring(rfi_sig_timer *t) {
    siginfo_t info = {.si_signo = t->signal, .si_code = t->code};
    info.si_value = t->value;
    rfi_sig_armed(t, t->every != 0);
    t->until = rfi.run.now + t->every;
    rfi_sig_wind(t);
    if (rfi_sig_ours(t->signal))
        rfi_sig.kept[t->signal == SIGPROF] = info;
    else
        (void)rfi_sig_to_kernel(&info);
}

/* Those whose time has come, of signals that every thread blocks and who waits for them gets, not a
 * handler; the result is how far away the next one is. */
RFI_FN uint64_t rfi_sig_timers_ring(void) {
    uint64_t left = UINT64_MAX;
    for (uint32_t i = 0; rfi_sig_on() && rfi_sig.pending && i < RFI_SIGNAL_TIMERS; i++) {
        rfi_sig_timer *t = &rfi_sig.timer[i];
        if (!t->armed || !t->signal) continue;
        uint64_t bit = rfi_sig_bit(t->signal);
        if (rfi_sig.known & bit && (rfi_sig_ours(t->signal) || !(rfi_sig.files & bit))) continue;
        if (rfi_sig_victims(t->signal, 0, NULL) || rfi_sig_pends(t->signal)) continue;
        if (t->until <= rfi.run.now)
            rfi_sig_ring(t);
        else if (t->until - rfi.run.now < left)
            left = t->until - rfi.run.now;
    }
    return left;
}

/* ---- masks ---- */

/* The first call of an execution. */
RFI_FN void rfi_sig_open(void) {
    sigset_t now;
    if (rfi_sig_on()) return;
    memset(&rfi_sig, 0, sizeof rfi_sig);
    rfi_sig.generation = rfi.generation;
    rfi_sig_came = 0;
    RFI_REAL(pthread_sigmask)(SIG_BLOCK, NULL, &now);
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        rfi_hook_of(rfi.thread[i])->blocked = rfi_sig_bits(&now);
}

/* That the thread blocks the signal, to the analyses. */
RFI_FN rf_mutex *rfi_sig_level(rfi_thr *t, int signal) {
    rfi_hook_thread *h = rfi_hook_of(t);
    if (!h->level) h->level = rfi_arena_take(&rfi.arena, RFI_SIGNALS * sizeof *h->level);
    rf_mutex *m = &h->level[signal - 1];
    if (m->object.generation != rfi.generation) {
        char name[32];
        const char *known = rfi_signal_name(signal);
        if (known)
            snprintf(name, sizeof name, "%s in T%u", known, t->id);
        else
            snprintf(name, sizeof name, "signal %d in T%u", signal, t->id);
        *m = (rf_mutex){.owner = 0};
        rfi_object_register(&m->object, RFI_MUTEX, rfi_sig.source[signal]->site, name);
    }
    return m;
}

/* The running thread, `t` or what runs on top of it, takes those that are free; which it took.
 * Nobody waits for one, so that it is no step. */
RFI_FN uint64_t rfi_sig_levels_take(const rf_site *s, rfi_thr *t, uint64_t bits) {
    uint64_t taken = 0;
    for (bits &= rfi_sig.met; bits; bits &= bits - 1) {
        rf_mutex *m = rfi_sig_level(t, __builtin_ctzll(bits) + 1);
        if (m->owner) continue;
        m->owner = rfi.current->id + 1;
        rfi_hold(rfi.current, &m->object, s, false);
        rfi_note(RF_EV_LOCK, s, m->object.number, 0);
        taken |= bits & -bits;
    }
    return taken;
}

RFI_FN void rfi_sig_levels_give(const rf_site *s, rfi_thr *t, uint64_t bits) {
    for (bits &= rfi_sig.met; bits; bits &= bits - 1) {
        int signal = __builtin_ctzll(bits) + 1;
        rf_mutex *m = rfi_sig_level(t, signal);
        if (m->owner != rfi.current->id + 1) continue;
        m->owner = 0;
        rfi_unhold(rfi.current, rfi_holds(rfi.current, &m->object));
        rfi_note(RF_EV_UNLOCK, s ? s : rfi_sig.source[signal]->site, m->object.number, 0);
    }
}

/* The mask of the running thread; before that it was the result. */
RFI_FN uint64_t rfi_sig_mask(const rf_site *s, uint64_t bits) {
    rfi_thr *t = rfi_base(rfi.current);
    rfi_sig_open();
    uint64_t before = rfi_sig_block(s, rfi_hook_of(t), bits);
    (void)rfi_sig_levels_take(s, t, bits & ~before);
    rfi_sig_levels_give(s, t, before & ~bits);
    return before;
}

/* ---- handlers ---- */

/* What a handler did comes before the end of the thread that it has interrupted, and so before what
 * follows a join; not before what that thread itself does next, with which it races.  `order`: as
 * of rfi_call_told. */
RFI_FN void rfi_sig_tell(const rf_site *s, rfi_thr *t, int signal, int order) {
    uint32_t me = rfi.current->id;
    rf_event e = {.kind = RF_EV_CALL,
                  .order = (uint8_t)order,
                  .thread = me,
                  .other = me,
                  .site = s,
                  .object = rfi_sig_level(t, signal)->object.number};
    rfi_emit(&e);
}

/* Is the striker inside of a handler, which sends itself another signal? */
RFI_FN bool rfi_sig_inside(const rfi_sig_frame *f, const rfi_thr *by) {
    while (f && f->by != by) f = f->outer;
    return f;
}

RFI_FN void rfi_sig_enter_frame(rfi_sig_frame *f, const rf_site *s, int signal,
                                const struct sigaction *a) {
    rfi_thr *t = rfi_base(rfi.current);
    rfi_hook_thread *h = rfi_hook_of(t);
    uint64_t more = rfi_sig_bits(&a->sa_mask);
    if (!(a->sa_flags & SA_NODEFER)) more |= rfi_sig_bit(signal);
    *f = (rfi_sig_frame){.outer = h->frames, .signal = signal};
    if (t != rfi.current && !rfi_sig_inside(h->frames, rfi.current)) f->by = rfi.current;
    h->frames = f;
    f->before = rfi_sig_block(s, h, h->blocked | more);
    f->taken = rfi_sig_levels_take(s, t, more | rfi_sig_bit(signal));
}

RFI_FN void rfi_sig_leave_frame(const rf_site *s, bool masked) {
    rfi_thr *t = rfi_base(rfi.current);
    rfi_hook_thread *h = rfi_hook_of(t);
    rfi_sig_frame *f = h->frames;
    rfi_sig_levels_give(s, t, f->taken);
    if (t != rfi.current) rfi_sig_tell(s, t, f->signal, __ATOMIC_RELEASE);
    h->frames = f->outer;
    if (!masked) (void)rfi_sig_block(s, h, f->before);
}

/* The running thread runs the handler. */
RFI_FN unsigned rfi_sig_call(const rf_site *s, rfi_sig_entry *e) {
    int signal = e->info.si_signo;
    struct sigaction a = rfi_sig.action[signal];
    rfi_sig_frame frame;
    if (a.sa_flags & (int)SA_RESETHAND) {
        rfi_sig.action[signal].sa_handler = SIG_DFL;
        rfi_sig.known &= ~rfi_sig_bit(signal);
    }
    rfi_sig_enter_frame(&frame, s, signal, &a);
    if (a.sa_flags & SA_SIGINFO) {
        ucontext_t context;
        memset(&context, 0, sizeof context);
        rfi_sig_set(frame.before, &context.uc_sigmask);
        a.sa_sigaction(signal, &e->info, &context);
    } else {
        a.sa_handler(signal);
    }
    rfi_sig_leave_frame(s, false);
    return a.sa_flags & SA_RESTART ? RFI_HOOK_RESTARTS : RFI_HOOK_STOPS;
}

/* Its wait may end with EINTR, or begin again, if a handler runs now. */
RFI_FN bool rfi_sig_waits(const rfi_thr *t, const rfi_hook_thread *h) {
    const rf_event *e = &t->next;
    if (h->looked || e->kind == RF_EV_SLEEP) return true;
    if (e->kind == RF_EV_LOCK && e->flags & RF_EV_TIMED)
        return t->waits_on && t->waits_on->type == RFI_SEM;
    if (t->ready == rfi_ready_park && t->waits_on->type == RFI_SIGNAL) return true;
    return (t->ready == rfi_ready_sem_or_not || t->ready == rfi_ready_park) && !t->ready(t);
}

/* ---- what is pending ---- */

/* A thread that waits for one that it blocks looks again. */
RFI_FN void rfi_sig_wake(void) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *u = rfi.thread[i];
        if (!u->finished && u->ready == rfi_ready_park && u->waits_on->type == RFI_SIGNAL)
            rfi_interrupt(u);
    }
}

/* Is it pending, and one of those that are so only once? */
RFI_FN bool rfi_sig_queued(const rfi_sig_source *s, uint32_t target) {
    for (uint32_t i = 0; s->signal < SIGRTMIN && i < s->queued; i++)
        if (s->queue[i].target == target) return true;
    return false;
}

RFI_FN rfi_sig_entry rfi_sig_unqueue(rfi_sig_source *s, uint32_t i) {
    rfi_sig_entry e = s->queue[i];
    memmove(&s->queue[i], &s->queue[i + 1], (--s->queued - i) * sizeof *s->queue);
    rfi_sig.pending--;
    return e;
}

/* False: there are too many. */
RFI_FN bool rfi_sig_queue(rfi_sig_source *s, const rfi_sig_entry *e) {
    if (rfi_sig_queued(s, e->target)) return true;
    if (s->queued == RFI_SIGNAL_QUEUE) return false;
    s->queue[s->queued++] = *e;
    rfi_sig.pending++;
    rfi_reconsider(&s->sent.object);
    rfi_sig_wake();
    return true;
}

/* The first that was sent to that thread of signals in `bits` that have no handler; owns: none. */
RFI_FN uint32_t rfi_sig_own_of(uint32_t thread, uint64_t bits) {
    uint32_t i = 0;
    while (i < rfi_sig.owns &&
           (rfi_sig.own[i].target != thread || !(bits & rfi_sig_bit(rfi_sig.own[i].info.si_signo))))
        i++;
    return i;
}

RFI_FN rfi_sig_entry rfi_sig_own_take(uint32_t i) {
    rfi_sig_entry e = rfi_sig.own[i];
    memmove(&rfi_sig.own[i], &rfi_sig.own[i + 1], (--rfi_sig.owns - i) * sizeof *rfi_sig.own);
    return e;
}

/* False: there are too many. */
RFI_FN bool rfi_sig_own_add(const rfi_sig_entry *e) {
    int signal = e->info.si_signo;
    bool there = rfi_sig_own_of(e->target, rfi_sig_bit(signal)) < rfi_sig.owns;
    if (there && signal < SIGRTMIN) return true;
    if (rfi_sig.owns == RFI_SIGNAL_QUEUE) return false;
    rfi_sig.own[rfi_sig.owns++] = *e;
    rfi_sig_wake();
    return true;
}

/* The thread ends, or ignores them. */
RFI_FN void rfi_sig_own_drop(uint32_t thread, uint64_t bits) {
    for (uint32_t i; (i = rfi_sig_own_of(thread, bits)) < rfi_sig.owns;) (void)rfi_sig_own_take(i);
}

/* What the kernel has delivered is pending.  True: there was something. */
RFI_FN bool rfi_sig_poll(void) {
    if (RFI_LIKELY(!rfi_sig_came) || !rfi_sig_on()) return false;
    uint64_t came = __atomic_exchange_n(&rfi_sig_came, 0, __ATOMIC_ACQ_REL);
    for (uint64_t bits = came & rfi_sig.known; bits; bits &= bits - 1) {
        rfi_sig_entry e = {.target = RFI_NO_THREAD};
        e.info.si_signo = __builtin_ctzll(bits) + 1;
        rfi_sig_queue(rfi_sig.source[e.info.si_signo], &e);
    }
    rfi_sig.outside = rfi.run.strikes = true;
    rfi.record->kinds |= RFI_NOT_ALL;
    rfi.modelled = rfi.adversary = false;
    return came;
}

/* At once: no other signal comes in between. */
RFI_FN void rfi_sig_taken(const rf_site *site, rfi_sig_source *s) {
    if (!s->sent.count) return; /* it came from outside */
    rf_event e = {.kind = RF_EV_SEM_WAIT,
                  .thread = rfi.current->id,
                  .site = site,
                  .object = s->sent.object.number,
                  .value = --s->sent.count};
    rfi_emit(&e);
}
#endif
#endif

/* hook/strikes.h: the threads that strike for signals (hook/signals.h), and how they come to be
 * sent.
 */
#ifndef RFI_HOOK_STRIKES_H
#define RFI_HOOK_STRIKES_H
#include "hook/catches.h"
#include "hook/processes.h"

#ifdef RFI_IMPL
/* ---- what is pending for the running thread ---- */

/* The first that is queued for it, or for the process; s->queued: there is none. */
RFI_FN uint32_t rfi_sig_of_mine(const rfi_sig_source *s) {
    uint32_t i = 0, me = rfi_base(rfi.current)->id;
    while (i < s->queued && s->queue[i].target != RFI_NO_THREAD && s->queue[i].target != me) i++;
    return i;
}

RFI_FN bool rfi_sig_rang(const rfi_sig_source *s) {
    return s->timer && s->timer->armed && s->timer->until <= rfi.run.now;
}

RFI_FN uint64_t rfi_sig_pending(void) {
    uint32_t me = rfi_base(rfi.current)->id;
    uint64_t there = rfi_sig_kernels();
    for (uint32_t i = 0; i < 2; i++)
        if (rfi_sig.kept[i].si_signo) there |= rfi_sig_bit(rfi_sig.kept[i].si_signo);
    for (uint32_t i = 0; i < rfi_sig.owns; i++)
        if (rfi_sig.own[i].target == me) there |= rfi_sig_bit(rfi_sig.own[i].info.si_signo);
    for (uint64_t bits = rfi_sig.met; bits; bits &= bits - 1)
        for (rfi_sig_source *s = rfi_sig.source[__builtin_ctzll(bits) + 1]; s; s = s->other)
            if (rfi_sig_of_mine(s) < s->queued || rfi_sig_rang(s)) there |= bits & -bits;
    return there;
}

/* Takes one that is pending for the running thread, of those in `bits`. */
RFI_FN bool rfi_sig_take(const rf_site *site, uint64_t bits, rfi_sig_entry *e) {
    if (!rfi_sig_on()) return false;
    (void)rfi_sig_poll();
    for (uint32_t i = 0; i < 2; i++) {
        siginfo_t *kept = &rfi_sig.kept[i];
        if (!kept->si_signo || !(bits & rfi_sig_bit(kept->si_signo))) continue;
        *e = (rfi_sig_entry){.target = RFI_NO_THREAD, .info = *kept};
        kept->si_signo = 0;
        return true;
    }
    uint32_t own = rfi_sig_own_of(rfi_base(rfi.current)->id, bits);
    if (own < rfi_sig.owns) {
        *e = rfi_sig_own_take(own);
        return true;
    }
    for (bits &= rfi_sig.met; bits; bits &= bits - 1)
        for (rfi_sig_source *s = rfi_sig.source[__builtin_ctzll(bits) + 1]; s; s = s->other) {
            uint32_t i = rfi_sig_of_mine(s);
            if (i < s->queued) {
                *e = rfi_sig_unqueue(s, i);
                rfi_reconsider(&s->sent.object);
                rfi_sig_taken(site, s);
                return true;
            }
            if (rfi_sig_rang(s)) {
                *e = rfi_sig_expire(s->timer);
                return true;
            }
            rfi_sig_touched(site, s);
        }
    return false;
}

/* By default it is ignored. */
RFI_FN bool rfi_sig_idle(int signal) {
    return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

/* Nobody handles it: does it end a process that does not block it?  Of the watchdog's signals, and
 * behind SA_RESETHAND, the kernel does not know. */
RFI_FN bool rfi_sig_ends(int signal) {
    struct sigaction a = rfi_sig.action[signal];
    bool stops = signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (stops || rfi_sig_idle(signal)) return false;
    bool own = rfi_sig_ours(signal) || rfi_sig.met & rfi_sig_bit(signal);
    return (own || !rfi_sig_reaction(signal, &a)) && a.sa_handler == SIG_DFL;
}

/* One that does not block it: `to`, or anybody (NULL). */
RFI_FN const rfi_thr *rfi_sig_open_to(const rfi_thr *to, int signal) {
    const rfi_thr *open = NULL;
    for (uint32_t i = rfi.run.threads; i--;) {
        rfi_thr *t = rfi.thread[i];
        if (t->finished || t->source || (to && t != to)) continue;
        if (!(rfi_hook_of(t)->blocked & rfi_sig_bit(signal))) open = t;
    }
    return open;
}

/* A child ends by it, as its parent is told. */
RFI_FN RFI_NORETURN void rfi_sig_end_process(const rf_site *s, int signal, const rfi_thr *open) {
    const char *called = rfi_signal_name(signal);
    const struct sigaction end = {.sa_handler = SIG_DFL};
    sigset_t set;
    if (rfi_forked && !RFI_REAL(sigaction)(signal, &end, NULL)) {
        sigemptyset(&set);
        sigaddset(&set, signal);
        RFI_REAL(pthread_sigmask)(SIG_UNBLOCK, &set, NULL);
        RFI_REAL(kill)(rfi_process(), signal);
    }
    rfi_fail(RF_DIAG_SIGNAL, s, "%s ends the process: it has no handler, and T%u does not block it",
             called ? called : "a signal", open->id);
}

/* A timer whose signal nobody handles ends the process, but not by time that has passed early.  The
 * result is how far away that is. */
RFI_FN uint64_t rfi_sig_timers_end(void) {
    uint64_t left = UINT64_MAX;
    for (uint32_t i = 0; i < RFI_SIGNAL_TIMERS; i++) {
        const rfi_sig_timer *t = &rfi_sig.timer[i];
        if (!t->armed || t->working || !t->signal) continue;
        if (rfi_sig.known & rfi_sig_bit(t->signal) || !rfi_sig_ends(t->signal)) continue;
        const rfi_thr *open = rfi_sig_open_to(NULL, t->signal);
        uint64_t now = rfi.run.now + t->passed, until = t->until + rfi.run.early;
        if (open && now >= until) rfi_sig_end_process(t->site, t->signal, open);
        if (open && until - now < left) left = until - now;
    }
    return left;
}

/* Before each decision: threads have begun or ended, and timers have rested. */
RFI_FN void rfi_sig_look(void) {
    (void)rfi_sig_poll();
    if (!rfi_sig.pending) return;
    rfi_sig_reconsider();
    rfi_sig_timers_end();
}

/* What is pending, nobody handles, and the mask `blocked` lets through. */
RFI_FN void rfi_sig_unblocks(const rf_site *s, uint64_t blocked) {
    uint64_t bits = rfi_sig_on() ? rfi_sig_pending() & ~blocked & ~rfi_sig.known : 0;
    for (; bits; bits &= bits - 1) {
        int signal = __builtin_ctzll(bits) + 1;
        if (!rfi_sig_foreign(signal) && rfi_sig_ends(signal))
            rfi_sig_end_process(s, signal, rfi_base(rfi.current));
    }
}

/* What is pending and no longer blocked comes before the call returns; `opened`: those that were
 * blocked before. */
RFI_FN unsigned rfi_sig_deliver(const rf_site *site, uint64_t opened) {
    rfi_hook_thread *h = rfi_hook_self();
    rfi_sig_entry e;
    unsigned ran = 0;
    if (rfi.run.catches) return rfi_sig_let_through(site, opened);
    while (rfi_sig_take(site, ~h->blocked & rfi_sig.known, &e)) ran |= rfi_sig_call(site, &e);
    rfi_sig_unblocks(site, h->blocked);
    return ran;
}

/* Behind a wait the mask is what it was. */
RFI_FN void rfi_sig_resume(const rf_site *s, uint64_t before) {
    int error = errno;
    uint64_t now = rfi_sig_mask(s, before);
    (void)rfi_sig_deliver(s, now & ~before);
    errno = error;
}

/* ---- strikes ---- */

/* On the stack of the thread that is struck. */
RFI_FN void rfi_sig_run(rfi_thr *by) {
    rfi_sig_striker *k = by->arg;
    const rfi_sig_source *s = k->source;
    rfi_thr *t = by->under;
    rfi_hook_thread *h = rfi_hook_of(rfi_base(by));
    bool waits = rfi_sig_waits(t, h);
    int error = errno;
    rfi_strike_recycle(by, __builtin_frame_address(0));
    unsigned how = rfi_sig_call(s->site, &k->now);
    how |= rfi_sig_deliver(s->site, 0);
    rfi_strike_recycle(by, __builtin_frame_address(0));
    if (errno != error)
        rfi_errno_spoiled(s->site, (const char *)(uintptr_t)rfi_sig.action[s->signal].sa_handler);
    if (!waits) return;
    h->ran |= how;
    t->interrupted = true;
}

RFI_FN void rfi_sig_nothing(rf_event *e) {
    e->kind = RF_EV_YIELD;
    e->object = 0;
}

/* The striker takes what it is to deliver, and to whom. */
RFI_FN rfi_thr *rfi_sig_choose(rfi_sig_striker *k, rf_event *e) {
    rfi_sig_source *s = k->source;
    rfi_thr *victim = NULL;
    uint32_t i = rfi_sig_first(s), n = rfi_sig_victims(s->signal, 0, &victim);
    if (i < s->queued) {
        k->now = rfi_sig_unqueue(s, i);
        if (s->sent.count)
            e->value = --s->sent.count;
        else
            rfi_sig_nothing(e); /* it came from outside */
    } else {
        rfi_sig_nothing(e);
        k->now = rfi_sig_expire(s->timer);
    }
    if (k->now.target != RFI_NO_THREAD) return rfi.thread[k->now.target];
    if (n > 1) (void)rfi_sig_victims(s->signal, rfi_choose_of(n, &rfi.schedule), &victim);
    return victim;
}

/* It strikes: the next one has the timer, and takes what else is pending. */
RFI_FN void rfi_sig_strikes_now(rfi_sig_striker *k) {
    rfi_sig_source *s = k->source;
    s->idle = k->next;
    rfi_due_over(rfi.thread[k->thread], false);
    if (s->queued) rfi_sig_striker_ready(s);
    if (s->timer && s->timer->armed) rfi_sig_wind(s->timer);
}

/* It strikes before those that it has left behind. */
RFI_FN void rfi_sig_rests(rfi_sig_striker *k) {
    rfi_sig_source *s = k->source;
    if (s->idle) rfi_due_over(rfi.thread[s->idle->thread], false);
    k->next = s->idle;
    s->idle = k;
    if (s->timer && s->timer->armed)
        rfi_sig_wind(s->timer);
    else
        rfi_reconsider(&s->sent.object);
}

RFI_FN void *rfi_sig_serve(void *striker) {
    rfi_sig_striker *k = striker;
    rfi_sig_source *s = k->source;
    rfi_thr *t = rfi.current;
    k->thread = t->id;
    t->source = true;
    rfi_fiber_deaf();
    rfi_sig_rests(k);
    for (;;) {
        rf_event *e = rfi_announce(t, RF_EV_SEM_WAIT, s->site);
        e->object = s->sent.object.number;
        rfi_wait_on(t, &s->sent.object, rfi_ready_signalled);
        rfi_schedule(t);
        bool ready = rfi_ready_signalled(t);
        rfi_wait_off(t);
        rfi_thr *victim = ready ? rfi_sig_choose(k, e) : NULL;
        if (!victim) rfi_sig_nothing(e); /* the thread has just ended */
        rfi_executed(e);
        if (!victim) continue;
        rfi_sig_strikes_now(k);
        rfi_strike(rfi_topmost(victim), rfi_sig_run);
        rfi_sig_rests(k);
    }
    return NULL;
}

/* ---- sources ---- */

RFI_FN rfi_sig_source *rfi_sig_source_new(const rf_site *site, int signal) {
    char name[32];
    const char *known = rfi_signal_name(signal);
    rfi_sig_source *s = rfi_arena_take(&rfi.arena, sizeof *s);
    if (known)
        snprintf(name, sizeof name, "%s", known);
    else
        snprintf(name, sizeof name, "signal %d", signal);
    s->site = site;
    s->signal = signal;
    rfi_object_register(&s->sent.object, RFI_SEM, site, name);
    rfi_sig.serve = rfi_sig_serve;
    rfi_sig_striker_ready(s);
    return s;
}

/* From now on, something may strike at any step. */
RFI_FN void rfi_sig_strikes(const rf_site *s) {
    if (rfi.strategy->threads)
        rfi_fail(RF_DIAG_LIMIT, s, "%s does not know signals that come at any step",
                 rfi.strategy->name);
    rfi.run.strikes = true;
    rfi.record->kinds |= RFI_NOT_ALL;
    rfi.modelled = rfi.adversary = false;
}

/* A timer gets the source of its signal, or one of its own. */
RFI_FN void rfi_sig_attach(rfi_sig_timer *timer) {
    rfi_sig_source *s = rfi_sig.source[timer->signal];
    if (!s || timer->source) return;
    while (s->timer && s->other) s = s->other;
    if (s->timer) s = s->other = rfi_sig_source_new(s->site, timer->signal);
    s->timer = timer;
    timer->source = s;
}

/* In a child: it has the handlers, but nothing that is pending, nor timers; others strike there. */
RFI_FN void rfi_sig_reborn(void) {
    if (!rfi_sig_on()) return;
    rfi_sig_came = 0;
    for (uint64_t bits = rfi_sig.met; bits; bits &= bits - 1)
        for (rfi_sig_source *s = rfi_sig.source[__builtin_ctzll(bits) + 1]; s; s = s->other) {
            while (s->queued) (void)rfi_sig_unqueue(s, 0);
            s->idle = NULL;
            rfi_sig_striker_ready(s);
        }
    for (uint32_t i = 0; i < RFI_SIGNAL_TIMERS; i++) rfi_sig_armed(&rfi_sig.timer[i], false);
    rfi_sig.kept[0].si_signo = rfi_sig.kept[1].si_signo = 0;
    rfi_sig.owns = 0;
}

/* The running thread ends, and with it what is pending for it.  Until then it may be struck. */
RFI_FN void rfi_sig_thread_ends(void) {
    if (!rfi_sig_on()) return;
    rfi_hook_thread *h = rfi_hook_self();
    bool values = rfi.strategy->values; /* its last step was one before which one could come */
    bool ends = rfi_sig.met & ~h->blocked && !values;
    if (ends) rfi_call(rfi.current->next.site, NULL, h, RF_EV_READS);
    rfi_sig_levels_give(NULL, rfi.current, ~UINT64_C(0));
    for (uint64_t bits = h->level ? rfi_sig.met : 0; bits; bits &= bits - 1)
        rfi_sig_tell(rfi.current->next.site, rfi.current, __builtin_ctzll(bits) + 1,
                     __ATOMIC_ACQUIRE);
    for (uint64_t bits = rfi_sig.met; bits; bits &= bits - 1)
        for (rfi_sig_source *s = rfi_sig.source[__builtin_ctzll(bits) + 1]; s; s = s->other)
            for (uint32_t i = s->queued; i--;)
                if (s->queue[i].target == rfi.current->id) (void)rfi_sig_unqueue(s, i);
    rfi_sig_own_drop(rfi.current->id, ~UINT64_C(0));
    if (!values) (void)rfi_sig_block(rfi.current->next.site, h, ~UINT64_C(0));
}

/* Nothing strikes after the body of a test has ended. */
RFI_FN void rfi_sig_end(void) {
    if (!rfi_sig_on()) return;
    (void)rfi_sig_timers_end();
    rfi_sig_thread_ends();
    rfi_sig.known = 0;
    rfi_sig_reconsider();
}

/* May a child still send one, if only by its end?  To a child its parent may, for some time: it
 * tells of deadlocks itself.  A child that has ended and is not waited for hides those that have
 * not. */
RFI_FN bool rfi_sig_may_come(uint32_t ms) {
    siginfo_t child = {.si_pid = 0};
    if (rfi_forked && ms < RFI_SIGNAL_LATE * 5) return true;
    if (rfi_processes.forked != rfi.generation) return false;
    if (rfi_waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT)) return false;
    return !child.si_pid || ms < RFI_SIGNAL_LATE;
}

/* Waits for one from outside, where a thread that waits would be struck. */
RFI_FN bool rfi_sig_comes(void) {
    const struct timespec tick = {0, 1000000};
    bool any = false, more = true;
    for (uint64_t bits = rfi_sig_on() && !rfi_sig_impossible() ? rfi_sig.known : 0; bits;
         bits &= bits - 1)
        any |= rfi_sig_victims(__builtin_ctzll(bits) + 1, 0, NULL);
    for (uint32_t ms = 0; any && !rfi_sig_poll(); ms++) {
        if (!more) return false;
        more = rfi_sig_may_come(ms);
        if (more) (void)RFI_REAL(nanosleep)(&tick, NULL);
    }
    if (any) rfi_sig_reconsider();
    return any;
}

/* Each decision looks at signals, and so does the end. */
RFI_FN void rfi_sig_looks(void) {
    rfi.run.attention += !rfi.run.looks;
    rfi.run.looks = rfi_sig_look;
    rfi_body_ends = rfi_sig_end;
}

/* A signal has its first handler, since the statement `site`. */
RFI_FN void rfi_sig_meet(const rf_site *site, int signal) {
    rfi_sig_looks();
    rfi.run.handles = true;
    rfi.run.comes = rfi_sig_comes;
    rfi_sig_catch();
    rfi_sig.source[signal] = rfi_sig_source_new(site, signal);
    rfi_sig.met |= rfi_sig_bit(signal);
    (void)rfi_sig_levels_take(site, rfi_base(rfi.current),
                              rfi_hook_of(rfi_base(rfi.current))->blocked & rfi_sig_bit(signal));
    for (uint32_t i = 0; i < RFI_SIGNAL_TIMERS; i++) {
        rfi_sig_timer *t = &rfi_sig.timer[i];
        if (t->signal != signal) continue;
        rfi_sig_attach(t);
        if (t->armed) rfi_sig_strikes(site), rfi_sig_wind(t);
    }
}

/* A signal has a handler, and what is pending strikes. */
RFI_FN void rfi_sig_know(const rf_site *site, int signal) {
    rfi_sig.known |= rfi_sig_bit(signal);
    if (!(rfi_sig.met & rfi_sig_bit(signal))) rfi_sig_meet(site, signal);
    for (uint32_t i = 0; i < rfi_sig.owns;) {
        if (rfi_sig.own[i].info.si_signo == signal) {
            rfi_sig_entry e = rfi_sig_own_take(i);
            rfi_sig_strikes(site);
            (void)rfi_sig_queue(rfi_sig.source[signal], &e);
        } else {
            i++;
        }
    }
}

/* Is there a handler of code under test?  One that was there before the execution counts. */
RFI_FN bool rfi_sig_known(const rf_site *s, int signal) {
    struct sigaction a;
    if (!rfi_hook_shares() || rfi_sig_foreign(signal)) return false;
    rfi_sig_open();
    if (rfi_sig.met & rfi_sig_bit(signal)) return rfi_sig.known & rfi_sig_bit(signal);
    if (rfi_sig_ours(signal) || rfi_sig_reaction(signal, &a)) return false;
    if (a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN) return false;
    rfi_sig.action[signal] = a;
    rfi_sig_know(s, signal);
    return true;
}

/* ---- sending ---- */

/* The last execution in which a thread was interrupted. */
RFI_VAR uint32_t rfi_hook_interrupting;

/* By their name in a report. */
RFI_FN rfi_hook_thread *rfi_hook_interrupts(const rf_site *s, rfi_thr *u) {
    rfi_hook_thread *t = rfi_hook_of(u);
    rfi_object *o = &t->interrupts.object;
    char name[32];
    if (o->generation == rfi.generation) return t;
    snprintf(name, sizeof name, "%s of T%u", rfi.run.ends ? "cancellation" : "interrupts", u->id);
    rfi_object_register(o, RFI_SEM, s, name);
    return t;
}

/* From the post on, nobody else runs before the thread knows why. */
RFI_FN rfi_hook_thread *rfi_hook_interrupt(const rf_site *s, const char *by, rfi_thr *u) {
    rfi_hook_thread *t = rfi_hook_interrupts(s, u);
    rfi_hook_interrupting = rfi.generation;
    rfi.run.meddles = by;
    rfi_sem_post(s, &t->interrupts);
    return t;
}

/* Where nothing can strike, the thread takes it at its next point (cancel.h). */
RFI_FN void rfi_sig_leave(const rf_site *site, const char *name, rfi_thr *to, int signal) {
    rfi.run.unlooked |= RFI_FOR_SIGNALS;
    rfi.run.meddles = name;
    if (!to) (void)rfi_sig_victims(signal, 0, &to);
    if (!to) return;
    (void)rfi_hook_interrupt(site, name, to);
    rfi_interrupt(to);
}

/* It waits for who is to take it; the result is an error number. */
RFI_FN int rfi_sig_pend(const rf_site *site, const char *name, rfi_thr *to,
                        const rfi_sig_entry *e) {
    rfi_sig_source *s = rfi_sig.source[e->info.si_signo];
    if (rfi.run.catches) {
        if (!to && rfi_sig_timed(e->info.si_signo, false)) rfi.run.meddles = name;
        (void)rfi_sig_counts(site, name, to, e, 1, e->info.si_signo < SIGRTMIN ? RF_EV_TRY : 0);
        return 0;
    }
    if (!rfi_sig_impossible()) rfi_sig_strikes(site);
    if (rfi_sig_queued(s, e->target)) return 0;
    rf_event post = {.kind = RF_EV_SEM_POST,
                     .thread = rfi.current->id,
                     .site = site,
                     .object = s->sent.object.number,
                     .value = ++s->sent.count};
    rfi_emit(&post);
    if (!rfi_sig_queue(s, e)) return EAGAIN;
    rfi_sig_striker_ready(s);
    if (rfi_sig_impossible()) rfi_sig_leave(site, name, to, s->signal);
    return 0;
}

/* By the function `name`, to the thread `to`; NULL: to the process.  A step: who can take it is
 * known behind what others have done before.  The result is an error number; below 0: it has no
 * handler any more. */
RFI_FN int rfi_sig_send(const rf_site *site, const char *name, rfi_thr *to, rfi_sig_entry *e) {
    rfi_thr *me = rfi_base(rfi.current);
    int signal = e->info.si_signo;
    const rfi_object *sent = &rfi_sig.source[signal]->sent.object;
    bool catches = rfi.run.catches, values = rfi.strategy->values;
    if (!values) rfi_call_to(site, name, sent, false);
    if (to && to->finished && !catches) return 0;
    if (!(rfi_sig.known & rfi_sig_bit(signal))) return -1;
    e->target = to ? to->id : RFI_NO_THREAD;
    bool mine = rfi_sig_may(me, signal);
    if (mine && !to)
        mine = values ? !rfi_sig_for_others(name, signal) : rfi_sig_victims(signal, 0, NULL) == 1;
    if (mine && (!to || to == me)) {
        (void)rfi_sig_call(site, e);
        (void)rfi_sig_deliver(site, 0);
        return 0;
    }
    bool waits =
        to ? rfi_hook_of(to)->blocked & rfi_sig_bit(signal) : !rfi_sig_victims(signal, 0, NULL);
    bool files = rfi_sig.files & rfi_sig_bit(signal);
    if (files) rfi_sig_uncaught("signalfd", rfi_sig_bit(signal));
    if (waits && files) return rfi_sig_to_kernel(&e->info);
    int error = rfi_sig_pend(site, name, to, e);
    bool returns = !values && !to && rfi_sig_may(me, signal); /* or it comes */
    if (returns) rfi_call_on(site, NULL, sent);
    return error;
}

/* Nobody reads any more what the running thread has written: for that thread the kernel has left
 * SIGPIPE to us, and it comes before the call returns. */
RFI_FN void rfi_sig_broken(const rf_site *s) {
    uint64_t bit = rfi_sig_bit(SIGPIPE);
    rfi_thr *me = rfi_base(rfi.current);
    rfi_sig_entry e = rfi_sig_entry_of(SIGPIPE, SI_USER);
    bool came = __atomic_fetch_and(&rfi_sig_came, ~bit, __ATOMIC_ACQ_REL) & bit;
    if (!came || !rfi_sig_on() || !(rfi_sig.known & bit)) return;
    e.target = me->id;
    if (!rfi_sig_may(me, SIGPIPE)) {
        (void)rfi_sig_pend(s, "SIGPIPE", me, &e);
        return;
    }
    (void)rfi_sig_call(s, &e);
    (void)rfi_sig_deliver(s, 0);
}

/* ---- without a handler ---- */

/* It is sent to a thread, or to the process (NULL), and nobody handles it.  The kernel knows one
 * mask for all threads.  That one waits for it (sigwait) is no help where another one does not
 * block it.  False: the rest is the kernel's. */
RFI_FN bool rfi_sig_unhandled(const rf_site *s, const rfi_thr *to, const rfi_sig_entry *e) {
    sigset_t set;
    int signal = e->info.si_signo;
    if (!rfi_sig_ends(signal)) return rfi_sig_ours(signal);
    const rfi_thr *open = rfi_sig_open_to(to, signal);
    if (open) rfi_sig_end_process(s, signal, open);
    if (to && !(rfi_sig.files & rfi_sig_bit(signal))) {
        rfi_sig_entry own = {to->id, e->info};
        if (rfi_sig_own_add(&own)) return true;
    }
    if (rfi_sig_ours(signal)) {
        rfi_sig.kept[signal == SIGPROF] = e->info;
        return true;
    }
    sigemptyset(&set);
    sigaddset(&set, signal);
    RFI_REAL(pthread_sigmask)(SIG_BLOCK, &set, NULL);
    return false;
}

/* A signal is sent, or an action is changed beside other threads.  No step tells who knows memory
 * itself which came first: it gives up where an execution has both. */
RFI_FN void rfi_sig_meets(const char *name, bool changes) {
    rfi_sig.sends |= !changes;
    rfi_sig.changes |= changes && rfi.run.live > rfi.run.sources + 1;
    if (rfi_sig.sends && rfi_sig.changes) rfi.run.meddles = name;
}

/* Others may set its handler, or take it away, before it is sent.  False: the rest is the kernel's;
 * else *error is an error number. */
RFI_FN bool rfi_sig_sent(const rf_site *s, const char *name, rfi_thr *to, rfi_sig_entry *e,
                         int *error) {
    int signal = e->info.si_signo;
    *error = 0;
    for (;;) {
        bool known = rfi_sig_known(s, signal);
        rfi_sig_meets(name, false);
        if (known) {
            if ((*error = rfi_sig_send(s, name, to, e)) >= 0) return true;
            continue;
        }
        if (!rfi_hook_shares() || rfi_forked || rfi_sig_foreign(signal)) return false;
        rfi_call_ordered(s, name, &rfi_hook_outside, __ATOMIC_RELEASE); /* to sigwait */
        if (to && to->finished) return true;
        if (!rfi_sig_known(s, signal)) return rfi_sig_unhandled(s, to, e);
    }
}
#endif
#endif

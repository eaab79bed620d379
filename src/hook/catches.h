/* hook/catches.h: signals that others send, where the strategy knows memory itself.
 *
 * Nothing strikes there.  What is sent counts for a thread, or for the process, and each step of a
 * thread that does not block it begins with a choice: does it come now?  If so the thread waits
 * until it was sent, and runs the handler; if it is not, or if it is and the thread waits for
 * something else for ever, the execution shows nothing.  So a handler runs at each place behind
 * what has sent it, as a part of the thread that it interrupts; that they race, the strategy looks
 * for itself.
 */
#ifndef RFI_HOOK_CATCHES_H
#define RFI_HOOK_CATCHES_H
#include "hook/signals.h"

#ifdef RFI_IMPL
/* What was sent to a thread, so often; what it has taken of that, and of what the process was sent.
 */
typedef struct rfi_sig_count {
    rf_sem sent;
    uint32_t posts, takes, others;
} rfi_sig_count;

RFI_FN rfi_sig_count *rfi_sig_count_of(rfi_thr *t, int signal) {
    rfi_hook_thread *h = rfi_hook_of(t);
    if (!h->counts) h->counts = rfi_arena_take(&rfi.arena, RFI_SIGNALS * sizeof *h->counts);
    rfi_sig_count *c = &h->counts[signal - 1];
    if (c->sent.object.generation != rfi.generation) {
        char name[40];
        const rfi_object *o = &rfi_sig.source[signal]->sent.object;
        snprintf(name, sizeof name, "%s for T%u", rfi_object_called(o), t->id);
        *c = (rfi_sig_count){.posts = 0};
        rfi_object_register(&c->sent.object, RFI_SEM, rfi_sig.source[signal]->site, name);
    }
    return c;
}

/* Counts what was sent to the thread; NULL: to the process. */
RFI_FN rf_sem *rfi_sig_sent_to(rfi_thr *t, int signal) {
    return t ? &rfi_sig_count_of(t, signal)->sent : &rfi_sig.source[signal]->sent;
}

/* Of the n-th one. */
RFI_FN uint64_t rfi_sig_key(const rfi_thr *t, int signal, uint32_t n) {
    uint64_t key = rfi_mix((t ? t->key : 0) + (uint64_t)n * RFI_SIGNALS + (uint64_t)signal);
    return (key | 4) & ~UINT64_C(3);
}

/* Its handler has ended, if only by a jump. */
RFI_FN void rfi_sig_handled(rfi_thr *t) {
    if (t->handles && !t->handled) t->handled = rfi.strategy->rfi_made(t->id);
}

/* Not explored, of signals in `bits` that have a handler and are sent. */
RFI_FN void rfi_sig_uncaught(const char *name, uint64_t bits) {
    if (rfi.run.catches && bits & rfi_sig.met) rfi.run.meddles = name;
}

/* Does a timer send it to the process, when nobody knows?  `again`: one that has an interval. */
RFI_FN bool rfi_sig_timed(int signal, bool again) {
    for (uint32_t i = 0; i < RFI_SIGNAL_TIMERS; i++) {
        const rfi_sig_timer *t = &rfi_sig.timer[i];
        if (t->counts && t->signal == signal && (!again || t->every)) return true;
    }
    return false;
}

/* One of those that were sent to the target, of which `left` are left; false: of what was ignored
 * meanwhile.  What a timer sends so often is there once. */
RFI_FN bool rfi_sig_entry_taken(rfi_sig_source *s, uint32_t target, uint32_t left,
                                rfi_sig_entry *e) {
    uint32_t first = s->queued, queued = 0;
    for (uint32_t i = s->queued; i--;)
        if (s->queue[i].target == target) first = i, queued++;
    if (!queued) return false;
    *e = s->queue[first];
    if (queued > left) (void)rfi_sig_unqueue(s, first);
    return true;
}

/* The running thread has taken one; how its handler ends a wait.  It `strikes`: it could have come
 * since the thread has last shown something. */
RFI_FN unsigned rfi_sig_caught(const rf_site *site, rfi_thr *to, int signal, bool strikes) {
    rfi_sig_source *s = rfi_sig.source[signal];
    rfi_sig_entry e;
    uint32_t left = rfi_sig_sent_to(to, signal)->count;
    if (!rfi_sig_entry_taken(s, to ? to->id : RFI_NO_THREAD, left, &e)) return 0;
    int error = errno;
    rfi_thr *t = rfi.current;
    uint32_t outer = t->handled ? 0 : t->handles;
    rfi_strike_recycle(t, __builtin_frame_address(0));
    if (strikes) {
        t->handles = rfi.strategy->rfi_made(t->id);
        t->handled = 0;
    }
    unsigned how = rfi_sig_call(site, &e);
    if (strikes && outer)
        t->handles = outer;
    else if (strikes)
        rfi_sig_handled(t);
    rfi_strike_recycle(t, __builtin_frame_address(0));
    if (errno != error)
        rfi_errno_spoiled(s->site, (const char *)(uintptr_t)rfi_sig.action[signal].sa_handler);
    return how;
}

/* The signals that may come to the running thread. */
RFI_FN uint64_t rfi_sig_open_here(const rfi_hook_thread *h) {
    bool may = rfi.current && !rfi.quiet && !rfi.current->source && !rfi.current->whole &&
               !h->held && (h->framed || !rfi.current->id);
    return may && rfi_sig_on() ? rfi_sig.known & ~h->blocked : 0;
}

/* What it has taken of those that were sent to itself, or to the process (`all`). */
RFI_FN uint32_t *rfi_sig_takes(int signal, bool all) {
    rfi_sig_count *c = rfi_sig_count_of(rfi.current, signal);
    return all ? &c->others : &c->takes;
}

/* Does it come to the running thread before that goes on, to itself, or to the process (`all`); or
 * in its wait? */
RFI_FN bool rfi_sig_chosen(int signal, bool all, rfi_offer when) {
    uint32_t takes = *rfi_sig_takes(signal, all);
    rfi.run.offers = rfi_sig_key(all ? NULL : rfi.current, signal, takes + 1) + when;
    bool chosen = rfi_choose_of(2, &rfi.input);
    rfi.run.offers = 0;
    return chosen;
}

/* It was chosen.  A semaphore that the thread waits for was not free then. */
RFI_FN unsigned rfi_sig_await(const rf_site *site, int signal, bool all, rf_sem *waits) {
    rfi_hook_thread *h = rfi_hook_self();
    rfi_thr *to = all ? NULL : rfi.current;
    h->catches = rfi.current->whole = true;
    if (waits && rfi_sem_trywait(site, waits)) rfi.run.meddles = rfi_in_vain;
    rfi_sem_wait(site, rfi_sig_sent_to(to, signal));
    h->catches = rfi.current->whole = false;
    *rfi_sig_takes(signal, all) += !(all && rfi_sig_timed(signal, true));
    return rfi_sig_caught(site, to, signal, true);
}

/* Which one of `bits` comes, if one does; how it ends a wait. */
RFI_FN unsigned rfi_sig_take_one(const rf_site *site, uint64_t bits, rfi_offer when,
                                 rf_sem *for_it) {
    for (; bits; bits &= bits - 1) {
        int signal = __builtin_ctzll(bits) + 1;
        for (int all = 0; all < 2; all++)
            if (rfi_sig_chosen(signal, all, when)) return rfi_sig_await(site, signal, all, for_it);
    }
    return 0;
}

/* In a wait, which one that `restarts` does not show: the handler may have come before it. */
RFI_FN unsigned rfi_sig_ends_wait(const rf_site *site, rfi_offer when, bool restarts,
                                  rf_sem *for_it) {
    uint64_t bits = rfi.run.catches ? rfi_sig_open_here(rfi_hook_self()) : 0, ends = bits;
    for (; restarts && bits; bits &= bits - 1) {
        int signal = __builtin_ctzll(bits) + 1;
        if (rfi_sig.action[signal].sa_flags & SA_RESTART) ends &= ~rfi_sig_bit(signal);
    }
    return rfi_sig_take_one(site, ends, when, for_it);
}

/* Does it try for one that has been sent? */
RFI_FN bool rfi_sig_tries(const rf_site *site, rfi_thr *to, int signal) {
    rfi.current->whole = true;
    bool took = rfi_sem_trywait(site, rfi_sig_sent_to(to, signal));
    rfi.current->whole = false;
    *rfi_sig_takes(signal, !to) += took;
    return took;
}

/* Does one that was sent to the process come at once? */
RFI_FN bool rfi_sig_must_come(const rf_site *site, int signal) {
    rf_sem *sent = rfi_sig_sent_to(NULL, signal);
    if (!rfi.run.timers) return true;
    rfi.current->whole = true;
    rfi_sem_look(site, sent, "timer");
    rfi.current->whole = false;
    return sent->count && !rfi_sig_timed(signal, false);
}

/* The mask lets `bits` through: what has been sent of them comes before the call returns.  When
 * a timer has sent it is not known: that comes before the next step, or another one. */
RFI_FN unsigned rfi_sig_let_through(const rf_site *site, uint64_t bits) {
    unsigned how = 0;
    for (bits &= rfi_sig.known; bits; bits &= bits - 1) {
        int signal = __builtin_ctzll(bits) + 1;
        int kinds = 1 + rfi_sig_must_come(site, signal);
        for (int all = 0; all < kinds; all++)
            while (rfi_sig_tries(site, all ? NULL : rfi.current, signal))
                how |= rfi_sig_caught(site, all ? NULL : rfi.current, signal, false);
    }
    return how;
}

/* A signal is sent to the process by a thread that may take it, or the running thread changes its
 * own mask.  Whether the sender is the one who takes it is not known where both are done, of which
 * no step tells which came first. */
RFI_FN void rfi_sig_masks(const char *name, bool sends) {
    if (!rfi.strategy->values) return;
    rfi_sig.to_all |= sends;
    rfi_sig.masked |= !sends && rfi.run.live > rfi.run.sources + 1;
    if (rfi_sig.to_all && rfi_sig.masked) rfi.run.meddles = name;
}

/* May another thread take what is sent to the process? */
RFI_FN bool rfi_sig_for_others(const char *name, int signal) {
    rfi_sig_masks(name, true);
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (t == rfi.current || t->source || (t->finished && t->joined)) continue;
        const rfi_hook_thread *h = rfi_hook_of(rfi.thread[i]);
        uint64_t blocked = h->blocked;
        for (const rfi_sig_frame *f = h->frames; f; f = f->outer) blocked = f->before;
        if (!(blocked & rfi_sig_bit(signal))) return true;
    }
    return false;
}

/* Was it sent one that it has not taken, or has it chosen one that nobody sends? */
RFI_FN bool rfi_sig_untaken(const rfi_thr *t) {
    rfi_hook_thread *h = rfi_hook_of(rfi.thread[t->id]);
    if (h->catches) return true;
    for (uint64_t bits = rfi_sig.known & ~h->blocked; bits; bits &= bits - 1) {
        int signal = __builtin_ctzll(bits) + 1;
        if (rfi_sig.source[signal]->sent.count || rfi_sig_timed(signal, true)) return true;
        if (h->counts && h->counts[signal - 1].sent.count) return true;
    }
    return false;
}

/* Threads that have begun may be interrupted before each step, but not on the way into a wait at a
 * barrier or futex; while they wait for what is outside, in rfi_hook_await, and when that has come
 * not before it tells of those who have sent it. */
RFI_FN void rfi_sig_comes_first(const rf_site *s, unsigned kind) {
    const uint64_t never = RF_EV_BIT(RF_EV_START) | RF_EV_BIT(RF_EV_PARK) | RF_EV_BIT(RF_EV_DEPART);
    const rfi_thr *t = rfi.current;
    if (!s || t->outside || RF_EV_BIT(kind) & never || (kind == RF_EV_WAKE && t->due)) return;
    bool told = rfi_hook_self()->waited && kind == RF_EV_CALL;
    rfi_hook_self()->waited = false;
    if (told) return;
    while (rfi_sig_take_one(s, rfi_sig_open_here(rfi_hook_self()), RFI_OFFER_STEP, NULL)) continue;
}

/* A signal has its first handler. */
RFI_FN void rfi_sig_catch(void) {
    if (!rfi.run.catches) return;
    rfi.run.comes_first = rfi_sig_comes_first;
    rfi.run.untaken = rfi_sig_untaken;
}

/* It counts for the thread, or the process: `n` times from then on, if RF_EV_TRY is in `flags`, and
 * once more otherwise.  The result is how often it did. */
RFI_FN uint32_t rfi_sig_counts(const rf_site *site, const char *name, rfi_thr *to,
                               const rfi_sig_entry *e, uint32_t n, unsigned flags) {
    int signal = e->info.si_signo;
    uint32_t nth = ++*(to ? &rfi_sig_count_of(to, signal)->posts : &rfi_sig.source[signal]->posts);
    if (rfi_sig.action[signal].sa_flags & (int)SA_RESETHAND)
        rfi_sig_uncaught("SA_RESETHAND", rfi_sig_bit(signal));
    if (!rfi.run.meddles) {
        rfi.run.sends = rfi_sig_key(to, signal, nth);
        rfi.run.meddles = name;
    }
    uint32_t was = rfi_sem_change(site, rfi_sig_sent_to(to, signal), flags, n);
    if (!rfi_sig_queue(rfi_sig.source[signal], e)) rfi.run.meddles = name; /* too many */
    return was;
}

/* What comes again and again does so as often as loops are explored, if that is said. */
RFI_FN uint32_t rfi_hook_rounds(void) {
    if (!rfi.plan->unroll) rfi.run.meddles = rfi_endless;
    return rfi.plan->unroll;
}

/* Does it send to a handler, and the strategy knows memory itself? */
RFI_FN bool rfi_sig_timer_counts(const rfi_sig_timer *t) {
    bool known = t->signal && rfi_sig.known & rfi_sig_bit(t->signal);
    return known && rfi.strategy->values && !t->notify;
}

/* Then it is one who sends to the process when it is armed: that comes whenever it may, and if the
 * timer has an interval, so often as loops are explored.  What it has sent to a thread that blocks
 * it stays when it is off.  All that is one step; the result is whether it was armed, and would
 * have sent.  *every: its interval, and what that was. */
RFI_FN bool rfi_sig_timer_sends(const rf_site *s, rfi_sig_timer *t, uint64_t ms, uint64_t *every) {
    rfi_sig_source *from = rfi_sig.source[t->signal];
    rfi_sig_entry e = rfi_sig_entry_of(t->signal, t->code);
    e.info.si_value = t->value;
    if (rfi.plan->late) {
        rfi.run.meddles = rfi_untimely;
        return false;
    }
    if (!rfi.run.timers) {
        rfi.run.unlooked |= rfi.run.catches ? RFI_FOR_TIMERS : RFI_FOR_SIGNALS;
        rfi.run.meddles = "timer";
        return false;
    }
    unsigned again = *every ? RF_EV_TIMED : 0;
    uint32_t n = !ms ? 0 : again ? rfi_hook_rounds() : 1, was;
    if (n)
        was = rfi_sig_counts(s, "timer", NULL, &e, n, RF_EV_TRY | again);
    else
        was = rfi_sem_change(s, &from->sent, RF_EV_TRY, 0);
    uint64_t before = t->every;
    bool armed = t->counts, comes = armed && before;
    t->counts = ms;
    t->every = *every;
    *every = before;
    if (was && !n) (void)rfi_sig_unqueue(from, 0);
    if (was && !armed) rfi.run.meddles = "timer"; /* one must come, or another sends */
    if (!was || !rfi_sig_sent_before(t)) return was || comes;
    if (ms) rfi.run.meddles = "timer"; /* the same */
    rfi.current->whole = true;
    (void)rfi_sig_counts(s, "timer", NULL, &e, 1, 0);
    rfi.current->whole = false;
    return comes;
}
#endif
#endif

/* hook/polls.h: calls that wait for several files (poll, select, epoll_wait), and for signals.
 */
#ifndef RFI_HOOK_POLLS_H
#define RFI_HOOK_POLLS_H
#include "hook/world.h"

#ifdef RFI_IMPL
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
    rfi_hook_may_wait(w->site);
    rfi_hook_look_first(w);
    if (mask) {
        rfi_sig_unblocks(w->site, rfi_sig_bits(mask));
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
    if (found > 0 && !w->takes && !chosen) rfi_hook_hear(w, 0);
    if (mask) {
        rfi_sig_resume(w->site, blocked);
        RFI_REAL(pthread_sigmask)(SIG_SETMASK, &before, NULL);
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

/* Before the call each file and what it is polled for are read, after it the results written. */
# define RFI_POLL_READS(file, n)      \
  for (rfi_nfds i = 0; i < (n); i++)  \
   if (rfi_hook_polled(file, i) >= 0) \
  RFI_FINDS((const rfi_polled *)(const void *)(file) + i, offsetof(rfi_polled, got))
# define RFI_POLL_WRITES(file, n)     \
  for (rfi_nfds i = 0; i < (n); i++)  \
   if (rfi_hook_polled(file, i) >= 0) \
  RFI_LEAVES(&((const rfi_polled *)(const void *)(file))[i].got, sizeof(short))

int RFI_HOOK(poll)(struct pollfd *file, rfi_nfds n, int ms) {
    if (!rfi_hook_shares()) return rfi_real_poll(file, n, ms);
    RFI_POLL_READS(file, n);
    int found = rfi_hook_poll(RFI_CALLER(), file, n, ms, NULL);
    if (found > 0) RFI_POLL_WRITES(file, n);
    return found;
}

int RFI_HOOK(ppoll)(struct pollfd *file, rfi_nfds n, const struct timespec *t,
                    const sigset_t *mask) {
    if (!rfi_hook_shares()) return rfi_real_ppoll(file, n, t, mask);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    RFI_POLL_READS(file, n);
    int found = rfi_hook_poll(RFI_CALLER(), file, n, t ? rfi_hook_ms(t, 0) : -1, mask);
    if (found > 0) RFI_POLL_WRITES(file, n);
    return found;
}

/* The sets, as far as they are used. */
# define RFI_SELECT_SETS(how, end, set)         \
  for (unsigned i = 0; i < 3 && (end) > 0; i++) \
   if ((set)[i]) how((set)[i], ((size_t)(end) + 63) / 64 * sizeof(uint64_t))

/* Not what the kernel refuses, and sets larger than ours. */
RFI_FN bool rfi_hook_selects(int end) { return rfi_hook_shares() && end >= 0 && end <= FD_SETSIZE; }

int RFI_HOOK(select)(int end, fd_set *in, fd_set *out, fd_set *more, struct timeval *t) {
    if (!rfi_hook_selects(end)) return RFI_REAL(select)(end, in, out, more, t);
    if (t && (t->tv_sec < 0 || t->tv_usec < 0)) return rfi_hook_errno(EINVAL);
    fd_set *set[3] = {in, out, more};
    int64_t ms = t ? (int64_t)t->tv_sec * 1000 + (t->tv_usec + 999) / 1000 : -1;
    RFI_SELECT_SETS(RFI_FINDS, end, set);
    int found = rfi_hook_select(RFI_CALLER(), end, set, ms, NULL);
    if (found >= 0) RFI_SELECT_SETS(RFI_LEAVES, end, set);
    if (!found && t) *t = (struct timeval){0, 0}; /* what is left of it */
    return found;
}

int RFI_HOOK(pselect)(int end, fd_set *in, fd_set *out, fd_set *more, const struct timespec *t,
                      const sigset_t *mask) {
    if (!rfi_hook_selects(end)) return RFI_REAL(pselect)(end, in, out, more, t, mask);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    fd_set *set[3] = {in, out, more};
    RFI_SELECT_SETS(RFI_FINDS, end, set);
    int found = rfi_hook_select(RFI_CALLER(), end, set, t ? rfi_hook_ms(t, 0) : -1, mask);
    if (found >= 0) RFI_SELECT_SETS(RFI_LEAVES, end, set);
    return found;
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
    int found = rfi_hook_epoll(RFI_CALLER(), &w, ms, NULL);
    if (found > 0) RFI_LEAVES(event, (size_t)found * sizeof *event);
    return found;
}

int RFI_HOOK(epoll_pwait)(int queue, struct epoll_event *event, int n, int ms,
                          const sigset_t *mask) {
    rfi_hook_world w = {.queue = queue, .event = event, .events = n};
    if (!rfi_hook_shares()) return RFI_REAL(epoll_pwait)(queue, event, n, ms, mask);
    int found = rfi_hook_epoll(RFI_CALLER(), &w, ms, mask);
    if (found > 0) RFI_LEAVES(event, (size_t)found * sizeof *event);
    return found;
}

/* Others may wait for what it changes. */
int RFI_HOOK(epoll_ctl)(int queue, int how, int fd, struct epoll_event *event) {
    if (rfi_hook_shares())
        rfi_call_ordered(RFI_CALLER(), "epoll_ctl", &rfi_hook_outside, __ATOMIC_RELEASE);
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
                                !rfi_waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT));
    if (ms < 0 && comes) return RFI_REAL(sigwaitinfo)(w->signals, w->info);
    int signal = RFI_REAL(sigtimedwait)(w->signals, w->info, &t);
    if (signal < 0 && errno == EAGAIN && ms < 0) rfi_hook_park(w->site, false);
    return signal < 0 && errno == EAGAIN ? 0 : signal;
}

/* Is one pending?  It stays so. */
RFI_FN int rfi_hook_look_pending(const rfi_hook_world *w, int ms) {
    if (rfi_sig_pending() & rfi_sig_bits(w->signals)) return 1;
    if (ms < 0) rfi_hook_park(w->site, false);
    return 0;
}

RFI_FN int rfi_hook_sigwait(const rf_site *s, const sigset_t *set, siginfo_t *info, int64_t ms) {
    rfi_hook_world w = {.look = rfi_hook_look_signals, .comes = rfi_hook_may_come, .site = s};
    w.signals = set;
    w.info = info;
    w.name = "sigwait";
    w.timed = ms > 0;
    rfi_hook_world turn = w;
    turn.look = rfi_hook_look_pending;
    turn.takes = true;
    rfi_sig_uncaught(w.name, rfi_sig_bits(set));
    rfi_hook_may_wait(s);
    for (;;) { /* others may be faster when one has come, by what is chosen beforehand */
        rfi_call_ordered(s, w.name, &rfi_hook_outside, __ATOMIC_ACQUIRE); /* it takes one */
        int found = w.look(&w, 0);
        if (found) return found;
        if (!rfi.strategy->values || (ms > 0 && rfi.plan->late)) break;
        if (ms >= 0 && (!ms || rfi_wait_ends(rfi.current, s, 2))) {
            rfi_now_to(rfi.run.now + (uint64_t)ms);
            return 0;
        }
        if (rfi_hook_await(&turn) < 0) return -1;
    }
    int found = ms < 0 ? rfi_hook_await(&w) : rfi_hook_await_until(&w, ms);
    if (found > 0) rfi_hook_hear(&w, 0);
    return found;
}

int RFI_HOOK(sigwait)(const sigset_t *set, int *signal) {
    if (!rfi_hook_shares()) return RFI_REAL(sigwait)(set, signal);
    const rf_site *here = RFI_CALLER();
    int came;
    do came = rfi_hook_sigwait(here, set, NULL, -1);
    while (came < 0 && errno == EINTR);
    if (came < 0) return errno;
    RFI_PUT(signal, came);
    return 0;
}

int RFI_HOOK(sigwaitinfo)(const sigset_t *set, siginfo_t *info) {
    if (!rfi_hook_shares()) return RFI_REAL(sigwaitinfo)(set, info);
    int signal = rfi_hook_sigwait(RFI_CALLER(), set, info, -1);
    RFI_LEFT(signal > 0, info);
    return signal;
}

int RFI_HOOK(sigtimedwait)(const sigset_t *set, siginfo_t *info, const struct timespec *t) {
    if (!rfi_hook_shares()) return RFI_REAL(sigtimedwait)(set, info, t);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    int signal = rfi_hook_sigwait(RFI_CALLER(), set, info, t ? rfi_hook_ms(t, 0) : -1);
    RFI_LEFT(signal > 0, info);
    return signal ? signal : rfi_hook_errno(EAGAIN);
}
#endif
#endif

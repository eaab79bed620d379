/* hook/children.h: calls that make a child of the program, and that wait for one.
 *
 * A child is a process of its own, which nothing here schedules: whether it has ended is seen when
 * the program looks, as the execution draws it, or waits.
 */
#ifndef RFI_HOOK_CHILDREN_H
#define RFI_HOOK_CHILDREN_H
#include "hook/files.h"

#ifdef RFI_IMPL
# include <spawn.h>

# define RFI_CHILD_LOOKS 8u   /* 0, 1, 2, 4 ... 64 looks before it has ended */
# define RFI_CHILD_MS    200u /* within which it should */

/* Has one of these children ended (or whatever else: WUNTRACED, WCONTINUED), within so many ms?
 * -1: there is none. */
RFI_FN int rfi_hook_child_does(pid_t id, uint32_t most, int else_what) {
    int what = WEXITED | WNOWAIT | else_what;
    siginfo_t child = {.si_pid = 0};
    if (most == UINT32_MAX) return rfi_processes_waitid(id, &child, what) ? -1 : 1;
    for (uint32_t ms = 0; !rfi_processes_waitid(id, &child, what | WNOHANG); ms++) {
        if (child.si_pid || ms == most) return child.si_pid != 0;
        (void)rfi_real_poll(NULL, 0, 1);
    }
    return -1;
}

/* Virtual time passes, and with it real time, for children of fork: until one has ended, or for so
 * long in all. */
RFI_FN RFI_COLD void rfi_hook_children_pass(uint64_t ms) {
    volatile uint32_t *slow = &rfi_hook_slows->children;
    uint32_t *given = &rfi_processes.given, most = rfi_hook_patient(RFI_CHILD_MS, slow);
    uint32_t left = most > *given ? most - *given : 0, now = ms < left ? (uint32_t)ms : left;
    if (!now || rfi_hook_child_does(-1, now, 0)) return;
    *given += now;
    if (*given == most) rfi_hook_patience(slow, false);
}

/* The child goes on from all that the threads have done so far. */
RFI_FN pid_t rfi_hook_fork(const rf_site *s, const char *name) {
    const void *seen = rfi.run.threads > 1 ? &rfi_all_there_is : &rfi_hook_outside;
    rfi_call(s, name, seen, RF_EV_READS);
    sigset_t all, before; /* what is sent to the child is not what its parent has got */
    sigfillset(&all);
    RFI_REAL(pthread_sigmask)(SIG_BLOCK, &all, &before);
    pid_t child = RFI_REAL(fork)();
    int error = errno;
    if (!child) rfi_sig_reborn();
    rfi.run.passes = child ? rfi_hook_children_pass : NULL;
    RFI_REAL(pthread_sigmask)(SIG_SETMASK, &before, NULL);
    errno = error;
    return child;
}

pid_t RFI_HOOK(fork)(void) { return rfi_hook_fork(RFI_CALLER(), "fork"); }

/* In the memory of its parent, its calls would be steps of that, made by another process. */
pid_t RFI_HOOK(vfork)(void) { return rfi_hook_fork(RFI_CALLER(), "vfork"); }

/* Would the program know by other means that a child has ended? */
RFI_FN bool rfi_hook_child_tells(void) {
    struct sigaction action;
    sigset_t blocked;
    bool known = !RFI_REAL(sigaction)(SIGCHLD, NULL, &action) &&
                 !RFI_REAL(pthread_sigmask)(SIG_BLOCK, NULL, &blocked);
    return !known || sigismember(&blocked, SIGCHLD) == 1 || action.sa_flags & SA_SIGINFO ||
           (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

RFI_FN int rfi_hook_look_child(const rfi_hook_world *w, int ms) {
    return rfi_hook_child_does(w->child.id, (uint32_t)ms, w->child.else_what);
}

/* WNOHANG: how many looks come before the end of a child is drawn, and then that is waited for.
 * Not for long, since it may wait for the program. */
RFI_FN pid_t rfi_hook_look_at_child(const rf_site *s, const char *name, const rfi_child_wait *c) {
    rfi_call(s, name, &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    bool draws = rfi.current && !rfi.quiet && !rfi_forked && !rfi_hook_child_tells() &&
                 rfi_hook_child_does(c->id, 0, 0) >= 0;
    if (draws && !rfi.run.unseen) {
        uint32_t looks = rfi_choose(s, RFI_CHILD_LOOKS);
        rfi.run.unseen = 1 + (looks ? 1u << (looks - 1) : 0);
    }
    if (draws && rfi.run.unseen > 1 && rfi.run.unseen--) return 0;
    if (draws) (void)rfi_hook_child_does(c->id, RFI_CHILD_MS, 0);
    pid_t ended = rfi_processes_reap(c, 0);
    if (ended > 0) rfi.run.unseen = 0;
    if (draws && ended) return ended;
    rfi.run.outside |= ended >= 0;
    if (ended >= 0) rfi_hook_asks(RFI_ASKS_WHEN, "whether a child has ended, by %s", name);
    return ended;
}

/* One that does not depend on the program has ended when it is waited for, however slow the machine
 * is. */
RFI_FN void rfi_hook_child_first(pid_t id) {
    if (rfi_forked || rfi_hook_child_tells()) return;
    volatile uint32_t *slow = &rfi_hook_slows->children;
    rfi_hook_patience(slow, rfi_hook_child_does(id, rfi_hook_patient(RFI_CHILD_MS, slow), 0));
}

RFI_FN pid_t rfi_hook_wait_child(const rf_site *s, const char *name, const rfi_child_wait *c) {
    rfi_hook_world w = {.look = rfi_hook_look_child, .site = s, .name = name, .restarts = true};
    if (c->options & WNOHANG) return rfi_hook_look_at_child(s, name, c);
    if (!rfi_hook_shares()) return rfi_processes_reap(c, 0);
    w.child.id = c->id, w.child.else_what = c->options & (WUNTRACED | WCONTINUED);
    rfi_hook_may_wait(s);
    (void)rfi_hook_point(s);
    for (;;) { /* another thread may be faster */
        rfi_call(s, name, &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES); /* it takes one */
        rfi_hook_child_first(c->id);
        pid_t ended = rfi_processes_reap(c, WNOHANG);
        if (ended || (rfi_hook_await(&w) < 0 && errno == EINTR)) return ended ? ended : -1;
    }
}

# define RFI_WAIT(name, id, status, options, usage)                 \
  do {                                                              \
   const rfi_child_wait c = {id, options, status, usage, NULL};     \
   pid_t ended = rfi_hook_wait_child(RFI_CALLER(), name, &c);       \
   if (ended > 0 && (status)) RFI_LEAVES(status, sizeof *(status)); \
   return ended;                                                    \
  } while (0)

pid_t RFI_HOOK(wait)(int *status) { RFI_WAIT("wait", -1, status, 0, NULL); }

pid_t RFI_HOOK(waitpid)(pid_t id, int *status, int options) {
    RFI_WAIT("waitpid", id, status, options, NULL);
}

pid_t RFI_HOOK(wait3)(int *status, int options, struct rusage *usage) {
    RFI_WAIT("wait3", -1, status, options, usage);
}

pid_t RFI_HOOK(wait4)(pid_t id, int *status, int options, struct rusage *usage) {
    RFI_WAIT("wait4", id, status, options, usage);
}

/* But for a file that stands for a child, and what is no end. */
int RFI_HOOK(waitid)(idtype_t type, id_t id, siginfo_t *info, int options) {
    siginfo_t room;
    rfi_child_wait c = {.id = -1, .options = options, .info = info ? info : &room};
    bool known = (type == P_ALL || type == P_PID || type == P_PGID) && options & WEXITED;
    if (!known) return rfi_waitid(type, id, info, options);
    if (type != P_ALL) c.id = type == P_PID ? (pid_t)id : -(pid_t)id;
    pid_t ended = rfi_hook_wait_child(RFI_CALLER(), "waitid", &c);
    RFI_LEFT(ended > 0, info);
    return ended < 0 ? -1 : 0;
}

/* Other threads go on while the child runs: whoever waits for any child may take its end. */
int RFI_HOOK(system)(const char *command) {
    const rf_site *s = RFI_CALLER();
    char *words[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
    pid_t id, ended;
    int status;
    RFI_FILE_CALL("system");
    if (!command || !rfi_hook_shares()) return RFI_REAL(system)(command);
    if (RFI_REAL(posix_spawn)(&id, "/bin/sh", NULL, NULL, words, environ)) return -1;
    uint64_t blocked = rfi_sig_mask(s, rfi_hook_self()->blocked | rfi_sig_bit(SIGCHLD));
    const rfi_child_wait c = {.id = id, .status = &status};
    do ended = rfi_hook_wait_child(s, "system", &c);
    while (ended < 0 && errno == EINTR);
    rfi_sig_resume(s, blocked);
    return ended < 0 ? -1 : status;
}
#endif
#endif

/* engine/fiber.h: logical threads, one at a time, on either of two back ends.
 *
 * A fiber is suspended or it is the one that runs; control moves by an explicit jump from the one
 * to the other.  Both back ends (fibers: context.h; real threads: osthread.h) keep, for each fiber,
 * its registers, stack, floating-point environment and errno, and show the scheduler no difference.
 * Two differences remain: fibers share the signal mask, so a jump home out of a signal handler
 * restores it; and fibers share _Thread_local data, except those to which rfi_fiber_local() gives
 * their own.  All functions are called by the fiber that runs.
 */
#ifndef RFI_ENGINE_FIBER_H
#define RFI_ENGINE_FIBER_H
#include "engine/osthread.h"

#ifdef RFI_IMPL
typedef enum rfi_backend_kind { RFI_BACKEND_FIBER, RFI_BACKEND_THREADS } rfi_backend_kind;

RFI_VAR struct {
    rfi_backend_kind kind;
    int *error; /* &errno of the real thread that runs all fibers */
    pid_t process;
} rfi_backend;

/* The calling real thread becomes `home`.  Once per process, after the fork, before anything else
 * here; again only while no other fiber is alive. */
RFI_FN void rfi_fiber_start(rfi_backend_kind kind, rfi_fiber *home) {
    if (kind == RFI_BACKEND_FIBER) rfi_context_check();
    rfi_os_process += rfi_backend.process != rfi_process();
    rfi_backend.process = rfi_process();
    rfi_backend.kind = kind;
    rfi_backend.error = &errno;
    rfi_ours = true;
    rfi_stacks = &rfi_stack_pools[kind];
    rfi_stacks->room = kind == RFI_BACKEND_FIBER ? 0 : RFI_OS_ROOM;
    memset(home, 0, sizeof *home);
    home->os = &rfi_os_home;
    rfi_os_prepare(home->os);
    rfi_os_alternate();
# ifdef RFI_TSAN_FIBERS
    home->tsan = __tsan_get_current_fiber();
# endif
# ifdef RFI_LOCAL
    if (kind == RFI_BACKEND_FIBER) home->thread_pointer = rfi_locals.home.pointer;
# endif
    rfi_fiber_home = home;
}

RFI_FN void rfi_fiber_main(rfi_fiber *f) {
    rfi_tools_arrive(f);
    f->entry(f->arg);
    rfi_die("a logical thread ended without rfi_fiber_exit");
}

/* Makes `f` a suspended fiber; the first jump to it calls entry(arg), which must end in
 * rfi_fiber_exit.  Its stack has at least `stack_bytes`, see stack.h, and lies in stack_low up to
 * stack_high.  True if another fiber used that memory since the last rfi_fiber_epoch().  If the
 * system has no room for one more, stack_low is NULL and `f` can't be used. */
RFI_FN bool rfi_fiber_make(rfi_fiber *f, size_t stack_bytes, void (*entry)(void *), void *arg) {
    bool reused = false;
    memset(f, 0, sizeof *f);
    f->stack = rfi_stack_take(stack_bytes, &reused);
    if (RFI_UNLIKELY(!f->stack)) return false;
    f->entry = entry;
    f->arg = arg;
    f->stack_low = f->stack->low;
    f->stack_high = (char *)f->stack;
    f->thread_pointer = rfi_fiber_home->thread_pointer;
    if (RFI_LIKELY(rfi_backend.kind == RFI_BACKEND_FIBER)) {
        rfi_tools_make(f);
        rfi_context_make(f, rfi_fiber_main);
    } else if (!rfi_os_make(f)) {
        rfi_stack_retire(f->stack);
        memset(f, 0, sizeof *f);
        return false;
    }
    return reused;
}

/* Gives `f`, which has not run yet, thread-local storage of its own, if fibers have it; it stays
 * with the stack.  False: the system has no room for it. */
RFI_FN bool rfi_fiber_local(rfi_fiber *f) {
# ifdef RFI_LOCAL
    if (RFI_LIKELY(!f->thread_pointer)) return true;
    if (!f->stack->local && !(f->stack->local = rfi_local_take())) return false;
    f->thread_pointer = f->stack->local->pointer;
    rfi_local_renew(f->stack->local);
# endif
    return (void)f, true;
}

/* Where that lies: from here up to *high; NULL: nowhere. */
RFI_FN char *rfi_fiber_local_low(const rfi_fiber *f, char **high) {
# ifdef RFI_LOCAL
    if (!f->thread_pointer || !rfi_locals.parts) return NULL;
    *high = (char *)f->thread_pointer + rfi_locals.high;
    return (char *)f->thread_pointer + rfi_locals.low;
# else
    return (void)f, (void)high, NULL;
# endif
}

/* The fiber that runs, which has the storage of home, is to find it as it was at first. */
RFI_INLINE void rfi_fiber_home_renew(void) {
# ifdef RFI_LOCAL
    if (RFI_UNLIKELY(rfi_fiber_home->thread_pointer != NULL)) rfi_local_renew(&rfi_locals.home);
# endif
}

/* The running fiber is none of the program's threads, for which signals are. */
RFI_INLINE void rfi_fiber_deaf(void) {
    if (rfi_backend.kind == RFI_BACKEND_THREADS) (void)rfi_os_deaf();
}

/* May a fiber whose work is done stay suspended and be given new work, as if newly made?  Where it
 * may, that spares its making. */
RFI_INLINE bool rfi_fiber_reusable(void) {
# ifdef RFI_SWITCH_PORTABLE
    return false;
# else
    return rfi_backend.kind == RFI_BACKEND_FIBER;
# endif
}

/* Such a fiber is about to begin new work: it inherits like a new one. */
RFI_INLINE void rfi_fiber_renew(rfi_fiber *f) {
    f->error = 0;
# ifdef RFI_LOCAL
    if (f->thread_pointer != rfi_fiber_home->thread_pointer) rfi_local_renew(f->stack->local);
# endif
# ifndef RFI_SWITCH_PORTABLE
    rfi_context_renew(f);
# endif
}

/* `from`, which runs, is suspended, and `to` runs; returns when somebody jumps back. */
RFI_INLINE void rfi_fiber_jump(rfi_fiber *from, rfi_fiber *to) {
    if (RFI_UNLIKELY(rfi_backend.kind != RFI_BACKEND_FIBER)) {
        rfi_os_jump(from, to);
        return;
    }
    from->error = *rfi_backend.error;
    *rfi_backend.error = to->error;
    rfi_context_switch(from, to, false);
}

/* `from`, which runs, has ended, and `to` runs. */
RFI_FN RFI_NORETURN void rfi_fiber_exit(rfi_fiber *from, rfi_fiber *to) {
    rfi_stack_retire(from->stack);
    if (rfi_backend.kind != RFI_BACKEND_FIBER) rfi_os_exit(from, to);
    *rfi_backend.error = to->error;
    rfi_context_switch(from, to, true);
    __builtin_unreachable();
}

/* Home abandons `f`, which is suspended or has never run: it ends where it stands, nothing of its
 * code runs any more. */
RFI_FN void rfi_fiber_drop(rfi_fiber *f) {
    if (rfi_backend.kind == RFI_BACKEND_FIBER)
        rfi_tools_drop(f);
    else
        rfi_os_drop(f);
    rfi_stack_retire(f->stack);
}

/* An execution has ended, no fiber but home is left: stacks used in it count as unused. */
RFI_FN void rfi_fiber_epoch(void) { rfi_stack_epoch(); }

# define RFI_RED_ZONE 256u /* bytes that code may use below its stack's pointer, at most */

/* Did the access to `address` hit the guard below f's stack, or was it to a frame that begins
 * behind that?  For the handler of SIGSEGV; `pointer` is the stack's, 0 if nobody knows. */
RFI_FN bool rfi_fiber_overflowed(const rfi_fiber *f, const void *address, uintptr_t pointer) {
    uintptr_t low = (uintptr_t)f->stack_low, at = (uintptr_t)address;
    bool wild = at < RFI_STACK_GUARD; /* no frame is there: the pointer was overwritten */
    bool beyond = !wild && pointer && pointer < low && at < low && at + RFI_RED_ZONE >= pointer;
    return f->stack && (beyond || (at < low && low - at <= RFI_STACK_GUARD));
}
#endif
#endif

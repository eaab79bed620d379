/* engine/osthread.h: the back end that runs every logical thread on a real one.
 *
 * For debuggers, for machines without a switch, for code that needs real threads.  A real thread
 * lives on a stack of the same pool as fibers use, for ever: when its logical thread ends it parks,
 * and serves the next one that is given its stack.  All but one of them wait for their turn, so
 * that what runs, and in what order, is the same as with fibers; while a thread on its way to its
 * parking place still runs beside the next, it touches nothing but its own rfi_osthread.
 *
 * They are not pinned to one core, although a switch is more expensive between two (1 us within
 * one, up to 20 us across): children would inherit the mask and code under test can ask for it,
 * and the kernel mostly wakes the next thread where the last one goes to sleep.  `taskset -c 0`
 * pins.
 *
 * A waiting thread may become a rival: it stays awake and registers as the next to run as soon as
 * the kernel gives it a processor, unless another one has.  The running thread may follow that or
 * not (contest.h).
 *
 * A signal to the process is for logical threads: the others of the real ones block it, or the
 * kernel may give it to one of them.
 * Optimised: less, few programs use it often.
 */
#ifndef RFI_ENGINE_OSTHREAD_H
#define RFI_ENGINE_OSTHREAD_H
#include "engine/context.h"

#ifdef RFI_IMPL
# if defined SYS_futex && !defined RFI_PORTABLE_SWITCH
#  define RFI_FUTEX 1
# endif
# define RFI_ALTERNATE_BYTES ((size_t)64 << 10)
/* Mapped besides the stack: the C library puts the program's thread-local storage there, which may
 * be large (900 KiB under ThreadSanitizer).  Address space only. */
# define RFI_OS_ROOM   ((size_t)1 << 20)
# define RFI_OS_LOOKS  32u /* of a rival at its turn, until it looks at who is put down as next; */
# define RFI_OS_YIELDS 64u /* times that it has found somebody there, and has let others run */
/* Nobody is put down as next; nobody can be, until the one that was runs. */
# define RFI_OS_NOBODY UINT32_MAX
# define RFI_OS_SHUT   (UINT32_MAX - 1)

/* What a real thread may do: sleep until it is told otherwise; run; wait awake, as a rival. */
enum { RFI_OS_WAITS, RFI_OS_RUNS, RFI_OS_RIVAL };

typedef struct rfi_osthread {
    uint32_t turn;    /* one of these */
    uint32_t number;  /* as a rival it puts down this */
    bool busy;        /* has begun to run a logical thread that has not ended */
    bool abandoned;   /* its logical thread is dropped: go and park */
    uint32_t process; /* in which it was started, see rfi_os_process; 0: not yet */
    pthread_t thread;
    rfi_fiber *fiber; /* to run */
    rfi_fenv fenv;    /* to begin with: */
    sigset_t mask;    /* those of its creator */
    sigjmp_buf top;   /* its parking place */
# ifndef RFI_FUTEX
    pthread_mutex_t mutex;
    pthread_cond_t changed;
# endif
} rfi_osthread;

RFI_VAR rfi_osthread rfi_os_home;
/* Number of this process, from 1, in the line of forks that called rfi_fiber_start: a child has
 * copies of its parent's structs, but not the threads they speak of. */
RFI_VAR uint32_t rfi_os_process;

/* The rival that runs next, as far as rivals are asked; how many there are. */
RFI_VAR uint32_t rfi_os_next = RFI_OS_NOBODY, rfi_os_rivals;

/* ---- handing over ---- */

RFI_FN void rfi_os_prepare(rfi_osthread *os) {
    memset(os, 0, sizeof *os);
# ifndef RFI_FUTEX
    RFI_REAL(pthread_mutex_init)(&os->mutex, NULL);
    RFI_REAL(pthread_cond_init)(&os->changed, NULL);
# endif
}

RFI_FN void rfi_os_wake(rfi_osthread *os) {
# ifdef RFI_FUTEX
    RFI_REAL(syscall)(SYS_futex, &os->turn, RFI_FUTEX_WAKE, 1, NULL, NULL, 0);
# else
    RFI_REAL(pthread_mutex_lock)(&os->mutex);
    RFI_REAL(pthread_cond_signal)(&os->changed);
    RFI_REAL(pthread_mutex_unlock)(&os->mutex);
# endif
}

/* May return early. */
RFI_FN void rfi_os_sleep(rfi_osthread *os) {
# ifdef RFI_FUTEX
    RFI_REAL(syscall)(SYS_futex, &os->turn, RFI_FUTEX_WAIT, RFI_OS_WAITS, NULL, NULL, 0);
# else
    RFI_REAL(pthread_mutex_lock)(&os->mutex);
    if (__atomic_load_n(&os->turn, __ATOMIC_ACQUIRE) == RFI_OS_WAITS)
        RFI_REAL(pthread_cond_wait)(&os->changed, &os->mutex);
    RFI_REAL(pthread_mutex_unlock)(&os->mutex);
# endif
}

RFI_FN void rfi_os_pass(rfi_osthread *os) {
    if (__atomic_exchange_n(&os->turn, RFI_OS_RUNS, __ATOMIC_ACQ_REL) == RFI_OS_RIVAL)
        __atomic_sub_fetch(&rfi_os_rivals, 1, __ATOMIC_RELAXED);
    else
        rfi_os_wake(os);
}

/* Is a rival no more, if it is one. */
RFI_FN void rfi_os_withdraw(rfi_osthread *os) {
    uint32_t rival = RFI_OS_RIVAL;
    if (__atomic_compare_exchange_n(&os->turn, &rival, RFI_OS_WAITS, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        __atomic_sub_fetch(&rfi_os_rivals, 1, __ATOMIC_RELAXED);
}

/* Becomes one, if it waits; whoever has the turn decides it. */
RFI_FN bool rfi_os_rival(rfi_osthread *os, uint32_t number) {
    if (__atomic_load_n(&os->turn, __ATOMIC_ACQUIRE) != RFI_OS_WAITS) return false;
    __atomic_store_n(&os->number, number, __ATOMIC_RELAXED);
    __atomic_add_fetch(&rfi_os_rivals, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&os->turn, RFI_OS_RIVAL, __ATOMIC_RELEASE);
    return true;
}

/* A moment in a loop that waits for another processor. */
RFI_INLINE void rfi_os_pause(void) {
# if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
# elif defined __aarch64__
    __asm__ volatile("yield");
# endif
}

/* A rival waits for its turn; after a while in which it did not come it sleeps. */
RFI_FN void rfi_os_compete(rfi_osthread *os) {
    for (uint32_t yields = 0; yields < RFI_OS_YIELDS;) {
        for (uint32_t i = 0; i < RFI_OS_LOOKS; i++) {
            if (__atomic_load_n(&os->turn, __ATOMIC_ACQUIRE) != RFI_OS_RIVAL) return;
            rfi_os_pause();
        }
        uint32_t nobody = RFI_OS_NOBODY;
        if (__atomic_load_n(&rfi_os_next, __ATOMIC_RELAXED) == nobody &&
            __atomic_compare_exchange_n(&rfi_os_next, &nobody,
                                        __atomic_load_n(&os->number, __ATOMIC_RELAXED), false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        RFI_REAL(sched_yield)();
        yields++;
    }
    rfi_os_withdraw(os);
}

/* Whoever has the turn runs: another one may be put down as next. */
RFI_FN void rfi_os_open(void) {
    if (__atomic_load_n(&rfi_os_next, __ATOMIC_RELAXED) == RFI_OS_SHUT)
        __atomic_store_n(&rfi_os_next, RFI_OS_NOBODY, __ATOMIC_RELEASE);
}

RFI_FN void rfi_os_await(rfi_osthread *os) {
    uint32_t turn;
    while ((turn = __atomic_load_n(&os->turn, __ATOMIC_ACQUIRE)) != RFI_OS_RUNS)
        if (turn == RFI_OS_RIVAL)
            rfi_os_compete(os);
        else
            rfi_os_sleep(os);
    __atomic_store_n(&os->turn, RFI_OS_WAITS, __ATOMIC_RELAXED);
    rfi_os_open();
}

/* ---- a real thread's life ---- */

/* Gives the calling real thread a stack for signal handlers, if it has none (AddressSanitizer
 * brings its own): the handler of an overflow can't run on the stack that overflowed. */
RFI_FN void rfi_os_alternate(void) {
    stack_t s;
    if (sigaltstack(NULL, &s) || !(s.ss_flags & SS_DISABLE)) return;
    s.ss_sp = rfi_pages(RFI_ALTERNATE_BYTES, false);
    s.ss_size = RFI_ALTERNATE_BYTES;
    s.ss_flags = 0;
    if (sigaltstack(&s, NULL)) rfi_die("sigaltstack: %s", strerror(errno));
}

/* The calling real thread blocks what code under test may handle; before that the mask was the
 * result.  The watchdog's signals, and faults, are no such. */
RFI_FN sigset_t rfi_os_deaf(void) {
    static const int ours[] = {SIGALRM, SIGPROF, SIGSEGV, SIGBUS, SIGILL,
                               SIGFPE,  SIGABRT, SIGTRAP, SIGSYS};
    sigset_t most, before;
    sigfillset(&most);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) sigdelset(&most, ours[i]);
    RFI_REAL(pthread_sigmask)(SIG_BLOCK, &most, &before);
    return before;
}

enum { RFI_OS_ENDED = 1, RFI_OS_DROPPED = 2 };

RFI_FN void *rfi_os_main(void *arg) {
    rfi_osthread *const os = arg;
    rfi_ours = true;
    rfi_os_alternate();
    (void)rfi_os_deaf();
    if (sigsetjmp(os->top, 1) == RFI_OS_DROPPED) rfi_os_pass(&rfi_os_home);
    rfi_os_await(os);
    os->busy = true;
    rfi_fenv_set(os->fenv);
    RFI_REAL(pthread_sigmask)(SIG_SETMASK, &os->mask, NULL);
    errno = 0;
    os->fiber->entry(os->fiber->arg);
    rfi_die("a logical thread ended without rfi_fiber_exit");
}

/* Sees to it that a real thread of this process lives on the stack; false if the system has no room
 * for one more. */
RFI_FN bool rfi_os_settle(rfi_stack *s) {
    if (s->os && s->os->process == rfi_os_process) return true;
    if (!s->os && !(s->os = RFI_REAL(malloc)(sizeof *s->os))) return false;
    rfi_os_prepare(s->os);
    pthread_attr_t attr;
    if (pthread_attr_init(&attr)) return false;
    int error = pthread_attr_setstack(&attr, s->low, (size_t)((char *)s - s->low));
    if (!error) error = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (!error) error = RFI_REAL(pthread_create)(&s->os->thread, &attr, rfi_os_main, s->os);
    pthread_attr_destroy(&attr);
    if (!error) s->os->process = rfi_os_process;
    return !error;
}

/* ---- the operations of engine/fiber.h ---- */

RFI_FN bool rfi_os_make(rfi_fiber *f) {
    if (!rfi_os_settle(f->stack)) return false;
    f->os = f->stack->os;
    f->os->fiber = f;
    f->os->fenv = rfi_fenv_get();
    RFI_REAL(pthread_sigmask)(SIG_BLOCK, NULL, &f->os->mask);
    return true;
}

RFI_FN void rfi_os_jump(const rfi_fiber *from, const rfi_fiber *to) {
    rfi_osthread *os = from->os;
    int error = errno; /* futex() may set it */
    if (os == &rfi_os_home) os->mask = rfi_os_deaf();
    rfi_os_pass(to->os);
    rfi_os_await(os);
    if (os == &rfi_os_home) RFI_REAL(pthread_sigmask)(SIG_SETMASK, &os->mask, NULL);
    errno = error;
    if (RFI_LIKELY(!os->abandoned)) return;
    os->abandoned = os->busy = false;
    RFI_REAL(siglongjmp)(os->top, RFI_OS_DROPPED);
}

RFI_FN RFI_NORETURN void rfi_os_exit(const rfi_fiber *from, const rfi_fiber *to) {
    rfi_osthread *os = from->os;
    os->busy = false;
    rfi_os_pass(to->os);
    RFI_REAL(siglongjmp)(os->top, RFI_OS_ENDED);
    __builtin_unreachable();
}

/* Home waits until the thread has left the frames of its logical thread. */
RFI_FN void rfi_os_drop(const rfi_fiber *f) {
    rfi_os_withdraw(f->os);
    if (!f->os->busy) return; /* never ran: it is parked already */
    f->os->abandoned = true;
    rfi_os_pass(f->os);
    rfi_os_await(&rfi_os_home);
}
#endif
#endif

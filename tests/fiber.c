// flags: -Isrc
/* The back ends for logical threads (src/engine/fiber.h) keep what they promise: one fiber runs at
 * a time, registers, floating-point environment, errno and stacks are its own, an overflow hits the
 * guard, and a forked process can start again.  Every check runs on fibers and on real threads. */
#define RF_IMPLEMENTATION
#include "engine/fiber.h"
#include "check.h"
#include <unwind.h>

#ifdef RFI_TSAN
/* Lets a child of a process with threads start threads of its own. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }
#endif

static const char *backend;

static void shows(bool good, const char *name) { check(good, named("%s: %s", backend, name)); }

static rfi_fiber home, a, b;
static unsigned turns;

static void jump_home(rfi_fiber *self) { rfi_fiber_jump(self, &home); }

/* Runs `entry` in `a` until it jumps home or exits. */
static void run_a(void (*entry)(void *), void *arg) {
    rfi_fiber_make(&a, 0, entry, arg);
    rfi_fiber_jump(&home, &a);
}

static void exits(void *self) { rfi_fiber_exit(self, &home); }

static void comes_home_first(void *self) {
    jump_home(self);
    rfi_fiber_exit(self, &home);
}

/* ---- order ---- */

enum { PINGS = 200 };
static bool in_turn;

static void ping(void *unused) {
    (void)unused;
    for (unsigned i = 0; i < PINGS; i++) {
        in_turn &= turns++ == 2 * i;
        rfi_fiber_jump(&a, &b);
    }
    rfi_fiber_exit(&a, &home);
}

static void pong(void *unused) {
    (void)unused;
    for (unsigned i = 0; i < PINGS; i++) {
        in_turn &= turns++ == 2 * i + 1;
        rfi_fiber_jump(&b, &a);
    }
    rfi_fiber_exit(&b, &home);
}

static bool alternates(void) {
    turns = 0;
    in_turn = true;
    rfi_fiber_make(&a, 0, ping, NULL);
    rfi_fiber_make(&b, 0, pong, NULL);
    rfi_fiber_jump(&home, &a);
    rfi_fiber_drop(&b); /* waits for the turn that never comes */
    rfi_fiber_epoch();
    return in_turn && turns == 2 * PINGS;
}

enum { MANY = 5000 };
static rfi_fiber many[MANY];
static unsigned wanted, alive, most, returned;

/* Emulates the x87 in double precision, and allows 500 real threads. */
static bool under_valgrind(void) {
#ifdef RFI_VALGRIND
    return RUNNING_ON_VALGRIND;
#else
    return false;
#endif
}

/* Fiber i makes fiber i + 1 and waits for it; the last one begins the way back. */
static void link_of_chain(void *self) {
    rfi_fiber *f = self, *next = f + 1;
    if (++alive > most) most = alive;
    if (next < many + wanted) {
        rfi_fiber_make(next, 0, link_of_chain, next);
        rfi_fiber_jump(f, next);
        returned += next->entry == link_of_chain;
    }
    alive--;
    rfi_fiber_exit(f, f == many ? &home : f - 1);
}

static void test_many(void) {
    wanted = under_valgrind() ? 400 : MANY;
#ifdef RFI_TSAN
    wanted = 400; /* megabytes are mapped for each */
#endif
    alive = most = returned = 0;
    rfi_fiber_make(&many[0], 0, link_of_chain, &many[0]);
    rfi_fiber_jump(&home, &many[0]);
    shows(most == wanted && alive == 0 && returned == wanted - 1, "thousands_alive_at_once");
    rfi_fiber_epoch();
}

/* ---- what a fiber keeps ---- */

static void sets_errno(void *self) {
    int first = errno;
    errno = ERANGE;
    jump_home(self);
    turns = first == 0 && errno == ERANGE;
    errno = EDOM;
    rfi_fiber_exit(self, &home);
}

static void test_errno(void) {
    bool good = true;
    for (unsigned i = 0; i < 2; i++) { /* the second time on a pooled stack */
        errno = ENOENT;
        run_a(sets_errno, &a);
        good &= errno == ENOENT;
        errno = EIO;
        rfi_fiber_jump(&home, &a);
        good &= errno == EIO && turns == 1;
        rfi_fiber_epoch();
    }
    shows(good, "errno_is_kept_per_fiber_and_begins_as_zero");
}

#if defined __x86_64__ || defined __aarch64__
enum { WORDS = 14 };
/* Fills the registers that a call must preserve from `in`, calls call(arg), stores them to `out`.
 */
void test_with_registers(const uint64_t *in, uint64_t *out, void (*call)(void *), void *arg);
#endif

#if defined __x86_64__
enum { CONTROL = 0x6000, X87 = 0xc00 }; /* round toward zero */
__asm__(".text\n.globl test_with_registers\ntest_with_registers:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\npushq %rsi\n"
        "movq (%rdi), %rbp\nmovq 8(%rdi), %rbx\nmovq 16(%rdi), %r12\n"
        "movq 24(%rdi), %r13\nmovq 32(%rdi), %r14\nmovq 40(%rdi), %r15\n"
        "movq %rcx, %rdi\ncallq *%rdx\npopq %rsi\n"
        "movq %rbp, (%rsi)\nmovq %rbx, 8(%rsi)\nmovq %r12, 16(%rsi)\n"
        "movq %r13, 24(%rsi)\nmovq %r14, 32(%rsi)\nmovq %r15, 40(%rsi)\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");
enum { KEPT = 6 };
#elif defined __aarch64__
enum { CONTROL = 3 << 22, X87 = 0 };
__asm__(".text\n.globl test_with_registers\ntest_with_registers:\n"
        "stp x29, x30, [sp, #-176]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\n"
        "stp d14, d15, [sp, #144]\nstr x1, [sp, #160]\n"
        "ldp x19, x20, [x0]\nldp x21, x22, [x0, #16]\nldp x23, x24, [x0, #32]\n"
        "ldp x25, x26, [x0, #48]\nldp d8, d9, [x0, #64]\nldp d10, d11, [x0, #80]\n"
        "ldp d14, d15, [x0, #96]\nmov x0, x3\nblr x2\nldr x1, [sp, #160]\n"
        "stp x19, x20, [x1]\nstp x21, x22, [x1, #16]\nstp x23, x24, [x1, #32]\n"
        "stp x25, x26, [x1, #48]\nstp d8, d9, [x1, #64]\nstp d10, d11, [x1, #80]\n"
        "stp d14, d15, [x1, #96]\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\n"
        "ldp x25, x26, [sp, #64]\nldp x27, x28, [sp, #80]\nldp d8, d9, [sp, #96]\n"
        "ldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "ldp x29, x30, [sp], #176\nret\n");
enum { KEPT = 14 };
#endif

#if defined __x86_64__ || defined __aarch64__
static void a_to_b(void *unused) { (void)unused, rfi_fiber_jump(&a, &b); }
static void b_to_a(void *unused) { (void)unused, rfi_fiber_jump(&b, &a); }

static bool keeps(uint64_t pattern, void (*call)(void *)) {
    uint64_t in[WORDS], out[WORDS] = {0};
    for (unsigned i = 0; i < KEPT; i++) in[i] = pattern * (i + 1);
    test_with_registers(in, out, call, NULL);
    return !memcmp(in, out, KEPT * sizeof *in);
}

static void registers_of_a(void *unused) {
    (void)unused;
    for (unsigned i = 1; i <= 50; i++) turns += keeps(0x0101010101010101u * i, a_to_b);
    rfi_fiber_exit(&a, &home);
}

static void registers_of_b(void *unused) {
    (void)unused;
    for (unsigned i = 1;; i++) turns += keeps(0x0203050700110013u * i, b_to_a);
}

static void test_registers(void) {
    turns = 0;
    rfi_fiber_make(&a, 0, registers_of_a, NULL);
    rfi_fiber_make(&b, 0, registers_of_b, NULL);
    rfi_fiber_jump(&home, &a);
    shows(turns == 99, "registers_survive_a_jump");
    rfi_fiber_drop(&b);
    rfi_fiber_epoch();
}

/* The default mode rounds 1/10 up, in both widths. */
static double tenth(void) {
    volatile double x = 1, y = 10;
    return x / y;
}

static long double tenth_long(void) {
    volatile long double x = 1, y = 10;
    return x / y;
}

static const double nearest = 1.0 / 10;
static const long double nearest_long = 1.0L / 10;

static bool truncates(void) { return tenth() < nearest && (!X87 || tenth_long() < nearest_long); }

static bool rounds(void) { return !(tenth() < nearest) && !(tenth_long() < nearest_long); }

static void begin_truncating(void) {
    rfi_fenv e = rfi_fenv_get();
    e.word[0] |= CONTROL;
    e.word[1] |= X87;
    rfi_fenv_set(e);
}

static void inherits_truncation(void *self) {
    turns += truncates();
    rfi_fiber_exit(self, &a);
}

static void truncates_on_its_own(void *self) {
    turns += rounds();
    begin_truncating();
    turns += truncates();
    jump_home(self);
    turns += truncates();
    rfi_fiber_make(&b, 0, inherits_truncation, &b);
    rfi_fiber_jump(self, &b);
    rfi_fiber_exit(self, &home);
}

static void test_floating_point(void) {
    turns = 0;
    run_a(truncates_on_its_own, &a);
    bool kept = rounds();
    rfi_fiber_jump(&home, &a);
    shows(kept && rounds() && turns == 4, "the_floating_point_environment_is_kept_and_inherited");
    rfi_fiber_epoch();
    turns = 0;
    run_a(truncates_on_its_own, &a); /* on a stack, and a real thread, that truncated before */
    rfi_fiber_jump(&home, &a);
    shows(turns == 4, "the_floating_point_environment_of_a_pooled_fiber_is_new");
    rfi_fiber_epoch();
}
#endif

static void formats(void *text) {
    snprintf(text, 32, "%.3f %Lf", 1.5, 2.5L); /* crashes on a stack that is not aligned */
    rfi_fiber_exit(&a, &home);
}

static void test_alignment(void) {
    char text[32] = "";
    run_a(formats, text);
    shows(!strcmp(text, "1.500 2.500000"), "library_calls_find_the_stack_aligned");
    rfi_fiber_epoch();
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *c, void *count) {
    (void)c;
    return ++*(unsigned *)count < 1000 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

static void walks(void *self) {
    unsigned frames = 0;
    _Unwind_Backtrace(count_frame, &frames);
    turns = frames;
    rfi_fiber_exit(self, &home);
}

static void test_backtrace(void) {
    turns = 0;
    run_a(walks, &a);
    shows(turns >= 1 && turns < 20, "a_backtrace_ends_where_the_fiber_begins");
    rfi_fiber_epoch();
}

/* ---- stacks ---- */

static void test_reuse(void) {
    bool fresh = true;
    char *first = NULL;
    for (unsigned i = 0; i < RFI_STACK_FRESH; i++) {
        fresh &= !rfi_fiber_make(&a, 0, exits, &a) && a.stack_low != first;
        if (!first) first = a.stack_low;
        rfi_fiber_jump(&home, &a);
    }
    shows(fresh, "ended_stacks_rest_while_256_others_are_used");
    shows(rfi_fiber_make(&a, 0, exits, &a) && a.stack_low == first,
          "the_one_that_ended_longest_ago_is_used_again_and_said_so");
    rfi_fiber_jump(&home, &a);
    rfi_fiber_epoch();
    bool again = rfi_fiber_make(&a, 0, exits, &a);
    first = a.stack_low;
    rfi_fiber_jump(&home, &a);
    rfi_fiber_epoch();
    shows(!again && !rfi_fiber_make(&a, 0, exits, &a) && a.stack_low == first,
          "the_next_execution_finds_it_fresh");
    rfi_fiber_drop(&a);
    rfi_fiber_epoch();
}

static void fills(void *bytes) {
    size_t n = *(size_t *)bytes;
    volatile char *p = __builtin_alloca(n);
    for (size_t i = 0; i < n; i += 1024) p[i] = 1;
    rfi_fiber_exit(&a, &home);
}

static void test_sizes(void) {
    size_t bytes = (size_t)3 << 20;
    rfi_fiber_make(&a, (size_t)4 << 20, fills, &bytes);
    size_t size = (size_t)(a.stack_high - a.stack_low);
    rfi_fiber_jump(&home, &a);
    shows(size > bytes && size <= (size_t)8 << 20, "the_size_asked_for_is_honoured");
    bool reused = rfi_fiber_make(&b, SIZE_MAX / 2, exits, &b);
    shows(!reused && !b.stack_low && !b.stack, "a_stack_that_cannot_be_is_refused");
    rfi_fiber_epoch();
}

static void counts(void *self) {
    turns++;
    rfi_fiber_exit(self, &home);
}

enum { DROPPED = 100 };

static void drop_all(void) {
    for (unsigned i = 0; i < DROPPED; i++) rfi_fiber_drop(&many[i]);
    rfi_fiber_epoch();
}

static void test_drop(void) {
    for (unsigned i = 0; i < DROPPED; i++) {
        rfi_fiber_make(&many[i], 0, comes_home_first, &many[i]);
        if (i % 2) rfi_fiber_jump(&home, &many[i]);
    }
    drop_all();
    turns = 0;
    for (unsigned i = 0; i < DROPPED; i++) rfi_fiber_make(&many[i], 0, counts, &many[i]);
    drop_all();
    shows(turns == 0, "a_fiber_dropped_before_its_first_turn_never_runs");
    bool good = true;
    for (unsigned i = 0; i < DROPPED; i++) good &= !rfi_fiber_make(&many[i], 0, counts, &many[i]);
    for (unsigned i = 0; i < DROPPED; i++) rfi_fiber_jump(&home, &many[i]);
    rfi_fiber_epoch();
    shows(good && turns == DROPPED, "dropped_fibers_leave_their_stacks_to_others");
}

/* ---- crashes and processes ---- */

static bool at_guard;

static void on_overflow(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    at_guard = rfi_fiber_overflowed(&a, info->si_addr, 0) &&
               !rfi_fiber_overflowed(&b, info->si_addr, 0) &&
               !rfi_fiber_overflowed(&home, info->si_addr, 0);
    rfi_fiber_jump(&a, &home);
    _exit(9); /* nobody comes back to a dropped fiber */
}

/* So does a frame that begins behind the guard, and nothing that has a stack elsewhere. */
static void a_large_frame_overflows(void) {
    rfi_fiber_make(&a, 0, exits, &a);
    uintptr_t low = (uintptr_t)a.stack_low, frame = low - (1 << 20);
    bool in = rfi_fiber_overflowed(&a, (void *)(frame + 100), frame) &&
              rfi_fiber_overflowed(&a, (void *)(frame - 8), frame);
    bool out = rfi_fiber_overflowed(&a, (void *)(frame + 100), low + 100) ||
               rfi_fiber_overflowed(&a, (void *)(low + 100), frame) ||
               rfi_fiber_overflowed(&a, (void *)(frame - 4096), frame) ||
               rfi_fiber_overflowed(&a, (void *)(frame + 100), 0);
    rfi_fiber_drop(&a);
    shows(in && !out, "a_large_frame_overflows");
}

static int (*volatile deeper)(int);

static int recurses(int depth) {
    volatile char frame[512];
    frame[0] = (char)depth;
    return deeper(depth + 1) + frame[0];
}

static void overflows(void *unused) {
    (void)unused;
    _exit(recurses(0));
}

/* Runs `body` in a child process; true if it returned true. */
static bool in_child(bool (*body)(void)) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) _exit(body() ? 0 : 1);
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static rfi_backend_kind kind;

static bool survives_overflows(void) {
    rfi_fiber_start(kind, &home);
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_sigaction = on_overflow;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    deeper = recurses;
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (unsigned i = 0; i < 3; i++) {
        at_guard = false;
        rfi_fiber_make(&b, 0, exits, &b);
        rfi_fiber_make(&a, 0, overflows, NULL);
        rfi_fiber_jump(&home, &a);
        sigprocmask(SIG_SETMASK, &mask, NULL); /* we come out of a handler */
        if (!at_guard) return false;
        rfi_fiber_drop(&a);
        rfi_fiber_drop(&b);
        rfi_fiber_epoch();
    }
    return true;
}

static bool starts_in_child(void) {
    rfi_fiber_start(kind, &home);
    return alternates() && alternates();
}

static bool starts_in_grandchild(void) { return starts_in_child() && in_child(starts_in_child); }

static void test_processes(void) {
    shows(in_child(survives_overflows), "an_overflow_hits_the_guard_and_can_be_survived");
    shows(in_child(starts_in_grandchild), "a_forked_process_starts_again");
    shows(alternates(), "the_parent_goes_on_after_a_fork");
}

static void test_backend(rfi_backend_kind k, const char *name) {
    kind = k;
    backend = name;
    rfi_fiber_start(kind, &home);
    shows(alternates(), "two_fibers_alternate_exactly");
    test_many();
    test_errno();
#if defined __x86_64__ || defined __aarch64__
    test_registers();
    if (!under_valgrind()) test_floating_point();
#endif
    test_alignment();
    test_backtrace();
    test_reuse();
    test_sizes();
    test_drop();
    a_large_frame_overflows();
    test_processes();
}

int main(void) {
    test_backend(RFI_BACKEND_FIBER, "fibers");
    test_backend(RFI_BACKEND_THREADS, "threads");
    test_backend(RFI_BACKEND_FIBER, "fibers_again");
    test_backend(RFI_BACKEND_THREADS, "threads_again");
    return check_end();
}

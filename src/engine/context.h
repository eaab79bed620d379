/* engine/context.h: the machine's part of a logical thread, and the switch between two of them.
 *
 * x86-64 and aarch64 have a switch written by hand, after their procedure call standards (System V
 * ABI, AMD64 supplement, 3.2.1; AAPCS64, 6.1): what a called function must preserve is pushed, the
 * stack pointer exchanged, and popped again.  It is a function in assembly and not an asm
 * statement, so that all other registers, those of future extensions too, are dead across it by the
 * standard.  It ends in an indirect jump: `ret` would be predicted from the other thread's calls.
 *
 * The floating-point environment has thread storage duration and begins as that of the creating
 * thread (C11 7.6p1): control and status words are saved at each switch and loaded only if they
 * differ, because loading MXCSR costs ten times the rest.  The x87 status word is not kept.
 *
 * Control flow protection: indirect branch tracking and BTI are satisfied.  A hardware shadow stack
 * would need one for each fiber; a process that runs under one is told so (rfi_context_check).
 *
 * Elsewhere, or with RFI_PORTABLE_SWITCH (for tests): ucontext makes a stack, _setjmp and _longjmp
 * switch, five times slower.
 */
#ifndef RFI_ENGINE_CONTEXT_H
#define RFI_ENGINE_CONTEXT_H
#include "engine/local.h"

#ifdef RFI_IMPL
# if !defined __ELF__ || defined __ILP32__
#  define RFI_SWITCH_PORTABLE 1
# elif defined RFI_PORTABLE_SWITCH || !(defined __x86_64__ || defined __aarch64__)
#  define RFI_SWITCH_PORTABLE 1
# endif
# ifdef RFI_SWITCH_PORTABLE
#  include <ucontext.h>
# endif
# ifdef RFI_TSAN
#  include <sanitizer/tsan_interface.h>
#  define RFI_TSAN_FIBERS 1
# endif

/* One logical thread as the back ends see it.  All zero is a valid initial state. */
typedef struct rfi_fiber {
    void *sp;                /* while suspended: where its registers are saved */
    int error;               /* while suspended: its errno */
    struct rfi_osthread *os; /* threads back end: the real thread that runs it */
    void *thread_pointer;    /* while it runs (local.h); NULL: nobody has storage of his own */
    rfi_stack *stack;        /* NULL: home, which runs on the stack of its real thread */
    char *stack_low, *stack_high;
    void (*entry)(void *);
    void *arg;
# ifdef RFI_SWITCH_PORTABLE
    ucontext_t *fresh; /* not yet run: starts here, and not at `registers` */
    jmp_buf registers;
# endif
# ifdef RFI_ASAN
    void *fake_stack;
# endif
# ifdef RFI_TSAN_FIBERS
    void *tsan;
# endif
} rfi_fiber;

/* The fiber that stands for the calling real thread. */
RFI_VAR rfi_fiber *rfi_fiber_home;

/* ---- what the sanitizers are told ---- */

/* `from` is about to jump to `to`, for good if `last`.  In the caller's frame: ThreadSanitizer
 * would take a return from here for one of a function of `to`. */
__attribute__((always_inline)) RFI_INLINE void rfi_tools_leave(rfi_fiber *from, const rfi_fiber *to,
                                                               bool last) {
    (void)from, (void)to, (void)last;
# ifdef RFI_ASAN
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack_low,
                                   (size_t)(to->stack_high - to->stack_low));
# endif
# ifdef RFI_TSAN_FIBERS
    __tsan_switch_to_fiber(to->tsan, 0);
    if (last) __tsan_destroy_fiber(from->tsan);
# endif
}

/* `self` runs, for the first time or again. */
RFI_INLINE void rfi_tools_arrive(rfi_fiber *self) {
    (void)self;
# ifdef RFI_ASAN
    const void *low;
    size_t size;
    __sanitizer_finish_switch_fiber(self->fake_stack, &low, &size);
    self->fake_stack = NULL;
    if (!rfi_fiber_home->stack_high) { /* the first arrival of all comes from home */
        memcpy(&rfi_fiber_home->stack_low, &low, sizeof low);
        rfi_fiber_home->stack_high = rfi_fiber_home->stack_low + size;
    }
# endif
}

RFI_INLINE void rfi_tools_make(rfi_fiber *f) {
    (void)f;
# ifdef RFI_TSAN_FIBERS
    f->tsan = __tsan_create_fiber(0);
# endif
}

/* `f` is suspended and will never run again.  A fake stack can only be freed by the fiber that has
 * it, so AddressSanitizer sees home go there and come back. */
RFI_INLINE void rfi_tools_drop(rfi_fiber *f) {
    (void)f;
# ifdef RFI_ASAN
    if (f->fake_stack) {
        rfi_tools_leave(rfi_fiber_home, f, false);
        rfi_tools_arrive(f);
        rfi_tools_leave(f, rfi_fiber_home, true);
        rfi_tools_arrive(rfi_fiber_home);
    }
# endif
# ifdef RFI_TSAN_FIBERS
    __tsan_destroy_fiber(f->tsan);
# endif
}

/* ---- the floating-point environment of the running thread ---- */

typedef struct rfi_fenv {
    uint32_t word[2]; /* x86-64: MXCSR, x87 control word; aarch64: FPCR, FPSR */
} rfi_fenv;

RFI_INLINE rfi_fenv rfi_fenv_get(void) {
    rfi_fenv e = {{0, 0}};
# if defined __x86_64__
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(e.word[0]), "=m"(x87));
    e.word[1] = x87;
# elif defined __aarch64__
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
    e.word[0] = (uint32_t)control;
    e.word[1] = (uint32_t)status;
# endif
    return e;
}

RFI_FN void rfi_fenv_set(rfi_fenv e) {
    (void)e;
# if defined __x86_64__
    uint16_t x87 = (uint16_t)e.word[1];
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(e.word[0]), "m"(x87));
# elif defined __aarch64__
    uint64_t control = e.word[0], status = e.word[1];
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control), "r"(status));
# endif
}

/* ---- the switch ---- */

/* rfi_context_make: the first switch to `f` calls body(f) on its stack; body never returns.
 * rfi_context_switch: suspends `from`, the running fiber, and runs `to`. */

# ifdef RFI_SWITCH_PORTABLE

/* The linker's _longjmp: under _FORTIFY_SOURCE the header's refuses to go to another stack. */
/* clang-format off */
#  define RFI_SYMBOL_(prefix, name) #prefix name
#  define RFI_SYMBOL(prefix, name) RFI_SYMBOL_(prefix, name)
/* clang-format on */
RFI_NORETURN void rfi_longjmp(jmp_buf, int) __asm__(RFI_SYMBOL(__USER_LABEL_PREFIX__, "_longjmp"));

RFI_VAR rfi_fiber *rfi_context_starting; /* makecontext passes no pointers */
RFI_VAR void (*rfi_context_main)(rfi_fiber *);

RFI_FN void rfi_context_begin(void) { rfi_context_main(rfi_context_starting); }

RFI_FN void rfi_context_make(rfi_fiber *f, void (*body)(rfi_fiber *)) {
    /* On the new stack, which needs it until it runs; the switch below is faster without it. */
    size_t size = (sizeof *f->fresh + 63) & ~(size_t)63;
    f->fresh = (ucontext_t *)(void *)((char *)f->stack - size);
    if (getcontext(f->fresh)) rfi_die("getcontext: %s", strerror(errno));
    f->fresh->uc_stack.ss_sp = f->stack_low;
    f->fresh->uc_stack.ss_size = (size_t)((char *)f->fresh - f->stack_low);
    f->fresh->uc_link = NULL;
    makecontext(f->fresh, rfi_context_begin, 0);
    rfi_context_main = body;
}

/* Not inline: a caller's locals would have to survive _setjmp. */
RFI_FN __attribute__((noinline)) void rfi_context_switch(rfi_fiber *from, rfi_fiber *to,
                                                         bool last) {
    rfi_fenv e = rfi_fenv_get();
    if (!_setjmp(from->registers)) {
        rfi_tools_leave(from, to, last);
        if (!to->fresh) rfi_longjmp(to->registers, 1);
        rfi_context_starting = to;
        ucontext_t *start = to->fresh;
        to->fresh = NULL;
        setcontext(start);
        rfi_die("setcontext: %s", strerror(errno));
    }
    rfi_fenv_set(e);
    rfi_tools_arrive(from);
}

# else

/* Saves the registers of the running thread on its stack and the stack pointer at *save, then goes
 * on where the registers at `load` were saved.  Global for the linker (a unit may be split by
 * link-time optimisation), hidden from everybody else. */
__attribute__((visibility("hidden"))) void rfi_context_swap(void **save, void *load);
/* Where a new fiber begins: calls the function in one saved register with another as argument. */
__attribute__((visibility("hidden"))) void rfi_context_begin(void);

/* clang-format off */
#  define RFI_ASM_FUNCTION(name) \
    ".pushsection .text\n" \
    ".p2align 4\n" \
    ".globl " #name "\n" \
    ".hidden " #name "\n" \
    ".type " #name ", %function\n" \
    #name ":\n" \
    ".cfi_startproc\n"
#  define RFI_ASM_END(name) \
    ".cfi_endproc\n" \
    ".size " #name ", . - " #name "\n" \
    ".popsection\n"

#  if defined __x86_64__

/* `notrack`: the target is where the other fiber called, which no endbr64 marks. */
#   if defined __CET__ && __CET__ & 1
#    define RFI_ASM_JUMP "notrack jmp *%rdx\n"
#    define RFI_ASM_LAND "endbr64\n"
#   else
#    define RFI_ASM_JUMP "jmp *%rdx\n"
#    define RFI_ASM_LAND
#   endif
#   define RFI_ASM_PUSH(r) "pushq %" #r "\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %" #r ", 0\n"
#   define RFI_ASM_POP(r)  "popq %" #r "\n.cfi_adjust_cfa_offset -8\n.cfi_restore %" #r "\n"

/* MXCSR and the x87 control word lie below the stack pointer, in the red zone. */
__asm__(
    RFI_ASM_FUNCTION(rfi_context_swap) RFI_ASM_LAND
    RFI_ASM_PUSH(rbp) RFI_ASM_PUSH(rbx) RFI_ASM_PUSH(r12)
    RFI_ASM_PUSH(r13) RFI_ASM_PUSH(r14) RFI_ASM_PUSH(r15)
    "stmxcsr -8(%rsp)\n"
    "fnstcw -4(%rsp)\n"
    "movl -8(%rsi), %eax\n"
    "movzwl -4(%rsi), %ecx\n"
    "cmpl %eax, -8(%rsp)\n"
    "jne 3f\n"
    "1: cmpw %cx, -4(%rsp)\n"
    "jne 4f\n"
    "2: movq %rsp, (%rdi)\n"
    "movq %rsi, %rsp\n"
    ".cfi_remember_state\n"
    RFI_ASM_POP(r15) RFI_ASM_POP(r14) RFI_ASM_POP(r13)
    RFI_ASM_POP(r12) RFI_ASM_POP(rbx) RFI_ASM_POP(rbp)
    "popq %rdx\n"
    ".cfi_adjust_cfa_offset -8\n"
    ".cfi_register %rip, %rdx\n"
    RFI_ASM_JUMP
    ".cfi_restore_state\n"
    "3: ldmxcsr -8(%rsi)\n"
    "jmp 1b\n"
    "4: fldcw -4(%rsi)\n"
    "jmp 2b\n"
    RFI_ASM_END(rfi_context_swap)

    RFI_ASM_FUNCTION(rfi_context_begin) RFI_ASM_LAND
    ".cfi_undefined %rip\n" /* a debugger's backtrace ends here */
    "movq %rbx, %rdi\n"
    "callq *%rbp\n"
    "ud2\n"
    RFI_ASM_END(rfi_context_begin));
/* clang-format on */

RFI_FN void rfi_context_make(rfi_fiber *f, void (*body)(rfi_fiber *)) {
    uintptr_t *frame = (uintptr_t *)((uintptr_t)f->stack_high & ~(uintptr_t)15) - 2;
    rfi_fenv e = rfi_fenv_get();
    frame[0] = 0; /* the return address of rfi_context_begin, for those who walk without its CFI */
    frame[-1] = (uintptr_t)rfi_context_begin;
    frame[-2] = (uintptr_t)body; /* rbp */
    frame[-3] = (uintptr_t)f;    /* rbx */
    f->sp = frame - 7;           /* below: r12 to r15, whose values do not matter */
    memcpy((char *)f->sp - 8, &e, sizeof e);
}

/* A suspended fiber gets the floating-point environment of the running one. */
RFI_INLINE void rfi_context_renew(rfi_fiber *f) {
    rfi_fenv e = rfi_fenv_get();
    memcpy((char *)f->sp - 8, &e, sizeof e);
}

#  else /* aarch64 */

/* clang-format off */
/* Under BTI `br` may only go to a landing pad, `ret` anywhere. */
#   ifdef __ARM_FEATURE_BTI_DEFAULT
#    define RFI_ASM_JUMP "ret x30\n"
#   else
#    define RFI_ASM_JUMP "br x30\n"
#   endif
#   define RFI_ASM_LAND "hint #34\n" /* bti c */
#   define RFI_ASM_PAIR(op, a, b, at) op " " #a ", " #b ", [sp, #" #at "]\n"
#   define RFI_ASM_REGISTERS(op) \
    RFI_ASM_PAIR(op, x19, x20, 16) RFI_ASM_PAIR(op, x21, x22, 32) RFI_ASM_PAIR(op, x23, x24, 48) \
    RFI_ASM_PAIR(op, x25, x26, 64) RFI_ASM_PAIR(op, x27, x28, 80) RFI_ASM_PAIR(op, d8, d9, 96) \
    RFI_ASM_PAIR(op, d10, d11, 112) RFI_ASM_PAIR(op, d12, d13, 128) RFI_ASM_PAIR(op, d14, d15, 144)

__asm__(
    RFI_ASM_FUNCTION(rfi_context_swap) RFI_ASM_LAND
    "stp x29, x30, [sp, #-176]!\n"
    ".cfi_def_cfa_offset 176\n"
    ".cfi_offset x29, -176\n"
    ".cfi_offset x30, -168\n"
    RFI_ASM_REGISTERS("stp")
    "mrs x9, fpcr\n"
    "mrs x10, fpsr\n"
    "stp w9, w10, [sp, #160]\n"
    "ldp w11, w12, [x1, #160]\n"
    "cmp w9, w11\n"
    "ccmp w10, w12, #0, eq\n"
    "b.ne 2f\n"
    "1: mov x9, sp\n"
    "str x9, [x0]\n"
    "mov sp, x1\n"
    RFI_ASM_REGISTERS("ldp")
    ".cfi_remember_state\n"
    "ldp x29, x30, [sp], #176\n"
    ".cfi_def_cfa_offset 0\n"
    ".cfi_restore x29\n"
    ".cfi_restore x30\n"
    RFI_ASM_JUMP
    ".cfi_restore_state\n"
    "2: msr fpcr, x11\n"
    "msr fpsr, x12\n"
    "b 1b\n"
    RFI_ASM_END(rfi_context_swap)

    RFI_ASM_FUNCTION(rfi_context_begin) RFI_ASM_LAND
    ".cfi_undefined x30\n" /* a debugger's backtrace ends here */
    "mov x0, x19\n"
    "blr x20\n"
    "brk #1\n"
    RFI_ASM_END(rfi_context_begin));
/* clang-format on */

RFI_FN void rfi_context_make(rfi_fiber *f, void (*body)(rfi_fiber *)) {
    uintptr_t *frame = (uintptr_t *)((uintptr_t)f->stack_high & ~(uintptr_t)15) - 22;
    rfi_fenv e = rfi_fenv_get();
    frame[0] = 0; /* x29: no frame above this one */
    frame[1] = (uintptr_t)rfi_context_begin;
    frame[2] = (uintptr_t)f;    /* x19 */
    frame[3] = (uintptr_t)body; /* x20 */
    memcpy(&frame[20], &e, sizeof e);
    f->sp = frame;
}

/* A suspended fiber gets the floating-point environment of the running one. */
RFI_INLINE void rfi_context_renew(rfi_fiber *f) {
    rfi_fenv e = rfi_fenv_get();
    memcpy((char *)f->sp + 160, &e, sizeof e);
}
#  endif

RFI_INLINE void rfi_context_switch(rfi_fiber *from, rfi_fiber *to, bool last) {
    rfi_tools_leave(from, to, last);
#  ifdef RFI_LOCAL
    if (from->thread_pointer != to->thread_pointer) rfi_thread_pointer_set(to->thread_pointer);
#  endif
    rfi_context_swap(&from->sp, to->sp);
    rfi_tools_arrive(from);
}
# endif /* RFI_SWITCH_PORTABLE */

/* Refuses to run where a switch would be taken for an attack. */
RFI_FN void rfi_context_check(void) {
# if defined __x86_64__ && defined __CET__ && __CET__ & 2
    uint64_t shadow = 0;
    __asm__ volatile("rdsspq %0" : "+r"(shadow)); /* no effect without a shadow stack */
    if (shadow)
        rfi_die("fibers cannot run under a hardware shadow stack: use the threads back end, "
                "or set GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
# endif
}
#endif
#endif

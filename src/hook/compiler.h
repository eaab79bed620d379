/* hook/compiler.h: RF_HOOK_COMPILER, the accesses that the compiler announces (docs/unedited.md).
 *
 *     cc -g -fsanitize=thread -include racefuzz.h -DRF_HOOK_ALL -DRF_HOOK_COMPILER \
 *        -DRF_PROGRAM -c prog.c
 *     cc -DRF_IMPLEMENTATION -DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM -x c -c racefuzz.h
 *     cc -pthread prog.o racefuzz.o -o prog                 without -fsanitize=thread
 *
 * The instrumentation of ThreadSanitizer calls a function before each access to memory that could
 * be shared, and at both ends of each function.  Here these are ours, as gcc and clang call them.
 * They do not access the memory themselves: the program does, right after the call.  All are weak,
 * so that a program which was linked with the compiler's own runtime can say so.
 * Optimised: fully, each access runs it.
 */
#ifndef RFI_HOOK_COMPILER_H
#define RFI_HOOK_COMPILER_H
#include "detect/fasttrack.h"
#include "engine/trace.h"
#include "hook/compiler_atomic.h"

/* Code under test: clang before 15 announces no copy of a struct, and no compiler announces calls
 * of these; what calls them calls ours. */
#if defined RF_HOOK_COMPILER && defined __ELF__ && !defined RFI_IMPL && !defined RF_OFF
__asm__(".set memcpy, __tsan_memcpy");
__asm__(".set memmove, __tsan_memmove");
__asm__(".set memset, __tsan_memset");

/* Functions that read beyond the end of what they are given, on purpose, say so by this attribute:
 * their accesses are not announced. */
# if defined RFI_TSAN && !defined RFI_ASAN
#  define no_sanitize_address     no_sanitize_thread
#  define __no_sanitize_address__ __no_sanitize_thread__
# endif
#endif

#ifdef RFI_COMPILER
/* ---- the start ---- */

/* Only the compiler's runtime has it. */
extern void __tsan_flush_memory(void) __attribute__((weak));

/* gcc's --coverage and -fprofile-generate: they count by accesses that are announced, and come in
 * the middle of atomic operations, too. */
extern void __gcov_init(void *) __attribute__((weak));

/* Without the C library, whose functions that runtime replaces: it may not be ready. */
RFI_FN RFI_COLD void rfi_compiler_refuse(const char *why) {
# ifdef __linux__
    RFI_REAL(syscall)(SYS_write, 2, why, strlen(why));
    RFI_REAL(syscall)(SYS_exit_group, 2);
# endif
    rfi_die("%s", why + sizeof "racefuzz:");
}

RFI_FN void rfi_compiler_check(void) {
    if (__tsan_flush_memory)
        rfi_compiler_refuse("racefuzz: this program is linked with the compiler's own "
                            "ThreadSanitizer: link without -fsanitize=thread\n");
    if (__gcov_init && rfi_code_announces)
        rfi_compiler_refuse(
            "racefuzz: the counters of gcc (--coverage, -fprofile-generate) are data "
            "that all threads write: compile without them\n");
}

/* Addresses mean something once it is known where the program was loaded; before workers part. */
RFI_FN __attribute__((constructor)) void rfi_compiler_open(void) {
    rfi_compiler_check();
    rfi_code_open();
}

/* Called at the start by each unit that was compiled with the instrumentation. */
RFI_CALLED void __tsan_init(void) {
    rfi_code_announces = true;
    rfi_compiler_check();
}

/* ---- plain accesses ---- */

/* Accesses that annotations take out (hook/annotate.h); NULL: there are none. */
RFI_VAR bool (*rfi_compiler_skips)(const volatile void *p, bool writes);

/* A thread uses a variable of another one's function. */
RFI_FN void rfi_frame_seen(const volatile void *p) {
    char *at = (char *)(uintptr_t)p;
    if (!rfi.current || rfi_trace_on_stack(at, rfi.current->id)) return;
    uint32_t owner = rfi_trace_owner(at, rfi.current->id);
    if (owner != RFI_NO_THREAD) rfi_frame_lend(&rfi.thread[owner]->seen, rfi.thread[owner], at);
}

RFI_FN RFI_APART void rfi_compiler_armed(const void *pc, const volatile void *p, size_t n,
                                         rf_site_kind kind, bool one) {
    rfi_caller_at(__func__, pc);
    if (RFI_UNLIKELY(rfi_compiler_skips != NULL) && rfi_compiler_skips(p, kind == RF_SITE_WRITE))
        return;
    if (RFI_UNLIKELY(rfi.current && rfi.current->under) && p == &errno) return; /* signals.h */
    if (RFI_UNLIKELY((uintptr_t)p - RFI_STACK_ADDRESS < rfi_stacks_end - RFI_STACK_ADDRESS))
        rfi_frame_seen(p);
    const rf_site *s = rfi_code_at(pc, kind);
    if (n - 1 < sizeof(uint64_t) && rfi_access_lane(s, p, n, kind == RF_SITE_WRITE)) return;
    rfi_range_event(s, p, n, one || kind == RF_SITE_WRITE ? RF_EV_IN_PLACE : 0);
}

/* An access of which fasttrack, where it is the one that looks, learns nothing: no statement need
 * be found for that. */
RFI_INLINE bool rfi_compiler_known(const volatile void *p, size_t n, bool writes) {
    const void *at = (const void *)(uintptr_t)p;
    return n - 1 < sizeof(uint64_t) && rfi.lane == rfi_fasttrack_lane && !rfi.points &&
           (!rfi.run.checks ||
            (!(rfi.run.checks & RFI_CHECK_CLAIMED) && !rfi_heap_suspect(at, n))) &&
           rfi_fasttrack_known(rfi.current->id, at, n, writes);
}

/* RFI_ARMED, of a place that is known by its address.  `one`: a value, and not what a struct or an
 * array holds; reads of those may be followed by another announcement before they are made. */
RFI_INLINE void rfi_compiler_access(const void *pc, const volatile void *p, size_t n,
                                    rf_site_kind kind, bool one) {
    pc = rfi_code_from(pc);
    if (RFI_LIKELY(--rfi_hot.fuel >= 0)) {
        if (rfi_compiler_known(p, n, kind == RF_SITE_WRITE)) return;
        if (RFI_LIKELY(!rfi_hot.arm[rfi_code_slot(rfi_code_distance(pc), kind)])) return;
        rfi_hot.fuel++;
    }
    rfi_compiler_armed(pc, p, n, kind, one);
}

RFI_INLINE void rfi_compiler_plain(const void *pc, const volatile void *p, size_t n,
                                   rf_site_kind kind) {
    rfi_compiler_access(pc, p, n, kind, false);
}

# define RFI_PC() __builtin_return_address(0)

/* Code from before C11 has volatile accesses where it means relaxed atomics, and handlers of
 * signals share such objects with the thread that they interrupt.  What is read through a pointer
 * comes after the load of the pointer. */
RFI_INLINE void rfi_compiler_volatile(const void *pc, volatile void *p, size_t n, bool writes) {
    bool depends = !writes && n == sizeof(void *);
    rfi_atomic_in_place(rfi_code_at(rfi_code_from(pc), RF_SITE_OTHER), p, n, writes,
                        depends ? __ATOMIC_CONSUME : __ATOMIC_RELAXED);
}

# if defined RF_HOOK_VOLATILE
#  define RFI_VOLATILES true
# else
#  define RFI_VOLATILES (rfi.run.handles && rfi.current)
# endif

# define RFI_VOLATILE(name, n, kind)                                        \
  RFI_CALLED void __tsan_volatile_##name(void *p) {                         \
   if (n <= sizeof(uint64_t) && (uintptr_t)p % n == 0 && RFI_VOLATILES)     \
    rfi_compiler_volatile(RFI_PC(), p, n, RF_SITE_##kind == RF_SITE_WRITE); \
   else                                                                     \
    rfi_compiler_access(RFI_PC(), p, n, RF_SITE_##kind, true);              \
  }

# define RFI_PLAIN(name, n, kind)                             \
  RFI_CALLED void __tsan_##name(void *p) {                    \
   rfi_compiler_access(RFI_PC(), p, n, RF_SITE_##kind, true); \
  }
/* What reads and then writes was read before the call: as a write it has its turn in between. */
# define RFI_PLAIN_SIZED(n)                      \
  RFI_PLAIN(read##n, n, READ)                    \
  RFI_PLAIN(write##n, n, WRITE)                  \
  RFI_PLAIN(read_write##n, n, WRITE)             \
  RFI_VOLATILE(read##n, n, READ)                 \
  RFI_VOLATILE(write##n, n, WRITE)               \
  RFI_PLAIN(unaligned_read##n, n, READ)          \
  RFI_PLAIN(unaligned_write##n, n, WRITE)        \
  RFI_PLAIN(unaligned_read_write##n, n, WRITE)   \
  RFI_PLAIN(unaligned_volatile_read##n, n, READ) \
  RFI_PLAIN(unaligned_volatile_write##n, n, WRITE)

/* clang-format off */
RFI_PLAIN_SIZED(1)
RFI_PLAIN_SIZED(2)
RFI_PLAIN_SIZED(4)
RFI_PLAIN_SIZED(8)
RFI_PLAIN_SIZED(16)
/* clang-format on */

RFI_CALLED void __tsan_read_range(void *p, size_t n) {
    rfi_compiler_plain(RFI_PC(), p, n, RF_SITE_READ);
}

RFI_CALLED void __tsan_write_range(void *p, size_t n) {
    rfi_compiler_plain(RFI_PC(), p, n, RF_SITE_WRITE);
}

/* The same of whoever says where: runtimes of other languages. */
# define RFI_PLAIN_AT(name, kind, n)                         \
  RFI_CALLED void __tsan_##name##n##_pc(void *p, void *pc) { \
   rfi_compiler_access(pc, p, n, RF_SITE_##kind, true);      \
  }
# define RFI_PLAIN_AT_SIZED(n) \
  RFI_PLAIN_AT(read, READ, n)  \
  RFI_PLAIN_AT(write, WRITE, n)

/* clang-format off */
RFI_PLAIN_AT_SIZED(1)
RFI_PLAIN_AT_SIZED(2)
RFI_PLAIN_AT_SIZED(4)
RFI_PLAIN_AT_SIZED(8)
RFI_PLAIN_AT_SIZED(16)
/* clang-format on */

RFI_CALLED void __tsan_read_range_pc(void *p, size_t n, void *pc) {
    rfi_compiler_plain(pc, p, n, RF_SITE_READ);
}

RFI_CALLED void __tsan_write_range_pc(void *p, size_t n, void *pc) {
    rfi_compiler_plain(pc, p, n, RF_SITE_WRITE);
}

/* The table of an object's virtual functions; most constructors write what is there already. */
RFI_CALLED void __tsan_vptr_read(void **p) {
    rfi_compiler_plain(RFI_PC(), p, sizeof *p, RF_SITE_READ);
}

RFI_CALLED void __tsan_vptr_update(void **p, void *value) {
    if (*p != value) rfi_compiler_plain(RFI_PC(), p, sizeof *p, RF_SITE_WRITE);
}

RFI_CALLED void *__tsan_memcpy(void *to, const void *from, size_t n) {
    rfi_compiler_plain(RFI_PC(), from, n, RF_SITE_READ);
    rfi_compiler_plain(RFI_PC(), to, n, RF_SITE_WRITE);
    return memcpy(to, from, n);
}

RFI_CALLED void *__tsan_memmove(void *to, const void *from, size_t n) {
    rfi_compiler_plain(RFI_PC(), from, n, RF_SITE_READ);
    rfi_compiler_plain(RFI_PC(), to, n, RF_SITE_WRITE);
    return memmove(to, from, n);
}

RFI_CALLED void *__tsan_memset(void *p, int value, size_t n) {
    rfi_compiler_plain(RFI_PC(), p, n, RF_SITE_WRITE);
    return memset(p, value, n);
}

/* ---- functions: what RF_FUNC says of its own ---- */

/* The function is known by its first instruction; its call to us need not have a line.  Nobody asks
 * for those of the C++ library. */
RFI_FN void rfi_compiler_entered(const void *pc) {
    const rfi_symbol *in = rfi_symbol_of(pc);
    if (in && in->library) return;
    if (in) pc = (const char *)rfi_symbols.bias + in->at + 1;
    rfi_note(RF_EV_ENTER, rfi_code_at(pc, RF_SITE_OTHER), 0, 0);
    if (!in || !rfi.record->tracing || rfi.current->id >= RFI_RECORD_THREADS) return;
    const char **of = &rfi.record->thread[rfi.current->id].function; /* std::thread's is not it */
    if (*of && rfi_cxx_library(*of)) *of = in->called;
}

RFI_FN bool rfi_compiler_library(const void *pc) {
    static struct {
        const void *pc;
        bool library;
    } known[256], *k;
    k = &known[(uintptr_t)pc % RFI_LENGTH(known)];
    if (k->pc != pc) {
        const rfi_symbol *in = rfi_symbol_of(pc);
        k->pc = pc;
        k->library = !in || in->library; /* or the engine, as at a thread's start */
    }
    return k->library;
}

RFI_FN RFI_APART void rfi_compiler_function(rfi_thr *t, const void *pc, const void *caller) {
    const void *user = NULL;
    if (rfi_symbols.cxx && rfi_compiler_library(pc)) {
        user = t->functions ? t->function[t->functions - 1].user : NULL;
        if (!user && !rfi_compiler_library(caller)) user = caller;
    }
    rfi_function_enter(t, user);
}

/* ---- frames: a function that returns takes away what it has lent to other threads ---- */

/* Where the frame of the function ends that has called one of these; `own`: the caller's frame
 * pointer.  NULL: it has none, or another stack. */
RFI_INLINE char *rfi_frame_end(const rfi_thr *t, char **own) {
    char *frame = own[0], *end = frame + 2 * sizeof(char *);
    if (frame < (char *)own || frame > t->fiber.stack_high - sizeof(char *) * 2) return NULL;
# ifdef __aarch64__ /* the frame pointer is below the variables */
    memcpy(&end, frame, sizeof end);
    if (end < frame || end > t->fiber.stack_high) return NULL;
# endif
    return end;
}

/* The first function of a thread: has it a frame pointer?  Its own frame stays as long as the
 * thread does. */
RFI_FN RFI_COLD void rfi_frame_first(rfi_thr *t, char **own, const void *caller) {
    char *end = rfi_frame_end(t, own);
    t->outermost = end && ((char **)(void *)own[0])[1] == caller ? end : t->fiber.stack_low;
}

/* A write to all of it, as the free of a block.  What was only seen to be used depends on who
 * watches: that is no step, and none fails by it. */
RFI_FN RFI_COLD void rfi_frame_gone(rfi_thr *t, char *end, const void *pc) {
    char *lent = t->lent && t->lent < end ? t->lent : NULL;
    char *seen = t->seen && t->seen < end ? t->seen : NULL;
    char *low = lent && !(seen && seen < lent) ? lent : seen;
    if (!low) return;
    const rf_site *s = rfi_code_at(rfi_code_from(pc), RF_SITE_WRITE);
    rf_event gone = {.kind = RF_EV_FREE,
                     .flags = RF_EV_WRITES | RF_EV_FREES | RF_EV_RANGE,
                     .thread = t->id,
                     .site = s,
                     .addr = low,
                     .size = (size_t)(end - low)};
    if (seen) t->seen = NULL;
    bool step = lent && rfi_access_mode(t, s) & RFI_POINT;
    if (step) {
        *rfi_announce(t, RF_EV_FREE, s) = gone;
        rfi_schedule(t);
    }
    if (lent) {
        t->lent = NULL;
        t->gone = lent;
        t->gone_end = end;
        t->left = s;
        rfi_stack_ends(lent, end);
    }
    if (step)
        rfi_executed(&t->next);
    else
        rfi_emit(&gone);
}

RFI_CALLED void __tsan_func_entry(void *caller) {
    rfi_caller_at(__func__, RFI_PC());
    rfi_settle();
    if (!rfi.current) return;
    rfi_thr *t = rfi.current;
    t->gone_end = NULL; /* others are there now */
    if (RFI_UNLIKELY(!t->outermost)) rfi_frame_first(t, __builtin_frame_address(0), caller);
    if (rfi_listening(RF_EV_ENTER)) rfi_compiler_entered(RFI_PC());
    if (RFI_UNLIKELY(rfi.functions || rfi_symbols.cxx)) rfi_compiler_function(t, RFI_PC(), caller);
}

RFI_CALLED void __tsan_func_exit(void) {
    rfi_settle();
    if (!rfi.current) return;
    rfi_thr *t = rfi.current;
    if (RFI_UNLIKELY(t->lent || t->seen)) {
        char *end = rfi_frame_end(t, __builtin_frame_address(0));
        if (end && end < t->outermost) rfi_frame_gone(t, end, RFI_PC());
    }
    if (RFI_UNLIKELY(rfi.functions || rfi_symbols.cxx)) rfi_function_leave(t);
    if (rfi_listening(RF_EV_LEAVE))
        rfi_note(RF_EV_LEAVE, rfi_code_at(RFI_PC(), RF_SITE_OTHER), 0, 0);
}

/* ---- hooks: what a call of theirs reads and writes ---- */

/* Whoever looks at memory before its turn settles what is lent first. */
# define RFI_READS(p, n)  (rfi_settle(), rfi_compiler_plain(RFI_PC(), p, n, RF_SITE_READ))
# define RFI_WRITES(p, n) (rfi_settle(), rfi_compiler_plain(RFI_PC(), p, n, RF_SITE_WRITE))

/* The same, but what is on the caller's own stack, which is hardly ever anybody else's, and where
 * no unit announces the other accesses. */
RFI_FN bool rfi_compiler_shares(const void *p) {
    return rfi_code_announces && rfi.current && !rfi_trace_on_stack(p, rfi_base(rfi.current)->id);
}

# define RFI_FINDS(p, n)  (rfi_compiler_shares(p) ? RFI_READS(p, n) : (void)0)
# define RFI_LEAVES(p, n) (rfi_compiler_shares(p) ? RFI_WRITES(p, n) : (void)0)
#elif defined RFI_IMPL
# define RFI_READS(p, n)  ((void)(p), (void)(n))
# define RFI_WRITES(p, n) ((void)(p), (void)(n))
# define RFI_FINDS(p, n)  ((void)(p), (void)(n))
# define RFI_LEAVES(p, n) ((void)(p), (void)(n))
#endif

/* A result that a call leaves through a pointer; what the C library has left there, unless it
 * failed or the pointer is NULL. */
#ifdef RFI_IMPL
# define RFI_LEFT(done, p) ((done) && (p) ? RFI_LEAVES(p, sizeof *(p)) : (void)0)
# define RFI_PUT(p, value) (RFI_LEAVES(p, sizeof *(p)), (void)(*(p) = (value)))
#endif
#endif

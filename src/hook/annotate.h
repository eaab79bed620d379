/* hook/annotate.h: what code tells race detectors by functions of these names.
 *
 * Code that is compiled with -fsanitize=thread calls them, and expects the compiler's runtime to
 * have them (dynamic annotations; sanitizer/tsan_interface.h).  Order that is told counts; what is
 * to be ignored, or is called benign, is no access.  All are weak.
 */
#ifndef RFI_HOOK_ANNOTATE_H
#define RFI_HOOK_ANNOTATE_H
#include "hook/compiler.h"
#include "hook/threads.h"

#ifdef RFI_COMPILER
typedef struct rfi_benign {
    const char *low, *high;
} rfi_benign;

RFI_VAR struct {
    uint32_t generation, count, capacity;
    rfi_benign *of;
} rfi_benigns;

/* The running thread's access is none that anybody is told of. */
RFI_FN bool rfi_annotated(const volatile void *p, bool writes) {
    const char *at = (const char *)(uintptr_t)p;
    const rfi_hook_thread *t = rfi_hook_self();
    if (writes ? t->ignores_writes : t->ignores_reads) return true;
    for (uint32_t i = 0; rfi_benigns.generation == rfi.generation && i < rfi_benigns.count; i++)
        if (rfi_benigns.of[i].low <= at && at < rfi_benigns.of[i].high) return true;
    return false;
}

RFI_FN void rfi_annotate_ignore(bool writes, int by) {
    rfi_hook_thread *t = rfi_hook_self();
    uint32_t *n = writes ? &t->ignores_writes : &t->ignores_reads;
    rfi_compiler_skips = rfi_annotated;
    if (by > 0 || *n) *n += (uint32_t)by;
}

RFI_FN void rfi_annotate_benign(const volatile void *p, size_t n) {
    if (!rfi.current) return;
    if (rfi_benigns.generation != rfi.generation) rfi_benigns.count = 0;
    rfi_benigns.generation = rfi.generation;
    rfi_compiler_skips = rfi_annotated;
    rfi_benigns.of = rfi_grow(rfi_benigns.of, &rfi_benigns.capacity, rfi_benigns.count + 1,
                              sizeof *rfi_benigns.of);
    const char *low = (const char *)(uintptr_t)p;
    rfi_benigns.of[rfi_benigns.count++] = (rfi_benign){low, low + n};
}

/* Functions of others, under their symbol: name, parameters, what it does. */
# define RFI_ANNOTATION(name, parameters, does)                    \
  RFI_CALLED void rfi_annotation_##name parameters __asm__(#name); \
  RFI_CALLED void rfi_annotation_##name parameters {               \
   (void)file, (void)line;                                         \
   does;                                                           \
  }
# define RFI_ANNOTATED_AT const char *file, int line
# define RFI_ANNOTATED_ON RFI_ANNOTATED_AT, const volatile void *p
# define RFI_ANNOTATED_ORDER(o) \
  rfi_call_ordered(RFI_CALLER(), __func__ + sizeof "rfi_annotation", (const void *)(uintptr_t)p, o)

/* clang-format off */
RFI_ANNOTATION(AnnotateHappensBefore, (RFI_ANNOTATED_ON), RFI_ANNOTATED_ORDER(__ATOMIC_RELEASE))
RFI_ANNOTATION(AnnotateHappensAfter, (RFI_ANNOTATED_ON), RFI_ANNOTATED_ORDER(__ATOMIC_ACQUIRE))
RFI_ANNOTATION(AnnotateRWLockCreate, (RFI_ANNOTATED_ON), (void)p)
RFI_ANNOTATION(AnnotateRWLockCreateStatic, (RFI_ANNOTATED_ON), (void)p)
RFI_ANNOTATION(AnnotateRWLockDestroy, (RFI_ANNOTATED_ON), (void)p)
RFI_ANNOTATION(AnnotateRWLockAcquired, (RFI_ANNOTATED_ON, long writes),
               ((void)writes, RFI_ANNOTATED_ORDER(__ATOMIC_ACQUIRE)))
RFI_ANNOTATION(AnnotateRWLockReleased, (RFI_ANNOTATED_ON, long writes),
               ((void)writes, RFI_ANNOTATED_ORDER(__ATOMIC_RELEASE)))
RFI_ANNOTATION(AnnotateIgnoreReadsBegin, (RFI_ANNOTATED_AT), rfi_annotate_ignore(false, 1))
RFI_ANNOTATION(AnnotateIgnoreReadsEnd, (RFI_ANNOTATED_AT), rfi_annotate_ignore(false, -1))
RFI_ANNOTATION(AnnotateIgnoreWritesBegin, (RFI_ANNOTATED_AT), rfi_annotate_ignore(true, 1))
RFI_ANNOTATION(AnnotateIgnoreWritesEnd, (RFI_ANNOTATED_AT), rfi_annotate_ignore(true, -1))
RFI_ANNOTATION(AnnotateIgnoreSyncBegin, (RFI_ANNOTATED_AT), (void)0)
RFI_ANNOTATION(AnnotateIgnoreSyncEnd, (RFI_ANNOTATED_AT), (void)0)
RFI_ANNOTATION(AnnotateNewMemory, (RFI_ANNOTATED_ON, long n), ((void)p, (void)n))
RFI_ANNOTATION(AnnotateThreadName, (RFI_ANNOTATED_AT, const char *is), (void)is)
RFI_ANNOTATION(AnnotateBenignRace, (RFI_ANNOTATED_ON, const char *why),
               ((void)why, rfi_annotate_benign(p, 1)))
RFI_ANNOTATION(AnnotateBenignRaceSized, (RFI_ANNOTATED_ON, long n, const char *why),
               ((void)why, rfi_annotate_benign(p, (size_t)n)))
/* clang-format on */

RFI_CALLED void __tsan_acquire(void *p) {
    rfi_call_ordered(RFI_CALLER(), "__tsan_acquire", p, __ATOMIC_ACQUIRE);
}

RFI_CALLED void __tsan_release(void *p) {
    rfi_call_ordered(RFI_CALLER(), "__tsan_release", p, __ATOMIC_RELEASE);
}

/* ---- locks of the program's own ---- */

enum { RFI_TSAN_TRY_FAILED = 1 << 5 }; /* __tsan_mutex_try_lock_failed */

/* What is between the first and the second call of a pair is the lock's own matter. */
RFI_FN void rfi_annotate_inside(int by) {
    rfi_annotate_ignore(false, by);
    rfi_annotate_ignore(true, by);
}

RFI_CALLED void __tsan_mutex_create(void *p, unsigned flags) { (void)p, (void)flags; }
RFI_CALLED void __tsan_mutex_destroy(void *p, unsigned flags) { (void)p, (void)flags; }

RFI_CALLED void __tsan_mutex_pre_lock(void *p, unsigned flags) {
    (void)p, (void)flags;
    rfi_annotate_inside(1);
}

RFI_CALLED void __tsan_mutex_post_lock(void *p, unsigned flags, int depth) {
    (void)depth;
    rfi_annotate_inside(-1);
    if (!(flags & RFI_TSAN_TRY_FAILED))
        rfi_call_ordered(RFI_CALLER(), "__tsan_mutex_post_lock", p, __ATOMIC_ACQUIRE);
}

RFI_CALLED int __tsan_mutex_pre_unlock(void *p, unsigned flags) {
    (void)flags;
    rfi_call_ordered(RFI_CALLER(), "__tsan_mutex_pre_unlock", p, __ATOMIC_RELEASE);
    rfi_annotate_inside(1);
    return 1; /* as often as it was locked */
}

/* A signal, or what else is done within, as by __tsan_mutex_pre_divert, tells no order. */
# define RFI_TSAN_PART(name, by)                                 \
  RFI_CALLED void __tsan_mutex_##name(void *p, unsigned flags) { \
   (void)p, (void)flags;                                         \
   rfi_annotate_inside(by);                                      \
  }

/* clang-format off */
RFI_TSAN_PART(post_unlock, -1)
RFI_TSAN_PART(pre_signal, 1)
RFI_TSAN_PART(post_signal, -1)
RFI_TSAN_PART(pre_divert, -1)
RFI_TSAN_PART(post_divert, 1)
/* clang-format on */

/* Of Objective-C, whose objects end by these. */
RFI_CALLED void __tsan_ignore_thread_begin(void) { rfi_annotate_inside(1); }
RFI_CALLED void __tsan_ignore_thread_end(void) { rfi_annotate_inside(-1); }

/* ---- objects of a library, which say themselves what reads and writes them ---- */

RFI_CALLED void *__tsan_external_register_tag(const char *type) { return (void *)(uintptr_t)type; }

RFI_CALLED void __tsan_external_register_header(void *tag, const char *header) {
    (void)tag, (void)header;
}

RFI_CALLED void __tsan_external_assign_tag(void *p, void *tag) { (void)p, (void)tag; }

RFI_CALLED void __tsan_external_read(void *p, void *pc, void *tag) {
    (void)tag;
    rfi_compiler_plain(pc, p, 1, RF_SITE_READ);
}

RFI_CALLED void __tsan_external_write(void *p, void *pc, void *tag) {
    (void)tag;
    rfi_compiler_plain(pc, p, 1, RF_SITE_WRITE);
}

/* ---- fibers of the program's own: what they do counts as their thread's ---- */

RFI_CALLED void *__tsan_get_current_fiber(void) { return rfi_hook_self(); }
RFI_CALLED void *__tsan_create_fiber(unsigned flags) { return (void)flags, rfi_hook_self(); }
RFI_CALLED void __tsan_destroy_fiber(void *fiber) { (void)fiber; }
RFI_CALLED void __tsan_switch_to_fiber(void *fiber, unsigned flags) { (void)fiber, (void)flags; }
RFI_CALLED void __tsan_set_fiber_name(void *fiber, const char *is) { (void)fiber, (void)is; }

/* What clang's sanitizer/linux_syscall_hooks.h calls around a system call that is made without the
 * C library, for the sake of msan and tsan: nothing is to be done. */
/* clang-format off */
# define RFI_SYSCALLS(X)                                                                       \
  X(accept4) X(close) X(dup) X(dup3) X(eventfd2) X(fcntl) X(futex) X(io_submit) X(ioctl)       \
  X(mmap) X(munmap) X(open) X(openat) X(pipe2) X(poll) X(pread64) X(pwrite64) X(read) X(readv) \
  X(recvmsg) X(sendmsg) X(socket) X(write) X(writev)
# define RFI_SYSCALL(name)                                     \
  RFI_CALLED void __sanitizer_syscall_pre_impl_##name(void);   \
  RFI_CALLED void __sanitizer_syscall_pre_impl_##name(void) {} \
  RFI_CALLED void __sanitizer_syscall_post_impl_##name(void);  \
  RFI_CALLED void __sanitizer_syscall_post_impl_##name(void) {}
RFI_SYSCALLS(RFI_SYSCALL)
# undef RFI_SYSCALL
# undef RFI_SYSCALLS
/* clang-format on */
#endif
#endif

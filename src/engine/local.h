/* engine/local.h: thread-local storage of a logical thread's own.
 *
 * Fibers run on one real thread, and would share its _Thread_local objects and its errno.  So each
 * is lent the block of another real thread, which was started for that and is parked for ever: as
 * long as the fiber runs, the thread pointer is that thread's.  The C library finds there all that
 * it keeps for a thread (errno, the locale, malloc's cache, the owner of its locks), as it made it.
 *
 * Blocks lie on stacks of ours, which the C library neither frees nor gives to others.  So they
 * stay valid in the child of a fork, where their threads are no more.
 *
 * A new logical thread finds its objects with their first values.  Those of the program, and of the
 * libraries that were loaded with it, are put back to what they were in the new real thread; the C
 * library's own stay as they are, but for errno.  The first logical thread has the storage of the
 * thread that runs all fibers, put back to what it was at rfi_local_open.
 * Optimised: less, few programs use it often.
 */
#ifndef RFI_ENGINE_LOCAL_H
#define RFI_ENGINE_LOCAL_H
#include "base/arena.h"
#include "engine/foreign.h"
#include "engine/stack.h"

/* Tells the engine that there is code which is tested without an edit.  (Its own unit may have
 * RF_HOOK_THREADS only to bring these hooks.) */
#if defined RFI_HOOKS && defined __ELF__ && !defined RF_OFF && !defined __cplusplus
# if !defined RFI_IMPL || defined RF_HOOK_ALL || defined RF_HOOK_PTHREAD
#  define RFI_HOOKED 1
extern const char rfi_hooked;
__attribute__((weak)) const char rfi_hooked = 1;
# endif
#endif

#ifdef RFI_IMPL
typedef enum rfi_local_choice {
    RFI_LOCAL_PRESET,
    RFI_LOCAL_OWN,
    RFI_LOCAL_SHARED
} rfi_local_choice;

# if defined __linux__ && defined __ELF__ && !defined __ILP32__ && \
     (defined __x86_64__ || defined __aarch64__)
#  if !defined RFI_PORTABLE_SWITCH && !defined RFI_ASAN && !defined RFI_TSAN
#   define RFI_LOCAL 1
#  endif
# endif

# ifdef RFI_LOCAL
#  include <link.h>
#  ifdef __GLIBC__
#   include <malloc.h>
#  endif
#  ifdef __x86_64__
#   include <sys/auxv.h>
#  endif

/* Mapped for the block and for the stack of its thread, which does next to nothing.  The C library
 * refuses less than it needs: then it is tried again with twice as much. */
#  define RFI_LOCAL_BYTES ((size_t)256 << 10)
#  define RFI_LOCAL_MOST  ((size_t)1 << 30)
#  define RFI_LOCAL_WARM  1024u /* blocks that are made before they are needed */

/* A block and its parked thread. */
typedef struct rfi_local {
    struct rfi_local *next;
    char *pointer; /* the thread pointer */
    int *error;    /* errno */
    int *task;     /* what the C library takes for the thread's number; NULL: its own business */
    char *first;   /* first values, one part after the other */
    uint32_t ready;
    bool used; /* somebody has had it */
} rfi_local;

/* Objects of one program or library, at this distance from the thread pointer in each thread. */
typedef struct rfi_local_part {
    ptrdiff_t at;
    size_t bytes;
} rfi_local_part;

RFI_VAR struct {
    bool on;
    bool base; /* the thread pointer can be set by an instruction */
    rfi_local_part *part;
    uint32_t parts, capacity;
    ptrdiff_t low, high; /* they lie between these */
    uint32_t made;       /* blocks, in this process and before it was forked */
    rfi_local *spare;    /* that nobody has yet */
    rfi_local home;      /* of the real thread */
} rfi_locals;

/* ---- the thread pointer ---- */

RFI_INLINE char *rfi_thread_pointer(void) {
    char *p;
#  ifdef __x86_64__
    __asm__ volatile("movq %%fs:0, %0" : "=r"(p)); /* the block begins with its own address */
#  else
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(p));
#  endif
    return p;
}

/* From here to the next switch nothing of the C library's may be called for the old thread. */
RFI_INLINE void rfi_thread_pointer_set(void *p) {
#  ifdef __x86_64__
    if (RFI_LIKELY(rfi_locals.base)) {
        __asm__ volatile("wrfsbase %0" : : "r"(p) : "memory");
        return;
    }
    long result; /* not by syscall(), which may set errno */
    const long number = SYS_arch_prctl, set_fs = 0x1002;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(set_fs), "S"(p)
                     : "rcx", "r11", "memory");
#  else
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(p) : "memory");
#  endif
}

/* ---- first values ---- */

/* One program or library; called in a thread that has touched nothing: what is allocated when it is
 * first used is not there yet, and lies elsewhere in each thread. */
RFI_FN int rfi_local_visit(struct dl_phdr_info *m, size_t size, void *visited) {
    uint32_t *number = visited;
    bool program = !(*number)++;
    const char *data = m->dlpi_tls_data, *error = (const char *)&errno;
    (void)size;
    for (uint32_t i = 0; i < m->dlpi_phnum; i++) {
        size_t bytes = m->dlpi_phdr[i].p_memsz;
        if (m->dlpi_phdr[i].p_type != PT_TLS || !data || !bytes) continue;
        bool c_library = (uintptr_t)error - (uintptr_t)data < bytes;
        if (c_library && !program) continue;
        rfi_locals.part = rfi_grow(rfi_locals.part, &rfi_locals.capacity, rfi_locals.parts + 1,
                                   sizeof *rfi_locals.part);
        rfi_local_part part = {data - rfi_thread_pointer(), bytes};
        ptrdiff_t end = part.at + (ptrdiff_t)bytes;
        if (!rfi_locals.parts || part.at < rfi_locals.low) rfi_locals.low = part.at;
        if (!rfi_locals.parts || end > rfi_locals.high) rfi_locals.high = end;
        rfi_locals.part[rfi_locals.parts++] = part;
    }
    return 0;
}

RFI_FN void rfi_local_keep(rfi_local *l) {
    size_t bytes = 1;
    for (uint32_t i = 0; i < rfi_locals.parts; i++) bytes += rfi_locals.part[i].bytes;
    char *to = l->first = RFI_REAL(malloc)(bytes);
    if (!to) rfi_die("out of memory");
    for (uint32_t i = 0; i < rfi_locals.parts; i++) {
        const rfi_local_part *part = &rfi_locals.part[i];
        memcpy(to, l->pointer + part->at, part->bytes);
        to += part->bytes;
    }
}

/* A new logical thread is to have it. */
RFI_FN void rfi_local_renew(rfi_local *l) {
    const char *from = l->first;
    if (l->task) *l->task = (int)RFI_REAL(syscall)(SYS_gettid);
    if (!l->used) {
        l->used = true;
        return;
    }
    for (uint32_t i = 0; i < rfi_locals.parts; i++) {
        const rfi_local_part *part = &rfi_locals.part[i];
        memcpy(l->pointer + part->at, from, part->bytes);
        from += part->bytes;
    }
    *l->error = 0;
}

/* ---- blocks ---- */

/* Other libraries than glibc (musl) send a thread's signals to itself, raise() and abort() among
 * them, by the number in its block: it is to be that of the thread which runs. */
RFI_FN int *rfi_local_task(void) {
#  ifndef __GLIBC__
    int *own = (int *)(uintptr_t)RFI_REAL(pthread_self)(),
        number = (int)RFI_REAL(syscall)(SYS_gettid);
    for (uint32_t i = 0; i < 64; i++)
        if (own[i] == number) return &own[i];
#  endif
    return NULL;
}

RFI_FN void *rfi_local_park(void *local) {
    rfi_local *l = local;
    rfi_ours = true;
    l->pointer = rfi_thread_pointer();
    l->error = &errno;
    l->task = rfi_local_task();
    uint32_t visited = 0;
    if (!rfi_locals.made) dl_iterate_phdr(rfi_local_visit, &visited);
    rfi_local_keep(l); /* malloc has made its cache for this thread, too */
    __atomic_store_n(&l->ready, 1, __ATOMIC_RELEASE);
    RFI_REAL(syscall)(SYS_futex, &l->ready, RFI_FUTEX_WAKE, 1, NULL, NULL, 0);
    while (l->ready) RFI_REAL(pause)();
    return NULL; /* never */
}

RFI_FN int rfi_local_start(rfi_local *l, size_t bytes) {
    pthread_attr_t attr;
    pthread_t thread;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | RFI_MAP_STACK;
    void *p = RFI_REAL(mmap)(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) return ENOMEM;
    int error = pthread_attr_init(&attr);
    if (!error) {
        error = pthread_attr_setstack(&attr, p, bytes);
        if (!error) error = RFI_REAL(pthread_create)(&thread, &attr, rfi_local_park, l);
        pthread_attr_destroy(&attr);
    }
    if (error) RFI_REAL(munmap)(p, bytes);
    return error;
}

/* NULL if the system has no room for one more thread.  It hears no signals, and has to be waited
 * for. */
RFI_FN RFI_COLD rfi_local *rfi_local_begin(void) {
    sigset_t all, before;
    int error = EINVAL;
    rfi_local *l = RFI_REAL(calloc)(1, sizeof *l);
    if (!l) return NULL;
    sigfillset(&all);
    RFI_REAL(sigprocmask)(SIG_SETMASK, &all, &before);
    for (size_t n = RFI_LOCAL_BYTES; error == EINVAL && n <= RFI_LOCAL_MOST; n *= 2)
        error = rfi_local_start(l, n);
    RFI_REAL(sigprocmask)(SIG_SETMASK, &before, NULL);
    if (!error) return l;
    RFI_REAL(free)(l);
    return NULL;
}

RFI_FN RFI_COLD rfi_local *rfi_local_await(rfi_local *l) {
    if (!l) return NULL;
    while (!__atomic_load_n(&l->ready, __ATOMIC_ACQUIRE))
        RFI_REAL(syscall)(SYS_futex, &l->ready, RFI_FUTEX_WAIT, 0, NULL, NULL, 0);
    rfi_locals.made++;
    return l;
}

/* Makes blocks for so many threads, so that the children of this process have them. */
RFI_FN void rfi_local_warm(uint32_t threads) {
    if (threads > RFI_LOCAL_WARM) threads = RFI_LOCAL_WARM;
    if (!rfi_locals.on || rfi_locals.made >= threads) return;
    rfi_local *known = rfi_locals.spare, *l;
    for (uint32_t n = threads - rfi_locals.made; n && (l = rfi_local_begin()); n--) {
        l->next = rfi_locals.spare;
        rfi_locals.spare = l;
    }
    for (l = rfi_locals.spare; l != known; l = l->next) (void)rfi_local_await(l);
}

RFI_FN rfi_local *rfi_local_take(void) {
    rfi_local *l = rfi_locals.spare;
    int own = errno;
    if (l)
        rfi_locals.spare = l->next;
    else
        l = rfi_local_await(rfi_local_begin());
    errno = own;
    return l;
}

/* ---- the whole ---- */

/* Sanitizers keep books on real threads. */
RFI_FN bool rfi_local_possible(void) { return !rfi_sanitized(); }

/* Learns what storage there is.  Before the first fiber. */
RFI_FN RFI_COLD void rfi_local_open(void) {
    if (rfi_locals.on || !rfi_local_possible()) return;
#  ifdef __x86_64__
    rfi_locals.base = getauxval(AT_HWCAP2) & 2;
#  endif
#  ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); /* one thread runs at a time: no heap for each */
#  endif
    rfi_ours = rfi_locals.on = true;
    rfi_local_warm(1);
    rfi_locals.on = rfi_locals.made != 0;
    if (!rfi_locals.on) return;
    rfi_locals.home.pointer = rfi_thread_pointer();
    rfi_locals.home.error = &errno;
    rfi_local_keep(&rfi_locals.home);
}
# else
RFI_FN bool rfi_local_possible(void) { return false; }
RFI_FN void rfi_local_open(void) {}
RFI_FN void rfi_local_warm(uint32_t threads) { (void)threads; }
# endif

/* Is code tested that was not edited? */
RFI_FN bool rfi_unedited(void) {
# if defined RF_PROGRAM || defined RF_HOOK_COMPILER || defined RFI_HOOKED
    return true;
# elif defined __ELF__
    extern const char rfi_hooked __attribute__((weak));
    return &rfi_hooked != NULL;
# else
    return false;
# endif
}

/* Has each fiber storage of its own? */
RFI_FN bool rfi_local_wanted(rfi_local_choice choice) {
    return choice == RFI_LOCAL_PRESET ? rfi_unedited() : choice == RFI_LOCAL_OWN;
}
#endif
#endif

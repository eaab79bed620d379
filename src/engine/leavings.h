/* engine/leavings.h: what an execution makes that the system keeps for all processes: shared memory
 * and message queues with names, those and semaphores with numbers.
 *
 * Each execution has names and keys of its own (hook/spaces.h): workers, executions after a crash,
 * and the program where it runs elsewhere would meet each other's.  What is made by them outlives
 * the execution, so it is noted in its record, which the supervisor sees too, and goes before the
 * next one makes something, or when its process has ended.
 */
#ifndef RFI_ENGINE_LEAVINGS_H
#define RFI_ENGINE_LEAVINGS_H
#include "base/platform.h"

#ifdef RFI_IMPL
# include <sys/msg.h>
# include <sys/sem.h>
# include <sys/shm.h>

/* Some C libraries have it in one of their own, which programs that call it are linked with. */
# pragma weak shm_unlink

# define RFI_LEAVINGS      128u
# define RFI_LEAVINGS_NAME 48 /* bytes */

typedef enum rfi_leavings_kind {
    RFI_LEAVINGS_MEMORY, /* by name */
    RFI_LEAVINGS_QUEUE,
    RFI_LEAVINGS_SEGMENT, /* by number */
    RFI_LEAVINGS_MESSAGES,
    RFI_LEAVINGS_SEMAPHORES,
    RFI_LEAVINGS_KINDS = 8
} rfi_leavings_kind;

typedef struct rfi_leavings {
    uint64_t space;              /* the execution's process and generation; 0: there is none */
    uint64_t what[RFI_LEAVINGS]; /* a kind, and a number in the upper bits; 0: nothing */
} rfi_leavings;

/* A child's is that of its parent. */
RFI_VAR rfi_leavings *rfi_leavings_of;

RFI_FN void rfi_leavings_name(const rfi_leavings *l, uint64_t what, char *to) {
    snprintf(to, RFI_LEAVINGS_NAME, "/racefuzz-%lu-%llx", (unsigned long)(l->space >> 32),
             (unsigned long long)what);
}

RFI_FN void rfi_leavings_remove(const rfi_leavings *l, uint64_t what) {
    char name[RFI_LEAVINGS_NAME];
    int id = (int)(what / RFI_LEAVINGS_KINDS);
    rfi_leavings_name(l, what, name);
    switch ((rfi_leavings_kind)(what % RFI_LEAVINGS_KINDS)) {
    case RFI_LEAVINGS_MEMORY:
        if (shm_unlink) (void)RFI_REAL(shm_unlink)(name);
        break;
# ifdef SYS_mq_unlink
    case RFI_LEAVINGS_QUEUE: (void)RFI_REAL(syscall)(SYS_mq_unlink, name + 1); break;
# endif
    case RFI_LEAVINGS_SEGMENT: (void)RFI_REAL(shmctl)(id, IPC_RMID, NULL); break;
    case RFI_LEAVINGS_MESSAGES: (void)RFI_REAL(msgctl)(id, IPC_RMID, NULL); break;
    case RFI_LEAVINGS_SEMAPHORES: (void)RFI_REAL(semctl)(id, 0, IPC_RMID); break;
    default: break;
    }
}

RFI_FN RFI_COLD void rfi_leavings_clear(rfi_leavings *l) {
    int error = errno;
    for (uint32_t i = 0; l->space && i < RFI_LEAVINGS; i++) {
        if (l->what[i]) rfi_leavings_remove(l, l->what[i]);
        l->what[i] = 0;
    }
    l->space = 0;
    errno = error;
}

/* The execution of that generation makes something, in this process or in children. */
RFI_FN rfi_leavings *rfi_leavings_begin(rfi_leavings *l, uint32_t generation) {
    uint64_t space = (uint64_t)rfi_process() << 32 | generation;
    if (l->space != space) rfi_leavings_clear(l);
    l->space = space;
    return l;
}

/* It may make, or has removed, that.  Children do so, too, at the same time. */
RFI_FN void rfi_leavings_note(rfi_leavings *l, uint64_t what) {
    for (uint32_t i = 0; i < RFI_LEAVINGS; i++) {
        uint64_t none = 0;
        if (__atomic_compare_exchange_n(&l->what[i], &none, what, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            none == what)
            return;
    }
}

RFI_FN void rfi_leavings_drop(rfi_leavings *l, uint64_t what) {
    for (uint32_t i = 0; i < RFI_LEAVINGS; i++) {
        uint64_t that = what;
        (void)__atomic_compare_exchange_n(&l->what[i], &that, 0, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
    }
}
#endif
#endif

/* hook/syscall.h: system calls that code makes by itself, by syscall().
 *
 * Those that wait, those that tell the time, and those that know threads by numbers are what their
 * functions are; all others go to the kernel.
 */
#ifndef RFI_HOOK_SYSCALL_H
#define RFI_HOOK_SYSCALL_H
#include "hook/others.h"

#if defined RFI_IMPL && defined __linux__
/* False: it is the kernel's. */
RFI_FN bool rfi_hook_call(const rf_site *s, long number, const long *a, int64_t *result) {
    switch (number) {
    case SYS_futex:
# if defined SYS_futex_time64 && SYS_futex_time64 != SYS_futex
    case SYS_futex_time64:
# endif
    {
        const rfi_futex_call c = {.site = s,
                                  .word = RFI_AT_ADDRESS(uint32_t, 0),
                                  .operation = (unsigned)a[1],
                                  .value = (uint32_t)a[2],
                                  .time = (uintptr_t)a[3],
                                  .other = RFI_AT_ADDRESS(uint32_t, 4),
                                  .last = (uint32_t)a[5],
                                  .wide = number != SYS_futex};
        *result = rfi_hook_futex(&c);
        return true;
    }
# ifdef SYS_futex_waitv
    case SYS_futex_waitv:
        if (a[0]) rfi_fail(RF_DIAG_LIMIT, s, "the call futex_waitv is not supported");
        *result = -ENOSYS; /* somebody asks whether it is there */
        return true;
# endif
    case SYS_gettid:
        if (!rfi_hook_tasks()) return false;
        *result = rfi_hook_task();
        return true;
    case SYS_tkill:
    case SYS_tgkill:
        if (!rfi_hook_tasks() || (number == SYS_tgkill && a[0] != rfi_process())) return false;
        *result = -(number == SYS_tkill ? rfi_hook_task_kill(s, a[0], a[1])
                                        : rfi_hook_task_kill(s, a[1], a[2]));
        return true;
    case SYS_sched_yield:
        rfi_hook_yield(s);
        *result = 0;
        return true;
    case SYS_nanosleep:
        *result = -rfi_hook_nap(s, RFI_AT_ADDRESS(const struct timespec, 0),
                                RFI_AT_ADDRESS(struct timespec, 1));
        return true;
    case SYS_clock_nanosleep:
        *result = -rfi_hook_nap_on(s, (clockid_t)a[0], (int)a[1],
                                   RFI_AT_ADDRESS(const struct timespec, 2),
                                   RFI_AT_ADDRESS(struct timespec, 3));
        return true;
# ifdef SYS_getrandom
    case SYS_getrandom:
        *result = rfi_hook_random(s, "getrandom", RFI_AT_ADDRESS(void, 0), (size_t)a[1], 0);
        return true;
# endif
    case SYS_clock_gettime:
        *result = rfi_hook_clock_read(s, "clock_gettime", (clockid_t)a[0],
                                      RFI_AT_ADDRESS(struct timespec, 1))
                      ? -errno
                      : 0;
        return true;
# ifdef __GLIBC__
    default: return rfi_hook_numbered_call(s, number, a, result);
# else
    default: return false;
# endif
    }
}

int RFI_HOOK(tgkill)(pid_t process, pid_t task, int signal);
int RFI_HOOK(tgkill)(pid_t process, pid_t task, int signal) {
    const long a[6] = {process, task, signal};
    int64_t result;
    if (rfi.current && !rfi.quiet && rfi_hook_call(RFI_CALLER(), SYS_tgkill, a, &result))
        return (int)rfi_hook_result(result);
    return (int)RFI_REAL(syscall)(SYS_tgkill, process, task, signal);
}

long RFI_HOOK(syscall)(long number, ...);
long RFI_HOOK(syscall)(long number, ...) {
    const rf_site *here = RFI_CALLER();
    long a[6];
    int64_t result;
    va_list rest;
    va_start(rest, number);
    for (unsigned i = 0; i < RFI_LENGTH(a); i++) a[i] = va_arg(rest, long);
    va_end(rest);
# ifdef SYS_membarrier
    if (number == SYS_membarrier) return rfi_hook_errno(ENOSYS); /* a fence of real threads */
# endif
    if (rfi.current && !rfi.quiet && rfi_hook_call(here, number, a, &result))
        return rfi_hook_result(result);
    return RFI_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#endif
#endif

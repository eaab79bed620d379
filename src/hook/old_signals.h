/* hook/old_signals.h: the calls of <signal.h> that POSIX and the C library call obsolete, by those
 * that they stand for (hook/actions.h), and their names.
 */
#ifndef RFI_HOOK_OLD_SIGNALS_H
#define RFI_HOOK_OLD_SIGNALS_H
#include "hook/files.h"

#ifdef RFI_IMPL
/* One signal; an empty set for a number that is none. */
RFI_FN sigset_t rfi_sig_only(int signal) {
    sigset_t set;
    sigemptyset(&set);
    (void)sigaddset(&set, signal);
    return set;
}

RFI_FN int rfi_sig_hold(const rf_site *s, int how, int signal, sigset_t *before) {
    sigset_t set = rfi_sig_only(signal);
    if (sigismember(&set, signal) != 1) return rfi_hook_errno(EINVAL);
    return rfi_hook_errno(rfi_hook_sigmask(s, how, &set, before));
}

int RFI_HOOK(sighold)(int signal);
int RFI_HOOK(sighold)(int signal) { return rfi_sig_hold(RFI_CALLER(), SIG_BLOCK, signal, NULL); }

int RFI_HOOK(sigrelse)(int signal);
int RFI_HOOK(sigrelse)(int signal) { return rfi_sig_hold(RFI_CALLER(), SIG_UNBLOCK, signal, NULL); }

int RFI_HOOK(sigignore)(int signal);
int RFI_HOOK(sigignore)(int signal) {
    return rfi_hook_signal(RFI_CALLER(), signal, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

# ifdef SIG_HOLD
#  define RFI_SIG_HOLD SIG_HOLD
# else
#  define RFI_SIG_HOLD ((rfi_sig_handler)2) /* as it is in all of them */
# endif

rfi_sig_handler RFI_HOOK(sigset)(int signal, rfi_sig_handler to);
rfi_sig_handler RFI_HOOK(sigset)(int signal, rfi_sig_handler to) {
    const rf_site *here = RFI_CALLER();
    struct sigaction is;
    sigset_t before;
    bool holds = to == RFI_SIG_HOLD;
    if (holds) {
        if (rfi_hook_sigaction(here, signal, NULL, &is)) return SIG_ERR;
    } else if ((is.sa_handler = rfi_hook_signal(here, signal, to, 0)) == SIG_ERR) {
        return SIG_ERR;
    }
    if (rfi_sig_hold(here, holds ? SIG_BLOCK : SIG_UNBLOCK, signal, &before)) return SIG_ERR;
    return sigismember(&before, signal) == 1 ? RFI_SIG_HOLD : is.sa_handler;
}

/* Also for those that `signal` sets later. */
int RFI_HOOK(siginterrupt)(int signal, int stops);
int RFI_HOOK(siginterrupt)(int signal, int stops) {
    const rf_site *here = RFI_CALLER();
    struct sigaction a;
    if (rfi_hook_sigaction(here, signal, NULL, &a)) return -1;
    a.sa_flags = stops ? a.sa_flags & ~SA_RESTART : a.sa_flags | SA_RESTART;
    if (rfi_hook_sigaction(here, signal, &a, NULL)) return -1;
    if (!rfi_hook_shares() || rfi_sig_foreign(signal)) return 0;
    rfi_sig_open();
    rfi_sig.stops &= ~rfi_sig_bit(signal);
    if (stops) rfi_sig.stops |= rfi_sig_bit(signal);
    return 0;
}

/* What X/Open has under that name. */
int RFI_HOOK(__xpg_sigpause)(int signal);
int RFI_HOOK(__xpg_sigpause)(int signal) {
    sigset_t mask, set = rfi_sig_only(signal);
    if (sigismember(&set, signal) != 1) return rfi_hook_errno(EINVAL);
    (void)rfi_hook_sigmask(RFI_CALLER(), SIG_BLOCK, NULL, &mask);
    sigdelset(&mask, signal);
    return __wrap_sigsuspend(&mask);
}

# ifdef __GLIBC__
int RFI_HOOK(gsignal)(int signal);
int RFI_HOOK(gsignal)(int signal) { return __wrap_raise(signal); }

rfi_sig_handler RFI_HOOK(ssignal)(int signal, rfi_sig_handler to);
rfi_sig_handler RFI_HOOK(ssignal)(int signal, rfi_sig_handler to) {
    return __wrap_signal(signal, to);
}

/* Masks of the first signals, as bits. */
RFI_FN int rfi_sig_old_mask(const rf_site *s, int how, unsigned bits) {
    sigset_t set, before;
    sigemptyset(&set);
    rfi_sig_set(bits, &set);
    (void)rfi_hook_sigmask(s, how, &set, &before);
    return (int)(unsigned)rfi_sig_bits(&before);
}

int RFI_HOOK(sigblock)(int bits);
int RFI_HOOK(sigblock)(int bits) {
    return rfi_sig_old_mask(RFI_CALLER(), SIG_BLOCK, (unsigned)bits);
}

int RFI_HOOK(sigsetmask)(int bits);
int RFI_HOOK(sigsetmask)(int bits) {
    return rfi_sig_old_mask(RFI_CALLER(), SIG_SETMASK, (unsigned)bits);
}

int RFI_HOOK(siggetmask)(void);
int RFI_HOOK(siggetmask)(void) { return rfi_sig_old_mask(RFI_CALLER(), SIG_BLOCK, 0); }
# endif
#endif

#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# ifdef RFI_IMPL
#  define sighold        __wrap_sighold
#  define sigrelse       __wrap_sigrelse
#  define sigignore      __wrap_sigignore
#  define sigset(...)    __wrap_sigset(__VA_ARGS__)
#  define siginterrupt   __wrap_siginterrupt
#  define __xpg_sigpause __wrap___xpg_sigpause
#  ifdef __GLIBC__
#   define gsignal    __wrap_gsignal
#   define ssignal    __wrap_ssignal
#   define sigblock   __wrap_sigblock
#   define sigsetmask __wrap_sigsetmask
#   define siggetmask __wrap_siggetmask
#  endif
# else
RFI_RENAME(sighold)
RFI_RENAME(sigrelse)
RFI_RENAME(sigignore)
RFI_RENAME(sigset)
RFI_RENAME(siginterrupt)
RFI_RENAME(gsignal)
RFI_RENAME(ssignal)
RFI_RENAME(sigblock)
RFI_RENAME(sigsetmask)
RFI_RENAME(siggetmask)
#  ifdef __ELF__
__asm__(".set __xpg_sigpause, __wrap___xpg_sigpause");
#  endif
# endif
#endif
#endif

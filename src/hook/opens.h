/* hook/opens.h: files that are opened by name.
 *
 * To open a FIFO waits for its other end, so that it is opened without, and the wait is one of the
 * logical thread.
 */
#ifndef RFI_HOOK_OPENS_H
#define RFI_HOOK_OPENS_H
#include "hook/files.h"

#ifdef RFI_IMPL
RFI_FN void rfi_hook_opens(const char *path) {
    rfi_hook_asks(RFI_ASKS_FILE, "the file %s, which it opens", path ? path : "");
}

# ifdef __O_TMPFILE /* glibc, whatever names it shows */
#  define RFI_O_TMPFILE __O_TMPFILE
# elif defined O_TMPFILE
#  define RFI_O_TMPFILE (O_TMPFILE & ~O_DIRECTORY)
# else
#  define RFI_O_TMPFILE 0
# endif

/* ---- FIFOs ---- */

# ifdef O_PATH
#  define RFI_O_ATONCE (O_NONBLOCK | O_PATH)
# else
#  define RFI_O_ATONCE O_NONBLOCK
# endif

/* One that is opened for one way only, and not at once. */
RFI_FN bool rfi_fifo_waits(const rfi_file_open *o) {
    struct stat is;
    return rfi_hook_shares() && o->path && !(o->flags & RFI_O_ATONCE) &&
           (o->flags & O_ACCMODE) != O_RDWR && !RFI_REAL(fstatat)(o->at, o->path, &is, 0) &&
           S_ISFIFO(is.st_mode);
}

/* Does somebody have the end to write to, or had it since then?  What he has written stays there,
 * since there is no such place. */
RFI_FN bool rfi_fifo_written(int fd) {
    return rfi_real_poll_one(fd, RFI_FILE_IN, 0) > 0 || RFI_REAL(syscall)(SYS_read, fd, 1, 1) < 0;
}

/* Who reads has it open meanwhile, who writes can't before that. */
RFI_FN int rfi_hook_look_fifo(const rfi_hook_world *w, int ms) {
    rfi_file_open *o = w->open;
    for (;; ms -= ms > 0) {
        bool reads = (o->flags & O_ACCMODE) == O_RDONLY;
        if (reads && rfi_fifo_written(o->fd)) return 1;
        if (!reads && o->fd < 0)
            o->fd = RFI_REAL(openat)(o->at, o->path, o->flags | O_NONBLOCK, o->mode);
        if (!reads && (o->fd >= 0 || errno != ENXIO)) return 1;
        if (!ms) return 0;
        if (rfi_real_poll(NULL, 0, 1) < 0 && rfi_sig_came) return -1;
    }
}

RFI_FN int rfi_fifo_open(const rf_site *s, const char *name, rfi_file_open *o) {
    rfi_hook_world w = {.look = rfi_hook_look_fifo, .site = s, .name = name};
    w.restarts = w.takes = true;
    w.open = o;
    rfi_hook_may_wait(s);
    rfi_call_ordered(s, name, &rfi_hook_outside, __ATOMIC_RELEASE);
    if ((o->flags & O_ACCMODE) == O_RDONLY) {
        o->fd = RFI_REAL(openat)(o->at, o->path, o->flags | O_NONBLOCK, o->mode);
        if (o->fd < 0) return -1;
    }
    for (;;) { /* each hears of the other one */
        rfi_call_ordered(s, name, &rfi_hook_outside, __ATOMIC_ACQUIRE);
        if (rfi_hook_look(&w, 0)) break;
        if (rfi_hook_await(&w) >= 0) continue;
        int error = errno;
        if (o->fd >= 0) RFI_REAL(close)(o->fd);
        errno = error;
        return -1;
    }
    if (o->fd >= 0)
        (void)RFI_REAL(fcntl)(o->fd, F_SETFL, RFI_REAL(fcntl)(o->fd, F_GETFL) & ~O_NONBLOCK);
    return o->fd;
}

/* ---- all files ---- */

/* Opens it relative to the folder `at`, if there is one. */
RFI_FN int rfi_hook_open(const rf_site *s, rfi_file_open o, va_list rest) {
    if ((unsigned)o.flags & (O_CREAT | RFI_O_TMPFILE)) o.mode = va_arg(rest, unsigned);
    int fd = rfi_hook_device(o.path) ? rfi_hook_device_open(s, o.path) : -1;
    if (fd >= 0) return fd;
    rfi_hook_opens(o.path);
    if (rfi_fifo_waits(&o)) return rfi_fifo_open(s, "open", &o);
    rfi_call(s, "open", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    return o.at == AT_FDCWD ? RFI_REAL(open)(o.path, o.flags, o.mode)
                            : RFI_REAL(openat)(o.at, o.path, o.flags, o.mode);
}

int RFI_HOOK(open)(const char *path, int flags, ...) {
    const rf_site *here = RFI_CALLER();
    va_list rest;
    va_start(rest, flags);
    int fd = rfi_hook_open(here, (rfi_file_open){-1, AT_FDCWD, flags, 0, path}, rest);
    va_end(rest);
    return fd;
}

int RFI_HOOK(openat)(int at, const char *path, int flags, ...) {
    const rf_site *here = RFI_CALLER();
    va_list rest;
    va_start(rest, flags);
    int fd = rfi_hook_open(here, (rfi_file_open){-1, at, flags, 0, path}, rest);
    va_end(rest);
    return fd;
}

/* The flags of open; a FIFO that is not opened for both ways is there. */
RFI_FN int rfi_hook_mode(const char *mode) {
    int flags = *mode == 'r' ? O_RDONLY : *mode == 'w' ? O_WRONLY | O_TRUNC : O_WRONLY | O_APPEND;
    if (strchr(mode, '+')) flags = O_RDWR;
    return flags | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

FILE *RFI_HOOK(fopen)(const char *path, const char *mode) {
    const rf_site *here = RFI_CALLER();
    int fd = rfi_hook_device(path) ? rfi_hook_device_open(here, path) : -1;
    if (fd >= 0) return RFI_REAL(fdopen)(fd, "r");
    rfi_hook_opens(path);
    rfi_file_open o = {-1, AT_FDCWD, rfi_hook_mode(mode), 0, path};
    if (rfi_fifo_waits(&o)) {
        fd = rfi_fifo_open(here, "fopen", &o);
        return fd < 0 ? NULL : RFI_REAL(fdopen)(fd, mode);
    }
    rfi_call(here, "fopen", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    return RFI_REAL(fopen)(path, mode);
}
#endif
#endif

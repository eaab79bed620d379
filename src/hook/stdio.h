/* hook/stdio.h: the state of streams and folders, new descriptors, and what the C library keeps of
 * a program's arguments.
 *
 * Most are one step: in which order threads call them is seen, and so are the numbers that they
 * get.
 */
#ifndef RFI_HOOK_STDIO_H
#define RFI_HOOK_STDIO_H
#include "hook/system.h"

#ifdef RFI_IMPL
# include <getopt.h>
# ifdef __linux__
#  include <sys/epoll.h>
#  include <sys/eventfd.h>
# endif

/* ---- streams ---- */

RFI_SYSTEM_LOOK(int, feof, (FILE * file), (file))
RFI_SYSTEM_LOOK(int, ferror, (FILE * file), (file))
RFI_SYSTEM_CHANGE(int, ungetc, (int c, FILE *file), (c, file))
RFI_SYSTEM_CHANGE(int, setvbuf, (FILE * file, char *to, int how, size_t n), (file, to, how, n))
RFI_SYSTEM_CHANGE(FILE *, tmpfile, (void), ())

void RFI_HOOK(clearerr)(FILE *file) {
    RFI_FILE_CALL("clearerr");
    RFI_REAL(clearerr)(file);
}

void RFI_HOOK(rewind)(FILE *file) {
    RFI_FILE_CALL("rewind");
    RFI_REAL(rewind)(file);
}

void RFI_HOOK(perror)(const char *s) {
    int error = errno;
    if (s) RFI_READS(s, strlen(s) + 1);
    RFI_STREAM_CALL("perror", stderr);
    errno = error;
    RFI_REAL(perror)(s);
}

int RFI_HOOK(vdprintf)(int to, const char *format, va_list arguments) {
    RFI_USES_FILE(to);
    RFI_FILE_CALL("dprintf");
    return RFI_REAL(vdprintf)(to, format, arguments);
}

int RFI_HOOK(dprintf)(int to, const char *format, ...) {
    va_list arguments;
    RFI_USES_FILE(to);
    RFI_FILE_CALL("dprintf");
    va_start(arguments, format);
    int n = RFI_REAL(vdprintf)(to, format, arguments);
    va_end(arguments);
    return n;
}

/* ---- folders ---- */

RFI_SYSTEM_CHANGE(struct dirent *, readdir, (DIR * of), (of))
RFI_SYSTEM_CHANGE(int, closedir, (DIR * of), (of))

/* ---- new descriptors ---- */

RFI_SYSTEM_CHANGE(int, mkstemp, (char *name), (name))
RFI_SYSTEM_CHANGE(int, socket, (int domain, int type, int protocol), (domain, type, protocol))

int RFI_HOOK(pipe)(int of[2]) {
    RFI_FILE_CALL("pipe");
    int error = RFI_REAL(pipe)(of);
    if (!error) RFI_LEAVES(of, 2 * sizeof *of);
    return error;
}

# ifdef __linux__
int RFI_HOOK(pipe2)(int of[2], int flags) {
    RFI_FILE_CALL("pipe2");
    int error = RFI_REAL(pipe2)(of, flags);
    if (!error) RFI_LEAVES(of, 2 * sizeof *of);
    return error;
}
RFI_SYSTEM_CHANGE(int, eventfd, (unsigned n, int flags), (n, flags))
RFI_SYSTEM_CHANGE(int, epoll_create, (int n), (n))
RFI_SYSTEM_CHANGE(int, epoll_create1, (int flags), (flags))
# endif

/* ---- memory ---- */

typedef int (*rfi_compares)(const void *, const void *);
void RFI_HOOK(qsort)(void *p, size_t count, size_t n, rfi_compares compare) {
    RFI_READS(p, count * n);
    RFI_REAL(qsort)(p, count, n, compare);
    RFI_WRITES(p, count * n);
}

typedef char *const *rfi_arguments;
RFI_SYSTEM_CHANGE(int, getopt, (int n, rfi_arguments of, const char *names), (n, of, names))
RFI_SYSTEM_CHANGE(int, getopt_long,
                  (int n, rfi_arguments of, const char *names, const struct option *longs, int *at),
                  (n, of, names, longs, at))
#endif

/* ---- their names ---- */

#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# ifdef RFI_IMPL
#  define feof            __wrap_feof
#  define ferror          __wrap_ferror
#  define ungetc          __wrap_ungetc
#  define setvbuf         __wrap_setvbuf
#  define tmpfile         __wrap_tmpfile
#  define clearerr        __wrap_clearerr
#  define rewind          __wrap_rewind
#  define perror          __wrap_perror
#  define vdprintf        __wrap_vdprintf
#  define dprintf         __wrap_dprintf
#  define readdir         __wrap_readdir
#  define closedir        __wrap_closedir
#  define mkstemp         __wrap_mkstemp
#  define socket(d, t, p) __wrap_socket(d, t, p)
#  define pipe(f)         __wrap_pipe(f)
#  define qsort           __wrap_qsort
#  define getopt          __wrap_getopt
#  define getopt_long     __wrap_getopt_long
#  ifdef __linux__
#   define pipe2         __wrap_pipe2
#   define eventfd(n, f) __wrap_eventfd(n, f)
#   define epoll_create  __wrap_epoll_create
#   define epoll_create1 __wrap_epoll_create1
#  endif
# else
RFI_RENAME(feof)
RFI_RENAME(ferror)
RFI_RENAME(ungetc)
RFI_RENAME(setvbuf)
RFI_RENAME(tmpfile)
RFI_RENAME(clearerr)
RFI_RENAME(rewind)
RFI_RENAME(perror)
RFI_RENAME(vdprintf)
RFI_RENAME(dprintf)
RFI_RENAME(readdir)
RFI_RENAME(closedir)
RFI_RENAME(mkstemp)
RFI_RENAME(socket)
RFI_RENAME(pipe)
RFI_RENAME(qsort)
RFI_RENAME(getopt)
RFI_RENAME(getopt_long)
#  ifdef __linux__
RFI_RENAME(pipe2)
RFI_RENAME(eventfd)
RFI_RENAME(epoll_create)
RFI_RENAME(epoll_create1)
#  endif
# endif
#endif
#endif

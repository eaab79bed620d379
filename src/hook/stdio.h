/* hook/stdio.h: the state of streams and folders, new descriptors, and what the C library keeps of
 * a program's arguments.
 *
 * Most are one step: in which order threads call them is seen, and so are the numbers that they
 * get.
 */
#ifndef RFI_HOOK_STDIO_H
#define RFI_HOOK_STDIO_H
#include "hook/scan.h"
#include "hook/system.h"

#ifdef RFI_IMPL
# include <getopt.h>
# ifdef __linux__
#  include <sys/epoll.h>
#  include <sys/eventfd.h>
# endif

/* ---- streams ---- */

# define RFI_STREAM(gives, type, name, step, parameters, arguments) \
  type RFI_HOOK(name) parameters {                                  \
   RFI_STREAM_##step(#name, file);                                  \
   gives RFI_REAL(name) arguments;                                  \
  }

RFI_STREAM(return, int, feof, LOOK, (FILE * file), (file))
RFI_STREAM(return, int, ferror, LOOK, (FILE * file), (file))
RFI_STREAM(return, long, ftell, LOOK, (FILE * file), (file))
RFI_STREAM(return, off_t, ftello, LOOK, (FILE * file), (file))
RFI_STREAM(return, int, fseek, CALL, (FILE * file, long n, int from), (file, n, from))
RFI_STREAM(return, int, fseeko, CALL, (FILE * file, off_t n, int from), (file, n, from))
RFI_STREAM(return, int, ungetc, CALL, (int c, FILE *file), (c, file))
RFI_STREAM(return, int, setvbuf, CALL, (FILE * file, char *to, int how, size_t n),
                 (file, to, how, n))
RFI_STREAM(, void, setbuf, CALL, (FILE * file, char *to), (file, to))
RFI_STREAM(, void, clearerr, CALL, (FILE * file), (file))
RFI_STREAM(, void, rewind, CALL, (FILE * file), (file))
RFI_SYSTEM_CHANGE(FILE *, tmpfile, (void), ())

void RFI_HOOK(perror)(const char *s) {
    int error = errno;
    if (s) RFI_READS(s, strlen(s) + 1);
    RFI_STREAM_CALL("perror", stderr);
    errno = error;
    RFI_REAL(perror)(s);
}

/* Made first, so that a part of it can wait as it does in `write`. */
RFI_FN RFI_PRINTF(2, 0) int rfi_hook_dprintf(const rfi_file_out *o, const char *format,
                                             va_list arguments) {
    char *text;
    int n = RFI_REAL(vasprintf)(&text, format, arguments);
    if (n < 0) return n;
    ssize_t put = rfi_file_write(o, text, (size_t)n);
    RFI_REAL(free)(text);
    return put < n ? -1 : n;
}

# define RFI_DPRINTF(to, format, arguments)                                     \
  const rfi_file_out out = {.site = RFI_CALLER(), .name = "dprintf", .to = to}; \
  RFI_USES_FILE(to);                                                            \
  int n = RFI_TURN_OUT("dprintf", to) ? rfi_hook_dprintf(&out, format, arguments) : -1

int RFI_HOOK(vdprintf)(int to, const char *format, va_list arguments) {
    RFI_DPRINTF(to, format, arguments);
    return n;
}

int RFI_HOOK(dprintf)(int to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    RFI_DPRINTF(to, format, arguments);
    va_end(arguments);
    return n;
}

/* ---- folders ---- */

RFI_SYSTEM_CHANGE(struct dirent *, readdir, (DIR * of), (of))
RFI_SYSTEM_CHANGE(int, closedir, (DIR * of), (of))

/* ---- new descriptors ---- */

RFI_SYSTEM_CHANGE(int, mkstemp, (char *name), (name))
RFI_SYSTEM_CHANGE(int, socket, (int domain, int type, int protocol), (domain, type, protocol))

# define RFI_SYSTEM_ENDS(name, parameters, arguments) \
  int RFI_HOOK(name) parameters {                     \
   RFI_FILE_CALL(#name);                              \
   int error = RFI_REAL(name) arguments;              \
   if (!error) RFI_LEAVES(of, 2 * sizeof *of);        \
   return error;                                      \
  }
RFI_SYSTEM_ENDS(pipe, (int of[2]), (of))

# ifdef __linux__
RFI_SYSTEM_ENDS(pipe2, (int of[2], int flags), (of, flags))
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
#  define ftell           __wrap_ftell
#  define ftello          __wrap_ftello
#  define fseek           __wrap_fseek
#  define fseeko          __wrap_fseeko
#  define fflush          __wrap_fflush
#  define fclose          __wrap_fclose
#  define setbuf          __wrap_setbuf
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
RFI_RENAME(ftell)
RFI_RENAME(ftello)
RFI_RENAME(fseek)
RFI_RENAME(fseeko)
RFI_RENAME(fflush)
RFI_RENAME(fclose)
RFI_RENAME(setbuf)
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
#  ifdef __ELF__
__asm__(".set ftello64, __wrap_ftello");
__asm__(".set fseeko64, __wrap_fseeko");
#  endif
# endif
#endif
#endif

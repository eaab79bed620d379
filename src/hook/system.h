/* hook/system.h: what all threads of a process see of the system besides what they wait for: files
 * by name and by place, limits, the directory, the mask, the locale, the handlers of signals.
 *
 * Each call is a step.  Those that only look commute with each other.
 */
#ifndef RFI_HOOK_SYSTEM_H
#define RFI_HOOK_SYSTEM_H
#include "hook/buffered.h"
#include "hook/futex.h"

#ifdef RFI_IMPL
# include <dirent.h>
# include <locale.h>
# include <spawn.h>
# include <sys/ioctl.h>
# ifdef __linux__
#  include <sys/inotify.h>
# endif

# define RFI_SYSTEM(type, name, parameters, arguments, flags) \
  type RFI_HOOK(name) parameters {                            \
   rfi_call(RFI_CALLER(), #name, &rfi_hook_outside, flags);   \
   return RFI_REAL(name) arguments;                           \
  }
# define RFI_SYSTEM_LOOK(type, name, parameters, arguments) \
  RFI_SYSTEM(type, name, parameters, arguments, RF_EV_READS)
# define RFI_SYSTEM_CHANGE(type, name, parameters, arguments) \
  RFI_SYSTEM(type, name, parameters, arguments, RF_EV_READS | RF_EV_WRITES)

/* What was done before it is seen by who hears of it. */
# define RFI_SYSTEM_TELL(type, name, parameters, arguments)                    \
  type RFI_HOOK(name) parameters {                                             \
   rfi_call_ordered(RFI_CALLER(), #name, &rfi_hook_outside, __ATOMIC_RELEASE); \
   return RFI_REAL(name) arguments;                                            \
  }

/* Those that tell of a file or a folder what is no part of a token; at last, what they store. */
# define RFI_SYSTEM_FILE(type, name, what, parameters, arguments, stores) \
  type RFI_HOOK(name) parameters {                                        \
   rfi_hook_asks(RFI_ASKS_LOOK, "the " what ", by " #name, path);         \
   rfi_call(RFI_CALLER(), #name, &rfi_hook_outside, RF_EV_READS);         \
   type got = RFI_REAL(name) arguments;                                   \
   stores;                                                                \
   return got;                                                            \
  }
# define RFI_SYSTEM_LOOKS(type, name, what, parameters, arguments) \
  RFI_SYSTEM_FILE(type, name, what, parameters, arguments, (void)0)
# define RFI_SYSTEM_STAT(name, parameters, arguments) \
  RFI_SYSTEM_FILE(int, name, "file %s", parameters, arguments, if (!got) RFI_LEAVES(to, sizeof *to))

/* The engine's own, in files that come after hook/names.h. */
RFI_FN void rfi_hook_flush(void) { RFI_REAL(fflush)(NULL); }

/* ---- names ---- */

RFI_SYSTEM_LOOKS(int, access, "file %s", (const char *path, int mode), (path, mode))
RFI_SYSTEM_STAT(stat, (const char *path, struct stat *to), (path, to))
RFI_SYSTEM_STAT(lstat, (const char *path, struct stat *to), (path, to))
RFI_SYSTEM_FILE(ssize_t, readlink, "file %s", (const char *path, char *to, size_t n), (path, to, n),
                if (got > 0) RFI_LEAVES(to, (size_t)got))
RFI_SYSTEM_CHANGE(int, unlink, (const char *path), (path))
RFI_SYSTEM_CHANGE(int, remove, (const char *path), (path))
RFI_SYSTEM_CHANGE(int, rename, (const char *from, const char *to), (from, to))
RFI_SYSTEM_CHANGE(int, link, (const char *from, const char *to), (from, to))
RFI_SYSTEM_CHANGE(int, symlink, (const char *from, const char *to), (from, to))
RFI_SYSTEM_CHANGE(int, mkdir, (const char *path, mode_t mode), (path, mode))
RFI_SYSTEM_CHANGE(int, rmdir, (const char *path), (path))
RFI_SYSTEM_CHANGE(int, chmod, (const char *path, mode_t mode), (path, mode))
RFI_SYSTEM_CHANGE(int, truncate, (const char *path, off_t n), (path, n))
RFI_SYSTEM_LOOKS(int, faccessat, "file %s", (int at, const char *path, int mode, int flags),
                 (at, path, mode, flags))
RFI_SYSTEM_STAT(fstatat, (int at, const char *path, struct stat *to, int flags),
                (at, path, to, flags))
RFI_SYSTEM_CHANGE(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
RFI_SYSTEM_CHANGE(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
RFI_SYSTEM_CHANGE(int, renameat, (int at, const char *from, int in, const char *to),
                  (at, from, in, to))

/* In which order the names come is the system's matter. */
typedef int (*rfi_dirent_which)(const struct dirent *);
typedef int (*rfi_dirent_order)(const struct dirent **, const struct dirent **);
RFI_SYSTEM_LOOKS(DIR *, opendir, "folder %s", (const char *path), (path))
RFI_SYSTEM_LOOKS(int, scandir, "folder %s",
                 (const char *path, struct dirent ***to, rfi_dirent_which which,
                  rfi_dirent_order order),
                 (path, to, which, order))

/* ---- files that are open ---- */

/* Campaigns have files of their own in the place of these, a replay has its terminal. */
RFI_FN void rfi_hook_standard(int fd, const char *name) {
    if (fd >= 0 && fd <= STDERR_FILENO)
        rfi_hook_asks(RFI_ASKS_WHO, "what its standard input or output is, by %s", name);
}

int RFI_HOOK(isatty)(int fd) {
    bool ours = rfi.current && !rfi.quiet && fd >= 0 && fd <= STDERR_FILENO;
    return ours ? (errno = ENOTTY, 0) : RFI_REAL(isatty)(fd);
}

int RFI_HOOK(fstat)(int fd, struct stat *to) {
    rfi_hook_standard(fd, "fstat");
    rfi_call(RFI_CALLER(), "fstat", &rfi_hook_outside, RF_EV_READS);
    int error = RFI_REAL(fstat)(fd, to);
    if (!error) RFI_LEAVES(to, sizeof *to);
    return error;
}
RFI_SYSTEM_CHANGE(int, ftruncate, (int fd, off_t n), (fd, n))
RFI_SYSTEM_CHANGE(off_t, lseek, (int fd, off_t n, int from), (fd, n, from))
RFI_SYSTEM_CHANGE(int, dup, (int fd), (fd))
RFI_SYSTEM_CHANGE(int, fchmod, (int fd, mode_t mode), (fd, mode))
RFI_SYSTEM_CHANGE(int, bind, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))
RFI_SYSTEM_CHANGE(int, listen, (int fd, int n), (fd, n))
RFI_SYSTEM_TELL(int, connect, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))
RFI_SYSTEM_TELL(int, shutdown, (int fd, int how), (fd, how))
RFI_SYSTEM_LOOK(int, getsockopt, (int fd, int level, int name, void *to, socklen_t *n),
                (fd, level, name, to, n))
RFI_SYSTEM_CHANGE(int, setsockopt, (int fd, int level, int name, const void *to, socklen_t n),
                  (fd, level, name, to, n))

ssize_t RFI_HOOK(pread)(int from, void *p, size_t n, off_t at) {
    RFI_USES_FILE(from);
    rfi_call(RFI_CALLER(), "pread", &rfi_hook_outside, RF_EV_READS);
    ssize_t got = RFI_REAL(pread)(from, p, n, at);
    if (got > 0) RFI_WRITES(p, (size_t)got);
    return got;
}

ssize_t RFI_HOOK(pwrite)(int to, const void *p, size_t n, off_t at) {
    RFI_USES_FILE(to);
    RFI_READS(p, n);
    RFI_FILE_CALL("pwrite");
    return RFI_REAL(pwrite)(to, p, n, at);
}

int RFI_HOOK(ioctl)(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *of = va_arg(rest, void *); /* or a number, which is returned the same way */
    va_end(rest);
    rfi_hook_standard(fd, "ioctl");
    RFI_FILE_CALL("ioctl");
    return RFI_REAL(ioctl)(fd, request, of);
}

# ifdef __linux__
RFI_SYSTEM_CHANGE(int, inotify_add_watch, (int fd, const char *path, uint32_t what),
                  (fd, path, what))
# endif

/* ---- the process ---- */

long RFI_HOOK(sysconf)(int name) {
# ifdef _SC_NPROCESSORS_ONLN
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)
        rfi_hook_asks(RFI_ASKS_WHO, "the number of processors, by %s", "sysconf");
# endif
    return RFI_REAL(sysconf)(name);
}

/* What a child finds was done before it. */
RFI_SYSTEM_CHANGE(FILE *, popen, (const char *command, const char *how), (command, how))
RFI_SYSTEM_CHANGE(int, pclose, (FILE * file), (file))
typedef posix_spawn_file_actions_t rfi_spawn_files;
RFI_SYSTEM_CHANGE(int, posix_spawn,
                  (pid_t * id, const char *path, const rfi_spawn_files *files,
                   const posix_spawnattr_t *with, char *const *argv, char *const *names),
                  (id, path, files, with, argv, names))
RFI_SYSTEM_CHANGE(int, posix_spawnp,
                  (pid_t * id, const char *path, const rfi_spawn_files *files,
                   const posix_spawnattr_t *with, char *const *argv, char *const *names),
                  (id, path, files, with, argv, names))

RFI_SYSTEM_LOOK(char *, getcwd, (char *to, size_t n), (to, n))
RFI_SYSTEM_CHANGE(int, chdir, (const char *path), (path))
RFI_SYSTEM_CHANGE(int, fchdir, (int fd), (fd))
RFI_SYSTEM_CHANGE(mode_t, umask, (mode_t mask), (mask))
RFI_SYSTEM_CHANGE(char *, setlocale, (int category, const char *locale), (category, locale))
RFI_SYSTEM_CHANGE(int, nice, (int more), (more))

# ifdef __GLIBC__
typedef __priority_which_t rfi_priority_of;
typedef __rlimit_resource_t rfi_limit_of;
# else
typedef int rfi_priority_of, rfi_limit_of;
# endif
# define RFI_WHO(name) ((id_t)rfi_hook_task_there(# name, (int)which, (long)who))
RFI_SYSTEM_LOOK(int, getpriority, (rfi_priority_of which, id_t who), (which, RFI_WHO(getpriority)))
RFI_SYSTEM_CHANGE(int, setpriority, (rfi_priority_of which, id_t who, int n),
                  (which, RFI_WHO(setpriority), n))
RFI_SYSTEM_LOOK(int, getrlimit, (rfi_limit_of which, struct rlimit *to), (which, to))
RFI_SYSTEM_CHANGE(int, setrlimit, (rfi_limit_of which, const struct rlimit *to), (which, to))
RFI_SYSTEM_CHANGE(int, mprotect, (void *p, size_t n, int may), (p, n, may))

#endif
#endif

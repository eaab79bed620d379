/* hook/servers.h: more calls that change what all threads of a process see, or look at it, as
 * servers make them, and their names (hook/system.h).
 */
#ifndef RFI_HOOK_SERVERS_H
#define RFI_HOOK_SERVERS_H
#include "hook/spaces.h"
#include "hook/stdio.h"

#ifdef RFI_IMPL
# include <arpa/inet.h>
# include <sys/mman.h>
# include <sys/utsname.h>

# ifdef __linux__
#  pragma weak mq_close /* in some C libraries it is in one of its own, as in hook/spaces.h */
# endif

# define RFI_TOLD(type, name, parameters, arguments, to, n)       \
  type RFI_HOOK(name) parameters {                                \
   rfi_call(RFI_CALLER(), #name, &rfi_hook_outside, RF_EV_READS); \
   type error = RFI_REAL(name) arguments;                         \
   if (!error) RFI_LEAVES(to, n);                                 \
   return error;                                                  \
  }

/* ---- what is told of sockets and of the machine ---- */

RFI_TOLD(int, getsockname, (int fd, struct sockaddr *to, socklen_t *n), (fd, to, n), to, *n)
RFI_TOLD(int, getpeername, (int fd, struct sockaddr *to, socklen_t *n), (fd, to, n), to, *n)
RFI_TOLD(int, gethostname, (char *to, size_t n), (to, n), to, strnlen(to, n))
RFI_TOLD(int, uname, (struct utsname * to), (to), to, sizeof *to)
RFI_TOLD(int, fgetpos, (FILE * file, fpos_t *to), (file, to), to, sizeof *to)

/* ---- streams and files ---- */

RFI_SYSTEM_CHANGE(FILE *, fdopen, (int fd, const char *mode), (fd, mode))
RFI_SYSTEM_CHANGE(FILE *, fmemopen, (void *p, size_t n, const char *mode), (p, n, mode))
RFI_SYSTEM_CHANGE(FILE *, open_memstream, (char **to, size_t *n), (to, n))
RFI_SYSTEM_CHANGE(int, fsetpos, (FILE * file, const fpos_t *to), (file, to))
RFI_SYSTEM_CHANGE(int, fsync, (int fd), (fd))
RFI_SYSTEM_CHANGE(int, fdatasync, (int fd), (fd))
RFI_SYSTEM_CHANGE(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group))
RFI_SYSTEM_CHANGE(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
RFI_SYSTEM_CHANGE(int, mkfifo, (const char *path, mode_t mode), (path, mode))
RFI_SYSTEM_CHANGE(char *, mkdtemp, (char *name), (name))
RFI_SYSTEM_CHANGE(char *, realpath, (const char *path, char *to), (path, to))
RFI_SYSTEM_CHANGE(int, msync, (void *p, size_t n, int flags), (p, n, flags))

/* ---- the process ---- */

RFI_SYSTEM_CHANGE(pid_t, setsid, (void), ())
RFI_SYSTEM_CHANGE(int, setpgid, (pid_t process, pid_t group), (process, group))

/* ---- addresses ---- */

const char *RFI_HOOK(inet_ntop)(int family, const void *from, char *to, socklen_t n) {
    RFI_FINDS(from, family == AF_INET ? 4 : 16);
    const char *text = inet_ntop(family, from, to, n);
    if (text) RFI_LEAVES(to, strlen(text) + 1);
    return text;
}

int RFI_HOOK(inet_pton)(int family, const char *from, void *to) {
    RFI_FINDS(from, strlen(from) + 1);
    int done = inet_pton(family, from, to);
    if (done > 0) RFI_LEAVES(to, family == AF_INET ? 4 : 16);
    return done;
}

/* ---- the log ---- */

/* <syslog.h> has names that programs have, too. */
# define RFI_LOG(name, parameters, arguments) \
  void RFI_HOOK(name) parameters {            \
   extern void name parameters;               \
   RFI_FILE_CALL(#name);                      \
   RFI_REAL(name) arguments;                  \
  }

RFI_LOG(openlog, (const char *name, int options, int from), (name, options, from))
RFI_LOG(closelog, (void), ())
RFI_LOG(vsyslog, (int level, const char *format, va_list arguments), (level, format, arguments))

void RFI_HOOK(syslog)(int level, const char *format, ...) {
    extern void vsyslog(int level, const char *format, va_list arguments);
    va_list arguments;
    RFI_FILE_CALL("syslog");
    va_start(arguments, format);
    RFI_REAL(vsyslog)(level, format, arguments);
    va_end(arguments);
}

# ifdef __linux__
RFI_SYSTEM_CHANGE(int, dup3, (int fd, int to, int flags), (fd, to, flags))
RFI_SYSTEM_CHANGE(int, madvise, (void *p, size_t n, int advice), (p, n, advice))
RFI_SYSTEM_CHANGE(int, inotify_init1, (int flags), (flags))
RFI_SYSTEM_CHANGE(int, inotify_rm_watch, (int fd, int watch), (fd, watch))
RFI_SYSTEM_CHANGE(int, mq_close, (mqd_t q), (q))
# endif
#endif

/* ---- their names ---- */

#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# ifdef RFI_IMPL
#  define getsockname    __wrap_getsockname
#  define getpeername    __wrap_getpeername
#  define gethostname    __wrap_gethostname
#  define uname          __wrap_uname
#  define fgetpos        __wrap_fgetpos
#  define fdopen         __wrap_fdopen
#  define fmemopen       __wrap_fmemopen
#  define open_memstream __wrap_open_memstream
#  define fsetpos        __wrap_fsetpos
#  define fsync          __wrap_fsync
#  define fdatasync      __wrap_fdatasync
#  define chown          __wrap_chown
#  define fchown         __wrap_fchown
#  define mkfifo         __wrap_mkfifo
#  define mkdtemp        __wrap_mkdtemp
#  define realpath       __wrap_realpath
#  define msync          __wrap_msync
#  define setsid         __wrap_setsid
#  define setpgid        __wrap_setpgid
#  define shm_open       __wrap_shm_open
#  define shm_unlink     __wrap_shm_unlink
#  define shmget         __wrap_shmget
#  define shmctl         __wrap_shmctl
#  define msgget         __wrap_msgget
#  define msgctl         __wrap_msgctl
#  define semget         __wrap_semget
#  define semctl         __wrap_semctl
#  define inet_ntop      __wrap_inet_ntop
#  define inet_pton      __wrap_inet_pton
#  define syslog         __wrap_syslog
#  define vsyslog        __wrap_vsyslog
#  define openlog        __wrap_openlog
#  define closelog       __wrap_closelog
#  ifdef __linux__
#   define dup3             __wrap_dup3
#   define madvise          __wrap_madvise
#   define inotify_init1    __wrap_inotify_init1
#   define inotify_rm_watch __wrap_inotify_rm_watch
#   define mq_close         __wrap_mq_close
#   define mq_unlink        __wrap_mq_unlink
#   define mq_open          __wrap_mq_open
#  endif
# else
RFI_RENAME(getsockname)
RFI_RENAME(getpeername)
RFI_RENAME(gethostname)
RFI_RENAME(uname)
RFI_RENAME(fgetpos)
RFI_RENAME(fdopen)
RFI_RENAME(fmemopen)
RFI_RENAME(open_memstream)
RFI_RENAME(fsetpos)
RFI_RENAME(fsync)
RFI_RENAME(fdatasync)
RFI_RENAME(chown)
RFI_RENAME(fchown)
RFI_RENAME(mkfifo)
RFI_RENAME(mkdtemp)
RFI_RENAME(realpath)
RFI_RENAME(msync)
RFI_RENAME(setsid)
RFI_RENAME(setpgid)
RFI_RENAME(shm_open)
RFI_RENAME(shm_unlink)
RFI_RENAME(shmget)
RFI_RENAME(shmctl)
RFI_RENAME(msgget)
RFI_RENAME(msgctl)
RFI_RENAME(semget)
RFI_RENAME(semctl)
RFI_RENAME(inet_ntop)
RFI_RENAME(inet_pton)
RFI_RENAME(syslog)
RFI_RENAME(vsyslog)
RFI_RENAME(openlog)
RFI_RENAME(closelog)
#  ifdef __linux__
RFI_RENAME(dup3)
RFI_RENAME(madvise)
RFI_RENAME(inotify_init1)
RFI_RENAME(inotify_rm_watch)
RFI_RENAME(mq_close)
RFI_RENAME(mq_unlink)
RFI_RENAME(mq_open)
#  endif
# endif
#endif
#endif

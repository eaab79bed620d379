/* hook/names.h: RF_HOOK_PTHREAD gives the names of <pthread.h> and its kin to the engine,
 * RF_HOOK_THREADS those of <threads.h>.
 *
 * Plain renaming: the C library's own headers, read afterwards, declare the new names.  So it works
 * before anything else in a unit (-include racefuzz.h), whatever the unit defines first.  Names
 * that are common words are renamed in calls and declarations only.
 */
#ifndef RFI_HOOK_NAMES_H
#define RFI_HOOK_NAMES_H
#include "hook/actions.h"
#include "hook/annotate.h"
#include "hook/buffered.h"
#include "hook/c11.h"
#include "hook/chance.h"
#include "hook/clocks.h"
#include "hook/cxx.h"
#include "hook/files.h"
#include "hook/futex.h"
#include "hook/heap.h"
#include "hook/library.h"
#include "hook/locks.h"
#include "hook/maps.h"
#include "hook/messages.h"
#include "hook/named.h"
#include "hook/opens.h"
#include "hook/others.h"
#include "hook/polls.h"
#include "hook/processes.h"
#include "hook/servers.h"
#include "hook/stdio.h"
#include "hook/strings.h"
#include "hook/syscall.h"
#include "hook/system.h"
#include "hook/threads.h"

/* The unit says what it wants of the C library, although ours has been read with everything. */
#if defined RFI_HOOKS && defined RFI_IMPL
# undef _GNU_SOURCE
#endif

/* In C++ other libraries name these functions without calling them; there the linker's --wrap leads
 * to the engine. */
#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# undef __EXCEPTIONS /* -fexceptions: pthread_cleanup_push is the one that __wrap_ serves */
# define __cxa_guard_acquire                 __wrap___cxa_guard_acquire
# define __cxa_guard_release                 __wrap___cxa_guard_release
# define __cxa_guard_abort                   __wrap___cxa_guard_abort
# define _ZNSt13random_device9_M_getvalEv    __wrap__ZNSt13random_device9_M_getvalEv
# define __cxa_thread_atexit_impl            __wrap___cxa_thread_atexit_impl
# define _ZNSt3__111__call_onceERVmPvPFvS2_E __wrap__ZNSt3__111__call_onceERVmPvPFvS2_E
# undef pthread_equal /* musl's is a macro */
# define pthread_mutex_init           __wrap_pthread_mutex_init
# define pthread_mutex_destroy        __wrap_pthread_mutex_destroy
# define pthread_mutex_lock           __wrap_pthread_mutex_lock
# define pthread_mutex_trylock        __wrap_pthread_mutex_trylock
# define pthread_mutex_timedlock      __wrap_pthread_mutex_timedlock
# define pthread_mutex_clocklock      __wrap_pthread_mutex_clocklock
# define pthread_mutex_unlock         __wrap_pthread_mutex_unlock
# define pthread_mutex_consistent     __wrap_pthread_mutex_consistent
# define pthread_rwlock_init          __wrap_pthread_rwlock_init
# define pthread_rwlock_destroy       __wrap_pthread_rwlock_destroy
# define pthread_rwlock_rdlock        __wrap_pthread_rwlock_rdlock
# define pthread_rwlock_wrlock        __wrap_pthread_rwlock_wrlock
# define pthread_rwlock_tryrdlock     __wrap_pthread_rwlock_tryrdlock
# define pthread_rwlock_trywrlock     __wrap_pthread_rwlock_trywrlock
# define pthread_rwlock_timedrdlock   __wrap_pthread_rwlock_timedrdlock
# define pthread_rwlock_timedwrlock   __wrap_pthread_rwlock_timedwrlock
# define pthread_rwlock_clockrdlock   __wrap_pthread_rwlock_clockrdlock
# define pthread_rwlock_clockwrlock   __wrap_pthread_rwlock_clockwrlock
# define pthread_rwlock_unlock        __wrap_pthread_rwlock_unlock
# define pthread_cond_init            __wrap_pthread_cond_init
# define pthread_cond_destroy         __wrap_pthread_cond_destroy
# define pthread_cond_wait            __wrap_pthread_cond_wait
# define pthread_cond_timedwait       __wrap_pthread_cond_timedwait
# define pthread_cond_clockwait       __wrap_pthread_cond_clockwait
# define pthread_cond_signal          __wrap_pthread_cond_signal
# define pthread_cond_broadcast       __wrap_pthread_cond_broadcast
# define pthread_barrier_init         __wrap_pthread_barrier_init
# define pthread_barrier_destroy      __wrap_pthread_barrier_destroy
# define pthread_barrier_wait         __wrap_pthread_barrier_wait
# define sem_init                     __wrap_sem_init
# define sem_destroy                  __wrap_sem_destroy
# define sem_wait                     __wrap_sem_wait
# define sem_trywait                  __wrap_sem_trywait
# define sem_timedwait                __wrap_sem_timedwait
# define sem_clockwait                __wrap_sem_clockwait
# define sem_post                     __wrap_sem_post
# define sem_getvalue                 __wrap_sem_getvalue
# define pthread_spin_init            __wrap_pthread_spin_init
# define pthread_spin_destroy         __wrap_pthread_spin_destroy
# define pthread_spin_lock            __wrap_pthread_spin_lock
# define pthread_spin_trylock         __wrap_pthread_spin_trylock
# define pthread_spin_unlock          __wrap_pthread_spin_unlock
# define pthread_once                 __wrap_pthread_once
# define pthread_key_create           __wrap_pthread_key_create
# define pthread_key_delete           __wrap_pthread_key_delete
# define pthread_getspecific          __wrap_pthread_getspecific
# define pthread_setspecific          __wrap_pthread_setspecific
# define pthread_create               __wrap_pthread_create
# define pthread_join                 __wrap_pthread_join
# define pthread_detach               __wrap_pthread_detach
# define pthread_self                 __wrap_pthread_self
# define pthread_atfork               __wrap_pthread_atfork
# define pthread_equal                __wrap_pthread_equal
# define sched_yield                  __wrap_sched_yield
# define __pthread_register_cancel    __wrap___pthread_register_cancel
# define __pthread_unregister_cancel  __wrap___pthread_unregister_cancel
# define __pthread_unwind_next        __wrap___pthread_unwind_next
# define pthread_exit                 __wrap_pthread_exit
# define pthread_cancel               __wrap_pthread_cancel
# define pthread_testcancel           __wrap_pthread_testcancel
# define pthread_setcancelstate       __wrap_pthread_setcancelstate
# define pthread_setcanceltype        __wrap_pthread_setcanceltype
# define sem_open                     __wrap_sem_open
# define sem_close                    __wrap_sem_close
# define sem_unlink                   __wrap_sem_unlink
# define pthread_tryjoin_np           __wrap_pthread_tryjoin_np
# define pthread_timedjoin_np         __wrap_pthread_timedjoin_np
# define pthread_clockjoin_np         __wrap_pthread_clockjoin_np
# define pthread_kill                 __wrap_pthread_kill
# define pthread_sigqueue             __wrap_pthread_sigqueue
# define pthread_sigmask              __wrap_pthread_sigmask
# define sigprocmask                  __wrap_sigprocmask
# define sigwait                      __wrap_sigwait
# define sigwaitinfo                  __wrap_sigwaitinfo
# define sigtimedwait                 __wrap_sigtimedwait
# define pthread_setschedparam        __wrap_pthread_setschedparam
# define pthread_getschedparam        __wrap_pthread_getschedparam
# define pthread_setschedprio         __wrap_pthread_setschedprio
# define sched_setscheduler           __wrap_sched_setscheduler
# define sched_getscheduler           __wrap_sched_getscheduler
# define sched_setparam               __wrap_sched_setparam
# define sched_getparam               __wrap_sched_getparam
# define pthread_getcpuclockid        __wrap_pthread_getcpuclockid
# define pthread_mutex_getprioceiling __wrap_pthread_mutex_getprioceiling
# define pthread_mutex_setprioceiling __wrap_pthread_mutex_setprioceiling
# define pthread_mutex_consistent_np  __wrap_pthread_mutex_consistent_np
# define pthread_setname_np           __wrap_pthread_setname_np
# define pthread_getname_np           __wrap_pthread_getname_np
# define pthread_setaffinity_np       __wrap_pthread_setaffinity_np
# define pthread_getaffinity_np       __wrap_pthread_getaffinity_np
# define sched_setaffinity            __wrap_sched_setaffinity
# define sched_getaffinity            __wrap_sched_getaffinity
# define sched_getcpu                 __wrap_sched_getcpu
# define pthread_getattr_np           __wrap_pthread_getattr_np
# define pthread_yield                __wrap_pthread_yield
# define flockfile                    __wrap_flockfile
# define ftrylockfile                 __wrap_ftrylockfile
# define funlockfile                  __wrap_funlockfile
# define clock_gettime                __wrap_clock_gettime
# define gettimeofday                 __wrap_gettimeofday
# define time(...)                    __wrap_time(__VA_ARGS__)
# define clock(...)                   __wrap_clock(__VA_ARGS__)
# define nanosleep                    __wrap_nanosleep
# define clock_nanosleep              __wrap_clock_nanosleep
# define usleep                       __wrap_usleep
# define timespec_get                 __wrap_timespec_get
# define sleep(...)                   __wrap_sleep(__VA_ARGS__)
#endif

#if (defined RF_HOOK_THREADS || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# undef thrd_equal /* musl's is a macro */
# define thrd_create   __wrap_thrd_create
# define thrd_join     __wrap_thrd_join
# define thrd_detach   __wrap_thrd_detach
# define thrd_exit     __wrap_thrd_exit
# define thrd_current  __wrap_thrd_current
# define thrd_equal    __wrap_thrd_equal
# define thrd_yield    __wrap_thrd_yield
# define thrd_sleep    __wrap_thrd_sleep
# define mtx_init      __wrap_mtx_init
# define mtx_lock      __wrap_mtx_lock
# define mtx_trylock   __wrap_mtx_trylock
# define mtx_timedlock __wrap_mtx_timedlock
# define mtx_unlock    __wrap_mtx_unlock
# define mtx_destroy   __wrap_mtx_destroy
# define cnd_init      __wrap_cnd_init
# define cnd_wait      __wrap_cnd_wait
# define cnd_timedwait __wrap_cnd_timedwait
# define cnd_signal    __wrap_cnd_signal
# define cnd_broadcast __wrap_cnd_broadcast
# define cnd_destroy   __wrap_cnd_destroy
# define tss_create    __wrap_tss_create
# define tss_get       __wrap_tss_get
# define tss_set       __wrap_tss_set
# define tss_delete    __wrap_tss_delete
# define call_once     __wrap_call_once
# define timespec_get  __wrap_timespec_get
#endif

#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# ifdef RFI_IMPL
#  ifdef __linux__
#   define syscall __wrap_syscall
#   define gettid  __wrap_gettid
#   define tgkill  __wrap_tgkill
#  endif
#  ifdef __linux__
#   define epoll_wait  __wrap_epoll_wait
#   define epoll_pwait __wrap_epoll_pwait
#   define epoll_ctl   __wrap_epoll_ctl
#  endif
#  define poll               __wrap_poll
#  define ppoll              __wrap_ppoll
#  define select             __wrap_select
#  define pselect            __wrap_pselect
#  define getrandom          __wrap_getrandom
#  define getentropy         __wrap_getentropy
#  define arc4random         __wrap_arc4random
#  define arc4random_buf     __wrap_arc4random_buf
#  define arc4random_uniform __wrap_arc4random_uniform
#  define rand               __wrap_rand
#  define srand              __wrap_srand
#  define random             __wrap_random
#  define srandom            __wrap_srandom
#  define drand48            __wrap_drand48
#  define lrand48            __wrap_lrand48
#  define mrand48            __wrap_mrand48
#  define srand48            __wrap_srand48
#  define seed48             __wrap_seed48
#  define lcong48            __wrap_lcong48
#  define open               __wrap_open
#  define openat             __wrap_openat
#  define fopen              __wrap_fopen
#  define getpid             __wrap_getpid
#  define sbrk               __wrap_sbrk
#  define brk                __wrap_brk
#  define mmap               __wrap_mmap
#  define munmap             __wrap_munmap
#  define mremap             __wrap_mremap
#  define shmat              __wrap_shmat
#  define shmdt              __wrap_shmdt
#  define read               __wrap_read
#  define write              __wrap_write
#  define readv              __wrap_readv
#  define writev             __wrap_writev
#  define recv               __wrap_recv
#  define recvfrom           __wrap_recvfrom
#  define recvmsg            __wrap_recvmsg
#  define send               __wrap_send
#  define sendto             __wrap_sendto
#  define sendmsg            __wrap_sendmsg
#  define accept             __wrap_accept
#  define fgets              __wrap_fgets
#  define fgetc              __wrap_fgetc
#  define getc               __wrap_getc
#  define getchar            __wrap_getchar
#  define fread              __wrap_fread
#  define flock              __wrap_flock
#  define lockf              __wrap_lockf
#  define fcntl              __wrap_fcntl
#  define sigsuspend         __wrap_sigsuspend
#  define pause              __wrap_pause
#  define raise              __wrap_raise
#  define kill               __wrap_kill
#  define killpg             __wrap_killpg
#  define sigqueue           __wrap_sigqueue
#  define alarm              __wrap_alarm
#  define ualarm             __wrap_ualarm
#  define setitimer          __wrap_setitimer
#  define getitimer          __wrap_getitimer
#  define timer_create       __wrap_timer_create
#  define timer_delete       __wrap_timer_delete
#  define timer_settime      __wrap_timer_settime
#  define timer_gettime      __wrap_timer_gettime
#  define timer_getoverrun   __wrap_timer_getoverrun
#  define sigpending         __wrap_sigpending
#  define siglongjmp         __wrap_siglongjmp
#  define longjmp            __wrap_longjmp
#  define sigaction(...)     __wrap_sigaction(__VA_ARGS__) /* a struct has this name, too */
#  define signal(...)        __wrap_signal(__VA_ARGS__)
#  define __sysv_signal      __wrap___sysv_signal
#  define wait               __wrap_wait
#  define waitpid            __wrap_waitpid
#  define wait3              __wrap_wait3
#  define wait4              __wrap_wait4
#  define waitid             __wrap_waitid
#  define fork               __wrap_fork
#  define vfork              __wrap_vfork
#  define system(c)          __wrap_system(c)
#  define popen              __wrap_popen
#  define pclose             __wrap_pclose
#  define posix_spawn        __wrap_posix_spawn
#  define posix_spawnp       __wrap_posix_spawnp
#  define close              __wrap_close
#  define dup2               __wrap_dup2
#  define faccessat          __wrap_faccessat
#  define fstatat            __wrap_fstatat
#  define unlinkat           __wrap_unlinkat
#  define mkdirat            __wrap_mkdirat
#  define renameat           __wrap_renameat
#  define fchmod             __wrap_fchmod
#  define bind(f, a, n)      __wrap_bind(f, a, n)
#  define listen(f, n)       __wrap_listen(f, n)
#  define connect(f, a, n)   __wrap_connect(f, a, n)
#  define shutdown(f, h)     __wrap_shutdown(f, h)
#  define socketpair         __wrap_socketpair
#  define getsockopt         __wrap_getsockopt
#  define setsockopt         __wrap_setsockopt
#  define mprotect           __wrap_mprotect
#  define access(p, m)       __wrap_access(p, m)
#  define stat(p, s)         __wrap_stat(p, s)
#  define lstat(p, s)        __wrap_lstat(p, s)
#  define readlink           __wrap_readlink
#  define unlink             __wrap_unlink
#  define remove(p)          __wrap_remove(p)
#  define rename(a, b)       __wrap_rename(a, b)
#  define link(a, b)         __wrap_link(a, b)
#  define symlink            __wrap_symlink
#  define mkdir              __wrap_mkdir
#  define rmdir              __wrap_rmdir
#  define chmod              __wrap_chmod
#  define truncate(p, n)     __wrap_truncate(p, n)
#  define fstat(f, s)        __wrap_fstat(f, s)
#  define isatty             __wrap_isatty
#  define sysconf            __wrap_sysconf
#  define opendir            __wrap_opendir
#  define scandir            __wrap_scandir
#  define ftruncate          __wrap_ftruncate
#  define lseek              __wrap_lseek
#  define dup(f)             __wrap_dup(f)
#  define pread              __wrap_pread
#  define pwrite             __wrap_pwrite
#  define ioctl              __wrap_ioctl
#  define getcwd             __wrap_getcwd
#  define chdir              __wrap_chdir
#  define fchdir             __wrap_fchdir
#  define umask              __wrap_umask
#  define setlocale          __wrap_setlocale
#  define nice(n)            __wrap_nice(n)
#  define getpriority        __wrap_getpriority
#  define setpriority        __wrap_setpriority
#  define getrlimit          __wrap_getrlimit
#  define setrlimit          __wrap_setrlimit
#  ifdef __linux__
#   define inotify_add_watch __wrap_inotify_add_watch
#   define mq_receive        __wrap_mq_receive
#   define mq_timedreceive   __wrap_mq_timedreceive
#   define mq_send           __wrap_mq_send
#   define mq_timedsend      __wrap_mq_timedsend
#   if defined SYS_msgsnd && defined SYS_semtimedop
#    define msgsnd     __wrap_msgsnd
#    define msgrcv     __wrap_msgrcv
#    define semop      __wrap_semop
#    define semtimedop __wrap_semtimedop
#   endif
#   define accept4         __wrap_accept4
#   define eventfd_read    __wrap_eventfd_read
#   define eventfd_write   __wrap_eventfd_write
#   define signalfd        __wrap_signalfd
#   define timerfd_create  __wrap_timerfd_create
#   define timerfd_settime __wrap_timerfd_settime
#   define timerfd_gettime __wrap_timerfd_gettime
#  endif
# else
/* With it the real poll is called where the size of what it is given is known. */
#  undef _FORTIFY_SOURCE
#  ifdef __linux__
RFI_RENAME(syscall)
RFI_RENAME(gettid)
RFI_RENAME(tgkill)
RFI_RENAME(mq_receive)
RFI_RENAME(mq_timedreceive)
RFI_RENAME(mq_send)
RFI_RENAME(mq_timedsend)
RFI_RENAME(msgsnd)
RFI_RENAME(msgrcv)
RFI_RENAME(semop)
RFI_RENAME(semtimedop)
RFI_RENAME(epoll_wait)
RFI_RENAME(epoll_pwait)
RFI_RENAME(epoll_ctl)
RFI_RENAME(inotify_add_watch)
#  endif
RFI_RENAME(poll)
RFI_RENAME(ppoll)
RFI_RENAME(select)
RFI_RENAME(pselect)
RFI_RENAME(getrandom)
RFI_RENAME(getentropy)
RFI_RENAME(arc4random)
RFI_RENAME(arc4random_buf)
RFI_RENAME(arc4random_uniform)
RFI_RENAME(rand)
RFI_RENAME(srand)
RFI_RENAME(random)
RFI_RENAME(srandom)
RFI_RENAME(drand48)
RFI_RENAME(lrand48)
RFI_RENAME(mrand48)
RFI_RENAME(srand48)
RFI_RENAME(seed48)
RFI_RENAME(lcong48)
RFI_RENAME(open)
RFI_RENAME(openat)
RFI_RENAME(fopen)
RFI_RENAME(getpid)
RFI_RENAME(sbrk)
RFI_RENAME(brk)
RFI_RENAME(mmap)
RFI_RENAME(munmap)
RFI_RENAME(mremap)
RFI_RENAME(shmat)
RFI_RENAME(shmdt)
RFI_RENAME(read)
RFI_RENAME(write)
RFI_RENAME(readv)
RFI_RENAME(writev)
RFI_RENAME(recv)
RFI_RENAME(recvfrom)
RFI_RENAME(recvmsg)
RFI_RENAME(send)
RFI_RENAME(sendto)
RFI_RENAME(sendmsg)
RFI_RENAME(accept)
RFI_RENAME(fgets)
RFI_RENAME(fgetc)
RFI_RENAME(getc)
RFI_RENAME(getchar)
RFI_RENAME(fread)
RFI_RENAME(flock)
RFI_RENAME(lockf)
RFI_RENAME(fcntl)
RFI_RENAME(sigsuspend)
RFI_RENAME(pause)
RFI_RENAME(raise)
RFI_RENAME(kill)
RFI_RENAME(killpg)
RFI_RENAME(sigqueue)
RFI_RENAME(alarm)
RFI_RENAME(ualarm)
RFI_RENAME(setitimer)
RFI_RENAME(getitimer)
RFI_RENAME(timer_create)
RFI_RENAME(timer_delete)
RFI_RENAME(timer_settime)
RFI_RENAME(timer_gettime)
RFI_RENAME(timer_getoverrun)
RFI_RENAME(sigpending)
RFI_RENAME(siglongjmp)
RFI_RENAME(longjmp)
RFI_RENAME(sigaction)
RFI_RENAME(signal)
RFI_RENAME(wait)
RFI_RENAME(waitpid)
RFI_RENAME(wait3)
RFI_RENAME(wait4)
RFI_RENAME(waitid)
RFI_RENAME(fork)
RFI_RENAME(vfork)
RFI_RENAME(system)
RFI_RENAME(popen)
RFI_RENAME(pclose)
RFI_RENAME(posix_spawn)
RFI_RENAME(posix_spawnp)
RFI_RENAME(close)
RFI_RENAME(dup2)
RFI_RENAME(access)
RFI_RENAME(faccessat)
RFI_RENAME(fstatat)
RFI_RENAME(unlinkat)
RFI_RENAME(mkdirat)
RFI_RENAME(renameat)
RFI_RENAME(fchmod)
RFI_RENAME(bind)
RFI_RENAME(listen)
RFI_RENAME(connect)
RFI_RENAME(shutdown)
RFI_RENAME(socketpair)
RFI_RENAME(getsockopt)
RFI_RENAME(setsockopt)
RFI_RENAME(mprotect)
RFI_RENAME(stat)
RFI_RENAME(lstat)
RFI_RENAME(readlink)
RFI_RENAME(unlink)
RFI_RENAME(remove)
RFI_RENAME(rename)
RFI_RENAME(link)
RFI_RENAME(symlink)
RFI_RENAME(mkdir)
RFI_RENAME(rmdir)
RFI_RENAME(chmod)
RFI_RENAME(truncate)
RFI_RENAME(fstat)
RFI_RENAME(isatty)
RFI_RENAME(sysconf)
RFI_RENAME(opendir)
RFI_RENAME(scandir)
RFI_RENAME(ftruncate)
RFI_RENAME(lseek)
RFI_RENAME(dup)
RFI_RENAME(pread)
RFI_RENAME(pwrite)
RFI_RENAME(ioctl)
RFI_RENAME(getcwd)
RFI_RENAME(chdir)
RFI_RENAME(fchdir)
RFI_RENAME(umask)
RFI_RENAME(setlocale)
RFI_RENAME(nice)
RFI_RENAME(getpriority)
RFI_RENAME(setpriority)
RFI_RENAME(getrlimit)
RFI_RENAME(setrlimit)
RFI_RENAME(accept4)
RFI_RENAME(eventfd_read)
RFI_RENAME(eventfd_write)
RFI_RENAME(signalfd)
RFI_RENAME(timerfd_create)
RFI_RENAME(timerfd_settime)
RFI_RENAME(timerfd_gettime)
#  ifdef __ELF__
/* What the same functions are called where files may be large. */
__asm__(".set open64, __wrap_open");
__asm__(".set openat64, __wrap_openat");
__asm__(".set fopen64, __wrap_fopen");
__asm__(".set mmap64, __wrap_mmap");
__asm__(".set fcntl64, __wrap_fcntl");
__asm__(".set lockf64, __wrap_lockf");
__asm__(".set stat64, __wrap_stat");
__asm__(".set fstatat64, __wrap_fstatat");
__asm__(".set lstat64, __wrap_lstat");
__asm__(".set fstat64, __wrap_fstat");
__asm__(".set scandir64, __wrap_scandir");
__asm__(".set truncate64, __wrap_truncate");
__asm__(".set ftruncate64, __wrap_ftruncate");
__asm__(".set lseek64, __wrap_lseek");
__asm__(".set pread64, __wrap_pread");
__asm__(".set pwrite64, __wrap_pwrite");
__asm__(".set getrlimit64, __wrap_getrlimit");
__asm__(".set setrlimit64, __wrap_setrlimit");
/* And signal, in strict C and X/Open. */
__asm__(".set __sysv_signal, __wrap___sysv_signal");
#  endif
# endif
#endif

#if (defined RF_HOOK_MALLOC || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# ifdef RFI_IMPL
#  define malloc             __wrap_malloc
#  define calloc             __wrap_calloc
#  define realloc            __wrap_realloc
#  define reallocarray       __wrap_reallocarray
#  define free               __wrap_free
#  define aligned_alloc      __wrap_aligned_alloc
#  define posix_memalign     __wrap_posix_memalign
#  define memalign           __wrap_memalign
#  define valloc             __wrap_valloc
#  define malloc_usable_size __wrap_malloc_usable_size
#  define strdup             __wrap_strdup
#  define strndup            __wrap_strndup
#  define getline            __wrap_getline
#  define getdelim           __wrap_getdelim
#  define __getdelim         __wrap___getdelim
#  define vasprintf          __wrap_vasprintf
#  define asprintf           __wrap_asprintf
# else
RFI_RENAME(malloc)
RFI_RENAME(calloc)
RFI_RENAME(realloc)
RFI_RENAME(reallocarray)
RFI_RENAME(free)
RFI_RENAME(aligned_alloc)
RFI_RENAME(posix_memalign)
RFI_RENAME(memalign)
RFI_RENAME(valloc)
RFI_RENAME(malloc_usable_size)
RFI_RENAME(strdup)
RFI_RENAME(strndup)
RFI_RENAME(getline)
RFI_RENAME(getdelim)
RFI_RENAME(__getdelim)
RFI_RENAME(vasprintf)
RFI_RENAME(asprintf)
#  ifdef __ELF__
/* gcc makes calloc of malloc and memset, and malloc of realloc(NULL, n); clang does not rename what
 * was never declared. */
__asm__(".set calloc, __wrap_calloc");
__asm__(".set malloc, __wrap_malloc");
#   ifdef __clang__
__asm__(".set realloc, __wrap_realloc");
__asm__(".set free, __wrap_free");
#   endif
#  endif
# endif
#endif
#endif

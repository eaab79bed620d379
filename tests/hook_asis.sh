#!/bin/sh
# Code as people have it: each row is a program that was in the way once, built as it is, with and
# without its plain accesses seen.
name=hook_asis
. tests/try.sh

engine_by "$CC" program "$work/program.o"
engine "$CC"
seen="-fsanitize=thread -DRF_HOOK_COMPILER"

# row NAME FLAGS STATUS WORDS OPTION... <PROGRAM: what it ends with, and a line of its report.
row() {
    row=$1 flags=$2 end=$3 words=$4
    shift 4
    { echo '#line 1 "'"$row"'.c"'; cat; } >"$work/$row.c"
    case $flags in *"$seen"*) ;; *) try as_it_is "$row" program "$@" ;; esac
    flags="$flags $seen"
    try as_it_is "$row" "$CC" "$@"
}

as_it_is() {
    engine=$work/$2.o
    shift 2
    unedited "$CC" "$work/$row.c" "$engine" -w $flags
    gives "$end" out timeout 60 "$work/$row" --executions=60 "$@"
    says out "$words"
    [ "$end" -eq 1 ] || return 0
    replays "$(token out)" timeout 60 "$work/$row" "$@"
    says again 'all steps'
}

row void_main -DRF_VOID_MAIN 0 '1 passed' <<'END'
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *p) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return p;
}
void main() {
    pthread_t t;
    pthread_create(&t, 0, adds, 0);
    adds(0);
    pthread_join(t, 0);
    n == 2 || (n = 7);
}
END

row files_that_do_not_block '' 0 '1 passed' <<'END'
#include "check.h"
static int ends[2];
static void *writes(void *p) { return assert(write(ends[1], "x", 1) == 1), p; }
int main(void) {
    pthread_t t;
    char c;
    assert(!pipe2(ends, O_NONBLOCK));
    assert(read(ends[0], &c, 1) == -1 && errno == EAGAIN);
    assert(read(ends[1], &c, 1) == -1 && errno == EBADF);
    pthread_create(&t, 0, writes, 0);
    while (read(ends[0], &c, 1) != 1) assert(errno == EAGAIN);
    return pthread_join(t, 0);
}
END

row own_functions '' 0 '1 passed' <<'END'
#include <assert.h>
#include <pthread.h>
static int calls;
static int sleep(int n) { return calls += n; }
static int poll(int n) { return calls += n; }
static int read(int n) { return calls += n; }
int usleep(int n);
int send(int n);
int usleep(int n) { return calls += n; }
int send(int n) { return calls += n; }
static void *nothing(void *p) { return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    sleep(1), poll(1), read(1), usleep(1), send(1);
    assert(calls == 5);
    return 0;
}
END

row own_number_of_barriers '' 0 '1 passed' <<'END'
#include <pthread.h>
#undef PTHREAD_BARRIER_SERIAL_THREAD
#define PTHREAD_BARRIER_SERIAL_THREAD -1
static pthread_barrier_t b;
static int serial;
static void *meets(void *p) {
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, meets, 0);
    meets(0);
    pthread_join(t, 0);
    return serial != 1;
}
END

row races_that_are_accepted '' 0 '1 passed' <<'END'
#include <pthread.h>
static int n;
__attribute__((no_sanitize_thread)) static void counts(void) { n++; }
static void *adds(void *p) {
    counts();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, adds, 0);
    counts();
    pthread_join(t, 0);
    return n > 2;
}
END

row own_threads_of_c11 '' 0 '1 passed' <<'END'
#include "check.h"
typedef struct { pthread_mutex_t m; } mtx_t;
typedef pthread_t thrd_t;
typedef struct { int (*f)(void *); void *arg; } start;
int mtx_init(mtx_t *m, int type) { return pthread_mutex_init(&m->m, 0) + 0 * type; }
int mtx_lock(mtx_t *m) { return pthread_mutex_lock(&m->m); }
int mtx_unlock(mtx_t *m) { return pthread_mutex_unlock(&m->m); }
static void *run(void *p) {
    start s = *(start *)p;
    free(p);
    return (void *)(long)s.f(s.arg);
}
int thrd_create(thrd_t *t, int (*f)(void *), void *arg) {
    start *s = malloc(sizeof *s);
    *s = (start){f, arg};
    return pthread_create(t, 0, run, s);
}
int thrd_join(thrd_t t, int *result) {
    void *r;
    pthread_join(t, &r);
    *result = (int)(long)r;
    return 0;
}
static mtx_t m;
static int n;
static int adds(void *p) {
    mtx_lock(&m);
    n++;
    mtx_unlock(&m);
    return p ? 1 : 3;
}
int main(void) {
    thrd_t t;
    int result;
    mtx_init(&m, 0);
    thrd_create(&t, adds, 0);
    adds(0);
    thrd_join(t, &result);
    assert(n == 2 && result == 3);
    return 0;
}
END

frees='static void *frees(void *p) {
    OWN
    free(p);
    return 0;
}
int main(void) {
    pthread_t t;
    void *p = malloc(10);
    pthread_create(&t, 0, frees, p);
    pthread_join(t, 0);
    frees(p);
    return 0;
}'
# No // here, nor `inline`, nor a declaration in `for`.
row c90 '-ansi -pedantic-errors -D_POSIX_C_SOURCE=200809L -DOWN=' 1 'freed' <<END
#include <pthread.h>
#include <stdlib.h>
$frees
END
row own_prototypes '' 1 'freed' <<END
#include <pthread.h>
extern void *malloc(unsigned long);
#define OWN extern void free(void *);
$frees
END
row no_prototypes '-Wno-implicit-function-declaration -DOWN=' 1 'freed' <<END
#include <pthread.h>
$frees
END

row large_stacks '' 0 '1 passed' --executions=5 <<'END'
#include "check.h"
static void *uses(void *p) {
    char b[1000000];
    memset(b, 1, sizeof b);
    return p;
}
static void *uses_more(void *p) {
    char b[12000000];
    memset(b, 1, sizeof b);
    pthread_attr_t a;
    size_t n;
    assert(!pthread_getattr_np(pthread_self(), &a) && !pthread_attr_getstacksize(&a, &n));
    assert(n >= 1 << 24);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_attr_t a;
    size_t n;
    pthread_create(&t, 0, uses, 0);
    pthread_join(t, 0);
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 1 << 24);
    pthread_create(&t, &a, uses_more, 0);
    pthread_join(t, 0);
    pthread_getattr_np(pthread_self(), &a);
    assert(!pthread_attr_getstacksize(&a, &n) && n >= 1 << 22);
    return 0;
}
END

row robust '' 0 '1 passed' <<'END'
#include "check.h"
static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int told;
static void *leaves(void *p) {
    assert(!pthread_mutex_lock(&m));
    told = 1;
    pthread_cond_signal(&c);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_mutexattr_t a;
    int end = 0;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    assert(!pthread_mutex_lock(&m));
    pthread_create(&t, 0, leaves, 0);
    while (!told) end = pthread_cond_wait(&c, &m);
    assert(end == EOWNERDEAD && !pthread_mutex_consistent(&m) && !pthread_mutex_unlock(&m));
    pthread_join(t, 0);
    pthread_create(&t, 0, leaves, 0);
    pthread_join(t, 0);
    assert(pthread_mutex_trylock(&m) == EOWNERDEAD && !pthread_mutex_unlock(&m));
    assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE);
    assert(!pthread_mutex_destroy(&m));
    return 0;
}
END

cat >"$work/returns" <<'END'
#include <pthread.h>
static void *nothing(void *p) { return p; }
int main(int argc, char **argv, char **variables) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    return variables[0] ? 2 : 1;
}
END
row status_that_is_success '' 0 '1 passed' --success=0,2 <"$work/returns"
row status_that_is_none '' 1 'main returned 2' --success=0,3 <"$work/returns"

cat >"$work/chance" <<'END'
#include "check.h"
static void *rolls(void *p) { return assert(rand() % 4 != 1), p; }
int main(void) {
    pthread_t t;
    SEED;
    pthread_create(&t, 0, rolls, 0);
    pthread_join(t, 0);
    return 0;
}
END
row rand -DSEED= 1 'rand() % 4 != 1' <"$work/chance"
row rand_by_time '-DSEED=srand(time(0))' 1 'rand() % 4 != 1' <"$work/chance"
row rand_by_number '-DSEED=srand(3)' 0 '1 passed' <"$work/chance"
row rand_as_always -DSEED= 0 '1 passed' --random=constant <"$work/chance"
row rand_in_order -DSEED= 0 'all ' --strategy=dfs <"$work/chance"

row reads_too_far '' 0 '1 passed' <<'END'
#include "check.h"
#if !__has_attribute(no_sanitize_address)
#error "no such attribute"
#endif
static __attribute__((noinline, __no_sanitize_address__)) int first(const long *word) {
    return (int)(*word & 255);
}
int main(void) {
    char *text = malloc(5);
    strcpy(text, "abcd");
    assert(first((const long *)(const void *)text) == 'a' || sizeof(long) < 8);
    free(text);
    return 0;
}
END

cat >"$work/wakes" <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int told;
static void *tells(void *p) {
    pthread_mutex_lock(&m);
    told = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, tells, 0);
    pthread_mutex_lock(&m);
    if (!told) pthread_cond_wait(&c, &m); /* a loop would do */
    assert(told);
    pthread_mutex_unlock(&m);
    return pthread_join(t, 0);
}
END
row wakes_for_nothing '' 1 'In all that failed so a wait had a spurious wake-up' \
    --executions=1000 <"$work/wakes"
row wakes_if_called '' 0 '1 passed' --no-spurious --executions=1000 <"$work/wakes"

# Long work behind a lock whose word has three values: none is told as a livelock where plain
# accesses are no steps.
cat >"$work/works_long.c" <<'END'
#include "check.h"
static atomic_uint word;
static int done;
static void lock(void) {
    unsigned none = 0;
    if (atomic_compare_exchange_strong(&word, &none, 1)) return;
    while (atomic_exchange(&word, 2)) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}
static void unlock(void) {
    if (atomic_exchange(&word, 0) == 2) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
static void *works(void *arg) {
    for (int i = 0; i < 20000; i++) {
        lock();
        done++;
        unlock();
    }
    return arg;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, works, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    return done != 80000;
}
END
works_long() {
    unedited "$CC" "$work/works_long.c" "$work/$CC.o" -w $seen
    gives 1 out timeout 60 "$work/works_long" --steps=20000 --executions=20
    says out 'no execution has come to its end'
    lacks out 'step limit reached'
}
try works_long

# What plain accesses are told by needs no prototypes.
undeclared="$seen -Wno-implicit-function-declaration"
row annotated "$undeclared" 0 '1 passed' <<'END'
#include "check.h"
static int benign[2], ignored, handed;
static volatile int ready;
static void *counts(void *p) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    ignored++;
    handed = 1;
    ready = 1;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    benign[1]++;
    AnnotateHappensBefore(__FILE__, __LINE__, &ready);
    return p;
}
int main(void) {
    pthread_t t, u;
    AnnotateBenignRaceSized(__FILE__, __LINE__, benign, sizeof benign, "a counter");
    pthread_create(&t, 0, counts, 0);
    pthread_create(&u, 0, counts, 0);
    AnnotateHappensAfter(__FILE__, __LINE__, &ready);
    int fd = dup(1);
    __sanitizer_syscall_pre_impl_close(fd);
    long closed = syscall(SYS_close, fd);
    __sanitizer_syscall_post_impl_close(closed, fd);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
END

# What sanitizer/tsan_interface.h has: a lock of the program's own, and other objects.
row own_lock "$undeclared" 0 '1 passed' <<'END'
#include "check.h"
void *__tsan_external_register_tag(const char *);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned);
static void *tag;
static struct {
    atomic_flag taken;
    int owner; /* of statistics: nobody minds */
} lock = {ATOMIC_FLAG_INIT, 0};
static int n, list;
static void take(int me) {
    __tsan_mutex_pre_lock(&lock, 0);
    lock.owner = me;
    while (atomic_flag_test_and_set_explicit(&lock.taken, memory_order_relaxed)) continue;
    __tsan_mutex_post_lock(&lock, 0, 0);
}
static void give(void) {
    __tsan_mutex_pre_unlock(&lock, 0);
    lock.owner = 0;
    atomic_flag_clear_explicit(&lock.taken, memory_order_relaxed);
    __tsan_mutex_post_unlock(&lock, 0);
}
static void *adds(void *p) {
    take(1);
    n++;
    __tsan_external_write(&list, __builtin_return_address(0), tag);
    __tsan_external_read(&list, __builtin_return_address(0), tag);
    give();
    take(2);
    __tsan_write4_pc(&n, __builtin_return_address(0));
    __tsan_read4_pc(&n, __builtin_return_address(0));
    __tsan_write_range_pc(&n, 4, __builtin_return_address(0));
    __tsan_read_range_pc(&n, 4, __builtin_return_address(0));
    give();
    return p;
}
int main(void) {
    pthread_t t;
    __tsan_mutex_create(&lock, 0);
    __tsan_mutex_pre_signal(&lock, 0);
    __tsan_mutex_pre_divert(&lock, 0);
    __tsan_mutex_post_divert(&lock, 0);
    __tsan_mutex_post_signal(&lock, 0);
    tag = __tsan_external_register_tag("list");
    __tsan_external_register_header(tag, "a list");
    __tsan_external_assign_tag(&list, tag);
    void *fiber = __tsan_create_fiber(0);
    __tsan_set_fiber_name(fiber, "one");
    __tsan_switch_to_fiber(fiber, 0);
    __tsan_switch_to_fiber(__tsan_get_current_fiber(), 0);
    __tsan_destroy_fiber(fiber);
    pthread_create(&t, 0, adds, 0);
    adds(0);
    pthread_join(t, 0);
    assert(n == 2);
    __tsan_mutex_destroy(&lock, 0);
    return 0;
}
END

# Executions begin by forks, which are none of the program's.
row handlers_of_fork '' 0 '1 passed' <<'END'
#include "check.h"
static int calls;
static void first(void) { calls = calls * 10 + 1; }
static void second(void) { calls = calls * 10 + 2; }
static void parent(void) { calls = calls * 10 + 3; }
static void child(void) { calls = calls * 10 + 4; }
__attribute__((constructor)) static void begin(void) { pthread_atfork(first, parent, child); }
static void *nothing(void *p) { return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    assert(calls == 0);
    pthread_atfork(second, parent, 0);
    pid_t id = fork();
    if (!id) _exit(calls != 214);
    int status;
    waitpid(id, &status, 0);
    assert(calls == 2133 && status == 0);
    return 0;
}
END

# Objects of main are told by a name of the program's, with clang main's own.
row object_of_main '' 1 '-> 0 (' <<'END'
#include "check.h"
static void *adds(void *p) {
    atomic_int *n = p;
    atomic_store(n, atomic_load(n) + 1);
    return p;
}
int main(void) {
    static atomic_int n;
    pthread_t t;
    pthread_create(&t, 0, adds, &n);
    adds(&n);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
END
try lacks out rfi_

row named_semaphore_that_two_open '' 0 '1 passed' --strategy=graphs <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
static int done;
static void *posts(void *p) {
    sem_t *s = sem_open("/two", O_CREAT, 0600, 0);
    done = 1;
    sem_post(s);
    sem_close(s);
    return p;
}
int main(void) {
    pthread_t t;
    sem_t *s = sem_open("/two", O_CREAT, 0600, 0);
    pthread_create(&t, 0, posts, 0);
    sem_wait(s);
    assert(done);
    sem_close(s);
    sem_unlink("/two");
    pthread_join(t, 0);
    return 0;
}
END

row socket_that_has_no_name_yet '' 1 'a.sin_port' --strategy=graphs <<'END'
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
static int s;
static void *binds(void *p) {
    struct sockaddr_in a = {.sin_family = AF_INET};
    bind(s, (struct sockaddr *)&a, sizeof a);
    return p;
}
int main(void) {
    pthread_t t;
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    s = socket(AF_INET, SOCK_STREAM, 0);
    pthread_create(&t, 0, binds, 0);
    getsockname(s, (struct sockaddr *)&a, &n);
    assert(!a.sin_port || !"bound already: a.sin_port");
    pthread_join(t, 0);
    return 0;
}
END

row queue_that_is_not_there_yet '' 1 'q != -1' --strategy=graphs <<'END'
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
static const char name[] = "/racefuzz-asis";
static void *opens(void *p) {
    mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, (void *)0);
    mq_close(q);
    return p;
}
int main(void) {
    pthread_t t;
    mq_unlink(name);
    pthread_create(&t, 0, opens, 0);
    mqd_t q = mq_open(name, O_RDONLY);
    pthread_join(t, 0);
    mq_unlink(name);
    assert(q != -1);
    return 0;
}
END

# While a checker holds a thread back, and another one only looks whether something has come, no
# time passes.
row deadline_while_a_checker_holds_who_keeps_it '' 0 '1 passed, 0 failed' --executions=100 \
    --timeouts=late <<'END'
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int end[2], sum, ready;
static void *waits(void *p) {
    struct pollfd from = {.fd = end[0], .events = POLLIN};
    assert(poll(&from, 1, 500) == 1 || !"in time");
    return p;
}
static void *sees(void *p) {
    pthread_mutex_lock(&m);
    int all = ready;
    pthread_mutex_unlock(&m);
    assert(!all || sum == 190);
    return p;
}
int main(void) {
    pthread_t t, u;
    if (pipe(end)) return 1;
    pthread_create(&t, NULL, waits, NULL);
    pthread_create(&u, NULL, sees, NULL);
    for (int i = 0; i < 20; i++) sum += i;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    if (write(end[1], "x", 1) != 1) return 1;
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
END

summary

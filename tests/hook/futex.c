/* Locks and queues on bare futex(2) calls; other system calls made by hand; poll and select as
 * sleeps and between threads.  The kernel agrees with all of it: ./futex [HOURS OF SLEEP]. */
#include "check.h"

typedef _Atomic uint32_t word;

static long futex(void *at, int operation, uint32_t value, const void *time, void *other,
                  uint32_t last) {
    return syscall(SYS_futex, at, operation, value, time, other, last);
}

static void run(int n, void *(*fn)(void *)) {
    pthread_t t[4];
    for (intptr_t i = 0; i < n; i++) CHECK(!pthread_create(&t[i], NULL, fn, (void *)i));
    for (int i = 0; i < n; i++) CHECK(!pthread_join(t[i], NULL));
}

/* ---- a mutex: 0 free, 1 taken, 2 taken and perhaps waited for ---- */

static word state;
static int counted;

static void lock(void) {
    uint32_t c = 0;
    if (atomic_compare_exchange_strong(&state, &c, 1)) return;
    while (atomic_exchange(&state, 2)) futex(&state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
    if (atomic_exchange(&state, 0) == 2) futex(&state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

THREAD(counts) {
    for (int i = 0; i < 2; i++) {
        lock();
        counted++;
        unlock();
    }
}

/* ---- an event count: who waits has seen the number before he looked ---- */

static word events, left;
static int item;

THREAD(takes) {
    for (;;) {
        uint32_t seen = atomic_load(&events);
        if (atomic_load(&left)) break;
        long r = futex(&events, FUTEX_WAIT, seen, NULL, NULL, 0);
        CHECK(!r || errno == EAGAIN);
    }
    CHECK(item == 7);
}

THREAD(puts_one) {
    item = 7;
    atomic_store(&left, 1);
    atomic_fetch_add(&events, 1);
    futex(&events, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void *takes_or_puts(void *i) { return i == NULL ? puts_one(i) : takes(i); }

/* ---- time-outs ---- */

static double seconds(clockid_t clock) {
    struct timespec t;
    CHECK(!syscall(SYS_clock_gettime, clock, &t));
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void expires(int operation, clockid_t clock, struct timespec *t, uint32_t last) {
    word w = 5;
    double from = seconds(clock);
    long r;
    do r = futex(&w, operation, 5, t, NULL, last);
    while (!r); /* woken for nothing */
    CHECK(r == -1 && errno == ETIMEDOUT && seconds(clock) - from > 0.0009);
}

static void times_out(time_t s) {
    struct timespec t = {s, 1000000}, bad = {0, 1000000000};
    word w = 5;
    expires(FUTEX_WAIT, CLOCK_MONOTONIC, &t, 0);
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += s + 1;
    expires(FUTEX_WAIT_BITSET_PRIVATE, CLOCK_MONOTONIC, &t, 1);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += s + 1;
    expires(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, CLOCK_REALTIME, &t, 1);
    CHECK(futex(&w, FUTEX_WAIT, 5, &bad, NULL, 0) == -1 && errno == EINVAL);
    CHECK(futex(&w, FUTEX_WAIT, 4, NULL, NULL, 0) == -1 && errno == EAGAIN);
    CHECK(futex(&w, FUTEX_WAIT_BITSET, 5, NULL, NULL, 0) == -1 && errno == EINVAL);
    CHECK(futex((char *)&w + 1, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
    CHECK(!futex(&w, FUTEX_WAKE, INT_MAX, NULL, NULL, 0));
}

/* ---- bits, and waiting elsewhere ---- */

static word gate, shed, passed;

static void *waits_by_bit(void *i) {
    long r = 0;
    while (!r) { /* not again once it was woken, but that may be for nothing */
        r = futex(&gate, FUTEX_WAIT_BITSET, 0, NULL, NULL, UINT32_C(1) << (intptr_t)i);
        CHECK(!r || errno == EAGAIN);
    }
    atomic_fetch_add(&passed, 1);
    return i;
}

static void bits(void) {
    pthread_t t[2];
    for (intptr_t i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, waits_by_bit, (void *)i));
    CHECK(!futex(&gate, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 4));
    atomic_store(&gate, 1);
    for (int i = 0; i < 2; i++) {
        long n = futex(&gate, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 1u << i);
        CHECK(n == 0 || n == 1);
        CHECK(!pthread_join(t[i], NULL));
    }
    CHECK(passed == 2);
}

/* Whoever stands at the gate goes to the shed, and can't be woken at the gate. */
THREAD(waits_at_the_gate) {
    while (!atomic_load(&passed)) futex(&gate, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void requeue(int operation) {
    pthread_t t[3];
    enum { OR_BIT = FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT };
    word other = 0;
    gate = shed = passed = 0;
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, waits_at_the_gate, NULL));
    CHECK(futex(&gate, FUTEX_CMP_REQUEUE, 1, (void *)1, &shed, 1) == -1 && errno == EAGAIN);
    long n = futex(&gate, operation, 1, (void *)1, &shed, 0);
    CHECK(0 <= n && n <= 3);
    atomic_store(&passed, 1);
    n = futex(&gate, operation, 0, (void *)INT_MAX, &shed, 0);
    CHECK(0 <= n && n <= 3);
    atomic_store(&gate, 1); /* nobody stays */
    CHECK(!futex(&gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) || operation);
    n = futex(&gate, FUTEX_WAKE_OP, INT_MAX, (void *)INT_MAX, &other,
              FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_LT, 1));
    CHECK(n >= 0 && other == 3);
    n = futex(&other, FUTEX_WAKE_OP, 1, (void *)INT_MAX, &shed,
              FUTEX_OP(OR_BIT, 4, FUTEX_OP_CMP_EQ, 0));
    CHECK(0 <= n && n <= 3 && shed == 16);
    CHECK(!futex(&shed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0));
    CHECK(futex(&other, FUTEX_WAKE_OP, 1, (void *)1, &shed, 6u << 28) == -1 && errno == ENOSYS);
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
}

/* ---- signals and cancellation ---- */

static word handled, never;
static void handles(int signal) { (void)signal, atomic_store(&handled, 1); }

THREAD(is_interrupted) {
    long r = 0;
    while (!r && !atomic_load(&handled)) {
        r = futex(&never, FUTEX_WAIT, 0, NULL, NULL, 0);
        CHECK(!r || errno == EINTR || errno == EAGAIN);
    }
}

/* A system call is no point of cancellation. */
THREAD(is_not_cancelled) {
    while (!atomic_load(&handled)) futex(&handled, FUTEX_WAIT, 0, NULL, NULL, 0);
    item = 8;
    pthread_testcancel();
}

static void interrupts(void) {
    struct sigaction a = {.sa_handler = handles};
    struct timespec soon = {0, 1000000};
    pthread_t t;
    void *result;
    CHECK(!sigaction(SIGUSR1, &a, NULL));
    CHECK(!pthread_create(&t, NULL, is_interrupted, NULL));
    while (!atomic_load(&handled)) { /* one that comes before it waits is forgotten */
        CHECK(!pthread_kill(t, SIGUSR1));
        syscall(SYS_nanosleep, &soon, NULL);
    }
    atomic_store(&never, 1);
    futex(&never, FUTEX_WAKE, 1, NULL, NULL, 0);
    CHECK(!pthread_join(t, NULL));
    atomic_store(&handled, 0);
    CHECK(!pthread_create(&t, NULL, is_not_cancelled, NULL));
    CHECK(!pthread_cancel(t));
    CHECK(!syscall(SYS_sched_yield));
    atomic_store(&handled, 1);
    futex(&handled, FUTEX_WAKE, 1, NULL, NULL, 0);
    CHECK(!pthread_join(t, &result) && result == PTHREAD_CANCELED && item == 8);
}

/* ---- poll and select ---- */

static void sleeps(int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    struct timeval tv = {ms / 1000, ms % 1000 * 1000};
    struct pollfd none = {-1, POLLIN, 0};
    sigset_t mask;
    sigemptyset(&mask);
    double from = seconds(CLOCK_MONOTONIC);
    CHECK(!poll(NULL, 0, ms) && !poll(&none, 1, ms) && !ppoll(NULL, 0, &t, &mask));
    CHECK(!select(0, NULL, NULL, NULL, &tv) && !pselect(0, NULL, NULL, NULL, &t, &mask));
    CHECK(!syscall(SYS_nanosleep, &t, NULL));
    CHECK(!syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL));
    CHECK((seconds(CLOCK_MONOTONIC) - from) * 1000 > 6.9 * ms);
}

static int pipes[2][2];

THREAD(answers) {
    struct pollfd in = {pipes[0][0], POLLIN, 0};
    char byte;
    CHECK(poll(&in, 1, -1) == 1 && in.revents == POLLIN && read(in.fd, &byte, 1) == 1);
    CHECK(write(pipes[1][1], &byte, 1) == 1);
}

static void readable(fd_set *set, int fd) {
    FD_ZERO(set);
    FD_SET(fd, set);
}

static void talks(void) {
    fd_set set;
    struct timeval no_time = {0, 0}, short_time = {0, 1000};
    int fd, found;
    pthread_t t;
    CHECK(!pipe(pipes[0]) && !pipe(pipes[1]));
    fd = pipes[1][0];
    readable(&set, fd);
    CHECK(!select(fd + 1, &set, NULL, NULL, &no_time) && !FD_ISSET(fd, &set));
    CHECK(!pthread_create(&t, NULL, answers, NULL) && write(pipes[0][1], "x", 1) == 1);
    readable(&set, fd);
    found = select(fd + 1, &set, NULL, NULL, &short_time);
    CHECK(found == FD_ISSET(fd, &set));
    readable(&set, fd);
    CHECK(select(fd + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fd, &set));
    CHECK(!pthread_join(t, NULL));
}

/* ---- numbers of threads ---- */

static _Atomic pid_t first;
static atomic_int heard;

static void hears(int signal) { atomic_store(&heard, signal == SIGUSR1 ? (int)gettid() : -1); }

static void *has_a_number(void *arg) {
    pid_t own = (pid_t)syscall(SYS_gettid);
    CHECK(own == gettid() && own != getpid() && own == (pid_t)syscall(SYS_gettid));
    if (!first) first = own;
    CHECK(arg ? own != first : own == first);
    CHECK(!syscall(SYS_tgkill, getpid(), own, 0) && !syscall(SYS_tkill, getpid(), 0));
    CHECK(syscall(SYS_tgkill, getpid(), 0x1fffffff, 0) == -1 && errno == ESRCH);
    if (arg) CHECK(!syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1));
    return NULL;
}

static void numbers(void) {
    struct sigaction take = {.sa_handler = hears};
    pthread_t one, two;
    CHECK(gettid() == getpid() && syscall(SYS_gettid) == getpid() &&
          !sigaction(SIGUSR1, &take, NULL));
    CHECK(!pthread_create(&one, NULL, has_a_number, NULL));
    while (!first) sched_yield();
    CHECK(!pthread_create(&two, NULL, has_a_number, &first) && !pthread_join(one, NULL));
    CHECK(!pthread_join(two, NULL));
    while (!atomic_load(&heard)) sched_yield();
    CHECK(atomic_load(&heard) == getpid());
}

int main(int argc, char **argv) {
    int hours = argc > 1 ? atoi(argv[1]) : 0;
    run(3, counts);
    CHECK(counted == 6);
    run(3, takes_or_puts);
    times_out(hours * 3600);
    bits();
    requeue(FUTEX_REQUEUE);
    requeue(FUTEX_CMP_REQUEUE);
    interrupts();
    sleeps(hours ? hours * 3600000 : 2);
    talks();
    numbers();
    return 0;
}

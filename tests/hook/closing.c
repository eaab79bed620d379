/* A descriptor is closed beside its use by another thread, or, in the ways whose names begin with
 * right, after it. */
#include "check.h"

#define WAYS(X)                                                                           \
 X(reads)                                                                                 \
 X(writes)                                                                                \
 X(sends) X(closes) X(over) X(under) X(prints) X(right_joined) X(right_end) X(right_shut) \
     X(right_told) X(right_unseen) X(right_count) X(right_locked) X(right_again) X(right_printed)
#define WAY(name)  name,
#define NAME(name) #name,
enum way { WAYS(WAY) ALL };
static const char *const names[] = {WAYS(NAME)};

static int at[2], told[2], users = 2, turn, shut;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;

static void wait_for(int file) {
    struct pollfd in = {file, POLLIN, 0};
    while (poll(&in, 1, -1) != 1) sched_yield();
}

static void use(enum way way) { /* may fail where it comes late */
    char c = 'a';
    if (way == reads   ? read(at[0], &c, 1)
        : way == sends ? send(at[1], &c, 1, MSG_NOSIGNAL)
                       : write(at[1], &c, 1))
        sched_yield();
}

static void tell(int file) {
    if (write(file, "b", 1) != 1) abort();
}

static void drop(void) {
    if (__atomic_sub_fetch(&users, 1, __ATOMIC_ACQ_REL) == 0) close(at[1]);
}

/* The other one has given its numbers back. */
static void own(int n) {
    int mine[2];
    while (__atomic_load_n(&turn, __ATOMIC_RELAXED) < n) sched_yield();
    if (pipe(mine)) abort();
    tell(mine[1]);
    close(mine[0]);
    close(mine[1]);
    __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
}

static void *other(void *arg) {
    enum way way = *(enum way *)arg;
    char c = 0;
    struct iovec bytes = {&c, 1};
    switch (way) {
    case closes: close(at[1]); break;
    case right_end: /* of what the other one wrote */
        do wait_for(at[0]);
        while (read(at[0], &c, 1) == 1);
        close(at[0]);
        break;
    case right_shut:
        do wait_for(at[0]);
        while (recv(at[0], &c, 1, 0) == 1);
        break;
    case right_told:
        use(way);
        tell(told[1]);
        break;
    case right_unseen:
        use(way);
        if (syscall(SYS_writev, told[1], &bytes, 1) != 1) abort();
        break;
    case right_count:
        use(way);
        drop();
        break;
    case right_locked:
        pthread_mutex_lock(&m);
        if (!shut) use(way);
        pthread_mutex_unlock(&m);
        break;
    case right_again: own(1); break;
    case prints:
    case right_printed: fputs("a", file); break;
    default: use(way);
    }
    return NULL;
}

static void beside(enum way way) {
    char c;
    struct iovec bytes = {&c, 1};
    switch (way) {
    case reads: close(at[0]); break;
    case writes:
    case sends:
    case closes: close(at[1]); break;
    case over: dup2(told[1], at[1]); break;
    case under: dup2(at[0], at[1]); break; /* which nobody can write to */
    case right_end:
        tell(at[1]);
        close(at[1]);
        break;
    case right_shut: shutdown(at[1], SHUT_WR); break;
    case right_told:
        wait_for(told[0]);
        if (read(told[0], &c, 1) != 1) abort();
        close(at[1]);
        break;
    case right_unseen:
        while (syscall(SYS_readv, told[0], &bytes, 1) != 1) sched_yield();
        close(at[1]);
        break;
    case right_count:
        use(way);
        drop();
        break;
    case right_locked:
        pthread_mutex_lock(&m);
        shut = 1;
        close(at[1]);
        pthread_mutex_unlock(&m);
        break;
    case right_again: own(0); break;
    case prints: fclose(file); break;
    default: break;
    }
}

int main(int argc, char **argv) {
    int way = 0;
    pthread_t t;
    while (argc > 1 && way < ALL && strcmp(names[way], argv[1])) way++;
    if (way == ALL) return 2;
    if (way == sends || way == right_shut ? socketpair(AF_UNIX, SOCK_STREAM, 0, at) : pipe(at))
        abort();
    if (pipe2(told, O_NONBLOCK)) abort();
    if (way == reads) tell(at[1]);
    if (way == prints || way == right_printed) file = fdopen(at[1], "w");
    if (pthread_create(&t, NULL, other, &way)) abort();
    beside(way);
    pthread_join(t, NULL);
    if (way == right_joined || way == right_shut) close(at[1]);
    if (way == right_printed) fclose(file);
    return 0;
}

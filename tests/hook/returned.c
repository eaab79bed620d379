/* Memory that one thread gives back and the next one gets, in ten ways: no race, each has its own.
 * Threads take turns by relaxed atomics, which order nothing.  And memory that is handed over by a
 * message. */
#include "check.h"

enum { MANY = 300, PAGE = 4096, ALL = PROT_READ | PROT_WRITE, OWN = MAP_PRIVATE | MAP_ANONYMOUS };
static const char *way;
static int turn;

static int is(const char *name) { return !strcmp(way, name); }
static void await(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_RELAXED) < n) sched_yield();
}
static void pass(void) { __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED); }

/* ---- the program's own allocators ---- */

static int pool[4], taken[4];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

static int *take_locked(void) {
    int i = 0;
    pthread_mutex_lock(&pool_lock);
    while (taken[i]) i++;
    taken[i] = 1;
    pthread_mutex_unlock(&pool_lock);
    return &pool[i];
}

static void give_locked(int *p) {
    pthread_mutex_lock(&pool_lock);
    taken[p - pool] = 0;
    pthread_mutex_unlock(&pool_lock);
}

static int *take_atomic(void) {
    for (int i = 0;; i = (i + 1) % 4)
        if (!__atomic_exchange_n(&taken[i], 1, __ATOMIC_ACQUIRE)) return &pool[i];
}

static void give_atomic(int *p) { __atomic_store_n(&taken[p - pool], 0, __ATOMIC_RELEASE); }

/* ---- the ways ---- */

static __thread int own;
static int pipe_of[2], *handed;

static void write_own(volatile int *p) {
    for (int i = 0; i < 8; i++) p[i] = i;
}

static void *uses(void *number) {
    int n = (int)(intptr_t)number;
    if (is("sbrk")) {
        await(n);
        write_own(sbrk(PAGE));
        sbrk(-PAGE);
        pass();
    } else if (is("brk")) {
        await(n);
        char *end = sbrk(0);
        if (brk(end + PAGE)) abort();
        write_own((int *)(void *)end);
        if (brk(end)) abort();
        pass();
    } else if (is("over")) { /* mapped again, where something is */
        void *p = (void *)(uintptr_t)0x500000000000;
        await(n);
        write_own(mmap(p, PAGE, ALL, OWN | MAP_FIXED, -1, 0));
        pass();
    } else if (is("shrinks")) {
        await(n);
        char *p = mmap((void *)(uintptr_t)0x500000000000, 2 * PAGE, ALL, OWN, -1, 0);
        write_own((int *)(void *)(p + PAGE));
        mremap(p, 2 * PAGE, PAGE, 0);
        munmap(p, PAGE);
        pass();
    } else if (is("stack") || is("storage")) {
        volatile int local[8];
        write_own(local);
        own += local[3];
        if (own != 3) abort();
    } else if (is("locked")) {
        for (int i = 0; i < 3; i++) {
            int *p = take_locked();
            *p = i;
            give_locked(p);
        }
    } else if (is("atomic")) {
        for (int i = 0; i < 3; i++) {
            int *p = take_atomic();
            *p = i;
            give_atomic(p);
        }
    } else if (is("pipe")) { /* who has read a message knows what was done before */
        if (!n) {
            *handed = 1;
            if (write(pipe_of[1], "a", 1) != 1) abort();
        } else {
            char c;
            struct pollfd in = {pipe_of[0], POLLIN, 0};
            while (poll(&in, 1, -1) != 1) sched_yield();
            if (read(pipe_of[0], &c, 1) != 1 || *handed != 1) abort();
            *handed = 2;
        }
    } else if (is("library")) { /* the C library allocates, we free */
        await(n);
        char *p = realpath("/", NULL);
        p[0] = '.';
        free(p);
        pass();
    } else if (is("stream")) {
        char *text = NULL;
        size_t length = 0;
        await(n);
        FILE *f = open_memstream(&text, &length);
        fputs("text", f);
        fclose(f);
        text[0] = 'T';
        free(text);
        pass();
    }
    return number;
}

int main(int argc, char **argv) {
    way = argc > 1 ? argv[1] : "sbrk";
    if (is("stack") || is("storage")) {
        for (int i = 0; i < MANY; i++) {
            pthread_t t;
            pthread_create(&t, NULL, uses, NULL);
            pthread_detach(t);
            sched_yield();
        }
        return 0;
    }
    handed = malloc(sizeof *handed);
    if (pipe(pipe_of)) abort();
    run_two(uses, NULL, uses, (void *)(intptr_t)1);
    return 0;
}

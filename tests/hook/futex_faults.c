/* Waits that nobody ends, each by its name: ./futex_faults WAY. */
#define _GNU_SOURCE
#include "check.h"
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t state;
static _Atomic int full;
static int counted;
static const char *way;

static long futex(int operation, uint32_t value) {
    return syscall(SYS_futex, &state, operation, value, NULL, NULL, 0);
}

/* Who was woken takes it as one that nobody waits for. */
static void lock(void) {
    uint32_t c = 0;
    if (atomic_compare_exchange_strong(&state, &c, 1)) return;
    do {
        if (c == 2 || !atomic_compare_exchange_strong(&state, &c, 2)) futex(FUTEX_WAIT, 2);
        c = 0;
    } while (!atomic_compare_exchange_strong(&state, &c, 1));
}

static void unlock(void) {
    if (atomic_exchange(&state, 0) == 2) futex(FUTEX_WAKE, 1);
}

static void *counts(void *arg) {
    lock();
    counted++;
    unlock();
    return arg;
}

/* It looks before it takes the number. */
static void *takes(void *arg) {
    if (!atomic_load(&full)) futex(FUTEX_WAIT, atomic_load(&state));
    return arg;
}

static void *puts_one(void *arg) {
    atomic_store(&full, 1);
    atomic_fetch_add(&state, 1);
    futex(FUTEX_WAKE, 1);
    return arg;
}

static void *waits(void *arg) {
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (!strcmp(way, "sigwait")) sigwait(&set, &signal);
    if (!strcmp(way, "poll")) poll(NULL, 0, -1);
    if (!strcmp(way, "pi")) futex(FUTEX_LOCK_PI, 0);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t[3];
    way = argc > 1 ? argv[1] : "mutex";
    void *(*fn)(void *) = !strcmp(way, "mutex") ? counts : !strcmp(way, "events") ? takes : waits;
    for (int i = 0; i < 3; i++)
        CHECK(!pthread_create(&t[i], NULL, fn == takes && i == 2 ? puts_one : fn, NULL));
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
    return 0;
}

/* What the programs here share: they are unedited C, for the C library and for racefuzz alike. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "../does.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(x) ((x) ? (void)0 : failed(__FILE__, __LINE__, #x))

static inline void failed(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

static inline sigset_t only(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    return set;
}

/* Two threads, which are there at once. */
static inline void run_two(void *(*one)(void *), void *first, void *(*other)(void *),
                           void *second) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, first);
    pthread_create(&t[1], NULL, other, second);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
}

/* Waits where racefuzz does not see it: in a loop, in a call, in a file that has no hooks. */
#include "check.h"

/* unhooked.c */
int unhooked_lock(void), unhooked_sem(void), unhooked_barrier(void), unhooked_join(void);
void unhooked_cond(void), unhooked_handles(void);

static int flag;
static const char *way;

/* Another thread would connect. */
static void accepts(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (!listen(s, 1)) accept(s, NULL, NULL);
}

static void locks_a_file_twice(void) {
    int one = open("/proc/self/exe", O_RDONLY), two = open("/proc/self/exe", O_RDONLY);
    if (!flock(one, LOCK_EX)) flock(two, LOCK_EX);
}

/* A signal ends each of these, whatever its handler says of that. */
static void waits_interruptibly(int fd) {
    struct pollfd readable = {fd, POLLIN, 0};
    fd_set set;
    sigset_t none;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    sigemptyset(&none);
    if (!strcmp(way, "poll")) poll(&readable, 1, -1);
    if (!strcmp(way, "select")) select(fd + 1, &set, NULL, NULL, NULL);
    if (!strcmp(way, "pause")) pause();
    if (!strcmp(way, "sigsuspend")) sigsuspend(&none);
}

/* Another process could send to it. */
static int opens(void) { return socket(AF_INET, SOCK_DGRAM, 0); }

static void *waits(void *p) {
    int from = opens();
    char byte;
    if (!strcmp(way, "loop"))
        while (!flag) {
        }
    if (!strcmp(way, "read") && read(from, &byte, 1)) return p;
    if (!strcmp(way, "lock")) unhooked_lock();
    waits_interruptibly(from);
    if (!strcmp(way, "cond")) unhooked_cond();
    if (!strcmp(way, "sem")) unhooked_sem();
    if (!strcmp(way, "barrier")) unhooked_barrier();
    if (!strcmp(way, "join")) unhooked_join();
    if (!strcmp(way, "accept")) accepts();
    if (!strcmp(way, "flock")) locks_a_file_twice();
    if (!strcmp(way, "handled")) {
        unhooked_handles();
        unhooked_sem();
    }
    if (!strcmp(way, "exec")) execlp("true", "true", (char *)0);
    if (!strcmp(way, "masked")) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        while (!flag) {
        }
    }
    return p;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    way = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, waits, NULL);
    flag = !strcmp(way, "never");
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}

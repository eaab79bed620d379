/* What a program sends to its process group reaches itself and its children ("own", "zero",
 * "minus"); timers end who waits without a handler, a child ("pause", "suspend", "read") or the
 * program ("..." and a second word); and a child that waits for ever ("leaves", "flees") does not
 * outlive it. */
#include "check.h"

static volatile sig_atomic_t came;
static int ends[2];

static void comes(int signal) {
    assert(signal == SIGTERM);
    came++;
}

static int waits(const char *how) {
    sigset_t none;
    char c;
    sigemptyset(&none);
    alarm(1);
    if (!strcmp(how, "pause")) pause();
    if (!strcmp(how, "suspend")) sigsuspend(&none);
    if (!strcmp(how, "read")) return (int)read(ends[0], &c, 1);
    return 0;
}

static int is_ended_by(pid_t child, int signal) {
    int status;
    while (waitpid(child, &status, 0) != child) assert(errno == EINTR);
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static void tells(const char *file, pid_t child) {
    FILE *f = fopen(file, "a");
    fprintf(f, "%ld\n", (long)child);
    fclose(f);
}

/* The child has both ends of the pair, and so has its parent. */
static int serves(void) {
    int pair[2], status;
    char c = 'x';
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pid_t child = fork();
    if (!child) {
        assert(write(ends[1], &c, 1) == 1);
        _exit(read(pair[1], &c, 1) == 1 ? c : 1);
    }
    assert(read(ends[0], &c, 1) == 1);
    for (int i = 0; i < 5; i++) { /* which takes some time */
        pid_t other = fork();
        if (!other) _exit(0);
        assert(waitpid(other, NULL, 0) == other);
    }
    c = 7;
    assert(write(pair[0], &c, 1) == 1 && waitpid(child, &status, 0) == child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(int n, char **word) {
    const char *way = n > 1 ? word[1] : "own";
    struct sigaction a = {.sa_handler = comes};
    char c = 'x';
    assert(!pipe(ends));
    if (!strcmp(way, "pause") || !strcmp(way, "suspend") || !strcmp(way, "read")) {
        if (n > 2) return waits(way);
        pid_t child = fork();
        if (!child) _exit(waits(way));
        return !is_ended_by(child, SIGALRM);
    }
    if (!strcmp(way, "serves")) return serves();
    assert(getpgrp() == getpid()); /* else it would reach the tests */
    sigaction(SIGTERM, &a, NULL);
    if (!strcmp(way, "flees")) { /* it may not have begun yet */
        if (fork()) return 1;
        tells(word[2], getpid());
        for (;;) pause();
    }
    pid_t child = fork();
    if (!child) {
        signal(SIGTERM, SIG_DFL);
        assert(write(ends[1], &c, 1) == 1);
        for (;;) pause();
    }
    assert(read(ends[0], &c, 1) == 1);
    if (!strcmp(way, "leaves")) {
        tells(word[2], child);
        return 1;
    }
    if (!strcmp(way, "own")) assert(!killpg(getpgrp(), SIGTERM));
    if (!strcmp(way, "zero")) assert(!kill(0, 0) && !kill(0, SIGTERM));
    if (!strcmp(way, "minus")) assert(!kill(-getpgrp(), SIGTERM));
    assert(is_ended_by(child, SIGTERM) && came == 1);
    return 0;
}

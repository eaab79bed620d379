/* tests/child.h: what a function writes to stderr in a process of its own, and how that ends. */
#ifndef CHILD_H
#define CHILD_H
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char child_said[512];

/* The status of the process; it is 0 if the function returns. */
static inline int child_does(void (*fn)(void *), void *arg) {
    int ends[2], status;
    if (pipe(ends)) abort();
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], STDERR_FILENO);
        fn(arg);
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], child_said + n, sizeof child_said - 1 - n)) > 0;)
        n += (size_t)got;
    child_said[n] = 0;
    close(ends[0]);
    if (waitpid(pid, &status, 0) != pid) abort();
    return status;
}
#endif

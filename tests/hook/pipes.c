/* Threads that meet by two pipes (tests/proofs.sh): each argument is what one of them does.  w, W
 * write a byte to the first or second one, r, R read one, p waits by poll for one to read; d, a
 * write and read plain data, f takes and releases a lock of a file, c reads what a child writes. */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int pipes[2][2], data;

static void does(char what) {
    int *fd = pipes[what == 'W' || what == 'R'];
    struct pollfd ready = {fd[0], POLLIN, 0};
    FILE *child;
    char c = 0;
    switch (what) {
    case 'd': data = 1; break;
    case 'a': assert(data); break;
    case 'p': assert(poll(&ready, 1, -1) == 1); break;
    case 'f':
        fd = &(int){open("/proc/self/exe", O_RDONLY)};
        flock(*fd, LOCK_EX), close(*fd);
        break;
    case 'c':
        child = popen("echo", "r");
        assert(read(fileno(child), &c, 1) == 1);
        pclose(child);
        break;
    case 'w':
    case 'W': assert(write(fd[1], &c, 1) == 1); break;
    default: assert(read(fd[0], &c, 1) == 1);
    }
}

static void *thread(void *arg) {
    for (const char *what = arg; *what; what++) does(*what);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t[8];
    if (pipe(pipes[0]) || pipe(pipes[1])) return 1;
    for (int i = 1; i < argc; i++) pthread_create(&t[i], NULL, thread, argv[i]);
    for (int i = 1; i < argc; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++) close(pipes[i / 2][i % 2]);
    return 0;
}

/* A program that starts itself, and looks at what the other one says and how it ends: as it does
 * without racefuzz.
 *
 *     starts says|exits|aborts|asserts|ends|options|dies|wrong
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t other;
static int n;

THREAD(adds) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
}

/* What the other one does with "-x WAY". */
static int started(const char *way, int argc) {
    char line[9];
    if (!strcmp(way, "exits")) exit(7);
    if (!strcmp(way, "aborts")) abort();
    if (!strcmp(way, "asserts")) assert(!"so");
    if (!strcmp(way, "dies")) pthread_mutex_lock(&m), pthread_join(other, NULL);
    if (!strcmp(way, "ends")) {
        pthread_create(&other, NULL, adds, NULL);
        pthread_exit(NULL);
    }
    if (strcmp(way, "says") != 0) return argc;
    if (fgets(line, sizeof line, stdin)) printf("it says %s", line);
    return argc;
}

/* A handful of threads, as the program that has started it. */
static void counts(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) assert(!pthread_create(&t[i], NULL, adds, NULL));
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert(n == 3);
}

int main(int argc, char **argv) {
    int in[2], out[2], status;
    char said[99] = "";
    size_t length = 0;
    counts();
    if (argc > 2) return started(argv[2], argc);
    const char *way = argv[1];
    assert(!pipe(in) && !pipe(out));
    pid_t child = fork();
    if (!child) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        close(in[1]);
        const char *option = strcmp(way, "options") ? "-x" : "--help";
        execl("/proc/self/exe", "starts", option, way, "--", (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    assert(write(in[1], "so\n", 3) == 3);
    close(in[0]); /* now: it may have ended, and would break the pipe */
    close(in[1]);
    for (ssize_t k; (k = read(out[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)k;
    assert(waitpid(child, &status, 0) == child);
    if (!strcmp(way, "says")) assert(WEXITSTATUS(status) == 4 && !strcmp(said, "it says so\n"));
    if (!strcmp(way, "options")) assert(WEXITSTATUS(status) == 4 && !*said);
    if (!strcmp(way, "exits")) assert(WEXITSTATUS(status) == 7 && !*said);
    if (!strcmp(way, "ends")) assert(!status && !*said);
    if (!strcmp(way, "aborts")) assert(WTERMSIG(status) == SIGABRT && !*said);
    if (!strcmp(way, "asserts")) assert(WTERMSIG(status) == SIGABRT && strstr(said, "`!\"so\"'"));
    if (!strcmp(way, "dies")) assert(WEXITSTATUS(status) == 1 && strstr(said, "has started"));
    if (!strcmp(way, "wrong")) assert(WEXITSTATUS(status) == 0);
    return 0;
}

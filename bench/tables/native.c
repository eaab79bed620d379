/* bench/tables/native.c: the body of a kernel's test on real threads, without the engine.
 *
 *     KERNEL: the file, BODY: its test; compiled with RF_OFF
 *
 * Each run has a process of its own, since one that fails aborts and one that deadlocks stays.
 * Prints: microseconds of a run that ended well, and how many ended, failed, and stayed.
 */
#define main main_of_the_kernel
#include KERNEL
#undef main
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 100, SECONDS = 2 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(void) {
    double *spent = mmap(NULL, sizeof *spent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    unsigned ended = 0, failed = 0, stayed = 0;
    for (int i = 0; i < RUNS; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            double begin = now();
            BODY();
            *spent += now() - begin;
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        ended += WIFEXITED(status);
        stayed += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        failed += WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM;
    }
    printf("%.1f %u %u %u\n", ended ? *spent / ended : 0, ended, failed, stayed);
    return 0;
}

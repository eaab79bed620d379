/* killer.c: runs a program and kills its child processes at random moments, as somebody may who is
 * short of memory: killer SEED MOST PAUSE PROGRAM ARGUMENT...  There are at most MOST kills, with
 * PAUSE microseconds between two of them on average.  MOST 0: nothing is killed, but one of them
 * stopped for PAUSE microseconds, if it lives so long.  It ends with the program's status; how many
 * kills there were is the last line of standard error. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t state;

static uint32_t draw(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* One of the children of `parent`; 0 if there is none. */
static pid_t any_child(pid_t parent) {
    char name[64];
    int child[64], n = 0;
    snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *f = fopen(name, "r");
    while (f && n < 64 && fscanf(f, "%d", &child[n]) == 1) n++;
    if (f) fclose(f);
    return n ? child[draw((uint32_t)n)] : 0;
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    state = strtoull(argv[1], NULL, 10) * 977 + 1;
    int most = atoi(argv[2]), status = 0, kills = 0;
    pid_t child;
    uint32_t pause = (uint32_t)strtoul(argv[3], NULL, 10) * 2;
    pid_t program = fork();
    if (!program) {
        execv(argv[4], argv + 4);
        _exit(127);
    }
    if (!most) {
        while (!(child = any_child(program)) || kill(child, SIGSTOP)) usleep(10000);
        for (uint32_t i = 0; i < pause / 20000 && any_child(program) == child; i++) usleep(10000);
        kill(child, SIGCONT);
    }
    while (waitpid(program, &status, kills < most ? WNOHANG : 0) != program) {
        usleep(draw(pause) + 1);
        kills += (child = any_child(program)) && !kill(child, SIGKILL);
    }
    fprintf(stderr, "%d kills\n", kills);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

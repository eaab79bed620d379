/* killed.c: FOLDER, PROGRAM, ARGUMENT...: kills a process that runs the program with a campaign in
 * that folder, and becomes one that does so, too, before the first has had a chance to end: it has
 * the processor only when nobody else wants it. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int arguments, char **argument) {
    char file[4096];
    cpu_set_t one;
    const struct sched_param none = {0};
    if (arguments < 3) return 2;
    snprintf(file, sizeof file, "%s/lane-1.00001.jsonl", argument[1]);
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one)) return 77;
    pid_t first = fork();
    if (!first) {
        execv(argument[2], argument + 2);
        _exit(2);
    }
    while (access(file, R_OK)) usleep(1000);
    if (first < 0 || sched_setscheduler(first, SCHED_IDLE, &none) || kill(first, SIGKILL))
        return 77;
    execv(argument[2], argument + 2);
    return 2;
}

/* How fast a child is, who waits for its signal finds out by more than one way. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    pid_t child = fork();
    if (!child) _exit(0);
    while (!waitpid(child, NULL, WNOHANG)) continue;
    return 0;
}

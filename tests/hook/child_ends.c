/* Who waits for a post, which is the handler's to make, waits for what comes from outside. */
#include "check.h"

static sem_t ended;
static int posts;

static void ends(int signal) {
    (void)signal;
    if (posts) sem_post(&ended);
}

THREAD(await) {
    while (sem_wait(&ended)) continue;
}

int main(int count, char **word) {
    posts = count > 1 && word[1][0] == 'p';
    pthread_t t;
    sem_init(&ended, 0, 0);
    signal(SIGCHLD, ends);
    pthread_create(&t, NULL, await, NULL);
    pid_t child = fork();
    if (!child) _exit(0);
    pthread_join(t, NULL);
    return waitpid(child, NULL, 0) != child;
}

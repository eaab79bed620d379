/* rinetd under its own signals: a client connects, has it read its configuration again (SIGHUP),
 * and ends it (SIGTERM).  The port is one that the system gives.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int rinetd_main(int argc, char **argv);
int rinetd_listen(int fd, int backlog);

static struct sockaddr_in server;
static bool listens;
static sem_t known;

/* What the server calls: where it waits for the first time is told. */
int rinetd_listen(int fd, int backlog) {
    socklen_t room = sizeof server;
    int status = listen(fd, backlog);
    if (listens) return status;
    listens = true;
    if (getsockname(fd, (struct sockaddr *)&server, &room)) abort();
    sem_post(&known);
    return status;
}

static void *client(void *unused) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    while (sem_wait(&known)) {
    }
    if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof server)) abort();
    kill(getpid(), SIGHUP);
    close(fd);
    kill(getpid(), SIGTERM);
    return unused;
}

int main(int argc, char **argv) {
    sigset_t all, before;
    pthread_t t;
    if (argc != 2) return 2;
    sem_init(&known, 0, 0);
    sigfillset(&all); /* they are the server's */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&t, NULL, client, NULL)) abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    char *given[] = {argv[0], "-f", "-c", argv[1], NULL};
    return rinetd_main(4, given);
}

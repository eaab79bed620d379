/* What the system keeps by name or key: shared memory, queues, semaphores.  spaces WAY [FILE]
 * leaves all of it behind (leaves), crashes before it could remove it (crashes), removes it
 * (removes), or shares it with a program that it starts (starts), which is itself (started); FILE
 * gets its names and numbers.  Natively: makes some with a number (makes), removes that (unmakes),
 * looks whether what a file tells is there, and removes it (finds). */
#include "check.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

enum { KEY = 0x7ace, NEW = O_CREAT | O_EXCL | O_RDWR, KEYED = IPC_CREAT | IPC_EXCL | 0600 };
static const char name[] = "/racefuzz-spaces", child[] = "/racefuzz-child";
static struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 1};
static mqd_t queue;
static int memory, segment, unnamed, messages, set;

static void *makes(void *unused) {
    CHECK((queue = mq_open(name, NEW, 0600, &small)) != (mqd_t)-1);
    CHECK((memory = shm_open(name, NEW, 0600)) >= 0);
    CHECK((segment = shmget(KEY, 4096, KEYED)) >= 0);
    CHECK((unnamed = shmget(IPC_PRIVATE, 4096, 0600)) >= 0);
    CHECK((messages = msgget(KEY, KEYED)) >= 0);
    CHECK((set = semget(KEY, 1, KEYED)) >= 0);
    CHECK(shm_open(name, NEW, 0600) < 0 && shmget(KEY, 4096, KEYED) < 0);
    return unused;
}

static int finds(void) {
    CHECK(mq_open(name, O_RDWR) != (mqd_t)-1 && shm_open(name, O_RDWR, 0) >= 0);
    CHECK(shmget(KEY, 0, 0) >= 0 && msgget(KEY, 0) >= 0 && semget(KEY, 0, 0) >= 0);
    CHECK(shm_open(child, NEW, 0600) >= 0);
    return 0;
}

static int has_ended(pid_t id) {
    int status = 1;
    return waitpid(id, &status, 0) == id && !status;
}

static void removes(void) {
    CHECK(!mq_unlink(name) && !shm_unlink(name) && !shmctl(segment, IPC_RMID, NULL));
    CHECK(!msgctl(messages, IPC_RMID, NULL) && !semctl(set, 0, IPC_RMID));
    CHECK(mq_unlink(name) && shm_unlink(name) && shm_open(name, O_RDWR, 0) < 0);
    CHECK(shmget(KEY, 0, 0) < 0 && msgget(KEY, 0) < 0 && semget(KEY, 0, 0) < 0);
}

/* The file that it is tells the queue's name. */
static int tells(FILE *to) {
    char link[32], real[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)queue);
    CHECK(readlink(link, real, sizeof real - 1) > 0);
    if (to) fprintf(to, "%d %d %d %d %s\n", segment, unnamed, messages, set, real);
    return !to || fclose(to);
}

static int is_there(FILE *from) {
    char real[64];
    int there = 0, any = 0, id[4];
    while (fscanf(from, "%d %d %d %d %63s", &id[0], &id[1], &id[2], &id[3], real) == 5) {
        any = 1;
        there |= !mq_unlink(real) | !shmctl(id[0], IPC_RMID, NULL) | !shmctl(id[1], IPC_RMID, NULL);
        there |= !msgctl(id[2], IPC_RMID, NULL) | !semctl(id[3], 0, IPC_RMID);
    }
    return !any || there;
}

static int outside(int makes, const char *real, key_t key) {
    CHECK(makes ? shm_open(real, NEW, 0600) >= 0 && msgget(key, KEYED) >= 0
                : !shm_unlink(real) && !msgctl(msgget(key, 0), IPC_RMID, NULL));
    return 0;
}

/* Another process has made these, and they stay. */
static int opens(const char *real, key_t key) {
    CHECK(shm_open(real, O_RDWR, 0) >= 0 && shm_open(real, O_CREAT | O_RDWR, 0) >= 0);
    CHECK(msgget(key, 0) >= 0 && msgget(key, IPC_CREAT | IPC_EXCL) < 0);
    return 0;
}

int main(int argc, char **argv) {
    char way = (char)(argc > 1 ? argv[1][0] : 0);
    pthread_t t;
    pid_t id;
    if (way == 'm' || way == 'u') return outside(way == 'm', argv[2], atoi(argv[3]));
    if (way == 'f') return is_there(fopen(argv[2], "r"));
    if (way == 'o') return opens(argv[2], atoi(argv[3]));
    if (way == 's' && argc == 2) return finds();
    CHECK(!pthread_create(&t, NULL, makes, NULL) && !pthread_join(t, NULL));
    if (!(id = fork())) {
        if (way == 's') execl(argv[0], argv[0], "started", (char *)NULL);
        _exit(finds());
    }
    CHECK(has_ended(id) && shm_open(child, O_RDWR, 0) >= 0);
    if (way == 'r') removes();
    CHECK(argc < 3 || !tells(fopen(argv[2], "a")));
    CHECK(!mq_close(queue) && !close(memory));
    if (way == 'c') abort();
    return 0;
}

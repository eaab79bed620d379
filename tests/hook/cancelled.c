/* cancelled DEEDS MAIN OUTCOMES: a thread is cancelled while it does the first, and main the
 * second. How often it has got what it wanted is one of the outcomes: '0' and on, 'a' and on if it
 * was cancelled. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int pipes[2], got;
static bool ready;
static pthread_t other;

static void unlocks(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void waits(void) {
    while (!ready) pthread_cond_wait(&cond, &mutex);
}

static void waits_with_handler(void) {
    pthread_cleanup_push(unlocks, NULL);
    waits();
    pthread_cleanup_pop(0);
}

static void does(char what) {
    struct pollfd file = {.fd = pipes[0], .events = POLLIN};
    char c;
    sigset_t none;
    int before;
    sigemptyset(&none);
    switch (what) {
    case 'c':
    case 'C':
        pthread_mutex_lock(&mutex);
        what == 'c' ? waits() : waits_with_handler();
        pthread_mutex_unlock(&mutex);
        break;
    case 'D': pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); return;
    case 'E': pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before); return;
    case 'A': pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before); return;
    case 'H':
    case 'h':
        pthread_mutex_lock(&mutex);
        if (what == 'H') pthread_mutex_unlock(&mutex);
        return;
    case 'J': CHECK(!pthread_join(other, NULL)); break;
    case 'L':
        for (;;) pthread_testcancel();
    case 'P': CHECK(poll(&file, 1, -1) == 1); break;
    case 'R': CHECK(read(pipes[0], &c, 1) == 1); break;
    case 'S': CHECK(!sem_wait(&sem)); break;
    case 'T': pthread_testcancel(); break;
    case 'U': pause(); break;
    case 'V': sigsuspend(&none); break;
    case 'Z': sleep(1); break;
    case 'p': CHECK(!sem_post(&sem)); return;
    case 'r':
        pthread_mutex_lock(&mutex);
        ready = true;
        pthread_mutex_unlock(&mutex);
        pthread_cond_signal(&cond);
        return;
    case 'w': CHECK(write(pipes[1], "", 1) == 1); return;
    }
    got++;
}

static void *ends(void *unused) {
    sem_wait(&sem);
    return unused;
}

static void *thread(void *deeds) {
    for (const char *what = deeds; *what; what++) does(*what);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t;
    void *result;
    CHECK(argc == 4 && !sem_init(&sem, 0, 0) && !pipe(pipes));
    if (strchr(argv[1], 'J')) CHECK(!pthread_create(&other, NULL, ends, NULL));
    CHECK(!pthread_create(&t, NULL, thread, argv[1]));
    for (const char *what = argv[2]; *what; what++) {
        if (*what == 'q')
            CHECK(!pthread_cancel(t));
        else
            does(*what);
    }
    CHECK(!pthread_join(t, &result));
    CHECK(strchr(argv[3], (result ? 'a' : '0') + got));
    return 0;
}

/* A handler has variables where the functions that it interrupts have had some, or will have: they
 * share none of them.  With "jump" it leaves by siglongjmp.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t jumps;

enum { MANY = 3000, FEW = 64 }; /* many: more than the engine's frames in between */

static void fill(int *p, int from, int step) {
    for (int i = from; i < MANY; i += step) p[i] = i;
}

static int last(int from, int step) {
    int number[MANY];
    fill(number, from, step);
    return number[from];
}

/* Stacks are aligned to 16 bytes, so that one of these is where the others were. */
static int some(void) { return last(0, FEW); }
static int dense(void) { return last(MANY - FEW, 4); }

static void handler(int signal) {
    if (dense() < signal || jumps) siglongjmp(back, 1);
}

static void *sender(void *unused) {
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t t;
    sigset_t all, none;
    (void)argv;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &none);
    if (pthread_create(&t, NULL, sender, NULL)) return 1;
    signal(SIGUSR1, handler);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (!sigsetjmp(back, 1)) {
        jumps = argc > 1;
        for (int i = 1; i < 4; i++)
            if (some()) return 2;
    }
    some();
    jumps = 0; /* not out of pthread_join */
    if (pthread_join(t, NULL)) return 1;
    return 0;
}

/* lbzip2's way to wait (src/signals.c): the first thread blocks all signals, starts others, and
 * sleeps by sigsuspend until one of them says by a signal that all is done, twice in a row, as for
 * two files.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common.h"

#include "main.h"
#include "signals.h"

static volatile sig_atomic_t done;

void cleanup(void) {}

static void *works(void *unused) {
    done++;
    xraise(SIGUSR2);
    return unused;
}

int main(void) {
    pthread_t worker;
    setup_signals();
    for (int i = 1; i <= 2; i++) {
        cli();
        if (pthread_create(&worker, NULL, works, NULL)) abort();
        halt();
        if (done != i) abort();
        if (pthread_join(worker, NULL)) abort();
        sti();
    }
    return 0;
}

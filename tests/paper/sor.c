/* sor: red and black half-sweeps over neighbouring rows, with a barrier between them that is made
 * of a mutex and a condition.  What it orders is suspected, and false.  There is no bug; the twin
 * takes the library's barrier, and nothing is suspected.
 */
#include "paper.h"

enum { THREADS = 3, SWEEPS = 2 };

static int row[2 * THREADS + 1];

#ifdef FIXED
static rf_barrier all = RF_BARRIER_INIT(THREADS);
static void barrier(void) { RF_BARRIER_WAIT(&all); }
#else
static struct {
    rf_mutex lock;
    rf_cond opened;
    int arrived, round;
} cyclic;

static void barrier(void) {
    RF_LOCK(&cyclic.lock);
    int mine = RF_LOAD(cyclic.round);
    RF_STORE(cyclic.arrived, RF_LOAD(cyclic.arrived) + 1);
    if (RF_LOAD(cyclic.arrived) == THREADS) {
        RF_STORE(cyclic.arrived, 0);
        RF_STORE(cyclic.round, mine + 1);
        RF_BROADCAST(&cyclic.opened);
    }
    while (RF_LOAD(cyclic.round) == mine) RF_WAIT(&cyclic.opened, &cyclic.lock);
    RF_UNLOCK(&cyclic.lock);
}
#endif

static void *relax(void *arg) {
    int red = 2 * *(int *)arg, black = red + 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        RF_STORE(row[red], RF_LOAD(row[red]) + RF_LOAD(row[black]));
        if (red) RF_STORE(row[red], RF_LOAD(row[red]) + RF_LOAD(row[red - 1]));
        barrier();
        RF_STORE(row[black], RF_LOAD(row[black]) + RF_LOAD(row[red]));
        RF_STORE(row[black], RF_LOAD(row[black]) + RF_LOAD(row[black + 1]));
        barrier();
    }
    return NULL;
}

RF_TEST(sor) {
    for (int i = 0; i <= 2 * THREADS; i++) row[i] = 1;
#ifndef FIXED
    cyclic.arrived = cyclic.round = 0;
    rf_mutex_init(&cyclic.lock, "barrier", RF_MUTEX_NORMAL);
    rf_cond_init(&cyclic.opened, "opened");
#endif
    crew(THREADS, relax);
}

RF_MAIN()

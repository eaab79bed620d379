/* paper.h: what the kernels of the papers' benchmarks share.
 *
 * Each kernel has the skeleton of one benchmark of RaceFuzzer's Table 1 (Sen, PLDI 2008), of
 * CalFuzzer's (Joshi, Naik, Park, Sen, CAV 2009) or of the lectures: its threads, its locks, and
 * what it forgot to lock.  They were written for this test in C and take no code from there.
 * Compiled with -DFIXED a kernel is its twin, which differs in the mistake alone.
 */
#ifndef PAPER_H
#define PAPER_H
#include "racefuzz.h"
#include "tests/thread.h"
#include <string.h>

#ifdef FIXED
# define BUG(kinds) RF_EXPECT_PASS
#else
# define BUG(kinds) (kinds)
#endif

/* Steps of number crunching; the tables take more of them. */
#ifndef SIZE
# define SIZE 4
#endif

/* Number crunching on memory of the thread's own.  It is announced, as a tool that instruments
 * every access of a program would do it. */
static inline int crunch(int seed) {
    volatile int cell[4] = {seed, 1, 2, 3};
    for (int i = 0; i < SIZE; i++) RF_STORE(cell[i % 4], RF_LOAD(cell[(i + 1) % 4]) ^ i);
    return seed;
}
#endif

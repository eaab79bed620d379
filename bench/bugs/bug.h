/* bench/bugs/bug.h: what the programs of the bench share.
 *
 * Known hard bugs, written from their public descriptions: SCTBench (Thomson, Donaldson, Betts,
 * "Concurrency testing using controlled schedulers", TOPC 2016), which collects them from CHESS,
 * Inspect, CalFuzzer's and other sources.  Thread counts, loop counts and assertions are those of
 * SCTBench where a comment says nothing else; `threads` there counts the main thread.
 *
 * PROGRAM(name, kinds) or PROGRAM(name, kinds, options) is a test, and its bug a failure of one of
 * these kinds: the failed assertion, the deadlock.  Where the original has data races, shared
 * variables are plain, so that races are reported too, but they are not what counts.  With -DFIXED
 * the test is name_fixed: the program without the mistake, and without data races.
 */
#ifndef BENCH_BUG_H
#define BENCH_BUG_H
#include "racefuzz.h"
#include <string.h>

#ifdef FIXED
# define PROGRAM_WITH(name, kinds, ...) RF_TEST(name##_fixed, __VA_ARGS__.expect = RF_EXPECT_PASS)
/* What others touch at the same time: plain data in the buggy program. */
# define SHARED        _Atomic
# define GET(x)        rf_atomic_load(&(x))
# define PUT(x, value) rf_atomic_store(&(x), value)
#else
# ifdef FUZZED /* a fuzzer's target: what is expected would not end the search */
#  define PROGRAM_WITH(name, kinds, ...) \
      RF_TEST(name, .memory = "sc", __VA_ARGS__.expect = RF_EXPECT_PASS)
# else
#  define PROGRAM_WITH(name, kinds, ...) RF_TEST(name, __VA_ARGS__.expect = (kinds))
# endif
# define SHARED
# define GET(x)        RF_LOAD(x)
# define PUT(x, value) RF_STORE(x, value)
#endif
#define PROGRAM(...) PROGRAM_WITH(__VA_ARGS__, )

/* The threads of a program, in the order of their creation. */
typedef struct crew {
    rf_thread thread[100];
    unsigned count;
} crew;

/* A macro, so that each place that starts threads is a place of its own. */
#define START(crew, n, fn, arg) \
 for (unsigned i_ = 0; i_ < (n); i_++) (crew)->thread[(crew)->count++] = RF_THREAD(fn, arg)

static inline void finish(const crew *c) {
    for (unsigned i = 0; i < c->count; i++) RF_JOIN(c->thread[i]);
}
#endif

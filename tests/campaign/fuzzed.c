/* Targets of fuzzers.  With -DMAIN an ordinary program; else one that is its own fuzzer:
 *
 *     fuzzed FILE...      gives each file to the target; prints what it covers
 *     fuzzed -N SEED      the same with N inputs from a generator, and again in the opposite order:
 *                         says which of them covered something else
 */
#include "racefuzz.h"
#include "tests/thread.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sum;
static rf_mutex a = RF_MUTEX_INIT, b = RF_MUTEX_INIT;
static rf_cond changed = RF_COND_INIT;
static _Atomic int x, y, seen[2];
static int *nowhere;

THREAD(add) { RF_STORE(sum, RF_LOAD(sum) + 1); }

RF_TEST(lost, .expect = RF_EXPECT_RACE) {
    sum = 0;
    run_two(add, add);
    RF_ASSERT_EQ(sum, 2);
}

RF_TEST(racing) {
    sum = 0;
    BESIDE(add) add(NULL);
}

THREAD(left) {
    rf_atomic_store_explicit(&x, 1, rf_memory_order_relaxed);
    rf_atomic_store(&seen[0], rf_atomic_load_explicit(&y, rf_memory_order_relaxed));
}

THREAD(right) {
    rf_atomic_store_explicit(&y, 1, rf_memory_order_relaxed);
    rf_atomic_store(&seen[1], rf_atomic_load_explicit(&x, rf_memory_order_relaxed));
}

/* Fails only where a load returns a value that is not the newest. */
RF_TEST(buffered) {
    rf_atomic_store(&x, 0);
    rf_atomic_store(&y, 0);
    run_two(left, right);
    RF_ASSERT(rf_atomic_load(&seen[0]) || rf_atomic_load(&seen[1]));
}

/* The same with plain data: only where a race is looked into are there older values. */
static int plain[2], saw[2];

THREAD(first) {
    RF_STORE(plain[0], 1);
    RF_STORE(saw[0], RF_LOAD(plain[1]));
}

THREAD(second) {
    RF_STORE(plain[1], 1);
    RF_STORE(saw[1], RF_LOAD(plain[0]));
}

RF_TEST(aged, .expect = RF_EXPECT_RACE) {
    RF_STORE(plain[0], 0);
    RF_STORE(plain[1], 0);
    run_two(first, second);
    RF_ASSERT(RF_LOAD(saw[0]) || RF_LOAD(saw[1]));
}

/* Coarse, the parcel is there as soon as the gate is open; to an input it is a step of its own. */
THREAD(sends) {
    rf_atomic_store(&x, 1);
    RF_STORE(sum, 7);
    rf_atomic_store(&x, 2);
}

RF_TEST(handed, .expect = RF_EXPECT_RACE) {
    sum = 0;
    rf_atomic_store(&x, 0);
    BESIDE(sends) RF_ASSERT(rf_atomic_load(&x) != 1 || RF_LOAD(sum) != 7);
}

RF_TEST(ranged) { RF_ASSERT_LT(RF_CHOOSE(1000), 100); }

RF_TEST(chosen) { RF_ASSERT_NE(RF_CHOOSE(1000), 777); }

THREAD(one) {
    RF_LOCK(&a);
    RF_LOCK(&b);
    RF_UNLOCK(&b);
    RF_UNLOCK(&a);
}

RF_TEST(embraced) {
    rf_thread t = RF_THREAD(one, NULL);
    RF_LOCK(&b);
    RF_LOCK(&a);
    RF_UNLOCK(&a);
    RF_UNLOCK(&b);
    RF_JOIN(t);
}

RF_TEST(crashing) {
    rf_atomic_store(&x, 0);
    BESIDE(left) {
        if (rf_atomic_load(&x)) *(volatile int *)nowhere = 1;
    }
}

/* All sorts of choices, and nothing wrong. */
static bool full;

THREAD(giver) {
    RF_LOCK(&a);
    RF_STORE(sum, (int)RF_CHOOSE(300));
    RF_STORE(full, true);
    RF_SIGNAL(&changed);
    RF_UNLOCK(&a);
    while (!rf_atomic_load(&x)) RF_YIELD();
}

THREAD(taker) {
    int was = 0;
    RF_LOCK(&a);
    while (!RF_LOAD(full)) RF_WAIT(&changed, &a);
    was = RF_LOAD(sum);
    RF_UNLOCK(&a);
    int old = 0;
    while (!rf_atomic_compare_exchange_weak(&x, &old, 1 + was)) old = 0;
}

RF_TEST(sound) {
    RF_STORE(sum, 0);
    RF_STORE(full, false);
    rf_atomic_store(&x, 0);
    run_two(giver, taker);
    RF_ASSERT_EQ(rf_atomic_load(&x), RF_LOAD(sum) + 1);
}

#ifdef MAIN
RF_MAIN()
#else
RF_FUZZ_TARGET(TARGET);

/* What a fuzzer does: the counters are zero before each input, and read after it. */
static uint64_t covered(const uint8_t *input, size_t size, unsigned *counters) {
    uint64_t h = 1469598103934665603u;
    memset(rfi_fuzz_counter, 0, sizeof rfi_fuzz_counter);
    LLVMFuzzerTestOneInput(input, size);
    *counters = 0;
    for (unsigned i = 0; i < sizeof rfi_fuzz_counter; i++) {
        h = (h ^ rfi_fuzz_counter[i]) * 1099511628211u;
        *counters += rfi_fuzz_counter[i] != 0;
    }
    return h;
}

static size_t generate(uint8_t *input, unsigned number, unsigned seed) {
    unsigned state = seed * 2654435761u + number * 40503u + 1;
    size_t size = number % 97;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        input[i] = (uint8_t)(state >> 24);
    }
    return size;
}

int main(int argc, char **argv) {
    static uint8_t input[1 << 16];
    static uint64_t first[100000];
    unsigned counters, n = argc > 2 && argv[1][0] == '-' ? (unsigned)atoi(argv[1] + 1) : 0;
    unsigned differ = 0, kinds = 0, seed = n ? (unsigned)atoi(argv[2]) : 0;
    if (n > sizeof first / sizeof *first) return 2;
    for (unsigned i = 0; i < n; i++) {
        first[i] = covered(input, generate(input, i, seed), &counters);
        unsigned same = 0;
        while (same < i && first[same] != first[i]) same++;
        kinds += same == i;
    }
    for (unsigned i = n; i--;)
        differ += covered(input, generate(input, i, seed), &counters) != first[i];
    if (n) printf("%u inputs, %u kinds, %u differ\n", n, kinds, differ);
    for (int i = 1; !n && i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) return 2;
        size_t size = fread(input, 1, sizeof input, f);
        fclose(f);
        uint64_t h = covered(input, size, &counters);
        printf("%016llx %u\n", (unsigned long long)h, counters);
    }
    return 0;
}
#endif

/* URW and SURW: the exact values of programs that are small enough to count, what is learned, how
 * it is told, and that nothing in it depends on what was learned elsewhere. */
#define RF_IMPLEMENTATION
#include "tests/learner.h"

static int x, y, shared[4];
static rf_mutex L = RF_MUTEX_INIT, M = RF_MUTEX_INIT;

/* What the threads have done, in a number: digits to a base, most recent last. */
static uint32_t course;
static bool happened;
static void did(uint32_t thread, uint32_t base) { course = course * base + thread; }

static void private_steps(int n) {
    int mine;
    for (int i = 0; i < n; i++) RF_STORE(mine, i);
}

/* ---- three and two interesting operations among others ---- */

THREAD(three) {
    for (int i = 0; i < 3; i++) {
        private_steps(5);
        RF_STORE(x, i);
        did(0, 2);
    }
}

THREAD(two) {
    for (int i = 0; i < 2; i++) {
        RF_STORE(x, i);
        did(1, 2);
        private_steps(2);
    }
}

RF_TEST(three_and_two) {
    course = 1;
    lab_two(three, two);
}

/* ---- two threads with five steps ---- */

static void *five(void *arg) {
    uint32_t who = (uint32_t)(intptr_t)arg;
    for (int i = 0; i < 5; i++) {
        RF_STORE(shared[who], i);
        did(who, 2);
    }
    return arg;
}

RF_TEST(five_and_five) {
    course = 1;
    rf_thread a = RF_THREAD(five, (void *)0), b = RF_THREAD(five, (void *)1);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* ---- a forest: main, A after its first step, B after A's first step ----
 *
 * Creation is part of the step before it.  8! / (8 * 2 * 5 * 2 * 2) = 126 interleavings. */

THREAD(forest_b) {
    for (int i = 0; i < 2; i++) {
        RF_STORE(shared[2], i);
        did(2, 3);
    }
}

THREAD(forest_a) {
    for (int i = 0; i < 3; i++) {
        RF_STORE(shared[1], i);
        did(1, 3);
        if (!i) RF_DETACH(RF_THREAD(forest_b, NULL));
    }
}

RF_TEST(forest) {
    course = 1;
    for (int i = 0; i < 3; i++) {
        RF_STORE(shared[0], i);
        did(0, 3);
        if (!i) RF_DETACH(RF_THREAD(forest_a, NULL));
    }
}

/* The same with operations on one place that all of them share, and others in between: SURW has to
 * hand its intention over. */
THREAD(mixed_b) {
    private_steps(1);
    for (int i = 0; i < 2; i++) {
        RF_STORE(x, i);
        did(2, 3);
    }
}

THREAD(mixed_a) {
    for (int i = 0; i < 3; i++) {
        RF_STORE(x, i);
        did(1, 3);
        private_steps(2);
        if (!i) RF_DETACH(RF_THREAD(mixed_b, NULL));
    }
}

RF_TEST(mixed_forest) {
    course = 1;
    for (int i = 0; i < 3; i++) {
        RF_STORE(x, i);
        did(0, 3);
        private_steps(3);
        if (!i) RF_DETACH(RF_THREAD(mixed_a, NULL));
    }
}

/* A thread that creates another as its last act: 7! / (5! 2!) = 21 interleavings. */
THREAD(last_a) {
    for (int i = 0; i < 3; i++) {
        RF_STORE(x, i);
        did(1, 3);
    }
    RF_DETACH(RF_THREAD(mixed_b, NULL));
}

RF_TEST(last_act) {
    course = 1;
    for (int i = 0; i < 3; i++) {
        RF_STORE(x, i);
        did(0, 3);
        private_steps(1);
        if (!i) RF_DETACH(RF_THREAD(last_a, NULL));
    }
}

/* ---- the programs of the literature ---- */

THREAD(figure_2_left) {
    RF_LOCK(&L);
    private_steps(5);
    RF_UNLOCK(&L);
    if (RF_LOAD(x) == 0) happened = true;
}

THREAD(figure_2_right) {
    RF_STORE(x, 1);
    RF_LOCK(&L);
    private_steps(1);
    RF_UNLOCK(&L);
}

RF_TEST(figure_2) {
    x = 0;
    lab_two(figure_2_left, figure_2_right);
}

THREAD(check_then_act) {
    if (RF_LOAD(x) == 0) happened = RF_LOAD(x) != 0;
}

THREAD(set_x) { RF_STORE(x, 1); }

RF_TEST(check_then_act) {
    x = 0;
    lab_two(check_then_act, set_x);
}

THREAD(add_one) {
    int old = RF_LOAD(x);
    RF_STORE(x, old + 1);
}

RF_TEST(lost_update) {
    x = 0;
    lab_two(add_one, add_one);
    happened = x != 2;
}

THREAD(l_then_m) {
    RF_LOCK(&L);
    RF_LOCK(&M);
    RF_UNLOCK(&M);
    RF_UNLOCK(&L);
}

THREAD(m_then_l) {
    RF_LOCK(&M);
    RF_LOCK(&L);
    RF_UNLOCK(&L);
    RF_UNLOCK(&M);
}

RF_TEST(lock_inversion, .expect = RF_EXPECT_DEADLOCK) { lab_two(l_then_m, m_then_l); }

/* ---- y is shared, but constant once there is somebody to share it with ---- */

THREAD(reads_y) {
    for (int i = 0; i < 10; i++) {
        (void)RF_LOAD(y);
        private_steps(1);
    }
    RF_STORE(x, 1);
}

RF_TEST(constant) {
    RF_STORE(y, 1);
    lab_two(reads_y, reads_y);
}

/* A hundred threads that do different things. */
static void *some(void *arg) {
    intptr_t n = (intptr_t)arg;
    for (intptr_t i = 0; i <= n % 7; i++) RF_STORE(x, 1);
    if (n % 3) (void)RF_LOAD(y);
    RF_STORE(y, 1);
    return arg;
}

RF_TEST(hundred) {
    rf_thread t[100];
    x = y = 0;
    for (intptr_t i = 0; i < 100; i++) t[i] = RF_THREAD(some, (void *)i);
    for (int i = 0; i < 100; i++) RF_JOIN(t[i]);
}

/* ---- tests ---- */

/* Executions in which nothing is known yet. */
static learner warmed(const char *test, const rf_strategy *s) {
    learner l = learner_of(test, s, 8);
    for (uint32_t i = 0; i < 8; i++) (void)learner_next(&l);
    return l;
}

static int by_number(const void *a, const void *b) {
    uint32_t v = *(const uint32_t *)a, w = *(const uint32_t *)b;
    return (v > w) - (v < w);
}

/* Are the courses of n executions uniform over so many? */
static void expect_uniform(const char *test, const rf_strategy *s, uint32_t classes, uint32_t n) {
    static uint32_t seen[126 * 100], count[252];
    char name[80];
    uint32_t different = 0;
    learner l = warmed(test, s);
    for (uint32_t i = 0; i < n; i++) {
        (void)learner_next(&l);
        seen[i] = course;
    }
    qsort(seen, n, sizeof *seen, by_number);
    memset(count, 0, sizeof count);
    for (uint32_t i = 0; i < n; i++) {
        different += !i || seen[i] != seen[i - 1];
        if (different <= classes) count[different - 1]++;
    }
    snprintf(name, sizeof name, "%s_of_%s_is_uniform_over_%u", s->name, test, classes);
    if (different > classes)
        lab_check(false, name, "there are more");
    else
        learner_uniform(name, count, classes, n);
}

/* How often `happened`, or the execution failed, in n executions about so many statements. */
static void expect_share(const char *test, const rf_strategy *s, uint32_t sites, uint32_t n,
                         double p) {
    char name[80];
    uint32_t hits = 0, all = 0;
    learner l = warmed(test, s);
    while (all < n) {
        happened = false;
        const rfi_record *r = learner_next(&l);
        if (r->used[0] != sites) continue;
        all++;
        hits += happened || r->failure.diagnostic;
    }
    snprintf(name, sizeof name, "%s_of_%s", s->name, test);
    lab_share(name, hits, all, p);
}

static void test_exact(void) {
    expect_uniform("three_and_two", &rfi_surw, 10, 4000);
    expect_uniform("five_and_five", &rfi_urw, 252, 12600);
    expect_uniform("forest", &rfi_urw, 126, 6300);
    expect_uniform("mixed_forest", &rfi_surw, 126, 6300);
    expect_uniform("last_act", &rfi_surw, 21, 2100);
    expect_share("figure_2", &rfi_urw, 255, 8000, 1.0 / 495);
    expect_share("figure_2", &rfi_surw, 2, 2000, 0.5);
    expect_share("check_then_act", &rfi_urw, 255, 2000, 1.0 / 3);
    expect_share("check_then_act", &rfi_surw, 2, 2000, 1.0 / 3);
    expect_share("lost_update", &rfi_urw, 255, 2000, 2.0 / 3);
    expect_share("lost_update", &rfi_surw, 2, 2000, 2.0 / 3);
    expect_share("lock_inversion", &rfi_urw, 255, 2000, 4.0 / 7);
}

static void test_interesting(void) {
    learner l = warmed("constant", &rfi_surw);
    uint32_t one = 0;
    for (uint32_t i = 0; i < 200; i++) one += learner_next(&l)->used[0] == 1;
    LAB_CHECK("what_stays_as_it_is_does_not_matter", one == 200);
}

static void test_complete(const rf_strategy *s) {
    char name[80];
    learner l = learner_of("busy", s, 16);
    uint32_t ended = 0;
    for (uint32_t i = 0; i < 2000; i++) ended += !learner_next(&l)->failure.diagnostic;
    snprintf(name, sizeof name, "%s_completes_what_blocks_and_spins", s->name);
    LAB_CHECK(name, ended == 2000);
}

static void test_replay(const rf_strategy *s) {
    const char *const test[] = {"three_and_two", "mixed_forest", "figure_2", "busy", "hundred"};
    char name[80];
    for (uint32_t i = 0; i < RFI_LENGTH(test); i++) {
        bool same = true;
        for (uint32_t n = 0; n < 40; n += 3) {
            learner l = learner_of(test[i], s, 8);
            same &= learner_repeats(&l, n);
        }
        snprintf(name, sizeof name, "%s_of_%s_repeats_from_what_it_used", s->name, test[i]);
        LAB_CHECK(name, same);
    }
}

static void test_same_lessons_same_executions(void) {
    static uint64_t hash[2][60];
    for (uint32_t k = 0; k < 2; k++) {
        learner l = learner_of("busy", &rfi_surw, 10);
        for (uint32_t i = 0; i < 60; i++) hash[k][i] = learner_next(&l)->hash;
        l = learner_of("hundred", &rfi_urw, 10); /* something else in between */
        for (uint32_t i = 0; i < 20; i++) (void)learner_next(&l);
    }
    LAB_CHECK("the_same_lessons_make_the_same_executions",
              !memcmp(hash[0], hash[1], sizeof hash[0]));
}

static uint32_t most_used(const char *test, const rf_strategy *s) {
    learner l = learner_of(test, s, 8);
    uint32_t most = 0;
    for (uint32_t i = 0; i < 200; i++) {
        const rfi_record *r = learner_next(&l);
        if (r->used_bytes > most) most = r->used_bytes;
    }
    printf("# %s of %s uses at most: %u bytes\n", s->name, test, most);
    return most;
}

static void test_sizes(void) {
    LAB_CHECK("small_tests_use_few_bytes",
              most_used("three_and_two", &rfi_surw) <= 16 && most_used("busy", &rfi_surw) <= 60);
    LAB_CHECK("counts_of_a_hundred_threads_are_few_bytes", most_used("hundred", &rfi_surw) <= 190);
    LAB_CHECK("so_are_all_their_counts", most_used("hundred", &rfi_urw) <= 170);
}

int main(void) {
    test_exact();
    test_interesting();
    test_complete(&rfi_surw);
    test_complete(&rfi_urw);
    test_replay(&rfi_surw);
    test_replay(&rfi_urw);
    test_same_lessons_same_executions();
    test_sizes();
    learner_nonsense("busy", &rfi_surw, 64);
    return lab_end();
}

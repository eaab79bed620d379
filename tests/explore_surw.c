/* URW and SURW: the exact values of programs that are small enough to count, what is learned, how
 * it is told, and that nothing in it depends on what was learned elsewhere. */
#define RF_IMPLEMENTATION
#include "programs.h"
#include "tests/learner.h"

/* What the threads have done is in c, as digits to base 2 or 3, most recent last. */
#define COURSE   script_objects.v['c' - 'a']
#define HAPPENED script_objects.v['h' - 'a']
#define FROM_1   " quietly c 1;"
#define NEXT(v)  "peek " v "; W " v " it+1;" /* an operation that changes something */
#define CREATES  "start; detach;"

/* Three and two interesting operations among others; two threads with five steps. */
#define THREE_AND_TWO                                      \
 JOINED(FROM_1, "times 3 { own 5;" NEXT("x") "bit c 0 } |" \
                                             "times 2 {" NEXT("x") "bit c 1; own 2 }")
#define FIVE_AND_FIVE \
 JOINED(FROM_1, "times 5 {" NEXT("a") "bit c 0 } | times 5 {" NEXT("b") "bit c 1 }")

/* A forest: main, A after its first step, B after A's first step.  Creation is part of the step
 * before it.  8! / (8 * 2 * 5 * 2 * 2) = 126 interleavings. */
#define FOREST                                                                                   \
 "body: quietly c 1;" NEXT("a") "digit c 0;" CREATES "times 2 {" NEXT("a") "digit c 0 } |" NEXT( \
     "b") "digit c 1;" CREATES "times 2 {" NEXT("b") "digit c 1 } |"                             \
                                                     "times 2 {" NEXT("d") "digit c 2 }"
/* The same with operations on one place that all of them share, and others in between: SURW has to
 * hand its intention over. */
#define MIXED_B "own 1; times 2 {" NEXT("x") "digit c 2 }"
#define MIXED_FOREST                                                          \
 "body: quietly c 1;" NEXT("x") "digit c 0; own 3;" CREATES "times 2 {" NEXT( \
     "x") "digit c 0; own 3 } |" NEXT("x") "digit c 1; own 2;" CREATES        \
                                           "times 2 {" NEXT("x") "digit c 1; own 2 } |" MIXED_B
/* A thread that creates another as its last act: 7! / (5! 2!) = 21 interleavings. */
#define LAST_ACT                                                                                   \
 "body: quietly c 1;" NEXT("x") "digit c 0; own 1;" CREATES                                        \
                                "times 2 {" NEXT("x") "digit c 0; own 1 } |"                       \
                                                      "times 3 {" NEXT("x") "digit c 1 };" CREATES \
                                                                            "|" MIXED_B

/* h: it has happened. */
#define FIGURE_2_HAPPENS                                             \
 JOINED("", "lock l; own 5; unlock l; R x; if = 0 { quietly h 1 } |" \
            "W x 1; lock l; own 1; unlock l")
#define CHECK_ACT_HAPPENS JOINED("", "R x; if = 0 { R x; if ! 0 { quietly h 1 } } | W x 1")
#define UPDATE_HAPPENS    "body: start; again; join; peek x; if ! 2 { quietly h 1 } |" ADD_1
/* y is shared, but constant once there is somebody to share it with. */
#define CONSTANT "body: W y 1; start; again; join | times 10 { R y; own 1 }; W x 1"

static int x, y;

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
static learner warmed(const char *program, const rf_strategy *s) {
    script_is(program, false);
    learner l = learner_of("script", s, 8);
    for (uint32_t i = 0; i < 8; i++) (void)learner_next(&l);
    return l;
}

static int by_number(const void *a, const void *b) {
    uint32_t v = *(const uint32_t *)a, w = *(const uint32_t *)b;
    return (v > w) - (v < w);
}

/* Are the courses of n executions uniform over so many? */
static void expect_uniform(const char *is, const char *program, const rf_strategy *s,
                           uint32_t classes, uint32_t n) {
    static uint32_t course[126 * 100], count[252];
    char name[80];
    uint32_t different = 0;
    learner l = warmed(program, s);
    for (uint32_t i = 0; i < n; i++) {
        (void)learner_next(&l);
        course[i] = (uint32_t)COURSE;
    }
    qsort(course, n, sizeof *course, by_number);
    memset(count, 0, sizeof count);
    for (uint32_t i = 0; i < n; i++) {
        different += !i || course[i] != course[i - 1];
        if (different <= classes) count[different - 1]++;
    }
    snprintf(name, sizeof name, "%s_of_%s_is_uniform_over_%u", s->name, is, classes);
    if (different > classes)
        lab_check(false, name, "there are more");
    else
        learner_uniform(name, count, classes, n);
}

/* How often `happened`, or the execution failed, in n executions about so many statements. */
static void expect_share(const char *is, const char *program, const rf_strategy *s, uint32_t sites,
                         uint32_t n, double p) {
    uint32_t hits = 0, all = 0;
    learner l = warmed(program, s);
    while (all < n) {
        const rfi_record *r = learner_next(&l);
        if (r->used[0] != sites) continue;
        all++;
        hits += HAPPENED || r->failure.diagnostic;
    }
    lab_share(named("%s_of_%s", s->name, is), hits, all, p);
}

static void test_exact(void) {
    expect_uniform("three_and_two", THREE_AND_TWO, &rfi_surw, 10, 4000);
    expect_uniform("five_and_five", FIVE_AND_FIVE, &rfi_urw, 252, 12600);
    expect_uniform("forest", FOREST, &rfi_urw, 126, 6300);
    expect_uniform("mixed_forest", MIXED_FOREST, &rfi_surw, 126, 6300);
    expect_uniform("last_act", LAST_ACT, &rfi_surw, 21, 2100);
    expect_share("figure_2", FIGURE_2_HAPPENS, &rfi_urw, 255, 8000, 1.0 / 495);
    expect_share("figure_2", FIGURE_2_HAPPENS, &rfi_surw, 2, 2000, 0.5);
    expect_share("check_then_act", CHECK_ACT_HAPPENS, &rfi_urw, 255, 2000, 1.0 / 3);
    expect_share("check_then_act", CHECK_ACT_HAPPENS, &rfi_surw, 3, 2000, 1.0 / 3);
    expect_share("lost_update", UPDATE_HAPPENS, &rfi_urw, 255, 2000, 2.0 / 3);
    expect_share("lost_update", UPDATE_HAPPENS, &rfi_surw, 2, 2000, 2.0 / 3);
    expect_share("lock_inversion", JOINED("", INVERSION), &rfi_urw, 255, 2000, 4.0 / 7);
}

static void test_interesting(void) {
    learner l = warmed(CONSTANT, &rfi_surw);
    uint32_t one = 0;
    for (uint32_t i = 0; i < 200; i++) one += learner_next(&l)->used[0] == 1;
    LAB_CHECK("what_stays_as_it_is_does_not_matter", one == 200);
}

static void test_complete(const rf_strategy *s) {
    learner l = learner_of("busy", s, 16);
    uint32_t ended = 0;
    for (uint32_t i = 0; i < 2000; i++) ended += !learner_next(&l)->failure.diagnostic;
    LAB_CHECK(named("%s_completes_what_blocks_and_spins", s->name), ended == 2000);
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

static uint32_t most_used(const char *is, const char *test, const rf_strategy *s) {
    learner l = learner_of(test, s, 8);
    uint32_t most = 0;
    for (uint32_t i = 0; i < 200; i++) {
        const rfi_record *r = learner_next(&l);
        if (r->used_bytes > most) most = r->used_bytes;
    }
    printf("# %s of %s uses at most: %u bytes\n", s->name, is, most);
    return most;
}

static void test_sizes(void) {
    script_is(THREE_AND_TWO, false);
    LAB_CHECK("small_tests_use_few_bytes", most_used("three_and_two", "script", &rfi_surw) <= 16 &&
                                               most_used("busy", "busy", &rfi_surw) <= 60);
    LAB_CHECK("counts_of_a_hundred_threads_are_few_bytes",
              most_used("hundred", "hundred", &rfi_surw) <= 190);
    LAB_CHECK("so_are_all_their_counts", most_used("hundred", "hundred", &rfi_urw) <= 170);
}

int main(void) {
    test_exact();
    test_interesting();
    test_complete(&rfi_surw);
    test_complete(&rfi_urw);
    test_same_lessons_same_executions();
    test_sizes();
    learner_nonsense("busy", &rfi_surw, 64);
    return lab_end();
}

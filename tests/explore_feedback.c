/* Feedback: rare reads-from pairs are reached in few executions, what is learned grows,
 * tokens are short, and nobody is held back for ever. */
#define RF_IMPLEMENTATION
#include "script.h"
#include "tests/learner.h"

static rf_mutex L = RF_MUTEX_INIT;

/* A value is there for one step. */
#define COUNTS(v) "W " v " 1; W " v " 2; W " v " 3; W " v " 4; W " v " 5; W " v " 6;"

static const char *const programs[][2] = {
    /* A checker sees the second write of a setter, of which there are 20, and not the first. */
    {"reorder", "body: start; times 19 { again }; start; join | W a 1; W b -1 |"
                "R a; keep; R b; if = -1 { recall; if = 0 { fail reordered } }"},
    /* Each value leads to the next question. */
    {"chain", COUNTS("x") COUNTS("y") COUNTS("z") "| R x; if = 4 { R y; if = 3 { R z;"
                                                  "if = 5 { fail chain } } }"},
    /* One read among six writes. */
    {"six", COUNTS("x") "| R x; quietly g it"},
    /* A long thread is met near its end, always at the same statement. */
    {"late", "times 60 { peek x; W x it+1 } | R x; if > 49 { if < 60 { fail late } }"},
    /* Somebody waits without being seen to spin. */
    {"poll", "loop { R x; until = 1; peek m; W m it+1 }; W y 1 | R y; W x 1"},
    /* Operations that may write, and don't. */
    {"tries_in_vain", "body: store f 0; lock l; start; start; join; unlock l |"
                      "cas f 5; try l; if = 1 { fail taken } | load f"},
};

/* ---- locks: the order of four critical sections ---- */

static int order;

static void *section(void *arg) {
    intptr_t who = (intptr_t)arg;
    if (who == 0) {
        RF_LOCK(&L);
    } else if (who == 1) {
        RF_LOCK(&L);
    } else if (who == 2) {
        RF_LOCK(&L);
    } else {
        RF_LOCK(&L);
    }
    order = order * 4 + (int)who;
    RF_UNLOCK(&L);
    return arg;
}

RF_TEST(sections) {
    rf_thread t[4];
    order = 0;
    for (intptr_t i = 0; i < 4; i++) t[i] = RF_THREAD(section, (void *)i);
    for (int i = 0; i < 4; i++) RF_JOIN(t[i]);
}

/* ---- tests ---- */

/* Of a program, or of a test of this name. */
static learner learner_about(const char *name, const rf_strategy *s, uint32_t batch) {
    for (uint32_t i = 0; i < RFI_LENGTH(programs); i++)
        if (!strcmp(programs[i][0], name)) {
            script_is(programs[i][1], false);
            name = "script";
        }
    return learner_of(name, s, batch);
}

/* Executions until the first failure, for one seed; `most` if there is none. */
static uint32_t until_found(const char *test, const rf_strategy *s, uint32_t batch, uint64_t seed,
                            uint32_t most) {
    learner l = learner_about(test, s, batch);
    l.job.seed = seed;
    while (l.index < most)
        if (learner_next(&l)->failure.diagnostic) return l.index;
    return most;
}

/* The mean over seeds. */
static double mean_until_found(const char *test, const rf_strategy *s, uint32_t batch,
                               uint32_t seeds, uint32_t most) {
    double sum = 0;
    uint32_t worst = 0;
    for (uint32_t i = 1; i <= seeds; i++) {
        uint32_t n = until_found(test, s, batch, i, most);
        sum += n;
        if (n > worst) worst = n;
    }
    printf("# %s of %s, batches of %u: %.1f executions to the bug, %u at most\n", s->name, test,
           batch, sum / seeds, worst);
    return sum / seeds;
}

CASE(test_found) {
    LAB_CHECK("reorder_is_found_in_few",
              mean_until_found("reorder", &rfi_feedback, 1, 40, 1000) <= 12);
    LAB_CHECK("reorder_is_found_in_batches",
              mean_until_found("reorder", &rfi_feedback, 8, 40, 1000) <= 24);
    LAB_CHECK("a_chain_is_found", mean_until_found("chain", &rfi_feedback, 8, 20, 5000) <= 400);
    LAB_CHECK("which_random_does_not_find",
              mean_until_found("chain", &rfi_random, 8, 2, 3000) == 3000);
    LAB_CHECK("what_comes_late_is_found",
              mean_until_found("late", &rfi_feedback, 8, 40, 3000) <= 70);
    LAB_CHECK("which_pos_does_not_find", mean_until_found("late", &rfi_pos, 8, 4, 3000) > 1500);
}

CASE(test_complete) {
    learner l = learner_about("busy", &rfi_feedback, 16);
    uint32_t ended = 0, longer = 0;
    uint64_t steps = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        const rfi_record *r = learner_next(&l);
        ended += !r->failure.diagnostic;
        if (r->steps > steps) steps = r->steps;
        longer += r->steps >= 200;
    }
    printf("# at most %llu steps, %u of 200 or more\n", (unsigned long long)steps, longer);
    LAB_CHECK("what_blocks_and_spins_completes", ended == 3000);
    /* but for few who run on for up to 512 rounds (engine/patience.h) */
    LAB_CHECK("and_hardly_anybody_spins_for_long", steps < 2000 && longer <= 150);
}

/* (That a token repeats its execution: explorers.c.) */
CASE(test_tokens) {
    const char *const test[] = {"reorder", "chain", "sections", "busy"};
    uint32_t most = 0, walks = 0, samples = 0;
    for (uint32_t i = 0; i < RFI_LENGTH(test); i++) {
        learner l = learner_about(test[i], &rfi_feedback, 8);
        while (l.index < 100) {
            (void)learner_next(&l);
            *(rfi_fb.walks ? &walks : &samples) += 1;
            if (rfi_fb.used_bytes > most) most = rfi_fb.used_bytes;
        }
    }
    printf("# at most %u bytes used\n", most);
    LAB_CHECK("with_either_underneath", walks > 50 && samples > 50);
    LAB_CHECK("tokens_stay_short", most > 0 && most <= 60);
}

static uint32_t pairs_seen(void) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rfi_corpus_now.pairs; i++) n += rfi_corpus_now.pair[i].seen > 0;
    return n;
}

CASE(test_learning) {
    static uint64_t hash[2][200];
    bool grows = true;
    uint32_t before = 0, first = 0;
    for (uint32_t k = 0; k < 2; k++) {
        learner l = learner_about("chain", &rfi_feedback, 10);
        before = 0;
        for (uint32_t i = 0; i < 200; i++) {
            hash[k][i] = learner_next(&l)->hash;
            grows &= pairs_seen() >= before;
            before = pairs_seen();
            if (i == 9) first = before;
        }
        l = learner_about("busy", &rfi_feedback, 10); /* something else in between */
        for (uint32_t i = 0; i < 20; i++) (void)learner_next(&l);
    }
    printf("# %u pairs after one batch, %u after twenty\n", first, before);
    LAB_CHECK("pairs_are_added", grows && before > first);
    LAB_CHECK("the_same_lessons_make_the_same_executions",
              !memcmp(hash[0], hash[1], sizeof hash[0]));
}

/* What the reader of `six` gets in executions with one constraint: a set. */
static uint32_t got_with(const learner *l, rfi_wish c, bool positive) {
    uint8_t byte[64] = {0};
    rfi_bytes to = rfi_bytes_of(byte, sizeof byte);
    c.positive = positive;
    rfi_wishes_put(&to, &(rfi_wishes){1, {c}});
    uint32_t set = 0;
    for (uint32_t i = 0; i < 100; i++) {
        (void)learner_replay(l, i, byte, to.at);
        set |= 1u << script_objects.v['g' - 'a'];
    }
    return set;
}

CASE(test_constraints) {
    rfi_wish pair[16];
    learner l = learner_about("six", &rfi_feedback, 8);
    while (l.index < 8) (void)learner_next(&l);
    uint32_t pairs = rfi_corpus_now.pairs, all = 0;
    bool met = true, avoided = true;
    for (uint32_t i = 0; i < pairs && i < 16; i++) pair[i] = rfi_corpus_now.pair[i].wish;
    for (uint32_t i = 0; i < pairs && i < 16; i++) {
        uint32_t set = got_with(&l, pair[i], true);
        met &= !(set & (set - 1)) && !(set & all);
        all |= set;
        avoided &= !(got_with(&l, pair[i], false) & set);
    }
    LAB_CHECK("any_pair_can_be_had", pairs == 7 && met && all == 127);
    LAB_CHECK("and_be_avoided", avoided);
}

/* The statement with which section `who` begins. */
static uint16_t section_lock(uint32_t who) {
    uint32_t before, n = rfi_site_table.count;
    for (uint32_t i = 0; i < n; i++) {
        const rf_site *s = rfi_site_table.site[i];
        if (strcmp(s->function, "section") || strcmp(s->text, "&L")) continue;
        before = 0;
        for (uint32_t j = 0; j < n; j++) {
            const rf_site *o = rfi_site_table.site[j];
            before +=
                !strcmp(o->function, "section") && !strcmp(o->text, "&L") && o->line < s->line;
        }
        if (before == who) return (uint16_t)rfi_site_id(s);
    }
    return 0;
}

/* Any section can be made to follow on any other. */
CASE(test_sections) {
    learner l = learner_about("sections", &rfi_feedback, 8);
    uint32_t met = 0;
    while (l.index < 8) (void)learner_next(&l);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++) {
            if (i == j) continue;
            uint8_t byte[16];
            rfi_bytes to = rfi_bytes_of(byte, sizeof byte);
            rfi_wish c = {section_lock(i), section_lock(j), true, true, 0, {0}};
            rfi_wishes_put(&to, &(rfi_wishes){1, {c}});
            for (uint32_t n = 0; n < 20; n++) {
                (void)learner_replay(&l, n, byte, to.at);
                for (int o = order, k = 0; k < 3; k++, o /= 4)
                    met += (uint32_t)o % 4 == j && (uint32_t)o / 4 % 4 == i;
            }
        }
    LAB_CHECK("one_critical_section_follows_on_another", met == 12 * 20);
}

CASE(test_patience) {
    learner l = learner_about("poll", &rfi_feedback, 8);
    uint32_t ended = 0, long_ones = 0;
    for (uint32_t i = 0; i < 200; i++) {
        const rfi_record *r = learner_next(&l);
        ended += !r->failure.diagnostic;
        long_ones += r->steps > RFI_FEEDBACK_PATIENCE;
    }
    printf("# %u of 200 ran out of patience\n", long_ones);
    LAB_CHECK("patience_ends", ended == 200 && long_ones > 0);
}

/* A failed compare-exchange is a read, and so is a lock that was not got. */
CASE(test_writes) {
    learner l = learner_about("tries_in_vain", &rfi_feedback, 8);
    while (l.index < 40) (void)learner_next(&l);
    LAB_CHECK("what_fails_does_not_write", rfi_corpus_now.pairs == 0);
}

int main(void) {
    learner_nonsense("busy", &rfi_feedback, 96);
    return lab_cases();
}

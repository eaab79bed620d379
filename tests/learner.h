/* Executions of a strategy that learns, in this process, one after the other:
 *
 *     learner l = learner_of("figure_2", &rfi_surw, 8);      batches of 8, with fine granularity
 *     const rfi_record *r = learner_next(&l);                runs one, and learns after a batch
 *     r = learner_replay(&l, index, used, bytes);            with what it used, nothing learned
 */
#ifndef LEARNER_H
#define LEARNER_H
#include "lab.h"

typedef struct learner {
    rfi_job job;
    uint32_t index, batch, waiting; /* the next execution; lessons that wait */
} learner;

static rfi_lessons learner_lessons;

static inline learner learner_of(const char *test, const rf_strategy *s, uint32_t batch) {
    learner l = {.job = lab_job_of(test, RFI_PREDICT, LAB_FINE), .batch = batch};
    lab_open();
    l.job.strategy = s;
    if (s->forget) s->forget();
    learner_lessons.used = 0;
    return l;
}

static inline const rfi_record *learner_next(learner *l) {
    const rf_strategy *s = l->job.strategy;
    const rfi_lesson *lesson;
    rfi.lessons = s->learn ? &learner_lessons : NULL;
    const rfi_record *r = lab_run(&l->job, l->index++, true);
    rfi.lessons = NULL;
    if (!s->learn) return r;
    (void)rfi_lesson_end(&learner_lessons, false);
    if (++l->waiting < l->batch && rfi_lessons_room(&learner_lessons, RF_LESSON_BYTES)) return r;
    for (uint32_t at = 0; (lesson = rfi_lessons_next(&learner_lessons, &at)) != NULL;)
        s->learn(lesson + 1, lesson->bytes);
    learner_lessons.used = l->waiting = 0;
    return r;
}

static inline const rfi_record *learner_replay(const learner *l, uint32_t index, const void *used,
                                               uint32_t bytes) {
    rfi_job j = l->job;
    l->job.strategy->forget();
    j.replay = true;
    j.used = used;
    j.used_bytes = bytes;
    return lab_run(&j, index, true);
}

/* Chi-square: are the classes equally likely?  All of them must have been seen. */
static inline bool learner_uniform(const char *name, const uint32_t *counted, uint32_t classes,
                                   uint32_t n) {
    double each = (double)n / classes, x = 0, off, limit;
    bool all = true;
    for (uint32_t i = 0; i < classes; i++) {
        all &= counted[i] > 0;
        x += ((double)counted[i] - each) * ((double)counted[i] - each) / each;
    }
    off = x - (classes - 1);
    limit = 16 * 2 * (classes - 1.0);
    char said[96];
    snprintf(said, sizeof said, "X2 = %.1f of %u classes", x, classes);
    printf("# %s: %s\n", name, said);
    return lab_check(all && n >= 50 * classes && (off <= 0 || off * off <= limit), name, said);
}

/* ---- a program in which threads block, wait for each other, and spin ---- */

static int busy_x, busy_y, busy_z;
static rf_mutex busy_l = RF_MUTEX_INIT, busy_m = RF_MUTEX_INIT;
static rf_cond busy_full = RF_COND_INIT;
static rf_sem busy_slots = RF_SEM_INIT(1);
static rf_atomic_int busy_ready, busy_tickets;

THREAD(busy_waits) {
    int old = 0;
    RF_LOCK(&busy_l);
    while (!RF_LOAD(busy_y)) RF_WAIT(&busy_full, &busy_l);
    RF_STORE(busy_x, RF_LOAD(busy_x) + 1);
    RF_UNLOCK(&busy_l);
    while (!rf_atomic_load(&busy_ready)) RF_YIELD();
    do old = rf_atomic_load(&busy_tickets);
    while (!rf_atomic_compare_exchange_strong(&busy_tickets, &old, old + 1));
}

THREAD(busy_wakes) {
    RF_SEM_WAIT(&busy_slots);
    while (!RF_TRYLOCK(&busy_m)) RF_YIELD();
    RF_STORE(busy_z, RF_LOAD(busy_z) + 1);
    RF_UNLOCK(&busy_m);
    RF_SEM_POST(&busy_slots);
    RF_LOCK(&busy_l);
    RF_STORE(busy_y, 1);
    RF_BROADCAST(&busy_full);
    RF_UNLOCK(&busy_l);
}

RF_TEST(busy) {
    rf_thread t[4];
    busy_x = busy_y = busy_z = 0;
    rf_atomic_store(&busy_ready, 0);
    rf_atomic_store(&busy_tickets, 0);
    for (int i = 0; i < 4; i++) t[i] = RF_THREAD(i < 2 ? busy_waits : busy_wakes, NULL);
    RF_JOIN(t[2]);
    RF_JOIN(t[3]);
    rf_atomic_store(&busy_ready, 1);
    RF_JOIN(t[0]);
    RF_JOIN(t[1]);
    if (RF_LOAD(busy_x) != 2 || RF_LOAD(busy_z) != 2 || rf_atomic_load(&busy_tickets) != 2)
        RF_FAIL("lost");
}

/* Bytes that nobody wrote, up to `most`: what a token may hold. */
static inline void learner_nonsense(const char *test, const rf_strategy *s, uint32_t most) {
    rf_prng r = {7};
    uint8_t byte[96];
    learner l = learner_of(test, s, 8);
    uint32_t ended = 0;
    for (uint32_t i = 0; i < 300; i++) {
        for (uint32_t j = 0; j < most; j++) byte[j] = (uint8_t)rfi_below(&r, 256);
        ended += !learner_replay(&l, i, byte, rfi_below(&r, most + 1))->failure.diagnostic;
    }
    LAB_CHECK("nonsense_in_a_token_does_no_harm", ended == 300);
}
#endif

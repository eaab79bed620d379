/* learns.c: a strategy that learns, whose choices follow from all that it has learned. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t learned, lessons, recalled, step;
static bool too_much; /* executions teach and use more than there is room for */

static void toy_begin(uint64_t seed) {
    static const char filler[RF_LESSON_BYTES];
    step = 0;
    (void)rf_teach(&seed, sizeof seed);
    (void)rf_used(&learned, sizeof learned);
    if (!too_much) return;
    bool room = rf_teach(filler, sizeof filler) || rf_used(filler, sizeof filler);
    if (room) abort();
}

static uint32_t toy_pick(const rf_choice *c) {
    return rf_choice_at(c, (uint32_t)(learned >> (step++ % 64)) % c->count);
}

static void toy_forget(void) { learned = lessons = 0; }

static void toy_learn(const void *lesson, size_t bytes) {
    uint64_t seed = 0;
    if (bytes != sizeof seed) abort();
    memcpy(&seed, lesson, sizeof seed);
    learned = (learned ^ seed) * UINT64_C(0x9e3779b97f4a7c15) >> 1;
    lessons++;
}

static void toy_recall(const void *used, size_t bytes) {
    if (bytes != sizeof learned) abort();
    memcpy(&learned, used, sizeof learned);
    recalled++;
}

static const char *toy_summary(void) {
    static char text[80];
    snprintf(text, sizeof text, "%llu lessons, %llx, %llu recalled", (unsigned long long)lessons,
             (unsigned long long)learned, (unsigned long long)recalled);
    return text;
}

static const rf_strategy toy = {.name = "toy",
                                .help = "chooses by what it has learned",
                                .begin = toy_begin,
                                .pick = toy_pick,
                                .forget = toy_forget,
                                .learn = toy_learn,
                                .recall = toy_recall,
                                .summary = toy_summary};
RF_STRATEGY(toy);

static int count;

static void *adds(void *unused) {
    RF_RACY_STORE(count, RF_RACY_LOAD(count) + 1);
    return unused;
}

static void add_twice(void) {
    count = 0;
    rf_thread t[2] = {RF_THREAD(adds, NULL), RF_THREAD(adds, NULL)};
    for (int i = 0; i < 2; i++) RF_JOIN(t[i]);
}

RF_TEST(fails) {
    add_twice();
    RF_ASSERT_EQ(count, 2);
}

RF_TEST(dies) {
    add_twice();
    if (RF_CHOOSE(7) == 3) abort();
}

RF_TEST(crams) {
    too_much = true;
    add_twice();
}

RF_MAIN()

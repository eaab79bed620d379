/* held_too_long.c: an analysis that reports a lock under which its holder does too much. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include <stdio.h>
#include <string.h>

enum { LIMIT = 20, THREADS = 64, LOCKS = 64 };
static uint32_t done[THREADS];      /* operations of each thread, */
static uint32_t before[LOCKS];      /* and of the holder when it took the lock, */
static const rf_site *taken[LOCKS]; /* there */

static void begin(void) { memset(done, 0, sizeof done); }

static void report(const rf_event *unlock, uint32_t operations) {
    char text[80];
    snprintf(text, sizeof text, "The lock is held for %u operations.", (unsigned)operations);
    rf_warning w = {.family = RF_FAMILY_OTHER, .by = "held-too-long", .real = true, .text = text};
    rf_place place = {.role = "takes", .thread = unlock->thread, .object = unlock->object};
    place.site = taken[unlock->object];
    w.place[w.places++] = place;
    place.role = "releases";
    place.site = unlock->site;
    w.place[w.places++] = place;
    rf_warn(&w);
}

static void event(const rf_event *e) {
    if (e->thread >= THREADS) return;
    uint32_t now = done[e->thread]++;
    if ((e->kind != RF_EV_LOCK && e->kind != RF_EV_UNLOCK) || e->object >= LOCKS) return;
    if (e->kind == RF_EV_LOCK) {
        taken[e->object] = e->site;
        before[e->object] = done[e->thread];
    } else if (now - before[e->object] > LIMIT) {
        report(e, now - before[e->object]);
    }
}

static const rf_analysis held_too_long = {
    .name = "held-too-long",
    .help = "locks held for more than 20 operations",
    .events = ~UINT64_C(0), /* every operation counts */
    .begin = begin,
    .event = event,
};
RF_ANALYSIS(held_too_long);

/* ---- two ways to add up numbers that others change ---- */

enum { NUMBERS = 30 };
static rf_mutex lock = RF_MUTEX_INIT;
static int number[NUMBERS], sum;

static void *add_one(void *arg) {
    RF_GUARD(&lock) RF_STORE(number[0], RF_LOAD(number[0]) + 1);
    return arg;
}

RF_TEST(one_long_hold, .executions = 100, .expect = PLANTED(RF_EXPECT_FAILURE)) {
    sum = 0;
    rf_thread other = RF_THREAD(add_one, NULL);
    RF_GUARD(&lock)
    for (int i = 0; i < NUMBERS; i++) sum += RF_LOAD(number[i]);
    RF_JOIN(other);
}

RF_TEST(many_short_holds, .executions = 100) {
    sum = 0;
    rf_thread other = RF_THREAD(add_one, NULL);
    for (int i = 0; i < NUMBERS; i++) RF_GUARD(&lock) sum += RF_LOAD(number[i]);
    RF_JOIN(other);
}

RF_MAIN()

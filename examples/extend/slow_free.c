/* slow_free.c: a checker that pauses threads at free(), so that others come to it first. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"

enum { LONGEST = 100 }; /* pause, in decisions of the scheduler */

static bool at_free(const rf_event *next) { return next->kind == RF_EV_FREE; }

static void pause_there(const rf_event *next) {
    (void)next;
    rf_check_pause_for(1 + rf_random_below(rf_check_random(), LONGEST));
}

static const rf_checker slow_free = {
    .name = "slow-free",
    .help = "pauses threads at free()",
    .is_breakpoint = at_free,
    .check = pause_there,
};
RF_CHECKER(slow_free);

/* ---- a table of one entry that is dropped when nobody uses it ---- */

enum { WORK = 40 };
static rf_mutex lock = RF_MUTEX_INIT, log_lock = RF_MUTEX_INIT;
static int *entry, users, lines;

static void *worker(void *arg) {
    int buffer[WORK], *mine;
    for (int i = 0; i < WORK; i++) RF_GUARD(&log_lock) RF_STORE(lines, RF_LOAD(lines) + 1);
    RF_LOCK(&lock);
    mine = RF_LOAD(entry);
    if (mine) RF_STORE(users, RF_LOAD(users) + 1);
    RF_UNLOCK(&lock);
    if (!mine) return arg;
    for (int i = 0; i < WORK; i++) RF_GUARD(&lock) RF_STORE(buffer[i], RF_LOAD(*mine));
    RF_GUARD(&lock) RF_STORE(users, RF_LOAD(users) - 1);
    return arg;
}

/* `late`: the entry can still be looked up after it was found to be unused. */
static void drop(bool late) {
    int *unused = NULL;
    RF_LOCK(&lock);
    if (RF_LOAD(users) == 0) {
        unused = RF_LOAD(entry);
        if (!late) RF_STORE(entry, NULL);
    }
    RF_UNLOCK(&lock);
    if (!unused) return;
    RF_FREE(unused);
    if (late) RF_GUARD(&lock) RF_STORE(entry, NULL);
}

static void work_and_drop(bool late) {
    users = lines = 0;
    entry = RF_MALLOC(sizeof *entry);
    RF_STORE(*entry, 1);
    rf_thread t = RF_THREAD(worker, NULL);
    drop(late);
    RF_JOIN(t);
    drop(late);
}

RF_TEST(dropped_too_late, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    work_and_drop(true);
}
RF_TEST(dropped_in_time) { work_and_drop(false); }

RF_MAIN()

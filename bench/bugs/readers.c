/* readers_writers: who reads counts himself in at once, but takes himself off the count in two
 * steps; so a reader that comes in between is forgotten, and a writer writes while he reads.
 *
 * After read_write_lock of the SV-COMP benchmarks: two readers and two writers, who go away when
 * the lock is not free. */
#include "bug.h"

static rf_mutex guard;
static int readers;
static bool writing;
static int value;

static bool begin_reading(void) {
    bool may = false;
    RF_GUARD(&guard) {
        may = !RF_LOAD(writing);
        if (may) RF_STORE(readers, RF_LOAD(readers) + 1);
    }
    return may;
}

static void end_reading(void) {
#ifdef FIXED
    RF_GUARD(&guard) { RF_STORE(readers, RF_LOAD(readers) - 1); }
#else
    RF_STORE(readers, RF_LOAD(readers) - 1);
#endif
}

static bool begin_writing(void) {
    bool may = false;
    RF_GUARD(&guard) {
        may = !RF_LOAD(writing) && RF_LOAD(readers) == 0;
        if (may) RF_STORE(writing, true);
    }
    return may;
}

static void *reader(void *arg) {
    if (!begin_reading()) return arg;
    int seen = RF_LOAD(value);
    RF_ASSERT_EQ(RF_LOAD(value), seen);
    end_reading();
    return arg;
}

static void *writer(void *arg) {
    if (!begin_writing()) return arg;
    RF_STORE(value, RF_LOAD(value) + 1);
    RF_GUARD(&guard) { RF_STORE(writing, false); }
    return arg;
}

PROGRAM(readers_writers, RF_EXPECT_FAILURE) {
    crew c = {.count = 0};
    readers = value = 0;
    writing = false;
    START(&c, 2, reader, NULL);
    START(&c, 2, writer, NULL);
    finish(&c);
}

/* For tests/any.sh: the bytes of the file $ANY in names, logs, values and messages. */
#include "racefuzz.h"
#include <stdio.h>
#include <stdlib.h>

static char any[4096];
static int hits;

static void *visit(void *arg) {
    RF_STORE(hits, RF_LOAD(hits) + 1);
    RF_LOG("%s", any);
    return arg;
}

RF_TEST(any_bytes) {
    static rf_mutex m;
    const char *name = getenv("ANY");
    FILE *f = name ? fopen(name, "rb") : NULL;
    any[f ? fread(any, 1, sizeof any - 1, f) : 0] = 0;
    if (f) fclose(f);
    rf_mutex_init(&m, any, RF_MUTEX_NORMAL);
    rf_thread a = RF_THREAD(visit, NULL), b = RF_THREAD(visit, NULL);
    RF_GUARD(&m) {
        RF_STORE(hits, 3);
        fputs(any, stderr);
        puts(any);
    }
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_STR_EQ(any, "nothing of the kind");
}

RF_TEST(right) {
    rf_thread t = RF_THREAD(visit, NULL);
    RF_JOIN(t);
}

RF_MAIN()

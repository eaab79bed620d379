/* publish_test.c: a reader finds the hops of one version, old or new. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "routes.h"

enum { OLD = 10, NEW = 20 };

static void *update(void *table) {
    routes_replace(table, NEW);
    return NULL;
}

static void *forward(void *table) {
    for (int packet = 0; packet < 3; packet++) {
        version *v = routes_read(table);
        int first = RF_LOAD(v->hop[0]), second = RF_LOAD(v->hop[1]);
        RF_ASSERT(first == OLD || first == NEW);
        RF_ASSERT_EQ(second, first + 1);
    }
    return NULL;
}

RF_TEST(a_reader_finds_one_version, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    routes r;
    routes_init(&r, OLD);
    rf_thread writer = RF_THREAD(update, &r);
    rf_thread reader = RF_THREAD(forward, &r);
    RF_JOIN(writer);
    RF_JOIN(reader);
    routes_destroy(&r);
}

RF_MAIN()

/* lazy_test.c: whoever gets the logger gets a complete one. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "logger.h"

static void *use(void *arg) {
    logger *l = logger_get();
    RF_ASSERT_EQ(RF_LOAD(l->level), 3);
    RF_ASSERT_EQ(RF_LOAD(l->buffer), 4096);
    return arg;
}

RF_TEST(the_logger_is_complete, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    logger_open();
    rf_thread a = RF_THREAD(use, NULL);
    rf_thread b = RF_THREAD(use, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    logger_close();
}

RF_MAIN()

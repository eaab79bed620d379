/* Unity.  cc -I unity/src unity.c unity/src/unity.c engine.o -pthread */
#include "stock.h"
#include <unity.h>

/* The adapter. */
#define TEST_EXPLORE(name, body, arg)                               \
 do {                                                               \
  rf_outcome o = rf_explore(name, body, arg, NULL);                 \
  if (!o.passed) fputs(o.report, stderr);                           \
  TEST_ASSERT_TRUE_MESSAGE(rf_outcome_free(&o), "explored: " name); \
 } while (0)

void setUp(void) {}
void tearDown(void) {}

static void one_is_sold(void *unused) {
    (void)unused;
    two_clerks();
    TEST_ASSERT_EQUAL_INT(1, sold);
}

static void before(void) { TEST_ASSERT_TRUE(1); }
static void selling(void) { TEST_EXPLORE("selling", one_is_sold, NULL); }
static void after(void) { TEST_ASSERT_TRUE(1); }

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(before);
    RUN_TEST(selling);
    RUN_TEST(after);
    return UNITY_END();
}

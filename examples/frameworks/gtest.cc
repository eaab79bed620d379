// GoogleTest.  c++ -std=c++17 gtest.cc engine.o -lgtest -lgtest_main -pthread
#include "stock.h"
#include <gtest/gtest.h>

// The adapter.
static testing::AssertionResult explored(const char *name, void (*body)(void *), void *arg) {
    rf_outcome o = rf_explore(name, body, arg, nullptr);
    testing::AssertionResult result = o.passed ? testing::AssertionSuccess()
                                               : testing::AssertionFailure() << o.report;
    rf_outcome_free(&o);
    return result;
}

static void one_is_sold(void *) {
    two_clerks();
    RF_ASSERT_EQ(sold, 1); // ASSERT_EQ would neither throw nor end the execution
}

TEST(Stock, Before) { EXPECT_TRUE(true); }
TEST(Stock, Selling) { EXPECT_TRUE(explored("selling", one_is_sold, nullptr)); }
TEST(Stock, ZAfter) { EXPECT_TRUE(true); }

// Catch2, version 2 or 3.  c++ -std=c++17 catch2.cc engine.o -pthread
#include "stock.h"
#include <cstdio>
#if __has_include(<catch2/catch_all.hpp>)
# include <catch2/catch_all.hpp>
#else
# define CATCH_CONFIG_MAIN
# include <catch2/catch.hpp>
#endif

// The adapter.
static bool explored(const char *name, void (*body)(void *), void *arg) {
    rf_outcome o = rf_explore(name, body, arg, nullptr);
    if (!o.passed) std::fputs(o.report, stderr);
    return rf_outcome_free(&o);
}

static void one_is_sold(void *) {
    two_clerks();
    REQUIRE(sold == 1);
}

TEST_CASE("before") { REQUIRE(true); }
TEST_CASE("selling") { REQUIRE(explored("selling", one_is_sold, nullptr)); }
TEST_CASE("after") { REQUIRE(true); }

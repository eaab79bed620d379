/* Executions that do nothing, for bench/4_isolation.sh. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"

RF_TEST(isolated, .isolate = true) {}

RF_TEST(crashes, .expect = RF_EXPECT_CRASH) { abort(); }

RF_MAIN()

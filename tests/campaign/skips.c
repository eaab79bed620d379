/* A test that is skipped, and one of which some executions are (tests/folder.sh). */
#include "racefuzz.h"

RF_TEST(never) { RF_SKIP("not here"); }

RF_TEST(at_times) {
    if (RF_CHOOSE(2)) RF_SKIP("not now");
}

RF_MAIN()

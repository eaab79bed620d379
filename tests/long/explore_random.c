/* tests/explore_random.c with more programs, by night still more. */
#define RF_IMPLEMENTATION
#include <stdlib.h>
#define PROGRAMS (getenv("NIGHTLY") ? 10000u : 2500u)
#define FAILING  PROGRAMS
#include "../explore_random.c"

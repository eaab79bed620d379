// flags: -O2
/* tests/explore_random.c with more programs. */
#define PROGRAMS 10000
#define WIDE     10000
#include "../explore_random.c"

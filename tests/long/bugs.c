/* tests/bugs.c with safestack's bug; by night with more executions of what has none, too. */
#define BUGS_LIMIT     50000000
#define BUGS_OF_A_TWIN by_night(0, 150)
#define BUGS_SAFESTACK by_night(1, 3) /* seeds of pos; by night random finds it, too */
#include "../bugs.c"

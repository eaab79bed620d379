/* tests/bugs.c with more executions, and safestack's bug. */
#define BUGS_LIMIT     50000000
#define BUGS_LEFT_OUT  ""
#define BUGS_OF_A_TWIN 150
#include "../bugs.c"

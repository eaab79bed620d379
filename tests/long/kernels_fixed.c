/* The twins of the kernels, 1,000 executions of each phase. */
#define KERNELS_EXECUTIONS "--executions=1000"
#include "../kernels_fixed.c"

/* The same with 400 executions of each phase. */
#define KERNELS_EXECUTIONS "--executions=400"
#include "../calfuzzer_kernels.c"

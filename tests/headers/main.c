/* The unit that emits the engine and the external definitions of the inline functions. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "inline.h"

extern int add_extern(int *p, int n);

int call_from_main(int *p) { return add_static(p, 2) + add_extern(p, 3); }

RF_MAIN()

/* api/switches.h: what to define before the include, and the version.
 *
 * RF_IMPLEMENTATION   in exactly one unit: emit the engine.  That unit is C, and includes this
 *                     header before any other (or defines _GNU_SOURCE).
 * RF_OFF              production: every macro becomes plain C11 and pthreads, nothing of the engine
 *                     is referenced, tests compile away and RF_MAIN exits 77.  In every unit or in
 *                     none; this header comes first, as above.  RF_IMPLEMENTATION may stay.
 * RF_HOOK_PTHREAD, RF_HOOK_THREADS, RF_HOOK_STDATOMIC, RF_HOOK_MALLOC, RF_HOOK_ALL
 *                     code that is tested without an edit: the names of <pthread.h> and its kin, of
 *                     <threads.h>, of <stdatomic.h>, of the heap, of all of them, are the engine's.
 *                     This header comes before all others: -include racefuzz.h.
 * RF_HOOK_COMPILER, RF_HOOK_STRING
 *                     code whose plain accesses the compiler announces (hook/compiler.h), and the
 *                     string functions it calls; the first implies the other.
 * RF_HOOK_CALLS       C++ code of that kind: -include racefuzz.h has memcpy, memmove and memset
 *                     announced, and does nothing else.
 * RF_HOOK_VOLATILE    beside RF_HOOK_COMPILER (hook/compiler.h): volatile objects are atomic.
 * RF_PROGRAM          the program's main is the test (hook/program.h); in all units.
 * RF_VOID_MAIN        beside it, for gcc: the main of this unit returns nothing.
 * RF_OWN_ATOMICS      beside RF_HOOK_ALL: this unit has functions of its own by names of
 *                     <stdatomic.h>.
 *
 * All other units may include racefuzz.h where they like, from C11 or from C++17.  In C++ there are
 * no atomics (rf_atomic_...) and no options of RF_TEST; don't wrap the include in extern "C".
 */
#ifndef RFI_API_SWITCHES_H
#define RFI_API_SWITCHES_H
#if defined RFI_HOOKS && !defined RF_IMPLEMENTATION
# pragma GCC system_header
#endif
#include "base/platform.h" /* acts on them */

/* Read by the Makefile too: keep one number a line. */
#define RF_VERSION_MAJOR 0
#define RF_VERSION_MINOR 2
#define RF_VERSION_PATCH 0

#define RFI_TEXT_(x) #x
#define RFI_TEXT(x)  RFI_TEXT_(x)
#define RF_VERSION \
    RFI_TEXT(RF_VERSION_MAJOR) "." RFI_TEXT(RF_VERSION_MINOR) "." RFI_TEXT(RF_VERSION_PATCH)

/* Each unit leaves word of its version, for the engine to compare. */
#if defined __ELF__ && !defined RF_OFF
typedef struct rfi_version_of {
    const char *version, *file;
} rfi_version_of;

static const rfi_version_of rfi_version_here
    __attribute__((used, section("rfi_versions"))) = {RF_VERSION, __BASE_FILE__};

/* The engine is in one unit: a linker that finds it in none, or in two, says this name. */
#ifdef RFI_IMPL
const char rfi_define_RF_IMPLEMENTATION_in_exactly_one_unit = 1;
#else
extern const char rfi_define_RF_IMPLEMENTATION_in_exactly_one_unit;
#endif
static const char *const rfi_engine_here __attribute__((used)) =
    &rfi_define_RF_IMPLEMENTATION_in_exactly_one_unit;
#endif
#endif

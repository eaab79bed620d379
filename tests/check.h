/* tests/check.h: what a test program prints of each thing that it shows, and at its end; for those
 * that do without lab.h.  Included after the code under test. */
#ifndef CHECK_H
#define CHECK_H
#include "cases.h"
#include "night.h"
#include <stdbool.h>
#include <stdio.h>

static unsigned passed, failed;

static inline void check_why(bool ok, const char *name, const char *why) {
    printf("%s %s%s%s\n", ok ? "ok" : "not ok", name, ok ? "" : ": ", ok ? "" : why);
    *(ok ? &passed : &failed) += 1;
}
static inline void check(bool ok, const char *name) { check_why(ok, name, "wrong"); }
#define CHECK(name, condition) check_why((condition), (name), #condition)

/* The status of the program. */
static inline int check_end(void) {
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
static inline int check_cases(void) { return cases(), check_end(); }
#endif

/* tests/cases.h: CASE(name) { ... } is one of the things that a test shows; cases() goes through
 * all of them, in the order in which they stand.  named() makes a name of its parts. */
#ifndef CASES_H
#define CASES_H
#include <stdarg.h>
#include <stdio.h>

static void (*case_at[32])(void);
static unsigned cases_there;

static inline void cases(void) {
    for (unsigned i = 0; i < cases_there; i++) case_at[i]();
}

/* It is there for the next few calls. */
__attribute__((format(printf, 1, 2))) static inline const char *named(const char *format, ...) {
    static char text[4][160];
    static unsigned turn;
    char *to = text[turn++ % 4];
    va_list ap;
    va_start(ap, format);
    vsnprintf(to, sizeof *text, format, ap);
    va_end(ap);
    return to;
}

#define CASE(name)                                                                                 \
 static void name(void);                                                                           \
 __attribute__((constructor)) static void name##_is_there(void) { case_at[cases_there++] = name; } \
 static void name(void)
#endif

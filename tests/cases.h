/* tests/cases.h: CASE(name) { ... } is one of the things that a test shows; cases() goes through
 * all of them, in the order in which they stand. */
#ifndef CASES_H
#define CASES_H

static void (*case_at[32])(void);
static unsigned cases_there;

static inline void cases(void) {
    for (unsigned i = 0; i < cases_there; i++) case_at[i]();
}

#define CASE(name)                                                                                 \
 static void name(void);                                                                           \
 __attribute__((constructor)) static void name##_is_there(void) { case_at[cases_there++] = name; } \
 static void name(void)
#endif

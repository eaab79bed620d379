/* tests/schedules.h: what the tests of the primitives have in common.
 *
 * A test tells what its schedules show; its name is the sentence.  show_claims runs each under
 * 1,000 schedules of either granularity:
 *
 *     PASSING(a_mutex_keeps_others_out) { ... }         no execution fails
 *     REACHING(2, trylock_is_true_and_false) { ... }    and seen[0] and seen[1], which the program
 *                                                       counts, are reached, no others
 *     FAILING(a_cycle_is_a_deadlock, LOCK_CYCLE, 2, "cycle T0 ...") { ... }
 *                     some execution fails, at mark 2 with this message; none fails in another way
 *     FAILING_ALWAYS  all of them do
 *     FAILING_FINE    some with fine granularity: for what a thread must announce at its creation
 *
 * Options of the test may follow.  Messages are part of the product.  Places in them are written
 * as @1 to @9, and marked in the program: AT(1, RF_LOCK(&m)).
 */
#ifndef SCHEDULES_H
#define SCHEDULES_H
#include "lab.h"

#ifndef SCHEDULES
#define SCHEDULES 1000u
#endif
#define OUTCOMES  64u

static unsigned seen[OUTCOMES]; /* how often each outcome was seen */
static uint32_t line_of[10];    /* of the marks */

#define AT(mark, ...) (line_of[mark] = __LINE__, __VA_ARGS__)

typedef struct claim {
    const char *test, *message; /* message: NULL if no execution fails */
    rf_diagnostic diagnostic;
    unsigned outcomes, at;
    bool always, fine_only;
} claim;

static const claim *claims[64];
static unsigned claim_count;

#define CLAIM(name, ...)                                           \
 static const claim claim_##name = {.test = #name, __VA_ARGS__};   \
 __attribute__((constructor)) static void claim_add_##name(void) { \
  claims[claim_count++] = &claim_##name;                           \
 }
#define CLAIM_PASSES(name, ...)     CLAIM(name, .outcomes = 0) RFI_TEST_WITH(name, __VA_ARGS__)
#define CLAIM_REACHES(n, name, ...) CLAIM(name, .outcomes = n) RFI_TEST_WITH(name, __VA_ARGS__)
#define CLAIM_FAILS(all, fine, name, d, mark, text, ...)                                  \
 CLAIM(name, .message = (text), .diagnostic = RF_DIAG_##d, .at = (mark), .always = (all), \
       .fine_only = (fine))                                                               \
 RFI_TEST_WITH(name, __VA_ARGS__)

#define PASSING(...)             CLAIM_PASSES(__VA_ARGS__, )
#define REACHING(n, ...)         CLAIM_REACHES(n, __VA_ARGS__, )
#define FAILING(...)             CLAIM_FAILS(false, false, __VA_ARGS__, )
#define FAILING_ALWAYS(...)      CLAIM_FAILS(true, false, __VA_ARGS__, )
#define FAILING_ALWAYS_FINE(...) CLAIM_FAILS(true, true, __VA_ARGS__, )
#define FAILING_FINE(...)        CLAIM_FAILS(false, true, __VA_ARGS__, )

/* The same of a test that stands elsewhere. */
#define PASSES(sentence, test)     lab_check(reaches(test, 0), sentence, why)
#define REACHES(sentence, test, n) lab_check(reaches(test, n), sentence, why)
#define FAILS(sentence, test, diagnostic, at, message) \
 lab_check(fails(test, RF_DIAG_##diagnostic, at, message, false), sentence, why)
#define FAILS_ALWAYS(sentence, test, diagnostic, at, message) \
 lab_check(fails(test, RF_DIAG_##diagnostic, at, message, true), sentence, why)
#define FAILS_FINE(sentence, test, diagnostic, at, message) \
 lab_check(fails_under(test, RF_DIAG_##diagnostic, at, message, false, LAB_FINE), sentence, why)

static char why[4096];

static inline bool because(const char *fmt, ...) RFI_PRINTF(1, 2);
static inline bool because(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return false;
}

static inline bool reaches_under(const char *test, unsigned n, bool fine) {
    const char *grain = fine ? "fine" : "coarse";
    memset(seen, 0, sizeof seen);
    const rfi_tally *t = lab_random(test, SCHEDULES, fine);
    if (t->executions != SCHEDULES)
        return because("%llu executions", (unsigned long long)t->executions);
    if (t->failures)
        return because("%s: line %u: %s", grain, t->failure[0].failure.site->line,
                       t->failure[0].failure.message);
    for (unsigned i = 0; n && i < OUTCOMES; i++)
        if ((seen[i] != 0) != (i < n))
            return because("%s: outcome %u, %u times", grain, i, seen[i]);
    return true;
}

static inline bool reaches(const char *test, unsigned n) {
    return reaches_under(test, n, LAB_FINE) && reaches_under(test, n, LAB_COARSE);
}

/* `text` with its marks replaced by places. */
static inline const char *with_lines(const char *text) {
    static char out[RFI_MESSAGE_BYTES];
    rfi_text t = {out, out + sizeof out};
    out[0] = 0;
    for (; *text; text++) {
        if (*text == '@' && text[1] >= '1' && text[1] <= '9')
            rfi_append(&t, "%s:%u", strrchr("/" __BASE_FILE__, '/') + 1, line_of[*++text - '0']);
        else
            rfi_append(&t, "%c", *text);
    }
    return out;
}

static inline bool fails_under(const char *test, rf_diagnostic d, unsigned at, const char *message,
                               bool always, bool fine) {
    const rfi_tally *t = lab_random(test, SCHEDULES, fine);
    const char *grain = fine ? "fine" : "coarse", *want = with_lines(message);
    if (!t->failures) return because("%s: does not fail", grain);
    for (uint32_t i = 0; i < t->failures; i++) {
        const rfi_failure *f = &t->failure[i].failure;
        if (f->diagnostic != d || !f->site || f->site->line != line_of[at] ||
            strcmp(f->message, want))
            return because("%s: %s at line %u: <%s> instead of line %u: <%s>", grain,
                           rfi_diagnostic(f->diagnostic)->id, f->site ? f->site->line : 0,
                           f->message, line_of[at], want);
    }
    uint64_t count = t->failure[0].count;
    if (t->failures != 1 || (always && count != SCHEDULES))
        return because("%s: %u kinds, the first in %llu", grain, t->failures,
                       (unsigned long long)count);
    return true;
}

static inline bool fails(const char *test, rf_diagnostic d, unsigned at, const char *message,
                         bool always) {
    return fails_under(test, d, at, message, always, LAB_FINE) &&
           fails_under(test, d, at, message, always, LAB_COARSE);
}

static inline bool holds(const claim *c) {
    if (!c->message) return reaches(c->test, c->outcomes);
    if (!fails_under(c->test, c->diagnostic, c->at, c->message, c->always, LAB_FINE)) return false;
    return c->fine_only ||
           fails_under(c->test, c->diagnostic, c->at, c->message, c->always, LAB_COARSE);
}

static inline void show_claims(void) {
    for (unsigned i = 0; i < claim_count; i++) lab_check(holds(claims[i]), claims[i]->test, why);
}
#endif

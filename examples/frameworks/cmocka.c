/* CMocka.  cc cmocka.c engine.o $(pkg-config --cflags --libs cmocka) -pthread */
#include "stock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The adapter. */
static void assert_explored(const char *name, void (*body)(void *), void *arg) {
    rf_outcome o = rf_explore(name, body, arg, NULL);
    if (!o.passed) fputs(o.report, stderr);
    assert_true(rf_outcome_free(&o));
}

static void one_is_sold(void *unused) {
    (void)unused;
    two_clerks();
    assert_int_equal(sold, 1);
}

static void before(void **state) { assert_null(*state); }
static void selling(void **state) { assert_explored("selling", one_is_sold, *state); }
static void after(void **state) { assert_null(*state); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(before), cmocka_unit_test(selling),
                                       cmocka_unit_test(after)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

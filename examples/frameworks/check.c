/* Check.  cc check.c engine.o $(pkg-config --cflags --libs check) -pthread */
#include "stock.h"
#include <check.h>
#include <stdio.h>

/* The adapter: the report is the message of the test. */
#define ck_explore(name, body, arg)                     \
 do {                                                   \
  rf_outcome o = rf_explore(name, body, arg, NULL);     \
  if (!o.passed) fputs(o.report, stderr);               \
  ck_assert_msg(rf_outcome_free(&o), "explored " name); \
 } while (0)

static void one_is_sold(void *unused) {
    (void)unused;
    two_clerks();
    ck_assert_int_eq(sold, 1);
}

START_TEST(before) { ck_assert_int_eq(1, 1); }
END_TEST
START_TEST(selling) { ck_explore("selling", one_is_sold, NULL); }
END_TEST
START_TEST(after) { ck_assert_int_eq(1, 1); }
END_TEST

int main(void) {
    Suite *s = suite_create("stock");
    TCase *t = tcase_create("stock");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, before);
    tcase_add_test(t, selling);
    tcase_add_test(t, after);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}

/* GLib's g_test.  cc glib.c engine.o $(pkg-config --cflags --libs glib-2.0) -pthread */
#include "stock.h"
#include <glib.h>

/* The adapter. */
static void assert_explored(const char *name, void (*body)(void *), void *arg) {
    rf_outcome o = rf_explore(name, body, arg, NULL);
    if (!o.passed) g_printerr("%s", o.report);
    if (!rf_outcome_free(&o)) g_test_fail();
}

static void one_is_sold(void *unused) {
    (void)unused;
    two_clerks();
    g_assert_cmpint(sold, ==, 1);
}

static void before(void) { g_assert_true(TRUE); }
static void selling(void) { assert_explored("selling", one_is_sold, NULL); }
static void after(void) { g_assert_true(TRUE); }

int main(int argc, char **argv) {
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stock/before", before);
    g_test_add_func("/stock/selling", selling);
    g_test_add_func("/stock/zafter", after);
    return g_test_run();
}

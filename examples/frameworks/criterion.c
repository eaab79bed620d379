/* Criterion.  cc criterion.c engine.o $(pkg-config --cflags --libs criterion) -pthread */
#include "stock.h"
#include <criterion/criterion.h>
#include <stdio.h>

/* The adapter. */
static void cr_explore(const char *name, void (*body)(void *), void *arg) {
    rf_outcome o = rf_explore(name, body, arg, NULL);
    if (!o.passed) fputs(o.report, stderr);
    cr_assert(rf_outcome_free(&o), "explored %s", name);
}

static void one_is_sold(void *unused) {
    (void)unused;
    two_clerks();
    RF_ASSERT_EQ(sold, 1); /* cr_assert would report each failing execution to the runner */
}

Test(stock, before) { cr_assert(1); }
Test(stock, selling) { cr_explore("selling", one_is_sold, NULL); }
Test(stock, zafter) { cr_assert(1); }

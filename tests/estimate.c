/* The estimate of how likely a further execution shows a new order, against what further executions
 * show, on twenty programs: from few orders to more than can be seen, and with orders that come
 * once in a thousand executions or less. */
#define RF_IMPLEMENTATION
#include "script.h"

enum { FIRST = 1000, FURTHER = 3000 };

#define TURNS "times 2 { lock m; unlock m }"
#define LONG  "times 12 { racyW f 1 }"

static const char *const programs[] = {
    "lock m; unlock m | lock m; unlock m",
    TURNS " | " TURNS,
    TURNS " | " TURNS " | " TURNS,
    TURNS " | " TURNS " | " TURNS " | " TURNS,
    "racyW f 1 | racyW f 2 | racyW f 3 | racyW f 4 | racyW f 5",
    "racyW f 1; racyR g | racyW g 1; racyR f",
    "times 3 { racyW f 1; racyR g } | times 3 { racyW g 1; racyR f }",
    "post s; post s | take s | take s",
    "post s; take t | post t; take s | trytake s",
    "times 3 { try m; if = 1 { unlock m } } | times 3 { lock m; unlock m }",
    "lock m; timedwait c m 5; unlock m | lock m; signal c; unlock m",
    "lock m; timedwait c m 5; unlock m | lock m; timedwait c m 5; unlock m | broadcast c; signal c",
    "rdlock r; racyR f; rwunlock r | rdlock r; rwunlock r | wrlock r; racyW f 1; rwunlock r",
    "racyW f 1; yield; racyW f 2 | racyR f; yield; racyR f",
    /* the second thread before or in the middle of the first one is rare */
    LONG "; racyW f 2 | racyR f",
    "times 30 { lock a; unlock a }; racyW f 1 | racyR f | times 30 { lock a; unlock a }",
    "times 8 { lock a; unlock a }; racyW f 1 | times 8 { lock b; unlock b }; racyR f",
    "racyW f 1; times 20 { racyR g } | times 20 { racyR g }; racyR f | racyW g 1",
    LONG " | " LONG,
    LONG " | " LONG " | " LONG,
};

static const rf_strategy *const strategies[] = {&rfi_random, &rfi_pos, &rfi_rapos, &rfi_surw};

static bool seen_before(rfi_orders *o, uint64_t order) {
    return *rfi_order_probe(o, order & ~RFI_ORDER_AGAIN) != 0;
}

/* Is the estimate after the first executions within four standard deviations of what comes? */
static bool honest(const rf_strategy *s, const char *program) {
    static rfi_orders orders;
    rfi_record *r = &lab_campaign.team.here->record;
    rfi_job j = lab_job_of("script", RFI_PREDICT, LAB_FINE);
    rfi_plan p;
    uint32_t fresh = 0;
    j.strategy = s;
    rfi_orders_reset(&orders);
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    for (uint32_t i = 0; i < FIRST + FURTHER; i++) {
        rfi_job_run(&j, &p, i, r);
        if (i < FIRST)
            rfi_orders_add(&orders, r->order);
        else
            fresh += !seen_before(&orders, r->order);
    }
    double once = (double)rfi_orders_count(&orders, true), estimate = once / FIRST,
           came = (double)fresh / FURTHER;
    double off = estimate - came, variance = 2 * (once + 1) / FIRST / FIRST +
                                             (came * (1 - came) + 1.0 / FURTHER) / FURTHER;
    bool good = off * off <= 16 * variance;
    if (!good || getenv("SHOW"))
        printf("# %s, %s: estimate %.4f of %u orders, came %.4f\n", s->name, program, estimate,
               (unsigned)rfi_orders_count(&orders, false), came);
    return good;
}

/* Under `auto`, too, whose explorers learn: of further executions no more are new than was said,
 * and no fewer than is said then. */
static bool honest_campaign(const char *program) {
    const rfi_statistics *t = &lab_study("script", "--executions=1000", NULL)->result.statistics;
    double said = rfi_chance_of_new(t), orders = (double)t->orders, compared = (double)t->compared;
    t = &lab_study("script", "--executions=2000", NULL)->result.statistics;
    double then = rfi_chance_of_new(t), more = (double)t->compared - compared;
    double came = ((double)t->orders - orders) / more, allowed = 0.02 + 0.3 * said;
    bool good = came <= said + allowed && came >= then - allowed;
    if (!good || getenv("SHOW"))
        printf("# auto, %s: said %.4f, came %.4f, then %.4f\n", program, said, came, then);
    return good;
}

int main(void) {
    unsigned wrong[RFI_LENGTH(strategies)] = {0}, in_campaigns = 0;
    lab_open();
    for (unsigned i = 0; i < RFI_LENGTH(programs); i++) {
        script_is(programs[i], false);
        for (unsigned s = 0; s < RFI_LENGTH(strategies); s++)
            wrong[s] += !honest(strategies[s], programs[i]);
        in_campaigns += !honest_campaign(programs[i]);
    }
    for (unsigned s = 0; s < RFI_LENGTH(strategies); s++) {
        LAB_CHECK(
            named("twenty programs under %s: as many new orders as estimated", strategies[s]->name),
            RFI_LENGTH(programs) == 20 && !wrong[s]);
    }
    LAB_CHECK("and in campaigns", !in_campaigns);
    return lab_end();
}

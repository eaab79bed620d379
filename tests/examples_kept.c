/* tests/examples_kept.c: which pairs belong together, and which execution is kept as the example.
 */
#define RF_IMPLEMENTATION
#include "tests/lab.h"

enum { READ_X = __LINE__ + 5, WRITE_X, WRITE_Y, BUMP_X = __LINE__ + 16, BUMP_Y };
static int x, y;

static void *one(void *arg) {
    for (uint32_t i = RF_CHOOSE(4); i; i--) RF_YIELD(); /* executions of different lengths */
    int seen = RF_LOAD(x);
    RF_STORE(x, seen + 1);
    RF_STORE(y, 1);
    return arg;
}

RF_TEST(two_variables) {
    x = y = 0;
    rf_thread t = RF_THREAD(one, NULL);
    for (uint32_t i = RF_CHOOSE(4); i; i--) RF_YIELD();
    int seen = RF_LOAD(x);
    RF_STORE(x, seen + 1);
    RF_STORE(y, 2);
    RF_JOIN(t);
    RF_ASSERT_EQ(RF_LOAD(x), 2);
}

THREAD(writes_1) { RF_STORE(x, 1); }
THREAD(writes_2) { RF_STORE(x, 2); }
THREAD(writes_3) { RF_STORE(x, 3); }
THREAD(writes_4) { RF_STORE(x, 4); }

/* Two races at one place, which have no statement in common. */
RF_TEST(one_place) {
    run_two(writes_1, writes_2);
    run_two(writes_3, writes_4);
}

static void races_at_one_place_belong_together(void) {
    const rfi_result *r = &lab_study("one_place", "--executions=50", NULL)->result;
    LAB_CHECK("races_at_one_place_belong_together",
              r->warnings == 2 && r->warning[0].variable == r->warning[1].variable);
}

static void pairs_of_one_variable_belong_together(const rfi_study *s) {
    const rfi_warning *a = lab_pair(s, READ_X, 'R', BUMP_X, 'W'),
                      *b = lab_pair(s, WRITE_X, 'W', BUMP_X, 'W');
    const rfi_warning *c = lab_pair(s, WRITE_Y, 'W', BUMP_Y, 'W');
    LAB_CHECK("each_variable_has_its_pairs", a && b && c);
    if (!a || !b || !c) return;
    LAB_CHECK("pairs_of_one_location_belong_together", a->variable == b->variable);
    LAB_CHECK("pairs_of_two_locations_do_not", a->variable != c->variable);
}

/* Against every execution of the pair's job, run by itself. */
static void the_shortest_harm_is_kept(const rfi_study *s) {
    uint32_t harmful = 0, checked = 0;
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_case *c = &s->cases[i];
        uint64_t shortest = UINT64_MAX;
        if (!c->harmful) continue;
        for (uint32_t k = 0; k < s->result.warning[i].executions; k++) {
            const rfi_record *r = lab_run(&c->job, k, false);
            bool harm = r->hit_count && r->failure.diagnostic != RF_DIAG_NONE;
            if (harm && r->steps < shortest) shortest = r->steps;
        }
        harmful++;
        checked += c->harm.steps == shortest;
    }
    LAB_CHECK("some_pair_is_harmful", harmful);
    LAB_CHECK("the_shortest_harmful_execution_is_kept", checked == harmful);
}

int main(void) {
    const rfi_study *s = lab_study("two_variables", "--executions=600", NULL);
    pairs_of_one_variable_belong_together(s);
    the_shortest_harm_is_kept(s);
    races_at_one_place_belong_together();
    return lab_end();
}

/* Spinners that await a change are set free by nothing else, and all that they may do is shown all
 * the same: what `dpor` calls all has the outcomes of every other explorer, on random programs of
 * spin locks, flags, tries and bounded polls. */
#define RF_IMPLEMENTATION
#include "explore_tree.h"
#include "script.h"

enum { MOST = 1500, DRAWN = 300 };

static uint64_t state;
static traces shown, *outcomes;

static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

/* What the threads have read, and what is left. */
static void outcome(void) {
    uint64_t h = 1;
    for (unsigned i = 0; i < 26; i++) {
        int a;
        memcpy(&a, (const void *)&script_objects.a[i], sizeof a);
        h = rfi_mix(h + (uint64_t)script_objects.v[i]) + (uint64_t)a;
    }
    if (outcomes) (void)traces_add(outcomes, rfi_mix(h));
}

static void add(char *text, size_t bytes, const char *item, char own) {
    size_t n = strlen(text);
    for (; *item && n + 1 < bytes; item++) text[n++] = *item == '@' ? own : *item;
    text[n] = 0;
}

/* `@` is the thread's own letter: what it has read there is no operation. */
static const char *program(uint64_t number) {
    static char text[1024];
    static const char *const items[] = {
        "loop { swap l 1; until = 0 }; load c; digit @ it; add c 1; store l 0",
        "loop { W @ 0; swap l 1; until = 0; yield }; add c 1; digit @ it; store l 0",
        "loop { cas l 0; until = 1; W u 1 }; load c; digit @ it; store c 2; store l 0",
        "loop { load f; until = 1 }; load c; digit @ it",
        "loop { load c; load f; until = 1; yield }; add c 1; digit @ it",
        "times 3 { load c; until > 1 }; digit @ it",
        "times 2 { swap l 1; until = 0; yield }; if = 0 { store l 0; load c; digit @ it }",
        "loop { try m; until = 1; yield }; add c 1; digit @ it; unlock m",
        "loop { try m; until = 1; W @ 0 }; load c; digit @ it; unlock m",
        "lock m; load c; digit @ it; store c 2; unlock m",
        "add c 1; digit @ it"};
    state = number;
    uint32_t threads = 2 + draw(2);
    snprintf(text, sizeof text, "store f 1; ");
    for (uint32_t t = 0; t < threads; t++) {
        char own = (char)('q' + t);
        if (t) add(text, sizeof text, "; | ", own);
        for (uint32_t i = 0; i < 4 - threads; i++) {
            add(text, sizeof text, items[draw(RFI_LENGTH(items))], own);
            add(text, sizeof text, "; ", own);
        }
    }
    return text;
}

static bool within(const traces *a, const traces *b) {
    for (uint32_t i = 0; i < MOST_TRACES; i++)
        if (a->print[i] && !traces_has(b, a->print[i])) return false;
    return true;
}

/* What explorers that draw show, none of which is held back by what it looks at. */
static void drawn(void) {
    static const rf_strategy *const all[] = {&rfi_random, &rfi_pos, &rfi_sticky};
    for (unsigned k = 0; k < RFI_LENGTH(all); k++) {
        lab_tree_plan(all[k], "script");
        for (uint64_t i = 0; i < DRAWN; i++)
            rfi_job_run(&lab_tree.job, &lab_tree.plan, i, lab_tree.record);
    }
}

/* Who has waited for some rounds goes on as soon as that is over. */
CASE(woken) {
    static found f;
    script_is("loop { load f; until = 1; digit q 1; yield }; peek q; if > 39 { load g; if = 0 {"
              "fail at_once } } | store f 1; store g 1",
              true);
    (void)explore(&rfi_dpor, "script", MOST, &f);
    LAB_CHECK("a spinner goes on as soon as what it awaits is there", f.failed);
}

/* What is the same again is not told apart. */
CASE(ends) {
    static const struct {
        const char *program;
        uint32_t most;
    } rows[] = {{"loop { W u 1; swap l 1; until = 0; W v 1; yield }; add c 1; store l 0 |"
                 "loop { W x 1; swap l 1; until = 0; W y 1; yield }; add c 1; store l 0",
                 500},
                {"times 3 { swap l 1 } | times 3 { swap l 1 }", 3 /* of 20 orders */}};
    static found f;
    for (unsigned i = 0; i < RFI_LENGTH(rows); i++) {
        script_is(rows[i].program, true);
        bool all = explore(&rfi_dpor, "script", rows[i].most + 1, &f);
        printf("# %u executions\n", f.executions);
        LAB_CHECK("exchanges of what is there already are gone through", all);
    }
}

int main(int argc, char **argv) {
    static found f;
    static traces others;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, executions = 0;
    uint32_t whole = 0, missed = 0, strange = 0,
             most = argc > 2 ? (uint32_t)atoi(argv[2]) : by_night(30, 100);
    lab_open();
    script_after = outcome;
    rfi_test_named("script")->options.max_steps = 5000;
    for (uint64_t n = first; n < first + most; n++) {
        const char *text = program(n);
        memset(&shown, 0, sizeof shown);
        memset(&others, 0, sizeof others);
        outcomes = &shown;
        script_is(text, true);
        if (!explore(&rfi_dpor, "script", MOST, &f)) continue;
        whole++;
        executions += f.executions;
        outcomes = &others;
        drawn();
        if (explore(&rfi_dfs, "script", MOST, &f)) strange += !traces_same(&shown, &others);
        if (within(&others, &shown)) continue;
        missed++;
        printf("# %llu: %u of %u and more: %s\n", (unsigned long long)n, shown.count, others.count,
               text);
    }
    printf("# spinners: dpor has gone through %u of %u programs in %llu executions\n", whole, most,
           (unsigned long long)executions);
    LAB_CHECK("what dpor calls all has all outcomes that any explorer shows", !missed);
    LAB_CHECK("and no others than dfs", !strange);
    LAB_CHECK("four of five programs are gone through", whole * 5 >= most * 4);
    return lab_cases();
}

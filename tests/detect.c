// flags: -Isrc
/* What stands around the verdicts of the race detectors: clocks, reports, records and their memory.
 * The verdicts are in detect_table.c. */
#define RF_IMPLEMENTATION
#include "detect_trace.h"

#define INC(t, v, line) #t " R " #v " " #line ";" #t " W " #v " " #line ";"

/* Three processes, clocks growing at sends only and beginning at 1. */
CASE(clocks_of_1_6) {
    static trace t;
    pairs p;
    uint32_t c[3][3];
    const uint32_t expected[3][3] = {{2, 0, 0}, {1, 2, 1}, {1, 1, 2}};
    trace_parse(
        &t,
        "1 post a 1; 2 R x 1; 2 take a 0; 0 R x 2; 0 post b 1; 2 take b 0; 2 post c 1; 1 take c 0");
    begin(use_hybrid, &p);
    feed(use_hybrid, &t);
    rfi_order *o = &rfi_tracked.order[RFI_RELAXED];
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            c[i][k] = i == k ? rfi_actor_of(o->actors, i)->own
                             : rfi_clock_get(&rfi_actor_of(o->actors, i)->clock, k);
    end(use_hybrid);
    check(!memcmp(c, expected, sizeof c), "clocks_of_the_three_processes");
}

CASE(report_fields) {
    static trace t;
    pairs p;
    uint32_t lock[4];
    trace_parse(&t, "3 lock b; 3 rdlock a; 3 W x+2:4 1; 1 lock c; 1 R x+4:8 2");
    begin(use_hb, &p);
    feed(use_hb, &t);
    const rfi_race *r = &sink_last;
    check(sink_calls == 1 && r->unordered && !strcmp(r->by, "hb") && r->thread[0] == 3 &&
              r->thread[1] == 1 && r->size[0] == 4 && r->size[1] == 8 &&
              r->addr == &memory['x' - 'a'][4] && r->site[0] == &sites[1][1] &&
              r->site[1] == &sites[2][0] && r->flags[0] == RF_EV_WRITES &&
              r->flags[1] == RF_EV_READS,
          "report_tells_both_accesses");
    check(rfi_lockset_list(r->lockset[0], lock, 4) == 2 && lock[0] == 1 && lock[1] == 2 &&
              rfi_lockset_list(r->lockset[1], lock, 1) == 1 && lock[0] == 3 &&
              rfi_lockset_list(0, lock, 4) == 0,
          "report_tells_the_locks");
    end(use_hb);
}

CASE(reported_once) {
    static trace t;
    pairs p;
    trace_parse(&t, INC(1, x, 1) "1 lock m; 1 unlock m; 2 lock m; 2 unlock m;" INC(
                        2, x, 2) "3 lock m; 3 unlock m;" INC(3, x, 2) INC(1, x, 1) INC(2, x, 2)
                        INC(1, y, 1) INC(2, y, 2));
    run(use_both, &t, &p);
    unsigned first = sink_calls;
    run(use_both, &t, &p);
    check(p.found[2][5] == 3 && first == sink_calls, "each_analysis_reports_a_pair_once");
    trace_parse(&t,
                "1 W x 1; 2 W x 2; 1 W y 1; 1 lock m; 1 unlock m; 2 lock m; 2 unlock m; 2 W y 2");
    run(use_both, &t, &p);
    check(sink_calls == 2 && p.found[3][5] == 3, "whether_the_other_did_or_not");
}

/* The longest list of records at a variable. */
static unsigned records_at(char variable) {
    unsigned n = 0;
    uintptr_t g = (uintptr_t)memory[variable - 'a'] / RFI_GRANULE;
    for (rfi_access *a = rfi_shadow_get(&rfi_pairs_state.shadow, g); a; a = a->next) n++;
    return n;
}

static void say(const rf_analysis *const *a, const char *format, unsigned n) {
    static trace t;
    char text[160];
    snprintf(text, sizeof text, format, n, n, n, n, n, n, n);
    trace_parse(&t, text);
    feed(a, &t);
}

CASE(many_threads) {
    pairs p;
    begin(use_both, &p);
    for (unsigned i = 1; i <= 5000; i++)
        say(use_both, "0 create %u; %u W x 1; %u exit; 0 join %u", i);
    check(!sink_calls && records_at('x') == 1, "threads_one_after_the_other_leave_one_record");
    end(use_both);

    begin(use_both, &p);
    for (unsigned i = 1; i <= 5000; i++) say(use_both, "0 create %u", i);
    for (unsigned i = 1; i <= 5000; i++)
        say(use_both, "%u lock m; %u W x 1; %u unlock m; %u up.rlx f 2", i);
    for (unsigned i = 1; i <= 5000; i++) say(use_both, "%u exit; 0 join %u", i);
    say(use_both, "0 W x 3", 0);
    check(!sink_calls, "five_thousand_threads_alive_at_once");
    say(use_both, "5001 R x 4", 0);
    check(p.found[7][8] == 3 && p.found[3][8] == 3 && sink_calls == 4, "and_one_more_that_races");
    end(use_both);
}

/* Unordered threads share a record, and the one of them that races is found. */
CASE(crowds) {
    enum { LATE = 150 };
    pairs p;
    begin(use_both, &p);
    for (unsigned i = 1; i <= 200; i++) say(use_both, "0 create %u; %u R x 1", i);
    for (unsigned i = 1; i <= 200; i++)
        if (i != LATE) say(use_both, "%u exit; 0 join %u", i);
    check(!sink_calls && records_at('x') == 1, "unordered_threads_share_a_record");
    say(use_both, "0 W x 2", 0);
    check(sink_calls == 2 && p.found[2][5] == 3 && sink_last.thread[0] == LATE,
          "one_of_a_crowd_that_races_is_named");
    say(use_both, "%u exit; 0 join %u; 0 W x 3; 0 create 201; 201 R x 1", LATE);
    check(sink_calls == 2, "and_races_no_more_once_it_is_joined");
    say(use_both, "202 W x 4", 0);
    check(sink_calls == 8 && p.found[2][9] == 3 && p.found[5][9] == 3 && p.found[7][9] == 3,
          "and_what_comes_later_is_checked");
    end(use_both);
}

CASE(filters) {
    pairs p;
    begin(use_both, &p);
    for (unsigned i = 0; i < 1000; i++)
        say(use_both, "1 R x 1; 1 W x 2; 2 lock m; 2 R y 3; 2 unlock m", 0);
    check(records_at('x') == 2 && records_at('y') == 1, "a_loop_leaves_one_record_a_site");
    end(use_both);
    begin(use_hb, &p);
    check(records_at('x') == 0, "an_execution_begins_empty");
    for (unsigned i = 0; i < 100; i++) say(use_hb, "1 alloc x:64; 1 W x 1; 1 free x:64 2", 0);
    unsigned spare = 0;
    for (rfi_access *a = rfi_pairs_state.spare; a; a = a->next) spare++;
    check(records_at('x') == 2 && spare <= 16, "records_of_freed_blocks_are_used_again");
    end(use_hb);
    begin(use_hb, &p);
    say(use_hb, "2 W x:8 1; 1 W x:8 1", 0);
    for (unsigned i = 0; i < 100; i++) say(use_hb, "1 W x+4:4 1; 1 alloc x:4; 1 W x:8 1", 0);
    say(use_hb, "1 alloc x:4", 0);
    check(records_at('x') == 1, "records_that_become_alike_are_united");
    say(use_hb, "1 R x+4:1 2", 0);
    check(p.found[3][4] == 2 && sink_last.thread[0] == 2, "and_lose_nobody");
    end(use_hb);
}

/* ---- the others of the family: their verdicts are in detect_table.c and detect_random.c ---- */

/* A compare-exchange that failed is a load at a statement that writes. */
CASE(failed_exchange) {
    static trace t;
    const rf_analysis *const *const all[] = {use_hb, use_hybrid, use_fasttrack, use_lockset};
    trace_parse(&t, "1 ld.rlx f 1; 1 up.rlx f 1; 2 R f 2");
    t.e[0].site = t.e[1].site;
    bool ok = true;
    for (unsigned i = 0; i < 4; i++) {
        pairs p;
        run(all[i], &t, &p);
        ok &= sink_calls == 1 && p.found[3][4];
    }
    check(ok, "a_failed_exchange_does_not_hide_the_next_one");
}

static unsigned cells_at(const rfi_cells *d, char variable) {
    unsigned n = 0;
    uintptr_t g = (uintptr_t)memory[variable - 'a'] / RFI_GRANULE;
    for (const rfi_cell *c = rfi_shadow_get((rfi_shadow *)(uintptr_t)&d->shadow, g); c; c = c->next)
        n++;
    return n;
}

CASE(fasttrack_memory) {
    const rfi_fasttrack *f = &rfi_fasttrack_state;
    pairs p;
    begin(use_fasttrack, &p);
    say(use_fasttrack, "1 lock a; 1 W x+2:4 1; 2 rdlock b; 2 R x+4:8 2", 0);
    const rfi_race *r = &sink_last;
    uint32_t lock[2];
    check(sink_calls == 1 && r->unordered && !strcmp(r->by, "fasttrack") && r->thread[0] == 1 &&
              r->thread[1] == 2 && r->size[0] == 4 && r->size[1] == 8 &&
              r->addr == &memory['x' - 'a'][4] && rfi_lockset_list(r->lockset[0], lock, 2) == 1 &&
              lock[0] == 1 && rfi_lockset_list(r->lockset[1], lock, 2) == 1 && lock[0] == 2,
          "fasttrack_tells_both_accesses");
    check(cells_at(&f->cells, 'x') == 3, "overlapping_ranges_cut_cells");
    say(use_fasttrack, "1 W x:8 3", 0);
    check(cells_at(&f->cells, 'x') == 1, "a_write_of_all_of_them_unites_cells");
    end(use_fasttrack);

    begin(use_fasttrack, &p);
    for (unsigned i = 1; i <= 5000; i++) say(use_fasttrack, "0 create %u; %u R x 1; %u R y 1", i);
    check(f->sets_count == 2 && cells_at(&f->cells, 'x') == 1,
          "reads_of_5000_threads_share_a_cell");
    for (unsigned i = 1; i <= 5000; i++) say(use_fasttrack, "%u exit; 0 join %u", i);
    say(use_fasttrack, "0 W x 2; 0 W y 2; 0 create 5001; 0 R z 1; 5001 R z 1; 0 R z 1", 0);
    check(!sink_calls && f->sets_count == 2, "a_write_makes_their_tables_spare");
    say(use_fasttrack, "5002 R x 3; 5001 W z 4", 0);
    check(p.found[5][6] == 2 && p.found[2][9] == 2 && sink_calls == 2, "and_what_races_is_found");
    end(use_fasttrack);
}

CASE(lockset_records) {
    static trace t;
    pairs p;
    trace_parse(&t, "1 lock r; 1 W x 1; 1 unlock r; 1 rdlock r; 1 W x 1; 1 rdunlock r; 2 rdlock r;"
                    "2 R x 2");
    run(use_lockset, &t, &p);
    check(p.found[3][4] && sink_calls == 1,
          "lockset_tells_a_lock_from_one_that_is_held_for_reading");
    begin(use_lockset, &p);
    for (unsigned i = 1; i <= 5000; i++) say(use_lockset, "%u lock m; %u W x 1; %u unlock m", i);
    unsigned n = 0;
    uintptr_t g = (uintptr_t)memory['x' - 'a'] / RFI_GRANULE;
    for (rfi_tuple *a = rfi_shadow_get(&rfi_choi_state.shadow, g); a; a = a->next) n++;
    check(n == 1 && !sink_calls, "lockset_keeps_one_record_for_5000_threads");
    say(use_lockset, "1 W x 2", 0);
    check(sink_calls == 1 && sink_last.thread[0] != 1, "and_names_another_thread_than_its_own");
    end(use_lockset);
}

/* The next granule in use, from every place and to every end, against a plain search. */
CASE(shadow_skips) {
    static rfi_shadow s;
    enum { GRANULES = 900 };
    bool used[GRANULES] = {0}, ok = true;
    const unsigned put[] = {0, 1, 63, 65, 66, 127, 200, 255, 256, 299, 800, 832, 896};
    for (unsigned i = 0; i < sizeof put / sizeof *put; i++) {
        *rfi_shadow_at(&s, put[i]) = &s;
        used[put[i]] = true;
    }
    *rfi_shadow_at(&s, 65) = NULL;
    used[65] = false;
    for (uintptr_t from = 0; from < GRANULES; from++)
        for (uintptr_t end_at = from; end_at <= GRANULES; end_at++) {
            uintptr_t g = from;
            while (g < end_at && !used[g]) g++;
            ok &= rfi_shadow_next(&s, from, end_at) == g;
        }
    check(ok, "shadow_finds_the_next_granule_in_use");
}

int main(void) {
    tests_open();
    return check_cases();
}

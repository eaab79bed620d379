// flags: -Isrc
/* Happens-before and hybrid on traces written by hand.  Each verdict is
 * also compared with the definitions. */
#define RF_IMPLEMENTATION
#include "detect_brute.h"

/* The trace has exactly these pairs under happens-before and under hybrid. */
static void verdict(const char *name, const char *text, const char *hb, const char *hybrid) {
    static trace t;
    pairs p[2];
    char got[2][256];
    trace_parse(&t, text);
    run(use_hb, &t, &p[0]);
    run(use_hybrid, &t, &p[1]);
    pairs_text(&p[0], 2, got[0], sizeof got[0]);
    pairs_text(&p[1], 1, got[1], sizeof got[1]);
    bool ok = !strcmp(got[0], hb) && !strcmp(got[1], hybrid);
    if (!ok)
        printf("# %s: hb [%s] for [%s], hybrid [%s] for [%s]\n", name, got[0], hb, got[1], hybrid);
    bool joint =
        joint_agrees(use_both, &t, &p[0], &p[1]) && joint_agrees(use_both_turned, &t, &p[0], &p[1]);
    if (!joint) printf("# %s: together they differ\n", name);
    bool brute = brute_agrees(&t, &p[0], &p[1]);
    if (!brute) printf("# %s: the definitions differ\n", name);
    check(ok && joint && brute, name);
}

/* ---- programs with a known verdict: more of them in detect_table.c ---- */

#define INC(t, v, line) #t " R " #v " " #line ";" #t " W " #v " " #line ";"
#define THREE           "1R-2W 1W-2R 1W-2W"

static void public_programs(void) {
    verdict(
        "race1",
        "0 create 1; 0 create 2;" INC(1, x, 1) "1 W y 3;" INC(2, x, 2) "2 W z 4; 1 exit; 2 exit;"
                                                                       "0 join 1; 0 join 2",
        THREE, THREE);
    verdict("race2", INC(0, x, 1) "0 create 1;" INC(1, x, 2) "1 exit; 0 join 1;" INC(0, x, 3), "",
            "");
    verdict("race3", "0 create 1;" INC(1, x, 1) INC(0, x, 2), THREE, THREE);
    verdict("race4", "0 create 1; 1 lock m;" INC(1, x, 1) "1 unlock m;" INC(0, x, 2), THREE, THREE);
    verdict("race5",
            "0 create 1; 1 lock m;" INC(1, x, 1) "1 unlock m; 0 lock m;" INC(0, x, 2) "0 unlock m",
            "", "");
    verdict("race6",
            "0 create 1; 1 lock m;" INC(1, x, 1) "1 unlock m; 0 lock n;" INC(0, x, 2) "0 unlock n",
            THREE, THREE);
    verdict("race7",
            "0 create 1; 1 lock m;" INC(1, x, 1) "1 unlock m; 0 lock m; 0 lock n;" INC(
                0, x, 2) "0 unlock n; 0 unlock m",
            "", "");
#define WAITS(t)    #t " lock m;" #t " R c 5;" #t " wait c;" #t " unlock m;"
#define WAKES(t)    #t " wake c;" #t " lock m;" #t " unlock m;"
#define SKIPS(t)    #t " lock m;" #t " R c 5;" #t " unlock m;"
#define WAKEN(t, u) #t " lock m;" #t " signal c;" #t " notify " #u ";" #t " W c 6;" #t " unlock m;"
#define EARLY(t)    #t " lock m;" #t " signal c;" #t " W c 6;" #t " unlock m;"
    verdict("race8_waited", "0 create 1;" WAITS(1) INC(0, x, 1) WAKEN(0, 1) WAKES(1) INC(1, x, 2),
            "", "");
    verdict("race8_notified_first", "0 create 1;" INC(0, x, 1) EARLY(0) SKIPS(1) INC(1, x, 2), "",
            THREE);
    verdict("race9_waited", "0 create 1;" WAITS(0) INC(1, x, 1) WAKEN(1, 0) WAKES(0) INC(0, x, 2),
            "", "");
    verdict("race9_notified_first", "0 create 1;" INC(1, x, 1) EARLY(1) SKIPS(0) INC(0, x, 2), "",
            THREE);
    verdict("race10", "0 create 1;" INC(1, x, 1) WAITS(1) WAKEN(0, 1) INC(0, x, 2) WAKES(1), "",
            THREE);
    verdict("race10_notified_first", "0 create 1;" EARLY(0) INC(0, x, 2) INC(1, x, 1) SKIPS(1),
            THREE, THREE);
    verdict("race11", "0 create 1;" INC(0, x, 1) WAITS(0) WAKEN(1, 0) INC(1, x, 2) WAKES(0), "",
            THREE);
    verdict("race11_notified_first", "0 create 1;" EARLY(1) INC(1, x, 2) INC(0, x, 1) SKIPS(0),
            THREE, THREE);
}

/* ---- primitives ---- */

static void conditions(void) {
    verdict("signal_without_the_mutex_orders_only_hybrid",
            "1 lock m; 1 wait c; 1 unlock m; 0 W x 1; 0 signal c; 0 notify 1; 1 wake c; 1 lock m; "
            "1 R x 2",
            "1W-2R", "");
    verdict("timeout_orders_nothing",
            "1 lock m; 1 wait c; 1 unlock m; 0 W x 1; 0 signal c; 1 timeout c; 1 lock m; 1 R x 2",
            "1W-2R", "1W-2R");
    verdict("broadcast_orders_each_waiter",
            "1 lock m; 1 wait c; 1 unlock m; 2 lock m; 2 wait c; 2 unlock m; 0 W x 1; 0 lock m; 0 "
            "notify 1;"
            "0 notify 2; 0 unlock m; 2 wake c; 2 lock m; 2 R x 2; 2 unlock m; 1 wake c; 1 lock m; "
            "1 W x 3",
            "", "");
    verdict(
        "a_read_lock_orders_no_read_lock",
        "1 rdlock r; 1 W x 1; 1 rdunlock r; 2 rdlock r; 2 rdunlock r; 2 R x 2; 3 lock r; 3 R x 3",
        "1W-2R", "1W-2R");
    verdict("read_lock_held_twice",
            "1 rdlock r; 1 rdlock r; 1 rdunlock r; 1 R x 1; 2 lock r; 2 W x 2", "1R-2W", "");
    verdict("lock_set_counts_though_nothing_was_sent",
            "1 lock m; 1 W x 1; 1 unlock m; 1 W x 1; 2 lock m; 2 W x 2", "1W-2W", "1W-2W");
    verdict("one_of_two_locks_released",
            "1 lock a; 1 lock b; 1 W x 1; 1 unlock a; 1 W x 2; 1 unlock b;"
            "2 lock a; 2 W x 3",
            "2W-3W", "2W-3W");
}

static void semaphores(void) {
    verdict("semaphore_orders", "1 W x 1; 1 post s 1; 2 take s 0; 2 W x 2", "", "");
    verdict("semaphore_fifo_and_accumulated",
            "1 W x 1; 1 post s 1; 2 W y 2; 2 post s 2; 3 take s 1; 3 R x 3; 3 R y 4; 4 take s 0; 4 "
            "R x 5;"
            "4 R y 6",
            "", "1W-5R 2W-4R");
    verdict("semaphore_initial_tokens_come_first",
            "1 W x 1; 1 post s 2; 2 take s 1; 2 R x 2; 3 take s 0; 3 R x 3", "", "1W-2R");
    verdict("semaphore_first_seen_at_a_wait",
            "2 take s 1; 1 W x 1; 1 post s 2; 2 take s 1; 2 R x 2; 3 take s 0; 3 R x 3", "",
            "1W-2R");
    verdict("semaphore_made_anew_forgets", "1 W x 1; 1 post s 1; 1 init s; 2 take s 4; 2 R x 2",
            "1W-2R", "1W-2R");
}

static void barriers(void) {
    verdict("barrier_orders_all_with_all",
            "1 W x 1; 1 arrive b 0; 2 W y 2; 2 arrive b 0; 2 depart b 0; 1 depart b 0; 1 R y 3; 2 "
            "R x 4",
            "", "");
    verdict(
        "barrier_fast_thread_is_one_phase_ahead",
        "1 W x 1; 1 arrive b 0; 2 arrive b 0; 2 depart b 0; 2 W y 2; 2 arrive b 1; 1 depart b 0;"
        "1 R y 3; 1 R x 4; 1 arrive b 1; 1 depart b 1; 1 R y 5; 2 depart b 1; 2 R x 6",
        "2W-3R", "2W-3R");
    verdict("barriers_do_not_mix_their_phases",
            "1 arrive b 0; 1 depart b 0; 3 W x 1; 3 arrive c 0; 3 depart c 0; 3 arrive c 1; 1 "
            "arrive b 1;"
            "1 depart b 1; 1 R x 2",
            "1W-2R", "1W-2R");
    verdict("once_orders_its_end", "1 W x 1; 1 done o; 1 pass o; 2 pass o; 2 R x 2; 3 R x 3",
            "1W-3R", "1W-3R");
}

static void atomics(void) {
    verdict("relaxed_orders_nothing", "1 W d 1; 1 st.rlx f 2; 2 ld.acq f 3; 2 R d 4", "1W-4R",
            "1W-4R");
    verdict("relaxed_load_orders_nothing", "1 W d 1; 1 st.rel f 2; 2 ld.rlx f 3; 2 R d 4", "1W-4R",
            "1W-4R");
    verdict("seq_cst_is_release_and_acquire", "1 W d 1; 1 st.sc f 2; 2 ld.sc f 3; 2 R d 4", "", "");
    verdict("only_the_store_that_is_read_counts",
            "1 W d 1; 1 st.rel f 2; 3 st.rlx f 5; 2 ld.acq f 3; 2 R d 4", "1W-4R", "1W-4R");
    verdict("release_sequence_same_thread",
            "1 W d 1; 1 st.rel f 2; 1 W e 5; 1 st.rlx f 6; 2 ld.acq f 3; 2 R d 4; 2 R e 7", "5W-7R",
            "5W-7R");
    verdict("release_sequence_through_updates",
            "1 W d 1; 1 st.rel f 2; 3 W e 5; 3 up.rlx f 6; 2 ld.acq f 3; 2 R d 4; 2 R e 7", "5W-7R",
            "5W-7R");
    verdict("release_sequence_of_a_refcount",
            "1 W d 1; 1 up.rel f 2; 2 W e 3; 2 up.rel f 4; 3 up.acq f 5; 3 R d 6; 3 R e 7", "", "");
    verdict("release_sequence_survives_other_updates_then_own_store",
            "1 W d 1; 1 st.rel f 2; 3 W e 5; 3 up.rel f 6; 1 st.rlx f 8; 2 ld.acq f 3; 2 R d 4; 2 "
            "R e 7",
            "5W-7R", "5W-7R");
    verdict("plain_store_ends_the_sequence",
            "1 W d 1; 1 st.rel f 2; 1 W f 5; 2 ld.acq f 3; 2 R d 4", "1W-4R 3R-5W", "1W-4R 3R-5W");
    verdict("plain_store_beside_does_not",
            "1 W d 1; 1 st.rel f 2; 1 W f+4:4 5; 2 ld.acq f 3; 2 R d 4", "", "");
    verdict("own_later_fence_is_not_in_an_older_sequence",
            "1 fence.rel; 1 W d 1; 1 st.rel f 2; 1 st.rlx f 3; 2 ld.acq f 4; 2 R d 5", "", "");
    verdict("release_fence",
            "1 W d 1; 1 fence.rel; 1 W e 5; 1 st.rlx f 2; 2 ld.acq f 3; 2 R d 4; 2 R e 6", "5W-6R",
            "5W-6R");
    verdict("acquire_fence", "1 W d 1; 1 st.rel f 2; 2 ld.rlx f 3; 2 R d 4; 2 fence.acq; 2 R d 5",
            "1W-4R", "1W-4R");
    verdict("fence_to_fence",
            "1 W d 1; 1 fence.ar; 1 st.rlx f 2; 2 ld.rlx f 3; 2 fence.ar; 2 R d 4", "", "");
    verdict("seq_cst_fences_alone_order_nothing", "1 W d 1; 1 fence.sc; 2 fence.sc; 2 R d 4",
            "1W-4R", "1W-4R");
    verdict("failed_compare_exchange_is_a_load",
            "1 W d 1; 1 st.rel f 2; 3 ld.rlx f 5; 2 ld.acq f 3; 2 R d 4", "", "");
    verdict("atomics_never_race", "1 st.rlx f 1; 2 st.rlx f 2; 3 ld.rlx f 3; 4 up.rlx f 4", "", "");
    verdict("atomic_against_plain", "1 W f 1; 2 st.rlx f 2; 3 ld.rlx f 3; 4 R f 4",
            "1W-2W 1W-3R 1W-4R 2W-4R", "1W-2W 1W-3R 1W-4R 2W-4R");
    verdict("initialisation_before_release", "1 W f 1; 1 st.rel f 2; 2 ld.acq f 3; 2 up.ar f 4", "",
            "");
    verdict("racy_is_never_reported_and_orders_nothing",
            "1 W d 1; 1 racyW f 2; 2 racyR f 3; 2 W f 5; 2 R d 4", "1W-4R", "1W-4R");
}

static void threads(void) {
    verdict("start_passes_on_what_was_joined",
            "1 W x 1; 1 exit; 0 join 1; 0 create 2; 2 R x 2; 3 R x 3", "1W-3R", "1W-3R");
    verdict("a_new_thread_does_not_know_what_a_joined_one_knew",
            "3 W x 1; 3 post s 1; 1 take s 0; 1 exit; 0 join 1; 2 create 4; 4 R x 2; 0 R x 3",
            "1W-2R", "1W-2R");
}

static void locations(void) {
    verdict("ranges_overlap_by_bytes",
            "1 W x:8 1; 2 R x+7:1 2; 2 R x+8:1 3; 3 W x+6:4 4; 4 R y:1 5; 5 W y+1:1 6",
            "1W-2R 1W-4W 2R-4W 3R-4W", "1W-2R 1W-4W 2R-4W 3R-4W");
    verdict("large_range", "1 W x:64 1; 2 R x+63:1 2; 3 R x+13:30 3; 3 R y:64 4", "1W-2R 1W-3R",
            "1W-2R 1W-3R");
    verdict("free_is_a_write", "1 R x:4 1; 2 free x:32 2; 3 R x+24:8 3; 4 R y 4", "1R-2W 2W-3R",
            "1R-2W 2W-3R");
    verdict("alloc_forgets", "1 W x 1; 1 free x:32 2; 2 alloc x:32; 2 W x 3; 3 R x 4", "3W-4R",
            "3W-4R");
    verdict("recycle_forgets_bytes", "1 W x:8 1; 2 recycle x:4; 2 R x:4 2; 2 R x+4:4 3", "1W-3R",
            "1W-3R");
    verdict("recycle_forgets_release_sequences",
            "1 W d 1; 1 st.rel x 2; 2 recycle x:64; 2 ld.acq x 3; 2 R d 4", "1W-4R", "1W-4R");
    verdict("own_line_races_with_itself", INC(1, x, 1) INC(2, x, 1), "1R-1W 1W-1W", "1R-1W 1W-1W");
    verdict("every_site_behind_the_last_access", "1 W x 1; 1 W x 2; 1 R x 3; 2 W x 4; 2 R x 5",
            "1W-4W 1W-5R 2W-4W 2W-5R 3R-4W", "1W-4W 1W-5R 2W-4W 2W-5R 3R-4W");
}

/* ---- what stands around the verdicts ---- */

/* Three processes, clocks growing at sends only and beginning at 1. */
static void clocks_of_1_6(void) {
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

static void report_fields(void) {
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

static void reported_once(void) {
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

static void many_threads(void) {
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
static void crowds(void) {
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

static void filters(void) {
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

static bool says(const rf_analysis *const *a, const char *text, const char *expected) {
    static trace t;
    pairs p;
    char got[256];
    trace_parse(&t, text);
    run(a, &t, &p);
    pairs_text(&p, 3, got, sizeof got);
    if (strcmp(got, expected)) printf("# %s: [%s] for [%s]\n", a[0]->name, got, expected);
    return !strcmp(got, expected);
}

static void eraser_places(void) {
    check(says(use_eraser, "1 W x 1; 2 lock m; 2 W x 2; 2 R x 3; 2 unlock m; 3 W x 4", "3R-4W"),
          "eraser_tells_the_last_access_of_another_thread");
    check(says(use_eraser, "1 lock m; 1 W x 1; 2 W x 2; 3 R x 3; 1 R x 4", "1W-2W"),
          "eraser_reports_a_location_once");
    check(says(use_eraser,
               "3 lock m; 3 R x 5; 3 unlock m; 2 lock m; 2 W x 2; 2 R x 3; 2 unlock m; 3 R x 4",
               "2W-4R"),
          "eraser_tells_the_last_write_to_a_read");
    check(says(use_eraser,
               "1 W x 1; 2 lock m; 2 R x 2; 2 unlock m; 1 lock m; 1 W x 3; 1 unlock m; 1 R x 4",
               "2R-3W"),
          "eraser_never_tells_two_reads");
}

/* A compare-exchange that failed is a load at a statement that writes. */
static void failed_exchange(void) {
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

static void fasttrack_memory(void) {
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

static void lockset_records(void) {
    pairs p;
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
static void shadow_skips(void) {
    static rfi_shadow s;
    enum { GRANULES = 300 };
    bool used[GRANULES] = {0}, ok = true;
    const unsigned put[] = {0, 1, 63, 65, 66, 127, 200, 255, 256, 299};
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
    public_programs();
    conditions();
    semaphores();
    barriers();
    atomics();
    threads();
    locations();
    clocks_of_1_6();
    report_fields();
    reported_once();
    many_threads();
    crowds();
    filters();
    eraser_places();
    failed_exchange();
    fasttrack_memory();
    lockset_records();
    shadow_skips();
    return check_end();
}

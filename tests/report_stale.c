// flags: -Isrc
/* What is said of reads that returned an older value, or a torn one: in the row, in the sentences
 * below the failure, and which orders would have forbidden it. */
#include "report_record.h"

static int flag, box;
static rf_origin origins[8];
static unsigned origin_count;

static rf_event *atomic(int *variable, unsigned flags, uint32_t thread, const rf_site *s,
                        uint64_t value, unsigned order) {
    rf_event *e = access_to(variable, flags | RF_EV_ATOMIC, thread, s, value);
    e->order = (uint8_t)order;
    return e;
}

/* The read `e` returned `from` and hid `newest`; NULL: what was there at first. */
static void returns(rf_event *e, const rf_event *from, const rf_event *newest, uint32_t hidden) {
    rf_origin *o = &origins[origin_count++];
    *o = (rf_origin){.thread = from ? from->thread : RFI_NO_THREAD,
                     .site = from ? from->site : NULL,
                     .newest_thread = newest->thread,
                     .newest_site = newest->site,
                     .hidden = hidden,
                     .order = RF_ORDER_PLAIN,
                     .newest_order =
                         newest->flags & RF_EV_ATOMIC ? newest->order : (uint8_t)RF_ORDER_PLAIN,
                     .newest_value = newest->value};
    e->flags |= RF_EV_STALE;
    e->origin = o;
}

static void run_two(void) {
    fresh_record();
    origin_count = 0;
    create(1, site("rf_test_handed_over", 61, "sender"));
}

static void fails(uint32_t thread) {
    record->failure = (rfi_failure){RF_DIAG_ASSERT, thread, NULL, .message = "box == 7"};
    fresh_finding();
}

static void says_exactly(const char *name) {
    rfi_line l = {0};
    rfi_say_stale(&l, record);
    expect_line(l.s, name);
}

/* T1 writes the box and sets a flag, T0 reads the flag and the box. */
static void hand_over(unsigned store, unsigned load) {
    run_two();
    rf_event *written = access_to(&box, RF_EV_WRITES, 1, site("sender", 7, "box"), 7);
    atomic(&flag, RF_EV_WRITES, 1, site("sender", 8, "&flag"), 1, store);
    atomic(&flag, RF_EV_READS, 0, site("rf_test_handed_over", 62, "&flag"), 1, load);
    rf_event *read = access_to(&box, RF_EV_READS, 0, site("rf_test_handed_over", 63, "box"), 0);
    returns(read, NULL, written, 1);
    fails(0);
}

/* T1 writes the box; T2 learns of it by an atomic, and tells T0 by a relaxed one. */
static void pass_on(unsigned load) {
    static int baton;
    run_two();
    create(2, site("rf_test_handed_over", 61, "courier"));
    rf_event *written = access_to(&box, RF_EV_WRITES, 1, site("sender", 7, "box"), 7);
    atomic(&baton, RF_EV_WRITES, 1, site("sender", 8, "&baton"), 5, __ATOMIC_RELEASE);
    atomic(&baton, RF_EV_READS, 2, site("courier", 9, "&baton"), 5, load);
    atomic(&flag, RF_EV_WRITES, 2, site("courier", 10, "&flag"), 1, __ATOMIC_RELAXED);
    atomic(&flag, RF_EV_READS, 0, site("rf_test_handed_over", 62, "&flag"), 1, __ATOMIC_ACQUIRE);
    rf_event *read = access_to(&box, RF_EV_READS, 0, site("rf_test_handed_over", 63, "box"), 0);
    returns(read, NULL, written, 1);
    fails(0);
}

CASE(test_messages) {
    hand_over(__ATOMIC_RELAXED, __ATOMIC_RELAXED);
    says_exactly("a_relaxed_message_needs_both_orders");
    hand_over(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE);
    says_exactly("a_relaxed_store_needs_release");
    hand_over(__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    says_exactly("a_relaxed_load_needs_acquire");
    pass_on(__ATOMIC_ACQUIRE);
    says_exactly("a_message_of_a_third_thread_that_knows_needs_release");
    pass_on(__ATOMIC_RELAXED);
    says_exactly("one_of_a_third_thread_that_does_not_know_orders_nothing");
    run_two();
    rf_event *written = access_to(&box, RF_EV_WRITES, 1, site("sender", 7, "box"), 7);
    returns(access_to(&box, RF_EV_READS, 0, site("f", 63, "box"), 0), NULL, written, 1);
    fails(0);
    says_exactly("without_a_message_a_lock_is_needed");
}

CASE(test_atomics) {
    run_two();
    create(2, site("rf_test_handed_over", 61, "receiver"));
    rf_event *x = atomic(&box, RF_EV_WRITES, 1, site("sender", 7, "&box"), 1, __ATOMIC_RELEASE);
    atomic(&flag, RF_EV_READS, 1, site("sender", 8, "&flag"), 0, __ATOMIC_ACQUIRE);
    atomic(&flag, RF_EV_WRITES, 2, site("receiver", 9, "&flag"), 1, __ATOMIC_RELEASE);
    rf_event *read =
        atomic(&box, RF_EV_READS, 2, site("receiver", 10, "&box"), 0, __ATOMIC_ACQUIRE);
    returns(read, NULL, x, 1);
    fails(0);
    says_exactly("store_buffering_needs_seq_cst_everywhere");
    run_two();
    create(2, site("rf_test_handed_over", 61, "receiver"));
    rf_event *first =
        atomic(&box, RF_EV_WRITES, 2, site("receiver", 5, "&box"), 3, __ATOMIC_RELAXED);
    x = atomic(&box, RF_EV_WRITES, 1, site("sender", 7, "&box"), 1, __ATOMIC_RELAXED);
    read = atomic(&box, RF_EV_READS, 0, site("f", 10, "&box"), 3, __ATOMIC_RELAXED);
    returns(read, first, x, 2);
    fails(0);
    says_exactly("writes_of_two_threads_have_no_order_of_their_own");
}

CASE(test_torn) {
    static int64_t wide;
    run_two();
    rf_event *write = access_to(&box, RF_EV_WRITES, 1, site("sender", 7, "wide"), 7);
    write->addr = &wide, write->size = 8;
    rf_event *read = access_to(&box, RF_EV_READS, 0, site("f", 9, "wide"), UINT64_C(7) << 32);
    read->addr = &wide, read->size = 8;
    returns(read, write, write, 1);
    origins[0].other_thread = RFI_NO_THREAD;
    read->flags = RF_EV_READS | RF_EV_TORN;
    fails(0);
    says_exactly("halves_are_told");
}

CASE(test_choice) {
    run_two();
    rf_event *written = access_to(&box, RF_EV_WRITES, 1, site("sender", 7, "box"), 7);
    returns(access_to(&box, RF_EV_READS, 0, site("f", 63, "box"), 0), NULL, written, 1);
    returns(access_to(&box, RF_EV_READS, 1, site("g", 64, "box"), 0), NULL, written, 1);
    fails(0);
    check(rfi_strange_read(record) == 3, "the_last_stale_read_of_who_failed_is_explained");
    fails(2);
    check(rfi_strange_read(record) == 4, "else_the_last_one_of_all");
    lost_deposit(0);
    says_exactly("of_memory_that_does_as_expected_nothing_is_said");
}

CASE(test_printed) {
    hand_over(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE);
    finding.failure = &kind;
    kind.failure.site = site("rf_test_handed_over", 63, "box");
    record->failure = kind.failure;
    print_finding(48, false, "a_stale_read_is_marked_and_explained_on_a_narrow_terminal");
    /* Far apart, the write that was hidden is shown with the read. */
    run_two();
    rf_event *written = access_to(&box, RF_EV_WRITES, 1, site("sender", 7, "box"), 7);
    for (unsigned i = 0; i < 200; i++) access_to(&flag, RF_EV_READS, 0, site("f", 20, "flag"), i);
    returns(access_to(&box, RF_EV_READS, 0, site("f", 63, "box"), 0), NULL, written, 1);
    for (unsigned i = 0; i < 200; i++) access_to(&flag, RF_EV_READS, 0, site("f", 20, "flag"), i);
    fails(0);
    rfi_cut c = rfi_cut_make(record, NULL, false);
    check(c.mark[2] & RFI_KEEP && c.mark[203] & RFI_KEEP, "what_was_hidden_is_in_the_picture");
    rfi_cut_free(&c);
}

/* ---- what the third phase says of a race ---- */

static void old_values(const char *name) {
    rfi_line l = {0};
    rfi_say_old_values(&l, &finding);
    expect_line(l.s, name);
}

CASE(test_figures) {
    lost_deposit(0);
    finding.verdict = RFI_REAL;
    old_values("without_a_third_phase_nothing_is_said");
    pair.trial[RF_PICK_OLDEST] = (rfi_trial){25, 20, 0, 0};
    pair.trial[RF_PICK_RANDOM_DIFFERENT] = (rfi_trial){25, 24, 0, 0};
    old_values("no_harm_is_told");
    pair.trial[RF_PICK_RANDOM_DIFFERENT].unclear = 3;
    old_values("harm_that_is_not_theirs_is_told_as_such");
    finding.verdict = RFI_DESTRUCTIVE;
    pair.trial[RF_PICK_RANDOM_DIFFERENT].failed = 9;
    pair.trial[RF_PICK_NEWEST] = (rfi_trial){12, 0, 0, 0};
    old_values("each_heuristic_has_its_rate");
}

int main(void) {
    cases();
    return report_end();
}

// flags: -Isrc
/* Findings and interleavings as they are printed, at several widths, with colours and without. */
#include "report_record.h"

CASE(a_harmful_race) {
    lost_deposit(0);
    print_finding(80, false, "a_harmful_race_at_80_columns");
    print_finding(40, false, "a_harmful_race_at_40_columns_is_a_list");
    print_picture(80, true, false, "colours_mark_the_race_and_the_failure");
    lost_deposit(600);
    print_picture(80, false, false, "a_long_execution_is_cut_to_the_race_and_the_end");
}

CASE(an_expected_finding_is_told_in_short) {
    lost_deposit(0);
    finding.expected = true;
    print_finding(80, false, "an_expected_finding_is_told_in_short");
    finding = (rfi_finding){.warning = &pair, .verdict = RFI_POTENTIAL};
    print_finding(120, false, "a_prediction_is_left_to_the_result_of_the_test");
}

/* Seen by a detector: no hit, the accesses are found by their statements. */
CASE(a_race_without_a_hit_is_found_in_the_record) {
    lost_deposit(0);
    record->hit_count = 0;
    record->failure.diagnostic = RF_DIAG_NONE;
    pair.executions = pair.hits = pair.failed = 0;
    pair.seen = 3;
    finding.verdict = RFI_REAL;
    finding.failure = NULL;
    print_finding(80, false, "a_race_without_a_hit_is_found_in_the_record");
}

/* ---- other scenarios ---- */

static void five_threads_in_a_queue(void) {
    fresh_record();
    name_object("queue.lock");
    name_object("queue.room");
    name_object("queue.lock");
    for (uint32_t i = 1; i < 5; i++)
        create(i, site("queue_drains", 80 + i, i % 2 ? "produce" : "consume_everything"));
    on_object(RF_EV_LOCK, 2, site("pop", 40, "&q->lock"), 1);
    rf_event *wait = step(RF_EV_WAIT, 2, site("pop", 42, "&q->room"));
    wait->object = 2;
    wait->other = 1;
    on_object(RF_EV_LOCK, 1, site("push", 20, "&q->lock"), 1);
    rf_event *add = step(RF_EV_RMW, 1, site("push", 22, "&q->used"));
    *add = (rf_event){.kind = RF_EV_RMW,
                      .thread = 1,
                      .flags = RF_EV_READS | RF_EV_WRITES | RF_EV_ATOMIC,
                      .order = __ATOMIC_RELEASE,
                      .site = add->site,
                      .addr = &other,
                      .size = 4,
                      .value = 0,
                      .value2 = 1};
    on_object(RF_EV_SIGNAL, 1, site("push", 23, "&q->room"), 2);
    step(RF_EV_NOTIFY, 1, site("push", 23, "&q->room"))->other = 2;
    on_object(RF_EV_UNLOCK, 1, site("push", 24, "&q->lock"), 1);
    on_object(RF_EV_LOCK, 4, site("pop", 40, "&q->lock"), 3);
    access_to(&balance, RF_EV_READS | RF_EV_RANGE, 4, site("pop", 44, "slot"), 0);
    says(4, site("pop", 45, "log"),
         "t\xc3\xaate: \xe2\x86\x92 \xe6\xbc\xa2\xe5\xad\x97 \x1b[31m\xff and so on and on and on");
    rf_event *wake = step(RF_EV_WAKE, 2, site("pop", 42, "&q->room"));
    wake->object = 2;
    wake->value = RF_WAKE_SPURIOUS;
    access_to(&balance, RF_EV_WRITES, 3, site("push", 21, "q->head->next->previous->payload"),
              UINT32_MAX);
    record->failure =
        (rfi_failure){RF_DIAG_USE_AFTER_FREE, 3, site("push", 21, ""), .message = "block 4"};
}

CASE(five_threads) {
    static const char *const names[] = {"five_threads_at_40_columns_are_a_list",
                                        "five_threads_at_80_columns",
                                        "five_threads_at_120_columns"};
    five_threads_in_a_queue();
    for (unsigned i = 0; i < 3; i++) print_picture(40 * (i + 1), false, i == 2, names[i]);
}

static void two_philosophers(void) {
    fresh_record();
    name_object("left");
    name_object("right");
    create(1, site("dinner", 50, "philosopher"));
    create(2, site("dinner", 51, "philosopher"));
    on_object(RF_EV_LOCK, 1, site("philosopher", 12, "a"), 1);
}

CASE(a_deadlock_is_printed_as_the_engine_tells_it) {
    two_philosophers();
    on_object(RF_EV_LOCK, 2, site("philosopher", 12, "a"), 2);
    record->failure = (rfi_failure){
        RF_DIAG_LOCK_CYCLE, 1, site("philosopher", 13, "b"),
        .message =
            "cycle T1 -> T2 -> T1\n"
            "  T1 waits at bank.c:13 for right, held by T2; it holds left (taken at bank.c:12)\n"
            "  T2 waits at bank.c:13 for left, held by T1; it holds right (taken at bank.c:12)"};
    fresh_finding();
    finding.failure = &kind;
    print_finding(80, false, "a_deadlock_is_printed_as_the_engine_tells_it");
}

CASE(a_long_deadlock_is_cut) {
    two_philosophers();
    for (unsigned i = 0; i < 400; i++)
        access_to(&other, RF_EV_READS, i < 9 ? 1 : 2, site("philosopher", 10, "plate"), i);
    on_object(RF_EV_LOCK, 2, site("philosopher", 12, "a"), 2);
    record->failure =
        (rfi_failure){RF_DIAG_LOCK_CYCLE, 1, site("philosopher", 13, "b"), .message = "cycle"};
    print_picture(80, false, false, "a_long_deadlock_is_cut_to_the_last_steps_of_each_thread");
}

CASE(a_long_file_name_loses_its_beginning) {
    fresh_record();
    access_to(&balance, RF_EV_READS, 0, site("main", 60, "balance"), 7);
    sites[0].file = "src/accounts_and_deposits_of_a_bank.c";
    print_picture(60, false, true, "a_long_file_name_loses_its_beginning");
}

CASE(a_crash_shows_what_was_written_to_stderr) {
    fresh_record();
    access_to(&balance, RF_EV_READS, 0, site("rf_test_deposits_are_kept", 60, "p->next"), 0);
    record->failure = (rfi_failure){RF_DIAG_SIGNAL, 0, sites, .message = "SIGSEGV at address 0x8"};
    fresh_finding();
    kind.count = 1;
    finding.failure = &kind;
    finding.output =
        "==1==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 in main bank.c:60\n";
    finding.note = "the campaign went on in a new process";
    finding.reproduced = false;
    print_finding(80, false, "a_crash_shows_what_was_written_to_stderr");
    record->cut = true;
    finding.output = NULL;
    print_finding(80, false, "a_replay_that_was_cut_off_says_nothing_of_repeating");
    record->cut = false;
}

/* What is shown is another execution: its values are not told as those of the race. */
CASE(a_race_that_did_not_repeat_has_no_values) {
    lost_deposit(0);
    finding.reproduced = false;
    print_finding(80, false, "a_race_that_did_not_repeat_has_no_values");
}

static void print_advice(FILE *out) {
    rfi_line l = {0};
    rfi_say_advice(&l, &finding);
    fprintf(out, "%s\n", l.s);
}

CASE(what_would_forbid_a_race_follows_from_its_places) {
    FILE *out = to_memory(80, false);
    lost_deposit(0);
    print_advice(out);
    strcpy(pair.side[0].locks, "bank (bank.c:20), till (bank.c:21)");
    print_advice(out);
    strcpy(pair.side[1].locks, "till, bank (shared)");
    strcpy(pair.side[0].locks, "till, bank (shared)");
    print_advice(out);
    pair.side[0].flags = RF_EV_READS;
    pair.side[1].flags = RF_EV_WRITES;
    print_advice(out);
    pair.side[0].flags = RF_EV_WRITES;
    print_advice(out);
    pair.side[1].flags = RF_EV_READS;
    strcpy(pair.side[0].locks, "bank (bank.c:20), till (bank.c:21)");
    strcpy(pair.side[1].locks, "");
    print_advice(out);
    strcpy(pair.side[0].locks, "");
    print_advice(out); /* it has read what it writes */
    finding.reproduced = false;
    print_advice(out);
    pair.side[1].site = site("close", 30, "account");
    print_advice(out);
    pair.side[1].flags = RF_EV_WRITES | RF_EV_FREES;
    print_advice(out);
    expect(out, "what_would_forbid_a_race_follows_from_its_places");
}

static void spin(unsigned times) {
    for (unsigned i = 0; i < times; i++)
        access_to(&other, RF_EV_READS, 0, site("spin", 5, "ready"), i);
}

CASE(lost_steps_are_counted) {
    fresh_record();
    spin(RFI_RECORD_EVENTS + 4464);
    print_picture(80, false, false, "steps_that_the_record_lost_are_counted");
    lost_deposit(0);
    spin(RFI_RECORD_EVENTS);
    print_picture(80, false, false, "a_hit_among_them_is_told");
    fresh_record();
    print_picture(80, false, true, "an_empty_record_says_so");
}

int main(void) {
    unsetenv("NO_COLOR");
    rfi_report_program("./bank");
    cases();
    return report_end();
}

/* Records and findings made by hand, and what is printed compared with what should be, for the
 * tests of src/report. */
#define RF_IMPLEMENTATION
#include "report/progress.h"
#include "report/reasons.h"
#include "report/tap.h"
#include "check.h"
#include "golden.h"

static rfi_record *record;

/* ---- output into memory ---- */

static char *text;
static size_t text_bytes;

static RFI_UNUSED FILE *to_memory(unsigned width, bool colour) {
    char columns[16];
    snprintf(columns, sizeof columns, "%u", width);
    setenv("COLUMNS", columns, 1);
    setenv("CLICOLOR_FORCE", colour ? "1" : "0", 1);
    FILE *out = open_memstream(&text, &text_bytes);
    if (!out) exit(1);
    return out;
}

/* Closes the output and compares it with the section of that name. */
static RFI_UNUSED void expect(FILE *out, const char *name) {
    fclose(out);
    check(golden_same(name, text), name);
    free(text);
}

/* The record in full, or what matters around its race or failure. */
static RFI_UNUSED void print_picture(unsigned width, bool colour, bool whole, const char *name) {
    FILE *out = to_memory(width, colour);
    rfi_term t = rfi_term_of(out);
    rfi_picture_draw(&t, record, NULL, whole);
    expect(out, name);
}

/* The same for a text without an end of line. */
static RFI_UNUSED void expect_line(const char *said, const char *name) {
    FILE *out = to_memory(80, false);
    fprintf(out, *said ? "%s\n" : "", said);
    expect(out, name);
}

static int report_end(void) {
    munmap(record, sizeof *record);
    check(golden_all_used(), "every_expected_text_was_printed");
    return check_end();
}

/* ---- records ---- */

static rf_site sites[64];
static unsigned site_count;
static int balance RFI_UNUSED, other RFI_UNUSED;

static RFI_UNUSED const rf_site *site(const char *function, uint32_t line, const char *expression) {
    for (unsigned i = 0; i < site_count; i++)
        if (sites[i].line == line && !strcmp(sites[i].text, expression)) return &sites[i];
    rf_site *s = &sites[site_count++];
    *s = (rf_site){"src/bank.c", function, expression, line, 0, RF_SITE_OTHER, false};
    return s;
}

static RFI_UNUSED void fresh_record(void) {
    if (record) munmap(record, sizeof *record);
    record = rfi_pages(sizeof *record, false);
    record->tracing = true;
    site_count = 0;
}

static RFI_UNUSED rf_event *step(unsigned kind, uint32_t thread, const rf_site *s) {
    rf_event *e = &record->event[record->events++ % RFI_RECORD_EVENTS];
    *e = (rf_event){.kind = (uint8_t)kind, .thread = thread, .site = s};
    return e;
}

static RFI_UNUSED rf_event *access_to(int *variable, unsigned flags, uint32_t thread,
                                      const rf_site *s, uint64_t value) {
    rf_event *e = step(flags & RF_EV_WRITES ? RF_EV_STORE : RF_EV_LOAD, thread, s);
    e->flags = (uint16_t)flags;
    e->addr = variable;
    e->size = sizeof *variable;
    e->value = value;
    return e;
}

static RFI_UNUSED void on_object(unsigned kind, uint32_t thread, const rf_site *s,
                                 uint32_t object) {
    step(kind, thread, s)->object = object;
}

static RFI_UNUSED void says(uint32_t thread, const rf_site *s, const char *what) {
    step(RF_EV_LOG, thread, s)->text = what;
}

static RFI_UNUSED void create(uint32_t thread, const rf_site *s) {
    step(RF_EV_CREATE, 0, s)->other = thread;
    step(RF_EV_START, thread, NULL);
    record->thread[thread].created = s;
}

static RFI_UNUSED void name_object(const char *name) {
    strcpy(record->object[record->objects++].name, name);
}

/* ---- scenario: two deposits, one is lost ---- */

static rfi_warning pair;
static rfi_failure_kind kind;
static rfi_test test;
static rfi_result result;
static rfi_finding finding;

static RFI_UNUSED void fresh_finding(void) {
    pair =
        (rfi_warning){.sides = 2, .targets = 2, .predicted = 741, .executions = 1000, .hits = 998};
    test = (rfi_test){.file = "src/bank.c", .options = {.rfi_name = "deposits_are_kept"}};
    result = (rfi_result){.test = &test,
                          .executions = {1000, 1000},
                          .planned = {1000, 1000},
                          .seconds = 0.213,
                          .sight = {.steps = 20000, .kinds = RF_EV_BIT(RF_EV_LOCK), .threads = 3}};
    kind = (rfi_failure_kind){.failure = record->failure, .count = 499, .steps = record->events};
    finding = (rfi_finding){
        .token = "1.deposits_are_kept.c.4f3a.77", .record = record, .reproduced = true};
}

static RFI_UNUSED void lost_deposit(unsigned padding) {
    fresh_record();
    const rf_site *read = site("deposit", 24, "account->balance"),
                  *log = site("deposit", 25, "log"),
                  *write = site("deposit", 26, "account->balance"),
                  *lock = site("note", 30, "&journal"), *unlock = site("note", 32, "&journal");
    name_object("journal");
    access_to(&balance, RF_EV_WRITES, 0, site("rf_test_deposits_are_kept", 60, "account->balance"),
              0);
    create(1, site("rf_test_deposits_are_kept", 61, "deposit"));
    create(2, site("rf_test_deposits_are_kept", 62, "deposit"));
    for (unsigned i = 0; i < padding; i++)
        access_to(&other, RF_EV_READS, 1 + i % 2, site("deposit", 20, "account->limit"), i);
    access_to(&balance, RF_EV_READS, 1, read, 0);
    says(1, log, "adding 10 to 0");
    rfi_hit *hit = &record->hit[record->hit_count++];
    hit->at = record->events;
    hit->events = 2;
    hit->e[1] = *access_to(&balance, RF_EV_READS, 2, read, 0);
    says(2, log, "adding 20 to 0");
    access_to(&balance, RF_EV_WRITES, 2, write, 20);
    for (unsigned i = 0; i < padding; i++)
        access_to(&other, RF_EV_READS, 2, site("deposit", 28, "account->limit"), i);
    hit->e[0] = *access_to(&balance, RF_EV_WRITES, 1, write, 10);
    for (uint32_t thread = 2; thread; thread--) {
        on_object(RF_EV_LOCK, thread, lock, 1);
        on_object(RF_EV_UNLOCK, thread, unlock, 1);
    }
    step(RF_EV_JOIN, 0, site("rf_test_deposits_are_kept", 63, "a"))->other = 1;
    step(RF_EV_JOIN, 0, site("rf_test_deposits_are_kept", 64, "b"))->other = 2;
    access_to(&balance, RF_EV_READS, 0, site("rf_test_deposits_are_kept", 66, "account->balance"),
              10);
    record->failure = (rfi_failure){RF_DIAG_ASSERT, 0,
                                    site("rf_test_deposits_are_kept", 66, "account->balance, 30"),
                                    .message = "account->balance == 30\n  left:  10\n  right: 30"};
    fresh_finding();
    pair.side[0] =
        (rfi_side){.site = write, .flags = RF_EV_WRITES, .thread = 1, .size = 4, .locks = ""};
    pair.side[1] =
        (rfi_side){.site = read, .flags = RF_EV_READS, .thread = 2, .size = 4, .locks = "journal"};
    pair.failed = pair.failed_by_kind[1] = 499;
    finding.warning = &pair;
    finding.failure = &kind;
    finding.verdict = RFI_HARMFUL;
}

static RFI_UNUSED void print_finding(unsigned width, bool colour, const char *name) {
    FILE *out = to_memory(width, colour);
    rfi_text_reporter.finding(out, &result, &finding);
    expect(out, name);
}

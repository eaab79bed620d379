// flags: -Isrc
/* What is printed, compared with what should be: records and findings made by hand, at several
 * widths, with colours and without. */
#define RF_IMPLEMENTATION
#include "report/progress.h"
#include "report/tap.h"

static unsigned passed, failed;

static void check(bool ok, const char *name) {
    printf("%s %s\n", ok ? "ok" : "not ok", name);
    ok ? passed++ : failed++;
}

/* ---- output into memory ---- */

static char *text;
static size_t text_bytes;

static FILE *to_memory(unsigned width, bool colour) {
    char columns[16];
    snprintf(columns, sizeof columns, "%u", width);
    setenv("COLUMNS", columns, 1);
    setenv("CLICOLOR_FORCE", colour ? "1" : "0", 1);
    FILE *out = open_memstream(&text, &text_bytes);
    if (!out) exit(1);
    return out;
}

/* Closes the output and compares. */
static void expect(FILE *out, const char *name, const char *want) {
    fclose(out);
    bool same = !strcmp(text, want);
    check(same, name);
    if (!same) printf("---- printed\n%s---- expected\n%s----\n", text, want);
    free(text);
}

/* ---- records ---- */

static rfi_record *record;
static rf_site sites[64];
static unsigned site_count;
static int balance, other;

static const rf_site *site(const char *function, uint32_t line, const char *expression) {
    for (unsigned i = 0; i < site_count; i++)
        if (sites[i].line == line && !strcmp(sites[i].text, expression)) return &sites[i];
    rf_site *s = &sites[site_count++];
    *s = (rf_site){"src/bank.c", function, expression, line, RF_SITE_OTHER, 0};
    return s;
}

static void fresh_record(void) {
    if (record) munmap(record, sizeof *record);
    record = rfi_pages(sizeof *record, false);
    record->tracing = true;
    site_count = 0;
}

static rf_event *step(unsigned kind, uint32_t thread, const rf_site *s) {
    rf_event *e = &record->event[record->events++ % RFI_RECORD_EVENTS];
    *e = (rf_event){.kind = (uint8_t)kind, .thread = thread, .site = s};
    return e;
}

static rf_event *access_to(int *variable, unsigned flags, uint32_t thread, const rf_site *s,
                           uint64_t value) {
    rf_event *e = step(flags & RF_EV_WRITES ? RF_EV_STORE : RF_EV_LOAD, thread, s);
    e->flags = (uint16_t)flags;
    e->addr = variable;
    e->size = sizeof *variable;
    e->value = value;
    return e;
}

static void on_object(unsigned kind, uint32_t thread, const rf_site *s, uint32_t object) {
    step(kind, thread, s)->object = object;
}

static void says(uint32_t thread, const rf_site *s, const char *what) {
    step(RF_EV_LOG, thread, s)->text = what;
}

static void create(uint32_t thread, const rf_site *s) {
    step(RF_EV_CREATE, 0, s)->other = thread;
    step(RF_EV_START, thread, NULL);
    record->thread[thread].created = s;
}

static void name_object(const char *name) {
    strcpy(record->object[record->objects++].name, name);
}

/* ---- scenario: two deposits, one is lost ---- */

static rfi_pair pair;
static rfi_failure_kind kind;
static rfi_test test;
static rfi_result result;
static rfi_finding finding;

static void fresh_finding(void) {
    pair = (rfi_pair){.predicted = 741, .executions = 1000, .hits = 998};
    test = (rfi_test){.file = "src/bank.c", .options = {.rfi_name = "deposits_are_kept"}};
    result = (rfi_result){
        .test = &test, .executions = {1000, 1000}, .planned = {1000, 1000}, .seconds = 0.213};
    kind = (rfi_failure_kind){.failure = record->failure, .count = 499, .steps = record->events};
    finding = (rfi_finding){
        .token = "1.deposits_are_kept.c.4f3a.77", .record = record, .reproduced = true};
}

static void lost_deposit(unsigned padding) {
    fresh_record();
    const rf_site *read = site("deposit", 24, "account->balance"),
                  *log = site("deposit", 25, "log"),
                  *write = site("deposit", 26, "account->balance"),
                  *lock = site("note", 30, "&journal"), *unlock = site("note", 32, "&journal");
    name_object("journal");
    access_to(&balance, RF_EV_WRITES, 0, site("deposits_are_kept", 60, "account->balance"), 0);
    create(1, site("deposits_are_kept", 61, "deposit"));
    create(2, site("deposits_are_kept", 62, "deposit"));
    for (unsigned i = 0; i < padding; i++)
        access_to(&other, RF_EV_READS, 1 + i % 2, site("deposit", 20, "account->limit"), i);
    access_to(&balance, RF_EV_READS, 1, read, 0);
    says(1, log, "adding 10 to 0");
    rfi_hit *hit = &record->hit[record->hit_count++];
    hit->at = record->events;
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
    step(RF_EV_JOIN, 0, site("deposits_are_kept", 63, "a"))->other = 1;
    step(RF_EV_JOIN, 0, site("deposits_are_kept", 64, "b"))->other = 2;
    access_to(&balance, RF_EV_READS, 0, site("deposits_are_kept", 66, "account->balance"), 10);
    record->failure =
        (rfi_failure){RF_DIAG_ASSERT, 0, site("deposits_are_kept", 66, "account->balance, 30"),
                      "account->balance == 30\n  left:  10\n  right: 30"};
    fresh_finding();
    pair.side[0] = (rfi_side){write, RF_EV_WRITES, 1, 4, ""};
    pair.side[1] = (rfi_side){read, RF_EV_READS, 2, 4, "journal"};
    pair.failed = pair.failed_by_kind[1] = 499;
    finding.pair = &pair;
    finding.failure = &kind;
    finding.verdict = RFI_HARMFUL;
}

static void print_finding(unsigned width, bool colour, const char *name, const char *want) {
    FILE *out = to_memory(width, colour);
    rfi_text_reporter.finding(out, &result, &finding);
    expect(out, name, want);
}

static void a_harmful_race_is_told_in_full(void) {
    lost_deposit(0);
    print_finding(
        80, false, "a_harmful_race_at_80_columns",
        "\n"
        "race: real, harmful (test deposits_are_kept)\n"
        "  Two threads stood at these accesses at the same moment; nothing orders them. A\n"
        "  data race is undefined behaviour (C11 5.1.2.4). Here it made the test fail.\n"
        "\n"
        "  writes  account->balance = 10\n"
        "          src/bank.c:26 in deposit(), thread T1 deposit, holding no lock\n"
        "  reads   account->balance -> 0\n"
        "          src/bank.c:24 in deposit(), thread T2 deposit, holding journal\n"
        "\n"
        "  predicted  in 741 of 1000 executions\n"
        "  produced   in 998 of 1000: hit probability 0.998 (95 %: 0.993-0.999)\n"
        "  failed     in 499 of these 998: failure probability 0.500 (95 %: 0.469-0.531)\n"
        "  by kind    failure 499\n"
        "\n"
        "  then assertion failed:\n"
        "    account->balance == 30\n"
        "      left:  10\n"
        "      right: 30\n"
        "    at src/bank.c:66 in deposits_are_kept(), thread T0 test body\n"
        "\n"
        "  how it came about (time goes down, * racing access, ! failure):\n"
        "               T0 test body        T1 deposit          T2 deposit\n"
        "    bank.c:60  account->balance = 0\n"
        "    bank.c:61  create T1\n"
        "    bank.c:62  create T2\n"
        "    bank.c:24  +-----------------> account->balance -> 0\n"
        "    bank.c:25  |                   log: adding 10 to 0\n"
        "               -- the race: T1 and T2 both stand at their access --\n"
        "  * bank.c:24  |                   |                   account->balance -> 0\n"
        "    bank.c:25  |                   |                   log: adding 20 to 0\n"
        "    bank.c:26  |                   |                   account->balance = 20\n"
        "  * bank.c:26  |                   account->balance = 10\n"
        "    bank.c:30  |                   +-----------------> lock journal\n"
        "    bank.c:32  |                   |                   unlock journal\n"
        "    bank.c:30  |                   lock journal <------+\n"
        "    bank.c:32  |                   unlock journal\n"
        "    bank.c:63  join T1 <-----------+\n"
        "    bank.c:64  join T2\n"
        "    bank.c:66  account->balance -> 10\n"
        "  ! bank.c:66  assertion failed\n"
        "\n"
        "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
    print_finding(
        120, false, "a_harmful_race_at_120_columns",
        "\n"
        "race: real, harmful (test deposits_are_kept)\n"
        "  Two threads stood at these accesses at the same moment; nothing orders them. A data "
        "race is undefined behaviour (C11\n"
        "  5.1.2.4). Here it made the test fail.\n"
        "\n"
        "  writes  account->balance = 10\n"
        "          src/bank.c:26 in deposit(), thread T1 deposit, holding no lock\n"
        "  reads   account->balance -> 0\n"
        "          src/bank.c:24 in deposit(), thread T2 deposit, holding journal\n"
        "\n"
        "  predicted  in 741 of 1000 executions\n"
        "  produced   in 998 of 1000: hit probability 0.998 (95 %: 0.993-0.999)\n"
        "  failed     in 499 of these 998: failure probability 0.500 (95 %: 0.469-0.531)\n"
        "  by kind    failure 499\n"
        "\n"
        "  then assertion failed:\n"
        "    account->balance == 30\n"
        "      left:  10\n"
        "      right: 30\n"
        "    at src/bank.c:66 in deposits_are_kept(), thread T0 test body\n"
        "\n"
        "  how it came about (time goes down, * racing access, ! failure):\n"
        "               T0 test body               T1 deposit                 T2 deposit\n"
        "    bank.c:60  account->balance = 0\n"
        "    bank.c:61  create T1\n"
        "    bank.c:62  create T2\n"
        "    bank.c:24  +------------------------> account->balance -> 0\n"
        "    bank.c:25  |                          log: adding 10 to 0\n"
        "               -- the race: T1 and T2 both stand at their access --\n"
        "  * bank.c:24  |                          |                          account->balance -> "
        "0\n"
        "    bank.c:25  |                          |                          log: adding 20 to 0\n"
        "    bank.c:26  |                          |                          account->balance = "
        "20\n"
        "  * bank.c:26  |                          account->balance = 10 <----+\n"
        "    bank.c:30  |                          +------------------------> lock journal\n"
        "    bank.c:32  |                          |                          unlock journal\n"
        "    bank.c:30  |                          lock journal <-------------+\n"
        "    bank.c:32  |                          unlock journal\n"
        "    bank.c:63  join T1 <------------------+\n"
        "    bank.c:64  join T2\n"
        "    bank.c:66  account->balance -> 10\n"
        "  ! bank.c:66  assertion failed\n"
        "\n"
        "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
    print_finding(40, false, "a_harmful_race_at_40_columns_is_a_list",
                  "\n"
                  "race: real, harmful (test\n"
                  "  deposits_are_kept)\n"
                  "  Two threads stood at these accesses at\n"
                  "  the same moment; nothing orders them.\n"
                  "  A data race is undefined behaviour\n"
                  "  (C11 5.1.2.4). Here it made the test\n"
                  "  fail.\n"
                  "\n"
                  "  writes  account->balance = 10\n"
                  "          src/bank.c:26 in deposit(),\n"
                  "            thread T1 deposit, holding\n"
                  "            no lock\n"
                  "  reads   account->balance -> 0\n"
                  "          src/bank.c:24 in deposit(),\n"
                  "            thread T2 deposit, holding\n"
                  "            journal\n"
                  "\n"
                  "  predicted  in 741 of 1000 executions\n"
                  "  produced   in 998 of 1000: hit\n"
                  "             probability 0.998 (95 %:\n"
                  "             0.993-0.999)\n"
                  "  failed     in 499 of these 998:\n"
                  "             failure probability 0.500\n"
                  "             (95 %: 0.469-0.531)\n"
                  "  by kind    failure 499\n"
                  "\n"
                  "  then assertion failed:\n"
                  "    account->balance == 30\n"
                  "      left:  10\n"
                  "      right: 30\n"
                  "    at src/bank.c:66 in\n"
                  "      deposits_are_kept(), thread T0\n"
                  "      test body\n"
                  "\n"
                  "  how it came about (time goes down, *\n"
                  "  racing access, ! failure):\n"
                  "  T0 test body, T1 deposit, T2 deposit\n"
                  "  T0   bank.c:60  account->balance = 0\n"
                  "  |    bank.c:61  create T1\n"
                  "  |    bank.c:62  create T2\n"
                  "  T1   bank.c:24  account->balance -> 0\n"
                  "  |    bank.c:25  log: adding 10 to 0\n"
                  "       -- the race: T1 and T2 both stand\n"
                  "       at their access --\n"
                  "  T2 * bank.c:24  account->balance -> 0\n"
                  "  |    bank.c:25  log: adding 20 to 0\n"
                  "  |    bank.c:26  account->balance = 20\n"
                  "  T1 * bank.c:26  account->balance = 10\n"
                  "  T2   bank.c:30  lock journal\n"
                  "  |    bank.c:32  unlock journal\n"
                  "  T1   bank.c:30  lock journal\n"
                  "  |    bank.c:32  unlock journal\n"
                  "  T0   bank.c:63  join T1\n"
                  "  |    bank.c:64  join T2\n"
                  "  |    bank.c:66  account->balance -> 10\n"
                  "  |  ! bank.c:66  assertion failed\n"
                  "\n"
                  "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
}

static void colours_mark_the_race_and_the_failure(void) {
    lost_deposit(0);
    FILE *out = to_memory(80, true);
    rfi_print_interleaving(out, record, false);
    expect(
        out, "colours_mark_the_race_and_the_failure",
        "  \033[1mhow it came about (time goes down, * racing access, ! failure):\033[0m\n"
        "               \033[1mT0 test body\033[0m        \033[1mT1 deposit\033[0m          "
        "\033[1mT2 deposit\033[0m\n"
        "    bank.c:60  account->balance = 0\n"
        "    bank.c:61  create T1\n"
        "    bank.c:62  create T2\n"
        "    bank.c:24  \033[2m+-----------------> \033[0maccount->balance -> 0\n"
        "    bank.c:25  \033[2m|                   \033[0mlog: adding 10 to 0\n"
        "               \033[1;33m-- the race: T1 and T2 both stand at their access --\033[0m\n"
        "  \033[1;33m* \033[0m\033[1;33mbank.c:24\033[0m  \033[2m|                   |             "
        "      \033[0m\033[1;33maccount->balance -> 0\033[0m\n"
        "    bank.c:25  \033[2m|                   |                   \033[0mlog: adding 20 to 0\n"
        "    bank.c:26  \033[2m|                   |                   \033[0maccount->balance = "
        "20\n"
        "  \033[1;33m* \033[0m\033[1;33mbank.c:26\033[0m  \033[2m|                   "
        "\033[0m\033[1;33maccount->balance = 10\033[0m\n"
        "    bank.c:30  \033[2m|                   +-----------------> \033[0mlock journal\n"
        "    bank.c:32  \033[2m|                   |                   \033[0munlock journal\n"
        "    bank.c:30  \033[2m|                   \033[0mlock journal\033[2m <------+\033[0m\n"
        "    bank.c:32  \033[2m|                   \033[0munlock journal\n"
        "    bank.c:63  join T1\033[2m <-----------+\033[0m\n"
        "    bank.c:64  join T2\n"
        "    bank.c:66  account->balance -> 10\n"
        "  \033[1;31m! \033[0m\033[1;31mbank.c:66\033[0m  \033[1;31massertion failed\033[0m\n");
}

static void a_long_execution_is_cut(void) {
    lost_deposit(600);
    FILE *out = to_memory(80, false);
    rfi_print_interleaving(out, record, false);
    expect(out, "a_long_execution_is_cut_to_the_race_and_the_end",
           "  how it came about (time goes down, * racing access, ! failure):\n"
           "               T0 test body        T1 deposit          T2 deposit\n"
           "    bank.c:60  account->balance = 0\n"
           "    bank.c:61  create T1\n"
           "    bank.c:62  create T2\n"
           "               ... 598 steps of T1 and T2 ...\n"
           "    bank.c:20  |                   account->limit -> 598\n"
           "    bank.c:20  |                   +-----------------> account->limit -> 599\n"
           "    bank.c:24  |                   account->balance -> 0\n"
           "    bank.c:25  |                   log: adding 10 to 0 |\n"
           "               -- the race: T1 and T2 both stand at their access --\n"
           "  * bank.c:24  |                   |                   account->balance -> 0\n"
           "    bank.c:25  |                   |                   log: adding 20 to 0\n"
           "    bank.c:26  |                   |                   account->balance = 20\n"
           "    bank.c:28  |                   |                   account->limit -> 0\n"
           "               ... 595 steps of T2 ...\n"
           "    bank.c:28  |                   |                   account->limit -> 596\n"
           "    bank.c:28  |                   |                   account->limit -> 597\n"
           "    bank.c:28  |                   |                   account->limit -> 598\n"
           "    bank.c:28  |                   |                   account->limit -> 599\n"
           "  * bank.c:26  |                   account->balance = 10\n"
           "    bank.c:30  |                   +-----------------> lock journal\n"
           "    bank.c:32  |                   |                   unlock journal\n"
           "    bank.c:30  |                   lock journal <------+\n"
           "    bank.c:32  |                   unlock journal\n"
           "    bank.c:63  join T1 <-----------+\n"
           "    bank.c:64  join T2\n"
           "    bank.c:66  account->balance -> 10\n"
           "  ! bank.c:66  assertion failed\n");
}

static void an_expected_finding_is_told_in_short(void) {
    lost_deposit(0);
    finding.expected = true;
    print_finding(80, false, "an_expected_finding_is_told_in_short",
                  "expected: race: real, harmful: bank.c:26 writes account->balance, bank.c:24\n"
                  "  reads account->balance\n"
                  "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
    finding = (rfi_finding){.pair = &pair, .verdict = RFI_POTENTIAL};
    print_finding(120, false, "a_potential_race_is_one_line",
                  "race: potential: bank.c:26 writes account->balance, bank.c:24 reads "
                  "account->balance (never produced in 1000 executions)\n");
}

/* Seen by a detector: no hit, the accesses are found by their statements. */
static void a_race_without_a_hit_is_found_in_the_record(void) {
    lost_deposit(0);
    record->hit_count = 0;
    record->failure.diagnostic = RF_DIAG_NONE;
    pair.executions = pair.hits = pair.failed = 0;
    pair.unordered = 3;
    finding.verdict = RFI_REAL;
    finding.failure = NULL;
    print_finding(80, false, "a_race_without_a_hit_is_found_in_the_record",
                  "\n"
                  "race: real (test deposits_are_kept)\n"
                  "  Nothing orders these two accesses. A data race is undefined behaviour (C11\n"
                  "  5.1.2.4).\n"
                  "\n"
                  "  writes  account->balance = 10\n"
                  "          src/bank.c:26 in deposit(), thread T1 deposit, holding no lock\n"
                  "  reads   account->balance -> 0\n"
                  "          src/bank.c:24 in deposit(), thread T2 deposit, holding journal\n"
                  "\n"
                  "  predicted  in 741 of 1000 executions, unordered by happens-before in 3\n"
                  "\n"
                  "  how it came about (time goes down, * racing access):\n"
                  "               T0 test body        T1 deposit          T2 deposit\n"
                  "    bank.c:60  account->balance = 0\n"
                  "    bank.c:61  create T1\n"
                  "    bank.c:62  create T2\n"
                  "    bank.c:24  +-----------------> account->balance -> 0\n"
                  "    bank.c:25  |                   log: adding 10 to 0\n"
                  "  * bank.c:24  |                   +-----------------> account->balance -> 0\n"
                  "    bank.c:25  |                   |                   log: adding 20 to 0\n"
                  "    bank.c:26  |                   |                   account->balance = 20\n"
                  "  * bank.c:26  |                   account->balance = 10\n"
                  "    bank.c:30  |                   +-----------------> lock journal\n"
                  "    bank.c:32  |                   |                   unlock journal\n"
                  "    bank.c:30  |                   lock journal <------+\n"
                  "    bank.c:32  |                   unlock journal\n"
                  "    bank.c:63  join T1 <-----------+\n"
                  "    bank.c:64  join T2\n"
                  "    bank.c:66  account->balance -> 10\n"
                  "\n"
                  "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
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
    record->failure = (rfi_failure){RF_DIAG_USE_AFTER_FREE, 3, site("push", 21, ""), "block 4"};
}

static void five_threads(void) {
    static const char *const names[] = {"five_threads_at_40_columns_are_a_list",
                                        "five_threads_at_80_columns",
                                        "five_threads_at_120_columns"};
    static const char *const want[] = {
        "  how it came about (time goes down, !\n"
        "  failure):\n"
        "  T0 test body, T1 produce, T2\n"
        "    consume_everything, T3 produce, T4\n"
        "    consume_everything\n"
        "  T0   bank.c:81  create T1\n"
        "  |    bank.c:82  create T2\n"
        "  |    bank.c:83  create T3\n"
        "  |    bank.c:84  create T4\n"
        "  T2   bank.c:40  lock queue.lock#1\n"
        "  |    bank.c:42  wait queue.room,\n"
        "                    unlocks queue.lock#1\n"
        "  T1   bank.c:20  lock queue.lock#1\n"
        "  |    bank.c:22  q->used: 0 -> 1\n"
        "                    (release)\n"
        "  |    bank.c:23  signal queue.room\n"
        "  |    bank.c:23  wakes T2\n"
        "  |    bank.c:24  unlock queue.lock#1\n"
        "  T4   bank.c:40  lock queue.lock#3\n"
        "  |    bank.c:44  reads slot (4 bytes)\n"
        "  |    bank.c:45  log: t\303\252te: \342\206\222 \346\274\242\345\255\227\n"
        "                    ?[31m? and so on and\n"
        "                    on and on\n"
        "  T2   bank.c:42  spurious wake-up on\n"
        "                    queue.room\n"
        "  T3   bank.c:21  q->head->next->previou\n"
        "                    s->payload = -1\n"
        "  |  ! bank.c:21  use after free\n",
        "  how it came about (time goes down, ! failure):\n"
        "               T0 test body\n"
        "               |         T1 produce\n"
        "               |         |         T2 consume_everything\n"
        "               |         |         |         T3 produce\n"
        "               |         |         |         |         T4 consume_everything\n"
        "    bank.c:81  create T1\n"
        "    bank.c:82  create T2\n"
        "    bank.c:83  create T3\n"
        "    bank.c:84  create T4\n"
        "    bank.c:40  +-----------------> lock queue.lock#1\n"
        "    bank.c:42                      wait queue.room, unlocks queue.lock#1\n"
        "    bank.c:20            lock queue.lock#1\n"
        "    bank.c:22            q->used: 0 -> 1 (release)\n"
        "    bank.c:23            signal queue.room\n"
        "    bank.c:23            wakes T2  |\n"
        "    bank.c:24            unlock queue.lock#1\n"
        "    bank.c:40            +---------------------------> lock queue.lock#3\n"
        "    bank.c:44                      |                   reads slot (4 bytes)\n"
        "    bank.c:45                      |                   log: t\303\252te: \342\206\222 "
        "\346\274\242\345\255\227 ?[31m?\n"
        "                                   |                     and so on and on and on\n"
        "    bank.c:42                      spurious wake-up on queue.room\n"
        "    bank.c:21                      +-------> q->head->next->previous->payload =\n"
        "                                               -1\n"
        "  ! bank.c:21                                use after free\n",
        "  all steps (time goes down, ! failure):\n"
        "                   T0 test body\n"
        "                   |                  T1 produce\n"
        "                   |                  |                  T2 consume_everything\n"
        "                   |                  |                  |                  T3 produce\n"
        "                   |                  |                  |                  |             "
        "     T4 consume_everything\n"
        "     0  bank.c:81  create T1\n"
        "     1             +----------------> start\n"
        "     2  bank.c:82  create T2 <--------+\n"
        "     3             +-----------------------------------> start\n"
        "     4  bank.c:83  create T3 <---------------------------+\n"
        "     5             +------------------------------------------------------> start\n"
        "     6  bank.c:84  create T4 <----------------------------------------------+\n"
        "     7             "
        "+-------------------------------------------------------------------------> start\n"
        "     8  bank.c:40                     |                  lock queue.lock#1 "
        "<-------------------+\n"
        "     9  bank.c:42                     |                  wait queue.room, unlocks "
        "queue.lock#1 |\n"
        "    10  bank.c:20                     lock queue.lock#1  |                  |             "
        "     |\n"
        "    11  bank.c:22                     q->used: 0 -> 1 (release)             |             "
        "     |\n"
        "    12  bank.c:23                     signal queue.room  |                  |             "
        "     |\n"
        "    13  bank.c:23                     wakes T2           |                  |             "
        "     |\n"
        "    14  bank.c:24                     unlock queue.lock#1                   |             "
        "     |\n"
        "    15  bank.c:40                     "
        "+------------------------------------------------------> lock queue.lock#3\n"
        "    16  bank.c:44                                        |                  |             "
        "     reads slot (4 bytes)\n"
        "    17  bank.c:45                                        |                  |             "
        "     log: t\303\252te: \342\206\222 \346\274\242\345\255\227 ?[31m?\n"
        "                                                         |                  |             "
        "       and so on and on and on\n"
        "    18  bank.c:42                                        spurious wake-up on queue.room "
        "<------+\n"
        "    19  bank.c:21                                        +----------------> "
        "q->head->next->previous->payload = -1\n"
        "  ! 20  bank.c:21                                                           use after "
        "free\n"};
    five_threads_in_a_queue();
    for (unsigned i = 0; i < 3; i++) {
        FILE *out = to_memory(40 * (i + 1), false);
        rfi_print_interleaving(out, record, i == 2);
        expect(out, names[i], want[i]);
    }
}

static void a_deadlock_is_printed_as_the_engine_tells_it(void) {
    fresh_record();
    name_object("left");
    name_object("right");
    create(1, site("dinner", 50, "philosopher"));
    create(2, site("dinner", 51, "philosopher"));
    on_object(RF_EV_LOCK, 1, site("philosopher", 12, "a"), 1);
    on_object(RF_EV_LOCK, 2, site("philosopher", 12, "a"), 2);
    record->failure = (rfi_failure){
        RF_DIAG_LOCK_CYCLE, 1, site("philosopher", 13, "b"),
        "cycle T1 -> T2 -> T1\n"
        "  T1 waits at bank.c:13 for right, held by T2; it holds left (taken at bank.c:12)\n"
        "  T2 waits at bank.c:13 for left, held by T1; it holds right (taken at bank.c:12)"};
    fresh_finding();
    finding.failure = &kind;
    print_finding(
        80, false, "a_deadlock_is_printed_as_the_engine_tells_it",
        "\n"
        "deadlock (test deposits_are_kept)\n"
        "  cycle T1 -> T2 -> T1\n"
        "    T1 waits at bank.c:13 for right, held by T2; it holds left (taken at bank.c:12)\n"
        "    T2 waits at bank.c:13 for left, held by T1; it holds right (taken at bank.c:12)\n"
        "  at src/bank.c:13 in philosopher(), thread T1 philosopher\n"
        "  in 499 of 2000 executions; shown is the shortest, 6 steps\n"
        "\n"
        "  how it came about (time goes down, ! failure):\n"
        "               T0 test body       T1 philosopher     T2 philosopher\n"
        "    bank.c:50  create T1\n"
        "    bank.c:51  create T2\n"
        "    bank.c:12  +----------------> lock left\n"
        "    bank.c:12                     +----------------> lock right\n"
        "  ! bank.c:13                     deadlock <---------+\n"
        "\n"
        "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
}

static void a_crash_shows_what_was_written_to_stderr(void) {
    fresh_record();
    access_to(&balance, RF_EV_READS, 0, site("deposits_are_kept", 60, "p->next"), 0);
    record->failure = (rfi_failure){RF_DIAG_SIGNAL, 0, sites, "SIGSEGV at address 0x8"};
    fresh_finding();
    kind.count = 1;
    finding.failure = &kind;
    finding.output =
        "==1==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 in main bank.c:60\n";
    finding.note = "the campaign went on in a new process";
    finding.reproduced = false;
    print_finding(80, false, "a_crash_shows_what_was_written_to_stderr",
                  "\n"
                  "crash (test deposits_are_kept)\n"
                  "  SIGSEGV at address 0x8\n"
                  "  last seen at src/bank.c:60 in deposits_are_kept(), thread T0 test body\n"
                  "  in 1 of 2000 executions; shown is the shortest, 1 step\n"
                  "\n"
                  "  how it came about (time goes down, ! failure):\n"
                  "               T0 test body\n"
                  "    bank.c:60  p->next -> 0\n"
                  "  ! bank.c:60  crash\n"
                  "\n"
                  "  the end of what it wrote to stderr:\n"
                  "  | ==1==ERROR: AddressSanitizer: SEGV on unknown address\n"
                  "  |     #0 in main bank.c:60\n"
                  "\n"
                  "  note: a replay in a fresh process did not end this way; the test keeps state\n"
                  "    between executions (static data, files)\n"
                  "  note: the campaign went on in a new process\n"
                  "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
}

static void lost_steps_are_counted(void) {
    fresh_record();
    for (unsigned i = 0; i < RFI_RECORD_EVENTS + 4464; i++)
        access_to(&other, RF_EV_READS, 0, site("spin", 5, "ready"), i);
    FILE *out = to_memory(80, false);
    rfi_print_interleaving(out, record, false);
    expect(out, "steps_that_the_record_lost_are_counted",
           "  how it came about (time goes down):\n"
           "              T0 test body\n"
           "              ... 4464 earlier steps were not kept ...\n"
           "              ... 65516 steps of T0 ...\n"
           "    bank.c:5  ready -> 69980\n"
           "    bank.c:5  ready -> 69981\n"
           "    bank.c:5  ready -> 69982\n"
           "    bank.c:5  ready -> 69983\n"
           "    bank.c:5  ready -> 69984\n"
           "    bank.c:5  ready -> 69985\n"
           "    bank.c:5  ready -> 69986\n"
           "    bank.c:5  ready -> 69987\n"
           "    bank.c:5  ready -> 69988\n"
           "    bank.c:5  ready -> 69989\n"
           "    bank.c:5  ready -> 69990\n"
           "    bank.c:5  ready -> 69991\n"
           "    bank.c:5  ready -> 69992\n"
           "    bank.c:5  ready -> 69993\n"
           "    bank.c:5  ready -> 69994\n"
           "    bank.c:5  ready -> 69995\n"
           "    bank.c:5  ready -> 69996\n"
           "    bank.c:5  ready -> 69997\n"
           "    bank.c:5  ready -> 69998\n"
           "    bank.c:5  ready -> 69999\n");
    fresh_record();
    out = to_memory(80, false);
    rfi_print_interleaving(out, record, true);
    expect(out, "an_empty_record_says_so",
           "  all steps (time goes down):\n"
           "    no step was recorded\n");
}

static void a_run_is_summed_up(void) {
    fresh_record();
    fresh_finding();
    FILE *out = to_memory(80, false);
    rfi_text_reporter.begin(out, &(rfi_summary){.seed = 7, .tests = 3});
    rfi_text_reporter.test(out, &test);
    result.passed = true;
    rfi_text_reporter.result(out, &result);
    result.passed = false;
    result.capped = result.stateful = true;
    result.executions[1] = 12;
    result.pairs = 3, result.potential = 2, result.harmful = 1, result.pairs_left_out = 9;
    result.missing = RF_EXPECT_RACE | RF_EXPECT_CRASH;
    strcpy(result.reason, "not everything that .expect names was found");
    rfi_text_reporter.result(out, &result);
    result.skipped = true;
    strcpy(result.reason, "needs a #2 printer");
    rfi_text_reporter.result(out, &result);
    rfi_text_reporter.end(out, &(rfi_summary){.passed = 1, .failed = 1, .skipped = 1});
    expect(out, "a_run_is_summed_up_and_ends_with_the_counts",
           "racefuzz: 3 tests, seed 7\n"
           "PASS deposits_are_kept: 2000 executions in 0.21 s\n"
           "\n"
           "FAIL deposits_are_kept: 1012 executions in 0.21 s; pairs: 2 potential, 0 real, 1\n"
           "       harmful, 9 more left out\n"
           "     stopped by the cap in seconds after 1012 of 2000 executions (RF_SECONDS)\n"
           "     the test keeps state between executions\n"
           "     expected but not found: race, crash\n"
           "     not everything that .expect names was found\n"
           "SKIP deposits_are_kept: needs a #2 printer\n"
           "1 passed, 1 failed, 1 skipped\n");
    out = to_memory(80, false);
    rfi_text_reporter.end(out, &(rfi_summary){.passed = 2});
    expect(out, "skipped_tests_are_counted_only_if_there_are_any", "2 passed, 0 failed\n");
}

static void tap_is_escaped(void) {
    fresh_record();
    access_to(&balance, RF_EV_READS, 0, site("f", 60, "a[\"#\"]"), 0);
    record->failure =
        (rfi_failure){RF_DIAG_FAIL, 0, sites, "a \"quoted\" # line\n\tand \\ \x01\xff more"};
    fresh_finding();
    kind.count = 1;
    finding.failure = &kind;
    FILE *out = to_memory(80, true);
    rfi_tap_reporter.begin(out, &(rfi_summary){.seed = 7, .tests = 3});
    rfi_tap_reporter.test(out, &test);
    rfi_tap_reporter.finding(out, &result, &finding);
    rfi_tap_reporter.result(out, &result);
    test.options.rfi_name = "two";
    result.passed = true;
    rfi_tap_reporter.result(out, &result);
    test.options.rfi_name = "three";
    result.skipped = true;
    strcpy(result.reason, "needs a #2\nprinter \\");
    rfi_tap_reporter.result(out, &result);
    rfi_tap_reporter.end(out, &(rfi_summary){.passed = 1, .failed = 1, .skipped = 1});
    expect(out, "tap_quotes_what_could_break_a_line",
           "TAP version 14\n"
           "1..3\n"
           "# racefuzz: seed 7\n"
           "not ok 1 - deposits_are_kept\n"
           "  ---\n"
           "  executions: 2000\n"
           "  duration_ms: 213\n"
           "  capped: false\n"
           "  stateful: false\n"
           "  pairs: {potential: 0, real: 0, harmful: 0, left_out: 0}\n"
           "  findings:\n"
           "    - verdict: \"test failed\"\n"
           "      expected: false\n"
           "      failure: \"fail\"\n"
           "      message: \"a \\\"quoted\\\" # line\\n\\x09and \\\\ \\x01\\ufffd more\"\n"
           "      where: \"at src/bank.c:60 in f(), thread T0 test body\"\n"
           "      interleaving: |2\n"
           "          how it came about (time goes down, ! failure):\n"
           "                       T0 test body\n"
           "            bank.c:60  a[\"#\"] -> 0\n"
           "          ! bank.c:60  test failed\n"
           "      reproduced: true\n"
           "      replay: \"RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\"\n"
           "  ...\n"
           "ok 2 - two\n"
           "  ---\n"
           "  executions: 2000\n"
           "  duration_ms: 213\n"
           "  capped: false\n"
           "  stateful: false\n"
           "  pairs: {potential: 0, real: 0, harmful: 0, left_out: 0}\n"
           "  ...\n"
           "ok 3 - three # SKIP needs a \\#2 printer \\\\\n"
           "# 1 passed, 1 failed, 1 skipped\n");

    lost_deposit(0);
    out = to_memory(80, true);
    rfi_tap_reporter.finding(out, &result, &finding);
    rfi_tap_reporter.result(out, &result);
    expect(
        out, "tap_tells_a_race_in_yaml",
        "not ok 4 - deposits_are_kept\n"
        "  ---\n"
        "  executions: 2000\n"
        "  duration_ms: 213\n"
        "  capped: false\n"
        "  stateful: false\n"
        "  pairs: {potential: 0, real: 0, harmful: 0, left_out: 0}\n"
        "  findings:\n"
        "    - verdict: \"race: real, harmful\"\n"
        "      expected: false\n"
        "      accesses:\n"
        "        - \"writes account->balance = 10 at src/bank.c:26 in deposit(), thread T1 "
        "deposit, holding no lock\"\n"
        "        - \"reads account->balance -> 0 at src/bank.c:24 in deposit(), thread T2 deposit, "
        "holding journal\"\n"
        "      predicted: 741\n"
        "      executions: 1000\n"
        "      hits: 998\n"
        "      hit_probability_95: [0.993, 0.999]\n"
        "      failed: 499\n"
        "      failure: \"assert\"\n"
        "      message: \"account->balance == 30\\n  left:  10\\n  right: 30\"\n"
        "      where: \"at src/bank.c:66 in deposits_are_kept(), thread T0 test body\"\n"
        "      interleaving: |2\n"
        "          how it came about (time goes down, * racing access, ! failure):\n"
        "                       T0 test body               T1 deposit                 T2 deposit\n"
        "            bank.c:60  account->balance = 0\n"
        "            bank.c:61  create T1\n"
        "            bank.c:62  create T2\n"
        "            bank.c:24  +------------------------> account->balance -> 0\n"
        "            bank.c:25  |                          log: adding 10 to 0\n"
        "                       -- the race: T1 and T2 both stand at their access --\n"
        "          * bank.c:24  |                          |                          "
        "account->balance -> 0\n"
        "            bank.c:25  |                          |                          log: adding "
        "20 to 0\n"
        "            bank.c:26  |                          |                          "
        "account->balance = 20\n"
        "          * bank.c:26  |                          account->balance = 10 <----+\n"
        "            bank.c:30  |                          +------------------------> lock "
        "journal\n"
        "            bank.c:32  |                          |                          unlock "
        "journal\n"
        "            bank.c:30  |                          lock journal <-------------+\n"
        "            bank.c:32  |                          unlock journal\n"
        "            bank.c:63  join T1 <------------------+\n"
        "            bank.c:64  join T2\n"
        "            bank.c:66  account->balance -> 10\n"
        "          ! bank.c:66  assertion failed\n"
        "      reproduced: true\n"
        "      replay: \"RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\"\n"
        "  ...\n");
}

/* ---- the parts ---- */

static void values_read_as_numbers_where_they_can(void) {
    static const struct {
        uint64_t value;
        size_t size;
        const char *want;
    } cases[] = {{0, 4, "0"},
                 {7, 1, "7"},
                 {127, 1, "127"},
                 {255, 1, "0xff"},
                 {65535, 2, "-1"},
                 {40000, 2, "0x9c40"},
                 {UINT32_MAX, 4, "-1"},
                 {4294967173, 4, "-123"},
                 {0x80000000, 4, "0x80000000"},
                 {UINT64_MAX, 8, "-1"},
                 {UINT32_MAX, 8, "4294967295"},
                 {0x7f0012345678, 8, "0x7f0012345678"},
                 {INT32_MAX, 4, "2147483647"},
                 {5, 3, "(3 bytes)"},
                 {5, 24, "(24 bytes)"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rfi_line l = {0};
        rfi_say_value(&l, cases[i].value, cases[i].size);
        if (strcmp(l.s, cases[i].want) != 0) printf("%s, not %s\n", l.s, cases[i].want), ok = false;
    }
    check(ok, "values_read_as_numbers_where_they_can");
}

static void the_interval_is_wilsons(void) {
    static const struct {
        uint64_t k, n;
        double low, high;
    } cases[] = {{0, 0, 0, 1},
                 {0, 10, 0, 0.277533},
                 {10, 10, 0.722467, 1},
                 {5, 10, 0.236593, 0.763407},
                 {499, 998, 0.469039, 0.530961},
                 {1, 1000, 0.000177, 0.005643}};
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low, high, a, b;
        rfi_wilson(cases[i].k, cases[i].n, &low, &high);
        a = low - cases[i].low, b = high - cases[i].high;
        if (a * a > 1e-12 || b * b > 1e-12) printf("%f %f\n", low, high), ok = false;
    }
    check(ok, "the_interval_is_wilsons");
}

static void the_program_is_quoted_as_a_shell_needs_it(void) {
    static const char *const cases[][2] = {
        {"./bank", "./bank"}, {"a b", "'a b'"}, {"it's", "'it'\\''s'"}, {"$x;`y`", "'$x;`y`'"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rfi_report_program(cases[i][0]);
        ok = ok && !strcmp(rfi_program, cases[i][1]);
        if (rfi_program != cases[i][0]) free((void *)(uintptr_t)rfi_program);
    }
    rfi_report_program("./bank");
    rfi_report_program(NULL);
    rfi_report_program("");
    check(ok && !strcmp(rfi_program, "./bank"), "the_program_is_quoted_as_a_shell_needs_it");
}

static bool width_is(const char *columns, unsigned want) {
    setenv("COLUMNS", columns, 1);
    FILE *out = fopen("/dev/null", "w");
    bool same = rfi_width(out) == want;
    fclose(out);
    return same;
}

static void the_environment_decides(void) {
    check(width_is("80", 80) && width_is("1", 40) && width_is("99999999999999999999", 400) &&
              width_is("", 100) && width_is("-5", 100) && width_is("80x", 100) &&
              width_is("0", 100),
          "the_width_is_that_of_COLUMNS_within_limits");
    FILE *out = fopen("/dev/null", "w");
    setenv("CLICOLOR_FORCE", "1", 1);
    bool forced = rfi_wants_colour(out);
    setenv("NO_COLOR", "1", 1);
    bool refused = rfi_wants_colour(out);
    setenv("NO_COLOR", "", 1);
    bool emptied = rfi_wants_colour(out);
    setenv("CLICOLOR_FORCE", "0", 1);
    check(forced && !refused && emptied && !rfi_wants_colour(out),
          "NO_COLOR_wins_over_CLICOLOR_FORCE_and_a_file_has_no_colours");
    fclose(out);
}

static void progress_is_for_terminals(void) {
    rfi_line l = {0};
    rfi_progress_line(&l, "deposits", "confirming", 5, 1000, 1);
    check(!strcmp(l.s, "deposits: confirming, 5 of 1000 executions, 1 finding"),
          "progress_is_one_line");
    char path[] = "/tmp/rf_report_XXXXXX", byte;
    int file = mkstemp(path), saved = dup(2);
    if (file < 0 || saved < 0) exit(1);
    dup2(file, 2);
    rfi_progress_show("deposits", "confirming", 5, 1000, 1);
    rfi_progress_clear();
    dup2(saved, 2);
    check(pread(file, &byte, 1, 0) == 0, "progress_writes_nothing_to_a_file");
    close(file);
    close(saved);
    unlink(path);
}

/* Whatever the bytes: valid, printable, within the line, and a fitted piece within its room. */
static void any_bytes_become_printable_text(void) {
    rf_prng random = rfi_prng_make(1, 1);
    bool ok = true;
    for (unsigned round = 0; round < 2000; round++) {
        char raw[64];
        unsigned n = rfi_below(&random, sizeof raw), used;
        for (unsigned i = 0; i < n; i++)
            raw[i] = (char)(rfi_coin(&random) ? 0x80 + rfi_below(&random, 128)
                                              : 1 + rfi_below(&random, 127));
        raw[n] = 0;
        rfi_line l = {0};
        rfi_line_add(&l, "%s", raw);
        for (const char *s = l.s; *s;) {
            unsigned room = 2 + rfi_below(&random, 20);
            size_t bytes = rfi_line_fit(s, room, &used);
            ok = ok && bytes > 0 && used <= room && (s[bytes] & 0xc0) != 0x80;
            s += bytes ? bytes : strlen(s);
        }
    }
    rfi_line full = {0};
    for (unsigned i = 0; i < RFI_LINE_BYTES; i++) rfi_line_add(&full, "\xe6\xbc\xa2");
    check(ok && rfi_columns(full.s) < RFI_LINE_BYTES && strstr(full.s, "..."),
          "any_bytes_become_printable_text");
}

static bool lines_fit(const char *s, unsigned width) {
    for (const char *end; (end = strchr(s, '\n')) != NULL; s = end + 1) {
        rfi_line l = {0};
        rfi_line_add(&l, "%.*s", (int)(end - s), s);
        if (rfi_columns(l.s) > width) return printf("%u columns: %s\n", width, l.s), false;
    }
    return !*s;
}

static void no_row_is_wider_than_the_page(void) {
    static const char *const words[] = {"x", "account->balance",
                                        "a_rather_long_name[index].with.members"};
    rf_prng random = rfi_prng_make(2, 2);
    bool ok = true;
    for (unsigned round = 0; round < 300; round++) {
        fresh_record();
        uint32_t threads = 1 + rfi_below(&random, 20), width = 40 + rfi_below(&random, 100);
        for (uint32_t t = 1; t < threads; t++) create(t, site("t", 1 + t, words[t % 3]));
        for (unsigned i = 0; i < 40 + round; i++)
            access_to(&balance, rfi_coin(&random) ? RF_EV_READS : RF_EV_WRITES,
                      rfi_below(&random, threads),
                      site("f", 10000 * rfi_below(&random, 10), words[rfi_below(&random, 3)]), i);
        record->failure = (rfi_failure){RF_DIAG_DESTROY_BUSY, threads - 1, &sites[0], ""};
        FILE *out = to_memory(width, false);
        rfi_print_interleaving(out, record, rfi_coin(&random));
        fclose(out);
        ok = ok && lines_fit(text, width);
        free(text);
    }
    check(ok, "no_row_is_wider_than_the_page");
}

int main(void) {
    unsetenv("NO_COLOR");
    rfi_report_program("./bank");
    a_harmful_race_is_told_in_full();
    colours_mark_the_race_and_the_failure();
    a_long_execution_is_cut();
    an_expected_finding_is_told_in_short();
    a_race_without_a_hit_is_found_in_the_record();
    five_threads();
    a_deadlock_is_printed_as_the_engine_tells_it();
    a_crash_shows_what_was_written_to_stderr();
    lost_steps_are_counted();
    a_run_is_summed_up();
    tap_is_escaped();
    values_read_as_numbers_where_they_can();
    the_interval_is_wilsons();
    the_program_is_quoted_as_a_shell_needs_it();
    the_environment_decides();
    progress_is_for_terminals();
    any_bytes_become_printable_text();
    no_row_is_wider_than_the_page();
    munmap(record, sizeof *record);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}

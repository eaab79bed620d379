// flags: -Isrc
/* Findings and interleavings as they are printed, at several widths, with colours and without. */
#include "report_record.h"

static void a_harmful_race_at_80_columns(void) {
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
        "    at src/bank.c:66 in test deposits_are_kept, thread T0 test body\n"
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
}

static void a_harmful_race_at_120_columns(void) {
    lost_deposit(0);
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
        "    at src/bank.c:66 in test deposits_are_kept, thread T0 test body\n"
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
}

static void a_harmful_race_at_40_columns(void) {
    lost_deposit(0);
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
                  "    at src/bank.c:66 in test\n"
                  "      deposits_are_kept, thread T0 test\n"
                  "      body\n"
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
    print_interleaving(out, record, false);
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
    print_interleaving(out, record, false);
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
    finding = (rfi_finding){.warning = &pair, .verdict = RFI_POTENTIAL};
    print_finding(120, false, "a_prediction_is_left_to_the_result_of_the_test", "");
}

/* Seen by a detector: no hit, the accesses are found by their statements. */
static void a_race_without_a_hit_is_found_in_the_record(void) {
    lost_deposit(0);
    record->hit_count = 0;
    record->failure.diagnostic = RF_DIAG_NONE;
    pair.executions = pair.hits = pair.failed = 0;
    pair.seen = 3;
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

static const char *const five_threads_at[] = {
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

static void five_threads(void) {
    static const char *const names[] = {"five_threads_at_40_columns_are_a_list",
                                        "five_threads_at_80_columns",
                                        "five_threads_at_120_columns"};
    five_threads_in_a_queue();
    for (unsigned i = 0; i < 3; i++) {
        FILE *out = to_memory(40 * (i + 1), false);
        print_interleaving(out, record, i == 2);
        expect(out, names[i], five_threads_at[i]);
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
    access_to(&balance, RF_EV_READS, 0, site("rf_test_deposits_are_kept", 60, "p->next"), 0);
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
                  "  last seen at src/bank.c:60 in test deposits_are_kept, thread T0 test body\n"
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
                  "  note: the campaign went on in a new process\n"
                  "  replay: RF_SEED=1.deposits_are_kept.c.4f3a.77 ./bank\n");
}

static void lost_steps_are_counted(void) {
    fresh_record();
    for (unsigned i = 0; i < RFI_RECORD_EVENTS + 4464; i++)
        access_to(&other, RF_EV_READS, 0, site("spin", 5, "ready"), i);
    FILE *out = to_memory(80, false);
    print_interleaving(out, record, false);
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
    print_interleaving(out, record, true);
    expect(out, "an_empty_record_says_so",
           "  all steps (time goes down):\n"
           "    no step was recorded\n");
}

int main(void) {
    unsetenv("NO_COLOR");
    rfi_report_program("./bank");
    a_harmful_race_at_80_columns();
    a_harmful_race_at_120_columns();
    a_harmful_race_at_40_columns();
    colours_mark_the_race_and_the_failure();
    a_long_execution_is_cut();
    an_expected_finding_is_told_in_short();
    a_race_without_a_hit_is_found_in_the_record();
    five_threads();
    a_deadlock_is_printed_as_the_engine_tells_it();
    a_crash_shows_what_was_written_to_stderr();
    lost_steps_are_counted();
    munmap(record, sizeof *record);
    return check_end();
}

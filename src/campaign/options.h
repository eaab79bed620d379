/* campaign/options.h: the one list of options.
 *
 * Every option is one line of RFI_OPTIONS.  The variable RF_X, the option --x, what --help prints,
 * the table of the manual and the list of the man page (report/help.h) are made from it.
 */
#ifndef RFI_CAMPAIGN_OPTIONS_H
#define RFI_CAMPAIGN_OPTIONS_H
#include "detect/abstraction.h"
#include "engine/fiber.h"
#include "engine/options.h"
#include "engine/stop.h"
#include "mem/face.h"

#ifdef RFI_IMPL
# define RFI_MAX_JOBS 256 /* worker processes */

/* A valid name and one line about it.  Lists of them end with one that has none. */
typedef struct rfi_name {
    const char *name, *help;
    uint32_t least, most; /* of the number that may follow as NAME:N; 0: none may */
    uint32_t preset;      /* what it is otherwise, */
    const char *of;       /* and what it tells, or NULL */
} rfi_name;
# define RFI_NAME(name, help) \
  { (name), (help), 0, 0, 0, NULL }

/* The names that come from what is registered. */
typedef struct rfi_names {
    const rfi_name *strategy;
    const rfi_name *detect, *memory, *format;
} rfi_names;

typedef enum rfi_tear { RFI_TEAR_ON, RFI_TEAR_OFF, RFI_TEAR_ALL } rfi_tear;
typedef enum rfi_which_blocks {
    RFI_BLOCKS_AUTO,
    RFI_BLOCKS_DECLARED,
    RFI_BLOCKS_LOCKS,
    RFI_BLOCKS_FUNCTIONS
} rfi_which_blocks;
/* What a machine reads and writes in one step: 4 << this bits. */
typedef enum rfi_word_bits {
    RFI_WORD_PRESET, /* whatever a program accesses at a time */
    RFI_WORD_8,
    RFI_WORD_16,
    RFI_WORD_32,
    RFI_WORD_64
} rfi_word_bits;

typedef enum rfi_timeouts {
    RFI_TIMEOUTS_PRESET, /* as the code under test is */
    RFI_TIMEOUTS_ANY,
    RFI_TIMEOUTS_SOME,
    RFI_TIMEOUTS_LATE
} rfi_timeouts;
typedef enum rfi_random_kind { RFI_RANDOM_DRAWN, RFI_RANDOM_CONSTANT } rfi_random_kind;
typedef enum rfi_shard_by {
    RFI_SHARD_BY_AUTO,
    RFI_SHARD_BY_TESTS,
    RFI_SHARD_BY_EXECUTIONS
} rfi_shard_by;
typedef enum rfi_fail_on { RFI_FAIL_ON_RACE, RFI_FAIL_ON_HARM } rfi_fail_on;

/* A report that was asked for: FORMAT:FILE. */
typedef struct rfi_asked {
    const char *format; /* a valid name; NULL: that of --format */
    const char *path;   /* "-": standard output; */
    size_t bytes;       /* it need not end there */
} rfi_asked;

/* Exit statuses, as bits. */
typedef struct rfi_statuses {
    uint64_t bit[4];
} rfi_statuses;

# define RFI_SHRINK_RATE 500u /* executions that a second of --shrink stands for */
# define RFI_REPORTS     8u   /* that may be asked for */
typedef struct rfi_asked_reports {
    uint32_t count;
    rfi_asked at[RFI_REPORTS];
} rfi_asked_reports;

typedef struct rfi_folders {
    uint32_t count;
    const char *at[RFI_REPORTS * 8];
} rfi_folders;

/* Texts belong to the environment or to argv. */
typedef struct rfi_settings {
    uint64_t seed;                /* of the campaign */
    bool seed_given, seed_random; /* random: drawn from the clock and the process id */
    const char *token;            /* RF_SEED is a replay token; else NULL */
    const char *filter;           /* for rfi_filter_match(); NULL: all tests */
    uint64_t least;               /* executions of a test that passes; 0: any */
    uint32_t shrink;              /* executions for the schedule of each failure, */
    int64_t shrink_ms;            /* and, if they are given, milliseconds */
    uint64_t executions;          /* 0: not given, as for the next three */
    double seconds;
    uint64_t steps;
    size_t stack;
    bool seconds_given;                     /* given and 0: no cap */
    const char *strategy, *detect, *memory; /* valid names; NULL: not given */
    unsigned abstraction;                   /* rfi_alike */
    uint32_t history, sample;               /* 0: not given; sample: bits */
    rfi_tear tear;
    rfi_word_bits word;
    uint32_t cores;
    rfi_which_blocks blocks;
    bool cxx20;
    rf_granularity granularity;
    rfi_timeouts timeouts;
    rfi_random_kind random;
    bool no_spurious;
    uint32_t unroll; /* 0: not given */
    bool must_end;
    rfi_statuses success;
    rfi_fail_on fail_on;
    uint32_t jobs; /* 0: no other process */
    bool jobs_given;
    uint32_t shard, shards; /* 1 <= shard <= shards; shard 0: as the runner says */
    const char *shard_from; /* what has said so; NULL: nothing has */
    rfi_shard_by shard_by;
    double timeout; /* seconds for all; 0: none */
    bool fail_fast;
    uint32_t error_status, finding_status;
    rfi_backend_kind backend;
    rfi_local_choice local; /* RFI_LOCAL_PRESET: not given */
    uint32_t watchdog;      /* CPU seconds */
    uint32_t progress;      /* seconds between two lines of a log; 0: none */
    const char *format;     /* a valid name */
    rfi_asked_reports report;
    const char *folder; /* of the campaign; NULL: it is not kept */
    rfi_folders merge;
    uint64_t stop_at;                    /* rfi_stop_at */
    const char *suppressions, *baseline; /* files; NULL: none */
    const char *input, *write_input;     /* the same */
    bool list, help, gdb_script, version, trace, verify, all, verbose;
    bool help_markdown, help_roff; /* for making the manual; not in --help */
} rfi_settings;

/* X(ID, "--option", metavar, kind, field, least, most, default, help): the variable is RF_ID; kind
 * names a reader in campaign/settings.h; a choice of the index i is stored as least + i; an option
 * without help is not shown. */
/* clang-format off */
# define RFI_OPTIONS(X) \
    X(FILTER, "--filter", "PATTERNS", patterns, filter, 0, 0, "all tests", \
      "run only these tests: parts of names, or patterns with * and ?, separated by commas; - in " \
      "front leaves tests out; arguments that are no options are added to this list") \
    X(LIST, "--list", NULL, flag, list, 0, 1, NULL, "print the names of the tests instead") \
    X(SEED, "--seed", "SEED", seed, seed, 0, UINT64_MAX, "1", \
      "a token as printed: replay exactly that execution, in this process; a number: the seed of " \
      "the campaign; random: a new one each time") \
    X(TRACE, "--trace", NULL, flag, trace, 0, 1, NULL, \
      "print the whole interleaving of each execution that is replayed") \
    X(VERIFY, "--verify", NULL, flag, verify, 0, 1, NULL, \
      "run every execution twice and compare them event by event") \
    X(EXECUTIONS, "--executions", "N", u64, executions, 1, INT64_MAX, "1000", \
      "executions per test and phase") \
    X(MIN_EXECUTIONS, "--min-executions", "N", u64, least, 1, INT64_MAX, "any", \
      "exit status 3 where a test passed after fewer executions, of all phases") \
    X(SECONDS, "--seconds", "SECONDS", seconds, seconds, 0, 1000000000, "10", \
      "cap on the time of each test, reported when it is hit; none: no cap") \
    X(STEPS, "--steps", "N", u64, steps, 1, UINT64_MAX, "1000000", \
      "steps after which an execution ends: a livelock, if it only repeats itself") \
    X(MUST_END, "--must-end", NULL, flag, must_end, 0, 1, NULL, \
      "an execution that reaches that many steps has failed, even if threads make progress") \
    X(STACK, "--stack", "BYTES", bytes, stack, 16 << 10, 1 << 30, "256k", \
      "stack of each logical thread, rounded up to a power of two from 256k to 1g; k, m and g " \
      "may follow the number") \
    X(STRATEGY, "--strategy", "NAMES", names, strategy, 0, 0, "auto", \
      "what picks the next thread, and who may steer it in the second phase; several are " \
      "separated by commas") \
    X(DETECT, "--detect", "NAMES", names, detect, 0, 0, \
      "all but fasttrack, eraser, stateless, lockset", \
      "which analyses predict; several are separated by commas") \
    X(ABSTRACTION, "--abstraction", "NAME", choice, abstraction, RFI_ALIKE_AUTO, 0, "auto", \
      "by what goodlock tells threads and locks apart: deadlocks that are alike then are one") \
    X(BLOCKS, "--blocks", "NAME", choice, blocks, RFI_BLOCKS_AUTO, 0, "auto", \
      "which parts of a thread should be atomic") \
    X(MEMORY, "--memory", "NAME", name, memory, 0, 0, \
      "c11, then each heuristic on each race that was confirmed", \
      "what memory may return; the names from oldest on are heuristics: the only one that is " \
      "tried on races") \
    X(HISTORY, "--history", "N", u32, history, 2, RF_MEM_HISTORY_MAX, "32", \
      "stores that are kept of each location") \
    X(TEAR, "--tear", "NAME", choice, tear, RFI_TEAR_ON, 0, "on", \
      "whether racy plain values of 8 bytes and more may be read in pieces") \
    X(WORD, "--word", "BITS", choice, word, RFI_WORD_8, 0, "any", \
      "plain accesses by RF_LOAD and RF_STORE that are wider fall into pieces, as on a machine " \
      "with such a word") \
    X(CORES, "--cores", "N", u32, cores, 1, 64, "any number", \
      "of fixed priorities (RF_PRIORITY): a thread does not run while N of higher ones could") \
    X(SAMPLE, "--sample", "ELEMENTS", elements, sample, 0, 31, "all", \
      "which of the locations that a race touches may return older values: numbers in the order " \
      "of first touch, separated by commas") \
    X(CXX20, "--cxx20", NULL, flag, cxx20, 0, 1, NULL, \
      "release sequences as in C++20: later stores of the same thread do not belong to them") \
    X(GRANULARITY, "--granularity", "NAME", choice, granularity, RF_GRAIN_FINE, 0, \
      "fine while predicting, coarse while confirming", "where threads may be switched") \
    X(TIMEOUTS, "--timeouts", "NAME", choice, timeouts, RFI_TIMEOUTS_ANY, 0, \
      "some for unedited code, else any", "when sleeps and timed waits may end") \
    X(RANDOM, "--random", "NAME", choice, random, RFI_RANDOM_DRAWN, 0, "drawn", \
      "what rand and its kin begin with in unedited code, and time and gettimeofday") \
    X(NO_SPURIOUS, "--no-spurious", NULL, flag, no_spurious, 0, 1, NULL, \
      "no wait for a condition ends for nothing, and no weak compare-exchange fails so") \
    X(UNROLL, "--unroll", "N", u32, unroll, 1, 1000000, "all of them", \
      "graphs explores so many rounds of a loop with effects, and says where it cut one") \
    X(SUCCESS, "--success", "STATUSES", statuses, success, 0, 255, "0", \
      "with which exit statuses an unedited program has not failed, separated by commas") \
    X(FAIL_ON, "--fail-on", "NAME", choice, fail_on, RFI_FAIL_ON_RACE, 0, "race", \
      "which races fail a test") \
    X(JOBS, "--jobs", "N", jobs, jobs, 0, RFI_MAX_JOBS, "1, or 0 under a debugger", \
      "worker processes; 0: everything in this process; does not change what is found") \
    X(FAIL_FAST, "--fail-fast", NULL, flag, fail_fast, 0, 1, NULL, \
      "run no further test after one that has failed") \
    X(SHARD, "--shard", "I/N", shard, shard, 1, UINT32_MAX, \
      "1/1, or as the runner of tests says", \
      "run the part I of N of the campaign; auto/N: the variables of GNU parallel, Kubernetes " \
      "and others say which part") \
    X(SHARD_BY, "--shard-by", "NAME", choice, shard_by, RFI_SHARD_BY_AUTO, 0, "auto", \
      "what is divided among shards") \
    X(CAMPAIGN, "--campaign", "DIR", file, folder, 0, 0, "not kept", \
      "keep the campaign in this folder, and go on where it was left; other processes may do so " \
      "at the same time") \
    X(MERGE, "--merge", "DIR...", folders, merge, 0, 0, NULL, \
      "run nothing new: replay all that the campaigns in these folders have found, and tell it " \
      "once") \
    X(ERROR_STATUS, "--error-status", "N", u32, error_status, 1, 125, "2", \
      "exit status where racefuzz could not do its work, such as 99 for Automake's hard errors") \
    X(FINDING_STATUS, "--finding-status", "N", u32, finding_status, 0, 125, "1", \
      "exit status where a test failed, such as 0 for the shards of a kept campaign, whose merge " \
      "has the verdict") \
    X(BACKEND, "--backend", "NAME", choice, backend, RFI_BACKEND_FIBER, 0, "fiber", \
      "what logical threads are made of; does not change what is found") \
    X(THREAD_LOCAL, "--thread-local", "NAME", choice, local, RFI_LOCAL_OWN, 0, \
      "own for unedited code, else shared", \
      "whether each logical thread has _Thread_local objects of its own on the fiber back end") \
    X(WATCHDOG, "--watchdog", "SECONDS", u32, watchdog, 1, 86400, "5", \
      "CPU time that an execution may take without reaching racefuzz") \
    X(PROGRESS, "--progress", "SECONDS", u32, progress, 0, 86400, "300", \
      "how often a line on standard error says how far it is, if that is no terminal; 0: never") \
    X(FORMAT, "--format", "NAME", name, format, 0, 0, "text", "how the report is written") \
    X(SHRINK, "--shrink", "SECONDS", budget, shrink, 0, 86400, "1, and not by the clock", \
      "what goes into finding a shorter schedule for each failure that is told: so many seconds, " \
      "and 500 executions for each of them, at most; 0: nothing") \
    X(VERBOSE, "--verbose", NULL, flag, verbose, 0, 1, NULL, \
      "print all statistics: explorers, statements, confidence intervals") \
    X(ALL, "--all", NULL, flag, all, 0, 1, NULL, \
      "tell every finding in full, also where several have one cause") \
    X(REPORT, "--report", "[FORMAT:]FILE", reports, report, 0, 0, "standard output", \
      "where a report is written to, with all statistics; given several times, several reports: " \
      "--report=junit:out.xml --report=json:-; with a FORMAT, beside that on standard output") \
    X(INPUT, "--input", "FILE", file, input, 0, 0, NULL, \
      "replay the execution that this input of a fuzzer decides, and print its token") \
    X(WRITE_INPUT, "--write-input", "FILE", file, write_input, 0, 0, NULL, \
      "write the input of a fuzzer that decides the execution of a token") \
    X(SUPPRESSIONS, "--suppressions", "FILE", file, suppressions, 0, 0, NULL, \
      "findings that fail no test: lines such as race function:visit*, deadlock file:old.c, " \
      "* variable:hits") \
    X(BASELINE, "--baseline", "FILE", file, baseline, 0, 0, NULL, \
      "findings that are in this report, which --report=json:FILE has written, fail no test") \
    X(STOP_AT, "--stop-at", "PLACE", stop, stop_at, 0, UINT64_MAX - 3, NULL, \
      "where a replay stops for a debugger: the number of a step, failure, or race") \
    X(GDB_SCRIPT, "--gdb-script", NULL, flag, gdb_script, 0, 1, NULL, \
      "print commands for gdb: info rf-threads, rf thread N, rf step, rf locks") \
    X(HELP, "--help", NULL, flag, help, 0, 1, NULL, "print this list; also -h") \
    X(VERSION, "--version", NULL, flag, version, 0, 1, NULL, "print the version of racefuzz") \
    X(HELP_MARKDOWN, "--help-markdown", NULL, flag, help_markdown, 0, 1, NULL, NULL) \
    X(HELP_ROFF, "--help-roff", NULL, flag, help_roff, 0, 1, NULL, NULL)
/* clang-format on */

typedef enum rfi_option_id {
# define RFI_X(id, ...) RFI_OPTION_##id,
    RFI_OPTIONS(RFI_X)
# undef RFI_X
        RFI_OPTION_COUNT
} rfi_option_id;

typedef enum rfi_option_kind {
    RFI_KIND_flag,
    RFI_KIND_u32,
    RFI_KIND_u64,
    RFI_KIND_bytes,
    RFI_KIND_jobs,
    RFI_KIND_seconds,
    RFI_KIND_budget,
    RFI_KIND_seed,
    RFI_KIND_shard,
    RFI_KIND_elements,
    RFI_KIND_statuses,
    RFI_KIND_choice, /* one of a fixed list */
    RFI_KIND_name,   /* one of what is registered */
    RFI_KIND_names,  /* or several of it */
    RFI_KIND_patterns,
    RFI_KIND_file,
    RFI_KIND_stop,
    RFI_KIND_reports,
    RFI_KIND_folders
} rfi_option_kind;

typedef struct rfi_option {
    const char *variable, *option;
    const char *metavar; /* NULL: takes no value */
    const char *preset, *help;
    rfi_option_id id;
    rfi_option_kind kind;
    uint64_t least, most;
} rfi_option;

RFI_VAR const rfi_option rfi_option_table[] = {
/* clang-format off */
# define RFI_X(id, option, metavar, kind, field, least, most, preset, help) \
    {"RF_" #id, option, metavar, preset, help, RFI_OPTION_##id, RFI_KIND_##kind, least, most},
    /* clang-format on */
    RFI_OPTIONS(RFI_X)
# undef RFI_X
};

/* The names that an option takes, or NULL. */
RFI_FN const rfi_name *rfi_option_names(const rfi_option *o, const rfi_names *names) {
    static const rfi_name granularity[] = {RFI_NAME("fine", "before every visible operation"),
                                           RFI_NAME("coarse",
                                                    "before synchronisation, atomics and the "
                                                    "statements under suspicion"),
                                           RFI_NAME(NULL, NULL)};
    static const rfi_name abstraction[] = {
        RFI_NAME("auto", "by site; most executions directed at one go by index"),
        RFI_NAME("site", "by the statement that made them"),
        RFI_NAME("index", "by the calls in which they were made, which are counted"),
        RFI_NAME("object", "by the statements that made them and their owners: heap block, thread, "
                           "its creator, and so on"),
        RFI_NAME("none", "by nothing: by the statements that take the locks alone"),
        RFI_NAME(NULL, NULL)};
    static const rfi_name blocks[] = {
        RFI_NAME("auto", "as declared"), RFI_NAME("declared", "those marked by RF_ATOMIC_BLOCK"),
        RFI_NAME("locks", "and every outermost critical section"),
        RFI_NAME("functions", "and every function that locks, in unedited code"),
        RFI_NAME(NULL, NULL)};
    static const rfi_name tear[] = {RFI_NAME("on", NULL), RFI_NAME("off", NULL),
                                    RFI_NAME("all", "in unedited code, too"), RFI_NAME(NULL, NULL)};
    static const rfi_name word[] = {RFI_NAME("8", NULL), RFI_NAME("16", NULL), RFI_NAME("32", NULL),
                                    RFI_NAME("64", NULL), RFI_NAME(NULL, NULL)};
    static const rfi_name timeouts[] = {
        RFI_NAME("any", "at every step"), RFI_NAME("some", "early by 50 ms in all, then as late"),
        RFI_NAME("late", "when nobody else can go on"), RFI_NAME(NULL, NULL)};
    static const rfi_name random[] = {
        RFI_NAME("drawn", "something else in each execution, but under dfs and dpor"),
        RFI_NAME("constant", "the same in each execution"), RFI_NAME(NULL, NULL)};
    static const rfi_name fail_on[] = {RFI_NAME("race", "every race that was produced"),
                                       RFI_NAME("harm", "only those that made an execution fail"),
                                       RFI_NAME(NULL, NULL)};
    static const rfi_name shard_by[] = {
        RFI_NAME("auto", "tests, if there are more of them than shards, else executions"),
        RFI_NAME("tests", "each test is one shard's"),
        RFI_NAME("executions", "each shard has a part of those of each test"),
        RFI_NAME(NULL, NULL)};
    static const rfi_name backend[] = {RFI_NAME("fiber", "stacks in one thread, switched by hand"),
                                       RFI_NAME("threads", "real threads that wait for each other"),
                                       RFI_NAME(NULL, NULL)};
    static const rfi_name local[] = {RFI_NAME("own", "and errno in memory of its own"),
                                     RFI_NAME("shared", NULL), RFI_NAME(NULL, NULL)};
    switch (o->id) {
    case RFI_OPTION_STRATEGY: return names->strategy;
    case RFI_OPTION_DETECT: return names->detect;
    case RFI_OPTION_MEMORY: return names->memory;
    case RFI_OPTION_FORMAT: return names->format;
    case RFI_OPTION_GRANULARITY: return granularity;
    case RFI_OPTION_ABSTRACTION: return abstraction;
    case RFI_OPTION_BLOCKS: return blocks;
    case RFI_OPTION_TEAR: return tear;
    case RFI_OPTION_WORD: return word;
    case RFI_OPTION_TIMEOUTS: return timeouts;
    case RFI_OPTION_RANDOM: return random;
    case RFI_OPTION_FAIL_ON: return fail_on;
    case RFI_OPTION_SHARD_BY: return shard_by;
    case RFI_OPTION_BACKEND: return backend;
    case RFI_OPTION_THREAD_LOCAL: return local;
    default: return NULL;
    }
}
#endif
#endif

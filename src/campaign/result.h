/* campaign/result.h: what a campaign found, as reports read it.
 *
 * Everything here is a plain value that can be merged: two workers' tallies of one job added up in
 * either order give the same tally, so nothing depends on how many workers there were.
 */
#ifndef RFI_CAMPAIGN_RESULT_H
#define RFI_CAMPAIGN_RESULT_H
#include "campaign/memory.h"
#include "engine/iface.h"
#include "engine/record.h"
#include "engine/test.h"
#include "engine/untold.h"

#ifdef RFI_IMPL
# define RFI_TOKEN_BYTES  (512 + RF_USED_BYTES / 3 * 4)
# define RFI_LOCKS_BYTES  96
# define RFI_MAX_WARNINGS 1024u /* per test; more are counted and reported as left out */
# define RFI_MAX_FAILURES 64u   /* distinct ones, per job */
# define RFI_PHASES       3u

/* A place that a warning names, as it was first predicted, or first seen to happen (rf_place). */
typedef struct rfi_side {
    const rf_site *site;
    const char *role;
    uint16_t flags;
    uint32_t thread, size;
    char object[RFI_NAME_BYTES + 16]; /* its name; "" = none */
    char locks[RFI_LOCKS_BYTES];      /* what is held: "a, b (file.c:12)"; "" = nothing */
} rfi_side;

/* An operation on the descriptor of a file; without RANGE: met beside another one
 * (hook/descriptors.h). */
RFI_FN bool rfi_on_descriptor(unsigned flags) {
    return flags & RF_EV_USES && flags & (RF_EV_RANGE | RF_EV_IN_PLACE);
}

RFI_FN const char *rfi_access_word(unsigned flags) {
    bool writes = flags & RF_EV_WRITES, reads = flags & RF_EV_READS;
    if (flags & RF_EV_USES) return writes ? "closes" : "uses";
    if (flags & RF_EV_MAKES) {
        if (flags & RF_EV_RANGE) return "allocates";
        return flags & RF_EV_FREES ? "destroys" : "initialises";
    }
    if (flags & RF_EV_CLAIMS) return "claims";
    if (rfi_ends_frame(flags)) return "ends";
    if (flags & RF_EV_FREES) return "frees";
    return writes && reads ? "updates" : writes ? "writes" : "reads";
}

/* What is done at a side. */
RFI_FN const char *rfi_side_word(const rfi_side *s) {
    return s->role ? s->role : rfi_access_word(s->flags);
}

/* Executions of phase 3 under one heuristic. */
typedef struct rfi_trial {
    uint64_t executions, exposed; /* exposed: older values were returned */
    uint64_t failed, unclear;     /* of the exposed ones; unclear: in a way that is known without */
} rfi_trial;

# define RFI_TEXT_BYTES    160
# define RFI_SUMMARY_BYTES 512

/* An execution: later runs of a study have later numbers, whatever the indices. */
typedef struct rfi_found_at {
    uint64_t run, index; /* both UINT64_MAX: never */
} rfi_found_at;

/* Something under suspicion, and what became of it.  A race is a pair of statements: its sides 0
 * and 1 are in the order of sites. */
typedef struct rfi_warning {
    uint64_t key; /* of its family and targets; the same in every process */
    uint8_t family, sides, targets, telling; /* telling: of the targets, those that make the key */
    uint64_t by;                             /* set of the analyses that predicted it */
    rfi_side side[RF_PLACES];
    uint64_t target[RF_TARGETS];
    const rf_site *told[RF_TARGETS]; /* the statements among the targets */
    char text[RFI_TEXT_BYTES];       /* what is wrong; "": the family's words say it */
    char label[32];                  /* what it is called: its analysis; "": as its family is */
    uint64_t beside;                 /* races: key of another one seen at the same location */
    uint32_t variable;               /* races that share a location have the same number */
    /* Phase 1: how many executions predicted it, and the first; the same for executions in which
     * an analysis saw it happen, which makes it real. */
    uint64_t predicted, seen;
    rfi_found_at predicted_at, seen_at;
    uint64_t predicted_last, seen_last; /* the last execution in which it was so, + 1 */
    /* Phase 2. */
    uint64_t executions, hits;  /* executions in which it was produced */
    uint64_t failed;            /* of the hits: executions that failed afterwards */
    uint64_t failed_by_kind[6]; /* by bit number of RF_EXPECT_* */
    rfi_trial trial[RFI_PICKS]; /* phase 3; RF_PICK_NEWEST: the same schedules without it */
} rfi_warning;

RFI_FN const char *rfi_warning_words(const rfi_warning *w) {
    return w->label[0] ? w->label : rfi_family(w->family)->words;
}

/* In the order of what they say. */
typedef enum rfi_verdict { RFI_POTENTIAL, RFI_REAL, RFI_DESTRUCTIVE, RFI_HARMFUL } rfi_verdict;

/* One way to fail, in one job: same diagnostic at the same site. */
typedef struct rfi_failure_kind {
    uint64_t key;
    rfi_failure failure;    /* of the shortest execution */
    uint64_t count, blamed; /* executions that failed so; those after a hit, or, in phase 3, after
                               an older value was returned */
    uint64_t fewest;        /* preemptions of any of them */
    uint64_t steps;         /* of the shortest one */
    uint64_t index;         /* of it in its job */
    unsigned after;         /* faults that analyses saw before in some of them, RF_EXPECT_*s */
    bool shortest_blamed;
    bool stale;           /* an atomic load of it returned an older value */
    uint64_t stale_steps; /* of the shortest in which one did; 0: there is none */
    bool early;           /* a deadline had passed although others could go on: in all of them */
    bool unwoken;         /* a wait had ended though nobody had woken it: in all of them */
    bool again;           /* it was given memory that had been freed: so were all that failed so */
} rfi_failure_kind;

/* One more preemption that the failure needs: where the thread that was left would have gone on, it
 * passes. */
typedef struct rfi_need {
    uint32_t from, to;   /* the switch */
    const rf_site *site; /* what the thread that is left was about to do */
    rf_event now, then;  /* the first access whose value differs: in the failing execution, else */
    bool differs;        /* there is such an access */
    const rfi_record *record; /* of the execution that passes */
} rfi_need;
# define RFI_NEEDS 3u

/* What became of a failing schedule. */
typedef struct rfi_shrunk {
    uint64_t preemptions, before;     /* of it now, and as it was found */
    uint32_t tried;                   /* schedules with fewer, of which none failed so */
    uint64_t spent;                   /* executions that it has taken */
    bool over;                        /* there was not enough time */
    bool whole;                       /* nothing can be taken away any more, */
    bool fewest;                      /* and all schedules with fewer have been executed */
    bool newest;                      /* older values were found to be needless */
    uint32_t calls, calls_before;     /* of the scenario of a specified object, 0: there is none; */
    uint32_t callers, callers_before; /* and of how many threads */
    rfi_need need[RFI_NEEDS];
    uint32_t needs;
} rfi_shrunk;

/* What a finding is in its group, in the order in which they are told: the one that is told in
 * full; the one that all come of, if that is another; one with it by its places; one that vanishes
 * where it can't happen. */
typedef enum rfi_role { RFI_HEAD, RFI_ROOT, RFI_BESIDE, RFI_GONE } rfi_role;

/* A finding as printed: a warning or a failure. */
typedef struct rfi_finding {
    const rfi_warning *warning;      /* NULL: a failure */
    rfi_verdict verdict;             /* of the warning */
    const rfi_failure_kind *failure; /* what it did; or the failure itself */
    const char *token;               /* replays the execution in `record`; "" if there is none */
    const rfi_record *record;        /* of its replay; NULL if there was none (a potential race) */
    bool reproduced;                 /* the replay in a fresh process ended the same way */
    const rfi_shrunk *shrunk;        /* NULL: nobody has tried */
    const char *output;              /* what the execution wrote to stderr, its end; may be "" */
    const char *note;                /* one more sentence to print, or NULL */
    bool together;                   /* seen only when all races returned older values at once */
    bool expected;                   /* `.expect` names it */
    bool fails;                      /* it makes the test fail */
    uint32_t group;                  /* those of one number have one cause (groups.h) */
    uint32_t also;                   /* 0: the head of its group; else which of the others */
    uint32_t others;                 /* how many the head has */
    rfi_role role;                   /* in its group, */
    uint32_t nth;                    /* of those in this role */
    bool brief;                      /* in a line: another one of the group is told in full */
    bool gone;                       /* it vanishes where the race that is the root can't happen, */
    const rf_site *order[2];         /* or where this store and this load are ordered: */
    const struct rfi_finding *root;  /* in so many executions it was not met without that, */
    uint32_t without, with;          /* and in so many of them with it */
    uint64_t print;                  /* its fingerprint (suppress.h) */
    const char *suppressed;          /* by what it does not fail the test; NULL: by nothing */
} rfi_finding;

/* What an explorer has done in phase 1. */
typedef struct rfi_explored {
    const rf_strategy *strategy;
    uint32_t parameter;
    uint64_t executions, failed;
    uint64_t fresh;                  /* orders that no explorer had shown before */
    char summary[RFI_SUMMARY_BYTES]; /* what it says of itself, */
    bool tacit;                      /* which is told to those who want all; */
    bool proved;                     /* that it has gone through everything */
} rfi_explored;

/* Scenarios of a specified object.  Size i has 2 + i / calls threads, or one where there may be no
 * more, with up to i % calls + 1 calls each. */
# define RFI_SIZES             128u
# define RFI_SCENARIOS_COUNTED 20000u
typedef struct rfi_scenarios {
    uint32_t threads, calls; /* at most; 0: the test has no scenarios */
    uint32_t sizes, of_size[RFI_SIZES];
    uint32_t all;         /* RFI_SCENARIOS_COUNTED: or more, and the last sizes are not complete */
    uint64_t run, proved; /* proved: all executions of them, by explorers that enumerate, */
    uint32_t whole;       /* and those of the first so many sizes are among them */
    bool sampled;         /* `run` and `proved` are estimates: there were too many */
    bool later;           /* they are those of this process, and others were before it */
    bool once, sc;        /* what is proved (rfi_extent); */
    bool waits;           /* but for progress, which is asked for: calls may wait there */
    rfi_own_steps own;    /* where progress is asked for, and no call waits there */
} rfi_scenarios;

/* What phase 1 has seen of the ways in which the test can execute. */
typedef struct rfi_statistics {
    uint64_t switches, preemptions; /* of all executions */
    uint64_t compared;              /* executions whose orders could be compared, */
    uint64_t orders, once;          /* the distinct ones, and those seen in one execution only */
    rfi_left_out left_out;
    uint64_t skipped, omitted; /* executions that were skipped, by this process and by others */
    bool untold;               /* plain accesses of some units are not, or not all, announced */
    bool unstopped; /* nobody has stopped threads, as a test of progress does, nor proved that */
    bool sampled;   /* these two are estimates: there were too many */
    bool drawn;     /* no explorer goes through schedules in an order */
    bool proved;    /* one has gone through everything, and nothing fails */
    bool unsteady;  /* so it seemed, but an execution that was made again was another one */
    const rfi_explored *explorer;
    uint32_t explorers;
    const rfi_coverage *coverage; /* NULL: nobody wants it */
    rfi_own_steps own;            /* of calls that are to be wait-free, */
    const char *own_token;        /* and how to replay it; NULL: it can't be */
    rfi_scenarios scenarios;
} rfi_statistics;

/* What happened to worker processes that is no finding. */
typedef struct rfi_losses {
    uint32_t killed;            /* that somebody has killed: what they did was done again; */
    char how[24];               /* "SIGKILL", or what else ended them */
    uint32_t lost;              /* executions that the engine could not run, */
    char why[RFI_LAST_WORDS];   /* for this reason */
    char ended[RFI_LAST_WORDS]; /* why no worker could run any more; "": they could */
} rfi_losses;

/* Executions that were cut off when time was up. */
typedef struct rfi_cuts {
    uint64_t executions;
    const rf_site *site; /* where one of them stood, if that is known, */
    uint32_t thread;
    uint64_t steps; /* after so many */
} rfi_cuts;

/* The one with the most steps is told. */
RFI_FN void rfi_cuts_add(rfi_cuts *to, const rfi_cuts *from) {
    uint64_t sum = to->executions + from->executions;
    if (from->executions && (!to->executions || from->steps > to->steps)) *to = *from;
    to->executions = sum;
}

/* What it may have passed for: there was little to see. */
typedef struct rfi_sight {
    uint64_t steps;   /* of all executions of phase 1 */
    uint64_t kinds;   /* RF_EV_BIT()s of the operations in them */
    uint32_t threads; /* the most in one execution */
    bool unwatched;   /* there was code whose plain accesses nobody announces, */
    bool apart;       /* or that calls a C++ library which is not hooked */
    bool none;        /* phase 1 ran nothing: all was known */
} rfi_sight;

/* Threads that do nothing else can't be told apart by any schedule. */
RFI_FN bool rfi_sight_idle(const rfi_sight *s) {
    const uint64_t alone = RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_START) |
                           RF_EV_BIT(RF_EV_EXIT) | RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_DETACH) |
                           RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_INIT) |
                           RF_EV_BIT(RF_EV_DESTROY) | RF_EV_BIT(RF_EV_ENTER) |
                           RF_EV_BIT(RF_EV_LEAVE) | RF_EV_BIT(RF_EV_LOG) | RF_EV_BIT(RF_EV_END) |
                           RF_EV_BIT(RF_EV_CALL);
    return !(s->kinds & ~alone) && !rfi_code_announces;
}

/* Was there nothing that could be scheduled in another way? */
RFI_FN bool rfi_sight_none(const rfi_sight *s) {
    return !s->steps || s->threads <= 1 || rfi_sight_idle(s);
}

/* What a test's campaign did, for the summary of the test. */
typedef struct rfi_result {
    const rfi_test *test;
    uint64_t executions[RFI_PHASES], steps[RFI_PHASES], planned[RFI_PHASES];
    uint64_t merged; /* executions that stand in the folders of a merge */
    uint64_t
        first_failure; /* after how many executions, of all phases, the first failed; 0: none */
    rfi_statistics statistics;
    rfi_sight sight;
    double seconds;
    bool capped;              /* the cap in seconds ended it early */
    rfi_cuts cut, unfinished; /* unfinished: at the step limit, but threads made progress */
    uint64_t given_up;        /* executions that an explorer has ended before their end */
    rfi_losses losses;
    bool few;                   /* it passed after too few executions */
    uint32_t unreplayed;        /* findings that were told without a replay */
    bool stateful;              /* the test keeps state between executions */
    const rf_site *unannounced; /* an atomic access that found memory changed by something that
                                   racefuzz does not see; NULL: none did */
    const rfi_warning *warning;
    uint32_t warnings, warnings_left_out;
    uint32_t potential, real, destructive, harmful; /* number of warnings by verdict */
    unsigned found;                                 /* kinds found, RF_EXPECT_* or-ed */
    unsigned missing;                               /* kinds expected and not found */
    uint64_t led_to[RFI_MAX_FAILURES]; /* fingerprints of failures that came of warnings, */
    uint32_t leads;                    /* and how many */
    uint32_t suppressed, known;        /* findings that don't fail it: by a list, by the baseline */
    bool skipped, passed, elsewhere;   /* elsewhere: skipped, since other shards have all of it */
    char reason[256];                  /* why it was skipped or failed, one line */
} rfi_result;

RFI_FN uint64_t rfi_sum_of_phases(const uint64_t by_phase[RFI_PHASES]) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < RFI_PHASES; i++) sum += by_phase[i];
    return sum;
}

/* The whole run. */
typedef struct rfi_summary {
    const char *version; /* of racefuzz */
    uint64_t seed;
    uint32_t tests, passed, failed, skipped;
    uint32_t elsewhere;         /* of the skipped ones, those of other shards */
    uint32_t suppressed, known; /* findings */
    char division[160];         /* which part of the work this is, and why; "": all of it */
    uint32_t few;               /* of those that passed, those after too few executions */
    uint32_t ended;             /* of the failed ones, those that only lack workers that run */
} rfi_summary;

/* How far a campaign is. */
typedef struct rfi_standing {
    const char *test, *doing;
    uint32_t number, tests; /* the test is the number-th of so many */
    uint64_t done, total;   /* executions of what it is doing; total 0: they are not counted */
    uint64_t rate;          /* executions a second; 0: not known */
    uint64_t left;          /* seconds, for this test; UINT64_MAX: not known */
    uint32_t findings;
} rfi_standing;

/* A report format.  It reads findings and decides nothing.  All output goes to `out`.  What it has
 * nothing to say about is NULL. */
typedef struct rfi_reporter {
    const char *name;
    void (*begin)(FILE *out, const rfi_summary *s); /* s->tests and seed are known */
    void (*test)(FILE *out, const rfi_test *t);     /* a test begins */
    void (*finding)(FILE *out, const rfi_result *r, const rfi_finding *f);
    void (*result)(FILE *out, const rfi_result *r); /* it has ended */
    void (*end)(FILE *out, const rfi_summary *s); /* text: the last line is "N passed, N failed" */
    bool live; /* for people and harnesses, who read it while it is written */
} rfi_reporter;
#endif
#endif

/* report/statistics.h: how much of a test's behaviour phase 1 has seen.
 *
 * A few words in the result of a test; with --verbose, and in a report of its own (RF_REPORT), a
 * paragraph, and tables by explorer and by statement.  docs/pass.md says how to read them.
 */
#ifndef RFI_REPORT_STATISTICS_H
#define RFI_REPORT_STATISTICS_H
#include "campaign/tally.h"
#include "report/short.h"
#include "report/words.h"

#ifdef RFI_IMPL
# define RFI_FEW 10u /* executions of which no estimate is made */

RFI_VAR bool rfi_report_full; /* RF_VERBOSE, or a file: nothing is left out */

/* "1 execution", "2 executions" */
RFI_FN void rfi_say_number(rfi_line *l, uint64_t n, const char *what) {
    rfi_line_add(l, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

/* Then nothing can be said of what was not seen. */
RFI_FN bool rfi_left_out_any(const rfi_statistics *s) {
    return s->left_out.held_in || s->left_out.stopped || s->left_out.late || s->left_out.unused ||
           s->left_out.calm || s->left_out.anytime || s->left_out.processes ||
           s->left_out.elsewhere || s->unstopped || s->untold;
}

/* "plain accesses of bank.c (compile it with -fsanitize=thread)" */
RFI_FN void rfi_say_untold(rfi_line *l, unsigned said) {
    const rfi_untold unwatched = rfi_untold_unwatched(), optimised = rfi_untold_optimised();
    char text[200];
    if (unwatched.file) {
        rfi_untold_say(text, sizeof text, unwatched, "plain accesses of", "-fsanitize=thread");
        rfi_line_add(l, "%s%s", said++ ? ", and " : "", text);
    }
    if (!optimised.file) return;
    rfi_untold_say(text, sizeof text, optimised, "plain accesses that the compiler removes from",
                   "-O0");
    rfi_line_add(l, "%s%s", said ? ", and " : "", text);
}

/* ", and " between two. */
RFI_FN void rfi_say_left(rfi_line *l, unsigned *said, const char *what, uint64_t executions) {
    rfi_line_add(l, "%s%s", (*said)++ ? ", and " : "", what);
    rfi_say_number(l, executions, "execution");
}

/* "turns of spinning threads, held back 12 times in 3 executions" */
RFI_FN void rfi_say_left_out(rfi_line *l, const rfi_statistics *s) {
    const rfi_left_out *x = &s->left_out;
    unsigned said = 0;
    if (x->held_in) {
        rfi_line_add(l, "turns of spinning threads, held back ");
        rfi_say_number(l, x->held, "time");
        rfi_say_left(l, &said, " in ", x->held_in);
    }
    if (x->stopped) {
        rfi_say_left(l, &said, "the rest of ", x->stopped);
        rfi_line_add(l, " that did not end by %s", x->stopped == 1 ? "itself" : "themselves");
    }
    if (x->late) {
        rfi_say_left(l, &said, "sleeps and timed waits that end early, in ", x->late);
        rfi_line_add(l, " (--timeouts=any)");
    }
    if (x->unused) rfi_say_left(l, &said, "memory and handles given out again, in ", x->unused);
    if (x->calm) rfi_say_left(l, &said, "spurious wake-ups and failures, in ", x->calm);
    if (x->anytime)
        rfi_say_left(l, &said, "asynchronous cancellation at any moment, in ", x->anytime);
    if (x->elsewhere)
        rfi_say_left(l, &said, "handlers on a core of another thread than the one before, in ",
                     x->elsewhere);
    if (x->processes) rfi_say_left(l, &said, "what other processes do, in ", x->processes);
    if (s->unstopped)
        rfi_line_add(l, "%sprogress where threads are stopped", said++ ? ", and " : "");
    if (s->untold) rfi_say_untold(l, said);
}

/* Can the chance that a further execution is new be told from what was seen? */
RFI_FN bool rfi_chance_known(const rfi_statistics *s) { return s->drawn && s->compared >= RFI_FEW; }

/* That chance (Good-Turing): the share of executions whose order nobody else had. */
RFI_FN double rfi_chance_of_new(const rfi_statistics *s) {
    double p = s->compared ? (double)s->once / (double)s->compared : 0;
    return p < 1 ? p : 1;
}

RFI_VAR const char rfi_all_again[] = ", each seen more than once";

/* "412 distinct orders; about 9 % of further executions would show a new one" */
RFI_FN void rfi_say_orders(rfi_line *l, const rfi_statistics *s) {
    double p = rfi_chance_of_new(s);
    if (s->sampled) rfi_line_add(l, "about ");
    rfi_say_number(l, s->orders, "distinct order");
    if (!rfi_chance_known(s) || (!s->once && rfi_left_out_any(s))) return;
    if (!s->once)
        rfi_line_add(l, s->orders == 1 ? ", seen every time" : rfi_all_again);
    else if (p >= 0.995)
        rfi_line_add(l, "; nearly every further execution would show a new one");
    else if (p < 0.01)
        rfi_line_add(l, "; under 1 %% of further executions would show a new one");
    else
        rfi_line_add(l, "; about %.0f %% of further executions would show a new one", p * 100);
}

RFI_FN void rfi_say_explorer(rfi_line *l, const rfi_explored *x) {
    rfi_line_add(l, "%s", x->strategy->name);
    if (x->parameter != rfi_parameter_default(x->strategy)) rfi_line_add(l, ":%u", x->parameter);
}

/* "1000 executions (random 700, pct 300) with 3.1 switches and 1.2 preemptions each" */
RFI_FN void rfi_say_explored(rfi_line *l, const rfi_result *r) {
    const rfi_statistics *s = &r->statistics;
    uint64_t n = r->executions[0];
    rfi_say_number(l, n, "execution");
    for (uint32_t i = 0; s->explorers > 1 && i < s->explorers; i++) {
        rfi_line_add(l, i ? ", " : " (");
        rfi_say_explorer(l, &s->explorer[i]);
        rfi_line_add(l, " %llu", (unsigned long long)s->explorer[i].executions);
    }
    rfi_line_add(l, "%s with ", s->explorers > 1 ? ")" : "");
    if (n == 1) {
        rfi_line_add(l, "%llu switch%s and ", (unsigned long long)s->switches,
                     s->switches == 1 ? "" : "es");
        rfi_say_number(l, s->preemptions, "preemption");
    } else {
        rfi_line_add(l, "%.1f switches and %.1f preemptions each", (double)s->switches / (double)n,
                     (double)s->preemptions / (double)n);
    }
}

/* How many statements were scheduling points. */
RFI_FN void rfi_say_coverage(rfi_line *l, const rfi_coverage *c) {
    uint64_t preempted = 0, spared = 0;
    for (uint32_t i = 0; i < RFI_LENGTH(c->site); i++) {
        preempted += c->site[i].preemptions != 0;
        spared += c->site[i].decisions && !c->site[i].preemptions;
    }
    if (c->more) {
        rfi_line_add(l, "; more than %u statements were scheduling points", c->sites);
        return;
    }
    rfi_line_add(l, "; ");
    rfi_say_number(l, c->sites, "statement");
    rfi_line_add(l, c->sites == 1 ? " was a scheduling point" : " were scheduling points");
    rfi_line_add(l, ", a thread was preempted at %llu", (unsigned long long)preempted);
    if (spared)
        rfi_line_add(l, " and, though it could have been, never at %llu",
                     (unsigned long long)spared);
}

/* ---- tables ---- */

/* How many bytes of `name` fit into `room` columns. */
RFI_FN size_t rfi_fitting(const char *name, unsigned room) {
    size_t at = 0;
    unsigned columns = 0;
    for (unsigned n; (n = rfi_char(name + at, &columns)) != 0 && columns <= room; at += n)
        room -= columns;
    return at;
}

/* A name and three figures. */
RFI_FN void rfi_text_row(const rfi_term *t, rfi_style style, const char *name,
                         const char *const cell[3]) {
    enum { INDENT = 5, CELL = 12, MOST = 51 };
    unsigned room = t->width - INDENT - 3 * CELL;
    rfi_line l = {0};
    if (t->width < INDENT + 3 * CELL + 8) room = 8;
    if (room > MOST) room = MOST;
    bool fits = rfi_columns(name) <= room;
    rfi_line_add(&l, "%.*s%s", (int)rfi_fitting(name, fits ? room : room - 3), name,
                 fits ? "" : "...");
    fprintf(t->out, "%*s", INDENT, "");
    rfi_styled(t, style, "%s%*s%*s%*s%*s", l.s, (int)(room - rfi_columns(l.s)), "", CELL, cell[0],
               CELL, cell[1], CELL, cell[2]);
    fputc('\n', t->out);
}

RFI_FN void rfi_text_figures_row(const rfi_term *t, const char *name, uint64_t a, uint64_t b,
                                 uint64_t c) {
    char s[3][24];
    const uint64_t n[3] = {a, b, c};
    for (unsigned i = 0; i < 3; i++) snprintf(s[i], sizeof s[i], "%llu", (unsigned long long)n[i]);
    rfi_text_row(t, RFI_PLAIN, name, (const char *const[]){s[0], s[1], s[2]});
}

RFI_FN void rfi_text_explorers(const rfi_term *t, const rfi_statistics *s) {
    rfi_text_row(t, RFI_BOLD, "explorer",
                 (const char *const[]){"executions", "new orders", "failed"});
    for (uint32_t i = 0; i < s->explorers; i++) {
        const rfi_explored *x = &s->explorer[i];
        rfi_line l = {0};
        rfi_say_explorer(&l, x);
        rfi_text_figures_row(t, l.s, x->executions, x->fresh, x->failed);
    }
}

RFI_FN int rfi_covered_order(const void *x, const void *y) {
    const rfi_covered *a = *(const rfi_covered *const *)x, *b = *(const rfi_covered *const *)y;
    return rfi_site_before(a->site, b->site) ? -1 : 1;
}

/* The statements in the order of their places; how many.  To be freed. */
RFI_FN uint32_t rfi_covered_list(const rfi_coverage *c, const rfi_covered ***list) {
    uint32_t n = 0;
    *list = calloc(c->sites + 1, sizeof **list);
    if (!*list) rfi_die("out of memory (%u statements)", c->sites);
    for (uint32_t i = 0; i < RFI_LENGTH(c->site); i++)
        if (c->site[i].site) (*list)[n++] = &c->site[i];
    if (n) RFI_REAL(qsort)((void *)*list, n, sizeof **list, rfi_covered_order);
    return n;
}

/* "bank.c:26 reads account->balance" */
RFI_FN void rfi_say_statement(rfi_line *l, const rf_site *s) {
    rfi_say_place(l, s);
    rfi_line_add(l, " %s%s",
                 s->kind == RF_SITE_READ    ? "reads "
                 : s->kind == RF_SITE_WRITE ? "writes "
                                            : "",
                 rfi_expression(s));
}

RFI_FN void rfi_text_coverage(const rfi_term *t, const rfi_coverage *c) {
    const rfi_covered **list;
    if (!c->sites || c->more) return;
    uint32_t n = rfi_covered_list(c, &list);
    rfi_text_row(t, RFI_BOLD, "statement",
                 (const char *const[]){"executions", "decisions", "preemptions"});
    for (uint32_t i = 0; i < n; i++) {
        rfi_line l = {0};
        rfi_say_statement(&l, list[i]->site);
        rfi_text_figures_row(t, l.s, list[i]->executions, list[i]->decisions, list[i]->preemptions);
    }
    RFI_REAL(free)((void *)list);
}

/* ---- the whole ---- */

RFI_VAR const char rfi_all_proved[] = ": no failure is possible in this test";

RFI_FN void rfi_say_proved(rfi_line *l, const rfi_statistics *s) {
    bool whole = !s->skipped && !s->omitted;
    rfi_line_add(l, "%s%s", rfi_all_proved, whole ? "" : ", but for what RF_SKIP leaves out");
}

/* "all 24 executions explored (2 blocked): no failure is possible in this test", where nobody has
 * asked for it; else there is a line of its own. */
RFI_FN void rfi_say_proof(rfi_line *l, const rfi_statistics *s) {
    for (uint32_t i = 0; s->proved && i < s->explorers; i++) {
        const rfi_explored *x = &s->explorer[i];
        if (!x->tacit || !x->proved) continue;
        rfi_line_add(l, "; %s", x->summary);
        rfi_say_proved(l, s);
    }
}

/* Behind what an explorer that goes through all says of itself: that something was not tried, and
 * what, unless something else in the report says that. */
RFI_FN void rfi_say_but(rfi_line *l, const rfi_statistics *s, bool said) {
    if (!rfi_left_out_any(s)) return;
    rfi_line_add(l, said ? ", but for what was not tried" : ", but not tried: ");
    if (!said) rfi_say_left_out(l, s);
}

/* Does the line of the verdict, or that of phase 1, say how many orders were seen, and what was not
 * tried? */
RFI_FN bool rfi_says_orders(const rfi_result *r) {
    return rfi_report_full || (r->passed && !r->statistics.proved);
}

/* What explorers say of themselves. */
RFI_FN void rfi_text_summaries(const rfi_term *t, const rfi_result *r) {
    const rfi_statistics *s = &r->statistics;
    for (uint32_t i = 0; i < s->explorers; i++) {
        const rfi_explored *x = &s->explorer[i];
        rfi_line l = {0};
        bool asked = s->explorers == 1 || (x->strategy->serial && !x->tacit);
        if (!x->summary[0] || !(rfi_report_full || asked)) continue;
        rfi_say_explorer(&l, x);
        rfi_line_add(&l, ": %s", x->summary);
        bool proof = r->passed && s->proved && x->proved && !rfi_left_out_any(s);
        if (proof) rfi_say_proved(&l, s);
        if (x->strategy->serial) rfi_say_but(&l, s, s->compared && rfi_says_orders(r));
        rfi_wrapped(t, RFI_PLAIN, 0, 5, 7, l.s);
    }
}

/* What phase 1 has seen: the orders, the first failure, and what it has not tried. */
RFI_FN void rfi_say_seen(rfi_line *l, const rfi_result *r, bool orders) {
    const rfi_statistics *s = &r->statistics;
    if (orders) rfi_say_orders(l, s);
    if (r->first_failure) {
        rfi_line_add(l, "%sfirst failure after ", orders ? "; " : "");
        rfi_say_number(l, r->first_failure, "execution");
    }
    if (!orders || !rfi_left_out_any(s)) return;
    rfi_line_add(l, "; not tried: ");
    rfi_say_left_out(l, s);
}

/* "2 threads with 1 call each" */
RFI_FN void rfi_say_size(rfi_line *l, uint32_t threads, uint32_t calls) {
    rfi_say_number(l, threads, "thread");
    rfi_line_add(l, " with ");
    rfi_say_number(l, calls, "call");
    rfi_line_add(l, threads > 1 ? " each" : "");
}

/* "scenarios: 412 of 7056 up to 3 threads with 4 calls each were run; 230 are proved, among them
 * all up to 2 threads with 1 call each" */
RFI_FN void rfi_say_scenarios(rfi_line *l, const rfi_scenarios *s) {
    bool more = s->all == RFI_SCENARIOS_COUNTED, all = !more && s->proved >= s->all;
    const char *about = s->sampled ? "about " : "", *but = s->waits ? ", but for progress" : "";
    rfi_line_add(l, "scenarios: ");
    if (!all) rfi_line_add(l, "%s%llu of ", about, (unsigned long long)s->run);
    rfi_line_add(l, "%s%u%s up to ", all ? "all " : "", s->all, more ? " or more" : "");
    rfi_say_size(l, s->threads, s->calls);
    if (all) { /* under which conditions, their explorer says */
        rfi_line_add(l, " are proved%s", but);
        return;
    }
    rfi_line_add(l, s->run == 1 ? " was run" : " were run");
    if (s->later) rfi_line_add(l, " this time");
    if (!s->proved) return;
    rfi_line_add(l, "; %s%llu %s proved%s%s%s", about, (unsigned long long)s->proved,
                 s->proved == 1 ? "is" : "are", s->sc ? " " RFI_UNDER_SC : "",
                 s->once ? RFI_NOT_TWICE : "", but);
    if (!s->whole) return;
    rfi_line_add(l, ", among them all up to ");
    rfi_say_size(l, s->threads > 1 ? 2 + (s->whole - 1) / s->calls : 1,
                 (s->whole - 1) % s->calls + 1);
}

/* By what is asked for. */
RFI_VAR const char *const rfi_progress_proved[] = {"", "obstruction-free in what is proved",
                                                   "lock-free in what is proved",
                                                   "wait-free in what is proved"};

/* "wait freedom: a call takes up to 7 steps of its own (put)" */
RFI_FN void rfi_text_own(const rfi_term *t, const char *head, rfi_own_steps own) {
    rfi_line l = {0};
    rfi_line_add(&l, "%s: a call takes up to ", head);
    rfi_say_number(&l, own.most, "step");
    rfi_line_add(&l, " of its own (%s)", own.of);
    rfi_wrapped(t, RFI_PLAIN, 0, 5, 7, l.s);
}

RFI_FN void rfi_text_statistics(const rfi_term *t, const rfi_result *r) {
    const rfi_statistics *s = &r->statistics;
    rfi_line l = {0}, scenarios = {0};
    if (s->scenarios.sizes && !r->merged) {
        rfi_say_scenarios(&scenarios, &s->scenarios);
        rfi_wrapped(t, RFI_PLAIN, 0, 5, 7, scenarios.s);
    }
    if (s->scenarios.own.most)
        rfi_text_own(t, rfi_progress_proved[r->test->options.progress], s->scenarios.own);
    if (s->own.most) {
        rfi_text_own(t, "wait freedom", s->own);
        if (s->own_token) rfi_text_replay(t, s->own_token);
    }
    if (s->unsteady)
        rfi_wrapped(t, RFI_WARN, 0, 5, 7,
                    "nothing is proved: an execution that was made again was another one, so the "
                    "test depends on earlier ones or on chance that is not racefuzz's");
    if (!s->compared && !r->sight.none) return; /* none: all was done by earlier runs */
    if (!rfi_report_full || !s->compared) {
        rfi_text_summaries(t, r);
        return;
    }
    rfi_line_add(&l, "phase 1: ");
    rfi_say_explored(&l, r);
    rfi_line_add(&l, "; ");
    rfi_say_seen(&l, r, true);
    if (s->coverage) rfi_say_coverage(&l, s->coverage);
    rfi_wrapped(t, RFI_PLAIN, 0, 5, 7, l.s);
    rfi_text_summaries(t, r);
    rfi_text_explorers(t, s);
    if (s->coverage) rfi_text_coverage(t, s->coverage);
}
#endif
#endif

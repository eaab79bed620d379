/* spec/table.h: a scenario with its results, and why no order explains them.
 *
 * One column a thread, as Lincheck has it; then the longest order that explains some of the calls,
 * and what each call that could be next would return there.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_SPEC_TABLE_H
#define RFI_SPEC_TABLE_H
#include "engine/support.h"
#include "spec/sequential.h"

#ifdef RFI_IMPL
RFI_FN void rfi_say_result(rfi_text *out, const rfi_operation *o, uint64_t v) {
    double real;
    switch (o->result) {
    case 'b': rfi_append(out, "%s", v ? "true" : "false"); break;
    case 'd':
        memcpy(&real, &v, sizeof real);
        rfi_append(out, "%g", real);
        break;
    case 'u': rfi_append(out, "%llu", (unsigned long long)v); break;
    default: rfi_append(out, "%lld", (long long)(int64_t)v); break;
    }
}

/* "put(1, 2)" */
RFI_FN void rfi_say_made(rfi_text *out, const rfi_invocation *c) {
    rfi_append(out, "%s(", c->of->options.rfi_name);
    for (unsigned i = 0; i < c->of->arguments; i++)
        rfi_append(out, "%s%lld", i ? ", " : "", (long long)c->argument[i]);
    rfi_append(out, ")");
}

/* Of a call that has not returned. */
RFI_VAR const char *rfi_say_open = " waits";

/* "put(1, 2) = true" */
RFI_FN void rfi_say_call(rfi_text *out, const rfi_invocation *c) {
    rfi_say_made(out, c);
    if (!c->returned) rfi_append(out, "%s", rfi_say_open);
    if (!c->returned || c->of->result == 'v') return;
    rfi_append(out, " = ");
    rfi_say_result(out, c->of, c->result);
}

/* A line of the interleaving. */
RFI_FN void rfi_say_logged(const rf_site *s, const rfi_invocation *c) {
    char text[128];
    rfi_text out = {text, text + sizeof text};
    if (!rfi_listening(RF_EV_LOG)) return;
    (c->returned ? rfi_say_call : rfi_say_made)(&out, c);
    rfi_log(s, "%s%s", text, c->returned ? "" : " ...");
}

/* Calls of the first thread: those before the others start, or after they have ended. */
RFI_FN void rfi_say_alone(rfi_text *out, const rfi_history *h, bool after) {
    const char *between = after ? "\n  after:  " : "\n  before: ";
    uint32_t others = UINT32_MAX;
    for (uint32_t l = 1; l < h->lanes; l++)
        if (h->length[l] && h->lane[l][0] < others) others = h->lane[l][0];
    for (uint32_t i = 0; i < h->length[0]; i++) {
        uint32_t number = h->lane[0][i];
        bool later = number > others;
        if (later != after) continue;
        rfi_append(out, "%s", between);
        rfi_say_call(out, &h->call[number]);
        between = ", ";
    }
}

/* What stands in a row of a lane's column: row 0 is its head. */
RFI_FN uint32_t rfi_say_cell(char cell[96], const rfi_history *h, uint32_t lane, uint32_t row) {
    rfi_text text = {cell, cell + 96};
    *cell = 0;
    if (!row)
        rfi_append(&text, "T%u", h->length[lane] ? h->call[h->lane[lane][0]].thread : lane);
    else if (row <= h->length[lane])
        rfi_say_call(&text, &h->call[h->lane[lane][row - 1]]);
    return (uint32_t)(text.at - cell);
}

/* One row a call of each thread. */
RFI_FN void rfi_say_rows(rfi_text *out, const rfi_history *h) {
    uint32_t rows = 0, width[RFI_LANES] = {0}, n;
    char cell[96];
    for (uint32_t l = 1; l < h->lanes; l++) {
        if (h->length[l] > rows) rows = h->length[l];
        for (uint32_t row = 0; row <= h->length[l]; row++)
            if ((n = rfi_say_cell(cell, h, l, row)) > width[l]) width[l] = n;
    }
    for (uint32_t row = 0; rows && row <= rows; row++) {
        rfi_append(out, "\n");
        n = 0; /* columns that are to be made up for */
        for (uint32_t l = 1; l < h->lanes; l++) {
            uint32_t used = rfi_say_cell(cell, h, l, row);
            if (used) rfi_append(out, "%*s%s", (int)n + 2, "", cell);
            n = used ? width[l] - used : n + 2 + width[l];
        }
    }
}

/* What a call does after the longest order that was found. */
RFI_FN void rfi_say_next(rfi_text *out, rfi_outcome o, const rfi_invocation *c) {
    rfi_append(out, "\n  ");
    rfi_say_made(out, c);
    if (c->lane) rfi_append(out, " of T%u", c->thread);
    if (o.fit == RFI_BLOCKS) {
        rfi_append(out, " would wait there for ever");
        return;
    }
    rfi_append(out, " would return%s", c->of->result == 'v' ? "" : " ");
    if (c->of->result != 'v') rfi_say_result(out, c->of, o.result);
    rfi_append(out, c->returned ? " there, not " : " there, and waits");
    if (!c->returned) return;
    rfi_say_result(out, c->of, c->result);
}

RFI_FN void rfi_say_why(rfi_text *out, rfi_asking *x) {
    rfi_check *k = &x->check;
    const rfi_history *h = k->history;
    uint32_t said = 0;
    rfi_check_longest(k);
    rfi_append(out, "\nthe most that one order explains: ");
    for (uint32_t i = 0; i < k->depth; i++) {
        rfi_append(out, i ? ", " : "");
        rfi_say_made(out, &h->call[k->order[i]]);
    }
    rfi_append(out, k->depth ? ";" : "nothing;");
    for (uint32_t i = 0; i < rfi_check_width(k) && said < 4; i++) {
        const rfi_invocation *c = rfi_check_next(k, i);
        if (!c || (!c->returned && !k->stuck)) continue;
        rfi_say_next(out, rfi_asking_outcome(x, c), c);
        said++;
    }
}

/* How many threads make calls, beside the first one. */
RFI_FN uint32_t rfi_say_lanes(const rfi_history *h) {
    uint32_t n = 0;
    for (uint32_t l = 1; l < h->lanes; l++) n += h->length[l] != 0;
    return n;
}

/* No other thread has a part in it. */
RFI_FN void rfi_say_one(rfi_text *out, const rfi_asking *x) {
    rfi_append(out, "\nthese calls are made one by one: %s",
               x->model ? "the model and the object differ"
                        : "results depend on what RF_OBJECT does not set up, or on addresses, "
                          "time or chance");
}

/* How the call failed that was tried last.  It is made again: others may have found that out, and
 * other calls may have failed since. */
RFI_FN void rfi_say_broken(rfi_text *out, rfi_asking *x) {
    const rfi_check *k = &x->check;
    for (uint32_t i = 0; i < rfi_check_width(k); i++) {
        const rfi_invocation *c = k->tried[k->depth] >> i & 1 ? rfi_check_next(k, i) : NULL;
        if (!c || rfi_asking_outcome(x, c).fit != RFI_BREAKS) continue;
        if (rfi_sequential_ask(x, c).fit != RFI_BREAKS) continue; /* it depends on more */
        const rfi_failure *f = &rfi_sequential.question->failure;
        rfi_append(out, "\n%s: %s", rfi_diagnostic(f->diagnostic)->words, f->message);
    }
}

/* The history that was searched last, which has no order. */
RFI_FN void rfi_say_history(rfi_text *out, rfi_asking *x) {
    const rfi_history *h = x->check.history;
    rfi_append(out,
               x->check.broken ? "%sthese calls fail even if one thread makes them, one by one"
                               : "%sno order of these calls explains their results:",
               x->check.stuck ? "\n" : "");
    rfi_say_alone(out, h, false);
    rfi_say_rows(out, h);
    rfi_say_alone(out, h, true);
    if (x->check.broken) {
        rfi_say_broken(out, x);
        return;
    }
    rfi_say_why(out, x);
    if (rfi_say_lanes(h) < 2) rfi_say_one(out, x);
}

/* No order explains what has come so far. */
RFI_FN RFI_NORETURN void rfi_scenario_fail(const rf_site *s, rfi_asking *x) {
    char text[RFI_MESSAGE_BYTES];
    rfi_text out = {text, text + sizeof text};
    rfi_say_open = " ...";
    rfi_say_history(&out, x);
    rfi_fail_test(s, x->check.broken ? RF_DIAG_FAIL : RF_DIAG_NOT_LINEARIZABLE, "%s", text);
}
#endif
#endif

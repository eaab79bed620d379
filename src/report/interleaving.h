/* report/interleaving.h: the picture of one execution, a column per thread, time going down.
 *
 * A row is one event: file:line at the left margin, the rest in the column of its thread.  A thread
 * has a line | from its first row to its last; where another thread goes on, an arrow leads from
 * the column of the one to the column of the other.  A text may run over columns to its right,
 * which are empty in its row, so that many columns fit.  Where they do not, the same rows are
 * printed as a list with the thread in front.
 *
 * Every step that the cut leaves out is counted in a row "... 24 steps of T1 ...".
 */
#ifndef RFI_REPORT_INTERLEAVING_H
#define RFI_REPORT_INTERLEAVING_H
#include "report/cut.h"
#include "report/words.h"

#ifdef RFI_IMPL
# define RFI_LANES       16u
# define RFI_STRIDE      10u /* least distance of two columns: room for an arrow */
# define RFI_LAST_COLUMN 24u /* least width of the last one, which has none to run over */

typedef struct rfi_lane {
    uint32_t thread;
    uint64_t first, last; /* rows */
} rfi_lane;

typedef struct rfi_picture {
    rfi_term term;
    rfi_cut cut;
    rfi_lane lane[RFI_LANES];
    unsigned lanes; /* threads with rows; RFI_LANES + 1: more than fit */
    bool list;
    unsigned count_columns, place_columns; /* of the event's number and of file:line */
    unsigned base, stride, widest;         /* first column, distance of columns, longest text */
    uint32_t thread; /* of the row before; RFI_NO_THREAD: nothing leads on from there */
} rfi_picture;

/* ---- where they stand ---- */

/* The lane of a thread; RFI_LANES if it has none. */
RFI_FN unsigned rfi_lane_of(const rfi_picture *p, uint32_t thread) {
    unsigned i = 0, n = p->lanes < RFI_LANES ? p->lanes : RFI_LANES;
    while (i < n && p->lane[i].thread != thread) i++;
    return i < n ? i : RFI_LANES;
}

/* A row comes to stand: its thread gets a lane, in the order of thread numbers. */
RFI_FN void rfi_row_measure(rfi_picture *p, uint64_t number, uint32_t thread, const rf_site *site,
                            const char *text) {
    rfi_line place = {0};
    rfi_say_place(&place, site);
    unsigned columns = rfi_columns(place.s), width = rfi_columns(text), i = rfi_lane_of(p, thread);
    if (columns > p->place_columns) p->place_columns = columns;
    if (width > p->widest) p->widest = width;
    if (i < RFI_LANES) {
        p->lane[i].last = number;
    } else if (p->lanes >= RFI_LANES) {
        p->lanes = RFI_LANES + 1;
    } else {
        for (i = p->lanes++; i > 0 && p->lane[i - 1].thread > thread; i--)
            p->lane[i] = p->lane[i - 1];
        p->lane[i] = (rfi_lane){thread, number, number};
    }
}

/* The failure's own row, after all events, in the column of the thread that failed. */
RFI_FN bool rfi_has_failure_row(const rfi_picture *p) {
    return p->cut.r->failure.diagnostic != RF_DIAG_NONE &&
           p->cut.r->failure.thread != RFI_NO_THREAD;
}

RFI_FN const char *rfi_failure_words(const rfi_picture *p) {
    return rfi_diagnostic(p->cut.r->failure.diagnostic)->words;
}

RFI_FN void rfi_layout(rfi_picture *p) {
    for (uint64_t i = p->cut.first; i < p->cut.end; i++) {
        if (!(p->cut.mark[i - p->cut.first] & RFI_KEEP)) continue;
        const rf_event *e = rfi_event_at(p->cut.r, i);
        rfi_line text = {0};
        rfi_say_event(&text, p->cut.r, e);
        rfi_row_measure(p, i, e->thread, e->site, text.s);
    }
    if (rfi_has_failure_row(p))
        rfi_row_measure(p, p->cut.end, p->cut.r->failure.thread, p->cut.r->failure.site,
                        rfi_failure_words(p));
    for (unsigned i = 0; i < p->lanes && i < RFI_LANES; i++) {
        rfi_line label = {0};
        rfi_say_thread(&label, p->cut.r, p->lane[i].thread);
        unsigned columns = rfi_columns(label.s);
        if (columns > p->widest) p->widest = columns;
    }
    unsigned width = p->term.width, most = width / 3 < 24 ? width / 3 : 24;
    if (p->place_columns > most) p->place_columns = most;
    p->base = 4 + p->count_columns + p->place_columns + 2;
    if (p->lanes <= 1) return;
    unsigned room = width - p->base, gaps = p->lanes - 1;
    p->stride = room / p->lanes;
    if (p->stride < RFI_LAST_COLUMN)
        p->stride = room < RFI_LAST_COLUMN ? 0 : (room - RFI_LAST_COLUMN) / gaps;
    if (p->stride > p->widest + 5) p->stride = p->widest + 5;
    p->list = p->lanes > RFI_LANES || p->stride < RFI_STRIDE;
    if (!p->list) return;
    p->stride = 0;
    for (uint32_t t = p->cut.threads; t > 9; t /= 10)
        p->base++; /* the thread in front: "T1", "T12" */
    p->base += 3;
}

/* ---- drawing ---- */

/* The lines of all threads at a row, and the arrow that leads to lane `to` if another thread ran
 * before; `end` is the column after the row's text.  Returns the number of characters. */
RFI_FN unsigned rfi_draw_lanes(const rfi_picture *p, uint64_t number, unsigned to, unsigned end,
                               bool arrow, char *row) {
    unsigned from = arrow ? rfi_lane_of(p, p->thread) : RFI_LANES, width = p->term.width - p->base;
    unsigned a = from * p->stride, b = to * p->stride;
    memset(row, ' ', width);
    for (unsigned i = 0; i < p->lanes; i++)
        if (p->lane[i].first <= number && number <= p->lane[i].last) row[i * p->stride] = '|';
    if (from < to && to < RFI_LANES) {
        row[a] = '+';
        memset(row + a + 1, '-', b - a - 3);
        memcpy(row + b - 2, "> ", 2);
    } else if (from < RFI_LANES && from > to && end + 4 <= a) {
        memcpy(row + end, " <", 2);
        memset(row + end + 2, '-', a - end - 2);
        row[a] = '+';
    }
    if (end < width) row[end] = ' ';
    while (width && row[width - 1] == ' ') width--;
    return width;
}

/* Left of the text: mark, number of the event, place; in a list the thread. */
RFI_FN void rfi_row_margin(const rfi_picture *p, rfi_style style, char mark, uint64_t number,
                           uint32_t thread, const rf_site *site) {
    FILE *out = p->term.out;
    rfi_line place = {0}, label = {0};
    rfi_say_place(&place, site);
    const char *s = place.s; /* a long file name loses its beginning */
    unsigned used, columns = rfi_columns(s);
    for (; columns > p->place_columns; columns -= used) s += rfi_char(s, &used);
    fputs("  ", out);
    if (p->list) {
        if (thread == p->thread)
            rfi_line_add(&label, "|");
        else
            rfi_line_add(&label, "T%u", thread);
        rfi_styled(&p->term, style, "%-*s",
                   (int)(p->base - p->place_columns - p->count_columns - 6), label.s);
    }
    rfi_styled(&p->term, style, "%c ", mark);
    if (p->count_columns) fprintf(out, "%*.0f  ", (int)p->count_columns - 2, (double)number);
    rfi_styled(&p->term, style, "%s", s);
    fprintf(out, "%*s", (int)(p->place_columns - columns) + 2, "");
}

RFI_FN void rfi_row(rfi_picture *p, char mark, uint64_t number, uint32_t thread,
                    const rf_site *site, const char *text) {
    FILE *out = p->term.out;
    rfi_style style = mark == '*' ? RFI_WARN : mark == '!' ? RFI_BAD : RFI_PLAIN;
    unsigned lane = p->list ? 0 : rfi_lane_of(p, thread), room = p->term.width - p->base, hang = 0;
    bool arrow = !p->list && p->thread != thread;
    rfi_row_margin(p, style, mark, number, thread, site);
    do {
        unsigned at = lane * p->stride + hang, used;
        size_t n = rfi_line_fit(text, room - at, &used);
        if (hang) fprintf(out, "%*s", (int)p->base, "");
        if (p->list) {
            fprintf(out, "%*s", (int)hang, "");
            rfi_styled(&p->term, style, "%.*s", (int)n, text);
        } else {
            char row[RFI_WIDTH_MOST];
            unsigned width = rfi_draw_lanes(p, number, lane, at + used, arrow, row);
            if (at > hang) rfi_styled(&p->term, RFI_DIM, "%.*s", (int)(at - hang), row);
            fprintf(out, "%*s", (int)hang, "");
            rfi_styled(&p->term, style, "%.*s", (int)n, text);
            if (width > at + used)
                rfi_styled(&p->term, RFI_DIM, "%.*s", (int)(width - at - used), row + at + used);
        }
        fputc('\n', out);
        text += n;
        while (*text == ' ') text++;
        arrow = false;
        hang = 2;
    } while (*text);
    p->thread = thread;
}

/* A remark between the rows. */
RFI_FN void rfi_between(rfi_picture *p, rfi_style style, const char *text) {
    unsigned indent = p->list ? p->base - p->place_columns - 2 : p->base;
    rfi_wrapped(&p->term, style, 0, indent, indent, text);
    p->thread = RFI_NO_THREAD;
}

/* The steps among events first..end-1, which are left out. */
RFI_FN void rfi_fold(rfi_picture *p, uint64_t first, uint64_t end) {
    uint32_t thread[4];
    unsigned threads = 0;
    uint64_t steps = 0;
    for (uint64_t i = first; i < end; i++) {
        const rf_event *e = rfi_event_at(p->cut.r, i);
        if (!rfi_is_step(&p->cut, e)) continue;
        steps++;
        unsigned k = 0;
        while (k < threads && thread[k] != e->thread) k++;
        if (k == threads && threads < 4) thread[threads++] = e->thread;
    }
    if (!steps) return;
    rfi_line l = {0};
    rfi_line_add(&l, "... %llu step%s of ", (unsigned long long)steps, steps == 1 ? "" : "s");
    if (threads == 4) rfi_line_add(&l, "many threads");
    for (unsigned k = 0; k < threads && threads < 4; k++)
        rfi_line_add(&l, "%sT%u", k == 0 ? "" : k + 1 < threads ? ", " : " and ", thread[k]);
    rfi_line_add(&l, " ...");
    rfi_between(p, RFI_DIM, l.s);
}

/* The columns' heads: on one line, or as stairs when they are longer than the columns are wide; for
 * a list the names of the threads. */
RFI_FN void rfi_heads(rfi_picture *p) {
    rfi_line l[RFI_LANES], names = {0};
    unsigned n = p->lanes < RFI_LANES ? p->lanes : RFI_LANES;
    bool stairs = false;
    for (unsigned i = 0; i < n; i++) {
        l[i].bytes = 0;
        rfi_say_thread(&l[i], p->cut.r, p->lane[i].thread);
        rfi_line_add(&names, "%s%s", i ? ", " : "", l[i].s);
        if (i + 1 < n) stairs |= rfi_columns(l[i].s) >= p->stride;
    }
    if (p->lanes > RFI_LANES) rfi_line_add(&names, ", ...");
    if (p->list) {
        rfi_wrapped(&p->term, RFI_BOLD, 0, 2, 4, names.s);
        return;
    }
    fprintf(p->term.out, "%*s", (int)p->base, "");
    for (unsigned i = 0; i < n; i++) {
        unsigned used; /* only the last one, or one of the stairs, can be longer than its room */
        size_t bytes = rfi_line_fit(l[i].s, p->term.width - p->base - i * p->stride, &used);
        rfi_styled(&p->term, RFI_BOLD, "%.*s", (int)bytes, l[i].s);
        if (i + 1 == n) break;
        if (!stairs) {
            fprintf(p->term.out, "%*s", (int)(p->stride - used), "");
            continue;
        }
        fprintf(p->term.out, "\n%*s", (int)p->base, "");
        for (unsigned k = 0; k <= i; k++)
            rfi_styled(&p->term, RFI_DIM, "%-*s", (int)p->stride, "|");
    }
    fputc('\n', p->term.out);
}

/* What was produced at this point. */
RFI_FN void rfi_say_meeting(rfi_line *l, const rfi_cut *c) {
    const rfi_race_lines *race = &c->race;
    bool races = race->e[1] && rf_events_conflict(race->e[0], race->e[1]);
    if (c->warning ? c->warning->family == RF_FAMILY_RACE : races)
        rfi_line_add(l, "-- the race: T%u and T%u both stand at their access --",
                     race->e[0]->thread, race->e[1]->thread);
    else if (race->e[1] && race->e[0]->kind == RF_EV_BREAK && race->e[1]->kind == RF_EV_BREAK)
        rfi_line_add(l, "-- the breakpoint: T%u and T%u both stand there --", race->e[0]->thread,
                     race->e[1]->thread);
    else
        rfi_line_add(l, "-- %s%s --",
                     c->warning && c->warning->family != RF_FAMILY_OTHER ? "the " : "",
                     c->warning ? rfi_warning_words(c->warning) : "produced here");
}

RFI_FN void rfi_rows(rfi_picture *p) {
    const rfi_record *r = p->cut.r;
    uint64_t told = p->cut.first; /* events before it are rows or in a fold */
    for (uint64_t i = p->cut.first; i <= p->cut.end; i++) {
        uint8_t mark = i < p->cut.end ? p->cut.mark[i - p->cut.first] : 0;
        if (!(mark & RFI_KEEP) && i != p->cut.race.at && i < p->cut.end) continue;
        rfi_fold(p, told, i);
        told = i;
        if (i == p->cut.race.at) {
            rfi_line l = {0};
            rfi_say_meeting(&l, &p->cut);
            rfi_between(p, RFI_WARN, l.s);
        }
        if (!(mark & RFI_KEEP)) continue;
        const rf_event *e = rfi_event_at(r, i);
        rfi_line text = {0};
        rfi_say_event(&text, r, e);
        rfi_row(p, mark & RFI_STAR ? '*' : ' ', i, e->thread, e->site, text.s);
        told = i + 1;
    }
    if (rfi_has_failure_row(p))
        rfi_row(p, '!', p->cut.end, r->failure.thread, r->failure.site, rfi_failure_words(p));
}

RFI_FN void rfi_title(const rfi_picture *p) {
    rfi_line l = {0};
    const rfi_warning *w = p->cut.warning;
    const char *starred = !w || w->family == RF_FAMILY_RACE ? "racing access"
                          : w->sides                        ? "named above"
                                                            : rfi_family(w->family)->words;
    bool star = false;
    for (uint64_t i = p->cut.first; i < p->cut.end; i++)
        star |= p->cut.mark[i - p->cut.first] & RFI_STAR;
    rfi_line_add(&l, "%s (time goes down", p->cut.whole ? "all steps" : "how it came about");
    if (star) rfi_line_add(&l, ", * %s", starred);
    rfi_line_add(&l, "%s):", rfi_has_failure_row(p) ? ", ! failure" : "");
    rfi_wrapped(&p->term, RFI_BOLD, 0, 2, 2, l.s);
}

/* Where the first hit was, if its steps are among those that were not kept. */
RFI_FN void rfi_lost_hit(rfi_picture *p) {
    const rfi_record *r = p->cut.r;
    const rfi_hit *h = &r->hit[0];
    if (!r->hit_count || h->at >= p->cut.first) return;
    for (unsigned i = 0; i < h->events; i++) {
        rfi_line l = {0};
        rfi_line_add(&l, "among them: T%u ", h->e[i].thread);
        rfi_say_event(&l, r, &h->e[i]);
        rfi_line_add(&l, ", ");
        rfi_say_place(&l, h->e[i].site);
        rfi_between(p, RFI_WARN, l.s);
    }
}

/* Draws the execution; `pair` says which race is meant, NULL: the first one of the execution. */
RFI_FN void rfi_picture_draw(const rfi_term *t, const rfi_record *r, const rfi_warning *pair,
                             bool whole) {
    rfi_picture p = {.term = *t, .cut = rfi_cut_make(r, pair, whole), .thread = RFI_NO_THREAD};
    uint64_t first = p.cut.first, end = p.cut.end;
    if (whole) {
        p.count_columns = 3;
        for (uint64_t n = end; n > 9; n /= 10) p.count_columns++;
    }
    rfi_layout(&p);
    rfi_title(&p);
    if (p.lanes) rfi_heads(&p);
    if (first == end) rfi_wrapped(t, RFI_DIM, 0, 4, 4, "no step was recorded");
    if (first && first < end) {
        rfi_line l = {0};
        rfi_line_add(&l, "... %llu earlier steps were not kept ...", (unsigned long long)first);
        rfi_between(&p, RFI_DIM, l.s);
        rfi_lost_hit(&p);
    }
    rfi_rows(&p);
    rfi_cut_free(&p.cut);
}

/* Is the access of side k in the execution that is shown?  Other warnings may have more sides. */
RFI_FN bool rfi_side_raced(const rfi_finding *f, unsigned k, const rfi_race_lines *race) {
    return f->warning->family == RF_FAMILY_RACE && race->number[k] != RFI_NEVER;
}
#endif
#endif

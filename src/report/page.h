/* report/page.h: an execution as data for a page, which draws it and steps through it (page.html).
 *
 * {"title", "rows", "links", "threads", "variables", "locks"}.  A row is a step {n: its number,
 * t: thread, k: what it is, x: in words, p: place, m: named, h: left out until somebody wants it},
 * the failure {f: its message}, or a remark between steps {x}.  What a row changes stands in it:
 * v: [[variable, value, thread that wrote it]], l: [[lock, thread, +1 or -1]].  Links lead from row
 * to row.  Numbers of threads and locks are those of the execution, of variables and places the
 * indices of lists.
 */
#ifndef RFI_REPORT_PAGE_H
#define RFI_REPORT_PAGE_H
#include "report/json.h"
#include "report/links.h"
#include "report/statistics.h"

#ifdef RFI_IMPL
# define RFI_PAGE_STEPS   5000u /* of longer executions only what the picture shows is there */
# define RFI_PAGE_WATCHED 64u   /* variables */
# define RFI_PAGE_AROUND  4u    /* lines of the source before and after a step's */

/* ---- places, and what stands there ---- */

typedef struct rfi_page_line {
    uint32_t file, line; /* the file by its index */
} rfi_page_line;

typedef struct rfi_page_places {
    rfi_json list;      /* of one finding: [label, file, line, function] */
    rfi_map number;     /* by site: its index in the list, and 1 */
    const char **files; /* of all findings */
    uint32_t files_count, files_room, count;
    rfi_page_line *lines; /* that steps stand at */
    uint32_t lines_count, lines_room;
} rfi_page_places;

RFI_FN uint32_t rfi_page_file(rfi_page_places *p, const char *name) {
    uint32_t i = 0;
    while (i < p->files_count && strcmp(p->files[i], name) != 0) i++;
    if (i < p->files_count) return i;
    p->files = rfi_grow((void *)p->files, &p->files_room, i + 1, sizeof *p->files);
    p->files[p->files_count++] = name;
    return i;
}

/* The place's index. */
RFI_FN uint64_t rfi_page_place(rfi_page_places *p, const rf_site *site) {
    uint64_t *known = rfi_map_at(&p->number, (uint64_t)(uintptr_t)site);
    if (*known) return *known - 1;
    rfi_where w = rfi_site_where(site);
    rfi_page_line line = {rfi_page_file(p, w.file), w.offset ? 0 : w.line};
    rfi_line function = {0};
    rfi_say_function(&function, w);
    rfi_json_open(&p->list, NULL, '[');
    rfi_json_string(&p->list, NULL, RFI_AT(site));
    rfi_json_number(&p->list, NULL, line.file);
    rfi_json_number(&p->list, NULL, line.line);
    rfi_json_string(&p->list, NULL, function.s);
    rfi_json_close(&p->list, ']');
    p->lines = rfi_grow(p->lines, &p->lines_room, p->lines_count + 1, sizeof *p->lines);
    p->lines[p->lines_count++] = line;
    *known = ++p->count;
    return p->count - 1;
}

RFI_FN bool rfi_page_wants_line(const rfi_page_places *p, uint32_t file, uint32_t line) {
    for (uint32_t i = 0; i < p->lines_count; i++) {
        const rfi_page_line *l = &p->lines[i];
        if (l->file == file && l->line && line <= l->line + RFI_PAGE_AROUND &&
            line + RFI_PAGE_AROUND >= l->line)
            return true;
    }
    return false;
}

/* What stands around the places in a file; nothing if it is not there. */
RFI_FN void rfi_page_source(rfi_json *j, const rfi_page_places *p, uint32_t file) {
    struct stat about;
    char text[256];
    bool regular = !stat(p->files[file], &about) && S_ISREG(about.st_mode);
    FILE *f = regular ? RFI_REAL(fopen)(p->files[file], "r") : NULL;
    rfi_json_open(j, "lines", '[');
    for (uint32_t line = 1; f && RFI_REAL(fgets)(text, sizeof text, f); line++) {
        char *end = strchr(text, '\n'), more[256];
        while (!end && RFI_REAL(fgets)(more, sizeof more, f) && !strchr(more, '\n')) continue;
        if (!rfi_page_wants_line(p, file, line)) continue;
        text[strcspn(text, "\r\n")] = 0;
        rfi_json_open(j, NULL, '[');
        rfi_json_number(j, NULL, line);
        rfi_json_string(j, NULL, text);
        rfi_json_close(j, ']');
    }
    if (f) fclose(f);
    rfi_json_close(j, ']');
}

/* ---- one execution ---- */

typedef struct rfi_page_variable {
    const rf_event *first; /* access */
    uint32_t number;       /* among the watched ones, and 1 */
    bool shared, written, known;
    uint64_t skipped; /* 1 + the last event that changed it and has no row */
} rfi_page_variable;

typedef struct rfi_page_holding {
    uint32_t lock, thread;
    int change;
} rfi_page_holding;

typedef struct rfi_page_run {
    rfi_json *j;
    const rfi_record *r;
    rfi_page_places *places;
    rfi_cut cut;
    bool all;      /* its steps have rows, */
    uint32_t rows; /* so many up to now */
    uint32_t *row; /* 1 + the row of event - first; 0: it has none */
    rfi_map index; /* by address: index of the variable, and 1 */
    rfi_page_variable *variable;
    uint32_t variables, variable_room, watched[RFI_PAGE_WATCHED], watches;
    rfi_page_holding *holding; /* of events without rows */
    uint32_t holdings, holding_room;
    uint64_t skipped; /* steps without rows since the last row */
} rfi_page_run;

/* An access whose value is known. */
RFI_FN bool rfi_page_values(const rf_event *e) {
    return rfi_is_access(e) && !e->object && !(e->flags & RF_EV_RANGE) && e->size <= 8;
}

RFI_FN rfi_page_variable *rfi_page_variable_of(const rfi_page_run *p, const rf_event *e) {
    const uint64_t *n = rfi_map_find(&p->index, (uint64_t)(uintptr_t)e->addr);
    return n ? &p->variable[*n - 1] : NULL;
}

/* Watched is what several threads access and one writes. */
RFI_FN void rfi_page_watch(rfi_page_run *p) {
    for (uint64_t i = p->cut.first; i < p->cut.end; i++) {
        const rf_event *e = rfi_event_at(p->r, i);
        if (!rfi_page_values(e)) continue;
        uint64_t *n = rfi_map_at(&p->index, (uint64_t)(uintptr_t)e->addr);
        if (!*n) {
            p->variable =
                rfi_grow(p->variable, &p->variable_room, p->variables + 1, sizeof *p->variable);
            p->variable[p->variables] = (rfi_page_variable){.first = e};
            *n = ++p->variables;
        }
        rfi_page_variable *v = &p->variable[*n - 1];
        v->shared |= v->first->thread != e->thread;
        v->written |= (e->flags & RF_EV_WRITES) != 0;
    }
    for (uint32_t i = 0; i < p->variables && p->watches < RFI_PAGE_WATCHED; i++) {
        if (!p->variable[i].shared || !p->variable[i].written) continue;
        p->watched[p->watches++] = i;
        p->variable[i].number = p->watches;
    }
}

/* Variables that were written alike are told apart by a number. */
RFI_FN void rfi_page_variables(const rfi_page_run *p) {
    rfi_json_open(p->j, "variables", '[');
    for (uint32_t i = 0; i < p->watches; i++) {
        const char *name = rfi_expression(p->variable[p->watched[i]].first->site);
        uint32_t same = 1;
        rfi_line l = {0};
        for (uint32_t k = 0; k < i; k++)
            same += !strcmp(rfi_expression(p->variable[p->watched[k]].first->site), name);
        rfi_line_add(&l, "%s", name);
        if (same > 1) rfi_line_add(&l, " (%u)", same);
        rfi_json_string(p->j, NULL, l.s);
    }
    rfi_json_close(p->j, ']');
}

/* ---- what a step changes ---- */

RFI_FN int rfi_page_holds(const rf_event *e) {
    return e->kind == RF_EV_LOCK ? 1 : e->kind == RF_EV_UNLOCK ? -1 : 0;
}

/* Has it another value from here on, as far as is known? */
RFI_FN bool rfi_page_changes(rfi_page_run *p, const rf_event *e) {
    rfi_page_variable *v = rfi_page_values(e) ? rfi_page_variable_of(p, e) : NULL;
    if (!v || !v->number || (!(e->flags & RF_EV_WRITES) && (v->known || rfi_is_strange(e))))
        return false;
    return v->known = true;
}

RFI_FN void rfi_page_value(rfi_page_run *p, const rf_event *e) {
    rfi_line value = {0};
    rfi_say_value(&value, e->flags & RF_EV_WRITES ? rfi_written(e) : e->value, e->size);
    rfi_json_open(p->j, NULL, '[');
    rfi_json_number(p->j, NULL, rfi_page_variable_of(p, e)->number - 1);
    rfi_json_string(p->j, NULL, value.s);
    if (e->flags & RF_EV_WRITES) rfi_json_number(p->j, NULL, e->thread);
    rfi_json_close(p->j, ']');
}

RFI_FN void rfi_page_holding_put(rfi_page_run *p, const rfi_page_holding *h) {
    fprintf(rfi_json_next(p->j, NULL), "[%u,%u,%d]", h->lock, h->thread, h->change);
}

/* A step that has no row: the next one has what it changes. */
RFI_FN void rfi_page_skip(rfi_page_run *p, uint64_t i) {
    const rf_event *e = rfi_event_at(p->r, i);
    int change = rfi_page_holds(e);
    uint32_t k = 0;
    p->skipped += rfi_is_step(&p->cut, e);
    if (rfi_page_changes(p, e)) rfi_page_variable_of(p, e)->skipped = i + 1;
    if (!change) return;
    while (k < p->holdings &&
           (p->holding[k].lock != e->object || p->holding[k].thread != e->thread))
        k++;
    if (k == p->holdings) {
        p->holding = rfi_grow(p->holding, &p->holding_room, p->holdings + 1, sizeof *p->holding);
        p->holding[p->holdings++] = (rfi_page_holding){e->object, e->thread, 0};
    }
    p->holding[k].change += change;
}

/* ---- rows ---- */

RFI_FN void rfi_page_row(rfi_page_run *p, const char *text) {
    rfi_json_open(p->j, NULL, '{');
    rfi_json_string(p->j, "x", text);
    p->rows++;
}

/* The steps without rows, in one. */
RFI_FN void rfi_page_rest(rfi_page_run *p) {
    rfi_line l = {0};
    if (!p->skipped) return;
    rfi_say_number(&l, p->skipped, "step");
    rfi_page_row(p, l.s);
    rfi_json_open(p->j, "v", '[');
    for (uint32_t i = 0; i < p->watches; i++) {
        rfi_page_variable *v = &p->variable[p->watched[i]];
        if (v->skipped) rfi_page_value(p, rfi_event_at(p->r, v->skipped - 1));
        v->skipped = 0;
    }
    rfi_json_close(p->j, ']');
    rfi_json_open(p->j, "l", '[');
    for (uint32_t i = 0; i < p->holdings; i++)
        if (p->holding[i].change) rfi_page_holding_put(p, &p->holding[i]);
    rfi_json_close(p->j, ']');
    rfi_json_close(p->j, '}');
    p->holdings = 0;
    p->skipped = 0;
}

RFI_FN void rfi_page_step(rfi_page_run *p, uint64_t i, uint8_t mark) {
    const rf_event *e = rfi_event_at(p->r, i);
    rfi_line text = {0};
    rfi_page_rest(p);
    rfi_say_event(&text, p->r, e);
    rfi_page_row(p, text.s);
    p->row[i - p->cut.first] = p->rows;
    rfi_json_number(p->j, "n", i);
    rfi_json_number(p->j, "t", e->thread);
    rfi_json_string(p->j, "k", rfi_event_word(e->kind));
    if (e->site) rfi_json_number(p->j, "p", rfi_page_place(p->places, e->site));
    if (mark & RFI_STAR) rfi_json_number(p->j, "m", 1);
    if (!(mark & RFI_KEEP)) rfi_json_number(p->j, "h", 1);
    if (rfi_page_changes(p, e)) {
        rfi_json_open(p->j, "v", '[');
        rfi_page_value(p, e);
        rfi_json_close(p->j, ']');
    }
    if (rfi_page_holds(e)) {
        rfi_page_holding h = {e->object, e->thread, rfi_page_holds(e)};
        rfi_json_open(p->j, "l", '[');
        rfi_page_holding_put(p, &h);
        rfi_json_close(p->j, ']');
    }
    rfi_json_close(p->j, '}');
}

RFI_FN void rfi_page_failure(rfi_page_run *p) {
    const rfi_failure *f = &p->r->failure;
    if (!f->diagnostic) return;
    rfi_page_row(p, rfi_diagnostic(f->diagnostic)->words);
    rfi_json_number(p->j, "n", p->cut.end);
    if (f->thread != RFI_NO_THREAD) rfi_json_number(p->j, "t", f->thread);
    if (f->site) rfi_json_number(p->j, "p", rfi_page_place(p->places, f->site));
    rfi_json_string(p->j, "f", f->message);
    rfi_json_close(p->j, '}');
}

RFI_FN void rfi_page_rows(rfi_page_run *p) {
    rfi_json_open(p->j, "rows", '[');
    for (uint64_t i = p->cut.first; i < p->cut.end; i++) {
        uint8_t mark = p->cut.mark[i - p->cut.first];
        if (i == p->cut.race.at) {
            rfi_line l = {0};
            rfi_page_rest(p);
            rfi_say_meeting(&l, &p->cut);
            rfi_page_row(p, l.s);
            rfi_json_close(p->j, '}');
        }
        bool wanted = p->all ? rfi_is_step(&p->cut, rfi_event_at(p->r, i)) : mark & RFI_KEEP;
        if (wanted)
            rfi_page_step(p, i, mark);
        else
            rfi_page_skip(p, i);
    }
    rfi_page_rest(p);
    rfi_page_failure(p);
    rfi_json_close(p->j, ']');
}

/* Of what has no row, the thread's next one, or its last one before; 0: there is none. */
RFI_FN uint32_t rfi_page_row_of(const rfi_page_run *p, uint64_t i, bool before) {
    uint32_t thread = rfi_event_at(p->r, i)->thread;
    while (!p->row[i - p->cut.first] || rfi_event_at(p->r, i)->thread != thread) {
        if (before ? i == p->cut.first : i + 1 == p->cut.end) return 0;
        i += before ? UINT64_MAX : 1;
    }
    return p->row[i - p->cut.first];
}

RFI_FN void rfi_page_links(const rfi_page_run *p) {
    rfi_links l = rfi_links_find(p->r);
    rfi_json_open(p->j, "links", '[');
    for (uint32_t i = 0; i < l.count; i++) {
        const rfi_link *k = &l.at[i];
        bool near = k->kind == RFI_CREATES || k->kind == RFI_JOINS;
        uint32_t from = p->row[k->from - p->cut.first], to = p->row[k->to - p->cut.first];
        if (near && !from) from = rfi_page_row_of(p, k->from, true);
        if (near && !to) to = rfi_page_row_of(p, k->to, false);
        if (!from || !to) continue;
        rfi_json_open(p->j, NULL, '[');
        rfi_json_number(p->j, NULL, from - 1);
        rfi_json_number(p->j, NULL, to - 1);
        rfi_json_number(p->j, NULL, k->kind);
        rfi_json_close(p->j, ']');
    }
    rfi_json_close(p->j, ']');
    RFI_REAL(free)(l.at);
}

/* ---- names ---- */

RFI_FN void rfi_page_named(rfi_json *j, uint32_t number, const char *name) {
    rfi_json_open(j, NULL, '[');
    rfi_json_number(j, NULL, number);
    rfi_json_string(j, NULL, name);
    rfi_json_close(j, ']');
}

RFI_FN void rfi_page_names(const rfi_page_run *p) {
    uint8_t *threads = RFI_REAL(calloc)((size_t)p->cut.threads + 1, 1);
    uint8_t *locks = RFI_REAL(calloc)(RFI_RECORD_OBJECTS + 1, 1);
    if (!threads || !locks) rfi_die("out of memory (names)");
    for (uint64_t i = p->cut.first; i < p->cut.end; i++) {
        const rf_event *e = rfi_event_at(p->r, i);
        if (p->row[i - p->cut.first]) threads[e->thread] = 1;
        if (rfi_page_holds(e) && e->object <= RFI_RECORD_OBJECTS) locks[e->object] = 1;
    }
    if (p->r->failure.diagnostic && p->r->failure.thread != RFI_NO_THREAD)
        threads[p->r->failure.thread] = 1;
    rfi_json_open(p->j, "threads", '[');
    for (uint32_t i = 0; i < p->cut.threads; i++) {
        rfi_line l = {0};
        rfi_say_thread(&l, p->r, i);
        if (threads[i]) rfi_page_named(p->j, i, l.s);
    }
    rfi_json_close(p->j, ']');
    rfi_json_open(p->j, "locks", '[');
    for (uint32_t i = 1; i <= RFI_RECORD_OBJECTS; i++) {
        rfi_line l = {0};
        if (!locks[i]) continue;
        rfi_say_object(&l, p->r, i);
        rfi_page_named(p->j, i, l.s);
    }
    rfi_json_close(p->j, ']');
    RFI_REAL(free)(threads);
    RFI_REAL(free)(locks);
}

RFI_FN void rfi_page_execution(rfi_json *j, rfi_page_places *places, const rfi_record *r,
                               const rfi_warning *pair, const char *title) {
    rfi_page_run p = {.j = j, .r = r, .places = places, .cut = rfi_cut_make(r, pair, false)};
    uint64_t events = p.cut.end - p.cut.first;
    p.all = events <= RFI_PAGE_STEPS;
    p.row = RFI_REAL(calloc)((size_t)events + 1, sizeof *p.row);
    if (!p.row) rfi_die("out of memory (steps)");
    rfi_page_watch(&p);
    rfi_json_open(j, NULL, '{');
    rfi_json_string(j, "title", title);
    rfi_page_rows(&p);
    rfi_page_links(&p);
    rfi_page_names(&p);
    rfi_page_variables(&p);
    rfi_json_close(j, '}');
    rfi_map_free(&p.index);
    RFI_REAL(free)(p.variable);
    RFI_REAL(free)(p.holding);
    RFI_REAL(free)(p.row);
    rfi_cut_free(&p.cut);
}
#endif
#endif

/* campaign/suppress.h: findings that do not fail a test: by a list of suppressions, or because they
 * are in the report of an earlier run, the baseline.
 *
 * A line of --suppressions is a kind and a pattern for one of the finding's places:
 *
 *     race function:legacy_*
 *
 * --baseline reads what --report=json has written, and of that the fingerprints of all findings
 * that were more than predicted.  A fingerprint is made of what stays when lines move.
 */
#ifndef RFI_CAMPAIGN_SUPPRESS_H
#define RFI_CAMPAIGN_SUPPRESS_H
#include "campaign/result.h"
#include "campaign/settings.h"

#ifdef RFI_IMPL
typedef enum rfi_subject {
    RFI_BY_FUNCTION,
    RFI_BY_FILE,
    RFI_BY_VARIABLE,
    RFI_SUBJECTS
} rfi_subject;

typedef struct rfi_suppression {
    const char *text; /* the line */
    char place[80];   /* "race.supp:3" */
    const char *kind, *pattern;
    rfi_subject by;
    bool used;
} rfi_suppression;

RFI_VAR struct rfi_suppressions {
    rfi_suppression *list;
    uint32_t count, room;
    rfi_map known; /* fingerprints of the baseline */
    bool baseline; /* there is one */
} rfi_suppressions;

RFI_VAR const char rfi_by_baseline[] = "baseline";

/* ---- what a finding is ---- */

/* "race", "deadlock", ...: of the warning, else the failure's own: "assert". */
RFI_FN const char *rfi_kind_of(const rfi_warning *w, const rfi_failure *f) {
    return w ? rfi_family(w->family)->name : rfi_diagnostic(f->diagnostic)->id;
}

/* Of a place, without its line, so that it stays when lines move. */
RFI_FN uint64_t rfi_place_print(const rf_site *s) {
    if (!s) return 1;
    rfi_where w = rfi_site_where(s);
    uint64_t h = rfi_mix(rfi_hash_text(rfi_basename(w.file)) + rfi_hash_text(w.function) * 3);
    return rfi_mix(h + rfi_hash_text(rfi_expression(s)));
}

/* Of what makes it this warning and no other: the name of a breakpoint, statements (other places
 * that are told with them differ between executions), or, where there are none, all its places. */
RFI_FN uint64_t rfi_warning_print(const rfi_warning *w) {
    uint64_t h = 0, places = 0;
    unsigned told = 0;
    if (w->family == RF_FAMILY_BREAKPOINT) return w->target[0];
    for (; told < w->telling && w->told[told]; told++)
        h = rfi_mix(h + rfi_place_print(w->told[told]));
    if (told == w->telling && w->family != RF_FAMILY_RACE) return h;
    for (unsigned k = 0; k < w->sides; k++)
        places +=
            rfi_mix(rfi_place_print(w->side[k].site) + rfi_hash_text(rfi_side_word(&w->side[k])));
    return places;
}

/* The same in every run and after edits elsewhere: of the test, the kind, and the places without
 * their lines. */
RFI_FN uint64_t rfi_print_of(const rfi_test *t, const rfi_warning *w, const rfi_failure *f) {
    uint64_t h = rfi_mix(rfi_hash_text(t->options.rfi_name));
    h = rfi_mix(h + rfi_hash_text(rfi_kind_of(w, f)));
    return rfi_mix(h + (w ? rfi_warning_print(w) : rfi_place_print(f->site)));
}

/* ---- does it count? ---- */

/* The whole name of a file, or what is left of it behind one of its folders. */
RFI_FN bool rfi_glob_file(const char *pattern, const char *file) {
    for (; file; file = strchr(file, '/'), file += file != NULL)
        if (rfi_glob(pattern, pattern + strlen(pattern), file)) return true;
    return false;
}

/* `object`: the name of what is used there, may be "". */
RFI_FN bool rfi_suppression_place(const rfi_suppression *s, const rf_site *site,
                                  const char *object) {
    static const char body[] = "rf_test_"; /* what RF_TEST puts before the name */
    size_t n = sizeof body - 1;
    const char *end = s->pattern + strlen(s->pattern);
    if (!site) return false;
    rfi_where w = rfi_site_where(site);
    switch (s->by) {
    case RFI_BY_FUNCTION:
        return rfi_glob(s->pattern, end, w.function) ||
               (!strncmp(w.function, body, n) && rfi_glob(s->pattern, end, w.function + n));
    case RFI_BY_FILE: return rfi_glob_file(s->pattern, w.file);
    default:
        return rfi_glob(s->pattern, end, rfi_expression(site)) ||
               (*object && rfi_glob(s->pattern, end, object));
    }
}

RFI_FN bool rfi_suppression_matches(const rfi_suppression *s, const rfi_warning *w,
                                    const rfi_failure *f) {
    bool match = false;
    if (strcmp(s->kind, "*") != 0 && strcmp(s->kind, rfi_kind_of(w, f)) != 0) return false;
    for (unsigned k = 0; w && k < w->sides; k++)
        match |= rfi_suppression_place(s, w->side[k].site, w->side[k].object);
    return match || (!w && rfi_suppression_place(s, f->site, ""));
}

/* Is the warning's fault nothing but the failure that it led to, as with a deadlock?  Without the
 * warning, other executions have told that by itself. */
RFI_FN bool rfi_warning_is(const rfi_warning *w, const rfi_failure *f) {
    unsigned kind = rfi_family(w->family)->kind;
    return !kind || kind == rfi_diagnostic(f->diagnostic)->kind;
}

RFI_FN bool rfi_baseline_has(const rfi_test *t, const rfi_warning *w, const rfi_failure *f) {
    return rfi_map_find(&rfi_suppressions.known, rfi_print_of(t, w, f)) ||
           (w && f && rfi_warning_is(w, f) && rfi_baseline_has(t, NULL, f));
}

/* Of a warning with what it did, if that failed, or of a failure that is nobody's doing (w is
 * NULL): what says that it does not count, "race.supp:3" or "baseline"; NULL: it counts. */
RFI_FN const char *rfi_suppressed(const rfi_test *t, const rfi_warning *w, const rfi_failure *f) {
    const char *by = NULL;
    for (uint32_t i = rfi_suppressions.count; i--;) {
        rfi_suppression *s = &rfi_suppressions.list[i];
        if (!rfi_suppression_matches(s, w, f)) continue;
        s->used = true;
        by = s->place;
    }
    if (by || !rfi_suppressions.baseline) return by;
    return rfi_baseline_has(t, w, f) ? rfi_by_baseline : NULL;
}

/* ---- files ---- */

/* What a file holds, to be freed; NULL after one line on stderr. */
RFI_FN char *rfi_file_text(const char *option, const char *path) {
    size_t bytes = 0, room = 1 << 16, n = 1;
    FILE *f = RFI_REAL(fopen)(path, "r");
    char *text = f ? RFI_REAL(malloc)(room) : NULL;
    while (text && n) {
        n = RFI_REAL(fread)(text + bytes, 1, room - bytes - 1, f);
        bytes += n;
        if (bytes + 1 == room) text = RFI_REAL(realloc)(text, room *= 2);
    }
    if (f && !text) rfi_die("out of memory (%s)", option);
    if (f && !RFI_REAL(ferror)(f)) {
        text[bytes] = 0;
        fclose(f);
        return text;
    }
    int error = errno;
    if (f) fclose(f);
    RFI_REAL(free)(text);
    fprintf(stderr, "racefuzz: %s=", option);
    rfi_complain_quoted(path, strlen(path));
    fprintf(stderr, ": it can't be read: %s\n", strerror(error));
    return NULL;
}

/* What may stand as the kind; NULL at the end. */
RFI_FN const char *rfi_kind_at(unsigned i) {
    if (i < RF_FAMILIES) return rfi_family(i)->name;
    i -= RF_FAMILIES;
    return i + 1 < RF_DIAG_COUNT ? rfi_diagnostic((rf_diagnostic)(i + 1))->id : NULL;
}

/* One line; false after a line on stderr. */
RFI_FN bool rfi_suppression_read(rfi_suppression *s, char *line) {
    static const char *const subjects[] = {"function:", "file:", "variable:"};
    size_t n = strcspn(line, " \t");
    char *rest = line + n + strspn(line + n, " \t");
    rfi_spelling spelling = rfi_spelling_of(line, n);
    bool known = n == 1 && *line == '*';
    const char *kind;
    for (unsigned i = 0; (kind = rfi_kind_at(i)) != NULL; i++) {
        rfi_spelling_offer(&spelling, kind);
        known |= strlen(kind) == n && !memcmp(kind, line, n);
    }
    for (s->by = 0; s->by < RFI_SUBJECTS; s->by++)
        if (!strncmp(rest, subjects[s->by], strlen(subjects[s->by]))) break;
    if (s->by < RFI_SUBJECTS) rest += strlen(subjects[s->by]);
    if (known && s->by < RFI_SUBJECTS && *rest) {
        s->text = RFI_REAL(strdup)(line);
        line[n] = 0;
        s->kind = RFI_REAL(strdup)(line);
        s->pattern = RFI_REAL(strdup)(rest);
        if (!s->text || !s->kind || !s->pattern) rfi_die("out of memory (suppressions)");
        return true;
    }
    fprintf(stderr, "racefuzz: %s: ", s->place);
    rfi_complain_quoted(line, known ? strlen(line) : n);
    if (!known) fputs(" is no kind of finding", stderr);
    if (!known) rfi_complain_nearest(&spelling);
    fputs(": expected KIND function:PATTERN, KIND file:PATTERN or KIND variable:PATTERN, such as "
          "race function:visit*\n",
          stderr);
    return false;
}

/* Lines that are empty or begin with # say nothing. */
RFI_FN bool rfi_suppressions_read(const char *path) {
    struct rfi_suppressions *all = &rfi_suppressions;
    char *text = rfi_file_text("--suppressions", path);
    unsigned number = 0;
    bool good = text;
    for (char *line = text, *next; good && *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        while (n && strchr(" \t\r", line[n - 1])) n--;
        line[n] = 0;
        line += strspn(line, " \t");
        number++;
        if (!*line || *line == '#') continue;
        all->list = rfi_grow(all->list, &all->room, all->count + 1, sizeof *all->list);
        rfi_suppression *s = &all->list[all->count++];
        *s = (rfi_suppression){0};
        snprintf(s->place, sizeof s->place, "%.60s:%u", rfi_basename(path), number);
        good = rfi_suppression_read(s, line);
    }
    RFI_REAL(free)(text);
    return good;
}

/* A finding's fingerprint comes first in its line, before its verdict; a result may have several.
 * Texts can't look like them, since their quotes are escaped. */
RFI_FN void rfi_baseline_line(const char *line) {
    static const char key[] = "\"fingerprint\":\"", led_to[] = "\"led_to\":[\"";
    const char *at = strstr(line, key), *more = at ? NULL : strstr(line, led_to);
    uint64_t print;
    if (at && strstr(at, "\"verdict\":\"potential\"")) return;
    at = at ? at + sizeof key - 1 : more ? more + sizeof led_to - 1 : NULL;
    while (at && (at = rfi_read_digits(at, 16, &print)) && *at == '"') {
        *rfi_map_at(&rfi_suppressions.known, print) = 1;
        at = more && !strncmp(at, "\",\"", 3) ? at + 3 : NULL;
    }
}

RFI_FN bool rfi_baseline_read(const char *path) {
    char *text = rfi_file_text("--baseline", path);
    if (!text) return false;
    bool good = strstr(text, "\"schema\":\"racefuzz-report/1\"");
    bool whole = strstr(text, "\"event\":\"end\"");
    for (char *line = text, *next; good && *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        line[n] = 0;
        rfi_baseline_line(line);
    }
    RFI_REAL(free)(text);
    rfi_suppressions.baseline = true;
    if (good && whole) return true;
    fputs("racefuzz: --baseline=", stderr);
    rfi_complain_quoted(path, strlen(path));
    fputs(good ? ": it ends in the middle; findings that it lacks count\n"
               : ": this is no report that --report=json:FILE has written\n",
          stderr);
    return good;
}

/* Whatever an earlier run in this process has read is forgotten. */
RFI_FN bool rfi_suppressions_open(const rfi_settings *s) {
    struct rfi_suppressions *all = &rfi_suppressions;
    for (uint32_t i = 0; i < all->count; i++) {
        RFI_REAL(free)((char *)(uintptr_t)all->list[i].text);
        RFI_REAL(free)((char *)(uintptr_t)all->list[i].kind);
        RFI_REAL(free)((char *)(uintptr_t)all->list[i].pattern);
    }
    RFI_REAL(free)(all->list);
    rfi_map_free(&all->known);
    *all = (struct rfi_suppressions){0};
    return (!s->suppressions || rfi_suppressions_read(s->suppressions)) &&
           (!s->baseline || rfi_baseline_read(s->baseline));
}
#endif
#endif

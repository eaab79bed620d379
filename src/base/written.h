/* base/written.h: what a macro's argument looked like before the preprocessor expanded it.
 *
 * An operation that reaches another one through a macro of the user's, as in
 *
 *     #define AT(i) RF_LOAD(a[i])
 *     AT(RF_LOAD(k))
 *
 * is expanded before it is made a string: the text of the outer site holds the engine's code, with
 * numbers of __COUNTER__ in it, that change with every edit above.  That code has all that was
 * written (the inner text as a literal, the function that is called, the operands), from which the
 * operation is put together again: a[RF_LOAD(k)].  Code that is not known becomes "...".
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_BASE_WRITTEN_H
#define RFI_BASE_WRITTEN_H
#include "base/platform.h"

#ifdef RFI_IMPL
typedef struct rfi_writer {
    char *at, *end;
} rfi_writer;

RFI_FN void rfi_written_add(rfi_writer *w, const char *s, size_t n) {
    if (n > (size_t)(w->end - w->at)) n = (size_t)(w->end - w->at);
    memcpy(w->at, s, n);
    w->at += n;
}

RFI_FN void rfi_written_say(rfi_writer *w, const char *s) { rfi_written_add(w, s, strlen(s)); }

RFI_FN bool rfi_starts(const char *s, const char *end, const char *with) {
    size_t n = strlen(with);
    return (size_t)(end - s) >= n && !memcmp(s, with, n);
}

/* Behind the literal that begins at `s`. */
RFI_FN const char *rfi_written_quoted(const char *s, const char *end) {
    char quote = *s++;
    while (s < end && *s != quote) s += *s == '\\' && s + 1 < end ? 2 : 1;
    return s < end ? s + 1 : end;
}

/* Behind what begins at `s`: a literal, what is in brackets, or a character. */
RFI_FN const char *rfi_written_piece(const char *s, const char *end) {
    int depth = 0;
    do {
        bool literal = *s == '"' || *s == '\'';
        depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
        s = literal ? rfi_written_quoted(s, end) : s + 1;
    } while (depth > 0 && s < end);
    return s;
}

/* The first `what` in a piece of code, but not deeper in it; or NULL. */
RFI_FN const char *rfi_written_search(const char *s, const char *end, const char *what) {
    for (; s < end; s = rfi_written_piece(s, end))
        if (rfi_starts(s, end, what)) return s;
    return NULL;
}

RFI_FN void rfi_written_code(rfi_writer *w, const char *s, const char *end);

/* The literal at `s`, read and put together again. */
RFI_FN void rfi_written_literal(rfi_writer *w, const char *s, const char *end) {
    char *room = RFI_REAL(malloc)((size_t)(end - s) + 1), *at = room;
    if (!room) rfi_die("out of memory (text of a statement)");
    for (; s < end && *s == '"'; s += strspn(s, " ")) {
        const char *close = rfi_written_quoted(s, end);
        for (s++; s < close - 1; s++) *at++ = *s == '\\' ? *++s : *s;
        s = close;
    }
    *at = 0;
    rfi_written_code(w, room, at);
    RFI_REAL(free)(room);
}

/* ", " and what is in the brackets at the end of `mark`, if it stands there. */
RFI_FN void rfi_written_operand(rfi_writer *w, const char *s, const char *end, const char *mark) {
    const char *from = s ? rfi_written_search(s, end, mark) : NULL;
    if (!from) return;
    from += strlen(mark) - 1;
    rfi_written_say(w, ", ");
    rfi_written_code(w, from + 1, rfi_written_piece(from, end) - 1);
}

/* The public names of what the engine's functions do; other names follow from each other. */
RFI_FN void rfi_written_name(rfi_writer *w, const char *s, size_t n) {
    static const char *const special[][2] = {{"range_read", "RF_READ"},
                                             {"range_write", "RF_WRITE"},
                                             {"rmw_begin", "rf_atomic_exchange"},
                                             {"cas_strong", "rf_atomic_compare_exchange_strong"},
                                             {"cas_weak", "rf_atomic_compare_exchange_weak"},
                                             {"create", "RF_THREAD"},
                                             {"rwlock_unlock", "RF_RWUNLOCK"}};
    static const char *const silent[] = {"mutex_", "cond_", "rwlock_"};
    for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
        if (strlen(special[i][0]) == n && !memcmp(special[i][0], s, n)) {
            rfi_written_say(w, special[i][1]);
            return;
        }
    const char *end = s + n;
    bool lower = rfi_starts(s, end, "atomic_") || (n > 5 && rfi_starts(end - 5, end, "_init")) ||
                 (n > 8 && rfi_starts(end - 8, end, "_destroy"));
    rfi_written_say(w, lower ? "rf_" : "RF_");
    for (unsigned i = 0; !lower && i < 3; i++)
        if (rfi_starts(s, end, silent[i])) s += strlen(silent[i]);
    for (; s < end; s++) {
        char c = !lower && *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
        rfi_written_add(w, &c, 1);
    }
}

/* What a fetch operation does: "(uint64_t)(old)+...". */
RFI_FN const char *rfi_written_fetch(const char *s, const char *end) {
    static const char *const name[] = {"atomic_fetch_add", "atomic_fetch_sub", "atomic_fetch_or",
                                       "atomic_fetch_xor", "atomic_fetch_and"};
    static const char operators[] = "+-|^&", mark[] = "(uint64_t)(rfi_v";
    while (s < end && !rfi_starts(s, end, mark)) s++;
    if (s < end) s += sizeof mark - 1;
    s += strspn(s, "0123456789) ");
    const char *found = *s ? strchr(operators, *s) : NULL;
    return found ? name[found - operators] : "atomic_fetch";
}

/* The operation that the engine's function before the bracket `call` does. */
RFI_FN bool rfi_written_called(const char *call, const char *from, const char *end, bool writes,
                               char name[48]) {
    const char *s = call;
    while (s > from && (s[-1] == '_' || (s[-1] >= 'a' && s[-1] <= 'z'))) s--;
    if (!rfi_starts(s, call, "rfi_")) return false;
    snprintf(name, 40, "%.*s", (int)(call - s - 4), s + 4);
    if (!strcmp(name, "range")) strcpy(name, writes ? "range_write" : "range_read");
    if (!strcmp(name, "fetch_begin")) strcpy(name, rfi_written_fetch(call, end));
    if (!strcmp(name, "cas"))
        strcpy(name, rfi_written_search(call + 1, end, ", 1, (") ? "cas_weak" : "cas_strong");
    return true;
}

/* The operation whose expansion is s...end, inside of the braces; false: it is not known. */
RFI_FN bool rfi_written_operation(rfi_writer *w, const char *s, const char *end) {
    static const char declared[] = "static const rf_site rfi_s", before[] = "__func__, ";
    char number[16] = "", mark[32], name[48];
    const char *site = rfi_written_search(s, end, declared), *value = site, *text, *call, *order;
    if (!site) return false;
    sscanf(site + sizeof declared - 1, "%15[0-9]", number);
    while (value < end && *value != '{') value++;
    const char *close = rfi_written_piece(value, end);
    text = strstr(value, before);
    if (!number[0] || !text || text >= close) return false;
    snprintf(mark, sizeof mark, "(&rfi_s%s,", number);
    call = strstr(close, mark);
    bool writes = rfi_written_search(value + 1, close - 1, "RF_SITE_WRITE") != NULL;
    if (!call || !rfi_written_called(call, close, end, writes, name)) return false;
    rfi_written_name(w, name, strlen(name));
    order = rfi_written_search(call + 1, end, "(int)(");
    bool fetches = strstr(name, "fetch") != NULL, ordered = order && order[6] != '5';
    if (ordered) rfi_written_say(w, "_explicit");
    rfi_written_say(w, "(");
    rfi_written_literal(w, text + sizeof before - 1, close);
    static const char operand[] = "tvu";
    for (unsigned i = 0; i < 3; i++) {
        snprintf(mark, sizeof mark, "rfi_%c%s = (", operand[i], number);
        if (!fetches || operand[i] == 'u') rfi_written_operand(w, close, end, mark);
    }
    for (; ordered && order; order = rfi_written_search(order + 6, end, "(int)("))
        rfi_written_operand(w, order, end, "(int)(");
    rfi_written_say(w, ")");
    return true;
}

/* Code that may be the engine's, put together again. */
RFI_FN void rfi_written_code(rfi_writer *w, const char *s, const char *end) {
    static const char opens[] = "__extension__({", here[] = " static const rf_site rfi_site_here";
    const size_t open = sizeof opens - 1;
    for (bool inside = false; s < end;) {
        bool word = *s == '_' || (*s | 32) >= 'a' ? (*s | 32) <= 'z' : *s >= '0' && *s <= '9';
        const char *to = s + 1;
        if (*s == '"' || *s == '\'') {
            to = rfi_written_quoted(s, end);
            rfi_written_add(w, s, (size_t)(to - s));
        } else if (!inside && rfi_starts(s, end, "rfi_")) {
            to = s + 4 + strspn(s + 4, "abcdefghijklmnopqrstuvwxyz_");
            rfi_written_name(w, s + 4, (size_t)(to - s) - 4);
            if (rfi_starts(to, end, "(__extension__({ static const rf_site rfi_site_here") ||
                rfi_starts(to, end, "(__extension__({ _Static_assert(_Generic(")) {
                to = rfi_written_piece(to + open - 1, end);
                to += rfi_starts(to, end, ", ") ? 2 : 0;
                rfi_written_say(w, "(");
            }
        } else if (!inside && rfi_starts(s, end, opens)) {
            to = rfi_written_piece(s + open - 2, end);
            if (rfi_starts(s + open, end, here) || !rfi_written_operation(w, s + open, to - 2))
                rfi_written_say(w, "...");
        } else {
            rfi_written_add(w, s, 1);
        }
        inside = word && to == s + 1;
        s = to;
    }
}

/* The text of a site as it was written; `room` has space for it as it is. */
RFI_FN void rfi_written_text(const char *text, char *room) {
    rfi_writer w = {room, room + strlen(text)};
    rfi_written_code(&w, text, text + strlen(text));
    *w.at = 0;
}
#endif
#endif

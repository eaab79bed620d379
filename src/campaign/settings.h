/* campaign/settings.h: how options are read.
 *
 * The environment is read first, then the command line, so that the option wins over the variable
 * and the last of two equal options over the first.  Whatever is wrong is one line on stderr,
 * whatever characters a value has, and nothing else is printed.
 */
#ifndef RFI_CAMPAIGN_SETTINGS_H
#define RFI_CAMPAIGN_SETTINGS_H
#include "base/prng.h"
#include "campaign/runner.h"
#include "campaign/spelling.h"

#ifdef RFI_IMPL
/* ---- Readers: each stores a value that is as it should be; for any other the answer is false. */

typedef struct rfi_value {
    const rfi_option *option;
    const rfi_name *names; /* of the option */
    const char *text;
    rfi_settings *settings;
    const rfi_name *formats; /* of --report */
} rfi_value;

/* Reads digits; the rest of the text, or NULL if there are none or the number is too large. */
RFI_FN const char *rfi_read_digits(const char *s, unsigned base, uint64_t *number) {
    const char *start = s;
    for (*number = 0;; s++) {
        char c = rfi_lower(*s);
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : base;
        if (digit >= base) return s > start ? s : NULL;
        if (__builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, digit, number))
            return NULL;
    }
}

RFI_FN bool rfi_in_range(const rfi_value *v, uint64_t n) {
    return n >= v->option->least && n <= v->option->most;
}

RFI_FN bool rfi_read_u64(const rfi_value *v, uint64_t *out) {
    uint64_t n;
    const char *rest = rfi_read_digits(v->text, 10, &n);
    if (!rest || *rest || !rfi_in_range(v, n)) return false;
    *out = n;
    return true;
}

RFI_FN bool rfi_read_u32(const rfi_value *v, uint32_t *out) {
    uint64_t n;
    if (!rfi_read_u64(v, &n)) return false;
    *out = (uint32_t)n;
    return true;
}

RFI_FN bool rfi_read_jobs(const rfi_value *v, uint32_t *out) {
    if (!rfi_read_u32(v, out)) return false;
    v->settings->jobs_given = true;
    return true;
}

RFI_FN bool rfi_read_bytes(const rfi_value *v, size_t *out) {
    uint64_t n;
    const char *rest = rfi_read_digits(v->text, 10, &n);
    if (!rest) return false;
    char unit = rfi_lower(*rest);
    unsigned shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
    if (rest[shift != 0] || n > UINT64_MAX >> shift || !rfi_in_range(v, n << shift)) return false;
    *out = (size_t)(n << shift);
    return true;
}

/* By hand, because strtod() follows the locale and knows inf, nan and hexadecimal. */
RFI_FN bool rfi_read_decimal(const rfi_value *v, double *out) {
    uint64_t whole;
    double n = 0, scale = 1;
    const char *rest = rfi_read_digits(v->text, 10, &whole);
    if (!rest || whole >= v->option->most) return false;
    if (*rest == '.' && rest[1])
        for (rest++; *rest >= '0' && *rest <= '9'; rest++) n += (*rest - '0') * (scale /= 10);
    *out = n + (double)whole;
    return !*rest;
}

RFI_FN bool rfi_read_seconds(const rfi_value *v, double *out) {
    double n = 0;
    bool none = !strcmp(v->text, "none");
    if (!none && (!rfi_read_decimal(v, &n) || n <= 0)) return false;
    *out = n;
    v->settings->seconds_given = true;
    return true;
}

/* As executions, and as milliseconds. */
RFI_FN bool rfi_read_budget(const rfi_value *v, uint32_t *out) {
    double n;
    if (!rfi_read_decimal(v, &n)) return false;
    *out = (uint32_t)(n * RFI_SHRINK_RATE + 0.5);
    v->settings->shrink_ms = (int64_t)(n * 1000 + 0.5);
    return true;
}

RFI_FN bool rfi_looks_like_token(const char *s) {
    static const char valid[] = "0123456789.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *s >= '0' && *s <= '9' && strchr(s, '.') && !s[strspn(s, valid)];
}

/* The only use of the clock and the process id; what comes of it is printed as the seed. */
RFI_FN uint64_t rfi_seed_draw(void) {
    struct timespec now;
    RFI_REAL(clock_gettime)(CLOCK_REALTIME, &now);
    return rfi_mix(rfi_mix((uint64_t)now.tv_sec) + (uint64_t)now.tv_nsec) ^
           rfi_mix((uint64_t)rfi_process());
}

RFI_FN bool rfi_read_seed(const rfi_value *v, uint64_t *out) {
    const char *s = v->text, *token = NULL;
    bool hex = s[0] == '0' && rfi_lower(s[1]) == 'x', chance = !strcmp(s, "random");
    uint64_t n = *out;
    if (chance) {
        n = rfi_seed_draw();
    } else if (rfi_looks_like_token(s)) {
        token = s;
    } else {
        const char *rest = hex ? rfi_read_digits(s + 2, 16, &n) : rfi_read_digits(s, 10, &n);
        if (!rest || *rest) return false;
    }
    *out = n;
    v->settings->token = token;
    v->settings->seed_random = chance;
    v->settings->seed_given = true;
    return true;
}

RFI_FN bool rfi_read_shard(const rfi_value *v, uint32_t *out) {
    bool told = !strncmp(v->text, "auto/", 5);
    uint64_t i = 0, n;
    const char *rest = told ? v->text + 4 : rfi_read_digits(v->text, 10, &i);
    if (!rest || *rest != '/') return false;
    rest = rfi_read_digits(rest + 1, 10, &n);
    if (!rest || *rest || (!told && i < 1) || i > n || !rfi_in_range(v, n)) return false;
    *out = (uint32_t)i;
    v->settings->shards = (uint32_t)n;
    v->settings->shard_from = v->option->option;
    return true;
}

/* With which exit statuses an unedited program ends well. */
RFI_VAR rfi_statuses rfi_success = {{1}};

/* Numbers, separated by commas, as bits. */
RFI_FN bool rfi_read_statuses(const rfi_value *v, rfi_statuses *out) {
    rfi_statuses bits = {{0}};
    for (const char *s = v->text;; s++) {
        uint64_t n;
        s = rfi_read_digits(s, 10, &n);
        if (!s || !rfi_in_range(v, n)) return false;
        bits.bit[n / 64] |= UINT64_C(1) << n % 64;
        if (*s == ',') continue;
        *out = bits;
        return !*s;
    }
}

RFI_FN bool rfi_read_elements(const rfi_value *v, uint32_t *out) {
    rfi_statuses bits;
    if (!rfi_read_statuses(v, &bits)) return false;
    *out = (uint32_t)bits.bit[0];
    return true;
}

RFI_FN bool rfi_read_flag(const rfi_value *v, bool *out) {
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true"};
    for (unsigned i = 0; i < 6; i++) {
        if (strcmp(v->text, words[i]) != 0) continue;
        *out = i & 1;
        return true;
    }
    return false;
}

/* The index of a name in a list, or -1. */
RFI_FN int rfi_name_index(const rfi_name *list, const char *s, size_t n) {
    for (int i = 0; list[i].name; i++)
        if (strlen(list[i].name) == n && !memcmp(list[i].name, s, n)) return i;
    return -1;
}

RFI_FN bool rfi_read_choice(const rfi_value *v, unsigned *out) {
    int i = rfi_name_index(v->names, v->text, strlen(v->text));
    if (i < 0) return false;
    *out = (unsigned)v->option->least + (unsigned)i;
    return true;
}

/* The name at `s`, which may be followed by a number, of n characters together; NULL: there is none
 * of this name, or (*known) it does not take that number. */
RFI_FN const rfi_name *rfi_name_at(const rfi_name *list, const char *s, size_t n,
                                   const rfi_name **known) {
    const char *colon = memchr(s, ':', n);
    int i = rfi_name_index(list, s, colon ? (size_t)(colon - s) : n);
    uint64_t number;
    *known = i < 0 ? NULL : &list[i];
    if (i < 0 || !colon) return *known;
    const char *rest = rfi_read_digits(colon + 1, 10, &number);
    bool good = rest == s + n && list[i].most && number >= list[i].least && number <= list[i].most;
    return good ? &list[i] : NULL;
}

/* The first name of the value that is not in the list, and its length; NULL if there is none. */
RFI_FN const char *rfi_unknown_name(const rfi_value *v, size_t *length) {
    bool several = v->option->kind == RFI_KIND_names;
    const rfi_name *known;
    for (const char *s = v->text;; s++) {
        *length = several ? strcspn(s, ",") : strlen(s);
        if (!rfi_name_at(v->names, s, *length, &known)) return s;
        s += *length;
        if (!*s) return NULL;
    }
}

RFI_FN bool rfi_read_names(const rfi_value *v, const char **out) {
    size_t length;
    if (rfi_unknown_name(v, &length)) return false;
    *out = v->text;
    return true;
}

RFI_FN bool rfi_read_name(const rfi_value *v, const char **out) { return rfi_read_names(v, out); }

RFI_FN bool rfi_read_patterns(const rfi_value *v, const char **out) {
    if (!rfi_filter_valid(v->text)) return false;
    *out = v->text;
    return true;
}

RFI_FN bool rfi_read_stop(const rfi_value *v, uint64_t *out) {
    bool failure = !strcmp(v->text, "failure"), race = !strcmp(v->text, "race");
    if (!failure && !race && !rfi_read_u64(v, out)) return false;
    *out = failure ? RFI_STOP_FAILURE : race ? RFI_STOP_RACE : *out + 1;
    return true;
}

RFI_FN bool rfi_read_file(const rfi_value *v, const char **out) {
    *out = v->text;
    return *v->text;
}

/* The length of "FORMAT" in "FORMAT:FILE"; 0: there is none. */
RFI_FN size_t rfi_format_length(const char *s) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz");
    return s[n] == ':' ? n : 0;
}

/* The end of the first report of a list: before spaces behind which another FORMAT: stands, or
 * nothing. */
RFI_FN size_t rfi_report_length(const rfi_name *formats, const char *s) {
    for (size_t i = 0; s[i]; i++) {
        const char *next = s + i + strspn(s + i, " ");
        size_t n = s[i] == ' ' ? rfi_format_length(next) : 0;
        if ((n && rfi_name_index(formats, next, n) >= 0) || !*next) return i;
    }
    return strlen(s);
}

/* The format that the end of a file's name stands for; -1: none. */
RFI_FN int rfi_format_by_name(const rfi_name *formats, const char *s, size_t length) {
    static const char *const ends[][2] = {{".html", "html"},   {".xml", "junit"},
                                          {".json", "json"},   {".jsonl", "json"},
                                          {".sarif", "sarif"}, {".tap", "tap"}};
    for (unsigned i = 0; i < RFI_LENGTH(ends); i++) {
        size_t n = strlen(ends[i][0]);
        if (length > n && !memcmp(s + length - n, ends[i][0], n))
            return rfi_name_index(formats, ends[i][1], strlen(ends[i][1]));
    }
    return -1;
}

/* One, or several separated by spaces; a word before a colon is a format. */
RFI_FN bool rfi_read_reports(const rfi_value *v, rfi_asked_reports *out) {
    for (const char *s = v->text + strspn(v->text, " ");;) {
        size_t n = rfi_format_length(s), length = rfi_report_length(v->formats, s);
        int format = n ? rfi_name_index(v->formats, s, n) : -1;
        size_t skip = n ? n + 1 : 0;
        if ((n && format < 0) || length <= skip || out->count == RFI_REPORTS) return false;
        if (!n) format = rfi_format_by_name(v->formats, s, length);
        out->at[out->count++] =
            (rfi_asked){format < 0 ? NULL : v->formats[format].name, s + skip, length - skip};
        s += length + strspn(s + length, " ");
        if (!*s) return true;
    }
}

RFI_FN bool rfi_read_folders(const rfi_value *v, rfi_folders *out) {
    if (!*v->text || out->count == RFI_LENGTH(out->at)) return false;
    out->at[out->count++] = v->text;
    return true;
}

RFI_FN bool rfi_read_value(const rfi_value *v) {
    switch (v->option->id) {
/* clang-format off */
# define RFI_X(id, option, metavar, kind, field, ...) \
    case RFI_OPTION_##id: return rfi_read_##kind(v, &v->settings->field);
        /* clang-format on */
        RFI_OPTIONS(RFI_X)
# undef RFI_X
    default: return false;
    }
}

/* ---- Refusals: one line each. */

/* A foreign text between quotes, cut when it is long; no byte of it can end or steer the line. */
RFI_FN void rfi_complain_quoted(const char *s, size_t length) {
    size_t n = length < 60 ? length : 60;
    fputc('"', stderr);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        fprintf(stderr, c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    fputs(n < length ? "...\"" : "\"", stderr);
}

RFI_FN void rfi_complain_names(const rfi_name *list) {
    for (; list->name; list++) fprintf(stderr, "%s%s", list->name, list[1].name ? ", " : "");
}

RFI_FN void rfi_complain_nearest(const rfi_spelling *s) {
    if (s->nearest) fprintf(stderr, " (did you mean %s?)", s->nearest);
}

/* What is accepted. */
RFI_FN void rfi_complain_expected(const rfi_option *o, const rfi_name *names) {
    unsigned long long least = o->least, most = o->most;
    switch (o->kind) {
    case RFI_KIND_flag: fputs("1, yes or true, or 0, no or false", stderr); break;
    case RFI_KIND_u32:
    case RFI_KIND_u64:
    case RFI_KIND_jobs: fprintf(stderr, "a whole number from %llu to %llu", least, most); break;
    case RFI_KIND_bytes:
        fprintf(stderr, "bytes from %lluk to %llug, such as 65536, 64k or 1m", least >> 10,
                most >> 30);
        break;
    case RFI_KIND_seconds:
        fprintf(stderr, "seconds above 0 and below %llu, such as 2 or 0.5, or none for no cap",
                most);
        break;
    case RFI_KIND_budget:
        fprintf(stderr, "seconds from 0 to below %llu, such as 10 or 0.5", most);
        break;
    case RFI_KIND_seed:
        fprintf(stderr,
                "a replay token as printed, a number from 0 to %llu (or 0x and "
                "hexadecimal digits), or random",
                most);
        break;
    case RFI_KIND_shard:
        fprintf(stderr, "I/N with 1 <= I <= N <= %llu, such as 2/4, or auto/N", most);
        break;
    case RFI_KIND_statuses:
    case RFI_KIND_elements:
        fprintf(stderr, "numbers from %llu to %llu, separated by commas", least, most);
        break;
    case RFI_KIND_names: fputs("one or several, separated by commas, of ", stderr); break;
    case RFI_KIND_choice:
    case RFI_KIND_name: fputs("one of ", stderr); break;
    case RFI_KIND_patterns:
        fputs("names or patterns with * and ?, separated by commas, each with - in front to leave "
              "tests out",
              stderr);
        break;
    case RFI_KIND_stop: fputs("the number of a step, failure, or race", stderr); break;
    case RFI_KIND_file: fputs("the name of a file or folder", stderr); break;
    case RFI_KIND_folders:
        fprintf(stderr, "the name of a folder, of %u at most", (unsigned)RFI_REPORTS * 8);
        break;
    case RFI_KIND_reports:
        fprintf(stderr,
                "the name of a file, - for standard output, or FORMAT:FILE, at most %u; "
                "a FORMAT is one of ",
                RFI_REPORTS);
        break;
    }
    if (names) rfi_complain_names(names);
    fputc('\n', stderr);
}

RFI_FN void rfi_complain_unknown_name(const rfi_value *v) {
    size_t n;
    const char *s = rfi_unknown_name(v, &n);
    if (!s) return;
    if (n < strlen(v->text)) { /* one of several: which */
        rfi_complain_quoted(s, n);
        fputc(' ', stderr);
    }
    const rfi_name *name;
    (void)rfi_name_at(v->names, s, n, &name);
    if (name && name->most)
        fprintf(stderr, "%s takes a number from %u to %u; ", name->name, name->least, name->most);
    else if (name)
        fprintf(stderr, "%s takes no number; ", name->name);
    if (name) return;
    fputs("is not known", stderr);
    const char *colon = memchr(s, ':', n);
    rfi_spelling spelling = rfi_spelling_of(s, colon ? (size_t)(colon - s) : n);
    for (const rfi_name *known = v->names; known->name; known++)
        rfi_spelling_offer(&spelling, known->name);
    rfi_complain_nearest(&spelling);
    fputs("; ", stderr);
}

/* `where`: the variable or option as written, without its value. */
RFI_FN RFI_COLD int rfi_refuse_value(const rfi_value *v, const char *where) {
    fprintf(stderr, "racefuzz: %s=", where);
    rfi_complain_quoted(v->text, strlen(v->text));
    fputs(": ", stderr);
    if (v->names && *v->text) rfi_complain_unknown_name(v);
    fputs("expected ", stderr);
    rfi_complain_expected(v->option, v->option->kind == RFI_KIND_reports ? v->formats : v->names);
    return 2;
}

/* A name that the code gives, NULL or valid; else one line, and false. */
RFI_FN bool rfi_name_valid(rfi_option_id id, const rfi_names *names, const char *text,
                           const char *where) {
    const rfi_option *o = &rfi_option_table[id];
    rfi_value v = {o, rfi_option_names(o, names), text, NULL, names->format};
    size_t length;
    if (!text) return true;
    if (!rfi_unknown_name(&v, &length)) return true;
    rfi_refuse_value(&v, where);
    return false;
}

/* An argument is neither an option nor the name of a test: it may be meant for the program. */
RFI_VAR bool rfi_argument_unknown;

RFI_FN RFI_COLD int rfi_refuse_option(const char *arg, size_t length) {
    rfi_argument_unknown = true;
    fputs("racefuzz: unknown option ", stderr);
    rfi_complain_quoted(arg, length);
    rfi_spelling spelling = rfi_spelling_of(arg, length);
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++)
        if (rfi_option_table[i].help) rfi_spelling_offer(&spelling, rfi_option_table[i].option);
    rfi_complain_nearest(&spelling);
    fputs("; expected one of", stderr);
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++)
        if (rfi_option_table[i].help) fprintf(stderr, " %s", rfi_option_table[i].option);
    fputc('\n', stderr);
    return 2;
}

/* ---- The environment and the command line. */

RFI_FN int rfi_settings_set(rfi_settings *s, const rfi_names *names, const rfi_option *o,
                            const char *where, const char *text) {
    rfi_value v = {o, rfi_option_names(o, names), text, s, names->format};
    return rfi_read_value(&v) ? 0 : rfi_refuse_value(&v, where);
}

/* A variable that looks like one of ours with a slip in it would be ignored in silence. */
RFI_FN void rfi_environment_warn(const char *variable) {
    size_t n = strcspn(variable, "=");
    rfi_spelling spelling = rfi_spelling_of(variable + 3, n - 3);
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) {
        const rfi_option *o = &rfi_option_table[i];
        if (strlen(o->variable) == n && !memcmp(o->variable, variable, n)) return;
        if (o->help) rfi_spelling_offer(&spelling, o->variable + 3);
    }
    if (!spelling.nearest) return;
    fputs("racefuzz: warning: the variable ", stderr);
    rfi_complain_quoted(variable, n);
    fprintf(stderr, " is not known (did you mean RF_%s?)\n", spelling.nearest);
}

RFI_FN int rfi_read_environment(rfi_settings *s, const rfi_names *names) {
    extern char **environ;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) {
        const rfi_option *o = &rfi_option_table[i];
        const char *text = getenv(o->variable);
        int status = text ? rfi_settings_set(s, names, o, o->variable, text) : 0;
        if (status) return status;
    }
    return 0;
}

/* Reads the option at argv[*i] and moves *i to the last argument that belongs to it. */
RFI_FN int rfi_read_option(rfi_settings *s, const rfi_names *names, int argc, char **argv, int *i) {
    const char *arg = strcmp(argv[*i], "-h") != 0 ? argv[*i] : "--help", *text = strchr(arg, '=');
    size_t n = text ? (size_t)(text - arg) : strlen(arg);
    const rfi_option *o = rfi_option_table, *end = o + RFI_OPTION_COUNT;
    while (o < end && (strlen(o->option) != n || memcmp(o->option, arg, n) != 0)) o++;
    if (o == end) return rfi_refuse_option(arg, n);
    if (!o->metavar) {
        if (!text) return rfi_settings_set(s, names, o, o->option, "1");
        fprintf(stderr, "racefuzz: %s=", o->option);
        rfi_complain_quoted(text + 1, strlen(text + 1));
        fputs(": expected no value\n", stderr);
        return 2;
    }
    if (text) return rfi_settings_set(s, names, o, o->option, text + 1);
    if (*i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        return rfi_settings_set(s, names, o, o->option, argv[++*i]);
    fprintf(stderr, "racefuzz: %s has no value: expected ", o->option);
    rfi_complain_expected(o,
                          o->kind == RFI_KIND_reports ? names->format : rfi_option_names(o, names));
    return 2;
}

/* The list of patterns `list` (malloc'ed or NULL) and one more. */
RFI_FN char *rfi_filter_add(char *list, const char *pattern) {
    size_t n = list ? strlen(list) + 1 : 0, bytes = n + strlen(pattern) + 1;
    list = RFI_REAL(realloc)(list, bytes);
    if (!list) rfi_die("out of memory (a filter of %zu bytes)", bytes);
    if (n) list[n - 1] = ',';
    memcpy(list + n, pattern, bytes - n);
    return list;
}

/* Arguments that are no options are added to the value of --filter; with either, that of RF_FILTER
 * does not count. */
RFI_FN int rfi_read_command_line(rfi_settings *s, const rfi_names *names, int argc, char **argv) {
    static char *patterns; /* kept for the life of the process */
    const char *variable = s->filter;
    const rfi_asked_reports reports = s->report;
    bool options = true;
    s->report.count = 0;
    RFI_REAL(free)(patterns);
    patterns = NULL;
    s->filter = NULL;
    for (int i = 1; i < argc; i++) {
        if (options && argv[i][0] == '-') {
            options = strcmp(argv[i], "--") != 0;
            int status = options ? rfi_read_option(s, names, argc, argv, &i) : 0;
            if (status) return status;
        } else if (s->merge.count) {
            const rfi_option *o = &rfi_option_table[RFI_OPTION_MERGE];
            if (rfi_settings_set(s, names, o, o->option, argv[i])) return 2;
        } else if (rfi_filter_valid(argv[i])) {
            patterns = rfi_filter_add(patterns, argv[i]);
        } else {
            rfi_value v = {&rfi_option_table[RFI_OPTION_FILTER], NULL, argv[i], s, NULL};
            return rfi_refuse_value(&v, "argument");
        }
    }
    if (patterns && s->filter) patterns = rfi_filter_add(patterns, s->filter);
    if (patterns) s->filter = patterns;
    if (!s->filter) s->filter = variable;
    if (!s->report.count) s->report = reports;
    return 0;
}

/* Fills in *s from the environment and the command line (argv[0] is skipped).  0, or 2 after one
 * line on stderr.  Once per run, before the workers.  argc 0: the run is part of another program's,
 * whose part of the work and tests are that program's affair. */
RFI_FN int rfi_settings_read(rfi_settings *s, const rfi_names *names, int argc, char **argv) {
    *s = (rfi_settings){.seed = 1,
                        .shard = 1,
                        .shards = 1,
                        .watchdog = 5,
                        .progress = 300,
                        .format = "text",
                        .shrink = RFI_SHRINK_RATE,
                        .success = {{1}},
                        .error_status = 2,
                        .finding_status = 1};
    rfi_runner_wishes(s);
    if (!argc) s->filter = NULL, s->timeout = 0;
    static bool warned; /* such a program runs us again and again */
    int status = rfi_read_environment(s, names);
    for (char **e = environ; !status && e && *e && (argc || !warned); e++)
        if (!strncmp(*e, "RF_", 3)) rfi_environment_warn(*e);
    warned = true;
    if (!status) status = rfi_read_command_line(s, names, argc, argv);
    if (status) return status;
    if (!s->shard) return rfi_runner_numbers(s);
    return s->shard_from || !argc ? 0 : rfi_runner_divides(s);
}
#endif
#endif

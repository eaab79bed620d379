/* campaign/options.h: the one list of options, and how they are read.
 *
 * Every option is one line of RFI_OPTIONS.  The variable RF_X, the option --x, what --help prints,
 * the table of the manual and the list of the man page (report/help.h) are made from it.  The
 * environment is read first, then the command line, so that the option wins over the variable and
 * the last of two equal options over the first.  Whatever is wrong is one line on stderr, whatever
 * characters a value has, and nothing else is printed.
 */
#ifndef RFI_CAMPAIGN_OPTIONS_H
#define RFI_CAMPAIGN_OPTIONS_H
#include "base/prng.h"
#include "campaign/filter.h"
#include "campaign/spelling.h"
#include "engine/fiber.h"
#include "engine/options.h"

#ifdef RFI_IMPL
/* A valid name and one line about it.  Lists of them end with {NULL, NULL}. */
typedef struct rfi_name {
    const char *name, *help;
} rfi_name;

/* The names that come from what is registered. */
typedef struct rfi_names {
    const rfi_name *strategy, *detect, *memory, *format;
} rfi_names;

typedef enum rfi_fail_on { RFI_FAIL_ON_RACE, RFI_FAIL_ON_HARM } rfi_fail_on;

/* Texts belong to the environment or to argv. */
typedef struct rfi_settings {
    uint64_t seed;                /* of the campaign */
    bool seed_given, seed_random; /* random: drawn from the clock and the process id */
    const char *token;            /* RF_SEED is a replay token; else NULL */
    const char *filter;           /* for rfi_filter_match(); NULL: all tests */
    uint32_t executions;          /* 0: not given, as for the next three */
    double seconds;
    uint64_t steps;
    size_t stack;
    bool seconds_given;                     /* given and 0: no cap */
    const char *strategy, *detect, *memory; /* valid names; NULL: not given */
    rf_granularity granularity;
    rfi_fail_on fail_on;
    uint32_t jobs; /* 0: no other process */
    bool jobs_given;
    uint32_t shard, shards; /* 1 <= shard <= shards */
    rfi_backend_kind backend;
    uint32_t watchdog;  /* CPU seconds */
    const char *format; /* a valid name */
    const char *report; /* a file; NULL: standard output */
    bool list, help, version, trace, verify;
    bool help_markdown, help_roff; /* for making the manual; not in --help */
} rfi_settings;

/* X(ID, "--option", metavar, kind, field, least, most, default, help): the variable is RF_ID; kind
 * names a reader below; a choice of the index i is stored as least + i; an option without help is
 * not shown. */
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
    X(EXECUTIONS, "--executions", "N", u32, executions, 1, UINT32_MAX, "1000", \
      "executions per test and phase") \
    X(SECONDS, "--seconds", "SECONDS", seconds, seconds, 0, 1000000000, "10", \
      "cap on the time of each test, reported when it is hit; none: no cap") \
    X(STEPS, "--steps", "N", u64, steps, 1, UINT64_MAX, "1000000", \
      "steps after which an execution counts as a livelock") \
    X(STACK, "--stack", "BYTES", bytes, stack, 16 << 10, 1 << 30, "256k", \
      "stack of each logical thread; k, m and g may follow the number") \
    X(STRATEGY, "--strategy", "NAMES", names, strategy, 0, 0, "racefuzzer", \
      "what picks the next thread; several are separated by commas") \
    X(DETECT, "--detect", "NAMES", names, detect, 0, 0, "hb,hybrid", \
      "which analyses predict; several are separated by commas") \
    X(MEMORY, "--memory", "NAME", name, memory, 0, 0, "sc", "the memory model") \
    X(GRANULARITY, "--granularity", "NAME", choice, granularity, RF_GRAIN_FINE, 0, \
      "fine while predicting, coarse while confirming", "where threads may be switched") \
    X(FAIL_ON, "--fail-on", "NAME", choice, fail_on, RFI_FAIL_ON_RACE, 0, "race", \
      "which races fail a test") \
    X(JOBS, "--jobs", "N", jobs, jobs, 0, 256, "1, or 0 under a debugger", \
      "worker processes; 0: everything in this process; does not change what is found") \
    X(SHARD, "--shard", "I/N", shard, shard, 1, UINT32_MAX, "1/1", \
      "run the part I of N of the campaign") \
    X(BACKEND, "--backend", "NAME", choice, backend, RFI_BACKEND_FIBER, 0, "fiber", \
      "what logical threads are made of; does not change what is found") \
    X(WATCHDOG, "--watchdog", "SECONDS", u32, watchdog, 1, 86400, "5", \
      "CPU time that an execution may take without reaching racefuzz") \
    X(FORMAT, "--format", "NAME", name, format, 0, 0, "text", "how the report is written") \
    X(REPORT, "--report", "FILE", file, report, 0, 0, "standard output", \
      "where the report is written to") \
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
    RFI_KIND_seed,
    RFI_KIND_shard,
    RFI_KIND_choice, /* one of a fixed list */
    RFI_KIND_name,   /* one of what is registered */
    RFI_KIND_names,  /* or several of it */
    RFI_KIND_patterns,
    RFI_KIND_file
} rfi_option_kind;

typedef struct rfi_option {
    const char *variable, *option;
    const char *metavar; /* NULL: takes no value */
    const char *preset, *help;
    rfi_option_id id;
    rfi_option_kind kind;
    uint64_t least, most;
} rfi_option;

static const rfi_option rfi_option_table[] RFI_UNUSED = {
/* clang-format off */
# define RFI_X(id, option, metavar, kind, field, least, most, preset, help) \
    {"RF_" #id, option, metavar, preset, help, RFI_OPTION_##id, RFI_KIND_##kind, least, most},
    /* clang-format on */
    RFI_OPTIONS(RFI_X)
# undef RFI_X
};

/* The names that an option takes, or NULL. */
RFI_FN const rfi_name *rfi_option_names(const rfi_option *o, const rfi_names *names) {
    static const rfi_name granularity[] = {{"fine", "before every visible operation"},
                                           {"coarse", "before synchronisation, atomics and the "
                                                      "statements under suspicion"},
                                           {NULL, NULL}};
    static const rfi_name fail_on[] = {{"race", "every race that was produced"},
                                       {"harm", "only those after which an execution failed"},
                                       {NULL, NULL}};
    static const rfi_name backend[] = {{"fiber", "stacks in one thread, switched by hand"},
                                       {"threads", "real threads that wait for each other"},
                                       {NULL, NULL}};
    switch (o->id) {
    case RFI_OPTION_STRATEGY: return names->strategy;
    case RFI_OPTION_DETECT: return names->detect;
    case RFI_OPTION_MEMORY: return names->memory;
    case RFI_OPTION_FORMAT: return names->format;
    case RFI_OPTION_GRANULARITY: return granularity;
    case RFI_OPTION_FAIL_ON: return fail_on;
    case RFI_OPTION_BACKEND: return backend;
    default: return NULL;
    }
}

/* Formats that are planned: refused, but not as a slip of the pen. */
static const rfi_name rfi_formats_later[] RFI_UNUSED = {
    {"junit", NULL}, {"json", NULL}, {"html", NULL}, {NULL, NULL}};

/* ---- Readers: each stores a value that is as it should be; for any other the answer is false. */

typedef struct rfi_value {
    const rfi_option *option;
    const rfi_name *names; /* of the option */
    const char *text;
    rfi_settings *settings;
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
RFI_FN bool rfi_read_seconds(const rfi_value *v, double *out) {
    uint64_t whole;
    double n = 0, scale = 1;
    if (strcmp(v->text, "none") != 0) {
        const char *rest = rfi_read_digits(v->text, 10, &whole);
        if (!rest || whole >= v->option->most) return false;
        if (*rest == '.' && rest[1])
            for (rest++; *rest >= '0' && *rest <= '9'; rest++) n += (*rest - '0') * (scale /= 10);
        n += (double)whole;
        if (*rest || n <= 0) return false;
    }
    *out = n;
    v->settings->seconds_given = true;
    return true;
}

RFI_FN bool rfi_looks_like_token(const char *s) {
    static const char valid[] = "0123456789.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *s >= '0' && *s <= '9' && strchr(s, '.') && !s[strspn(s, valid)];
}

/* The only use of the clock and the process id; what comes of it is printed as the seed. */
RFI_FN uint64_t rfi_seed_draw(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return rfi_mix(rfi_mix((uint64_t)now.tv_sec) + (uint64_t)now.tv_nsec) ^
           rfi_mix((uint64_t)getpid());
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
    uint64_t i, n;
    const char *rest = rfi_read_digits(v->text, 10, &i);
    if (!rest || *rest != '/') return false;
    rest = rfi_read_digits(rest + 1, 10, &n);
    if (!rest || *rest || i < 1 || i > n || !rfi_in_range(v, n)) return false;
    *out = (uint32_t)i;
    v->settings->shards = (uint32_t)n;
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

/* The first name of the value that is not in the list, and its length; NULL if there is none. */
RFI_FN const char *rfi_unknown_name(const rfi_value *v, size_t *length) {
    bool several = v->option->kind == RFI_KIND_names;
    for (const char *s = v->text;; s++) {
        *length = several ? strcspn(s, ",") : strlen(s);
        if (rfi_name_index(v->names, s, *length) < 0) return s;
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

RFI_FN bool rfi_read_file(const rfi_value *v, const char **out) {
    if (!*v->text) return false;
    *out = v->text;
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
    case RFI_KIND_seed:
        fprintf(stderr,
                "a replay token as printed, a number from 0 to %llu (or 0x and "
                "hexadecimal digits), or random",
                most);
        break;
    case RFI_KIND_shard: fprintf(stderr, "I/N with 1 <= I <= N <= %llu, such as 2/4", most); break;
    case RFI_KIND_names: fputs("one or several, separated by commas, of ", stderr); break;
    case RFI_KIND_choice:
    case RFI_KIND_name: fputs("one of ", stderr); break;
    case RFI_KIND_patterns:
        fputs("names or patterns with * and ?, separated by commas, each with - in front to leave "
              "tests out",
              stderr);
        break;
    case RFI_KIND_file: fputs("the name of a file", stderr); break;
    }
    if (names) rfi_complain_names(names);
    fputc('\n', stderr);
}

RFI_FN void rfi_complain_unknown_name(const rfi_value *v) {
    size_t n;
    const char *s = rfi_unknown_name(v, &n);
    if (!s) return;
    bool later = v->option->id == RFI_OPTION_FORMAT && rfi_name_index(rfi_formats_later, s, n) >= 0;
    if (n < strlen(v->text)) { /* one of several: which */
        rfi_complain_quoted(s, n);
        fputc(' ', stderr);
    }
    fputs(later ? "comes later" : "is not known", stderr);
    rfi_spelling spelling = rfi_spelling_of(s, n);
    for (const rfi_name *known = v->names; known->name && !later; known++)
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
    rfi_complain_expected(v->option, v->names);
    return 2;
}

RFI_FN RFI_COLD int rfi_refuse_option(const char *arg, size_t length) {
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
    rfi_value v = {o, rfi_option_names(o, names), text, s};
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
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, "RF_", 3)) rfi_environment_warn(*e);
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
    rfi_complain_expected(o, rfi_option_names(o, names));
    return 2;
}

/* The list of patterns `list` (malloc'ed or NULL) and one more. */
RFI_FN char *rfi_filter_add(char *list, const char *pattern) {
    size_t n = list ? strlen(list) + 1 : 0, bytes = n + strlen(pattern) + 1;
    list = realloc(list, bytes);
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
    bool options = true;
    free(patterns);
    patterns = NULL;
    s->filter = NULL;
    for (int i = 1; i < argc; i++) {
        if (options && argv[i][0] == '-') {
            options = strcmp(argv[i], "--") != 0;
            int status = options ? rfi_read_option(s, names, argc, argv, &i) : 0;
            if (status) return status;
        } else if (rfi_filter_valid(argv[i])) {
            patterns = rfi_filter_add(patterns, argv[i]);
        } else {
            rfi_value v = {&rfi_option_table[RFI_OPTION_FILTER], NULL, argv[i], s};
            return rfi_refuse_value(&v, "argument");
        }
    }
    if (patterns && s->filter) patterns = rfi_filter_add(patterns, s->filter);
    if (patterns) s->filter = patterns;
    if (!s->filter) s->filter = variable;
    return 0;
}

/* Fills in *s from the environment and the command line (argv[0] is skipped).  0, or 2 after one
 * line on stderr.  Once per process, before the workers. */
RFI_FN int rfi_settings_read(rfi_settings *s, const rfi_names *names, int argc, char **argv) {
    *s = (rfi_settings){.seed = 1, .shard = 1, .shards = 1, .watchdog = 5, .format = "text"};
    int status = rfi_read_environment(s, names);
    return status ? status : rfi_read_command_line(s, names, argc, argv);
}
#endif
#endif

/* campaign/token.h: the string that replays an execution.
 *
 *     1.transfer.racefuzzer.s1.i12.p3k9v0d2m41xq7w0z.xQ2_9aB
 *
 * Fields are separated by dots: version, test, explorer, then one letter and a value each.  A test
 * whose name is no plain word, or a very long one, is told by what is plain at its start, a hyphen,
 * and eight digits of its hash:  1.caf-k3k9v0d2.random.s1.i12.  The letters:
 * s campaign seed, i index, p the target (keys of eight base-32 digits: the two statements of a
 * race), b the strategy below the checker or the memory, q its parameter, l what the execution used
 * of what the strategy had learned (any number of characters), o the
 * statements whose plain accesses are points (two characters each), m heuristic and a all plain
 * data (phase 3), c model of atomics, h history, t no torn values, e elements of arrays, v release
 * sequences of C++20, g granularity, n step limit, k stack size (t: real threads have it), w
 * without spurious wake-ups, r with critical sections as atomic blocks (rf: functions too), u with
 * freed memory that was given out again, d with chance that was drawn, f cores, j bits of the
 * machine's word, y milliseconds that may pass early, z the order of the threads, which have no
 * preemption, x how the execution went when the token was made.  All that an execution depends on
 * is in it; what has its default is left out.  x is only compared: two characters (in base 64) for
 * the set of sites reached, two for what happened, then one each for what had happened after 1, 2,
 * 4, ... events. What happens is told without the sites, so that moved lines are not taken for
 * another course.
 */
#ifndef RFI_CAMPAIGN_TOKEN_H
#define RFI_CAMPAIGN_TOKEN_H
#include "campaign/job.h"
#include "campaign/memo.h"

#ifdef RFI_IMPL
# define RFI_TOKEN_VERSION "1"
# define RFI_SITE_DIGITS   8 /* of 5 bits: RFI_KEY_BITS */
# define RFI_MARK_SITES    2 /* characters of x for the sites, then for the whole course */
# define RFI_MARK_COURSE   2
# define RFI_MARK_BYTES    48

RFI_VAR const char rfi_base32[] = "0123456789abcdefghjkmnpqrstvwxyz";
RFI_VAR const char rfi_base64[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

# define RFI_TOKEN_NAME  128 /* of a test in a token */
# define RFI_TOKEN_START 24  /* of these what is kept of one that can't stand there as it is */

typedef struct rfi_token {
    char test[RFI_TOKEN_NAME];
    rfi_job job; /* without the test */
    uint64_t index;
    uint8_t used[RF_USED_BYTES]; /* job.used */

    char grain;                /* 'f' or 'c'; 0: the default */
    char mark[RFI_MARK_BYTES]; /* the x field, may be empty */
} rfi_token;

/* The x field of an execution that was traced. */
RFI_FN void rfi_token_mark(const rfi_record *r, char out[RFI_MARK_BYTES]) {
    char *at = out;
    for (unsigned i = 0; i < RFI_MARK_SITES; i++) *at++ = rfi_base64[r->site_hash >> (6 * i) & 63];
    for (unsigned i = 0; i < RFI_MARK_COURSE; i++) *at++ = rfi_base64[r->course >> (6 * i) & 63];
    for (unsigned i = 0; i < 40 && (UINT64_C(1) << i) <= r->events; i++)
        *at++ = rfi_base64[r->prefix[i] >> 58];
    *at = 0;
}

/* A number in base 32, so many digits of it. */
RFI_FN char *rfi_token_digits(char *at, uint64_t number) {
    for (unsigned d = RFI_SITE_DIGITS; d--;) *at++ = rfi_base32[number >> (d * 5) & 31];
    *at = 0;
    return at;
}

/* A test's name as a token has it: characters that no shell looks at.  Others become a hyphen, of
 * which plain names have none. */
RFI_FN void rfi_token_name(const char *name, char out[RFI_TOKEN_NAME]) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t n = strlen(name);
    char *at = out;
    if (n && n < RFI_TOKEN_NAME && strspn(name, plain) == n) {
        memcpy(out, name, n + 1);
        return;
    }
    for (const char *s = name; *s && at < out + RFI_TOKEN_START; s++) {
        if (strchr(plain, *s))
            *at++ = *s;
        else if (at > out && at[-1] != '-')
            *at++ = '-';
    }
    if (at == out || at[-1] != '-') *at++ = '-';
    (void)rfi_token_digits(at, rfi_hash_text(name));
}

RFI_VAR const char rfi_token_adversarial[] = "adversarial";

RFI_FN const char *rfi_token_explorer(const rfi_job *j) {
    if (j->phase == RFI_ADVERSARY) return rfi_token_adversarial;
    return j->phase == RFI_CONFIRM ? rfi_job_checker(j)->name : rfi_job_strategy(j)->name;
}

/* By rf_heuristic; phase 3 has no other ones. */
RFI_VAR const char *const rfi_token_picks[RFI_PICKS] = {
    [RF_PICK_NEWEST] = "n", [RF_PICK_OLDEST] = "o",
    [RF_PICK_RANDOM] = "r", [RF_PICK_OLDEST_DIFFERENT] = "od",
    [RF_PICK_MIXED] = "x",  [RF_PICK_RANDOM_DIFFERENT] = "rd"};

/* What is the default of rfi_job.fine. */
RFI_FN bool rfi_token_fine(const rfi_job *j) { return j->phase == RFI_PREDICT || j->all; }

/* What comes from a strategy that learns: six bits a character, the last one padded with zeros. */
RFI_FN void rfi_token_write_used(rfi_text *t, const uint8_t *used, uint32_t n) {
    uint32_t bits = 0, have = 0;
    if (n) rfi_append(t, ".l");
    for (uint32_t i = 0; i < n; i++) {
        bits = bits << 8 | used[i];
        for (have += 8; have >= 6; have -= 6)
            rfi_append(t, "%c", rfi_base64[bits >> (have - 6) & 63]);
    }
    if (have) rfi_append(t, "%c", rfi_base64[bits << (6 - have) & 63]);
}

RFI_FN void rfi_token_put_points(rfi_text *t, const uint64_t *point) {
    for (uint32_t i = 0; i < RFI_POINT_WORDS * 64; i++)
        if (rfi_points_have(point, i))
            rfi_append(t, "%c%c", rfi_base64[i / 64], rfi_base64[i % 64]);
}

RFI_FN bool rfi_token_points(const char *s, rfi_job *j) {
    j->shared = true;
    for (; *s; s += 2) {
        const char *high = strchr(rfi_base64, s[0]), *low = s[1] ? strchr(rfi_base64, s[1]) : NULL;
        if (!high || !low) return false;
        rfi_points_add(j->point, (uint32_t)((high - rfi_base64) * 64 + (low - rfi_base64)));
    }
    return true;
}

RFI_FN bool rfi_token_used(const char *s, rfi_token *t) {
    uint32_t bits = 0, have = 0, n = 0;
    for (; *s; s++) {
        const char *digit = strchr(rfi_base64, *s);
        if (!digit || n == RF_USED_BYTES) return false;
        bits = bits << 6 | (uint32_t)(digit - rfi_base64);
        if ((have += 6) < 8) continue;
        have -= 8;
        t->used[n++] = (uint8_t)(bits >> have);
    }
    t->job.used = t->used;
    t->job.used_bytes = n;
    return n;
}

RFI_FN void rfi_token_write_memory(rfi_text *t, const rfi_job *j) {
    const rf_mem_options *m = &j->memory;
    if (j->phase == RFI_ADVERSARY)
        rfi_append(t, ".m%s%s", rfi_token_picks[j->pick], j->all ? ".a" : "");
    if (m->atomics != RF_MEM_C11) rfi_append(t, ".c%c", m->atomics == RF_MEM_SC ? 's' : 'f');
    if (m->history) rfi_append(t, ".h%u", m->history);
    if (m->whole || j->tears) rfi_append(t, m->whole ? ".t" : ".ta");
    if (m->sample) rfi_append(t, ".e%u", m->sample);
    if (m->cxx20) rfi_append(t, ".v20");
}

/* Only where a stack ends does it matter which back end there was. */
RFI_FN bool rfi_token_threads(const rfi_record *r) {
    return r && r->failure.diagnostic == RF_DIAG_STACK_OVERFLOW &&
           rfi.backend == RFI_BACKEND_THREADS;
}

RFI_FN bool rfi_token_stack(const char *s, rfi_job *j) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    j->stack_size = (size_t)v;
    j->threads = *end == 't';
    bool number = *s >= '0' && *s <= '9' && !errno && v && v <= SIZE_MAX;
    return (number || (end == s && j->threads)) && !end[j->threads];
}

/* `r`: the record of the same execution, or NULL; with a trace of all of it there is an x field. */
RFI_FN void rfi_token_write(const rfi_job *j, uint64_t index, const rfi_record *r, char *out) {
    rfi_text t = {out, out + RFI_TOKEN_BYTES};
    char name[RFI_TOKEN_NAME], digits[RFI_SITE_DIGITS + 1];
    rfi_token_name(j->test->options.rfi_name, name);
    rfi_append(&t, RFI_TOKEN_VERSION ".%s.%s.s%llu.i%llu", name, rfi_token_explorer(j),
               (unsigned long long)j->seed, (unsigned long long)index);
    for (unsigned i = 0, n = rfi_job_targets(j);
         j->phase != RFI_PREDICT && rfi_job_directed(j) && i < n; i++) {
        (void)rfi_token_digits(digits, j->target[i]);
        rfi_append(&t, i ? "%s" : ".p%s", digits);
    }
    if (j->phase != RFI_PREDICT && rfi_job_strategy(j) != &rfi_random)
        rfi_append(&t, ".b%s", rfi_job_strategy(j)->name);
    if (j->parameter != rfi_parameter_default(rfi_job_strategy(j)))
        rfi_append(&t, ".q%u", j->parameter);
    const rfi_memo *memo = r ? NULL : rfi_memo_of(j, index);
    if (r) rfi_token_write_used(&t, r->used, r->used_bytes);
    if (memo) rfi_token_write_used(&t, memo->used, memo->bytes);
    if (j->shared) rfi_append(&t, ".o");
    if (j->shared) rfi_token_put_points(&t, j->point);
    rfi_token_write_memory(&t, j);
    if (j->fine != rfi_token_fine(j)) rfi_append(&t, ".g%c", j->fine ? 'f' : 'c');
    if (j->max_steps && j->max_steps != rfi_steps_usual(j->test))
        rfi_append(&t, ".n%llu", (unsigned long long)j->max_steps);
    bool stack = j->stack_size && j->stack_size != rfi_stack_usual(j->test);
    if (stack) rfi_append(&t, ".k%zu", j->stack_size);
    if (rfi_token_threads(r)) rfi_append(&t, stack ? "t" : ".kt");
    if (!j->spurious) rfi_append(&t, ".w");
    if (j->regions) rfi_append(&t, j->functions ? ".rf" : ".r");
    if (j->cores) rfi_append(&t, ".f%u", j->cores);
    if (j->word) rfi_append(&t, ".j%u", j->word * 8);
    if (j->late && (!r || r->deadlines)) rfi_append(&t, ".y%u", j->late - 1);
    if (j->drawn && (!r || r->drawn)) rfi_append(&t, ".d");
    if (j->again && (!r || r->again.count)) rfi_append(&t, ".u");
    uint32_t opening = j->serials ? rfi_opening_number(j->opening, index) : 0;
    if (opening) rfi_append(&t, ".z%u", opening);
    if (!r || !r->tracing || r->cut) return;
    char mark[RFI_MARK_BYTES];
    rfi_token_mark(r, mark);
    rfi_append(&t, ".x%s", mark);
}

RFI_FN bool rfi_token_number(const char *s, uint64_t max, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    *out = v;
    return *s >= '0' && *s <= '9' && !*end && !errno && v <= max;
}

RFI_FN bool rfi_token_target(const char *s, rfi_job *j) {
    size_t n = strlen(s), targets = n / RFI_SITE_DIGITS;
    bool pair = j->phase == RFI_ADVERSARY || !j->checker || j->checker == &rfi_racefuzzer;
    if (n % RFI_SITE_DIGITS || targets > RF_TARGETS || (pair && targets != 2)) return false;
    for (unsigned i = 0; i < n; i++) {
        const char *digit = strchr(rfi_base32, s[i]);
        if (!digit) return false;
        uint64_t *key = &j->target[i / RFI_SITE_DIGITS];
        *key = *key << 5 | (uint64_t)(digit - rfi_base32);
    }
    return targets && rfi_job_targets(j) == targets;
}

RFI_FN bool rfi_token_strategy(const char *s, rfi_job *j) {
    j->strategy = rfi_strategy_named(s);
    return j->strategy && j->phase != RFI_PREDICT;
}

RFI_FN bool rfi_token_pick(const char *s, rfi_job *j) {
    for (unsigned i = 0; i < RFI_PICKS && j->phase == RFI_ADVERSARY; i++) {
        if (!rfi_token_picks[i] || strcmp(rfi_token_picks[i], s) != 0) continue;
        j->pick = (rf_heuristic)i;
        return true;
    }
    return false;
}

RFI_FN bool rfi_token_memory(const char *s, rfi_job *j) {
    uint64_t v = 0;
    rf_mem_options *m = &j->memory;
    bool number = rfi_token_number(s + 1, UINT32_MAX, &v) && v;
    switch (*s) {
    case 'm': return rfi_token_pick(s + 1, j);
    case 'a': j->all = true; return !s[1] && j->phase == RFI_ADVERSARY;
    case 'c':
        m->atomics = s[1] == 's' ? RF_MEM_SC : RF_MEM_C11_FAST;
        return (s[1] == 's' || s[1] == 'f') && !s[2];
    case 'h': m->history = (uint32_t)v; return number && v >= 2 && v <= RF_MEM_HISTORY_MAX;
    case 't':
        j->tears = s[1] == 'a';
        m->whole = !j->tears;
        return !s[1 + j->tears];
    case 'e': m->sample = (uint32_t)v; return number;
    case 'v': m->cxx20 = true; return v == 20;
    default: return false;
    }
}

RFI_FN bool rfi_token_field(const char *s, rfi_token *t) {
    uint64_t v;
    rfi_job *j = &t->job;
    switch (*s) {
    case 's': return rfi_token_number(s + 1, UINT64_MAX, &j->seed);
    case 'i': return rfi_token_number(s + 1, UINT64_MAX, &t->index);
    case 'p': return rfi_token_target(s + 1, j);
    case 'b': return rfi_token_strategy(s + 1, j);
    case 'l': return rfi_token_used(s + 1, t);
    case 'o': return rfi_token_points(s + 1, j);
    case 'q':
        if (!rfi_token_number(s + 1, UINT32_MAX, &v)) return false;
        j->parameter = (uint32_t)v;
        return true;
    case 'g': t->grain = s[1]; return (s[1] == 'f' || s[1] == 'c') && !s[2];
    case 'n': return rfi_token_number(s + 1, UINT64_MAX, &j->max_steps) && j->max_steps;
    case 'k': return rfi_token_stack(s + 1, j);
    case 'w': j->spurious = false; return !s[1];
    case 'r':
        j->regions = true;
        j->functions = s[1] == 'f';
        return !s[1 + j->functions];
    case 'f':
        if (!rfi_token_number(s + 1, 64, &v) || !v) return false;
        j->cores = (uint32_t)v;
        return true;
    case 'j':
        if (!rfi_token_number(s + 1, 64, &v) || v < 8 || v & (v - 1)) return false;
        j->word = (uint32_t)v / 8;
        return true;
    case 'y':
        if (!rfi_token_number(s + 1, UINT32_MAX - 1, &v)) return false;
        j->late = (uint32_t)v + 1;
        return true;
    case 'd': j->drawn = true; return !s[1];
    case 'u': j->again = true; return !s[1];
    case 'z': /* behind i */
        if (!rfi_token_number(s + 1, RFI_OPENING, &v) || !v) return false;
        if (rfi_opening_behind((uint32_t)v) > t->index) return false;
        j->opening = t->index + 1 - rfi_opening_behind((uint32_t)v);
        return true;
    case 'x':
        if (strlen(s + 1) < RFI_MARK_SITES + RFI_MARK_COURSE) return false;
        return (size_t)snprintf(t->mark, sizeof t->mark, "%s", s + 1) < sizeof t->mark;
    default: return rfi_token_memory(s, j);
    }
}

/* What a token's third field names: the phase, with its strategy or checker; 0: nothing. */
RFI_FN unsigned rfi_token_phase(const char *explorer, rfi_job *j) {
    if (!explorer) return 0;
    if (!strcmp(explorer, rfi_token_adversarial)) return RFI_ADVERSARY;
    j->strategy = rfi_strategy_named(explorer);
    j->checker = j->strategy ? NULL : rfi_checker_named(explorer);
    j->serials = j->strategy && rfi_strategy_draws(j->strategy);
    return j->strategy ? RFI_PREDICT : j->checker ? RFI_CONFIRM : 0;
}

/* Reads a token; on failure false, with what is wrong in `why`. */
RFI_FN bool rfi_token_read(const char *text, rfi_token *t, char *why, size_t bytes) {
    char copy[RFI_TOKEN_BYTES + 64], *save = NULL;
    *t = (rfi_token){.job = {.spurious = true, .must_end = true}};
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy) {
        snprintf(why, bytes, "it is too long");
        return false;
    }
    const char *version = strtok_r(copy, ".", &save);
    const char *test = strtok_r(NULL, ".", &save), *explorer = strtok_r(NULL, ".", &save);
    if (!version || strcmp(version, RFI_TOKEN_VERSION)) {
        snprintf(why, bytes,
                 "it was made by another version of racefuzz (%s, this one reads " RFI_TOKEN_VERSION
                 ")",
                 version ? version : "?");
        return false;
    }
    t->job.phase = rfi_token_phase(explorer, &t->job);
    if (!t->job.phase) {
        if (explorer)
            snprintf(why, bytes, "this program has no explorer named %s", explorer);
        else
            snprintf(why, bytes, "it is cut short");
        return false;
    }
    if ((size_t)snprintf(t->test, sizeof t->test, "%s", test) >= sizeof t->test) {
        snprintf(why, bytes, "its test's name is too long");
        return false;
    }
    bool seen[128] = {false};
    for (char *f; (f = strtok_r(NULL, ".", &save)) != NULL;) {
        if (seen[f[0] & 127] || !rfi_token_field(f, t)) {
            snprintf(why, bytes, "field '%.40s' can't be read", f);
            return false;
        }
        seen[f[0] & 127] = true;
    }
    unsigned phase = t->job.phase;
    const rf_strategy *strategy = rfi_job_strategy(&t->job);
    if (!seen['q']) t->job.parameter = rfi_parameter_default(strategy);
    if (seen['q'] && (!strategy->parameter || t->job.parameter < strategy->least ||
                      t->job.parameter > strategy->most)) {
        snprintf(why, bytes, "%s does not take the number %u", strategy->name, t->job.parameter);
        return false;
    }
    bool aimed = phase == RFI_CONFIRM && t->job.checker->confirms;
    if (!seen['s'] || !seen['i'] || (aimed && !seen['p']) ||
        (phase == RFI_ADVERSARY && !seen['m'])) {
        snprintf(why, bytes, "it is cut short");
        return false;
    }
    t->job.fine = t->grain ? t->grain == 'f' : rfi_token_fine(&t->job);
    return true;
}

/* Which statement now stands where it may be another one. */
RFI_FN void rfi_token_say_statement(rfi_text *out, const rfi_record *r, uint64_t agreed) {
    const rf_event *e = &r->event[agreed % RFI_RECORD_EVENTS];
    if (agreed < r->events && agreed + RFI_RECORD_EVENTS >= r->events && e->site)
        rfi_append(out, " (step %llu is now T%u's, at %s)", (unsigned long long)agreed, e->thread,
                   RFI_AT(e->site));
}

/* Where the two courses part, as far as the marks tell (one character in 64 agrees by chance).
 * Steps are numbered as in the picture, from 0. */
RFI_FN void rfi_token_say_where(rfi_text *out, const rfi_record *r, const char *now,
                                const char *then) {
    size_t n = 0;
    while (now[n] && now[n] == then[n]) n++;
    unsigned long long agreed = n ? 1ull << (n - 1) : 0; /* that many steps */
    bool bounded = now[n] && then[n];
    if (bounded && agreed < 2)
        rfi_append(out, "from step %llu on", agreed);
    else if (bounded)
        rfi_append(out, "from one of the steps %llu to %llu on", agreed, 2 * agreed - 1);
    else
        rfi_append(out, "from step %llu or a later one on", agreed);
    rfi_token_say_statement(out, r, agreed);
}

/* How many statements of the token's pair the replayed execution has met; 2 when it has no pair.  A
 * finding may come before both are met, a clean execution has no token unless the program is
 * another one. */
RFI_FN unsigned rfi_token_pair_met(const rfi_token *t) {
    unsigned met = 0;
    const rf_checker *c = rfi_job_checker(&t->job);
    if (!rfi_job_directed(&t->job) || (c && c != &rfi_racefuzzer)) return 2;
    for (unsigned i = 0; i < 2; i++)
        met += rfi_site_table.site[rfi_site_number_of_key(t->job.target[i])] != NULL;
    return met;
}

/* What may have been another thing than in the campaign. */
RFI_FN void rfi_token_say_outside(rfi_text *out, const rfi_record *r) {
    rfi_append(out, "something outside of the token (");
    for (unsigned i = 0; i < RFI_ASKS; i++)
        if (r->asks[i][0]) rfi_append(out, "%s; ", r->asks[i]);
    if (!rfi_addresses_fixed())
        rfi_append(out, "addresses, which differ from process to process unless it is started"
                        " by setarch -R; ");
    rfi_append(out, "time, environment, input, what other processes do)");
}

/* Compares the execution with how it went when the token was made; true if they agree, or nothing
 * is known and nothing depends on it; else `why` says what differs, and from where on. */
RFI_FN bool rfi_token_compare(const rfi_token *t, const rfi_record *r, char *why, size_t bytes) {
    const size_t sites = RFI_MARK_SITES, head = RFI_MARK_SITES + RFI_MARK_COURSE;
    const char *then = t->mark;
    char now[RFI_MARK_BYTES];
    rfi_text out = {why, why + bytes};
    rfi_token_mark(r, now);
    if (!strcmp(now, then)) return true;
    if (!*then) {
        rfi_append(&out, "the token does not tell of what program and course it is");
        return !rfi_job_strategy(&t->job)->values;
    }
    if (!strncmp(now, then, strlen(then))) {
        rfi_append(&out, "the end of the token is missing; what is left of it agrees");
        return false;
    }
    if (!strncmp(now, then, sites)) {
        rfi_append(&out, "the execution depends on ");
        rfi_token_say_outside(&out, r);
        rfi_append(&out, ", or the program has changed since the token was made");
    } else {
        rfi_append(&out, "the program has changed since the token was made");
        if (strcmp(now + sites, then + sites) != 0) {
            rfi_append(&out, ", or ");
            rfi_token_say_outside(&out, r);
        }
        rfi_append(&out, ": its statements differ");
        unsigned met = rfi_token_pair_met(t);
        if (met < 2) rfi_append(&out, ", %s of the pair was met", met ? "only one" : "none");
    }
    if (!strcmp(now + sites, then + sites)) {
        rfi_append(&out, "; this execution went the same way all the same");
        return false;
    }
    rfi_append(&out, "; this execution went another way, ");
    rfi_token_say_where(&out, r, now + head, then + head);
    return false;
}
#endif
#endif

/* Traces written by hand for the race detectors: a little language, and running them. */
#ifndef TESTS_DETECT_TRACE_H
#define TESTS_DETECT_TRACE_H
#include "detect/choi.h"
#include "detect/eraser.h"
#include "detect/fasttrack.h"
#include "detect/hb.h"
#include "detect/hybrid.h"
#include "check.h"

static const rf_analysis *const race_detectors[] = {&rfi_hb_analysis,        &rfi_hybrid_analysis,
                                                    &rfi_fasttrack_analysis, &rfi_eraser_analysis,
                                                    &rfi_stateless_analysis, &rfi_choi_analysis};

/* ---- traces ----
 *
 * "1 W x 3" is a write of x by thread 1 at line 3; statements are separated by semicolons. Operands
 * are letters: variables (x, x+2:4 = 4 bytes at x+2), objects, or thread numbers.  The number at
 * the end is the line of an access, the value of a semaphore or the phase of a barrier. */

enum { LINES = 64 };

static rf_site sites[LINES][2];
static _Alignas(512) unsigned char memory[26][64];

typedef struct trace {
    rf_event *e;
    uint32_t n, capacity;
} trace;

static const struct word {
    const char *name;
    uint8_t kind;
    uint16_t flags;
    uint8_t value;
} words[] = {
    {"R", RF_EV_LOAD, RF_EV_READS, 0},
    {"W", RF_EV_STORE, RF_EV_WRITES, 0},
    {"racyR", RF_EV_LOAD, RF_EV_READS | RF_EV_RACY, 0},
    {"racyW", RF_EV_STORE, RF_EV_WRITES | RF_EV_RACY, 0},
    {"ld", RF_EV_LOAD, RF_EV_READS | RF_EV_ATOMIC, 0},
    {"st", RF_EV_STORE, RF_EV_WRITES | RF_EV_ATOMIC, 0},
    {"up", RF_EV_RMW, RF_EV_READS | RF_EV_WRITES | RF_EV_ATOMIC, 0},
    {"free", RF_EV_FREE, RF_EV_WRITES, 0},
    {"alloc", RF_EV_ALLOC, 0, 0},
    {"recycle", RF_EV_RECYCLE, 0, 0},
    {"fence", RF_EV_FENCE, 0, 0},
    {"lock", RF_EV_LOCK, 0, 0},
    {"unlock", RF_EV_UNLOCK, 0, 0},
    {"rdlock", RF_EV_LOCK, RF_EV_SHARED, 0},
    {"rdunlock", RF_EV_UNLOCK, RF_EV_SHARED, 0},
    {"wait", RF_EV_WAIT, 0, 0},
    {"wake", RF_EV_WAKE, 0, RF_WAKE_SIGNAL},
    {"timeout", RF_EV_WAKE, 0, RF_WAKE_TIMEOUT},
    {"signal", RF_EV_SIGNAL, 0, 0},
    {"notify", RF_EV_NOTIFY, 0, 0},
    {"post", RF_EV_SEM_POST, 0, 0},
    {"take", RF_EV_SEM_WAIT, 0, 0},
    {"arrive", RF_EV_ARRIVE, 0, 0},
    {"depart", RF_EV_DEPART, 0, 0},
    {"done", RF_EV_ONCE_DONE, 0, 0},
    {"pass", RF_EV_ONCE_PASS, 0, 0},
    {"create", RF_EV_CREATE, 0, 0},
    {"join", RF_EV_JOIN, 0, 0},
    {"exit", RF_EV_EXIT, 0, 0},
    {"init", RF_EV_INIT, 0, 0},
};

static rf_event *trace_add(trace *t, unsigned kind, uint32_t thread) {
    t->e = rfi_grow(t->e, &t->capacity, t->n + 1, sizeof *t->e);
    t->e[t->n] = (rf_event){.kind = (uint8_t)kind, .thread = thread};
    return &t->e[t->n++];
}

static RFI_UNUSED uint8_t order_of(const char *name) {
    static const char *const names[] = {"rlx", "con", "acq", "rel", "ar", "sc"};
    for (uint8_t i = 0; i < 6; i++)
        if (!strcmp(name, names[i])) return i;
    rfi_die("no order %s", name);
}

static RFI_UNUSED void place(rf_event *e, char variable, unsigned offset, unsigned size,
                             unsigned line) {
    e->addr = &memory[variable - 'a'][offset];
    e->size = size;
    e->site = &sites[line][(e->flags & RF_EV_WRITES) != 0];
}

static RFI_UNUSED void trace_word(trace *t, const char *text) {
    unsigned thread, number = 0, offset = 0, size = 4;
    char op[16] = "", operand[16] = "";
    if (sscanf(text, " %u %15s %15s %u", &thread, op, operand, &number) < 2)
        rfi_die("bad: %s", text);
    char *dot = strchr(op, '.');
    if (dot) *dot = 0;
    const struct word *w = words;
    while (strcmp(w->name, op))
        if (++w == words + sizeof words / sizeof *words) rfi_die("no operation %s", op);
    rf_event *e = trace_add(t, w->kind, thread);
    e->flags = w->flags;
    e->value = number + w->value;
    if (dot) e->order = order_of(dot + 1);
    if (RF_EV_BIT(w->kind) &
        (RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_NOTIFY)))
        e->other = (uint32_t)atoi(operand);
    else if ((e->flags & (RF_EV_READS | RF_EV_WRITES)) || w->kind == RF_EV_ALLOC ||
             w->kind == RF_EV_RECYCLE) {
        if (operand[1] == '+') sscanf(operand + 2, "%u:%u", &offset, &size);
        if (operand[1] == ':') sscanf(operand + 2, "%u", &size);
        place(e, operand[0], offset, size, number);
    } else
        e->object = operand[0] ? (uint32_t)(operand[0] - 'a') + 1 : 0;
}

static RFI_UNUSED void trace_parse(trace *t, const char *text) {
    char part[64];
    t->n = 0;
    while (*text) {
        size_t n = strcspn(text, ";");
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        if (part[strspn(part, " ")]) trace_word(t, part);
        text += n + (text[n] == ';');
    }
}

/* ---- running them ---- */

/* Pairs found: [a][b] with a <= b, where a place is line * 2 + (it writes). */
typedef struct pairs {
    uint8_t found[LINES * 2][LINES * 2]; /* 1 predicted, 2 unordered */
} pairs;

static pairs *sink_pairs;
static unsigned sink_calls;
static rfi_race sink_last;
static uint32_t sink_variables; /* bit set of letters */
static const char *sink_only;   /* if set, reports of other analyses do not count */

static void pairs_add(pairs *p, const rf_site *s, const rf_site *t, uint8_t bit) {
    unsigned a = s->line * 2 + s->kind, b = t->line * 2 + t->kind;
    p->found[a < b ? a : b][a < b ? b : a] |= bit;
}

static void sink(const rfi_race *r) {
    if (sink_only && strcmp(r->by, sink_only)) return;
    sink_calls++;
    sink_last = *r;
    sink_variables |= 1u << (uint32_t)(((const unsigned char *)r->addr - memory[0]) / 64);
    pairs_add(sink_pairs, r->site[0], r->site[1], r->unordered ? 2 : 1);
}

static RFI_UNUSED void tests_open(void) {
    for (uint32_t line = 0; line < LINES; line++)
        for (uint16_t kind = 0; kind < 2; kind++)
            sites[line][kind] = (rf_site){"trace.c", "thread", "x", line, 0, (uint8_t)kind, false};
    rfi_race_sink = sink;
}

static void begin(const rf_analysis *const *a, pairs *p) {
    memset(p, 0, sizeof *p);
    sink_pairs = p;
    sink_calls = sink_variables = 0;
    for (; *a; a++) (*a)->begin();
}

static bool feed_lane; /* plain accesses go to rf_analysis.access, where there is one */
static unsigned fed_known;

static bool fed(const rf_analysis *a, const rf_event *e) {
    bool plain = (e->kind == RF_EV_LOAD || e->kind == RF_EV_STORE) &&
                 !(e->flags & (RF_EV_ATOMIC | RF_EV_RACY));
    bool writes = e->flags & RF_EV_WRITES;
    if (!feed_lane || !a->access || !plain) return false;
    if (a == &rfi_fasttrack_analysis && e->size <= RFI_GRANULE && /* hook/compiler.h */
        rfi_fasttrack_known(e->thread, e->addr, e->size, writes)) {
        fed_known++;
        return true;
    }
    return a->access(e->thread, e->site, e->addr, e->size, writes);
}

static void feed(const rf_analysis *const *all, const trace *t) {
    for (uint32_t i = 0; i < t->n; i++)
        for (const rf_analysis *const *a = all; *a; a++)
            if ((*a)->events & RF_EV_BIT(t->e[i].kind) && !fed(*a, &t->e[i])) (*a)->event(&t->e[i]);
}

static void end(const rf_analysis *const *a) {
    for (; *a; a++) (*a)->end();
}

#define USE(name, ...) static RFI_UNUSED const rf_analysis *const use_##name[] = {__VA_ARGS__, NULL}
USE(hb, &rfi_hb_analysis);
USE(hybrid, &rfi_hybrid_analysis);
USE(fasttrack, &rfi_fasttrack_analysis);
USE(eraser, &rfi_eraser_analysis);
USE(stateless, &rfi_stateless_analysis);
USE(lockset, &rfi_choi_analysis);
USE(both, &rfi_hb_analysis, &rfi_hybrid_analysis);
USE(both_turned, &rfi_hybrid_analysis, &rfi_hb_analysis);

static RFI_UNUSED void run(const rf_analysis *const *a, const trace *t, pairs *p) {
    begin(a, p);
    feed(a, t);
    end(a);
}

static RFI_UNUSED void pairs_text(const pairs *p, unsigned bits, char *out, size_t n) {
    size_t used = 0;
    *out = 0;
    for (unsigned a = 0; a < LINES * 2; a++)
        for (unsigned b = a; b < LINES * 2; b++)
            if ((p->found[a][b] & bits) && used < n)
                used += (size_t)snprintf(out + used, n - used, "%s%u%c-%u%c", used ? " " : "",
                                         a / 2, "RW"[a & 1], b / 2, "RW"[b & 1]);
}

/* Both at once find what each finds alone. */
static RFI_UNUSED bool joint_agrees(const rf_analysis *const *a, const trace *t, const pairs *hb,
                                    const pairs *hy) {
    pairs both;
    run(a, t, &both);
    for (unsigned i = 0; i < LINES * 2; i++)
        for (unsigned k = 0; k < LINES * 2; k++)
            if (both.found[i][k] != (hb->found[i][k] | hy->found[i][k])) return false;
    return true;
}
#endif

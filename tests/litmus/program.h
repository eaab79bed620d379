/* Litmus programs: how they and their sets of outcomes are kept, read and printed.
 *
 * The text format is that of programs.txt, whose first lines explain it.  Registers and locations
 * are numbered in the order in which the threads, one after the other, name them first, and an
 * outcome has one value for each.  Text that breaks the format ends the program with a message:
 * nothing is skipped, nothing is guessed. */
#ifndef LITMUS_PROGRAM_H
#define LITMUS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LITMUS_THREADS = 4,
    LITMUS_STATEMENTS = 8, /* of a thread */
    LITMUS_TERMS = 3,      /* of a condition */
    LITMUS_LOCATIONS = 4,
    LITMUS_REGISTERS = 16,
    LITMUS_WORDS = 24, /* of a line */
    LITMUS_LINE = 256,
    LITMUS_NAME = 48
};

enum litmus_order { LITMUS_NA, LITMUS_RLX, LITMUS_ACQ, LITMUS_REL, LITMUS_ACQ_REL, LITMUS_SC };
static const char *const litmus_orders[] = {"na", "rlx", "acq", "rel", "acq_rel", "sc"};

enum litmus_kind {
    LITMUS_FENCE,
    LITMUS_STORE,
    LITMUS_LOAD,
    LITMUS_ADD,
    LITMUS_SUB,
    LITMUS_OR,
    LITMUS_AND,
    LITMUS_XOR,
    LITMUS_XCHG,
    LITMUS_CAS,
    LITMUS_CASW,
    LITMUS_KINDS
};

/* What follows the name of a statement, in this order. */
static const struct litmus_form {
    const char *name;
    int results, locations, operands, orders;
} litmus_forms[LITMUS_KINDS] = {
    [LITMUS_FENCE] = {"fence", 0, 0, 0, 1}, [LITMUS_STORE] = {"store", 0, 1, 1, 1},
    [LITMUS_LOAD] = {"load", 1, 1, 0, 1},   [LITMUS_ADD] = {"add", 1, 1, 1, 1},
    [LITMUS_SUB] = {"sub", 1, 1, 1, 1},     [LITMUS_OR] = {"or", 1, 1, 1, 1},
    [LITMUS_AND] = {"and", 1, 1, 1, 1},     [LITMUS_XOR] = {"xor", 1, 1, 1, 1},
    [LITMUS_XCHG] = {"xchg", 1, 1, 1, 1},   [LITMUS_CAS] = {"cas", 2, 1, 2, 2},
    [LITMUS_CASW] = {"casw", 2, 1, 2, 2},
};

/* A constant, or the content of a register. */
struct litmus_operand {
    int value, from; /* `from`: the register, or -1 */
};

struct litmus_term {
    int from, value;
    bool equal;
};

struct litmus_statement {
    enum litmus_kind kind;
    enum litmus_order order, failure;
    int location;
    int result, success;              /* registers, or -1 */
    struct litmus_operand operand[2]; /* of cas and casw: what is expected, what is stored */
    struct litmus_term term[LITMUS_TERMS];
    int terms;
    bool any;    /* one true term is enough */
    bool awaits; /* it is made again until it reads operand[0], or, as an exchange that stores
                  * that, something else; no part of the text */
};

struct litmus_thread {
    struct litmus_statement statement[LITMUS_STATEMENTS];
    int statements;
};

struct litmus_program {
    char name[LITMUS_NAME];
    struct litmus_thread thread[LITMUS_THREADS];
    char reg[LITMUS_REGISTERS][LITMUS_NAME], location[LITMUS_LOCATIONS][LITMUS_NAME];
    int initial[LITMUS_LOCATIONS];
    int threads, registers, locations;
};

/* What the threads have read.  A register that was never written counts as 0. */
struct litmus_registers {
    int value[LITMUS_REGISTERS];
    unsigned written; /* bit n: register n */
};

/* How an execution ended.  No padding, and what is not used is 0: compared as bytes. */
struct litmus_final {
    struct litmus_registers registers;
    int memory[LITMUS_LOCATIONS];
};

enum { LITMUS_FLAG_I = 1, LITMUS_FLAG_B = 2, LITMUS_FLAG_M = 4, LITMUS_FLAG_S = 8 };
static const char litmus_flags[] = "IBMS";

struct litmus_outcome {
    struct litmus_final final;
    unsigned flags;
    char race;   /* R every, r some, . no execution with this outcome has a data race */
    char online; /* the same of the executions with flag S; not part of the hash, 0 if unknown */
};

/* Outcomes, each once, in the order of their bytes.  Zeroed, it is empty; litmus_clear frees. */
struct litmus_set {
    struct litmus_outcome *outcome;
    size_t count, room;
    unsigned long executions, interleaved; /* interleaved: those with flag I */
    bool race;
    unsigned hangs; /* flags of graphs in which somebody awaits for ever; 0: there is none */
};

/* What the text says about a set. */
struct litmus_expected {
    size_t outcomes;
    unsigned long executions;
    bool race;
    uint64_t hash;
    bool independent; /* another enumerator says so */
};

/* ---- values and sets ---- */

static inline int litmus_value(struct litmus_operand operand,
                               const struct litmus_registers *registers) {
    return operand.from < 0 ? operand.value : registers->value[operand.from];
}

/* Does a statement that awaits go on with what it reads? */
static inline bool litmus_arrives(const struct litmus_statement *s, int value,
                                  const struct litmus_registers *registers) {
    return (value == litmus_value(s->operand[0], registers)) == (s->kind != LITMUS_XCHG);
}

static inline bool litmus_enabled(const struct litmus_statement *s,
                                  const struct litmus_registers *registers) {
    for (int i = 0; i < s->terms; i++) {
        const struct litmus_term *term = &s->term[i];
        bool holds = (registers->value[term->from] == term->value) == term->equal;
        if (holds == s->any) return holds;
    }
    return !s->any;
}

static inline void litmus_assign(struct litmus_registers *registers, int reg, int value) {
    if (reg < 0) return;
    registers->value[reg] = value;
    registers->written |= 1u << reg;
}

/* Where `final` stands in the set, or would have to be put. */
static inline size_t litmus_place(const struct litmus_set *set, const struct litmus_final *final) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(&set->outcome[middle].final, final, sizeof *final) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The outcome that ends in `final`, or NULL. */
static inline struct litmus_outcome *litmus_find(const struct litmus_set *set,
                                                 const struct litmus_final *final) {
    size_t place = litmus_place(set, final);
    if (place == set->count) return NULL;
    struct litmus_outcome *outcome = &set->outcome[place];
    return memcmp(&outcome->final, final, sizeof *final) ? NULL : outcome;
}

/* Puts in an outcome that is not there yet.  The pointer is good until the next call. */
static inline struct litmus_outcome *litmus_insert(struct litmus_set *set,
                                                   const struct litmus_final *final) {
    size_t place = litmus_place(set, final);
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 16;
        set->outcome = realloc(set->outcome, set->room * sizeof *set->outcome);
        if (!set->outcome) abort();
    }
    struct litmus_outcome *outcome = &set->outcome[place];
    memmove(outcome + 1, outcome, (set->count++ - place) * sizeof *outcome);
    *outcome = (struct litmus_outcome){.final = *final};
    return outcome;
}

static inline void litmus_clear(struct litmus_set *set) {
    free(set->outcome);
    *set = (struct litmus_set){0};
}

/* Adds an execution that races or not to what a letter says of those before; 0: none yet. */
static inline char litmus_race(char letter, bool race) {
    char now = race ? 'R' : '.';
    return !letter || letter == now ? now : 'r';
}

/* What an update of this kind makes of `old`. */
static inline int litmus_updated(enum litmus_kind kind, int old, int operand) {
    switch (kind) {
    case LITMUS_ADD: return (int)((unsigned)old + (unsigned)operand);
    case LITMUS_SUB: return (int)((unsigned)old - (unsigned)operand);
    case LITMUS_OR: return (int)((unsigned)old | (unsigned)operand);
    case LITMUS_AND: return (int)((unsigned)old & (unsigned)operand);
    case LITMUS_XOR: return (int)((unsigned)old ^ (unsigned)operand);
    default: return operand;
    }
}

/* ---- reading ---- */

/* What a variant makes of the statements `W LOCATION VALUE` and `R REGISTER LOCATION` of a shape,
 * by printf with those two and, of W, the number of another register. */
struct litmus_rule {
    const char *name, *write, *read;
    const char *fence;       /* between two of them; NULL: none */
    const char *head, *tail; /* of a W that begins a thread, and an R that ends it */
    bool later;              /* no fence in the first thread */
};
static const struct litmus_rule litmus_rules[] = {
    {.name = "rlx", "store %s %s rlx", "%s = load %s rlx"},
    {.name = "ra", "store %s %s rel", "%s = load %s acq"},
    {.name = "sc", "store %s %s sc", "%s = load %s sc"},
    {.name = "scf", "store %s %s rlx", "%s = load %s rlx", .fence = "fence sc"},
    {.name = "arf", "store %s %s rlx", "%s = load %s rlx", .fence = "fence acq_rel"},
    {.name = "rascf", "store %s %s rel", "%s = load %s acq", .fence = "fence sc", .later = true},
    {.name = "rmw", "q%3$d = xchg %1$s %2$s acq_rel", "%s = add %s 0 acq_rel"},
    {.name = "cas", "q%3$d = cas %1$s 0 %2$s sc rlx", "%s = cas %s 9 8 sc acq"},
    {.name = "rs",
     "store %1$s %2$s rel ; q%3$d = add %1$s 0 rlx",
     "%s = load %s acq",
     .head = "store %s %s rlx",
     .tail = "%s = load %s rlx"},
    {.name = "rlxW+acqR", "store %s %s rlx", "%s = load %s acq"},
    {.name = "rlxW+scR", "store %s %s rlx", "%s = load %s sc"},
    {.name = "scW+rlxR", "store %s %s sc", "%s = load %s rlx"},
    {.name = "scW+acqR", "store %s %s sc", "%s = load %s acq"},
};

struct litmus_reader {
    FILE *file;
    const char *name; /* of the file, for messages */
    char line[LITMUS_LINE];
    int number;
    char test[LITMUS_NAME], init[LITMUS_LINE], row[LITMUS_STATEMENTS][LITMUS_LINE];
    char whole[LITMUS_LINE]; /* what stands about the test without a variant */
    int rows;
};

static inline _Noreturn void litmus_refuse(const struct litmus_reader *in, const char *why) {
    fprintf(stderr, "%s:%d: %s\n", in->name, in->number, why);
    exit(1);
}

static inline int litmus_split(const struct litmus_reader *in, char *text,
                               char *word[LITMUS_WORDS]) {
    int words = 0;
    for (char *w = strtok(text, " \t\n"); w; w = strtok(NULL, " \t\n")) {
        if (words == LITMUS_WORDS) litmus_refuse(in, "too many words");
        word[words++] = w;
    }
    return words;
}

/* The number of a name; a new name is added when `most` allows it (0: it must be known). */
static inline int litmus_number(const struct litmus_reader *in, char names[][LITMUS_NAME],
                                int *count, int most, const char *name) {
    for (int i = 0; i < *count; i++)
        if (!strcmp(names[i], name)) return i;
    if (*count >= most) litmus_refuse(in, most ? "too many names" : "unknown name");
    if (!*name || strlen(name) >= LITMUS_NAME) litmus_refuse(in, "empty or long name");
    memcpy(names[*count], name, strlen(name) + 1);
    return (*count)++;
}

static inline int litmus_constant(const struct litmus_reader *in, const char *text) {
    char *end;
    long value = strtol(text, &end, 0);
    if (end == text || *end || value != (int)value) litmus_refuse(in, "not a number");
    return (int)value;
}

/* Cuts NAME=VALUE in two and returns the value. */
static inline char *litmus_cut(const struct litmus_reader *in, char *text) {
    char *equals = strchr(text, '=');
    if (!equals) litmus_refuse(in, "NAME=VALUE expected");
    *equals = 0;
    return equals + 1;
}

static inline struct litmus_operand
litmus_parse_operand(const struct litmus_reader *in, struct litmus_program *p, const char *text) {
    if (strchr("-0123456789", *text))
        return (struct litmus_operand){.value = litmus_constant(in, text), .from = -1};
    return (struct litmus_operand){.from = litmus_number(in, p->reg, &p->registers, 0, text)};
}

static inline enum litmus_order litmus_parse_order(const struct litmus_reader *in,
                                                   const char *text) {
    for (int i = LITMUS_NA; i <= LITMUS_SC; i++)
        if (!strcmp(litmus_orders[i], text)) return (enum litmus_order)i;
    litmus_refuse(in, "unknown order");
}

/* `if TERM and TERM` or `if TERM or TERM`. */
static inline void litmus_parse_condition(const struct litmus_reader *in, struct litmus_program *p,
                                          struct litmus_statement *s, char *text) {
    char *word[LITMUS_WORDS];
    int words = litmus_split(in, text, word);
    if (!words || words % 2 || words / 2 > LITMUS_TERMS || strcmp(word[0], "if"))
        litmus_refuse(in, "bad condition");
    s->any = words > 2 && !strcmp(word[2], "or");
    for (int i = 1; i < words; i += 2) {
        char *sign = strpbrk(word[i], "=!");
        if (!sign || sign[1] != '=') litmus_refuse(in, "neither == nor !=");
        if (i > 1 && strcmp(word[i - 1], s->any ? "or" : "and")) litmus_refuse(in, "and with or");
        bool equal = *sign == '=';
        *sign = 0;
        s->term[s->terms++] = (struct litmus_term){
            .from = litmus_number(in, p->reg, &p->registers, 0, word[i]),
            .value = litmus_constant(in, sign + 2),
            .equal = equal,
        };
    }
}

/* The registers before the = sign: `r0`, or `r0,ok0` if the statement has a second result. */
static inline void litmus_parse_results(const struct litmus_reader *in, struct litmus_program *p,
                                        struct litmus_statement *s, char *text) {
    char *comma = strchr(text, ',');
    if (comma && litmus_forms[s->kind].results < 2) litmus_refuse(in, "one result only");
    if (comma) *comma = 0;
    s->result = litmus_number(in, p->reg, &p->registers, LITMUS_REGISTERS, text);
    if (comma) s->success = litmus_number(in, p->reg, &p->registers, LITMUS_REGISTERS, comma + 1);
}

static inline void litmus_parse_statement(const struct litmus_reader *in, struct litmus_program *p,
                                          char *text) {
    if (!p->threads) litmus_refuse(in, "statement outside a thread");
    struct litmus_thread *thread = &p->thread[p->threads - 1];
    if (thread->statements == LITMUS_STATEMENTS) litmus_refuse(in, "too many statements");
    struct litmus_statement *s = &thread->statement[thread->statements++];
    *s = (struct litmus_statement){.location = -1, .result = -1, .success = -1};
    char *colon = strchr(text, ':'), *word[LITMUS_WORDS];
    if (colon) {
        *colon = 0;
        litmus_parse_condition(in, p, s, text);
        text = colon + 1;
    }
    int words = litmus_split(in, text, word);
    int at = words > 2 && !strcmp(word[1], "=") ? 2 : 0;
    while (s->kind < LITMUS_KINDS && words && strcmp(litmus_forms[s->kind].name, word[at]))
        s->kind++;
    if (s->kind == LITMUS_KINDS) litmus_refuse(in, "unknown statement");
    const struct litmus_form *form = &litmus_forms[s->kind];
    if ((at > 0) != (form->results > 0) ||
        words != at + 1 + form->locations + form->operands + form->orders)
        litmus_refuse(in, "wrong number of words");
    at++;
    if (form->locations)
        s->location = litmus_number(in, p->location, &p->locations, LITMUS_LOCATIONS, word[at++]);
    for (int i = 0; i < form->operands; i++)
        s->operand[i] = litmus_parse_operand(in, p, word[at++]);
    s->order = litmus_parse_order(in, word[at++]);
    s->failure = form->orders > 1 ? litmus_parse_order(in, word[at]) : s->order;
    if (form->results) litmus_parse_results(in, p, s, word[0]);
}

/* Copies the cell of a row that belongs to thread t; false if it is empty, or not there. */
static inline bool litmus_cell(const char *row, int t, char cell[LITMUS_LINE]) {
    for (; t && row; t--) row = (row = strchr(row, '|')) ? row + 1 : NULL;
    if (row) snprintf(cell, LITMUS_LINE, "%.*s", (int)strcspn(row, "|"), row);
    return row && cell[strspn(cell, " ")];
}

/* The text of a cell as the rule makes it (NULL: no rule); NULL if it is no W or R. */
static inline char *litmus_fill(const struct litmus_reader *in, const struct litmus_rule *rule,
                                const char *cell, bool first, bool last, int *added,
                                char text[LITMUS_LINE]) {
    char kind, a[LITMUS_NAME], b[LITMUS_NAME];
    if (sscanf(cell, " %c %47s %47s", &kind, a, b) != 3 || !strchr("WR", kind)) return NULL;
    if (!rule) litmus_refuse(in, "no rule for a shape");
    if (kind == 'R')
        snprintf(text, LITMUS_LINE, last && rule->tail ? rule->tail : rule->read, a, b);
    else if (first && rule->head)
        snprintf(text, LITMUS_LINE, rule->head, a, b);
    else
        snprintf(text, LITMUS_LINE, rule->write, a, b, ++*added);
    return text;
}

/* Adds the next thread of the test, as the rule makes it; false if there is none. */
static inline bool litmus_parse_thread(const struct litmus_reader *in, struct litmus_program *p,
                                       const struct litmus_rule *rule, int *added) {
    char cell[LITMUS_LINE], next[LITMUS_LINE], text[LITMUS_LINE];
    int t = p->threads, rows = 0;
    while (rows < in->rows && litmus_cell(in->row[rows], t, cell)) rows++;
    for (int row = rows; row < in->rows; row++)
        if (litmus_cell(in->row[row], t, cell)) litmus_refuse(in, "a hole in a thread");
    if (rows && p->threads++ == LITMUS_THREADS) litmus_refuse(in, "too many threads");
    for (int row = 0, filled = 0; row < rows; row++) {
        litmus_cell(in->row[row], t, cell);
        char *statement = litmus_fill(in, rule, cell, !row, row + 1 == rows, added, text);
        filled = statement ? filled + 1 : 0;
        if (filled > 1 && rule->fence && (t || !rule->later)) {
            snprintf(next, sizeof next, "%s", rule->fence);
            litmus_parse_statement(in, p, next);
        }
        if (!statement) statement = cell;
        char *second = strchr(statement, ';');
        if (second) *second++ = 0;
        litmus_parse_statement(in, p, statement);
        if (second) litmus_parse_statement(in, p, second);
    }
    return rows;
}

/* The test that was read last in a variant, or as it stands (""). */
static inline void litmus_parse_program(const struct litmus_reader *in, const char *variant,
                                        struct litmus_program *p) {
    char text[LITMUS_LINE], *word[LITMUS_WORDS];
    const struct litmus_rule *rule = NULL;
    int added = 0;
    for (size_t i = 0; i < sizeof litmus_rules / sizeof *litmus_rules; i++)
        if (!strcmp(litmus_rules[i].name, variant)) rule = &litmus_rules[i];
    if (*variant && !rule) litmus_refuse(in, "unknown variant");
    *p = (struct litmus_program){0};
    int length = snprintf(p->name, LITMUS_NAME, "%s%s%s", in->test, rule ? "+" : "", variant);
    if (length + 1 >= LITMUS_NAME || !*in->test) litmus_refuse(in, "no name, or a long one");
    memcpy(text, in->init, sizeof text);
    int words = litmus_split(in, text, word);
    for (int i = 1; i < words; i++) {
        const char *value = litmus_cut(in, word[i]);
        int x = litmus_number(in, p->location, &p->locations, LITMUS_LOCATIONS, word[i]);
        p->initial[x] = litmus_constant(in, value);
    }
    while (litmus_parse_thread(in, p, rule, &added)) continue;
}

/* What `OUTCOMES GRAPHS no|yes HASH [*]` says. */
static inline void litmus_parse_expected(const struct litmus_reader *in, char *word[], int words,
                                         struct litmus_expected *e) {
    e->independent = words == 5 && !strcmp(word[4], "*");
    e->race = words > 2 && !strcmp(word[2], "yes");
    if (words != 4 + e->independent || (!e->race && strcmp(word[2], "no")))
        litmus_refuse(in, "OUTCOMES GRAPHS no|yes HASH [*]");
    e->outcomes = (size_t)litmus_constant(in, word[0]);
    e->executions = (unsigned long)litmus_constant(in, word[1]);
    e->hash = strtoull(word[3], NULL, 16);
}

/* Begins with another test, or takes in a row of it. */
static inline void litmus_parse_row(struct litmus_reader *in, const char *row) {
    if (!strncmp(row, "test ", 5)) {
        in->rows = in->init[0] = in->whole[0] = 0;
        sscanf(row, "test %47s %255[^\n]", in->test, in->whole);
    } else if (!strncmp(row, "init ", 5)) {
        memcpy(in->init, row, sizeof in->init);
    } else {
        if (in->rows == LITMUS_STATEMENTS) litmus_refuse(in, "too many rows");
        memcpy(in->row[in->rows++], row, sizeof in->row[0]);
    }
}

/* The next program of the file, and what stands there about its outcomes; false if there is none:
 * a variant of a test, or the test as it stands, behind its rows. */
static inline bool litmus_read(struct litmus_reader *in, struct litmus_program *p,
                               struct litmus_expected *expected) {
    char *word[LITMUS_WORDS], *said = NULL;
    *expected = (struct litmus_expected){0};
    while (!said && fgets(in->line, sizeof in->line, in->file)) {
        in->number++;
        if (!strchr(in->line, '\n')) litmus_refuse(in, "line too long, or not ended");
        in->line[strcspn(in->line, "#\n")] = 0;
        if (in->line[0] == '+')
            said = in->line;
        else if (in->line[strspn(in->line, " ")])
            litmus_parse_row(in, in->line);
        else if (in->whole[0])
            said = in->whole;
    }
    if (!said && !in->whole[0]) return false;
    if (!said) said = in->whole;
    bool variant = said == in->line;
    int words = litmus_split(in, said, word);
    litmus_parse_program(in, variant ? word[0] + 1 : "", p);
    if (words > variant) litmus_parse_expected(in, word + variant, words - variant, expected);
    in->whole[0] = 0;
    return true;
}

static inline uint64_t litmus_mix(uint64_t hash, int value) { /* FNV-1a */
    return (hash ^ (unsigned)value) * UINT64_C(0x100000001b3);
}

/* Of all outcomes with their flags and races. */
static inline uint64_t litmus_hash(const struct litmus_program *p, const struct litmus_set *set) {
    uint64_t sum = set->count;
    for (size_t i = 0; i < set->count; i++) {
        const struct litmus_outcome *o = &set->outcome[i];
        uint64_t hash = litmus_mix(UINT64_C(0xcbf29ce484222325), (int)o->flags);
        hash = litmus_mix(litmus_mix(hash, o->race), (int)o->final.registers.written);
        for (int r = 0; r < p->registers; r++) hash = litmus_mix(hash, o->final.registers.value[r]);
        for (int x = 0; x < p->locations; x++) hash = litmus_mix(hash, o->final.memory[x]);
        sum += hash ^ hash >> 32;
    }
    return sum;
}

/* ---- printing ---- */

static inline void litmus_print_outcome(FILE *out, const struct litmus_program *p,
                                        const struct litmus_outcome *o) {
    const struct litmus_registers *registers = &o->final.registers;
    for (int i = 0; i < p->registers; i++)
        if (registers->written & 1u << i)
            fprintf(out, "%s=%d ", p->reg[i], registers->value[i]);
        else
            fprintf(out, "%s=- ", p->reg[i]);
    fprintf(out, "; ");
    for (int i = 0; i < p->locations; i++)
        fprintf(out, "%s=%d ", p->location[i], o->final.memory[i]);
    fprintf(out, "; ");
    for (int i = 0; litmus_flags[i]; i++) fputc(o->flags & 1u << i ? litmus_flags[i] : '-', out);
    fputc(o->race, out);
}

/* Returns the number of characters. */
static inline int litmus_print_statement(FILE *out, const struct litmus_program *p,
                                         const struct litmus_statement *s) {
    const struct litmus_form *form = &litmus_forms[s->kind];
    int width = 0;
    for (int i = 0; i < s->terms; i++) {
        const struct litmus_term *term = &s->term[i];
        const char *joint = !i ? "if" : s->any ? " or" : " and";
        width += fprintf(out, "%s %s%s%d", joint, p->reg[term->from],
                         term->equal ? "==" : "!=", term->value);
    }
    if (s->terms) width += fprintf(out, ": ");
    if (s->result >= 0) width += fprintf(out, "%s", p->reg[s->result]);
    if (s->success >= 0) width += fprintf(out, ",%s", p->reg[s->success]);
    width += fprintf(out, "%s%s", s->result >= 0 ? " = " : "", form->name);
    if (form->locations) width += fprintf(out, " %s", p->location[s->location]);
    for (int i = 0; i < form->operands; i++)
        width += s->operand[i].from < 0 ? fprintf(out, " %d", s->operand[i].value)
                                        : fprintf(out, " %s", p->reg[s->operand[i].from]);
    width += fprintf(out, " %s", litmus_orders[s->order]);
    if (form->orders > 1) width += fprintf(out, " %s", litmus_orders[s->failure]);
    return width;
}

/* In the text format, without outcomes: rows of cells. */
static inline void litmus_print_program(FILE *out, const struct litmus_program *p) {
    fprintf(out, "test %s\n", p->name);
    bool init = false;
    for (int x = 0; x < p->locations; x++) {
        if (!p->initial[x]) continue;
        fprintf(out, "%s %s=%d", init ? "" : "init", p->location[x], p->initial[x]);
        init = true;
    }
    if (init) fprintf(out, "\n");
    for (int i = 0, rows = 1; i < rows; i++) {
        for (int t = 0; t < p->threads; t++) {
            int width = 0;
            if (p->thread[t].statements > rows) rows = p->thread[t].statements;
            fprintf(out, "%s", t ? " | " : "  ");
            if (i < p->thread[t].statements)
                width = litmus_print_statement(out, p, &p->thread[t].statement[i]);
            if (t + 1 < p->threads) fprintf(out, "%*s", width < 24 ? 24 - width : 0, "");
        }
        fprintf(out, "\n");
    }
}

/* What stands in the text format about a program, and the outcomes. */
static inline void litmus_print_set(FILE *out, const struct litmus_program *p,
                                    const struct litmus_set *set) {
    fprintf(out, "# %zu %lu %s %016llx\n", set->count, set->executions, set->race ? "yes" : "no",
            (unsigned long long)litmus_hash(p, set));
    for (size_t i = 0; i < set->count; i++) {
        fprintf(out, "# = ");
        litmus_print_outcome(out, p, &set->outcome[i]);
        fprintf(out, "\n");
    }
}

#endif

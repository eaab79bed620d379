/* Litmus programs: how they and their sets of outcomes are kept, read and printed.
 *
 * The text format is that of reference.txt, whose first lines explain it; a blank line ends a
 * program.  Registers and locations are numbered in the order in which the text names them first,
 * and an outcome has one value for each.  Text that breaks the format ends the program with a
 * message: nothing is skipped, nothing is guessed. */
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
    bool any; /* one true term is enough */
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
    char online; /* the same of the executions with flag S; not part of the text, 0 if unknown */
};

/* Outcomes, each once, in the order of their bytes.  Zeroed, it is empty; litmus_clear frees. */
struct litmus_set {
    struct litmus_outcome *outcome;
    size_t count, room;
    unsigned long executions;
    bool race;
    uint64_t hash; /* that stands in the text for the outcomes; 0: they stand there */
};

/* ---- values and sets ---- */

static inline int litmus_value(struct litmus_operand operand,
                               const struct litmus_registers *registers) {
    return operand.from < 0 ? operand.value : registers->value[operand.from];
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

struct litmus_reader {
    FILE *file;
    const char *name; /* of the file, for messages */
    char line[LITMUS_LINE];
    int number;
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

/* `if TERM & TERM` or `if TERM | TERM`. */
static inline void litmus_parse_condition(const struct litmus_reader *in, struct litmus_program *p,
                                          struct litmus_statement *s, char *text) {
    char *word[LITMUS_WORDS];
    int words = litmus_split(in, text, word);
    if (!words || words % 2 || words / 2 > LITMUS_TERMS || strcmp(word[0], "if"))
        litmus_refuse(in, "bad condition");
    s->any = words > 2 && !strcmp(word[2], "|");
    for (int i = 1; i < words; i += 2) {
        char *sign = strpbrk(word[i], "=!");
        if (!sign || sign[1] != '=') litmus_refuse(in, "neither == nor !=");
        if (i > 1 && strcmp(word[i - 1], s->any ? "|" : "&")) litmus_refuse(in, "mixed & and |");
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

/* `= REGISTERS ; MEMORY ; FLAGS`, every register and every location once. */
static inline void litmus_parse_outcome(const struct litmus_reader *in, struct litmus_program *p,
                                        struct litmus_set *set, char *word[], int words) {
    struct litmus_final final = {0};
    int at = 1, registers = 0, locations = 0;
    for (; at < words && strcmp(word[at], ";"); at++, registers++) {
        const char *value = litmus_cut(in, word[at]);
        int reg = litmus_number(in, p->reg, &p->registers, 0, word[at]);
        if (strcmp(value, "-")) litmus_assign(&final.registers, reg, litmus_constant(in, value));
    }
    for (at++; at < words && strcmp(word[at], ";"); at++, locations++) {
        const char *value = litmus_cut(in, word[at]);
        int location = litmus_number(in, p->location, &p->locations, 0, word[at]);
        final.memory[location] = litmus_constant(in, value);
    }
    if (registers != p->registers || locations != p->locations || at + 2 != words ||
        strlen(word[at + 1]) != 5 || litmus_find(set, &final))
        litmus_refuse(in, "bad outcome");
    struct litmus_outcome *outcome = litmus_insert(set, &final);
    const char *flags = word[at + 1];
    for (int i = 0; litmus_flags[i]; i++)
        if (flags[i] == litmus_flags[i])
            outcome->flags |= 1u << i;
        else if (flags[i] != '-')
            litmus_refuse(in, "bad flag");
    if (!strchr("Rr.", flags[4])) litmus_refuse(in, "bad race letter");
    outcome->race = flags[4];
}

/* One line of a program; the number of outcomes that it promises goes to *promised. */
static inline void litmus_parse_line(const struct litmus_reader *in, struct litmus_program *p,
                                     struct litmus_set *set, size_t *promised) {
    char text[LITMUS_LINE], *word[LITMUS_WORDS];
    memcpy(text, in->line, sizeof text);
    int words = litmus_split(in, text, word);
    if (!words) return;
    if (!strcmp(word[0], "init")) {
        for (int i = 1; i < words; i++) {
            const char *value = litmus_cut(in, word[i]);
            int x = litmus_number(in, p->location, &p->locations, LITMUS_LOCATIONS, word[i]);
            p->initial[x] = litmus_constant(in, value);
        }
    } else if (!strcmp(word[0], "thread")) {
        if (p->threads++ == LITMUS_THREADS) litmus_refuse(in, "too many threads");
    } else if (!strcmp(word[0], "allowed")) {
        bool hashed = words == 8 && !strcmp(word[6], "hash");
        bool race = words >= 6 && !strcmp(word[5], "yes");
        if ((words != 6 && !hashed) || (!race && strcmp(word[5], "no")))
            litmus_refuse(in, "allowed N execs N race no|yes [hash N]");
        if (hashed) set->hash = strtoull(word[7], NULL, 16);
        *promised = (size_t)litmus_constant(in, word[1]);
        set->executions = (unsigned long)litmus_constant(in, word[3]);
        set->race = race;
    } else if (!strcmp(word[0], "=")) {
        litmus_parse_outcome(in, p, set, word, words);
    } else {
        memcpy(text, in->line, sizeof text);
        litmus_parse_statement(in, p, text);
    }
}

/* Puts the next line in in->line; false at the end of the file. */
static inline bool litmus_next_line(struct litmus_reader *in) {
    if (!fgets(in->line, sizeof in->line, in->file)) return false;
    in->number++;
    if (!strchr(in->line, '\n')) litmus_refuse(in, "line too long, or not ended");
    return true;
}

/* The next program of the file and the outcomes that stand below it; false if there is none.
 * `set` must be empty or come from this function; the caller clears it after use. */
static inline bool litmus_read(struct litmus_reader *in, struct litmus_program *p,
                               struct litmus_set *set) {
    size_t promised = 0;
    do
        if (!litmus_next_line(in)) return false;
    while (strncmp(in->line, "test ", 5));
    char *word[LITMUS_WORDS];
    in->line[strcspn(in->line, "#")] = 0;
    if (litmus_split(in, in->line, word) != 2 || strlen(word[1]) >= sizeof p->name)
        litmus_refuse(in, "no name, or a long one");
    *p = (struct litmus_program){0};
    memcpy(p->name, word[1], strlen(word[1]) + 1);
    while (litmus_next_line(in) && in->line[strspn(in->line, " \t\n")]) {
        in->line[strcspn(in->line, "#")] = 0;
        litmus_parse_line(in, p, set, &promised);
    }
    if (!set->hash && promised != set->count) litmus_refuse(in, "outcomes are missing");
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

static inline void litmus_print_operand(FILE *out, const struct litmus_program *p,
                                        struct litmus_operand operand) {
    if (operand.from < 0)
        fprintf(out, " %d", operand.value);
    else
        fprintf(out, " %s", p->reg[operand.from]);
}

static inline void litmus_print_statement(FILE *out, const struct litmus_program *p,
                                          const struct litmus_statement *s) {
    const struct litmus_form *form = &litmus_forms[s->kind];
    for (int i = 0; i < s->terms; i++) {
        const struct litmus_term *term = &s->term[i];
        fprintf(out, "%s %s%s%d",
                !i       ? "if"
                : s->any ? " |"
                         : " &",
                p->reg[term->from], term->equal ? "==" : "!=", term->value);
    }
    if (s->terms) fprintf(out, ": ");
    if (s->result >= 0) fprintf(out, "%s", p->reg[s->result]);
    if (s->success >= 0) fprintf(out, ",%s", p->reg[s->success]);
    fprintf(out, "%s%s", s->result >= 0 ? " = " : "", form->name);
    if (form->locations) fprintf(out, " %s", p->location[s->location]);
    for (int i = 0; i < form->operands; i++) litmus_print_operand(out, p, s->operand[i]);
    fprintf(out, " %s", litmus_orders[s->order]);
    if (form->orders > 1) fprintf(out, " %s", litmus_orders[s->failure]);
}

/* In the text format, without outcomes. */
static inline void litmus_print_program(FILE *out, const struct litmus_program *p) {
    fprintf(out, "test %s\n", p->name);
    bool init = false;
    for (int x = 0; x < p->locations; x++) {
        if (!p->initial[x]) continue;
        fprintf(out, "%s %s=%d", init ? "" : "init", p->location[x], p->initial[x]);
        init = true;
    }
    if (init) fprintf(out, "\n");
    for (int t = 0; t < p->threads; t++) {
        fprintf(out, "thread\n");
        for (int i = 0; i < p->thread[t].statements; i++) {
            fprintf(out, "  ");
            litmus_print_statement(out, p, &p->thread[t].statement[i]);
            fprintf(out, "\n");
        }
    }
}

/* As it stands below a program in the text format. */
static inline void litmus_print_set(FILE *out, const struct litmus_program *p,
                                    const struct litmus_set *set) {
    fprintf(out, "  allowed %zu execs %lu race %s", set->count, set->executions,
            set->race ? "yes" : "no");
    if (set->hash) fprintf(out, " hash %016llx", (unsigned long long)set->hash);
    fprintf(out, "\n");
    if (set->hash) return;
    for (size_t i = 0; i < set->count; i++) {
        fprintf(out, "  = ");
        litmus_print_outcome(out, p, &set->outcome[i]);
        fprintf(out, "\n");
    }
}

#endif

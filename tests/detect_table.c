// flags: -Isrc
/* The traces of tests/detect_cases.txt, and what every detector says of them.  Happens-before and
 * hybrid are compared pair by pair, with their definitions, and with what they find together; the
 * programs that all are asked about make the table in docs/findings.md. */
#define RF_IMPLEMENTATION
#include "detect_brute.h"

enum { HB, FASTTRACK, ERASER, LOCKSET, HYBRID, COLUMNS, CASES = 90 };

typedef struct program {
    char name[128], text[2048], hb[256], hybrid[256];
    char truth[16],
        said[128]; /* of the table: variables that some schedule has a race on; reports */
    bool tabled;
} program;

/* Puts what follows `key` in a line into `to`. */
static bool field(const char *line, const char *key, char *to, size_t n) {
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) return false;
    snprintf(to, n, "%s", line + length + (line[length] == ' '));
    return true;
}

/* The next one of the file; false: there is none. */
static bool program_read(FILE *in, program *p) {
    char line[256] = "";
    memset(p, 0, sizeof *p);
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        if (field(line, "==", p->name, sizeof p->name) || !*line || *line == '#') continue;
        if (field(line, "hb:", p->hb, sizeof p->hb)) continue;
        if (field(line, "hybrid:", p->hybrid, sizeof p->hybrid)) return true;
        if (field(line, "race on:", p->truth, sizeof p->truth)) continue;
        p->tabled |= field(line, "reported:", p->said, sizeof p->said);
        if (line[0] >= '0' && line[0] <= '9') strcat(p->text, line);
    }
    return false;
}

static const rf_analysis *const *const columns[COLUMNS] = {use_hb, use_fasttrack, use_eraser,
                                                           use_lockset, use_hybrid};

static uint32_t variables(const char *names) {
    uint32_t bits = 0;
    for (; *names; names++)
        if (*names != ' ') bits |= 1u << (*names - 'a');
    return bits;
}

/* A row of the table, with what was reported. */
static void row_text(const program *p, const uint32_t said[COLUMNS], char *out, size_t n) {
    uint32_t truth = variables(p->truth);
    int id = (int)strcspn(p->name, ":"), used;
    used = snprintf(out, n, "| %.*s | %s | %s |", id, p->name, p->name + id + 2,
                    *p->truth ? p->truth : "-");
    for (unsigned c = 0; c < COLUMNS; c++) {
        if (!(said[c] | truth)) used += snprintf(out + used, n - (size_t)used, " -");
        for (unsigned v = 0; v < 26; v++) {
            uint32_t bit = 1u << v;
            const char *form = said[c] & truth & bit ? " %c" : said[c] & bit ? " **%c**" : " (%c)";
            if ((said[c] | truth) & bit)
                used += snprintf(out + used, n - (size_t)used, form, 'a' + v);
        }
        used += snprintf(out + used, n - (size_t)used, " |");
    }
    snprintf(out + used, n - (size_t)used, "\n");
}

static bool pairs_are(const pairs *p, unsigned bits, const char *expected) {
    char got[256];
    pairs_text(p, bits, got, sizeof got);
    if (strcmp(got, expected)) printf("# [%s] for [%s]\n", got, expected);
    return !strcmp(got, expected);
}

/* All detectors report the variables that stand in the file, which `table` gets a row about. */
static bool all_say(const program *p, const trace *t, char *table, size_t n) {
    uint32_t said[COLUMNS];
    const char *expected = p->said;
    bool ok = true;
    for (unsigned c = 0; c < COLUMNS; c++, expected += strcspn(expected, "|") + 1) {
        char names[16];
        pairs found;
        snprintf(names, sizeof names, "%.*s", (int)strcspn(expected, "|"), expected);
        run(columns[c], t, &found);
        said[c] = sink_variables;
        if (said[c] == variables(names)) continue;
        printf("# %s: %s: not [%s]\n", p->name, columns[c][0]->name, names);
        ok = false;
    }
    size_t used = strlen(table);
    row_text(p, said, table + used, n - used);
    return ok;
}

static void judge(const program *p, char *table, size_t n) {
    static trace t;
    pairs hb, hybrid;
    trace_parse(&t, p->text);
    run(use_hb, &t, &hb);
    run(use_hybrid, &t, &hybrid);
    bool pairs_same = pairs_are(&hb, 2, p->hb) && pairs_are(&hybrid, 1, p->hybrid);
    bool joint =
        joint_agrees(use_both, &t, &hb, &hybrid) && joint_agrees(use_both_turned, &t, &hb, &hybrid);
    if (!joint) printf("# %s: together they differ\n", p->name);
    bool brute = brute_agrees(&t, &hb, &hybrid);
    if (!brute) printf("# %s: the definitions differ\n", p->name);
    check(pairs_same && joint && brute && (!p->tabled || all_say(p, &t, table, n)), p->name);
}

/* The document has exactly these rows, one after the other. */
static void documented(const char *table) {
    static char text[1 << 16];
    FILE *f = fopen("docs/findings.md", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    bool same = strstr(text, table);
    if (!same) printf("# docs/findings.md should have:\n%s", table);
    check(same, "the_manual_has_this_table");
}

int main(void) {
    static char table[1 << 14] =
        "| | program | race on | `hb` | `fasttrack` | `eraser` | `lockset` | `hybrid` |\n"
        "|---|---|---|---|---|---|---|---|\n";
    static program p;
    unsigned cases = 0;
    FILE *in = fopen("tests/detect_cases.txt", "r");
    tests_open();
    for (; in && program_read(in, &p); cases++) judge(&p, table, sizeof table);
    check(cases == CASES, "every_case_was_read");
    documented(table);
    if (in) fclose(in);
    return check_end();
}

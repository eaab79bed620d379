// flags: -Isrc
/* Small programs, each as one trace, and what every detector says of it: the table in
 * docs/findings.md.  Hybrid and happens-before are compared with their definitions too, and pair
 * by pair. */
#define RF_IMPLEMENTATION
#include "detect_brute.h"

#define INC(t, v, line) #t " R " #v " " #line ";" #t " W " #v " " #line ";"
#define THREE           "1R-2W 1W-2R 1W-2W"
#define RING                                                                           \
 "1 lock a; 1 lock b;" INC(1, v, 1) "1 unlock b; 1 unlock a; 2 lock b; 2 lock c;" INC( \
     2, v, 2) "2 unlock c; 2 unlock b; 3 lock c; 3 lock a;" INC(3, v, 3) "3 unlock a; 3 unlock c;"

enum { HB, FASTTRACK, ERASER, LOCKSET, HYBRID, COLUMNS };

static const struct program {
    const char *id, *about, *text;
    const char *truth;         /* variables that some schedule has a race on */
    const char *says[COLUMNS]; /* variables reported */
    const char *pairs_hb, *pairs_hybrid;
} programs[] = {
    {"P1",
     "both under one lock",
     "1 lock m;" INC(1, x, 1) "1 unlock m; 2 lock m;" INC(2, x, 2) "2 unlock m",
     "",
     {"", "", "", "", ""},
     "",
     ""},
    {"P2", "no lock", INC(1, x, 1) INC(2, x, 2), "x", {"x", "x", "x", "x", "x"}, THREE, THREE},
    {"P3",
     "a lock that happens to order them (slides, example 1)",
     INC(1, x, 1) "1 lock m;" INC(1, v, 3) "1 unlock m; 2 lock m;" INC(2, v, 4) "2 unlock m;" INC(
         2, x, 2),
     "x",
     {"", "", "x", "x", "x"},
     "",
     THREE},
    {"P4",
     "the same, the other way round (example 2)",
     "2 lock m;" INC(2, v, 4) "2 unlock m;" INC(2, x, 2)
         INC(1, x, 1) "1 lock m;" INC(1, v, 3) "1 unlock m",
     "x",
     {"x", "x", "x", "x", "x"},
     THREE,
     THREE},
    {"P5",
     "each under a lock of its own (Eraser, example 2)",
     "1 lock m;" INC(1, v, 1) "1 unlock m; 2 lock n;" INC(2, v, 2) "2 unlock n",
     "v",
     {"v", "v", "", "v", "v"},
     THREE,
     THREE},
    {"P6",
     "three locks in a ring, two held by each of three threads",
     RING,
     "",
     {"", "", "", "", ""},
     "",
     ""},
    {"P6b",
     "the same, and the first thread once more",
     RING "1 lock a; 1 lock b;" INC(1, v, 1) "1 unlock b; 1 unlock a",
     "",
     {"", "", "v", "", ""},
     "",
     ""},
    {"P7", "start", INC(1, x, 1) "1 create 2;" INC(2, x, 2), "", {"", "", "x", "x", ""}, "", ""},
    {"P8",
     "start and join",
     INC(1, x, 1) "1 create 2;" INC(2, x, 2) "2 exit; 1 join 2;" INC(1, x, 1),
     "",
     {"", "", "x", "x", ""},
     "",
     ""},
    {"P9",
     "RaceFuzzer, figure 1: z is read unlocked, x handed over",
     "1 W x 1; 1 lock l; 1 W y 3; 1 unlock l; 2 W z 7; 2 lock l; 2 R y 9; 2 R x 10; 2 unlock l;"
     "1 R z 5",
     "z",
     {"z", "z", "", "x z", "x z"},
     "5R-7W",
     "1W-10R 5R-7W"},
    {"P9b",
     "the same, the second thread first",
     "2 W z 7; 2 lock l; 2 R y 9; 2 unlock l; 1 W x 1; 1 lock l; 1 W y 3; 1 unlock l; 1 R z 5",
     "z",
     {"", "", "", "z", "z"},
     "",
     "5R-7W"},
    {"P10",
     "RaceFuzzer, figure 2",
     "1 lock l; 2 W x 10; 1 unlock l; 1 R x 8; 2 lock l; 2 unlock l",
     "x",
     {"x", "x", "", "x", "x"},
     "8R-10W",
     "8R-10W"},
    {"P10b",
     "the same, the second thread first",
     "2 W x 10; 2 lock l; 2 unlock l; 1 lock l; 1 unlock l; 1 R x 8",
     "x",
     {"", "", "", "x", "x"},
     "",
     "8R-10W"},
    {"P11",
     "initialised, then read by threads that start",
     "0 W x 1; 0 create 1; 0 create 2; 1 R x 2; 2 R x 3",
     "",
     {"", "", "", "x", ""},
     "",
     ""},
    {"P11b",
     "initialised while others run, then under a lock",
     "1 W x 1; 2 lock m;" INC(2, x, 2) "2 unlock m; 3 lock m;" INC(3, x, 3) "3 unlock m",
     "x",
     {"x", "x", "", "x", "x"},
     "1W-2R 1W-2W 1W-3R 1W-3W",
     "1W-2R 1W-2W 1W-3R 1W-3W"},
    {"P12",
     "handed over by a signal",
     "1 lock m; 1 wait c; 1 unlock m;" INC(0, x, 1) "0 lock m; 0 signal c; 0 notify 1; 0 unlock m;"
                                                    "1 wake c; 1 lock m; 1 unlock m;" INC(1, x, 2),
     "",
     {"", "", "x", "x", ""},
     "",
     ""},
    {"P13",
     "handed over by a flag under a lock",
     "1 W d 1; 1 lock m; 1 W f 2; 1 unlock m; 2 lock m; 2 R f 3; 2 unlock m; 2 W d 4",
     "",
     {"", "", "d", "d", "d"},
     "",
     "1W-4W"},
    {"P14",
     "written under a lock held for reading",
     "1 rdlock r;" INC(1, x, 1) "1 rdunlock r; 2 rdlock r;" INC(2, x, 2) "2 rdunlock r",
     "x",
     {"x", "x", "x", "x", "x"},
     THREE,
     THREE},
    {"P14b",
     "written under it, read under it held for reading",
     "1 lock r;" INC(1, x, 1) "1 unlock r; 2 rdlock r; 2 R x 2; 2 rdunlock r",
     "",
     {"", "", "", "", ""},
     "",
     ""},
    {"P15",
     "handed over by release and acquire",
     "1 W d 1; 1 st.rel f 2; 2 ld.acq f 3; 2 R d 4; 2 W d 5",
     "",
     {"", "", "d", "d", ""},
     "",
     ""},
    {"P16",
     "a reader without the lock",
     "1 lock m; 1 W x 1; 1 unlock m; 2 R x 2; 1 lock m; 1 W x 1; 1 unlock m",
     "x",
     {"x", "x", "x", "x", "x"},
     "1W-2R",
     "1W-2R"},
    {"S1",
     "handed over by a semaphore",
     "1 W x 1; 1 post s 1; 2 take s 0; 2 W x 2",
     "",
     {"", "", "x", "x", ""},
     "",
     ""},
    {"S2",
     "a semaphore that somebody else posts too",
     "3 post s 1; 1 W x 1; 1 post s 2; 2 take s 1; 2 W x 2",
     "x",
     {"", "", "x", "x", "x"},
     "",
     "1W-2W"},
    {"B1",
     "two phases with a barrier between",
     "1 W x 1; 1 arrive b 0; 2 arrive b 0; 2 depart b 0; 1 depart b 0; 2 W x 2",
     "",
     {"", "", "x", "x", ""},
     "",
     ""},
    {"O1",
     "initialised in a once",
     "1 W x 1; 1 done o; 1 pass o; 2 pass o; 2 R x 2; 2 W x 2",
     "",
     {"", "", "x", "x", ""},
     "",
     ""},
    {"A1",
     "a counter of atomic updates",
     "1 up.rlx f 1; 2 up.rlx f 2; 1 ld.rlx f 3",
     "",
     {"", "", "", "", ""},
     "",
     ""},
    {"A2",
     "handed over by a relaxed flag",
     "1 W d 1; 1 st.rlx f 2; 2 ld.rlx f 3; 2 W d 4",
     "d",
     {"d", "d", "d", "d", "d"},
     "1W-4W",
     "1W-4W"},
    {"A3",
     "an atomic that one thread reads as plain data",
     "1 up.rlx f 1; 2 up.rlx f 2; 3 R f 3; 1 up.rlx f 1",
     "f",
     {"f", "f", "f", "f", "f"},
     "1W-3R 2W-3R",
     "1W-3R 2W-3R"},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static const rf_analysis *const *const columns[COLUMNS] = {use_hb, use_fasttrack, use_eraser,
                                                           use_lockset, use_hybrid};

static uint32_t variables(const char *names) {
    uint32_t bits = 0;
    for (; *names; names++)
        if (*names != ' ') bits |= 1u << (*names - 'a');
    return bits;
}

/* A row of the table, with what was reported. */
static void row_text(const struct program *p, const uint32_t said[COLUMNS], char *out, size_t n) {
    uint32_t truth = variables(p->truth);
    int used = snprintf(out, n, "| %s | %s | %s |", p->id, p->about, *p->truth ? p->truth : "-");
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

/* Runs one program under all detectors; adds its row to the table. */
static void judge(const struct program *p, char *table, size_t n) {
    static trace t;
    pairs found[COLUMNS];
    uint32_t said[COLUMNS];
    char name[64];
    bool ok = true;
    trace_parse(&t, p->text);
    for (unsigned c = 0; c < COLUMNS; c++) {
        run(columns[c], &t, &found[c]);
        said[c] = sink_variables;
        bool same = said[c] == variables(p->says[c]);
        if (!same) printf("# %s: %s: not [%s]\n", p->id, columns[c][0]->name, p->says[c]);
        ok &= same;
    }
    ok &= pairs_are(&found[HB], 2, p->pairs_hb) && pairs_are(&found[HYBRID], 1, p->pairs_hybrid);
    ok &= brute_agrees(&t, &found[HB], &found[HYBRID]);
    snprintf(name, sizeof name, "%s_is_judged_as_the_table_says", p->id);
    check(ok, name);
    size_t used = strlen(table);
    row_text(p, said, table + used, n - used);
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
    tests_open();
    for (unsigned i = 0; i < PROGRAMS; i++) judge(&programs[i], table, sizeof table);
    documented(table);
    return check_end();
}

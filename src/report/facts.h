/* report/facts.h: what formats for tools say of a finding, each in its own way.
 *
 * A finding has one kind and one place, for tools that know no more of it, and a fingerprint that
 * says in a later run, or of a later version of the program, that it is the same.
 */
#ifndef RFI_REPORT_FACTS_H
#define RFI_REPORT_FACTS_H
#include "report/results.h"

#ifdef RFI_IMPL
# define RFI_FACT_STEPS 1000u /* of an execution, that are written out whole */

RFI_FN const char *rfi_finding_kind(const rfi_finding *f) {
    return rfi_kind_of(f->warning, f->warning ? NULL : &f->failure->failure);
}

RFI_FN const char *rfi_verdict_word(const rfi_finding *f) {
    static const char *const words[] = {"potential", "real", "destructive", "harmful"};
    return f->warning ? words[f->verdict] : "failure";
}

/* Where tools point at: the statement that failed, else the first place. */
RFI_FN const rf_site *rfi_finding_site(const rfi_finding *f) {
    if (f->warning && f->warning->sides) return f->warning->side[0].site;
    return f->failure ? f->failure->failure.site : NULL;
}

typedef struct rfi_fingerprint {
    char s[17];
} rfi_fingerprint;

RFI_FN rfi_fingerprint rfi_fingerprint_of(uint64_t print) {
    rfi_fingerprint mark;
    snprintf(mark.s, sizeof mark.s, "%016llx", (unsigned long long)print);
    return mark;
}

/* ---- what is known only at the end ---- */

typedef struct rfi_draft {
    FILE *out; /* NULL: nothing yet */
    char *text;
    size_t bytes;
} rfi_draft;

/* Where to write what is kept. */
RFI_FN FILE *rfi_draft_open(rfi_draft *k) {
    if (!k->out) k->out = open_memstream(&k->text, &k->bytes);
    if (!k->out) rfi_die("out of memory (report)");
    return k->out;
}

/* Prints it and forgets it. */
RFI_FN void rfi_draft_put(rfi_draft *k, FILE *out) {
    if (!k->out) return;
    fclose(k->out);
    fwrite(k->text, 1, k->bytes, out);
    RFI_REAL(free)(k->text);
    *k = (rfi_draft){0};
}

/* The finding as people read it, without colours, and by itself; to be freed. */
RFI_FN char *rfi_finding_text(const rfi_result *r, const rfi_finding *f) {
    rfi_draft text = {0};
    rfi_term t = {rfi_draft_open(&text), RFI_WIDTH_DEFAULT, false};
    if (f->suppressed || f->brief)
        rfi_text_short(&t, f);
    else
        rfi_text_told(&t, r, f);
    fclose(text.out);
    return text.text;
}
#endif
#endif

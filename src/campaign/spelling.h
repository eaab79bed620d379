/* campaign/spelling.h: which known name was probably meant.
 *
 * The distance is that of optimal string alignment (Damerau 1964): how many letters were inserted,
 * left out, replaced, or exchanged with their neighbour; case does not count.  A known name that
 * goes on where the typed one stops is one step away.
 */
#ifndef RFI_CAMPAIGN_SPELLING_H
#define RFI_CAMPAIGN_SPELLING_H
#include "base/platform.h"

#ifdef RFI_IMPL
# define RFI_SPELLING_BYTES 32u /* longer names resemble nothing */

typedef struct rfi_spelling {
    const char *typed;
    size_t length;
    const char *nearest; /* NULL: nothing is near; of equals the first */
    unsigned steps;      /* only what is nearer than this is taken */
} rfi_spelling;

/* One step is allowed for each three letters, and one at least. */
RFI_FN rfi_spelling rfi_spelling_of(const char *typed, size_t length) {
    rfi_spelling s = {typed, length, NULL, length < 3 ? 2 : (unsigned)(length / 3) + 1};
    return s;
}

RFI_INLINE char rfi_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

RFI_FN unsigned rfi_spelling_steps(const char *a, size_t n, const char *b, size_t m) {
    unsigned d[RFI_SPELLING_BYTES + 1][RFI_SPELLING_BYTES + 1];
    if (n > RFI_SPELLING_BYTES || m > RFI_SPELLING_BYTES) return UINT_MAX;
    for (unsigned i = 0; i <= n; i++) {
        for (unsigned j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            char x = rfi_lower(a[i - 1]), y = rfi_lower(b[j - 1]);
            unsigned best = d[i - 1][j - 1] + (x != y);
            if (best > d[i - 1][j] + 1) best = d[i - 1][j] + 1;
            if (best > d[i][j - 1] + 1) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && x == rfi_lower(b[j - 2]) && y == rfi_lower(a[i - 2]) &&
                best > d[i - 2][j - 2] + 1)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

/* Considers a known name. */
RFI_FN void rfi_spelling_offer(rfi_spelling *s, const char *known) {
    size_t n = s->length, m = strlen(known);
    bool begins = n > 2 && n < m && rfi_spelling_steps(s->typed, n, known, n) == 0;
    unsigned steps = begins ? 1 : rfi_spelling_steps(s->typed, n, known, m);
    if (steps >= s->steps) return;
    s->nearest = known;
    s->steps = steps;
}
#endif
#endif

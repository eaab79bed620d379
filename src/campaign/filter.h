/* campaign/filter.h: which tests a filter names.
 *
 * A filter is a list of patterns, separated by commas, any of which lets a test in; one with '-' in
 * front keeps tests out instead, and wins.  A pattern with * (any characters) or ? (any one) is
 * compared with the whole name; so is one behind '='; others may stand anywhere in it.
 */
#ifndef RFI_CAMPAIGN_FILTER_H
#define RFI_CAMPAIGN_FILTER_H
#include "base/platform.h"

#ifdef RFI_IMPL
/* Only the last * is ever tried again, so the cost is the product of the lengths at worst. */
RFI_FN bool rfi_glob(const char *p, const char *end, const char *s) {
    const char *star = NULL, *tried = NULL;
    for (;;) {
        if (p < end && *p == '*') {
            star = ++p;
            tried = s;
        } else if (p < end && *s && (*p == '?' || *p == *s)) {
            p++;
            s++;
        } else if (p == end && !*s) {
            return true;
        } else if (star && *tried) {
            p = star;
            s = ++tried;
        } else {
            return false;
        }
    }
}

RFI_FN bool rfi_pattern_match(const char *p, size_t n, const char *name) {
    bool whole = *p == '=';
    if (whole || memchr(p, '*', n) || memchr(p, '?', n)) return rfi_glob(p + whole, p + n, name);
    while (*name && strncmp(name, p, n) != 0) name++;
    return *name;
}

/* Has it no empty pattern? */
RFI_FN bool rfi_filter_valid(const char *filter) {
    for (;; filter++) {
        filter += *filter == '-';
        size_t n = strcspn(filter, ",");
        if (!n) return false;
        filter += n;
        if (!*filter) return true;
    }
}

/* Does a valid filter let the test in?  NULL lets in all. */
RFI_FN bool rfi_filter_match(const char *filter, const char *test_name) {
    bool choosy = false, chosen = false;
    for (const char *p = filter; p && *p; p += *p == ',') {
        bool out = *p == '-';
        p += out;
        size_t n = strcspn(p, ",");
        bool match = rfi_pattern_match(p, n, test_name);
        if (out && match) return false;
        choosy |= !out;
        chosen |= !out && match;
        p += n;
    }
    return chosen || !choosy;
}
#endif
#endif

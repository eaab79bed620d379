/* tests/golden.h: what is printed, compared with a section of tests/golden/NAME.txt for
 * tests/NAME.c:
 *
 *     == name of the section
 *     the text, to the next line that begins with "== "; \e stands for an escape
 *
 * GOLDEN=FILE writes what is printed today into a file of this form.
 */
#ifndef GOLDEN_H
#define GOLDEN_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *golden_text;
static unsigned golden_sections, golden_used;

static inline void golden_open(const char *source) {
    const char *name = strrchr(source, '/') + 1;
    char path[256];
    snprintf(path, sizeof path, "%.*sgolden/%.*s.txt", (int)(name - source), source,
             (int)(strrchr(name, '.') - name), name);
    FILE *in = fopen(path, "r");
    size_t room = 1 << 20, n;
    if (!in || !(golden_text = malloc(room))) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    golden_text[0] = '\n';
    n = 1 + fread(golden_text + 1, 1, room - 2, in);
    golden_text[n] = 0;
    fclose(in);
    for (const char *s = golden_text; (s = strstr(s, "\n== ")); s++) golden_sections++;
}

/* The section's text; NULL if there is none.  To be freed. */
static inline char *golden_section(const char *name) {
    char head[256];
    if (!golden_text) golden_open(__BASE_FILE__);
    snprintf(head, sizeof head, "\n== %s\n", name);
    const char *at = strstr(golden_text, head);
    if (!at) return NULL;
    at += strlen(head);
    const char *end = strstr(at - 1, "\n== ");
    size_t n = end ? (size_t)(end + 1 - at) : strlen(at);
    return strndup(at, n);
}

static inline char *golden_form(const char *printed) {
    char *form = malloc(2 * strlen(printed) + 1), *to = form;
    if (!form) exit(1);
    for (const char *s = printed; *s; s++) {
        if (*s == '\033') *to++ = '\\';
        *to++ = *s == '\033' ? 'e' : *s;
    }
    *to = 0;
    return form;
}

/* Is this what the section says?  Shows both if not. */
static inline bool golden_same(const char *name, const char *printed) {
    char *form = golden_form(printed), *want = golden_section(name);
    FILE *out = getenv("GOLDEN") ? fopen(getenv("GOLDEN"), "a") : NULL;
    bool same = want && !strcmp(form, want);
    if (out) {
        fprintf(out, "== %s\n%s", name, form);
        fclose(out);
    } else if (!same) {
        printf("---- printed\n%s---- expected\n%s----\n", form,
               want ? want : "(no such section)\n");
    }
    golden_used++;
    free(form);
    free(want);
    return same;
}

/* Nothing stands in the file that no test asks for. */
static inline bool golden_all_used(void) { return golden_used == golden_sections; }
#endif

/* What functions of the C library touch: one thread calls a function, another one touches the last
 * byte of what that reads or writes, or the next one (argument `outside`), or only reads that byte
 * (`reading`).  With the C library alone, the results are the same. */
#include "check.h"
#include <strings.h>

static char room[80] = "0123456789abcdef", other_room[80] = "0123456789abcdef";
static char *const text = room + 16, *const other = other_room + 16;
static int ends[2];
static FILE *file;
static bool outside, reading;

static void starts(const char *a, const char *b) {
    memset(text, 0, 32);
    memset(other, 0, 32);
    memcpy(text, a, strlen(a));
    memcpy(other, b, strlen(b));
}

/* X(function, text, other, call, its last byte) */
/* clang-format off */
#define CALLS(X) \
    X(strlen, "abc", "", strlen(text) == 3, text + 3) \
    X(strnlen, "abc", "", strnlen(text, 2) == 2, text + 1) \
    X(strcpy, "12", "abc", strcpy(text, other) == text && !strcmp(text, "abc"), text + 3) \
    X(strcpy_from, "12", "abc", strcpy(text, other) == text, other + 3) \
    X(stpcpy, "12", "abc", stpcpy(text, other) == text + 3, text + 3) \
    X(strncpy, "12", "abc", strncpy(text, other, 6) == text, text + 5) \
    X(strncpy_from, "12", "abc", strncpy(text, other, 2) == text, other + 1) \
    X(stpncpy, "12", "abc", stpncpy(text, other, 6) == text + 3, text + 5) \
    X(strcat, "12", "abc", !strcmp(strcat(text, other), "12abc"), text + 5) \
    X(strncat, "12", "abc", !strcmp(strncat(text, other, 2), "12ab"), text + 4) \
    X(strcmp, "abcd", "abxd", strcmp(text, other) < 0, text + 2) \
    X(strcmp_other, "abcd", "abxd", strcmp(text, other) < 0, other + 2) \
    X(strncmp, "abcd", "abcd", !strncmp(text, other, 3), text + 2) \
    X(strcasecmp, "abCd", "aBc", strcasecmp(text, other) > 0, text + 3) \
    X(strncasecmp, "abCd", "aBcd", !strncasecmp(text, other, 3), other + 2) \
    X(memcmp, "abcd", "abxd", memcmp(text, other, 4) < 0, other + 2) \
    X(memchr, "abcd", "", memchr(text, 'c', 4) == text + 2, text + 2) \
    X(strchr, "abcd", "", strchr(text, 'b') == text + 1, text + 1) \
    X(strchr_none, "abcd", "", !strchr(text, 'x'), text + 4) \
    X(strrchr, "abcb", "", strrchr(text, 'b') == text + 3, text + 4) \
    X(strchrnul, "abcd", "", strchrnul(text, 'x') == text + 4, text + 4) \
    X(strstr, "abcd", "bc", strstr(text, other) == text + 1, text + 2) \
    X(strstr_part, "abcd", "bc", strstr(text, other) == text + 1, other + 2) \
    X(strcasestr, "aBcd", "bC", strcasestr(text, other) == text + 1, text + 2) \
    X(memmem, "abcd", "bc", memmem(text, 4, other, 2) == text + 1, text + 2) \
    X(strspn, "aab", "a", strspn(text, other) == 2, text + 2) \
    X(strcspn, "aab", "b", strcspn(text, other) == 2, other + 1) \
    X(strpbrk, "aab", "b", strpbrk(text, other) == text + 2, text + 2) \
    X(strtok_r, ",ab,c", ",", strtok_r(text, other, &rest) == text + 1 && !text[3], text + 3) \
    X(strsep, "ab,c", ",", (rest = text, strsep(&rest, other) == text && !text[2]), text + 2) \
    X(mempcpy, "12", "abc", mempcpy(text, other, 2) == text + 2, text + 1) \
    X(bzero, "12", "", (bzero(text, 5), !text[0]), text + 4) \
    X(atoi, "12x", "", atoi(text) == 12, text + 2) \
    X(strtol, "12", "", strtol(text, &rest, 10) == 12 && rest == text + 2, text + 2) \
    X(strtod, "1.5", "", strtod(text, NULL) == 1.5, text + 3) \
    X(sprintf, "", "", sprintf(text, "%d!", 12) == 3 && !strcmp(text, "12!"), text + 3) \
    X(snprintf, "", "", snprintf(text, 3, "%d!", 12) == 3 && !strcmp(text, "12"), text + 2) \
    X(strdup, "abc", "", (rest = strdup(text)) && !strcmp(rest, "abc") && (free(rest), 1), \
      text + 3) \
    X(strndup, "abc", "", (rest = strndup(text, 2)) && !strcmp(rest, "ab") && (free(rest), 1), \
      text + 1) \
    X(write, "abc", "", write(ends[1], text, 2) == 2 && read(ends[0], other, 2) == 2, text + 1) \
    X(read, "", "abc", write(ends[1], other, 2) == 2 && read(ends[0], text, 9) == 2, text + 1) \
    X(fwrite, "abc", "", fwrite(text, 1, 2, file) == 2, text + 1) \
    X(fputs, "abc", "", fputs(text, file) >= 0, text + 3) \
    X(fread, "", "", (rewind(file), fread(text, 1, 2, file)) == 2, text + 1) \
    X(fgets, "", "", (rewind(file), fgets(text, 9, file)) == text, text + 5) \
    X(fscanf_to, "", "", (rewind(file), fscanf(file, "%3c", other)) == 1, other + 2) \
    X(sscanf, "1 23", "", sscanf(text, "%*d%hhd", other) == 1 && *other == 23, text + 4) \
    X(sscanf_to, "a 12", "", sscanf(text, "%*s%hd", (short *)other) == 1, other + 1) \
    X(sscanf_long_to, "%12", "", sscanf(text, "%%%lld", (long long *)other) == 1, other + 7) \
    X(sscanf_real_to, "1.5", "", sscanf(text, "%lf", (double *)other) == 1, other + 7) \
    X(sscanf_text_to, "abc d", "", sscanf(text, "%*c%s", other) == 1, other + 2) \
    X(sscanf_set_to, "]d12", "", sscanf(text, "%*[]%d]%2[0-9]", other) == 1, other + 2) \
    X(sscanf_made_to, "abc", "", sscanf(text, "%ms", (char **)other) == 1, other + 7)
/* clang-format on */

#define CALL(name, a, b, call, last)       \
 static void *call_##name(void *rest_of) { \
  char *rest = NULL;                       \
  (void)rest;                              \
  CHECK(call);                             \
  return rest_of;                          \
 }
CALLS(CALL)

static char *last_byte;

THREAD(touches) {
    volatile char *p = last_byte + outside;
    char c = *p;
    if (!reading) *p = c;
}

#define TRY(name, a, b, call, last)                     \
 starts(a, b);                                          \
 last_byte = last;                                      \
 CHECK(!pthread_create(&one, NULL, call_##name, NULL)); \
 CHECK(!pthread_create(&two, NULL, touches, NULL));     \
 CHECK(!pthread_join(one, NULL) && !pthread_join(two, NULL));

int main(int argc, char **argv) {
    pthread_t one, two;
    outside = argc > 1 && !strcmp(argv[1], "outside");
    reading = argc > 1 && !outside;
    CHECK(!pipe(ends) && (file = tmpfile()));
    CALLS(TRY)
    return 0;
}

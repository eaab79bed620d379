/* hook/strings.h: RF_HOOK_STRING, what the functions of <string.h> and their kin read and write.
 *
 * Called from code whose plain accesses are announced, they announce theirs: the bytes that the
 * arguments make them touch, at the caller's statement.  What they return is found after the
 * caller's turn.  All are weak: a program that has a function of this name keeps it.
 * Optimised: fully, many operations run it.
 */
#ifndef RFI_HOOK_STRINGS_H
#define RFI_HOOK_STRINGS_H
#include "hook/buffered.h"
#include "hook/heap.h"

/* Without all synchronisation seen, these would be taken for races. */
#if defined RF_HOOK_STRING || defined RF_HOOK_COMPILER || (defined RF_HOOK_ALL && defined RFI_TSAN)
# define RFI_STRINGS 1
#endif

#ifdef RFI_COMPILER
# include <strings.h>

/* With its zero, if that is among the first `most`. */
RFI_FN size_t rfi_string_bytes(const char *s, size_t most) {
    rfi_settle();
    size_t n = strnlen(s, most);
    return n < most ? n + 1 : n;
}

/* Up to the first difference, the end of both, or `most`. */
RFI_FN size_t rfi_string_same(const char *a, const char *b, size_t most) {
    rfi_settle();
    size_t n = 0;
    while (n < most && a[n] == b[n] && a[n]) n++;
    return n < most ? n + 1 : n;
}

RFI_FN size_t rfi_string_alike(const char *a, const char *b, size_t most) {
    rfi_settle();
    size_t n = 0;
    while (n < most && a[n] && !strncasecmp(a + n, b + n, 1)) n++;
    return n < most ? n + 1 : n;
}

RFI_FN size_t rfi_bytes_same(const char *a, const char *b, size_t most) {
    rfi_settle();
    size_t n = 0;
    while (n < most && a[n] == b[n]) n++;
    return n < most ? n + 1 : n;
}

/* ---- reads of one string ---- */

size_t RFI_HOOK(strlen)(const char *s) {
    RFI_READS(s, strlen(s) + 1);
    return strlen(s);
}

size_t RFI_HOOK(strnlen)(const char *s, size_t most) {
    RFI_READS(s, rfi_string_bytes(s, most));
    return strnlen(s, most);
}

/* What finds a byte stops there. */
# define RFI_STRING_FIND(name)                 \
  char *RFI_HOOK(name)(const char *s, int c) { \
   rfi_settle();                               \
   const char *at = strchrnul(s, c);           \
   RFI_READS(s, (size_t)(at - s) + 1);         \
   return (char *)(uintptr_t)name(s, c);       \
  }
/* clang-format off */
RFI_STRING_FIND(strchr)
RFI_STRING_FIND(index)
RFI_STRING_FIND(strchrnul)
/* clang-format on */

char *RFI_HOOK(strrchr)(const char *s, int c) {
    RFI_READS(s, strlen(s) + 1);
    return (char *)(uintptr_t)strrchr(s, c);
}

char *RFI_HOOK(rindex)(const char *s, int c) {
    RFI_READS(s, strlen(s) + 1);
    return (char *)(uintptr_t)strrchr(s, c);
}

void *RFI_HOOK(memchr)(const void *p, int c, size_t n) {
    rfi_settle();
    const char *at = memchr(p, c, n);
    RFI_READS(p, at ? (size_t)(at - (const char *)p) + 1 : n);
    return (void *)(uintptr_t)memchr(p, c, n);
}

void *RFI_HOOK(memrchr)(const void *p, int c, size_t n) {
    rfi_settle();
    const char *at = memrchr(p, c, n), *end = (const char *)p + n;
    RFI_READS(at ? at : (const char *)p, at ? (size_t)(end - at) : n);
    return (void *)(uintptr_t)memrchr(p, c, n);
}

/* Numbers: up to the first byte that is no part of one. */
# define RFI_STRING_NUMBER(type, name, of) \
  type RFI_HOOK(name)(const char *s) {     \
   char *end;                              \
   int error = errno;                      \
   rfi_settle();                           \
   (void)of;                               \
   errno = error;                          \
   RFI_READS(s, (size_t)(end - s) + 1);    \
   return name(s);                         \
  }
# define RFI_STRING_NUMBER_END(type, name)                  \
  type RFI_HOOK(name)(const char *s, char **to, int base) { \
   char *end;                                               \
   int error = errno;                                       \
   rfi_settle();                                            \
   (void)name(s, &end, base);                               \
   errno = error;                                           \
   RFI_READS(s, (size_t)(end - s) + 1);                     \
   if (to) RFI_LEAVES(to, sizeof *to);                      \
   return name(s, to, base);                                \
  }
/* clang-format off */
RFI_STRING_NUMBER(int, atoi, strtol(s, &end, 10))
RFI_STRING_NUMBER(long, atol, strtol(s, &end, 10))
RFI_STRING_NUMBER(long long, atoll, strtoll(s, &end, 10))
RFI_STRING_NUMBER(double, atof, strtod(s, &end))
RFI_STRING_NUMBER_END(long, strtol)
RFI_STRING_NUMBER_END(unsigned long, strtoul)
RFI_STRING_NUMBER_END(long long, strtoll)
RFI_STRING_NUMBER_END(unsigned long long, strtoull)
/* clang-format on */

double RFI_HOOK(strtod)(const char *s, char **to) {
    char *end;
    int error = errno;
    rfi_settle();
    (void)strtod(s, &end);
    errno = error;
    RFI_READS(s, (size_t)(end - s) + 1);
    if (to) RFI_LEAVES(to, sizeof *to);
    return strtod(s, to);
}

/* ---- reads of two ---- */

/* Both to the first difference, which `length` finds. */
# define RFI_READS_TWO(a, b, length) \
  do {                               \
   size_t both = (length);           \
   RFI_READS(a, both);               \
   RFI_READS(b, both);               \
  } while (0)

int RFI_HOOK(strcmp)(const char *a, const char *b) {
    RFI_READS_TWO(a, b, rfi_string_same(a, b, SIZE_MAX));
    return strcmp(a, b);
}

int RFI_HOOK(strncmp)(const char *a, const char *b, size_t most) {
    RFI_READS_TWO(a, b, rfi_string_same(a, b, most));
    return strncmp(a, b, most);
}

int RFI_HOOK(strcasecmp)(const char *a, const char *b) {
    RFI_READS_TWO(a, b, rfi_string_alike(a, b, SIZE_MAX));
    return strcasecmp(a, b);
}

int RFI_HOOK(strncasecmp)(const char *a, const char *b, size_t most) {
    RFI_READS_TWO(a, b, rfi_string_alike(a, b, most));
    return strncasecmp(a, b, most);
}

int RFI_HOOK(memcmp)(const void *a, const void *b, size_t most) {
    RFI_READS_TWO(a, b, rfi_bytes_same(a, b, most));
    return memcmp(a, b, most);
}

int RFI_HOOK(bcmp)(const void *a, const void *b, size_t most) {
    RFI_READS_TWO(a, b, rfi_bytes_same(a, b, most));
    return memcmp(a, b, most);
}

# define RFI_STRING_SEARCH(name)                            \
  char *RFI_HOOK(name)(const char *s, const char *part) {   \
   rfi_settle();                                            \
   const char *at = name(s, part);                          \
   size_t n = strlen(part);                                 \
   RFI_READS(part, n + 1);                                  \
   RFI_READS(s, at ? (size_t)(at - s) + n : strlen(s) + 1); \
   return (char *)(uintptr_t)name(s, part);                 \
  }
/* clang-format off */
RFI_STRING_SEARCH(strstr)
RFI_STRING_SEARCH(strcasestr)
/* clang-format on */

void *RFI_HOOK(memmem)(const void *p, size_t n, const void *part, size_t bytes) {
    rfi_settle();
    const char *at = memmem(p, n, part, bytes);
    RFI_READS(part, bytes);
    RFI_READS(p, at ? (size_t)(at - (const char *)p) + bytes : n);
    return memmem(p, n, part, bytes);
}

size_t RFI_HOOK(strspn)(const char *s, const char *set) {
    RFI_READS(set, strlen(set) + 1);
    RFI_READS(s, strspn(s, set) + 1);
    return strspn(s, set);
}

size_t RFI_HOOK(strcspn)(const char *s, const char *set) {
    RFI_READS(set, strlen(set) + 1);
    RFI_READS(s, strcspn(s, set) + 1);
    return strcspn(s, set);
}

char *RFI_HOOK(strpbrk)(const char *s, const char *set) {
    RFI_READS(set, strlen(set) + 1);
    RFI_READS(s, strcspn(s, set) + 1);
    return (char *)(uintptr_t)strpbrk(s, set);
}

/* ---- pieces ---- */

/* The bytes of the next word and what stands before it; `skip`: separators in front are passed. */
RFI_FN void rfi_string_word(const void *pc, char *s, const char *set, bool skip) {
    rfi_compiler_plain(pc, set, strlen(set) + 1, RF_SITE_READ);
    size_t n = skip ? strspn(s, set) : 0;
    n += strcspn(s + n, set);
    rfi_compiler_plain(pc, s, n + 1, RF_SITE_READ);
    if (s[n]) rfi_compiler_plain(pc, s + n, 1, RF_SITE_WRITE);
}

RFI_VAR char *rfi_string_rest; /* strtok's */

char *RFI_HOOK(strtok_r)(char *s, const char *set, char **rest) {
    rfi_settle();
    if (s || *rest) rfi_string_word(RFI_PC(), s ? s : *rest, set, true);
    RFI_LEAVES(rest, sizeof *rest);
    return strtok_r(s, set, rest);
}

char *RFI_HOOK(strtok)(char *s, const char *set) {
    RFI_UNSAFE("strtok");
    RFI_WRITES(&rfi_string_rest, sizeof rfi_string_rest);
    if (s || rfi_string_rest) rfi_string_word(RFI_PC(), s ? s : rfi_string_rest, set, true);
    return strtok_r(s, set, &rfi_string_rest);
}

char *RFI_HOOK(strsep)(char **s, const char *set) {
    RFI_READS(s, sizeof *s);
    if (*s) rfi_string_word(RFI_PC(), *s, set, false);
    RFI_WRITES(s, sizeof *s);
    return strsep(s, set);
}

/* ---- writes ---- */

char *RFI_HOOK(strcpy)(char *to, const char *from) {
    RFI_READS(from, strlen(from) + 1);
    RFI_WRITES(to, strlen(from) + 1);
    return strcpy(to, from);
}

char *RFI_HOOK(stpcpy)(char *to, const char *from) {
    RFI_READS(from, strlen(from) + 1);
    RFI_WRITES(to, strlen(from) + 1);
    return stpcpy(to, from);
}

char *RFI_HOOK(strncpy)(char *to, const char *from, size_t n) {
    RFI_READS(from, rfi_string_bytes(from, n));
    RFI_WRITES(to, n);
    return strncpy(to, from, n);
}

char *RFI_HOOK(stpncpy)(char *to, const char *from, size_t n) {
    RFI_READS(from, rfi_string_bytes(from, n));
    RFI_WRITES(to, n);
    return stpncpy(to, from, n);
}

char *RFI_HOOK(strcat)(char *to, const char *from) {
    RFI_READS(from, strlen(from) + 1);
    RFI_READS(to, strlen(to) + 1);
    RFI_WRITES(to + strlen(to), strlen(from) + 1);
    return strcat(to, from);
}

char *RFI_HOOK(strncat)(char *to, const char *from, size_t most) {
    RFI_READS(from, rfi_string_bytes(from, most));
    RFI_READS(to, strlen(to) + 1);
    RFI_WRITES(to + strlen(to), strnlen(from, most) + 1);
    return strncat(to, from, most);
}

void *RFI_HOOK(mempcpy)(void *to, const void *from, size_t n) {
    RFI_READS(from, n);
    RFI_WRITES(to, n);
    return mempcpy(to, from, n);
}

void RFI_HOOK(bcopy)(const void *from, void *to, size_t n) {
    RFI_READS(from, n);
    RFI_WRITES(to, n);
    memmove(to, from, n);
}

void RFI_HOOK(bzero)(void *p, size_t n) {
    RFI_WRITES(p, n);
    memset(p, 0, n);
}

/* The text that a format makes; its arguments are not looked at. */
RFI_FN RFI_PRINTF(4, 0) int rfi_string_print(const void *pc, char *to, size_t room,
                                             const char *format, va_list arguments) {
    va_list again;
    rfi_settle();
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t bytes = n < 0 ? 0 : (size_t)n + 1;
    rfi_compiler_plain(pc, format, strlen(format) + 1, RF_SITE_READ);
    rfi_compiler_plain(pc, to, bytes < room ? bytes : room, RF_SITE_WRITE);
    return vsnprintf(to, room, format, arguments);
}

int RFI_HOOK(vsnprintf)(char *to, size_t room, const char *format, va_list arguments) {
    return rfi_string_print(RFI_PC(), to, room, format, arguments);
}

int RFI_HOOK(vsprintf)(char *to, const char *format, va_list arguments) {
    return rfi_string_print(RFI_PC(), to, INT_MAX, format, arguments);
}

int RFI_HOOK(snprintf)(char *to, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = rfi_string_print(RFI_PC(), to, room, format, arguments);
    va_end(arguments);
    return n;
}

int RFI_HOOK(sprintf)(char *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = rfi_string_print(RFI_PC(), to, INT_MAX, format, arguments);
    va_end(arguments);
    return n;
}

/* ---- files: what came in is known afterwards ---- */

int RFI_HOOK(puts)(const char *s) {
    RFI_READS(s, strlen(s) + 1);
    RFI_STREAM_CALL("puts", stdout);
    return puts(s);
}

int RFI_HOOK(fputs)(const char *s, FILE *to) {
    RFI_READS(s, strlen(s) + 1);
    size_t n = strlen(s);
    RFI_STREAM_OUT("fputs", to, n);
    size_t put = rfi_stream_write(&out, s, n);
    rfi_stream_left(&out);
    return put == n ? 1 : EOF;
}

size_t RFI_HOOK(fwrite)(const void *p, size_t n, size_t count, FILE *to) {
    RFI_READS(p, n * count);
    RFI_STREAM_OUT("fwrite", to, n * count);
    size_t put = rfi_stream_write(&out, p, n * count);
    rfi_stream_left(&out);
    return n ? put / n : 0;
}

int RFI_HOOK(vfprintf)(FILE *to, const char *format, va_list arguments) {
    RFI_STREAM_OUT("vfprintf", to, rfi_stream_length(to, format, arguments));
    int n = vfprintf(to, format, arguments);
    rfi_stream_left(&out);
    return n;
}

int RFI_HOOK(fprintf)(FILE *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    RFI_STREAM_OUT("fprintf", to, rfi_stream_length(to, format, arguments));
    int n = vfprintf(to, format, arguments);
    rfi_stream_left(&out);
    va_end(arguments);
    return n;
}

int RFI_HOOK(printf)(const char *format, ...) {
    va_list arguments;
    RFI_STREAM_CALL("printf", stdout);
    va_start(arguments, format);
    int n = vprintf(format, arguments);
    va_end(arguments);
    return n;
}

int RFI_HOOK(vprintf)(const char *format, va_list arguments) {
    RFI_STREAM_CALL("vprintf", stdout);
    return vprintf(format, arguments);
}

int RFI_HOOK(putchar)(int c) {
    RFI_STREAM_CALL("putchar", stdout);
    return putchar(c);
}

int RFI_HOOK(fputc)(int c, FILE *to) {
    RFI_STREAM_OUT("fputc", to, 1);
    c = fputc(c, to);
    rfi_stream_left(&out);
    return c;
}

int RFI_HOOK(putc)(int c, FILE *to) {
    RFI_STREAM_OUT("putc", to, 1);
    c = fputc(c, to);
    rfi_stream_left(&out);
    return c;
}
#endif

/* ---- their names ---- */

#if defined RFI_STRINGS && !defined RFI_IMPL && !defined RF_OFF && !defined __cplusplus
/* With it other functions are called in their place, which are not seen. */
# undef _FORTIFY_SOURCE
RFI_RENAME(strlen)
RFI_RENAME(strnlen)
RFI_RENAME(strcpy)
RFI_RENAME(stpcpy)
RFI_RENAME(strncpy)
RFI_RENAME(stpncpy)
RFI_RENAME(strcat)
RFI_RENAME(strncat)
RFI_RENAME(strcmp)
RFI_RENAME(strncmp)
RFI_RENAME(strcasecmp)
RFI_RENAME(strncasecmp)
RFI_RENAME(strchr)
RFI_RENAME(strchrnul)
RFI_RENAME(strrchr)
RFI_RENAME(index)
RFI_RENAME(rindex)
RFI_RENAME(strstr)
RFI_RENAME(strcasestr)
RFI_RENAME(strspn)
RFI_RENAME(strcspn)
RFI_RENAME(strpbrk)
RFI_RENAME(strtok)
RFI_RENAME(strtok_r)
RFI_RENAME(strsep)
RFI_RENAME(memcmp)
RFI_RENAME(bcmp)
RFI_RENAME(memchr)
RFI_RENAME(memrchr)
RFI_RENAME(memmem)
RFI_RENAME(mempcpy)
RFI_RENAME(bzero)
RFI_RENAME(bcopy)
RFI_RENAME(strtol)
RFI_RENAME(strtoul)
RFI_RENAME(strtoll)
RFI_RENAME(strtoull)
RFI_RENAME(strtod)
RFI_RENAME(atoi)
RFI_RENAME(atol)
RFI_RENAME(atoll)
RFI_RENAME(atof)
RFI_RENAME(snprintf)
RFI_RENAME(vsnprintf)
RFI_RENAME(sprintf)
RFI_RENAME(vsprintf)
RFI_RENAME(puts)
RFI_RENAME(fputs)
RFI_RENAME(printf)
RFI_RENAME(fprintf)
RFI_RENAME(vfprintf)
RFI_RENAME(vprintf)
RFI_RENAME(putchar)
RFI_RENAME(putc)
RFI_RENAME(fputc)
RFI_RENAME(fwrite)
RFI_RENAME(gmtime)
RFI_RENAME(localtime)
RFI_RENAME(asctime)
RFI_RENAME(ctime)
RFI_RENAME(localtime_r)
RFI_RENAME(mktime)
RFI_RENAME(strftime)
RFI_RENAME(getenv)
RFI_RENAME(setenv)
RFI_RENAME(unsetenv)
RFI_RENAME(putenv)
# ifdef __ELF__
/* gcc makes these of others. */
__asm__(".set strlen, __wrap_strlen");
__asm__(".set strcpy, __wrap_strcpy");
__asm__(".set strcmp, __wrap_strcmp");
__asm__(".set strchr, __wrap_strchr");
__asm__(".set memcmp, __wrap_memcmp");
__asm__(".set memchr, __wrap_memchr");
__asm__(".set stpcpy, __wrap_stpcpy");
__asm__(".set fwrite, __wrap_fwrite");
__asm__(".set puts, __wrap_puts");
__asm__(".set fputc, __wrap_fputc");
__asm__(".set putchar, __wrap_putchar");
# endif
#endif
#endif

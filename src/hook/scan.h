/* hook/scan.h: scanf and its kin: what they wait for, read and store.
 *
 * What is stored follows from the format: of each conversion that has succeeded an object of its
 * type, of a string as many characters as are there now.  Those behind `%n$` are not looked for.
 */
#ifndef RFI_HOOK_SCAN_H
#define RFI_HOOK_SCAN_H
#include "hook/buffered.h"

#ifdef RFI_IMPL
# include <ctype.h>
# include <wchar.h>

/* ---- what is stored ---- */

typedef struct rfi_scan {
    const char *format;
    va_list arguments;
    int left; /* conversions that have succeeded */
    void *to; /* what the next of them has stored, */
    size_t bytes;
} rfi_scan;

/* Of numbers, by the length modifier. */
RFI_FN size_t rfi_scan_number(const char *length, bool real) {
    bool twice = length[0] == length[1];
    switch (*length) {
    case 'h': return twice ? sizeof(char) : sizeof(short);
    case 'l': return real ? sizeof(double) : twice ? sizeof(long long) : sizeof(long);
    case 'L': return real ? sizeof(long double) : sizeof(long long);
    case 'q': return sizeof(long long);
    case 'j': return sizeof(intmax_t);
    case 'z': return sizeof(size_t);
    case 't': return sizeof(ptrdiff_t);
    default: return real ? sizeof(float) : sizeof(int);
    }
}

/* Characters, up to the end, or `width` of them if that is not 0. */
RFI_FN size_t rfi_scan_text(const void *to, bool wide, size_t width) {
    if (wide) return (width ? width : wcslen(to) + 1) * sizeof(wchar_t);
    return width ? width : strlen(to) + 1;
}

RFI_FN const char *rfi_scan_set_end(const char *set) {
    set += set[1] == '^' ? 2 : 1;
    return strchr(*set == ']' ? set + 1 : set, ']');
}

/* Goes on to the next object that was stored. */
RFI_FN bool rfi_scan_next(rfi_scan *s) {
    while (s->left && (s->format = strchr(s->format, '%'))) {
        const char *at = s->format + 1;
        bool skips = *at == '*';
        at += skips;
        size_t width = strtoul(at, (char **)(uintptr_t)&at, 10);
        if (*at == '$') return false;
        bool made = *at == 'm'; /* by malloc, a pointer to it is stored */
        at += made;
        const char *length = at;
        at += strspn(at, "hlLqjzt");
        bool wide = *length == 'l' || *at == 'C' || *at == 'S', none = *at == '%' || !*at;
        bool text = strchr("sS[cC", *at), real = strchr("aAeEfFgG", *at), one = strchr("cC", *at);
        const char *end = *at == '[' ? rfi_scan_set_end(at) : at;
        char what = *at;
        if (!end || !*at) return false;
        s->format = end + 1;
        if (skips || none) continue;
        s->to = va_arg(s->arguments, void *);
        if (what != 'n') s->left--;
        s->bytes = made          ? sizeof(char *)
                   : text        ? rfi_scan_text(s->to, wide, one ? width + !width : 0)
                   : what == 'p' ? sizeof(void *)
                                 : rfi_scan_number(length, real);
        return true;
    }
    return false;
}

/* Of `n`, the result. */
# define RFI_SCANNED(n, how, of)                                 \
  do {                                                           \
   rfi_scan scan = {.format = how, .left = n > 0 ? n : 0};       \
   va_copy(scan.arguments, of);                                  \
   while (rfi_scan_next(&scan)) RFI_LEAVES(scan.to, scan.bytes); \
   va_end(scan.arguments);                                       \
  } while (0)

/* ---- streams ---- */

/* Does it begin with what skips white space? */
RFI_FN bool rfi_scan_skips(const char *format) {
    if (*format != '%') return isspace((unsigned char)*format);
    format += 1 + strspn(format + 1, "*0123456789hlLjztqm");
    return *format != 'c' && *format != '[' && *format != 'n';
}

/* The white space behind the last value is no value that has come. */
RFI_FN int rfi_hook_scan(const rf_site *s, FILE *from, const char *format, va_list arguments) {
    rfi_stream_use in = {s, "fscanf", from, NULL};
    rfi_call(s, "fscanf", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    if (rfi.run.strikes) rfi_unsafe(s, "fscanf");
    rfi_stream_begin(&in);
    if (rfi_scan_skips(format) && rfi_stream_parts(from)) {
        int c = rfi_stream_next(&in, true);
        while (c != EOF && isspace(c)) c = rfi_stream_next(&in, false);
        if (c != EOF) RFI_REAL(ungetc)(c, from);
    }
    int n = RFI_REAL(vfscanf)(from, format, arguments);
    rfi_stream_left(&in);
    return n;
}

# define RFI_SCAN(from, format, arguments)                  \
  va_list again;                                            \
  RFI_USES_STREAM(from);                                    \
  va_copy(again, arguments);                                \
  int n = rfi_hook_scan(RFI_CALLER(), from, format, again); \
  va_end(again);                                            \
  RFI_SCANNED(n, format, arguments)

int RFI_HOOK(vfscanf)(FILE *from, const char *format, va_list arguments) {
    RFI_SCAN(from, format, arguments);
    return n;
}

int RFI_HOOK(fscanf)(FILE *from, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    RFI_SCAN(from, format, arguments);
    va_end(arguments);
    return n;
}

int RFI_HOOK(vscanf)(const char *format, va_list arguments) {
    RFI_SCAN(stdin, format, arguments);
    return n;
}

int RFI_HOOK(scanf)(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    RFI_SCAN(stdin, format, arguments);
    va_end(arguments);
    return n;
}

/* ---- strings ---- */

# define RFI_SCAN_TEXT(from, format, arguments)   \
  va_list again;                                  \
  RFI_READS(from, strlen(from) + 1);              \
  va_copy(again, arguments);                      \
  int n = RFI_REAL(vsscanf)(from, format, again); \
  va_end(again);                                  \
  RFI_SCANNED(n, format, arguments)

int RFI_HOOK(vsscanf)(const char *from, const char *format, va_list arguments) {
    RFI_SCAN_TEXT(from, format, arguments);
    return n;
}

int RFI_HOOK(sscanf)(const char *from, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    RFI_SCAN_TEXT(from, format, arguments);
    va_end(arguments);
    return n;
}
#endif

/* ---- their names ---- */

#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && !defined __cplusplus
# ifdef RFI_IMPL
#  define scanf   __wrap_scanf
#  define vscanf  __wrap_vscanf
#  define fscanf  __wrap_fscanf
#  define vfscanf __wrap_vfscanf
#  define sscanf  __wrap_sscanf
#  define vsscanf __wrap_vsscanf
# elif defined __ELF__
/* clang does not rename what the header has renamed. */
#  define RFI_RENAME_SCAN(name)                       \
   __asm__(".set " #name ", __wrap_" #name);          \
   __asm__(".set __isoc99_" #name ", __wrap_" #name); \
   __asm__(".set __isoc23_" #name ", __wrap_" #name);
RFI_RENAME_SCAN(scanf)
RFI_RENAME_SCAN(vscanf)
RFI_RENAME_SCAN(fscanf)
RFI_RENAME_SCAN(vfscanf)
RFI_RENAME_SCAN(sscanf)
RFI_RENAME_SCAN(vsscanf)
# endif
#endif
#endif

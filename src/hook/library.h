/* hook/library.h: what the C library keeps once for all threads, besides its files.
 *
 * C and POSIX let these functions race: those that return a pointer to an object of the library
 * write it, and the environment is read and written.  So they announce that, at the caller's
 * statement.  The object is ours, so that it is written after the caller's turn.
 */
#ifndef RFI_HOOK_LIBRARY_H
#define RFI_HOOK_LIBRARY_H
#include "hook/strings.h"

#ifdef RFI_COMPILER
RFI_VAR struct tm rfi_library_time;
RFI_VAR char rfi_library_text[64], rfi_library_environment;

/* By the function `name`, of `what` it keeps. */
# define RFI_LIBRARY_WRITES(name, what) (RFI_UNSAFE(name), RFI_WRITES(&(what), sizeof(what)))

/* The zone of the time is read there. */
# define RFI_LIBRARY_ZONE() RFI_READS(&rfi_library_environment, 1)

struct tm *RFI_HOOK(gmtime)(const time_t *t) {
    RFI_LIBRARY_WRITES("gmtime", rfi_library_time);
    return gmtime_r(t, &rfi_library_time);
}

struct tm *RFI_HOOK(localtime)(const time_t *t) {
    RFI_LIBRARY_ZONE();
    RFI_LIBRARY_WRITES("localtime", rfi_library_time);
    tzset();
    return localtime_r(t, &rfi_library_time);
}

char *RFI_HOOK(asctime)(const struct tm *t) {
    RFI_READS(t, sizeof *t);
    RFI_LIBRARY_WRITES("asctime", rfi_library_text);
    return asctime_r(t, rfi_library_text);
}

char *RFI_HOOK(ctime)(const time_t *t) {
    RFI_LIBRARY_ZONE();
    RFI_LIBRARY_WRITES("ctime", rfi_library_text);
    tzset();
    return ctime_r(t, rfi_library_text);
}

struct tm *RFI_HOOK(localtime_r)(const time_t *t, struct tm *to) {
    RFI_LIBRARY_ZONE();
    RFI_LEAVES(to, sizeof *to);
    return localtime_r(t, to);
}

time_t RFI_HOOK(mktime)(struct tm *t) {
    RFI_LIBRARY_ZONE();
    RFI_LEAVES(t, sizeof *t);
    return mktime(t);
}

size_t RFI_HOOK(strftime)(char *to, size_t room, const char *format, const struct tm *t) {
    RFI_LIBRARY_ZONE();
    RFI_FINDS(t, sizeof *t);
    size_t n = strftime(to, room, format, t);
    if (n) RFI_LEAVES(to, n + 1);
    return n;
}

char *RFI_HOOK(getenv)(const char *name) {
    RFI_UNSAFE("getenv");
    RFI_READS(&rfi_library_environment, 1);
    return getenv(name);
}

int RFI_HOOK(setenv)(const char *name, const char *value, int over) {
    RFI_LIBRARY_WRITES("setenv", rfi_library_environment);
    return setenv(name, value, over);
}

int RFI_HOOK(unsetenv)(const char *name) {
    RFI_LIBRARY_WRITES("unsetenv", rfi_library_environment);
    return unsetenv(name);
}

int RFI_HOOK(putenv)(char *text) {
    RFI_LIBRARY_WRITES("putenv", rfi_library_environment);
    return putenv(text);
}
#endif
#endif

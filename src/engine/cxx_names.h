/* engine/cxx_names.h: names of C++ as a reader wants them.
 *
 * The program's C++ runtime, if there is one, takes the linker's names apart.  What fills lines and
 * tells little is left out: parameters, template arguments, types of results, qualifiers.
 *     bool Queue<int>::get<long>(int) const       Queue::get
 *     main::{lambda(int)#1}::operator()(int)      main::{lambda#1}
 * Optimised: not, it runs once a symbol.
 */
#ifndef RFI_ENGINE_CXX_NAMES_H
#define RFI_ENGINE_CXX_NAMES_H
#include "base/platform.h"

#ifdef RFI_IMPL
extern char *__cxa_demangle(const char *name, char *room, size_t *bytes, int *status)
    __attribute__((weak));
extern void __msan_unpoison_string(const volatile char *s) __attribute__((weak));

/* The length of an operator's name that begins here, without what it is applied to; 0: none does.
 */
RFI_FN size_t rfi_cxx_operator(const char *s) {
    static const char *const with[] = {"()",  "[]", "<=>", "<<=", "<<", "<=", "<",
                                       "->*", "->", ">>=", ">>",  ">=", ">"};
    if (strncmp(s, "operator", 8) != 0) return 0;
    for (unsigned i = 0; i < RFI_LENGTH(with); i++)
        if (!strncmp(s + 8, with[i], strlen(with[i]))) return 8 + strlen(with[i]);
    return 8;
}

/* Leaves out what stands between brackets, and that a function is const; where an operator's name
 * begins, or NULL. */
RFI_FN char *rfi_cxx_drop(char *name) {
    static const char *const out[] = {"(anonymous namespace)::", " const", "::operator()"};
    char *to = name, *op = NULL, *part = name; /* behind the last :: */
    unsigned deep = 0;
    for (const char *s = name; *s; s++) {
        unsigned i = 0;
        while (i < RFI_LENGTH(out) && strncmp(s, out[i], strlen(out[i])) != 0) i++;
        size_t n = i < RFI_LENGTH(out) ? strlen(out[i]) : 0;
        bool lambda = *part == '{' || *part == '$';
        if (n && !deep && (i == 0 || (i == 1 ? !s[n] || s[n] == ':' : lambda))) {
            s += n - 1;
        } else if (!deep && (s == name || strchr(": ", s[-1])) && (n = rfi_cxx_operator(s))) {
            op = to;
            memmove(to, s, n);
            to += n;
            s += n - 1;
        } else if (strchr("<([", *s)) {
            deep++;
        } else if (strchr(">)]", *s)) {
            deep -= deep > 0;
        } else if (!deep) {
            *to++ = *s;
            if (*s == ':') part = to;
        }
    }
    while (to > name && to[-1] == ' ') to--; /* of " [clone .cold]" */
    *to = 0;
    return op;
}

/* Shortens a name in its place. */
RFI_FN void rfi_cxx_shorten(char *name) {
    char *op = rfi_cxx_drop(name), *from = name;
    if (strstr(name, " for ")) return; /* "vtable for x" */
    for (char *s = name; *s && s != op; s++)
        if (*s == ' ') from = s + 1;
    memmove(name, from, strlen(from) + 1);
}

/* Does a function belong to the C++ library?  The last ones are libc++'s on the way to abort. */
RFI_FN bool rfi_cxx_library(const char *name) {
    static const char *const begin[] = {
        "std::",        "__gnu_cxx::",     "__cxxabiv1::",
        "__cxa_",       "__gthread_",      "execute_native_thread_routine",
        "operator new", "operator delete", "demangling_terminate_handler",
        "abort_message"};
    for (unsigned i = 0; i < RFI_LENGTH(begin); i++)
        if (!strncmp(name, begin[i], strlen(begin[i]))) return true;
    return false;
}

/* The name that the linker knows as `name`, short; to be freed, or NULL: it is none of C++. */
RFI_FN char *rfi_cxx_name(const char *name) {
    int status;
    if (strncmp(name, "_Z", 2) != 0 || !__cxa_demangle) return NULL;
    char *s = __cxa_demangle(name, NULL, NULL, &status);
    if (s && __msan_unpoison_string) __msan_unpoison_string(s); /* a library has written it */
    if (s) rfi_cxx_shorten(s);
    return s;
}
#endif
#endif

/* engine/untold.h: units of this program of whose plain accesses not all are announced.
 *
 * From units that it optimises the compiler removes some before: they say so.  One that was
 * compiled without the instrumentation beside others has no constructor that calls __tsan_init, as
 * the symbols of its file show.  Libraries of the compiler are not told, nor is what is C++.
 * Optimised: not, it runs once.
 */
#ifndef RFI_ENGINE_UNTOLD_H
#define RFI_ENGINE_UNTOLD_H
#include "engine/code.h"

#if defined RFI_HOOKS && defined RFI_TSAN && defined __OPTIMIZE__ && defined __ELF__ && \
    !defined RF_OFF && !defined RFI_IMPL
extern char rfi_optimised;
__attribute__((weak)) char rfi_optimised = 1;
static const char rfi_optimised_here __attribute__((used)) = 1;
#endif

#ifdef RFI_IMPL
static const char rfi_engine_itself __attribute__((used)) = 1;

typedef struct rfi_untold {
    const char *file; /* the first one; NULL: there is none */
    unsigned more;
} rfi_untold;

RFI_FN void rfi_untold_add(rfi_untold *u, const char *file) {
    if (u->file)
        u->more++;
    else
        u->file = rfi_basename(file);
}

/* Is that one of the program's?  Not what compilers link to all. */
RFI_FN bool rfi_untold_own(const char *file) {
    static const char *const theirs[] = {"crt", "libgcc2.c", "unwind-", "emutls.c", "cpuinfo.c"};
    const char *end = strrchr(file, '.');
    for (unsigned i = 0; i < RFI_LENGTH(theirs); i++)
        if (!strncmp(file, theirs[i], strlen(theirs[i]))) return false;
    return end && !strcmp(end, ".c");
}

/* What only instrumented units have, and the engine's. */
RFI_FN bool rfi_untold_told(const char *symbol) {
    return !strncmp(symbol, "_sub_I_00099", 12) || !strncmp(symbol, "tsan.module_ctor", 16) ||
           !strcmp(symbol, "rfi_engine_itself");
}

/* Units that are optimised; else those that are not instrumented. */
RFI_FN rfi_untold rfi_untold_units(bool optimised) {
    rfi_untold u = {NULL, 0};
# ifdef __linux__
    size_t all, room;
    const ElfW(Sym) *of = (const void *)rfi_symbols_section(".symtab", &all);
    const char *names = rfi_symbols_section(".strtab", &room), *file = NULL;
    bool told = true;
    all = of && names ? all / sizeof *of : 0;
    for (size_t k = 0; k < all && ELF64_ST_BIND(of[k].st_info) == STB_LOCAL; k++) {
        if (of[k].st_name >= room) continue;
        const char *name = names + of[k].st_name;
        if (ELF64_ST_TYPE(of[k].st_info) == STT_FILE) {
            if (!told && !optimised) rfi_untold_add(&u, file);
            told = !rfi_untold_own(name);
            file = name;
        } else if (strstr(name, "rfi_optimised_here")) {
            if (optimised) rfi_untold_add(&u, file ? file : "");
        } else {
            told |= rfi_untold_told(name);
        }
    }
    if (!told && !optimised) rfi_untold_add(&u, file);
# endif
    return u;
}

RFI_FN rfi_untold rfi_untold_optimised(void) {
    rfi_untold u = {NULL, 0};
# ifdef __ELF__
    extern char rfi_optimised __attribute__((weak));
    if (&rfi_optimised) u = rfi_untold_units(true);
    if (&rfi_optimised && !u.file) u.file = "a file";
# endif
    return u;
}

RFI_FN rfi_untold rfi_untold_unwatched(void) {
    rfi_untold u = {NULL, 0};
# ifdef __linux__
    if (rfi_code_announces && !rfi_symbols.cxx && getauxval(AT_BASE)) /* it is not linked -static */
        u = rfi_untold_units(false);
# endif
    return u;
}

RFI_FN bool rfi_untold_any(void) {
    return rfi_untold_optimised().file || rfi_untold_unwatched().file;
}

/* "bank.c and 2 other files (compile them with -O0)" */
RFI_FN void rfi_untold_say(char *to, size_t room, rfi_untold u, const char *what,
                           const char *flag) {
    char others[32] = "";
    if (u.more)
        snprintf(others, sizeof others, " and %u other file%s", u.more, u.more == 1 ? "" : "s");
    snprintf(to, room, "%s %.80s%s (compile %s with %s)", what, u.file, others,
             u.more ? "them" : "it", flag);
}
#endif
#endif

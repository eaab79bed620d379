/* engine/symbols.h: the names of functions and objects of this program, from its own file, but for
 * functions of the engine.
 *
 * Unedited code has no text of its statements, so the linker's symbols name them.  Read once,
 * before workers are forked, so that all have the same pointers.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_SYMBOLS_H
#define RFI_ENGINE_SYMBOLS_H
#include "engine/cxx_names.h"

#ifdef RFI_IMPL
# ifdef __linux__
#  include <elf.h>
#  include <link.h>
#  include <sys/auxv.h>
# endif

typedef struct rfi_symbol {
    uintptr_t at; /* as the program's file counts */
    size_t size;
    const char *name;   /* the linker's, */
    const char *called; /* the reader's */
    bool library;       /* part of the C++ library, which templates bring into the program */
} rfi_symbol;

RFI_VAR struct {
    bool open;
    bool cxx;       /* names of C++ were found, */
    bool apart;     /* and their library is not part of the program */
    uintptr_t bias; /* where the program was loaded */
    rfi_symbol *symbol;
    uint32_t count;
    char program[256]; /* its file, */
    const char *file;  /* and what is in it */
    size_t bytes;
} rfi_symbols;

RFI_FN int rfi_symbol_order(const void *x, const void *y) {
    const rfi_symbol *a = x, *b = y;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return strcmp(a->name, b->name);
}

# ifdef __linux__
/* The part of the program's file with this name; nothing, if it is not whole, or compressed. */
RFI_FN const char *rfi_symbols_section(const char *name, size_t *bytes) {
    const char *file = rfi_symbols.file;
    const ElfW(Ehdr) *head = (const void *)file;
    size_t all = *bytes = 0, n;
    if (file) all = rfi_symbols.bytes;
    if (all < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
    n = head->e_shnum;
    if (head->e_shstrndx >= n || head->e_shoff > all) return NULL;
    if (n * sizeof(ElfW(Shdr)) > all - head->e_shoff) return NULL;
    const ElfW(Shdr) *section = (const void *)(file + head->e_shoff);
    for (size_t i = 0; i < n; i++) {
        const ElfW(Shdr) *s = &section[i];
        size_t from = section[head->e_shstrndx].sh_offset + s->sh_name, length = strlen(name) + 1;
        if (from > all || length > all - from || memcmp(file + from, name, length) != 0) continue;
        if (s->sh_offset > all || s->sh_size > all - s->sh_offset) return NULL;
        if (s->sh_flags & SHF_COMPRESSED) return NULL;
        *bytes = s->sh_size;
        return file + s->sh_offset;
    }
    return NULL;
}

RFI_FN void rfi_symbols_read(void) {
    size_t all, room;
    const ElfW(Sym) *from = (const void *)rfi_symbols_section(".symtab", &all);
    const char *names = rfi_symbols_section(".strtab", &room);
    all /= sizeof *from;
    rfi_symbols.symbol =
        from && names ? RFI_REAL(malloc)((all + 1) * sizeof *rfi_symbols.symbol) : NULL;
    if (!rfi_symbols.symbol) return;
    for (size_t k = 0; k < all; k++) {
        unsigned type = from[k].st_info & 15;
        if ((type != STT_FUNC && type != STT_OBJECT) || !from[k].st_size) continue;
        if (!from[k].st_shndx || from[k].st_name >= room) continue;
        const char *name = names + from[k].st_name;
        /* hook/program.h; clang puts it before main's own static objects, too. */
        if (!strncmp(name, "rfi_program_main", 16) && strchr(".", name[16])) name += 12;
        if (type == STT_FUNC && !strncmp(name, "rfi_", 4)) continue; /* most there are */
        if (type == STT_FUNC && !strncmp(name, "rf_mem_", 7)) continue;
        const char *called = rfi_cxx_name(name);
        rfi_symbols.cxx |= called != NULL;
        rfi_symbols.symbol[rfi_symbols.count++] =
            (rfi_symbol){from[k].st_value, from[k].st_size, name, called ? called : name,
                         rfi_cxx_library(called ? called : name)};
    }
    const size_t count = rfi_symbols.count;
    RFI_REAL(qsort)(rfi_symbols.symbol, count, sizeof(rfi_symbol), rfi_symbol_order);
}

RFI_FN uintptr_t rfi_symbols_bias(void) {
    const ElfW(Phdr) *p = (const void *)getauxval(AT_PHDR);
    size_t n = getauxval(AT_PHNUM);
    for (size_t i = 0; p && i < n; i++)
        if (p[i].p_type == PT_PHDR) return (uintptr_t)p - p[i].p_vaddr;
    return 0;
}

RFI_FN int rfi_symbols_library(struct dl_phdr_info *i, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    return strstr(i->dlpi_name, "/libstdc++.so") || strstr(i->dlpi_name, "/libc++.so");
}

RFI_FN void rfi_symbols_open(void) {
    if (rfi_symbols.open) return;
    rfi_symbols.open = true;
    rfi_symbols.bias = rfi_symbols_bias();
    ssize_t n =
        RFI_REAL(readlink)("/proc/self/exe", rfi_symbols.program, sizeof rfi_symbols.program - 1);
    if (n < 0) rfi_symbols.program[0] = 0;
    int fd = RFI_REAL(open)("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (fd < 0) return;
    if (!RFI_REAL(fstat)(fd, &about) && about.st_size > 0) {
        void *file = RFI_REAL(mmap)(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) rfi_symbols.file = file, rfi_symbols.bytes = (size_t)about.st_size;
    }
    RFI_REAL(close)(fd);
    rfi_symbols_read();
    rfi_symbols.apart = rfi_symbols.cxx && dl_iterate_phdr(rfi_symbols_library, NULL);
}
# else
RFI_FN void rfi_symbols_open(void) { rfi_symbols.open = true; }
# endif

/* The symbol that holds an address, NULL if none does. */
RFI_FN const rfi_symbol *rfi_symbol_of(const volatile void *p) {
    uintptr_t at = (uintptr_t)p - rfi_symbols.bias;
    uint32_t low = 0, high = rfi_symbols.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (rfi_symbols.symbol[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return NULL;
    const rfi_symbol *s = &rfi_symbols.symbol[low - 1];
    return at - s->at < s->size ? s : NULL;
}

/* The library that has the code at this distance from the program, and how far it is loaded from
 * there: in 32 bits, as places count.  The program's own file, if none does. */
typedef struct rfi_library {
    const char *file;
    uint32_t distance, from;
} rfi_library;

# ifdef __linux__
RFI_FN int rfi_library_has(struct dl_phdr_info *i, size_t bytes, void *asked) {
    rfi_library *l = asked;
    uint32_t from = (uint32_t)(i->dlpi_addr - rfi_symbols.bias);
    (void)bytes;
    for (size_t k = 0; strchr(i->dlpi_name, '/') && k < i->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &i->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        if (l->distance - from - (uint32_t)p->p_vaddr >= p->p_memsz) continue;
        l->file = i->dlpi_name, l->from = from;
        return 1;
    }
    return 0;
}
# endif

RFI_FN rfi_library rfi_library_of(uint32_t distance) {
    rfi_library l = {rfi_symbols.program, distance, 0};
# ifdef __linux__
    if (!rfi_symbol_of((const char *)rfi_symbols.bias + distance))
        (void)dl_iterate_phdr(rfi_library_has, &l);
# endif
    return l;
}

/* Is it somewhere in the program's code or static memory?  In no time, unlike which symbol has it.
 */
RFI_INLINE bool rfi_symbols_span(const volatile void *p) {
    if (!rfi_symbols.count) return false;
    const rfi_symbol *first = rfi_symbols.symbol, *last = first + rfi_symbols.count - 1;
    return (uintptr_t)p - rfi_symbols.bias - first->at < last->at - first->at + last->size;
}
#endif
#endif

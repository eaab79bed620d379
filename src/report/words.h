/* report/words.h: texts that all report formats share.
 *
 * Names of threads, objects and places, values, one event in a few words, the verdict of a finding,
 * and the line that replays it.  Nothing here shows an address as the identity of a thing: memory
 * goes by the expression that was written, blocks of the heap by their number.
 */
#ifndef RFI_REPORT_WORDS_H
#define RFI_REPORT_WORDS_H
#include "campaign/result.h"
#include "engine/callers.h"
#include "engine/object.h"
#include "report/terminal.h"

#ifdef RFI_IMPL
/* ---- the line to paste ---- */

RFI_VAR const char *rfi_program = "./test";      /* as a shell would take it, with its arguments */
RFI_VAR const char *rfi_program_called = "test"; /* without a folder */

RFI_VAR const char *rfi_program_arguments = ""; /* of its own: " -- 7 'a b'" */

/* Writes a word so that a shell takes it as it is; at most 4 bytes for one, and 3.  The end. */
RFI_FN char *rfi_shell_word(char *p, const char *word) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+:@%,=-";
    if (*word && !word[strspn(word, plain)]) return p + sprintf(p, "%s", word);
    *p++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            p += sprintf(p, "'\\''");
        else
            *p++ = *word;
    }
    memcpy(p, "'", 2);
    return p + 1;
}

# ifdef __linux__
/* Was this library found by the variable with these folders? */
RFI_FN int rfi_library_is_led(struct dl_phdr_info *i, size_t bytes, void *folders) {
    const char *end = strrchr(i->dlpi_name, '/'), *p = folders;
    size_t n = end ? (size_t)(end - i->dlpi_name) : 0;
    (void)bytes;
    for (size_t here; n; p += here + 1) {
        here = strcspn(p, ":");
        if (here == n && !memcmp(p, i->dlpi_name, n)) return 1;
        if (!p[here]) break;
    }
    return 0;
}

/* Then that is a part of the line: libtool's scripts set it for a program that they start. */
RFI_FN char *rfi_library_path(void) {
    char *led = getenv("LD_LIBRARY_PATH");
    return led && dl_iterate_phdr(rfi_library_is_led, led) ? led : NULL;
}
# else
#  define rfi_library_path() ((char *)NULL)
# endif

/* Remembers how the program was started. */
RFI_FN void rfi_report_program(const char *argv0) {
    static char *made;
    if (!argv0 || !*argv0) return;
    const char *led = rfi_library_path();
    RFI_REAL(free)(made);
    made = RFI_REAL(malloc)((led ? strlen(led) * 4 : 0) + strlen(argv0) * 4 + 32 +
                            strlen(rfi_program_arguments));
    if (!made) rfi_die("out of memory (name of the program)");
    char *p = made;
    if (led) p = rfi_shell_word(p + sprintf(p, "LD_LIBRARY_PATH="), led), *p++ = ' ';
    strcpy(rfi_shell_word(p, argv0), rfi_program_arguments);
    rfi_program = made;
    rfi_program_called = rfi_basename(argv0);
}

/* The same of the arguments that are not for us; before rfi_report_program. */
RFI_FN void rfi_report_arguments(int argc, char **argv) {
    size_t bytes = 4;
    for (int i = 1; i < argc; i++) bytes += strlen(argv[i]) * 4 + 4;
    if (argc < 2) return;
    char *q = RFI_REAL(malloc)(bytes), *p = q;
    if (!q) rfi_die("out of memory (arguments of the program)");
    p += sprintf(p, " --");
    for (int i = 1; i < argc; i++) {
        *p++ = ' ';
        p = rfi_shell_word(p, argv[i]);
    }
    rfi_program_arguments = q;
}

/* ---- names ---- */

/* What runs in the first thread. */
RFI_VAR const char *rfi_first_called = "test body";

/* "T2 reader": the name it was given, or the function it runs. */
RFI_FN void rfi_say_thread(rfi_line *l, const rfi_record *r, uint32_t thread) {
    const rfi_thread_name *of = r && thread < RFI_RECORD_THREADS ? &r->thread[thread] : NULL;
    const rf_site *made = of ? of->created : NULL;
    if (of && of->own[0])
        rfi_line_add(l, "T%u %s", thread, of->own);
    else if (thread == 0)
        rfi_line_add(l, "T0 %s", rfi_first_called);
    else if (of && of->function)
        rfi_line_add(l, "T%u %s", thread, of->function);
    else if (made && made->text[0])
        rfi_line_add(l, "T%u %s", thread, rfi_expression(made));
    else
        rfi_line_add(l, "T%u", thread);
}

RFI_FN void rfi_say_object(rfi_line *l, const rfi_record *r, uint32_t number) {
    uint32_t known = r->objects < RFI_RECORD_OBJECTS ? r->objects : RFI_RECORD_OBJECTS;
    char name[RFI_NAME_BYTES + 16];
    if (number == 0 || number > known)
        rfi_line_add(l, "object#%u", number);
    else
        rfi_line_add(l, "%s", rfi_object_name_in(r->object, known, number, name, sizeof name));
}

/* "bank.c:41" */
RFI_FN void rfi_say_place(rfi_line *l, const rf_site *s) {
    if (s) rfi_line_add(l, "%s", RFI_AT(s));
}

/* "transfer()", "test NAME" */
/* The test's name, if that is where it is. */
RFI_FN const char *rfi_test_body(rfi_where p) {
    static const char body[] = "rf_test_"; /* what RF_TEST puts before the name */
    size_t n = sizeof body - 1;
    return strncmp(p.function, body, n) ? NULL : p.function + n;
}

RFI_FN void rfi_say_function(rfi_line *l, rfi_where p) {
    const char *test = rfi_test_body(p);
    if (test)
        rfi_line_add(l, "test %s", test);
    else
        rfi_line_add(l, "%s()", p.function);
}

/* "src/bank.c:41 in transfer()", "... in test NAME"; the file as the compiler was given it, so that
 * editors find it. */
RFI_FN void rfi_say_site(rfi_line *l, const rf_site *s) {
    rfi_where p = rfi_site_where(s);
    if (!s) {
        rfi_line_add(l, "an unknown place");
        return;
    }
    rfi_line_add(l, "%s in ", rfi_where_at(p, p.file).s);
    rfi_say_function(l, p);
}

/* The code that made event `number`, NULL if that is not known. */
RFI_FN rfi_code_place *rfi_event_code(const rfi_record *r, uint64_t number) {
    const rf_site *s = r->event[number % RFI_RECORD_EVENTS].site;
    const void *pc = r->callers[number % RFI_RECORD_EVENTS].pc[0];
    if (!r->chained || !pc || !s) return NULL;
    if (s->file[0]) s = rfi_code_at(pc, RF_SITE_OTHER); /* a macro's */
    rfi_site_where(s);
    return rfi_code_place_of(s);
}

/* Who has led to event `number`: the next of the functions behind *k, "drain()"; "": there is no
 * more.  The one that the event's place names is left out; those that were inlined there come
 * before those on the stack. */
RFI_FN rfi_line rfi_caller(const rfi_record *r, uint64_t number, unsigned *k) {
    static const char body[] = "rf_test_";
    const rfi_callers *c = &r->callers[number % RFI_RECORD_EVENTS];
    const rfi_code_place *code = rfi_event_code(r, number);
    const char *here = rfi_site_where(r->event[number % RFI_RECORD_EVENTS].site).function;
    unsigned inlined = 0;
    rfi_line l = {0};
    for (const char *s = code ? code->through : ""; *s; s += strcspn(s, " ")) {
        int n = (int)strcspn(++s, " ");
        if (inlined++ < *k) continue;
        rfi_line_add(&l, "%.*s()", n, s);
        ++*k;
        return l;
    }
    for (; code && !l.bytes && *k - inlined < RFI_CALLERS && c->pc[*k - inlined]; ++*k) {
        const rfi_symbol *in = rfi_symbol_of((const char *)c->pc[*k - inlined] - 1);
        size_t n = in ? strcspn(in->called, ".") : 0; /* copies of one function: f.part.0 */
        if (!n || (*k == inlined && strlen(here) == n && !memcmp(here, in->called, n))) continue;
        if (!strncmp(in->name, body, sizeof body - 1))
            rfi_line_add(&l, "test %s", in->name + sizeof body - 1);
        else
            rfi_line_add(&l, "%.*s()", (int)n, in->called);
    }
    return l;
}

RFI_FN bool rfi_is_header(const char *file) {
    const char *dot = strrchr(file, '.');
    return dot && (dot[1] == 'h' || !strncmp(dot, ".in", 3)); /* .h, .hpp, .inc, .inl */
}

/* "ring.c:40": who called the helper that event `number` is in, if its place alone does not tell:
 * the line of the next file out, where the helper is a header's; else that of the caller, if it has
 * several. */
RFI_FN rfi_line rfi_event_from(const rfi_record *r, uint64_t number) {
    const rf_site *s = r->event[number % RFI_RECORD_EVENTS].site;
    const rfi_callers *c = &r->callers[number % RFI_RECORD_EVENTS];
    const rfi_code_place *code = r->hooked ? rfi_event_code(r, number) : NULL;
    rfi_line l = {0};
    if (!code) return l;
    const char *here = rfi_site_where(s).file;
    bool header = rfi_is_header(here);
    if (code->outer[0] && header) rfi_line_add(&l, "%s", code->outer);
    if (code->outer[0] || !(header || r->caller[rfi_callers_slot(s)] == RFI_SEVERAL)) return l;
    for (unsigned k = 1; k < RFI_CALLERS && c->pc[k]; k++) {
        rfi_where w = rfi_site_where(rfi_code_at(c->pc[k], RF_SITE_OTHER));
        if (!w.line) return l;
        if (header && !strcmp(rfi_basename(w.file), rfi_basename(here))) continue;
        rfi_line_add(&l, "%s:%u", rfi_basename(w.file), w.line);
        return l;
    }
    return l;
}

RFI_FN void rfi_say_from(rfi_line *l, const rfi_record *r, uint64_t number) {
    rfi_line from = rfi_event_from(r, number);
    if (from.bytes) rfi_line_add(l, ", from %s", from.s);
}

/* "ring+64", "block 3+8": the memory of an access by code as it is, which its statement does not
 * name; its own stack is not worth a word. */
RFI_FN rfi_line rfi_memory_of(const rfi_record *r, const rf_event *e) {
    rfi_line l = {0};
    bool kept = r && e >= r->event && e < r->event + RFI_RECORD_EVENTS;
    if (!kept || !r->hooked || !(e->flags & (RF_EV_READS | RF_EV_WRITES))) return l;
    rfi_within in = r->within[e - r->event];
    const rfi_symbol *symbol = in.block ? NULL : rfi_symbol_of(e->addr);
    if (in.block == RFI_ON_STACK && in.offset != e->thread)
        rfi_line_add(&l, "T%u's stack", in.offset);
    if (in.block && in.block != RFI_ON_STACK) rfi_line_add(&l, "block %u+%u", in.block, in.offset);
    if (!symbol) return l;
    unsigned offset = (unsigned)((uintptr_t)e->addr - rfi_symbols.bias - symbol->at);
    const char *name = symbol->called;
    if (rfi_on_descriptor(e->flags)) {
        rfi_line_add(&l, "descriptor %u", offset / (unsigned)e->size);
        return l;
    }
    size_t n = strcspn(name, "."); /* compilers call a part of `ring` ring.0 */
    for (const char *text = rfi_expression(e->site), *s = text; *s; s++) {
        if (strncmp(s, name, n) != 0 || (s > text && rfi_is_word(s[-1]))) continue;
        if (!rfi_is_word(s[n]) && (!offset || s[n] == '.')) return l;
    }
    rfi_line_add(&l, "%s", name);
    if (offset) rfi_line_add(&l, "+%u", offset);
    return l;
}

/* ", called by refill(), drain()" */
RFI_FN void rfi_say_callers(rfi_line *l, const rfi_record *r, uint64_t number) {
    const char *between = ", called by ";
    rfi_line name;
    for (unsigned k = 0; (name = rfi_caller(r, number, &k)).bytes; between = ", ")
        rfi_line_add(l, "%s%s", between, name.s);
}

/* The event in which a thread was created; RFI_RECORD_EVENTS: it is not kept. */
RFI_FN uint64_t rfi_creation(const rfi_record *r, uint32_t thread) {
    uint64_t kept = r->events < RFI_RECORD_EVENTS ? r->events : RFI_RECORD_EVENTS, i = 0;
    while (i < kept && (r->event[i].kind != RF_EV_CREATE || r->event[i].other != thread)) i++;
    return i < kept ? i : RFI_RECORD_EVENTS;
}

/* " (created at pool.c:12 in start(), called by main())"; the test's body goes without saying. */
RFI_FN void rfi_say_created(rfi_line *l, const rfi_record *r, uint32_t thread) {
    const rf_site *made = thread < RFI_RECORD_THREADS ? r->thread[thread].created : NULL;
    uint64_t number = rfi_creation(r, thread);
    if (!made) return;
    rfi_line_add(l, " (created at ");
    rfi_say_place(l, made);
    if (!rfi_test_body(rfi_site_where(made)))
        rfi_line_add(l, " in %s()", rfi_site_where(made).function);
    if (number < RFI_RECORD_EVENTS) rfi_say_callers(l, r, number);
    rfi_line_add(l, ")");
}

/* An atomic object was changed by an operator, or by code that was not converted. */
RFI_FN void rfi_say_unannounced(rfi_line *l, const rf_site *s) {
    rfi_line_add(l, "memory of `%s` (", rfi_expression(s));
    rfi_say_place(l, s);
    rfi_line_add(l, ") changed by no atomic operation that racefuzz sees: by a plain write, an "
                    "operator on an _Atomic object, or code without its hooks");
}

/* "race, deadlock": kinds of RF_EXPECT_*. */
RFI_FN void rfi_say_kinds(rfi_line *l, unsigned kinds) {
    static const char *const words[] = {"race",     "failure",   "deadlock",
                                        "livelock", "atomicity", "crash"};
    const char *between = "";
    for (unsigned i = 0; i < 6; i++) {
        if (!(kinds >> i & 1)) continue;
        rfi_line_add(l, "%s%s", between, words[i]);
        between = ", ";
    }
}

/* ---- values and events ---- */

/* Decimal while it is a plausible number, signed or not: the type is not known here.  Large ones
 * (pointers, floating point, bytes above 127) in hexadecimal; structs by their size. */
RFI_FN void rfi_say_value(rfi_line *l, uint64_t value, size_t size) {
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        rfi_line_add(l, "(%zu bytes)", size);
        return;
    }
    unsigned unused = 64 - 8 * (unsigned)size;
    int64_t number = (int64_t)(value << unused) / (INT64_C(1) << unused); /* sign-extended */
    int64_t least = size == 1 ? 0 : size == 2 ? -1000 : -1000000;
    if (number >= least && number <= UINT32_MAX)
        rfi_line_add(l, "%lld", (long long)number);
    else
        rfi_line_add(l, "0x%llx", (unsigned long long)value);
}

/* "T1 wrote 1 at ring.c:31": the newest write, which the read did not return. */
RFI_FN void rfi_say_newest(rfi_line *l, const rf_event *e) {
    rfi_line_add(l, "T%u wrote", e->origin->newest_thread);
    if (e->flags & RF_EV_ATOMIC || e->size <= 4) { /* else it is the value of a part */
        rfi_line_add(l, " ");
        rfi_say_value(l, e->origin->newest_value, e->size);
    }
    if (!e->origin->newest_site) return;
    rfi_line_add(l, " at ");
    rfi_say_place(l, e->origin->newest_site);
}

/* What is strange about the value of a read. */
RFI_FN void rfi_say_strange(rfi_line *l, const char *before, const rf_event *e) {
    rfi_line_add(l, "%s%s", before, e->flags & RF_EV_TORN ? "torn" : "stale");
    if (e->flags & RF_EV_TORN || e->origin->newest_thread == RFI_NO_THREAD) return;
    rfi_line_add(l, ": ");
    rfi_say_newest(l, e);
}

/* " (4 bytes at ring+64)", " (descriptor 7)" */
RFI_FN void rfi_say_bytes(rfi_line *l, const rfi_record *r, const rf_event *e) {
    rfi_line at = rfi_memory_of(r, e);
    if (rfi_on_descriptor(e->flags)) {
        if (at.bytes) rfi_line_add(l, " (%s)", at.s);
        return;
    }
    rfi_line_add(l, " (%zu byte%s%s%s)", e->size, e->size == 1 ? "" : "s", at.bytes ? " at " : "",
                 at.s);
}

/* "x -> 1" reads 1, "x = 1" writes it, "x: 1 -> 2" does both. */
RFI_FN void rfi_say_access(rfi_line *l, const rfi_record *r, const rf_event *e) {
    const char *x = rfi_expression(e->site);
    bool writes = e->flags & RF_EV_WRITES, reads = e->flags & RF_EV_READS;
    bool strange = e->flags & (RF_EV_STALE | RF_EV_TORN);
    if (rfi_ends_frame(e->flags)) {
        rfi_line_add(l, "ends variables of %s()", rfi_site_where(e->site).function);
        rfi_say_bytes(l, r, e);
    } else if (e->kind == RF_EV_FREE) {
        rfi_line_add(l, "frees %s", x);
        rfi_say_bytes(l, r, e);
    } else if (e->flags & RF_EV_RANGE && !strange) {
        rfi_line_add(l, "%s %s",
                     rfi_on_descriptor(e->flags) ? rfi_access_word(e->flags)
                     : writes                    ? "writes"
                                                 : "reads",
                     x);
        rfi_say_bytes(l, r, e);
        return;
    } else {
        rfi_line_add(l, "%s%s", x, reads && writes ? ": " : writes ? " = " : " -> ");
        rfi_say_value(l, e->value, e->size);
        if (reads && writes) rfi_line_add(l, " -> "), rfi_say_value(l, e->value2, e->size);
    }
    if (e->flags & RF_EV_HARMLESS) rfi_line_add(l, ", exchange fails");
    const char *kind = e->flags & RF_EV_ATOMIC ? rfi_order_word(e->order)
                       : e->flags & RF_EV_RACY ? "racy"
                                               : "";
    rfi_line at = rfi_memory_of(r, e);
    if (!*kind && !strange && !at.bytes) return;
    rfi_line_add(l, at.bytes ? " (at %s%s%s" : " (%s%s%s", at.s, at.bytes && *kind ? ", " : "",
                 kind);
    if (strange) rfi_say_strange(l, *kind || at.bytes ? ", " : "", e);
    rfi_line_add(l, ")");
}

/* Operations on one synchronisation object. */
RFI_FN void rfi_say_operation(rfi_line *l, const rfi_record *r, const rf_event *e) {
    static const char *const woken[] = {"woken on", "times out on", "spurious wake-up on"};
    const char *word = rfi_event_word(e->kind), *after = "";
    if (e->kind == RF_EV_LOCK && e->flags & RF_EV_TRY) word = "trylock";
    if (e->kind == RF_EV_TRYFAIL && e->flags & RF_EV_TIMED) word = "times out on";
    if (e->kind == RF_EV_WAKE || e->kind == RF_EV_PARK) word = woken[e->value % 3];
    if (e->kind == RF_EV_ARRIVE) word = "arrives at";
    if (e->kind == RF_EV_DEPART) word = "goes on from";
    if (e->flags & RF_EV_SHARED) after = " (shared)";
    if (e->kind == RF_EV_TRYFAIL && !(e->flags & RF_EV_TIMED)) word = "try", after = ": not free";
    rfi_line_add(l, "%s ", word);
    rfi_say_object(l, r, e->object);
    rfi_line_add(l, "%s", after);
}

/* A futex operation looks at its word. */
RFI_FN void rfi_say_look(rfi_line *l, const rfi_record *r, const rf_event *e) {
    rfi_line_add(l, "wait while ");
    rfi_say_object(l, r, e->object);
    rfi_line_add(l, " == ");
    rfi_say_value(l, e->value2, e->size);
    if (e->value == e->value2) return;
    rfi_line_add(l, ": it is ");
    rfi_say_value(l, e->value, e->size);
}

RFI_FN void rfi_say_unpark(rfi_line *l, const rfi_record *r, const rf_event *e) {
    unsigned long long woken = e->value, moved = e->value2;
    rfi_say_operation(l, r, e);
    if (!woken) rfi_line_add(l, ": nobody");
    if (woken) rfi_line_add(l, ": %llu thread%s", woken, woken == 1 ? "" : "s");
    if (!moved) return;
    rfi_line_add(l, ", %llu go%s on to wait on ", moved, moved == 1 ? "es" : "");
    rfi_say_object(l, r, e->other);
}

/* One event in a few words. */
RFI_FN void rfi_say_event(rfi_line *l, const rfi_record *r, const rf_event *e) {
    const char *word = rfi_event_word(e->kind);
    unsigned long long value = e->value;
    switch (e->kind) {
    case RF_EV_LOAD:
        if (e->object) {
            rfi_say_look(l, r, e);
            break;
        }
        /* fall through */
    case RF_EV_STORE:
    case RF_EV_RMW: rfi_say_access(l, r, e); break;
    case RF_EV_UNPARK: rfi_say_unpark(l, r, e); break;
    case RF_EV_FENCE: rfi_line_add(l, "fence (%s)", rfi_order_word(e->order)); break;
    case RF_EV_WAIT:
        rfi_say_operation(l, r, e);
        rfi_line_add(l, ", unlocks ");
        rfi_say_object(l, r, e->other);
        break;
    case RF_EV_NOTIFY: rfi_line_add(l, "wakes T%u", e->other); break;
    case RF_EV_CREATE:
    case RF_EV_JOIN:
    case RF_EV_DETACH: rfi_line_add(l, "%s T%u", word, e->other); break;
    case RF_EV_END: rfi_line_add(l, "%s the program", word); break;
    case RF_EV_YIELD: rfi_line_add(l, "%s", value ? "looks again" : word); break;
    case RF_EV_SLEEP: rfi_line_add(l, "sleep %llu ms", value); break;
    case RF_EV_CALL:
        if (e->text)
            rfi_line_add(l, "%s %s()", word, e->text);
        else
            rfi_line_add(l, "goes on");
        break;
    case RF_EV_CHOOSE:
        rfi_line_add(l, "choose %llu of 0..%llu", value, (unsigned long long)e->value2 - 1);
        break;
    case RF_EV_ALLOC:
    case RF_EV_FREE:
        if (rfi_ends_frame(e->flags)) {
            rfi_say_access(l, r, e);
            break;
        }
        rfi_line_add(l, "%s block %u (%zu bytes)", word, e->object, e->size);
        if (e->kind == RF_EV_ALLOC && e->value2)
            rfi_line_add(l, " where block %u was", (uint32_t)e->value2);
        break;
    case RF_EV_ENTER:
    case RF_EV_LEAVE: rfi_line_add(l, "%s %s()", word, rfi_site_where(e->site).function); break;
    case RF_EV_LOG: rfi_line_add(l, "log: %s", e->text ? e->text : ""); break;
    case RF_EV_BREAK: rfi_line_add(l, "%s %s", word, e->text); break;
    case RF_EV_CLAIM:
    case RF_EV_CLAIM_END: rfi_line_add(l, "%s %s", word, rfi_expression(e->site)); break;
    case RF_EV_RECYCLE: rfi_line_add(l, "reuses stack memory (%zu bytes)", e->size); break;
    default:
        if (e->object)
            rfi_say_operation(l, r, e);
        else
            rfi_line_add(l, "%s", word);
    }
    if (e >= r->event && e < r->event + RFI_RECORD_EVENTS)
        rfi_say_from(l, r, (uint64_t)(e - r->event));
}

/* ---- findings ---- */

/* "race: real, harmful" or the words of the failure. */
RFI_FN void rfi_say_verdict(rfi_line *l, const rfi_finding *f) {
    static const char *const verdicts[] = {"potential", "real", "real, destructive",
                                           "real, harmful"};
    static const char *const points[] = {"never hit", "hit", "hit", "hit, harmful"};
    const char *failure = f->failure ? rfi_diagnostic(f->failure->failure.diagnostic)->words : "";
    bool point = f->warning && !rfi_family(f->warning->family)->kind;
    if (f->warning)
        rfi_line_add(l, "%s: %s", rfi_warning_words(f->warning),
                     (point ? points : verdicts)[f->verdict]);
    else
        rfi_line_add(l, "%s", failure);
}

RFI_FN double rfi_root(double x) { /* Newton's method; no libm for one square root */
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 64; i++) r = (r + x / r) / 2;
    return r;
}

/* The 95 % interval of a probability from k hits in n trials (E. B. Wilson, JASA 22, 1927). */
RFI_FN void rfi_wilson(uint64_t k, uint64_t n, double *low, double *high) {
    double trials = (double)n, p = n ? (double)k / trials : 0, z = 1.959963984540054;
    if (n == 0) {
        *low = 0, *high = 1;
        return;
    }
    double scale = 1 + z * z / trials, middle = p + z * z / (2 * trials);
    double half = z * rfi_root(p * (1 - p) / trials + z * z / (4 * trials * trials));
    *low = k == 0 ? 0 : (middle - half) / scale;
    *high = k == n ? 1 : (middle + half) / scale;
}

/* "0.412 (95 %: 0.382-0.443)", the interval of confidence behind the probability */
RFI_FN void rfi_say_probability(rfi_line *l, uint64_t k, uint64_t n) {
    double low, high;
    rfi_wilson(k, n, &low, &high);
    rfi_line_add(l, "%.3f (95 %%: %.3f-%.3f)", n ? (double)k / (double)n : 0, low, high);
}

/* ---- what became of executions that did not end ---- */

/* Workers that somebody has killed; nothing, if nobody has. */
RFI_FN void rfi_say_killed(rfi_line *l, const rfi_losses *x) {
    if (x->killed)
        rfi_line_add(l, "%u worker%s killed, not by the test (%s); what they did was done again",
                     x->killed, x->killed == 1 ? " was" : "s were", x->how);
}

/* Executions that were cut off when time was up; nothing, if none was. */
RFI_FN void rfi_say_unfinished(rfi_line *l, const rfi_cuts *x) {
    if (!x->executions) return;
    rfi_line_add(l, "%llu execution%s not ended after %llu steps, and threads made progress: more ",
                 (unsigned long long)x->executions, x->executions == 1 ? " had" : "s had",
                 (unsigned long long)x->steps);
    rfi_line_add(l, "steps (--steps=%llu), a smaller input, or less instrumentation",
                 (unsigned long long)x->steps * 10);
}

RFI_FN void rfi_say_cuts(rfi_line *l, const rfi_cuts *x) {
    if (!x->executions) return;
    rfi_line_add(l, "%llu execution%s cut off when time was up", (unsigned long long)x->executions,
                 x->executions == 1 ? " was" : "s were");
    rfi_line_add(l, x->executions == 1 ? ", after " : ", one after ");
    rfi_line_add(l, "%llu step%s", (unsigned long long)x->steps, x->steps == 1 ? "" : "s");
    if (x->site) rfi_line_add(l, ", T%u at ", x->thread);
    if (x->site) rfi_say_place(l, x->site);
}
#endif
#endif

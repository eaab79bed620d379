/* hook/program.h: RF_PROGRAM makes a whole program a test (docs/unedited.md).
 *
 *     cc -g -pthread -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM -DRF_IMPLEMENTATION prog.c
 *     ./a.out [options of racefuzz] [-- arguments of the program]
 *
 * The program's main becomes the body of a test called `program`.  Each execution has a process of
 * its own, so it finds all objects as a program does at its start.  It ends when main has returned,
 * or exit was called, and the other threads have done what they can; a status other than 0 is a
 * failure.  What it gave to atexit is run, in the execution, and so are its destructors; what
 * on_exit has is not.
 *
 * A program whose objects are there already is linked with the flags that `make wrap-flags` prints
 * (wrap_flags of racefuzz.pc) and with a unit that has RF_PROGRAM and RF_IMPLEMENTATION.  Its main
 * keeps its name, the C library starts __wrap_main.
 */
#ifndef RFI_HOOK_PROGRAM_H
#define RFI_HOOK_PROGRAM_H
#include "api/explore.h"
#include "hook/children.h"
#include "hook/spaces.h"
#include "hook/system.h"
#include "hook/threads.h"

#if defined RF_PROGRAM && !defined RF_OFF && !defined __cplusplus
# define RFI_ASM_NAME(name)  RFI_ASM_NAME_(__USER_LABEL_PREFIX__, name)
# define RFI_ASM_NAME_(p, n) RFI_TEXT(p) n

/* By another symbol, but to the compiler still main: it may end without a return.  gcc has to know
 * its type for that (RF_VOID_MAIN: it returns nothing). */
# ifdef __clang__
_Pragma(RFI_TEXT(redefine_extname main rfi_program_main))
# else
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wstrict-prototypes"
#  pragma GCC diagnostic ignored "-Wmain"
#  ifdef RF_VOID_MAIN
void main() __asm__(RFI_ASM_NAME("rfi_program_main"));
#  else
int main() __asm__(RFI_ASM_NAME("rfi_program_main"));
#  endif
#  pragma GCC diagnostic pop
# endif

# ifdef RF_VOID_MAIN
    char rfi_program_void __attribute__((weak));
# else
extern char rfi_program_void __attribute__((weak));
# endif

# ifdef RFI_IMPL
#  include <assert.h>

#  ifdef __ELF__
#   define RFI_WEAK __attribute__((weak))
#  else
#   define RFI_WEAK
#  endif
/* One of the two is there; ours gives way to a main that was not renamed. */
int rfi_program_main(int argc, char **argv,
                     char **variables) __asm__(RFI_ASM_NAME("rfi_program_main")) RFI_WEAK;
int rfi_program_start(int argc, char **argv) __asm__(RFI_ASM_NAME("main")) RFI_WEAK;

typedef struct rfi_program_handler {
    void (*fn)(void); /* NULL: it destroys an object (C++) */
    rfi_hook_object of;
    bool quick;
} rfi_program_handler;

RFI_VAR struct {
    int argc;
    char **argv;
    pid_t process;  /* of the execution */
    char *told;     /* what programs that it starts hear of it (hook/spaces.h) */
    bool destroyed; /* its destructors have run, in this process */
    rfi_program_handler *handler;
    uint32_t handlers, capacity;
    uint32_t early; /* handlers that were there before main */
    volatile struct {
        bool ended, acts;
        rfi_hook_slow slow;
    } * saw; /* some execution; shared by all processes */
} rfi_program_own;

/* What Linux gives a thread that asks for nothing; pages that it does not touch cost nothing. */
#  define RFI_PROGRAM_STACK ((size_t)8 << 20)

/* In an execution, and not in a child that the program has forked. */
RFI_FN bool rfi_program_runs(void) {
    return rfi.current && rfi_process() == rfi_program_own.process;
}

/* ---- its end: the other threads go with it ---- */

#  ifdef __ELF__
typedef void (*rfi_program_destructor)(void);
extern const rfi_program_destructor __fini_array_start[]
    __attribute__((weak, visibility("hidden")));
extern const rfi_program_destructor __fini_array_end[] __attribute__((weak, visibility("hidden")));

/* A destructor of the program, in the linker's list; NULL: it came with the compiler. */
RFI_FN rfi_program_destructor rfi_program_destructor_at(ptrdiff_t i) {
    const rfi_symbol *of = rfi_symbol_of((const void *)(uintptr_t)__fini_array_start[i]);
    bool own = of && of->name[0] != '_' && !strchr(of->name, '.');
    return own ? __fini_array_start[i] : NULL;
}

/* Runs the destructors, the last ones first, or only looks whether there is one. */
RFI_FN bool rfi_program_destroys(bool run) {
    bool any = false;
    for (ptrdiff_t i = __fini_array_end - __fini_array_start; i--;) {
        rfi_program_destructor fn = rfi_program_destructor_at(i);
        any |= fn != NULL;
        if (!fn || !run) continue;
        rfi_program_own.destroyed = true;
        fn();
    }
    return any;
}
#  else
RFI_FN bool rfi_program_destroys(bool run) { return (void)run, false; }
#  endif

RFI_FN bool rfi_program_handles(bool quick) {
    for (uint32_t i = 0; i < rfi_program_own.handlers; i++)
        if (rfi_program_own.handler[i].quick == quick) return true;
    return !quick && rfi_program_destroys(false);
}

/* Other threads may do something before. */
RFI_FN void rfi_program_step(const rf_site *s) {
    if (rfi.run.live == rfi.run.sources + 1) return;
    rf_event *e = rfi_announce(rfi.current, RF_EV_END, s);
    rfi_schedule(rfi.current);
    rfi_executed(e);
}

/* The last ones first; they may add others. */
RFI_FN void rfi_program_handlers(const void *pc, bool quick) {
    uint32_t n;
    bool runs = rfi_program_runs();
    rfi_hook_thread *self = rfi.current && !quick ? rfi_hook_self() : NULL;
    if (runs && (rfi_program_handles(quick) || (self && self->local)))
        rfi_program_step(rfi_code_at(pc, RF_SITE_OTHER));
    if (self) rfi_hook_locals_destroy(self);
    while ((n = rfi_program_own.handlers)) {
        rfi_program_handler h = rfi_program_own.handler[n - 1];
        rfi_program_own.handlers--;
        if (h.quick != quick) continue;
        if (h.fn)
            h.fn();
        else
            rfi_hook_destroy(&h.of);
    }
    if (runs && !quick) (void)rfi_program_destroys(true);
}

RFI_FN RFI_NORETURN void rfi_program_end(const char *how, const void *pc, int status) {
    const rf_site *here = pc ? rfi_code_at(pc, RF_SITE_OTHER) : NULL;
    rfi_hook_flush();
    rfi_program_own.saw->ended = true;
    if (rfi.run.looks) rfi.run.looks();
    if (rfi.run.threads > 1 || rfi.run.steps || rfi.run.objects) rfi_program_own.saw->acts = true;
    bool fails = !(rfi_success.bit[(status & 255) / 64] >> (status & 63) & 1);
    if (fails)
        rfi_program_step(here); /* that alone is a failure: others need not go on */
    else
        rfi_end_here(here);
    rfi_hook_flush();
    rfi_heap_reds();
    if (fails) rfi_fail(RF_DIAG_STATUS, here, "%s %d", how, status & 255);
    rfi_go_home();
}

RFI_NORETURN void __wrap_exit(int status);
void __wrap_exit(int status) {
    const void *pc = __builtin_return_address(0);
    if (rfi_program_runs()) rfi_unsafe(rfi_code_at(pc, RF_SITE_OTHER), "exit");
    rfi_program_handlers(pc, false);
    if (!rfi_program_runs()) {
        RFI_REAL(exit)(status);
        __builtin_unreachable();
    }
    rfi_program_end("exit was called with status", pc, status);
}

RFI_NORETURN void __wrap_quick_exit(int status);
void __wrap_quick_exit(int status) {
    const void *pc = __builtin_return_address(0);
    rfi_program_handlers(pc, true);
    if (!rfi_program_runs()) RFI_REAL(quick_exit)(status);
    rfi_program_end("quick_exit was called with status", pc, status);
}

RFI_NORETURN void __wrap__exit(int status);
void __wrap__exit(int status) {
    const void *pc = __builtin_return_address(0);
    if (!rfi_program_runs()) rfi_quit(status);
    rfi_program_end("_exit was called with status", pc, status);
}

RFI_NORETURN void __wrap__Exit(int status);
void __wrap__Exit(int status) {
    const void *pc = __builtin_return_address(0);
    if (!rfi_program_runs()) rfi_quit(status);
    rfi_program_end("_Exit was called with status", pc, status);
}

/* Their order shows who was first. */
RFI_FN int rfi_program_handle(const rf_site *s, const char *name, rfi_program_handler h) {
    if (rfi.run.live > 1) rfi_call(s, name, &rfi_program_own.handlers, RF_EV_WRITES);
    rfi_program_own.handler =
        rfi_grow(rfi_program_own.handler, &rfi_program_own.capacity, rfi_program_own.handlers + 1,
                 sizeof *rfi_program_own.handler);
    rfi_program_own.handler[rfi_program_own.handlers++] = h;
    return 0;
}

int __wrap_atexit(void (*fn)(void));
int __wrap_atexit(void (*fn)(void)) {
    return rfi_program_handle(RFI_CALLER(), "atexit", (rfi_program_handler){.fn = fn});
}

#  ifdef __ELF__
/* A static object of C++ is there; its atexit comes here, too, and so does the engine's own. */
int __cxa_atexit(void (*destroy)(void *), void *object, void *library);
int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library);
int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library) {
    if (!rfi.current && rfi_program_own.argv)
        return RFI_REAL(__cxa_atexit)(destroy, object, library);
    rfi_program_handler h = {.of = {destroy, object, __builtin_return_address(0)}};
    return rfi_program_handle(RFI_CALLER(), "atexit", h);
}
#  endif

int __wrap_at_quick_exit(void (*fn)(void));
int __wrap_at_quick_exit(void (*fn)(void)) {
    rfi_program_handler h = {.fn = fn, .quick = true};
    return rfi_program_handle(RFI_CALLER(), "at_quick_exit", h);
}

/* glibc's. */
RFI_NORETURN void __wrap___assert_fail(const char *what, const char *file, unsigned line,
                                       const char *function);
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    if (rfi_program_runs())
        rfi_fail(RF_DIAG_ASSERT, RFI_CALLER(), "%s, at %s:%u", what, rfi_basename(file), line);
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, what);
    abort();
}

/* ---- its beginning ---- */

/* Its main has left by pthread_exit, and now all others have ended. */
RFI_FN void rfi_program_last(void) {
    rfi_program_handlers(NULL, false);
    rfi_program_end("", NULL, 0);
}

#  ifdef __ELF__
int __real_main(int argc, char **argv, char **variables) RFI_WEAK;
#  endif

RFI_FN int (*rfi_program_its_main(void))(int, char **, char **) {
    int (*program)(int, char **, char **) = rfi_program_main;
#  ifdef __ELF__
    if (!program) program = __real_main;
    if (!program) rfi_die("the program has no main");
#  endif
    return program;
}

RFI_FN void *rfi_program_run(void *unused) {
    (void)unused;
    int (*program)(int, char **, char **) = rfi_program_its_main();
    const char *start = (const char *)(uintptr_t)program + 1;
    rfi.run.whole = true;
    rfi_hook_create_earlies();
    int status = program(rfi_program_own.argc, rfi_program_own.argv, environ);
    if (&rfi_program_void) status = 0;
    if (!rfi_program_runs()) __wrap_exit(status);
    rfi_program_handlers(start, false);
    rfi_program_end("main returned", start, status);
}

RFI_FN void rfi_program_body(void) {
    static rfi_hook_start start = {.fn = rfi_program_run};
    if (!rfi_forked) rfi_program_own.process = rfi_process();
    rfi_space_tell(rfi_program_own.told);
    rfi_program_own.handlers = rfi_program_own.early;
    rfi.record->hooked = true;
    rfi_hook_last = rfi_program_last;
    rfi.current->result = rfi_hook_run(&start); /* of pthread_exit, for who joins main */
}

/* Before anything of the program runs. */
__attribute__((constructor(101))) RFI_FN void rfi_program_settle(int argc, char **argv) {
    rfi_hook_earlies.main = true;
    rfi_addresses_settle(argc, argv);
}

/* A program under test has started this one, which then is as a child that it has forked: it runs
 * once, with its own streams, arguments and exit status, and nothing looks for failures. */
RFI_FN RFI_NORETURN void rfi_program_inside(const rfi_test *test, char **argv) {
    static rfi_campaign c;
    rfi_job j;
    rfi_plan p;
    if (rfi_settings_read(&c.settings, rfi_names_all(), 1, argv)) rfi_quit(2);
    rfi_input_job(&c, test, &j);
    j.strategy = &rfi_random;
    j.memory.atomics = RF_MEM_SC;
    j.analyses = 0;
    j.spurious = false;
    j.late = 1;
    j.max_steps = UINT64_MAX >> 1;
    rfi_team_open(&c.team, 0);
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    rfi_forked = true;
    rfi_space_hear(&c.team.here->record.leavings, rfi_program_own.told);
    const rfi_record *r = &c.team.here->record;
    rfi_job_run(&j, &p, 0, &c.team.here->record);
    if (r->failure.diagnostic == RF_DIAG_NONE) RFI_REAL(exit)(0); /* main left by pthread_exit */
    fprintf(stderr, "racefuzz: %s, which a program under test has started: %s: %s\n", argv[0],
            rfi_diagnostic(r->failure.diagnostic)->words, r->failure.message);
    rfi_quit(1);
}

/* racefuzz-cc defines it where a unit calls rf_explore. */
extern const char rfi_main_explores RFI_WEAK;

RFI_FN int rfi_program_test(int argc, char **argv) {
    static const char inside[] = "RACEFUZZ_INSIDE";
    static rfi_test test = {.file = "", .body = rfi_program_body};
    if (rfi_tests || &rfi_main_explores) { /* main does that */
        rfi_hook_earlies.main = false;
        return rfi_program_its_main()(argc, argv, environ);
    }
    rfi_program_own.told = getenv(inside);
    bool starts = !rfi_program_own.told;
    int own = starts; /* what is not ours begins with its name */
    while (starts && own < argc && strcmp(argv[own], "--") != 0) own++;
    int count = own < argc ? argc - own : 1;
    char **words = calloc((size_t)count + 1, sizeof *words);
    if (!words) rfi_die("out of memory");
    for (int i = 1; i < count; i++) words[i] = argv[own + i];
    words[0] = argv[0];
    rfi_program_own.argc = count;
    rfi_program_own.argv = words;
    rfi_program_own.early = rfi_program_own.handlers;
    rfi_program_own.saw = rfi_pages(sizeof *rfi_program_own.saw, true);
    rfi_hook_slows = (rfi_hook_slow *)&rfi_program_own.saw->slow;
    test.options =
        (rf_options){.rfi_name = "program", .isolate = true, .stack_size = RFI_PROGRAM_STACK};
    rfi_register(&test);
    if (!starts) rfi_program_inside(&test, argv);
    if (setenv(inside, "0000000000000000", 1)) rfi_die("setenv: %s", strerror(errno));
    rfi_program_own.told = getenv(inside);
    rfi_hook_earlies.main = false;
    if (rfi_hook_earlies.count) rfi_hook_earlies_watch(false);
    rfi_report_arguments(count, words);
    rfi_first_called = "main";
    int status = rf_run(NULL, own, argv);
    if (rfi_program_own.destroyed || rfi_hook_earlies.count) { /* not again, nor outside */
        rfi_hook_flush();
        rfi_quit(status);
    }
    if (rfi_argument_unknown && own == argc)
        fprintf(stderr,
                "racefuzz: what this program itself takes comes after --, as in %s -- %s; builds "
                "that run it\n  set RACEFUZZ_INSIDE=1 (docs/existing-code.md)\n",
                argv[0], argc > 1 ? argv[1] : "...");
    if (status || !rfi_program_own.saw->ended || rfi_program_own.saw->acts) return status;
    fputs("racefuzz: the program did nothing that racefuzz knows of: was each of its files "
          "compiled with -include racefuzz.h -DRF_HOOK_ALL?\n",
          stderr);
    return 2;
}

int rfi_program_start(int argc, char **argv) {
    if (rfi.current) rfi_die("the program has no main");
    return rfi_program_test(argc, argv);
}

int __wrap_main(int argc, char **argv);
int __wrap_main(int argc, char **argv) { return rfi_program_test(argc, argv); }
# endif

/* Of code under test only: the engine's own calls in this unit stand above. */
# define exit          __wrap_exit
# define _exit         __wrap__exit
# define _Exit         __wrap__Exit
# define quick_exit    __wrap_quick_exit
# define atexit        __wrap_atexit /* by name only: part of each program, not of a library */
# define at_quick_exit __wrap_at_quick_exit /* as well */
# define __cxa_atexit  __wrap___cxa_atexit
# define __assert_fail __wrap___assert_fail
#elif defined RFI_IMPL && defined __ELF__
/* Linked with all flags, but no program is a test: these are as they were. */
# define RFI_ENDS(name)                                 \
  void __wrap_##name(int status) __attribute__((weak)); \
  void __wrap_##name(int status) {                      \
   RFI_REAL(name)(status);                              \
   __builtin_unreachable();                             \
  }
RFI_ENDS(exit)
RFI_ENDS(_exit)
RFI_ENDS(_Exit)
RFI_ENDS(quick_exit)
int __cxa_atexit(void (*destroy)(void *), void *object, void *library);
int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library) __attribute__((weak));
int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library) {
    return RFI_REAL(__cxa_atexit)(destroy, object, library);
}
int __real_main(int argc, char **argv) __attribute__((weak));
int __wrap_main(int argc, char **argv) __attribute__((weak));
int __wrap_main(int argc, char **argv) { return __real_main(argc, argv); }
void __real___assert_fail(const char *what, const char *file, unsigned line, const char *function)
    __attribute__((weak));
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
    __attribute__((weak));
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    __real___assert_fail(what, file, line, function);
}
#endif
#endif

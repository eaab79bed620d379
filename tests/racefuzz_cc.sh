#!/bin/sh
# racefuzz-cc in the place of a compiler (src/racefuzz-cc), from where `make install` puts it;
# with LONG=1, as in tests/long/more.sh, with an engine that it compiles itself.
name=racefuzz_cc
. tests/try.sh
as_installed
top=$(pwd)
cd "$work"

cat >visits.h <<'END'
int visits(void);
void visit(void);
END
cat >visits.c <<'END'
#include "visits.h"
static int n;
int visits(void) { return n; }
void visit(void) { n++; }
END
cat >main.c <<'END'
#include "visits.h"
#include <pthread.h>
static void *run(void *arg) {
    visit();
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, run, NULL);
    pthread_create(&u, NULL, run, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return visits() != STARTED;
}
END

# The race is found, and known by its place.
finds_in() { # in visits.$1
    gives 1 "$2.out" "./$2" --executions=50
    says "$2.out" 'race: real, harmful' "visits.$1:4 in visit()"
    lacks "$2.out" 'not watched'
}
finds() { finds_in c "$1"; }

one_command_compiles_and_links() {
    racefuzz-cc -Wall -Wextra -Werror -O2 $(volatiles) -D STARTED=2 main.c visits.c -o one -lm
    finds one
    mkdir -p 'a folder'
    cp visits.[ch] 'a folder'
    racefuzz-cc -I. '-DSTARTED=(1 + 1)' main.c 'a folder/visits.c' -o 'a folder/one'
    mv 'a folder/one' spaces
    finds spaces
    echo 'int main(void) { return 3; }' | RACEFUZZ_CC=none racefuzz-cc "$CC" -x c - -o input
    gives 1 input.out ./input --executions=1
    [ -z "$(ls "$TMPDIR")" ] # nothing of it is left
}

# Tests of one's own call it; main is theirs, and an engine that the unit wants is there already.
tests_of_its_own() {
    echo '#define RF_IMPLEMENTATION' >own.c
    cat >>own.c <<'END'
#include "racefuzz.h"
#include "visits.h"
static void *calls(void *arg) {
    visit();
    return arg;
}
RF_TEST(both_count) {
    int before = visits();
    rf_thread t = RF_THREAD(calls, NULL), u = RF_THREAD(calls, NULL);
    RF_JOIN(t);
    RF_JOIN(u);
    RF_ASSERT_EQ(visits(), before + 2);
}
RF_MAIN()
END
    racefuzz-cc own.c visits.c -o own
    finds own
    says own.out 'racefuzz: 1 test,' '(test both_count)' 'FAIL both_count: ' '0 passed, 1 failed'
    gives 1 again ./own --seed="$(token own.out)"
    says again 'of test both_count'
    sed 's/^RF_TEST.*/static void both_count(void *unused) {/
        s/^RF_MAIN.*/#include <stdio.h>/' own.c >explores.c
    cat >>explores.c <<'END'
int main(void) {
    rf_outcome o = rf_explore("both", both_count, NULL, NULL);
    fputs(o.report, stdout);
    return !rf_outcome_free(&o);
}
END
    racefuzz-cc explores.c visits.c -o explores
    gives 1 explores.out ./explores
    says explores.out 'visits() == before + 2' 'FAIL both: '
}

# Whatever the name of the file, and though a C compiler is asked.
the_language_may_be_said() {
    cp visits.c visits.inc
    { echo '#include <pthread.h>' && echo 'extern "C" {' && cat main.c && echo '}'; } >main.inc
    for as in '-x c' -xc; do
        racefuzz-cc -DSTARTED=2 main.c $as visits.inc -o "said$as"
        finds_in inc "said$as"
        racefuzz-cc -c $as visits.inc -o said.o
        racefuzz-cc -DSTARTED=2 main.c said.o -o "said$as"
        finds_in inc "said$as"
    done
    if ! echo 'int i;' | $CC -x c++ -c - -o c++.o; then return; fi
    for as in '-x c++' -xc++; do
        racefuzz-cc -DSTARTED=2 visits.c $as main.inc -o "said$as"
        finds "said$as"
        racefuzz-cc -DSTARTED=2 $as main.inc -x none visits.c -o "said$as"
        finds "said$as"
        racefuzz-cc -DSTARTED=2 -c $as main.inc -o said.o
        nm said.o | grep -q __tsan_
    done
}

a_makefile_needs_no_edit() {
    cat >Makefile <<'END'
.RECIPEPREFIX = >
CFLAGS = -O2 -g -fPIC -DSTARTED=2
all: static shared
static: main.o libvisits.a
>$(CC) $(LDFLAGS) main.o -L. -l:libvisits.a -o $@
shared: main.o libvisits.so
>$(CC) main.o -L. -lvisits -Wl,-rpath,. -o $@
libvisits.a: visits.o
>ar rcs $@ $^
libvisits.so: visits.o
>$(CC) -shared $^ -o $@
%.o: %.c
>$(CC) $(CFLAGS) -MMD -MF $*.d -c $< -o $@
END
    make -s CC=racefuzz-cc
    grep -q visits.h main.d
    finds static
    finds shared
    lacks shared.out LD_LIBRARY_PATH
    racefuzz-cc main.o -L. -lvisits -o led # as by libtool
    gives 1 led.out env LD_LIBRARY_PATH="/usr:$work" ./led --executions=50
    gives 1 pasted.out sh -c "$(sed -n 's/^ *replay: //p' led.out | head -n 1)"
    says pasted.out 'main returned 1'
    strip -g libvisits.so
    gives 1 stripped.out ./shared --executions=50
    says stripped.out 'libvisits.so+0x' 'libvisits.so 0x'
}

# Whoever calls what nobody watches is not proved; nothing is said of what shares nothing, nor of
# libraries that are watched.
calls_that_nobody_watches_are_named() {
    cat >named.c <<'END'
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
void visit(void);
#ifdef SEARCHES
#include <search.h>
void visit(void) {
    ENTRY e = {"a", NULL};
    hsearch(e, ENTER);
    twalk(NULL, NULL);
}
#else
#include <string.h>
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static void *run(void *arg) {
    int bits = __builtin_popcountl((unsigned long)arg);
    if (bsearch(&bits, &bits, 1, sizeof bits, compare) || SIGRTMIN > SIGRTMAX) bits = 0;
    return puts(strerror(isalpha(*(char *)arg) + (int)pow(2, fabs(sin(1))))) < bits ? NULL : arg;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, NULL, run, argv[0]);
    pthread_join(t, NULL);
    if (argc > 5) visit();
    return 0;
}
#endif
END
    racefuzz-cc -shared -fPIC -DSEARCHES named.c -o libsearches.so
    strip libsearches.so
    racefuzz-cc -c -DSEARCHES named.c -o searches.o
    racefuzz-cc -c visits.c
    rm -f libsearches.a
    ar rc libsearches.a searches.o
    $CC -c visits.c -o unseen.o
    for library in unseen.o visits.o -lsearches -l:libsearches.a searches.o; do
        racefuzz-cc named.c -L . $library -lm -o named -Wl,-rpath,.
        gives 0 "named$library.out" ./named --strategy=graphs
        case $library in
        visits.o) says "named$library.out" "the one execution explored: no failure is possible" ;;
        unseen.o) says "named$library.out" "but not watched: visit()" ;;
        *)
            says "named$library.out" "execution explored, but not watched: hsearch(), twalk()"
            lacks "named$library.out" "no failure"
            ;;
        esac
    done
    gives 0 named.dpor ./named --strategy=dpor --format=tap
    says named.dpor "blocked), but not watched: hsearch(), twalk()"
}

# Inline assembly is no step: what enumerates says so.  Not what touches nothing that threads share,
# and not with clang, which has an assembler of its own.
inline_assembly_is_named() {
    $CC -dumpmachine | grep -q '^x86_64' || return 0
    cat >assembly.c <<'END'
#include <pthread.h>
static int n;
static int get(int *p) {
    int v;
    __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*p));
    return v;
}
static void put(int *p, int v) { __asm__ volatile("xchgl %1, %0" : "+m"(*p), "+r"(v)); }
static void barrier(void) { __asm__ volatile("mfence" ::: "memory"); }
static int idle(int v) {
    int highest, copy;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("rep; nop\n\tpause");
    __asm__("bsrl %1, %0" : "=r"(highest) : "r"(v));
    __asm__("movl %1, %0" : "=r"(copy) : "m"(highest));
    return copy;
}
static void *run(void *arg) {
    if (SHARES) barrier();
    if (SHARES) put(&n, get(&n) + 1);
    return idle(4) == 2 ? arg : NULL;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    run(NULL);
    pthread_join(t, NULL);
    return 0;
}
END
    sed '/^static [^*]*\(get\|put\|barrier\)(/,/}$/d; /SHARES/d' assembly.c >alone.c
    racefuzz-cc -pipe -DSHARES=1 assembly.c -o assembly
    gives 0 assembly.out ./assembly --strategy=graphs
    says assembly.out 'not watched: assembly in barrier(), assembly in get()' 'assembly in put()'
    lacks assembly.out 'idle()' 'no failure'
    racefuzz-cc alone.c -o alone
    gives 0 alone.out ./alone --strategy=graphs
    says alone.out 'no failure is possible'
}

# gcc would compile in the linker, which knows nothing of what is to be seen.
what_is_compiled_by_the_linker_is_seen() {
    racefuzz-cc -flto -DSTARTED=2 main.c visits.c -o lto
    finds lto
    racefuzz-cc -O2 -flto=auto -DSTARTED=2 -c main.c
    racefuzz-cc -O2 -flto=auto -c visits.c
    racefuzz-cc -O2 -flto=auto main.o visits.o -o lto
    finds lto
}

# With the rules of compilers: quotes, backslashes, files in files; one that is missing is a word.
arguments_are_in_files() {
    mkdir -p 'a folder'
    cp visits.[ch] 'a folder'
    tr '|' '\t' >outer.rsp <<'END'
-I. "-DSTARTED=(1 + 1)" -DWORD=\"it\'s\"
 main.c|@inner -o 'in '"files"
END
    printf "a\\\\ folder/visits.c '' 'two\nlines'" >inner
    words=$(sed -n '/^words_of() {$/,/^}$/p' "$top/src/racefuzz-cc")
    (
        eval "$words"
        words_of -x @outer.rsp @missing "it's" @ | tr -d '\n'
    ) >words.out
    echo " '-x' '-I.' '-DSTARTED=(1 + 1)' '-DWORD=\"it'\\''s\"' 'main.c' 'a folder/visits.c' ''" \
        "'twolines' '-o' 'in files' '@missing' 'it'\\''s' '@'" | tr -d '\n' | cmp - words.out
    echo "'a folder/visits.c'" >inner
    racefuzz-cc @outer.rsp
    mv 'in files' files
    finds files
    echo @itself >itself
    gives 1 itself.out racefuzz-cc @itself
    says itself.out.err 'a file that names itself'
    gives 1 missing.out racefuzz-cc @missing -o missing
    says missing.out.err '@missing'
}

# By whichever name: it is linked otherwise than C, and ran without racefuzz.
cxx_is_cxx_by_any_name() {
    command -v g++ >/dev/null || skip "no g++"
    racefuzz-cc g++ -DSTARTED=2 main.c visits.c -o plus
    finds plus
    cp main.c main.cc
    racefuzz-cc g++ -DSTARTED=2 -c main.cc -o main.o
    racefuzz-cc g++ -c visits.c -o visits.o
    racefuzz-cc main.o visits.o -lstdc++ -o plus
    finds plus
    racefuzz-cc g++ main.o visits.o -o plus
    finds plus
}

# No compiler announces what these calls read and write.
copies_of_cxx_are_seen() {
    command -v g++ >/dev/null || skip "no g++"
    cat >copies.cc <<'END'
#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>
static char to[64], from[64];
static std::vector<int> copied(10), numbers(10);
int main(int count, char **) {
    std::thread t([count] {
        if (count == 1) memset(to, 1, 40);
        if (count == 2) memcpy(to, from, 40);
        if (count == 3) memmove(to, from, 40);
        if (count == 4) std::copy(numbers.begin(), numbers.end(), copied.begin());
    });
    if (count < 4) to[3]++;
    if (count == 4) copied[2]++;
    t.join();
}
END
    racefuzz-cc g++ copies.cc -o copies
    for arguments in '' 1 '1 2' '1 2 3'; do
        gives 1 copies.out ./copies --executions=50 -- $arguments
        says copies.out 'race: real'
    done
    says copies.out 'writes  if (count == 4) std::copy('
}

# As the README has it, in the first run: a program of four files that counts words.
a_project_as_it_is() {
    cp -r "$top/tests/words" .
    make -s -C words CC=racefuzz-cc
    gives 1 words.out ./words/words
    says words.out 'race: real, harmful' 'table.c:35 in table_add()'
    rm words/words words/*.o
    make -s -C words CC=racefuzz-cc CFLAGS='-O2 -DFIXED'
    gives 0 words.out ./words/words --executions=300
}

# The read is not needed: a compiler that optimises leaves it out, and the race with it.
an_access_that_optimisation_leaves_out_is_seen() {
    cat >unused.c <<'END'
#include <pthread.h>
static int n;
static void *run(void *arg) {
    n = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    int seen = n;
    (void)seen;
    return pthread_join(t, NULL);
}
END
    racefuzz-cc -O2 unused.c -o unused
    gives 1 unused.out ./unused --executions=50
    says unused.out 'race: real'
    RACEFUZZ_CFLAGS= racefuzz-cc -O2 unused.c -o unused
    gives 0 unused.out ./unused --executions=50
}

# gcc knows what these do to a text that it knows, without optimisation too.
calls_with_a_constant_are_seen() {
    cat >constant.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <strings.h>
static char text[12][16];
static char from[16];
static int n;
static void *run(void *arg) {
    strcpy(text[0], "abc");
    stpcpy(text[1], "abc");
    strcat(text[2], "abc");
    strncat(text[3], "abc", 3);
    bzero(text[4], 8);
    memmove(text[8], from, 13);
    bcopy(from, text[9], 13);
    strncpy(text[10], "abc", 4);
    memset(text[11], 1, 13);
    n += strncmp(text[5], "abc", 9);
    n += strstr(text[6], "c") != NULL;
    n += strpbrk(text[7], "c") != NULL;
    return arg;
}
int main(void) {
    for (int i = 0; i < 12; i++) memcpy(text[i], "ab", 2);
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    for (int i = 0; i < 12; i++) text[i][1]++, text[i][3]++;
    return pthread_join(t, NULL);
}
END
    for compiler in "$CC" "$(command -v gcc)"; do # by its path, as launchers name it
        racefuzz-cc "$compiler" constant.c -o constant
        RF_ALL=1 RF_SHRINK=0 gives 1 constant.out ./constant --executions=50
        for call in strcpy stpcpy strcat strncat strncpy bzero memmove memset; do
            says constant.out "writes  $call(text["
        done
        says constant.out "writes  bcopy(from, text["
        for call in strncmp strstr strpbrk; do says constant.out "reads   n += $call(text["; done
        RACEFUZZ_CFLAGS=-O1 racefuzz-cc "$compiler" constant.c -o constant
        RF_ALL=1 RF_SHRINK=0 gives 1 constant.out ./constant --executions=50
        says constant.out "writes  memset(text["
    done
}

# C11 7.14.1.1.
a_handler_shares_what_is_volatile() {
    cat >handler.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <signal.h>
static SHARED sig_atomic_t come;
static void comes(int signal) { come = signal; }
static void *sends(void *p) { return pthread_kill(*(pthread_t *)p, SIGUSR1) ? p : NULL; }
int main(void) {
    pthread_t t, self = pthread_self();
    signal(SIGUSR1, comes);
    pthread_create(&t, NULL, sends, &self);
    while (!come) sched_yield();
    return pthread_join(t, NULL);
}
END
    racefuzz-cc -DSHARED=volatile handler.c -o handler
    gives 0 handler.out ./handler --executions=100
    racefuzz-cc -DSHARED=volatile $(volatiles 0) handler.c -o handler
    gives 1 handler.out ./handler --executions=100
    tr -s ' \n' ' ' <handler.out >handler.words
    says handler.words "compiled with --param tsan-distinguish-volatile=1"
}

# gcc's counters are data of all threads, between the two halves of an atomic operation, too.
counters_of_gcc_are_left_out() {
    ! $CC --version | grep -q clang || skip "clang does not announce them"
    racefuzz-cc --coverage -fprofile-generate=made -DSTARTED=2 main.c visits.c -o counted
    nm counted | grep -v ' w ' >symbols
    lacks symbols gcov
    finds counted
    RACEFUZZ_CFLAGS="-O0 --coverage" racefuzz-cc -DSTARTED=2 -c main.c visits.c
    racefuzz-cc main.o visits.o -o by_hand -lgcov
    gives 2 refused ./by_hand
    one_line refused.err
    says refused.err "the counters of gcc (--coverage, -fprofile-generate)"
}

# As meson links: nothing may be undefined but the engine; and as who has his own flags does.
a_library_may_say_that_nothing_is_undefined() {
    racefuzz-cc -shared -fPIC -Wl,--no-undefined visits.c -o libcounts.so
    racefuzz-cc -DSTARTED=2 main.c ./libcounts.so -o library
    finds library
}

flags_of_the_sanitizer_are_for_compiling() {
    racefuzz-cc -fsanitize=thread,undefined -DSTARTED=2 -Iaddress main.c visits.c -o sanitized
    finds sanitized
    for other in address undefined,address leak; do
        gives 1 refused racefuzz-cc -fsanitize=$other -DSTARTED=2 main.c visits.c -o refused
        says refused.err "leave out -fsanitize=address, leak and memory"
    done
}

# They are what they say, here two steps; those of a unit that has the header are the hooks'.
own_functions_by_names_of_stdatomic() {
    cat >own.c <<'END'
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int atomic_load(int *p) {
    pthread_mutex_lock(&m);
    int v = *p;
    return pthread_mutex_unlock(&m) ? -1 : v;
}
static void
atomic_store(int *p, int v)
{
    pthread_mutex_lock(&m);
    *p = v;
    pthread_mutex_unlock(&m);
}
static void *run(void *arg) {
    atomic_store(&n, atomic_load(&n) + 1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    run(NULL);
    pthread_join(t, NULL);
    return n != 2;
}
END
    racefuzz-cc own.c -o own
    gives 1 own.out ./own --executions=100
    says own.out 'main returned 1'
    lacks own.out 'race: real'
}

what_is_tried_out_goes_to_the_compiler() {
    cp main.c conftest.c
    racefuzz-cc -DSTARTED=2 conftest.c visits.c -o conftest -pthread
    ./conftest >conftest.out
    [ ! -s conftest.out ]
    mkdir -p meson-private/tmp1
    echo 'int main(void) { int is = 0; return is; }' >meson-private/tried.c # meson runs it
    cp meson-private/tried.c meson-private/tmp1/testfile.c
    (cd meson-private && racefuzz-cc tried.c -o tried)
    ./meson-private/tried
    racefuzz-cc "$work/meson-private/tmp1/testfile.c" -o tried
    ./tried >tried.out
    [ ! -s tried.out ]
    racefuzz-cc --version >version.out
    $CC --version | cmp - version.out
    echo '.text' >empty.s
    racefuzz-cc -c empty.s
    racefuzz-cc -E visits.c >expanded.out
    says expanded.out 'void visit(void)'
}

# With a library that has accesses of its own, by the tools that compile and link in one or in two.
what_is_tried_out_with_a_library_links() {
    racefuzz-cc -c visits.c
    rm -f libvisits.a
    ar rcs libvisits.a visits.o
    printf 'int visits(void);\nint main(void) { return visits() + 7; }\n' >conftest.c
    racefuzz-cc -O2 -o conftest conftest.c -L. -l:libvisits.a
    gives 7 conftest.out ./conftest
    [ ! -s conftest.out ]
    mkdir -p CMakeScratch/one
    cp conftest.c CMakeScratch/one/src.c
    (cd CMakeScratch/one && racefuzz-cc -c src.c && racefuzz-cc src.o ../../libvisits.a -o tried)
    gives 7 tried.out CMakeScratch/one/tried
    printf 'int nowhere(void);\nint main(void) { return nowhere(); }\n' >conftest.c
    gives 1 nowhere.out racefuzz-cc -o conftest conftest.c -L. -l:libvisits.a
    says nowhere.out.err 'nowhere'
}

what_does_not_compile_fails() {
    echo 'int main(void) { return x; }' >wrong.c
    gives 1 wrong.out racefuzz-cc wrong.c -o wrong
    says wrong.out.err 'wrong.c:1'
    gives 1 wrong.out racefuzz-cc -c wrong.c
    gives 1 usage.out racefuzz-cc
    says usage.out 'make CC=racefuzz-cc'
    [ -z "$(ls "$TMPDIR")" ]
}

the_engine_is_compiled_once() {
    unset RACEFUZZ_ENGINE
    export XDG_CACHE_HOME="$work/cache" RACEFUZZ_ENGINE_CFLAGS=-O0
    racefuzz-cc -DSTARTED=2 main.c visits.c -o first 2>first.err
    says first.err 'racefuzz-cc: compiling the engine, once, into '
    racefuzz-cc -DSTARTED=2 main.c visits.c -o second 2>second.err
    [ ! -s second.err ]
    [ "$(ls cache/racefuzz | sed 's/[-0-9]*//g' | tr '\n' ' ')" = 'engine.o volatile ' ]
    finds second
    cp "$work/root/usr/include/racefuzz.h" racefuzz.saved
    rm -rf cache/racefuzz/* "$work/root/usr/include/racefuzz.h"
    gives 1 none.out racefuzz-cc -DSTARTED=2 main.c visits.c -o none
    says none.out.err 'racefuzz-cc: no racefuzz.h in '
    cp racefuzz.saved "$work/root/usr/include/racefuzz.h"
}

another_header_in_the_folder_is_refused() {
    echo '/* an older one */' >racefuzz.h
    gives 1 other.out racefuzz-cc -c visits.c -o other.o
    rm racefuzz.h
    says other.out.err 'racefuzz-cc: the racefuzz.h of this folder is another one than '
}

# Asking takes as long as compiling a small file.
a_compiler_is_asked_once_for_its_options() {
    export XDG_CACHE_HOME="$work/asked" RACEFUZZ_CC=./counted
    printf '#!/bin/sh\necho >>calls\nexec %s "$@"\n' "$CC" >counted
    chmod +x counted
    racefuzz-cc -c visits.c -o visits.o
    : >calls
    racefuzz-cc -c visits.c -o visits.o
    [ "$(wc -l <calls)" -eq 1 ]
    echo >>counted # another compiler in its place
    racefuzz-cc -c visits.c -o visits.o
    [ "$(wc -l <calls)" -gt 2 ]
}

# A compiler that has the engine already.
quick_compiler() {
    cat >quick <<END
#!/bin/sh
for last do :; done
case \$last in */engine.o) exec cp "$work/$CC.o" "\$last" ;; esac
exec $CC "\$@"
END
    chmod +x quick
}

# Each version of the headers and of the compiler has one: those that are no longer used go.
engines_that_nobody_uses_go() {
    unset RACEFUZZ_ENGINE
    export XDG_CACHE_HOME="$work/kept"
    quick_compiler
    RACEFUZZ_CC=./quick racefuzz-cc -DSTARTED=2 main.c visits.c -o once
    used=$(echo kept/racefuzz/engine-*.o)
    touch -t 202001010000 kept/racefuzz/engine-old.o kept/racefuzz/engine-cut.o.1 "$used"
    touch kept/racefuzz/engine-other.o
    RACEFUZZ_CC=./quick racefuzz-cc -DSTARTED=2 main.c visits.c -o once
    RACEFUZZ_ENGINE_CFLAGS=-O1 RACEFUZZ_CC=./quick racefuzz-cc -DSTARTED=2 main.c visits.c -o once
    [ -e "$used" ] && [ -e kept/racefuzz/engine-other.o ]
    [ "$(ls kept/racefuzz/engine-* | wc -l)" -eq 3 ]
}

# As in a container whose user has no home, or may not write there; the compiler does as before.
an_engine_that_cannot_be_kept_serves_once() {
    unset RACEFUZZ_ENGINE XDG_CACHE_HOME
    quick_compiler
    echo >no_folder
    for home in -u.HOME HOME=no_folder; do
        gives 0 once.out env $(echo $home | tr . ' ') RACEFUZZ_CC=./quick racefuzz-cc -DSTARTED=2 \
            main.c visits.c -o once
        says once.out.err "for this program alone, since it can't be kept in"
        finds once
    done
    [ -z "$(ls "$TMPDIR")" ]
}

try_all
[ -z "${LONG:-}" ] || try the_engine_is_compiled_once
cd "$top"
summary

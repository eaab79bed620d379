#!/bin/sh
# Programs that use POSIX threads and were written without a thought of racefuzz: every call gives
# what POSIX says, every end of the program is told, wrong use is explained.  The programs of
# tests/hook that check results run with the C library too: it agrees with them.
name=hook_pthread
. tests/try.sh

hooks="-include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"
engine_by "$CC" compiler "$work/engine.o"
mkdir "$work/real" "$work/other"

# hooked FLAGS PROGRAM NAME OBJECT...: makes $work/NAME from tests/hook/PROGRAM.c and the engine.
hooked() {
    flags=$1 program=$2 made=$3
    shift 3
    $CC -g -pthread -I. $hooks $flags "tests/hook/$program.c" "$work/engine.o" "$@" \
        -o "$work/$made"
}

# Some of the other tests need them.
hooked "" ending ending
$CC -g -O1 -c tests/hook/unhooked.c -o "$work/unhooked.o"
hooked -O2 waiting waiting "$work/unhooked.o"

says_what_posix_says() {
    $CC -pthread "tests/hook/$1.c" -o "$work/real/$1"
    gives 0 "real/$1.out" "$work/real/$1"
    hooked "-Wall -Wextra -Werror" "$1" "$1"
    gives 0 "$1.out" "$work/$1" --executions=40
    says "$1.out" "1 passed, 0 failed"
}

compiles_as_it_was() {
    gives 0 strict.cc hooked "$1" strict strict
    gives 0 strict.out "$work/strict" --executions=20
    says strict.out "1 passed, 0 failed"
}

compiles_with_clang() {
    needs clang
    CC=clang
    compiles_as_it_was "$1"
}

# ends STATUS WORDS ARGUMENT...: the report has the words, its line replays the same.
ends() {
    status=$1 words=$2
    shift 2
    gives "$status" end "$work/ending" --executions=10 -- "$@"
    says end "$words"
    lacks end "^output of the program"
    [ "$status" -ne 0 ] || return 0
    says end "T0 main"
    says end "./ending -- $*" || says end "ending -- $*"
    (cd "$work" && gives 1 again env "RF_SEED=$(token end)" ./ending -- "$@")
    says again "$words" "output of the program"
}

# glibc has another pthread_cleanup_push for them.
handlers_run_with_exceptions() {
    hooked -fexceptions interrupts exceptions
    gives 0 exceptions.out "$work/exceptions" --executions=50
}

arguments_are_quoted_for_a_shell() {
    gives 1 quoted "$work/ending" --executions=5 -- exit 3 "a b" "it's" "" '$x' plain-1
    says quoted "ending -- exit 3 'a b' 'it'\\''s' '' '\$x' plain-1"
    line=$(sed -n 's/^ *replay: //p' "$work/quoted")
    gives 1 pasted sh -c "$line"
    says pasted "exit was called with status 3"
}

threads_have_the_names_of_their_functions() {
    gives 1 names "$work/ending" --executions=5 -- crash
    says names "in pay(), thread T1 pay" "T0 main"
    lacks names "test body" "rfi_program_main"
}

handlers_of_the_program_run() {
    for way in return exit in_thread; do
        gives 1 handlers "$work/ending" --executions=5 -- $way 3
        says handlers "| the handler ran"
        lacks handlers "quick"
    done
    gives 1 handlers "$work/ending" --executions=5 -- quick_exit 3
    says handlers "| the quick handler ran"
    lacks handlers "the handler"
    gives 1 handlers "$work/ending" --executions=5 -- _exit 3
    lacks handlers "handler ran"
}

the_last_thread_ends_the_program() {
    hooked "" ends ends
    gives 0 last "$work/ends" --executions=1 --jobs=0 # so that its output can be seen
    says last "the last thread" "atexit ran"
}

# waits WAY FUNCTION WORDS
waits() {
    # C11 lets a compiler assume that such a loop ends (6.8.5): clang leaves it out
    [ "$1" != masked ] || ! $CC --version | grep -q clang || skip "clang removes the loop"
    gives 1 waits "$work/waiting" --watchdog=1 --seconds=none --executions=1 -- "$1"
    says waits "$3" "in $2(), thread T"
    [ "$1" = read ] || return 0
    (cd "$work" && gives 1 waits.again env "RF_SEED=$(token waits)" ./waiting --watchdog=1 -- "$1")
    says waits.again "$3"
}

# Each links or not; what the linker says is in docs/troubleshooting.md.
hooks_without_the_engine() {
    ! $CC -g -pthread -I. $hooks tests/hook/ending.c -o "$work/none" 2>"$work/none.err"
    says none.err 'undefined reference to `__wrap_pthread_join'
    says none.err 'undefined reference to `rfi_define_RF_IMPLEMENTATION_in_exactly_one_unit'
    grep -qF 'undefined reference to `__wrap_' docs/troubleshooting.md
}

two_engines() {
    cp "$work/engine.o" "$work/second.o"
    ! $CC -g -pthread -I. $hooks tests/hook/ending.c "$work/engine.o" "$work/second.o" \
        -o "$work/two" 2>"$work/two.err"
    says two.err 'multiple definition of `rfi_define_RF_IMPLEMENTATION_in_exactly_one_unit'
    grep -qF 'multiple definition of `rfi_' docs/troubleshooting.md
}

two_versions() {
    sed 's/^\(# *define RF_VERSION_PATCH\) .*/\1 99/' racefuzz.h >"$work/other/racefuzz.h"
    cp racefuzz_mem.h "$work/other"
    $CC -g -pthread -include "$work/other/racefuzz.h" -DRF_HOOK_ALL -DRF_PROGRAM \
        -c tests/hook/keys.c -o "$work/other.o"
    $CC -pthread "$work/other.o" "$work/engine.o" -o "$work/versions"
    gives 2 versions.out "$work/versions" --executions=2
    one_line versions.out.err
    says versions.out.err ".99, the engine is "
    # clang does not tell a file that comes by -include which one it is for.
    $CC --version | grep -q clang || says versions.out.err "tests/hook/keys.c was compiled with "
    grep -qF "the engine is" docs/troubleshooting.md
}

a_program_without_hooks() {
    $CC -g -pthread -I. -include racefuzz.h -DRF_PROGRAM tests/hook/keys.c "$work/engine.o" \
        -o "$work/bare"
    gives 2 bare.out "$work/bare" --executions=2
    says bare.out.err "did nothing that racefuzz knows of" "-DRF_HOOK_ALL"
}

# Nor is that said of one that makes a lock, and has no use for it.
a_program_that_only_makes_a_lock() {
    cat >"$work/makes.c" <<'END'
int main(void) {
    pthread_mutex_t m;
    return pthread_mutex_init(&m, NULL) || pthread_mutex_destroy(&m);
}
END
    $CC -g -pthread -I. $hooks -include pthread.h "$work/makes.c" "$work/engine.o" -o "$work/makes"
    gives 0 makes.out "$work/makes" --executions=2
}

# Nor is that said of one whose executions were all cut short.
a_program_that_has_not_ended() {
    hooked "" keys cut
    gives 1 cut.out "$work/cut" --executions=3 --steps=8
    says cut.out "no execution has come to its end" "had not ended after"
    lacks cut.out.err "did nothing"
}

hooks_serve_tests_too() {
    $CC -g -pthread -I. -include racefuzz.h -DRF_HOOK_ALL \
        tests/hook/tested.c "$BUILD/libracefuzz.a" -o "$work/tested"
    gives 1 tested.out "$work/tested" --executions=50
    says tested.out "in test two, thread T0 test body" "T1 adds"
}

# Functions that the C library's headers declare, each on a line.
declared() {
    for header in pthread.h semaphore.h sched.h threads.h time.h; do
        printf '#define _GNU_SOURCE\n#include <%s>\n' $header | $CC -E -x c - |
            awk -v header=$header '/^# [0-9]+ "/ {
                on = index($3, "/" header "\"") || $3 ~ /bits\/(semaphore|time)\.h"/; next } on' |
            tr '\n' ' ' | tr ';' '\n' |
            sed -n 's/^[^(]*[ *]\([a-z][a-z_0-9]*\) *(.*/\1/p'
    done | grep -vx -e int -e void | sort -u
}

# Each function is hooked, or the manual says what becomes of it.
no_function_is_forgotten() {
    declared >"$work/declared"
    [ "$(wc -l <"$work/declared")" -gt 200 ]
    {
        sed -n 's/^ *# *define \([A-Za-z_0-9]*\).* __wrap_\1\((.*\)*$/\1/p' src/hook/names.h
        sed -n '/^## Functions/,/^## /p' docs/unedited.md | grep '^|' |
            grep -o '`[a-z][a-z_0-9.]*`' | tr -d '`' >"$work/words"
        grep -v '\.\.\.' "$work/words"
        sed -n 's/\.\.\.$//p' "$work/words" | while read -r begin; do
            grep "^$begin" "$work/declared"
        done
    } | sort -u >"$work/known"
    comm -23 "$work/declared" "$work/known" | nothing
}

# By default, before the time of the test is over: that its threads look at what they wait for is no
# progress.
what_two_wait_for_is_told_in_time() {
    gives 1 waits.told "$work/waiting" --executions=1 --shrink=0 -- read
    says waits.told "5 s in read() without an answer"
}

# A call that waits in the kernel is named, with its line; none waits for ever.
calls_that_block_are_named() {
    interruptible="poll select"
    for way in cond sem barrier join accept flock handled $interruptible; do
        timeout -s KILL 150 "$work/waiting" --watchdog=1 --seconds=none --executions=1 -- $way \
            >"$work/blocks.$way" 2>&1 &
    done
    timeout -s KILL 150 "$work/waiting" --watchdog=1 --seconds=none --executions=1 --jobs=0 \
        -- poll >"$work/blocks.here" 2>&1 &
    wait
    for way in cond sem barrier join; do says "blocks.$way" "in unhooked_$way(), thread T"; done
    says blocks.accept "in accepts(), thread T"
    says blocks.flock "in locks_a_file_twice(), thread T"
    for way in $interruptible here; do
        says "blocks.$way" "in waits_interruptibly(), thread T"
    done
    for way in cond sem barrier join; do
        says "blocks.$way" "this call blocks, and racefuzz does not stand in"
    done
    for way in accept flock poll select; do says "blocks.$way" "s in $way() without an answer"; done
    says blocks.here "s in poll() without an answer"
    says blocks.handled "did not answer SIGALRM"
    grep -qF "did not answer SIGALRM" docs/troubleshooting.md
}

execs() {
    gives 1 execs "$work/waiting" --executions=1 -- exec
    says execs "_exit(0) was called, or another program was executed"
    grep -qF "or another program was executed" docs/troubleshooting.md
}

for program in early mutexes conditions others keys ends clocks forks named interrupts signals \
    cancel clocked; do
    try says_what_posix_says $program
done
for flags in "-DFEATURE_GNU -Wall -Wextra -Werror" "-DFEATURE_POSIX -std=c99 -pedantic -Werror" \
    "-DFEATURE_XOPEN -std=c99 -pedantic-errors -Wall -Wextra -Werror" "-DFEATURE_XOPEN -std=c11" \
    -std=gnu17 "-DFEATURE_GNU -std=c11 -O2"; do
    try compiles_as_it_was "$flags"
done
try compiles_with_clang "-DFEATURE_XOPEN -std=c99 -pedantic -Wall -Wextra -Werror"
try compiles_with_clang "-DFEATURE_GNU -std=gnu17 -O2"
for way in return exit quick_exit _exit _Exit in_thread; do try ends 0 "1 passed" $way 0; done
try ends 1 "main returned 3" return 3
for way in exit quick_exit _exit _Exit; do try ends 1 "$way was called with status 3" $way 3; done
try ends 1 "exit was called with status 4" in_thread 4
try ends 1 "status == 7, at ending.c:" assert
try ends 1 "SIGSEGV, null pointer" crash
try ends 1 "SIGABRT, abort() was called" abort
try waits read waits "s in read() without an answer"
for way in pause sigsuspend; do try waits $way waits_interruptibly "a signal"; done
try waits masked waits \
    "compile this file with -fsanitize=thread and -O1, or make the flag atomic/volatile"
try execs
try waits lock unhooked_lock "this call blocks, and racefuzz does not stand in"
try_all
summary

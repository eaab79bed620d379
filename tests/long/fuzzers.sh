#!/bin/sh
# Tests as targets of the fuzzers that people have: libFuzzer (clang) and AFL++.
name=fuzzers
. tests/try.sh
ulimit -c 0
compile -DMAIN fuzzed fuzzed
engine_for clang -O1 >"$work/path" 2>/dev/null || : >"$work/path"
engine=$(cat "$work/path")
top=$PWD

needs() { command -v "$1" >/dev/null && [ -n "$engine" ] || skip "no $1"; }

# by COMPILER TEST NAME [FLAG...]: makes the target.
by() {
    flags=$(shift 3; echo "$*")
    cat >"$work/$3.c" <<END
#define TARGET $2
#define main fuzzed_main
#include "tests/campaign/fuzzed.c"
END
    AFL_QUIET=1 "$1" -std=c11 -O1 -g $flags -I"$top" -fsanitize=fuzzer "$work/$3.c" "$engine" \
        -o "$work/$3" -pthread
}

# A crash that a fuzzer has kept, as a file, is the failure that it has told.
is_a_failure() {
    gives 1 told ./fuzzed "$1" "--input=$2"
    seed=$(token told)
    gives 1 replayed env "RF_SEED=$seed" ./fuzzed "--write-input=again"
    says replayed "$3"
}

libfuzzer_finds() {
    needs clang
    cd "$work"
    (cd "$top" && by clang "$1" "lib_$1")
    rm -rf "artifacts_$1"
    mkdir "artifacts_$1"
    gives 77 found timeout 300 "./lib_$1" -seed=1 -runs=2000000 "-artifact_prefix=artifacts_$1/"
    says found.err "replay: RF_SEED=1.$1.input."
    is_a_failure "$1" artifacts_$1/crash-* "$2"
    # again the same: it takes as many executions, and the input is the same
    mkdir again_artifacts 2>/dev/null || rm -f again_artifacts/*
    gives 77 again timeout 300 "./lib_$1" -seed=1 -runs=2000000 -artifact_prefix=again_artifacts/
    cmp artifacts_$1/crash-* again_artifacts/crash-*
}

# What is covered of schedules guides it: a counter is a feature of its own.
libfuzzer_sees_what_is_covered() {
    needs clang
    cd "$work"
    (cd "$top" && by clang sound lib_sound)
    gives 0 covered timeout 300 ./lib_sound -seed=1 -runs=20000
    [ "$(sed -n 's/.*DONE.* ft: \([0-9]*\).*/\1/p' covered.err)" -gt 60 ]
}

libfuzzer_minimises() {
    needs clang
    cd "$work"
    { cat artifacts_lost/crash-*; head -c 200 /dev/zero; } >long
    gives 77 first ./lib_lost long
    gives 0 minimised timeout 300 ./lib_lost -minimize_crash=1 -runs=20000 \
        -exact_artifact_path=minimised.in long
    [ "$(wc -c <minimised.in)" -lt 20 ]
    is_a_failure lost minimised.in "assertion failed"
}

afl_finds() {
    needs afl-clang-fast
    cd "$work"
    (cd "$top" && by afl-clang-fast "$1" "afl_$1")
    mkdir -p seeds
    printf '\0' >seeds/zero
    rm -rf "out_$1"
    gives 0 afl env AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 \
        AFL_NO_AFFINITY=1 AFL_BENCH_UNTIL_CRASH=1 \
        timeout 300 afl-fuzz -V 120 -i seeds -o "out_$1" "./afl_$1"
    set -- "$1" "$2" "out_$1"/default/crashes/id*
    is_a_failure "$1" "$3" "$2"
    grep -Eq "stability *: 100.00%" "out_$1/default/fuzzer_stats"
}

# As OSS-Fuzz builds, with AddressSanitizer.
the_recipe_of_oss_fuzz_builds_a_target() {
    needs clang
    cd "$work"
    mkdir -p project/tests out
    cp "$top/racefuzz.h" "$top/racefuzz_mem.h" project
    cp "$top/tests/thread.h" project/tests
    sed -e 's/RF_FUZZ_TARGET(TARGET)/RF_FUZZ_TARGET(lost)/' -e '/^int main/,$d' \
        "$top/tests/campaign/fuzzed.c" \
        >project/fuzz_lost.c
    echo '#endif' >>project/fuzz_lost.c
    flags="-O1 -g -fsanitize=address,fuzzer-no-link"
    (cd project && CC=clang CXX=clang CFLAGS=$flags CXXFLAGS=-fsanitize=address \
        LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=$work/out sh "$top/docs/ci/oss-fuzz.sh")
    gives 77 ossfuzz timeout 300 out/fuzz_lost -seed=1 -runs=100000
    says ossfuzz.err "sum == 2"
}

# It takes an engine of its own, which reads names of C++ that a library has written.
memory_sanitizer_sees_nothing_in_the_engine() {
    needs clang
    by clang sound blind -fsanitize=memory
    gives 2 refused timeout 300 "$work/blind" -seed=1 -runs=500
    says refused.err "compile the engine with -fsanitize=memory, too"
    clang -O1 -g -fsanitize=memory -I. -DRF_IMPLEMENTATION -x c -c racefuzz.h -o "$work/msan.o"
    engine=$work/msan.o
    by clang sound memory -fsanitize=memory
    gives 0 silent timeout 300 "$work/memory" -seed=1 -runs=500
    lacks silent.err MemorySanitizer
}

try memory_sanitizer_sees_nothing_in_the_engine
try libfuzzer_finds lost "assertion failed"
try libfuzzer_finds buffered "and hid a newer write"
try libfuzzer_finds embraced deadlock
try libfuzzer_finds crashing SIGSEGV
try libfuzzer_sees_what_is_covered
try libfuzzer_minimises
try afl_finds lost "assertion failed"
try afl_finds buffered "and hid a newer write"
try the_recipe_of_oss_fuzz_builds_a_target
summary

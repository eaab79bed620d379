#!/bin/sh
# What a sanitizer finds in the code under test is a finding: its report stands with the token, the
# campaign goes on, and the token leads to the same report.
name=sanitizer_reports
. tests/tools/programs.sh

# reported TEST WORDS PROGRAM JOBS
reported() {
    [ -x "$work/$3" ] || skip "no $3"
    gives 1 report "$work/$3" --filter="$1,lives" --executions=20 --seconds=none --jobs="$4"
    says report "(test $1)" "$2" "tests/campaign/overflow.c:" "FAIL $1: 20 executions" \
        "PASS lives" "1 passed, 1 failed"
    status=0
    RF_SEED=$(token report) "$work/$3" >"$work/replay" 2>&1 || status=$?
    [ "$status" -ne 0 ]
    says replay "$2" "racefuzz: replay of execution"
}

# Without other processes the first report is the end, but the token is told.
told_before_the_end() {
    [ -x "$work/$1" ] || skip "no $1"
    gives 1 end "$work/$1" heap_overflow --jobs=0
    says end.err "heap-buffer-overflow" "RF_SEED=1.heap_overflow."
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    own=
    [ $compiler = clang ] || own=$gcc_san
    flavour $compiler "-O0 $san" $own
    $made -DRFI_LINKED tests/campaign/overflow.c "$engine" -o "$work/$compiler"
    for jobs in 1 2; do
        try reported heap_overflow heap-buffer-overflow $compiler $jobs
        try reported stack_overflow_in_a_thread stack-buffer-overflow $compiler $jobs
        try reported signed_overflow "signed integer overflow" $compiler $jobs
    done
    try told_before_the_end $compiler
done
[ "$((passed + failed))" -gt 0 ] || exit 77
summary

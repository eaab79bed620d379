#!/bin/sh
# Each compiler that this system has or offers, by its version: it compiles the engine without a
# warning, tests of the engine pass, and an unedited program whose accesses it announces has its race
# and its lost wake-up found.  `sh tests/long/compilers.sh update` writes today's rows into the table
# of docs/inside/compilers.md; the rows of compilers that are not here stay.
# Run from the top of the tree, with BUILD set.
name=compilers
. tests/try.sh
table=docs/inside/compilers.md
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
tests="lost_wakeup objects heap"

# gcc-11, clang-14, ...: what has a version in its name.
compilers() {
    {
        apt-cache search '^(gcc|clang)-[0-9]+$' 2>/dev/null | sed 's/ .*//'
        for folder in $(echo "$PATH" | tr : ' '); do
            (cd "$folder" 2>/dev/null && echo gcc-[0-9]* clang-[0-9]*) | tr ' ' '\n' |
                grep -E '^(gcc|clang)-[0-9]+$'
        done
    } | sort -u -t - -k 1,1r -k 2,2n
}

here() { command -v "$1" >/dev/null || skip "no $1: apt-get install $1"; }

compiles_without_a_warning() {
    here "$1"
    # shellcheck disable=SC2086 # a list
    for standard in c11 gnu17; do
        echo '#include "racefuzz.h"' | $1 -std=$standard -O2 $warnings -I. -DRF_IMPLEMENTATION \
            -DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM -pthread -x c -c - -o "$work/engine.o"
    done
}

passes() {
    here "$1"
    program=$work/$2.$1
    $1 -std=c11 -g -O1 -I. -DRF_IMPLEMENTATION -pthread "tests/$2.c" -o "$program"
    gives 0 out "$program"
    tail -n 1 "$work/out"
}

finds_the_bugs_of_a_program() {
    here "$1"
    engine "$1"
    for source in queue accounts queue_fixed accounts_fixed; do
        unedited "$1" examples/unedited/$source.c "$work/$1.o" -fsanitize=thread
        case $source in
        *_fixed) gives 0 out "$work/$source" --executions=300 ;;
        *) gives 1 out "$work/$source" --executions=300 ;;
        esac
    done
}

version() { $1 --version | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p'; }

row() {
    system=$(. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME")
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
    echo "| $1 | $(version "$1") | ${system:-$(uname -s)}, ${libc:-another libc}, $(uname -m) |" \
        "$(date +%F) |"
}

: >"$work/rows"
for compiler in $(compilers); do
    before=$failed:$skipped
    try compiles_without_a_warning "$compiler"
    for test in $tests; do try passes "$compiler" "$test"; done
    try finds_the_bugs_of_a_program "$compiler"
    [ "$before" != "$failed:$skipped" ] || row "$compiler" >>"$work/rows"
done

if [ "${1-}" = update ]; then
    { cat "$work/rows"; grep -E '^\| (gcc|clang)-' "$table"; } |
        sort -u -t '|' -k 2,2 | sort -t - -k 1,1r -k 2,2n >"$work/all"
    sed '/^| \(gcc\|clang\)-/d' "$table" >"$work/page"
    sed "/^|---/r $work/all" "$work/page" >"$table"
fi
summary

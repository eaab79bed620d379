#!/bin/sh
# Each compiler that this system has or offers, by its version: it compiles the engine without a
# warning, a test of it passes, and the bugs of unedited programs are found, and gone when mended.
# `sh tests/long/compilers.sh update` writes today's rows into docs/inside/compilers.md; those of
# compilers that are not here stay.
name=compilers
. tests/try.sh
table=docs/inside/compilers.md
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

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

# The engine of the programs below.
compiles_without_a_warning() {
    here "$1"
    $1 -std=c11 -g -O1 $warnings -I. -DRF_IMPLEMENTATION -DRF_HOOK_ALL -DRF_HOOK_COMPILER \
        -DRF_PROGRAM -pthread -x c -c racefuzz.h -o "$work/$1.o"
}

objects_do_what_they_should() {
    here "$1"
    $1 -std=c11 -g -O0 -I. -pthread tests/objects.c -o "$work/objects"
    gives 0 out "$work/objects"
}

finds_the_bugs_of_programs() {
    here "$1"
    for bug in queue accounts; do
        unedited "$1" examples/unedited/$bug.c "$work/$1.o" -fsanitize=thread
        gives 1 out "$work/$bug" --executions=200
        unedited "$1" examples/unedited/${bug}_fixed.c "$work/$1.o" -fsanitize=thread
        gives 0 out "$work/${bug}_fixed" --executions=200
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
    try objects_do_what_they_should "$compiler"
    try finds_the_bugs_of_programs "$compiler"
    [ "$before" != "$failed:$skipped" ] || row "$compiler" >>"$work/rows"
done

if [ "${1-}" = update ]; then
    { cat "$work/rows"; grep -E '^\| (gcc|clang)-' "$table"; } |
        sort -u -t '|' -k 2,2 | sort -t - -k 1,1r -k 2,2n >"$work/all"
    sed '/^| \(gcc\|clang\)-/d' "$table" >"$work/page"
    sed "/^|---/r $work/all" "$work/page" >"$table"
fi
summary

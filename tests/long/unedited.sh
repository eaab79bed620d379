#!/bin/sh
# examples/unedited: programs that know nothing of racefuzz, by the commands of docs/unedited.md and
# no others.  Each has a bug that is found and replayed by its token; its twin without it passes.
# Run from the top of the tree, with BUILD set.  The manual says gcc, and so does this.
name=unedited
CC=gcc
. tests/try.sh
export CPATH="$(pwd)" RF_SECONDS=none
ln -s "$(pwd)/examples" "$work/examples"
engine_by gcc program "$work/engine.o"

# The manual's command for a program: of a file and of what is to be made of it.
command_for() {
    sed -n 's|^\$ \(gcc .*\) examples/unedited/queue\.c -o queue$|\1|p' docs/unedited.md \
        >"$work/line"
    one_line line
    echo "$(cat "$work/line") examples/unedited/$1.c -o $1"
}

# Runs it as a user would; for each change only one compiles an engine of its own.
build() {
    command=$(command_for "$1")
    [ "$1" = queue ] || [ "${NIGHTLY:-}" ] ||
        command="$(echo "$command" | sed 's/ -DRF_IMPLEMENTATION//') engine.o"
    echo "$command"
    (cd "$work" && eval "$command")
}

# bug_is_found PROGRAM WORDS
bug_is_found() {
    build "$1"
    gives 1 "$1.out" "$work/$1"
    says "$1.out" "$2" "$1.c:"
    gives 1 "$1.again" env RF_SEED="$(token "$1.out")" "$work/$1"
    says "$1.again" "all steps"
    lacks "$1.again" 'went another way'
}

twin_passes() {
    build "$1_fixed"
    gives 0 "$1.passes" "$work/$1_fixed"
    says "$1.passes" "1 passed, 0 failed"
}

# Its own words, without racefuzz.
program_by_itself_ends_well() {
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "examples/unedited/$1.c" -o "$work/plain" -pthread
    gives 0 plain.out "$work/plain"
    grep -niE 'rf_|racefuzz' "examples/unedited/$1.c" | nothing
}

try bug_is_found queue "queue: the sum of all jobs is"
try bug_is_found ring "To forbid it: release on the store of tail"
try bug_is_found accounts "deadlock"
for program in queue ring accounts; do
    try twin_passes $program
    try program_by_itself_ends_well ${program}_fixed
done
summary

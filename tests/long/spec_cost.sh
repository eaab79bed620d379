#!/bin/sh
# What it costs to record and to check the calls of a specified object: an execution of its scenario
# takes at most 1.5 times the instructions of the same calls, drawn and made without that.
name=long/spec_cost
. tests/try.sh

# instructions TEST EXECUTIONS
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/cost" --filter="$1" \
        --strategy=random --jobs=0 --executions="$2" 2>&1 |
        awk '/Collected/ { n = $4 } END { print n }'
}

# of_one TEST: of one execution
of_one() { echo $((($(instructions "$1" 3000) - $(instructions "$1" 1000)) / 2000)); }

costs_at_most_half_more() {
    test=$(of_one "$1_linearizable")
    echo "# $1: $test instructions, $bare without recording" | tee -a "$work/figures"
    [ "$bare" -gt 10000 ] && [ $((2 * test)) -le $((3 * bare)) ]
}

command -v valgrind >/dev/null || exit 77
$CC -std=c11 -g -O1 -I. tests/spec/cost.c -DRFI_LINKED "$library" -o "$work/cost" -pthread
bare=$(of_one bare)
try costs_at_most_half_more own
try costs_at_most_half_more model
cat "$work/figures"
summary

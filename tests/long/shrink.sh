#!/bin/sh
# The schedules of bench/bugs are shrunk to the fewest preemptions there are: `bounded` goes through
# all schedules with one less, and none of them fails.  Where there are too many of these, the
# number is compared with the published one.
name=long_shrink
. tests/try.sh

printf '#include "racefuzz.h"\nRF_MAIN()\n' >"$work/main.c"
$CC -std=c11 -O1 -g -I. -DRFI_LINKED "$work/main.c" \
    $(ls bench/bugs/*.c | grep -v bugs/bugs.c) "$library" -o "$work/bugs" -pthread || exit 1

# run PROGRAM ARGUMENT...: that test alone, without analyses: a failure is a failure.
run() {
    only="--filter=$1,-$1?*"
    shift
    "$work/bugs" "$only" --detect=none --seconds=none --executions=20000 "$@" || true
}

# shrunk PROGRAM PREEMPTIONS: of its failure with the fewest.
shrunk() {
    run "$1" --report=json:"$work/$1.json" >"$work/$1"
    sed -n '/"event":"finding"/s/.*"preemptions":\([0-9]*\),.*/\1/p' "$work/$1.json" |
        sort -n | head -n 1 >"$work/got"
    echo "$2" | diff - "$work/got"
}

fewest_by_enumeration() {
    shrunk "$@"
    [ "$2" -eq 0 ] || run "$1" --strategy=bounded:$(($2 - 1)) --executions=1000000 >"$work/less"
    [ "$2" -eq 0 ] || says less "expected but not found"
    [ "$2" -eq 0 ] || grep -e ': all [0-9]* schedules' -e ': the one schedule' "$work/less"
}

while read -r program preemptions; do
    try fewest_by_enumeration "$program" "$preemptions"
done <<END
reorder_3 1
reorder_4 1
twostage_2 1
wronglock_3 1
stringbuffer 2
bluetooth 1
deadlock01 1
lazy01 0
account 0
END
# SCTBench: 1.  The schedule as it was found has several.
try shrunk qsort_mt 1
summary

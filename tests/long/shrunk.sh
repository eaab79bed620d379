#!/bin/sh
# The schedules of all failures of the examples and of bench/bugs, as found and as told: never more
# preemptions, and most have next to none.  Prints the table.
name=long_shrunk
. tests/try.sh
names=$(printf '%s\n' examples/*/*_fixed.c | cut -d / -f 2 | sort -u | grep -v unedited)
make -s BUILD="$BUILD" $(printf "$BUILD/examples/%s_demo " $names) || exit 1
printf '#include "racefuzz.h"\nRF_MAIN()\n' >"$work/main.c"
$CC -std=c11 -O1 -g -I. -DRFI_LINKED "$work/main.c" \
    $(ls bench/bugs/*.c | grep -v bugs/bugs.c) "$library" -o "$work/bugs" -pthread || exit 1

# measured NAME PROGRAM ARGUMENT...: lines "NAME TEST FOUND TOLD EXECUTIONS" of its failures; the
# last are those that shrinking has taken.
measured() {
    of=$1 program=$2
    shift 2
    "$program" "$@" --seconds=none --report=json:"$work/all.json" >"$work/out" || true
    grep '"preemptions_found"' "$work/all.json" |
        sed "s|.*\"test\":\"\([^\"]*\)\".*\"preemptions\":\([0-9]*\),|$of \1 \2 |
             s|\([0-9]*\) *\"preemptions_found\":\([0-9]*\),.*\"shrinking\":\([0-9]*\).*|\2 \1 \3|"
}

{
    for e in $names; do measured "$e" "$BUILD/examples/${e}_demo"; done
    measured bugs "$work/bugs" --filter='-safestack*' --detect=none
    measured bugs "$work/bugs" --filter=safestack --detect=none --strategy=pos \
        --executions=20000 --seed=10 --jobs=0
} >"$work/table"
sed 's/^/# /' "$work/table"

none_has_more_than_before() { awk '$4 > $3' "$work/table" | nothing; }

# What is told is a few preemptions of many.
most_are_gone() {
    awk '{ found += $3; told += $4; n++; few += $4 <= 2; spent += $5 }
        END { printf "# preemptions: %d in %d failures, %d as found; at most two in %d; " \
                  "executions: %.0f a failure\n", told, n, found, few, spent / n
              exit !(n > 40 && told * 3 < found && few * 4 >= n * 3) }' "$work/table" \
        >"$work/sum" || { cat "$work/sum"; return 1; }
}

# The ABA: `bounded` goes through all schedules without a preemption.
the_stack_has_the_fewest_there_are() {
    says table "treiber each_value_is_popped_once 3 1"
    gives 0 none "$BUILD/examples/treiber_demo" --detect=none --strategy=bounded:0 --seconds=none
    says none "without a preemption explored"
}

# Of SafeStack seven are the fewest (tests/long/safestack.c).
safestack_comes_to_the_fewest() {
    says table "bugs safestack 28 8"
    measured other "$work/bugs" --filter=safestack --detect=none --strategy=pos \
        --executions=20000 --seed=83 --jobs=0 >"$work/other"
    sed 's/^/# /' "$work/other" >>"$work/sum"
    says other "other safestack 30 7"
}

# Lines of 80 columns for each cause, the verdict of the test with it.
reports_are_short() {
    for e in $names; do
        COLUMNS=80 "$BUILD/examples/${e}_demo" --seconds=none >"$work/out" || true
        causes=$(grep -c '^  how it came about' "$work/out" || true)
        [ "$causes" -eq 0 ] || echo "$e $causes $(sed '/^FAIL /,/^$/!b
            /^$/q' "$work/out" | wc -l)"
    done >"$work/lines"
    awk '{ printf "# %s: %d causes, %d lines\n", $1, $2, $3; n += $2; lines += $3
           long += $3 > 60 * $2 }
        END { printf "# lines of 80 columns: %.0f a cause; over 60 in %d of %d programs\n",
                  lines / n, long, NR
              exit !(NR > 10 && lines < 60 * n) }' "$work/lines" >"$work/short" ||
        { cat "$work/short"; return 1; }
    cat "$work/short" >>"$work/sum"
}

try_all
cat "$work/sum"
summary

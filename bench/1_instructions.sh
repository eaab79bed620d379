#!/bin/sh
# bench/1_instructions.sh: what the building blocks cost, in instructions (repeatable).
set -eu
. bench/lib.sh
if ! have valgrind; then
    echo "instructions: valgrind is missing (Debian: apt-get install valgrind)"
    exit 0
fi
build cost
build speed
row() { printf '%-52s %8s   aim %s\n' "$1" "$2" "$3"; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a - b }'; }

cost() { each 100 900 "$BUILD/bench/cost" "$1"; }

echo "instructions ($($CC --version | head -n 1))"
loop=$(less "$(cost plain)" 1) # without the load
row "disarmed load, with the load itself" "$(less "$(cost load)" "$loop")" "at most 6"
loop=$(less "$(cost plain-store)" 1)
row "disarmed store, with the store itself" "$(less "$(cost store)" "$loop")" "at most 6"
row "decision without a switch (beyond a watched store)" \
    "$(less "$(cost decision)" "$(cost watched)")" "at most 150"
row "execution of an empty test of two threads" \
    "$(each 1000 3000 "$BUILD/bench/speed" empty fine)" "at most 1500"

# What an execution costs under some analyses and memory, and an operation of it: that of two
# threads with 40 rounds less that with none.
execution() { each 200 600 "$BUILD/bench/speed" "$1" fine random "$2" "$3"; }
operation() { # PROGRAM OPERATIONS-A-ROUND ANALYSES MEMORY
    awk -v a="$(execution "$1:0" "$3" "$4")" -v b="$(execution "$1:40" "$3" "$4")" -v n="$2" \
        'BEGIN { printf "%.0f", (b - a) / 80 / n }'
}
columns() { # WHAT COMMAND ARGUMENTS...
    what=$1
    shift
    printf '%-52s %8s %8s %8s\n' "$what" "$("$@" none sc)" "$("$@" none c11)" \
        "$("$@" default c11)"
}
printf '\n%-52s %8s %8s %8s\n' "instructions; memory, analyses:" "sc,none" "c11,none" "c11,all"
columns "execution of two threads without operations" execution empty
columns "relaxed load or store" operation relaxed 2
columns "fetch_add, seq_cst" operation fetch_add 1
columns "lock and unlock" operation locks 1
columns "RF_LOAD" operation loads 1
for program in store_buffering peterson mutex_counter treiber; do
    columns "execution: $program" execution "$program"
done

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

# What an operation of a program costs, its decision and its share of begin and end included.
operation() { # PROGRAM
    steps=$("$BUILD/bench/speed" "$1" fine 1000 | sed 's/.*, *\([0-9.]*\) steps/\1/')
    awk -v a="$(each 200 1200 "$BUILD/bench/speed" "$1" fine)" -v b="$steps" \
        'BEGIN { printf "%.1f", a / b }'
}
row "operation under c11: store buffering" "$(operation store_buffering)" "none"
row "operation under c11: Peterson" "$(operation peterson)" "none"
row "operation under c11: Treiber stack, 3 x 6" "$(operation treiber)" "none"

#!/bin/sh
# bench/tables/tables.sh: the tables of RaceFuzzer and CalFuzzer on the kernels in tests/paper.
set -eu
. bench/lib.sh
out=$BUILD/bench/tables
size=2000 # steps of number crunching
mkdir -p "$out"

# compile FLAGS...
compile() { $CC -std=c11 -O2 -g -I. -DSIZE=$size "$@" -pthread; }

for file in tests/paper/*.c; do
    name=$(basename "$file" .c)
    compile -Dmain="${name}_main" -c -o "$out/$name.o" "$file"
    grep -q "^RF_TEST($name\\>" "$file" || continue # its tests have other names
    compile -DRF_OFF -DKERNEL="\"$file\"" -DBODY="rf_test_$name" \
        -o "$out/${name}_native" bench/tables/native.c
done
compile -o "$out/tables" bench/tables/tables.c "$out"/*.o
"$out/tables" "$out"

#!/bin/sh
# bench/bugs/fuzz.sh: known hard bugs: executions of libFuzzer until the first that shows them,
# beside `auto`.
#
#     sh bench/bugs/fuzz.sh        [PROGRAMS="wsq stack"] [SEEDS=5] [LIMIT=10000]
#
# Each program is a target of its own; as for the strategies, memory is sequentially consistent and
# only the failure counts that the program is known for.  A seed is -seed; the corpus begins empty.
set -eu
. bench/lib.sh
out=$BUILD/bench/fuzz
CLANG=${CLANG:-clang} SEEDS=${SEEDS:-5} LIMIT=${LIMIT:-10000}
command -v "$CLANG" >/dev/null || { echo "no $CLANG"; exit 77; }
rm -rf "$out"
mkdir -p "$out"
engine=$out/engine
cp "$(sh tests/engine.sh "$CLANG" -O1)" "$engine" # others may build anew meanwhile
$CC -std=c11 -O2 -g -I. -o "$out/bugs" bench/bugs/*.c -pthread
: "${PROGRAMS:=$("$out/bugs" list | grep -v '^safestack$')}"

for file in bench/bugs/*.c; do
    [ "$(basename "$file")" = bugs.c ] ||
        $CLANG -std=c11 -O1 -g -I. -DFUZZED -Wno-initializer-overrides \
            -fsanitize=fuzzer-no-link -c "$file" \
            -o "$out/$(basename "$file" .c).o"
done

# hunt PROGRAM: "found mean median" of its seeds; sums only those that found it.
hunt() {
    printf '#include "racefuzz.h"\nRF_FUZZ_TARGET(%s);\n' "$1" >"$out/$1.target.c"
    $CLANG -std=c11 -O1 -I. -fsanitize=fuzzer "$out/$1.target.c" "$out"/*.o "$engine" \
        -o "$out/$1" -pthread >&2
    for seed in $(seq "$SEEDS"); do
        (cd "$out" && RF_DETECT=none timeout 120 "./$1" -seed="$seed" \
            -runs="$LIMIT" -print_final_stats=1 -artifact_prefix="$1-" >log 2>&1) || :
        grep -q 'RF_SEED=' "$out/log" || continue
        sed -n 's/^stat::number_of_executed_units: *//p' "$out/log"
    done | sort -n | awk -v seeds="$SEEDS" '{ n[NR] = $1; sum += $1 }
        END { median = NR * 2 > seeds ? n[int((seeds + 1) / 2)] : "-"
            printf "%d %s %s\n", NR, NR ? sprintf("%.0f", sum / NR) : "-", median }'
}

echo "| program | libFuzzer found | median executions | auto found | median executions |"
echo "|---|---|---|---|---|"
for program in $PROGRAMS; do
    # shellcheck disable=SC2046
    set -- $(hunt "$program")
    auto=$(SEEDS=$SEEDS LIMIT=$LIMIT CAP=60 STRATEGIES=auto "$out/bugs" hunt "$program")
    echo "$program $1 $3 $auto" | awk -v seeds="$SEEDS" '{
        printf "| %s | %s of %s | %s | %s of %s | %s |\n", $1, $2, seeds, $3, $7, $6, $9 }'
done

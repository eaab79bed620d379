#!/bin/sh
# bench/12_first_failures.sh: executions of a campaign without options until its first failure, for
# each known bug of bench/bugs (but safestack) and each example, beside what an earlier engine took.
#
#     make bench-first [SEEDS=20] [PROGRAMS="wsq treiber"] [BASE=COMMIT] [SAVE=1]
#
# Without BASE the earlier figures are those of bench/first_failures.txt: test, mean, its standard
# error, seeds.  With it the engine of that commit runs beside ours, with the same programs and
# seeds, and the error is that of the differences; SAVE writes what it took into that file.  A seed
# that finds nothing counts as the executions that it had; a test in which one of the two engines
# finds nothing at all is left out.
set -eu
. bench/lib.sh
: "${SEEDS:=20}" "${BASE:=}" "${SAVE:=}"
out=$BUILD/bench/first
kept=bench/first_failures.txt
flags="-std=c11 -O1 -g -w -DRFI_LINKED"
rm -rf "$out"
mkdir -p "$out"

# programs DIRECTORY: of that directory's engine, in it
programs() {
    printf '#include "racefuzz.h"\nRF_MAIN()\n' >"$1/main.c"
    $CC -std=c11 -O1 -w -I"$1" -DRF_IMPLEMENTATION -x c -c -o "$1/engine.o" "$1/racefuzz.h"
    # shellcheck disable=SC2046 # lists
    $CC $flags -I"$1" -o "$1/bugs" "$1/main.c" \
        $(ls bench/bugs/*.c | grep -v /bugs.c) "$1/engine.o" -pthread
    for example in $(examples); do
        # shellcheck disable=SC2046
        $CC $flags -I"$1" -Iexamples -o "$1/$example" \
            $(sources "$example") "$1/engine.o" -pthread
    done
}

# What there is to find: program and test.
tests() {
    "$out/ours/bugs" --list | sed 's/^/bugs /' | grep -v ' safestack$'
    for example in $(examples); do
        "$out/ours/$example" --list | sed "s/^/$example /"
    done
}

# first DIRECTORY PROGRAM TEST SEED: test, seed, executions
cat >"$out/first" <<'END'
RF_SHRINK=0 "$1/$2" --filter="$3,-?*$3*,-*$3?*" --seed="$4" --format=tap 2>&1 |
    awk -v test="$3" -v seed="$4" '
        $1 == "executions:" { all = $2 }
        $1 == "first_failure:" { first = $2 }
        END { print test, seed, first ? first : all, first != 0 }'
END

# measure DIRECTORY: its rows
measure() {
    seq "$SEEDS" | while read -r seed; do sed "s|.*|$1 & $seed|" "$out/tests"; done |
        xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh "$out/first" >"$1/unsorted"
    sort "$1/unsorted" >"$1/rows"
}

mkdir "$out/ours"
cp racefuzz.h racefuzz_mem.h "$out/ours"
programs "$out/ours"
tests | grep -Ew "$(echo "${PROGRAMS:-.*}" | tr -s ' ' '|')" >"$out/tests"
measure "$out/ours"
if [ "$BASE" ]; then
    mkdir "$out/base"
    for header in racefuzz.h racefuzz_mem.h; do git show "$BASE:$header" >"$out/base/$header"; done
    programs "$out/base"
    measure "$out/base"
    earlier=$out/base/rows
else
    earlier=$kept
fi

# Rows of both: a row for each test, and the geometric mean of the ratios.
awk -v saved="${SAVE:+$kept}" -v kept="$([ "$BASE" ] || echo 1)" '
    function error(sum, squares, n) {
        d = squares - sum * sum / n
        return n > 1 && d > 0 ? sqrt(d / (n - 1) / n) : 0
    }
    FNR == NR && kept { was[$1] = $2; doubt[$1] = $3; before[$1] = 1; next }
    FNR == NR {
        first[$1, $2] = $3
        sum0[$1] += $3
        squares0[$1] += $3 * $3
        before[$1] += $4
        next
    }
    {
        if (!n[$1]++) test[++tests] = $1
        d = kept ? $3 : $3 - first[$1, $2]
        sum[$1] += $3
        sums[$1] += d
        squares[$1] += d * d
        found[$1] += $4
    }
    END {
        printf "%-58s %8s %8s\n", "mean executions to the first failure", "earlier", "today"
        for (i = 1; i <= tests; i++) {
            t = test[i]
            if (!before[t] || !found[t]) continue
            if (!kept) was[t] = sum0[t] / n[t]
            if (!kept) doubt[t] = error(sum0[t], squares0[t], n[t])
            e = error(sums[t], squares[t], n[t])
            if (kept) e = sqrt(e * e + doubt[t] * doubt[t])
            mean = sum[t] / n[t]
            printf "%-58s %8.2f %8.2f  %+.2f +- %.2f\n", t, was[t], mean, mean - was[t], e
            logs += log(mean / was[t])
            all++
            if (saved) printf "%s %.3f %.3f %d\n", t, was[t], doubt[t], n[t] >saved
        }
        if (all) printf "geometric mean of the ratios of %d: %.3f\n", all, exp(logs / all)
    }' "$earlier" "$out/ours/rows"

#!/bin/sh
# bench/9_peers.sh: the programs of bench/programs.h under racefuzz and under Relacy, in one run:
# instructions of an execution (repeatable), and rates by turns (ROUNDS=15), of which the median of
# the ratios and their range are told.
set -eu
. bench/lib.sh
: "${CXX:=g++}" "${ROUNDS:=15}"
echo '#include <relacy/relacy.hpp>' >"$BUILD/bench/has_relacy.cpp"
if ! have "$CXX" ||
    ! $CXX -w -fsyntax-only "$BUILD/bench/has_relacy.cpp" 2>"$BUILD/bench/relacy.log"; then
    echo "peers: Relacy is missing (Debian: apt-get install g++ relacy-dev)"
    exit 0
fi
build speed
$CXX -O2 -w -o "$BUILD/bench/relacy" bench/relacy.cpp -pthread
speed=$BUILD/bench/speed relacy=$BUILD/bench/relacy

rate() { "$@" | awk '{ print $3 }'; }

# ratios PROGRAM COUNT [ANALYSES]: median, least and greatest of racefuzz's rate to Relacy's
ratios() {
    round=0
    while [ "$round" -lt "$ROUNDS" ]; do
        echo "$(rate "$speed" "$1" fine random ${3+"$3"} "$2") $(rate "$relacy" "$1" "$2")"
        round=$((round + 1))
    done | awk '{ print $1 / $2 }' | sort -n | awk '
        { r[NR] = $1 }
        END { printf "%.2f (%.2f to %.2f)", r[int((NR + 1) / 2)], r[1], r[NR] }'
}

row() { # PROGRAM COUNT
    a=- b=- c=-
    if have valgrind; then
        a=$(each 300 1300 "$relacy" "$1")
        b=$(each 300 1300 "$speed" "$1" fine)
        c=$(each 300 1300 "$speed" "$1" fine random default)
    fi
    printf '%-16s %10s %10s %10s   %-22s %-22s\n' "$1" "$a" "$b" "$c" "$(ratios "$1" "$2")" \
        "$(ratios "$1" "$2" default)"
}

printf '\n%-16s %32s   %s\n' "" "instructions of an execution" "rate to Relacy's, c11, 32 stores"
printf '%-16s %10s %10s %10s   %-22s %-22s\n' program Relacy racefuzz analyses "no analyses" \
    "default analyses"
row empty 400000
row store_buffering 200000
row peterson 100000
row mutex_counter 50000
row treiber 10000

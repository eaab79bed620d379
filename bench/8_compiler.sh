#!/bin/sh
# bench/8_compiler.sh: what an access that -fsanitize=thread announces costs with racefuzz
# (RF_HOOK_COMPILER) and with the compiler's own ThreadSanitizer, in nanoseconds of the processor.
# Both run in turns, the best of several; the ratio is what compares machines.
set -eu
. bench/lib.sh
if ! $CC -fsanitize=thread -o "$BUILD/bench/compiler_tsan" -O2 -g bench/compiler.c -pthread \
    2>/dev/null || ! "$BUILD/bench/compiler_tsan" own 1 >/dev/null 2>&1; then
    echo "accesses by -fsanitize=thread: $CC has no ThreadSanitizer that runs here"
    exit 0
fi
hooks="-DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM -I."
engine=$BUILD/bench/compiler_engine.o object=$BUILD/bench/compiler.o
$CC -std=c11 -O2 $hooks -DRF_IMPLEMENTATION -x c -c -o "$engine" racefuzz.h
$CC -std=c11 -O2 -g -fsanitize=thread -include racefuzz.h $hooks -c -o "$object" bench/compiler.c
$CC -o "$BUILD/bench/compiler_racefuzz" "$object" "$engine" -pthread
$CC -std=c11 -O2 -g -o "$BUILD/bench/compiler_plain" bench/compiler.c -pthread

# once WHAT KIND: one measurement, of some tenths of a second
once() {
    case $1:$2 in
    usual:block | usual:copy) n=100 ;;
    usual:*) n=200000 ;;
    *:locked) n=1000000 ;;
    *:block | *:copy) n=200 ;;
    *) n=50000000 ;;
    esac
    case $1 in
    plain) "$BUILD/bench/compiler_plain" "$2" $n ;;
    tsan) "$BUILD/bench/compiler_tsan" "$2" $n ;;
    usual) racefuzz "$2" $n ;;
    *) racefuzz "$2" $n --strategy=sticky --granularity=coarse --memory=sc --detect="$1" ;;
    esac | awk '$1 == "ns" { print $2 }'
}

# racefuzz KIND ROUNDS OPTIONS...: one execution in this process
racefuzz() {
    kind_=$1 rounds=$2
    shift 2
    "$BUILD/bench/compiler_racefuzz" --jobs=0 --executions=1 --seconds=none --steps=100000000 \
        --watchdog=60 "$@" -- "$kind_" "$rounds"
}

# Nanoseconds, and how many times ThreadSanitizer's.  Where an analysis is named, threads change at
# synchronisation, and else seldom; none: nobody looks at accesses.  usual: the first execution of a
# campaign without options, where each access is a scheduling point.
printf '%-8s %10s %10s %18s %18s %18s %18s\n' "ns" plain tsan none fasttrack hb usual
for kind in own shared locked block copy; do
    for round in 1 2 3; do
        for what in plain tsan none fasttrack hb usual; do echo "$what $(once $what $kind)"; done
    done | awk -v kind=$kind '
        NF == 2 && (!($1 in best) || $2 < best[$1]) { best[$1] = $2 }
        function beside(what) {
            return sprintf("%10.2f (%5.2f)", best[what], best[what] / best["tsan"])
        }
        END {
            printf "%-8s %10.2f %10.2f %18s %18s %18s %18s\n", kind, best["plain"], best["tsan"],
                beside("none"), beside("fasttrack"), beside("hb"), beside("usual")
        }'
done

#!/bin/sh
# bench/6_detectors.sh: what an access costs under each detector, beside other tools.
#
# Nanoseconds are CPU time of all threads; instructions are those of one operation, by callgrind.
# Helgrind and DRD (Debian: valgrind), clang's ThreadSanitizer (clang) and gcc's are left out, with
# one line, where they are missing.  COUNT=N: operations of a row (default 4,000,000).
set -eu
. bench/lib.sh
: "${COUNT:=4000000}"
family="hb hybrid fasttrack eraser lockset hb,hybrid hb,hybrid,fasttrack,eraser,lockset"
program="$BUILD/bench/detectors"

build detectors
# native NAME COMPILER [flags]: the same program on real threads; fails where that can't be built
native() {
    name=$1 compiler=$2
    shift 2
    have "$compiler" && "$compiler" -std=c11 -O2 -g -I. -DRF_OFF "$@" -o "$program.$name" \
        bench/detectors.c -pthread 2>/dev/null
}
native native "$CC"
tools=native
native gcc-tsan gcc -fsanitize=thread && tools="$tools gcc-tsan" ||
    echo "gcc -fsanitize=thread: missing"
native clang-tsan clang -fsanitize=thread && tools="$tools clang-tsan" ||
    echo "clang -fsanitize=thread: missing (Debian: apt-get install clang)"
if have valgrind; then
    tools="$tools helgrind drd"
else
    echo "helgrind, drd: missing (Debian: apt-get install valgrind)"
fi

# cost WHO KIND LOCATIONS THREADS [COUNT]: nanoseconds of one operation
cost() {
    who=$1 n=${5:-$COUNT}
    shift
    case $who in
    helgrind | drd)
        valgrind --tool="$who" "$program.native" none "$1" "$2" "$3" $((n / 8)) 2>/dev/null ;;
    native | *-tsan) "$program.$who" none "$1" "$2" "$3" "$n" 2>/dev/null ;;
    *) "$program" "$who" "$1" "$2" "$3" "$n" ;;
    esac || :
}

# count WHO KIND: instructions of one operation, where they can be counted
count() {
    case $1 in
    *-tsan | helgrind | drd) echo "-" ;;
    *)
        p=$program
        [ "$1" != native ] || p=$program.native
        have valgrind && each 100000 300000 "$p" "$1" "$2" 1000 2 || echo "-"
        ;;
    esac
}

printf '\n%-44s %8s %8s %8s %8s\n' "ns an operation, 2 threads, 1,000 locations" \
    own shared locked lock
for who in $tools none $family; do
    printf '%-44s' "$who"
    for kind in own shared locked lock; do printf ' %8s' "$(cost "$who" $kind 1000 2)"; done
    echo
done

printf '\n%-44s %8s %8s %8s %8s\n' "instructions an operation" own shared locked lock
for who in native none $family; do
    printf '%-44s' "$who"
    for kind in own shared locked lock; do printf ' %8s' "$(count "$who" $kind)"; done
    echo
done

printf '\n%-44s %8s %8s %8s %8s %8s\n' "ns an access of own data, by locations" 1e3 1e4 1e5 1e6 1e7
for who in $tools hb hybrid fasttrack eraser lockset; do
    case $who in helgrind | drd) continue ;; esac
    printf '%-44s' "$who"
    for n in 1000 10000 100000 1000000 10000000; do
        printf ' %8s' "$(cost "$who" own $n 2 $((COUNT > 10 * n ? COUNT : 10 * n)))"
    done
    echo
done

for kind in own locked; do
    printf '\n%-44s %8s %8s %8s %8s\n' "ns an access, $kind, by threads" 2 10 100 1000
    for who in $tools hb hybrid fasttrack eraser lockset; do
        case $who in helgrind | drd) continue ;; esac
        printf '%-44s' "$who"
        for t in 2 10 100 1000; do
            printf ' %8s' "$(cost "$who" $kind 1000 $t $((5 * COUNT)))"
        done
        echo
    done
done

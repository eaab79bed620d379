#!/bin/sh
# Do the tests notice a mistake?  Applies each of the one-line mutants of tests/mutants.txt in a
# copy of the tree and runs the tests that the list names for it, until one fails.  A mutant under
# which all of them pass survives; one that can't be applied, because its text does not stand
# exactly once in the file, is a failure too.
#
#     BUILD=build JOBS=2 sh tests/mutants.sh [PATTERN]
#
# A script that is named gcc:NAME runs with gcc: what it notices is gcc's.
#
# PATTERN: only mutants whose file, or a test of which, matches it (as grep -E has it).
# SHARE=K/N: of these only each N-th one, from the K-th on.
# SOUND=no: without looking whether the tests pass without mutants.
# FAST: the compiler; clang, if it is there, which takes a third of gcc's time without optimisation.
# What a mutant costs, most of it for compiling the engine, is told at the end.
set -u
CC=${FAST:-$(if command -v clang >/dev/null; then echo clang; else echo "${CC:-cc}"; fi)}
BUILD=${BUILD:-build} LIMIT=${LIMIT:-300}
JOBS=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
unset MAKEFLAGS MFLAGS MAKELEVEL
export CC
usual=$CC
COMPILE="$CC -std=c11 -O0 -w -pthread -I."
list=tests/mutants.txt pattern=${1-.}

mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/mutants.XXXXXX")
work=$(cd "$work" && pwd)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# One line for each mutant: file, tests, old and new text, with tabs between.
awk -v OFS='\t' '
    /^src\/[^:]*: / { file = $1; sub(/:$/, "", file); tests = $0; sub(/^[^:]*: /, "", tests) }
    /^- / { old = substr($0, 3) }
    /^\+ / { print file, tests, old, substr($0, 3) }' "$list" >"$work/all"
share=${SHARE:-1/1}
awk -F '\t' -v pattern="$pattern" -v k="${share%/*}" -v n="${share#*/}" \
    '($1 " " $2) ~ pattern && ++i % n == k % n' "$work/all" >"$work/list"

# apply FILE OLD NEW
apply() {
    OLD=$2 NEW=$3 awk '
        BEGIN { old = ENVIRON["OLD"]; new = ENVIRON["NEW"] }
        {
            for (rest = $0; (at = index(rest, old)) != 0; rest = substr(rest, at + length(old))) {
                found++
                $0 = substr($0, 1, index($0, old) - 1) new substr($0, index($0, old) + length(old))
            }
            print
        }
        END { exit found != 1 }' "$1" >mutant && mv mutant "$1"
}

# Builds what test $1 needs, in the tree that is the current folder.  Tests that look into the
# engine are compiled together with it.
builds() {
    flags=-DRF_IMPLEMENTATION=
    case $1 in
    *.sh)
        [ -e build/libracefuzz.a ] || make -s CC="$CC" CFLAGS=-O0 build/libracefuzz.a
        return
        ;;
    esac
    grep -q -e '^.define RF_IMPLEMENTATION' -e report_record.h "tests/$1.c" || flags=
    flags="$flags $(sed -n '1s|^// flags: *||p' "tests/$1.c")"
    case $CC-$1 in # without optimisation it keeps what is dead, which counts as remembered
    clang*-graphs*) flags="$flags -O1" ;;
    esac
    case $flags in
    *IMPLEMENTATION*) $COMPILE $flags "tests/$1.c" -o "$1" && return ;;
    esac
    # The others need the engine, also those that have a part of it (as in the Makefile).
    [ -e engine.o ] ||
        $COMPILE -DRFI_VISIBLE=1 -DRF_IMPLEMENTATION -DRF_HOOK_THREADS -x c -c racefuzz.h \
            -o engine.o || return
    $COMPILE $flags "tests/$1.c" engine.o -Wl,-z,muldefs -o "$1"
}

passes() {
    case $1 in
    *.sh) FIRST=yes BUILD=build timeout "$LIMIT" sh "tests/$1" ;;
    *) timeout "$LIMIT" "./$1" ;;
    esac
}

# Prints how the mutant of one line of the list fares.
judge() {
    name="$1: '$3' -> '$4'"
    cp "$1" kept
    if ! apply "$1" "$3" "$4"; then
        echo "not ok $name: does not apply"
        return
    fi
    by=
    rm -rf build engine.o
    sh src/join.sh .
    for test in $2; do
        CC=$usual
        case $test in gcc:*) CC=gcc test=${test#gcc:} ;; esac
        builds "$test" >log 2>&1 || by="none: $test does not build"
        [ -n "$by" ] || passes "$test" >log 2>&1 || by=$test
        [ -z "$by" ] || break
    done
    cp kept "$1"
    case $by in
    '') echo "not ok $name: survives $2" ;;
    none*) echo "not ok $name: judged by $by" ;;
    *) echo "ok $name # $by" ;;
    esac
}

# Every JOBSth line of what is given, from line $1 on, in a tree of its own.
tab=$(printf '\t')
each() {
    mkdir "$work/$1"
    cp -R Makefile LICENSE README.md racefuzz.h racefuzz_mem.h src tests docs examples bench \
        packaging "$work/$1"
    cd "$work/$1" || exit 1
    awk -v n="$1" -v of="$JOBS" 'NR % of == n % of' "$2" | while IFS=$tab read -r a b c d; do
        "$3" "$a" "$b" "$c" "$d" </dev/null
    done
    cd "$work" && rm -rf "$1"
}

all() {
    n=0
    while [ "$n" -lt "$JOBS" ]; do
        (each "$n" "$1" "$2") &
        n=$((n + 1))
    done
    wait
}

# Without mutants all the tests pass.
sound() {
    if builds "$1" >log 2>&1 && passes "$1" >log 2>&1; then
        echo "ok $1 passes without mutants"
    else
        echo "not ok $1 passes without mutants"
        tail -n 20 log | sed 's/^/    /'
    fi
}

cut -f 2 "$work/list" | tr ' ' '\n' | sed 's/^gcc://' | sort -u >"$work/tests"
{
    [ "${SOUND:-yes}" = no ] || all "$work/tests" sound
    all "$work/list" judge
    times >"$work/times" # a pipe would be a process of its own
    sed -n '2s/[ms]/ /gp' "$work/times" | awk -v n="$(wc -l <"$work/list")" \
        '{ printf "# %d s of the processor, %.1f a mutant\n", s = 60 * ($1 + $3) + $2 + $4, s / n }'
} | tee "$work/said"
passed=$(grep -c '^ok ' "$work/said")
failed=$(grep -c '^not ok ' "$work/said")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

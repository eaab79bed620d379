#!/bin/sh
# bench/13_proofs.sh: which tests of the examples, and which of the known bugs in bench/bugs,
# `graphs` refutes or proves, and after how many executions.
# PROGRAMS="wsq treiber": only these.  EXECUTIONS, SECONDS_EACH: what each may take.
set -eu
. bench/lib.sh
: "${EXECUTIONS:=3000000}" "${SECONDS_EACH:=60}" "${PROGRAMS:=}"
out=$BUILD/bench/proofs
mkdir -p "$out"
make -s BUILD="$BUILD" CC="$CC" "$BUILD/libracefuzz.a"
flags="-std=c11 -O1 -g -w -I. -DRFI_LINKED"

# row TITLE PROGRAM TEST
row() {
    "$2" --filter="$3,-?*$3*,-*$3?*" --strategy=graphs --shrink=0 --fail-fast \
        --executions="$EXECUTIONS" --seconds="$SECONDS_EACH" --format=tap >"$out/said" 2>&1 || :
    awk -v title="$1" '
        $1 == "first_failure:" && $2 { said = "refuted in execution " $2 }
        !said && /says: ".* explored/ {
            said = $0
            gsub(/^[^"]*"|"[^"]*$/, "", said)
            if (said ~ /race/) said = "refuted: plain accesses race"
        }
        END { printf "| %s | %s |\n", title, said ? said : "?" }' "$out/said"
}

# rows PROGRAM TITLE: of each of its tests
rows() {
    for test in $("$1" --list); do
        case " $PROGRAMS " in
        "  " | *" $test "* | *" ${2%% *} "*) row "$2 $test" "$1" "$test" ;;
        esac
    done
}

for example in $(examples); do
    # shellcheck disable=SC2046,SC2086 # lists
    $CC $flags -Iexamples $(sources "$example") -o "$out/$example" "$BUILD/libracefuzz.a" -pthread
    rows "$out/$example" "$example"
    # shellcheck disable=SC2046,SC2086
    $CC $flags -DEXPECT_PASS -Iexamples $(sources "$example" fixed) -o "$out/$example" \
        "$BUILD/libracefuzz.a" -pthread
    rows "$out/$example" "$example fixed"
done
printf '#include "racefuzz.h"\nRF_MAIN()\n' >"$out/main.c"
# shellcheck disable=SC2046,SC2086
$CC $flags "$out/main.c" $(ls bench/bugs/*.c | grep -v /bugs.c) -o "$out/bugs" \
    "$BUILD/libracefuzz.a" -pthread
rows "$out/bugs" bugs

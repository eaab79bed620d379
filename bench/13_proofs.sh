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

# row TITLE PROGRAM TEST [OPTION]
row() {
    "$2" --filter="$3,-?*$3*,-*$3?*" --strategy=graphs --shrink=0 --fail-fast ${4-} \
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

# sized EXAMPLE TITLE TEST EDIT: one of its forms in another size, by an edit of all its files
form=fixed
sized() {
    case " $PROGRAMS " in
    "  " | *" $1 "* | *" $3 "*) ;;
    *) return 0 ;;
    esac
    rm -rf "$out/sized"
    mkdir -p "$out/sized"
    cp -r examples "$out/sized"
    for file in examples/"$1"/*.[ch]; do sed "$4" "$file" >"$out/sized/$file"; done
    # shellcheck disable=SC2046,SC2086
    $CC $flags ${form:+-DEXPECT_PASS} -I"$out/sized/examples" \
        $(sources "$1" $form | sed "s|^|$out/sized/|") -o "$out/sized/test" \
        "$BUILD/libracefuzz.a" -pthread
    row "$1${form:+ $form} $3, $2" "$out/sized/test" "$3"
}

# queue PRODUCERS WORKERS JOBS
queue() {
    sized workqueue "$1 + $2 threads, $3 each" every_job_runs_once \
        "s/PRODUCERS = 4, WORKERS = 4, JOBS = 2/PRODUCERS = $1, WORKERS = $2, JOBS = $3/"
}

queue 1 1 2
queue 2 1 1
queue 1 2 1
queue 2 2 1
queue 2 1 2
form=
queue 2 1 2
form=fixed
for n in 2 3; do
    sized collections "$n threads" any_functions_at_once "s/t\[4\]/t[$n]/; s/i < 4/i < $n/"
done
line='s/{"ada 1", "bob 2k", "ada 3"}/{"ada 2004"}/; s/line_count = 3/line_count = 1/
    s/, 3u)/, 1u)/; s/names, 2u/names, 1u/; s/lines, 3)/lines, 1)/; s/WORKERS = 2/WORKERS = 1/'
sized pipeline "a line, a parser" all_lines_are_counted "$line"
sized refcount "3 threads" all_that_was_written_is_sent \
    "s/OWNERS = 2/OWNERS = 3/; s/100 + 101/& + 102/"
sized publish "2 readers" a_reader_finds_one_version \
    's/reader = \(.*\);/reader = \1, another = \1;/; s/RF_JOIN(reader);/& RF_JOIN(another);/'
sized lazy "3 threads" the_logger_is_complete \
    's/rf_thread b = \(.*\);/rf_thread b = \1, c = \1;/; s/RF_JOIN(b);/& RF_JOIN(c);/'

# The monitor looks as often as it likes.
for test in a_fault_is_reported_where_it_is the_monitor_sees_the_end; do
    case " $PROGRAMS " in
    "  " | *" pipeline "* | *" $test "*)
        # shellcheck disable=SC2046,SC2086
        $CC $flags -Iexamples $(sources pipeline) -o "$out/pipeline" "$BUILD/libracefuzz.a" -pthread
        row "pipeline $test, --unroll=1" "$out/pipeline" "$test" --unroll=1
        ;;
    esac
done

printf '#include "racefuzz.h"\nRF_MAIN()\n' >"$out/main.c"
# shellcheck disable=SC2046,SC2086
$CC $flags "$out/main.c" $(ls bench/bugs/*.c | grep -v /bugs.c) -o "$out/bugs" \
    "$BUILD/libracefuzz.a" -pthread
rows "$out/bugs" bugs
# An owner that waits for a lock by an exchange may do so for ever.
for test in iwsq iwsqws swsq; do
    case " $PROGRAMS " in
    "  " | *" $test "*) row "bugs $test, --unroll=16" "$out/bugs" "$test" --unroll=16 ;;
    esac
done

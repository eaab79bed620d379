#!/bin/sh
# Runs test programs and test scripts (*.sh), JOBS of them at a time (default: one a processor), and
# SPARE more (default: none), where some of them wait.
#
#     BUILD=build CC=gcc sh tests/run.sh build/tests/mutex tests/house.sh ...
#
# A test prints "ok NAME" or "not ok NAME" for each thing that it shows, and last of all
# "N passed, N failed", with ", N skipped" if there are any.  Exit status 77 means that it could not
# run here.  A test that crashes, takes longer than LIMIT seconds (default 600), has no such last
# line, shows nothing, or whose status contradicts its last line counts as one failure.
# Only what a failed test printed is shown, in full, at the end.  The last line sums up.  Seconds
# are those of the processor, which do not hang on what else runs.  What a program below BUILD
# printed is kept in BUILD/logs, for tests/claims.sh.
set -eu

JOBS=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
LIMIT=${LIMIT:-600} # a busy machine may take ten times as long as one that is not
BUILD=${BUILD:-build}
CC=${CC:-cc}
export BUILD CC
. tests/plain.sh

mkdir -p "$BUILD"
out=$(mktemp -d "$BUILD/run.XXXXXX")
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM

# Runs a command for at most LIMIT seconds: status 124 when they were not enough.
if command -v timeout >/dev/null 2>&1; then
    limited() { timeout -k 5 "$LIMIT" "$@"; }
else
    limited() {
        "$@" &
        command=$!
        (
            n=0
            while [ "$n" -lt "$LIMIT" ] && kill -0 "$command" 2>/dev/null; do
                sleep 1
                n=$((n + 1))
            done
            kill -TERM "$command" 2>/dev/null && sleep 5 && kill -KILL "$command" 2>/dev/null
        ) </dev/null >/dev/null 2>&1 &
        result=0
        wait "$command" || result=$?
        [ "$result" -ne 143 ] || result=124
        return "$result"
    }
fi

# Judges test number $1, which ended with status $2: leaves "passed failed skipped" in its .count.
judge() {
    p=none complaint=
    tail -n 1 "$out/$1.log" | sed -n \
        -e 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2 0/p' \
        -e 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' \
        >"$out/$1.count"
    read -r p f s <"$out/$1.count" || p=none f=0 s=0
    if [ "$2" -eq 77 ] && [ "$p" = none ]; then
        p=0 s=1
    elif [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
        complaint="took longer than $LIMIT seconds"
    elif [ "$p" = none ]; then
        complaint="ended with status $2 and without a last line \"N passed, N failed\""
    elif [ $((p + f + s)) -eq 0 ]; then
        complaint="has shown nothing"
    elif [ "$f" -eq 0 ] && [ "$2" -ne 0 ] && [ "$2" -ne 77 ]; then
        complaint="ended with status $2 and without a failure"
    elif [ "$f" -ne 0 ] && [ "$2" -eq 0 ]; then
        complaint="ended with status 0 in spite of failures"
    fi
    if [ -n "$complaint" ]; then
        echo "not ok: $complaint" >>"$out/$1.log"
        [ "$p" != none ] || p=0
        f=$((f + 1))
    fi
    echo "$p $f $s" >"$out/$1.count"
}

keep() {
    mkdir -p "${2%/*}"
    cp "$1" "$2.new"
    mv "$2.new" "$2"
}

# The time that what has ended here has cost the processor, in 1/100 s.  Not for $(cpu): that would
# be a process of its own.
cpu() {
    times >"$out/times.$worker"
    spent=$(sed -n '2s/[ms]/ /gp' "$out/times.$worker" |
        awk '{ printf "%d", 100 * (60 * ($1 + $3) + $2 + $4) }')
}

# Takes one test after the other until none is left; whoever makes the directory has the test.
work() {
    number=0
    for test in "$@"; do
        number=$((number + 1))
        mkdir "$out/$number" 2>/dev/null || continue
        status=0
        cpu
        before=$spent
        case $test in
        *.sh) limited sh "$test" >"$out/$number.log" 2>&1 </dev/null || status=$? ;;
        */examples/*) # no machine is too slow for them; an execution of the pipeline takes 2 ms
            (
                export RF_SECONDS=none
                case $test in */pipeline*) export RF_EXECUTIONS=200 ;; esac
                limited "$test" >"$out/$number.log" 2>&1 </dev/null
            ) || status=$?
            ;;
        *) limited "$test" >"$out/$number.log" 2>&1 </dev/null || status=$? ;;
        esac
        cpu
        spent=$((spent - before))
        judge "$number" "$status"
        case $test in
        "$BUILD"/tests/*)
            [ "$status" -gt 1 ] ||
                keep "$out/$number.log" "$BUILD/logs/${test#"$BUILD"/tests/}.log"
            ;;
        esac
        read -r passed failed skipped <"$out/$number.count"
        word=ok
        [ "$skipped" -eq 0 ] || [ "$passed" -ne 0 ] || word=skip
        [ "$failed" -eq 0 ] || word=FAIL
        printf '%-4s %5d passed %4d.%ds  %s\n' "$word" "$passed" $((spent / 100)) \
            $((spent / 10 % 10)) "$test"
    done
}

worker=0
while [ "$worker" -lt $((JOBS + ${SPARE:-0})) ]; do
    work "$@" &
    worker=$((worker + 1))
done
wait

passed=0 failed=0 skipped=0 number=0
for test in "$@"; do
    number=$((number + 1))
    if ! read -r p f s <"$out/$number.count"; then
        p=0 f=1 s=0
        echo "not ok: was not run" >"$out/$number.log"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    [ "$f" -eq 0 ] || { printf '\n==== %s\n' "$test"; cat "$out/$number.log"; }
done

[ "$failed" -eq 0 ] || echo
if [ "$skipped" -eq 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]

#!/bin/sh
# A token under gdb: one process, no fork, and a break at a line stops in the thread that failed.
name=debugger
. tests/try.sh

# its script reads variables of the engine, which the library does not tell of
$CC -std=c11 -g -O0 -pthread -I. tests/tokens/program.c tests/tokens/counter.c \
    "$(engine_for "$CC" -O0 -g)" -o "$work/program"
RF_EXECUTIONS=100 "$work/program" >"$work/report"

# token TEST [WORDS]: of its first finding (that says WORDS).
token() {
    awk -v test="(test $1)" -v words="${2:-}" '
        /^[a-z].*\(test / { hit = 0; here = index($0, test) }
        here && index($0, words) { hit = 1 }
        hit && sub(/^ *replay: RF_SEED=/, "") { print $1; exit }' "$work/report" | grep .
}

# debug TOKEN COMMAND...: gdb on the execution; what it says is in $work/out.
debug() {
    needs gdb
    token=$1
    shift
    printf '%s\n' 'set confirm off' run "$@" >"$work/commands"
    RF_SEED=$token gdb -nx -batch -x "$work/before" -x "$work/commands" "$work/program" \
        >"$work/out" 2>&1
    cat "$work/out"
    ! grep 'ptrace: Operation not permitted' "$work/out" || skip "ptrace is refused"
}

line_of() { grep -n "$1" tests/tokens/program.c | sed 's/:.*//'; }

a_break_at_the_failing_line_stops_there() {
    line=$(line_of 'RF_ASSERT_EQ(RF_LOAD(total), 2)')
    echo "break program.c:$line" >"$work/before"
    debug "$(token order)" 'print total' backtrace
    grep "Breakpoint 1, .*program.c:$line" "$work/out"
    grep '^\$1 = 1$' "$work/out"
    grep 'rf_test_order' "$work/out"
}

a_crash_stops_at_its_statement() {
    : >"$work/before"
    debug "$(token crash SIGSEGV)" backtrace
    grep 'received signal SIGSEGV' "$work/out"
    grep "rf_test_crash.*program.c:$(line_of 'nowhere = 1')" "$work/out"
}

both_back_ends_run_to_the_end() {
    : >"$work/before"
    for backend in fiber threads; do
        export RF_BACKEND=$backend
        debug "$(token transfer)"
        grep 'assertion failed' "$work/out"
        grep 'exited with code 01' "$work/out"
        if grep '^note' "$work/out"; then exit 1; fi
    done
}

# ---- where a replay stops, and the commands for logical threads ----

"$work/program" --gdb-script >"$work/rf.py"
sed -n 's/^    "\(.*\)",$/\1/p' src/report/gdb.h | cmp - "$work/rf.py"

# stopped BACKEND TOKEN PLACE COMMAND...: the replay stops there; the script is loaded.
stopped() {
    export RF_BACKEND=$1 RF_STOP_AT=$3
    printf 'source %s\n' "$work/rf.py" >"$work/before"
    token=$2
    shift 3
    debug "$token" "$@"
    grep 'received signal SIGTRAP' "$work/out"
    unset RF_BACKEND RF_STOP_AT
    lacks out 'Error occurred'
}

it_stops_at_a_step_a_failure_and_a_race() {
    stopped "$1" "$(token transfer)" failure 'rf thread 0'
    grep 'racefuzz: stopped at the failure, in T0' "$work/out"
    grep 'rf_test_transfer' "$work/out"
    stopped "$1" "$(token transfer)" race 'info rf-threads'
    grep 'racefuzz: stopped at the race, in T' "$work/out"
    stopped "$1" "$(token transfer)" 6 'print rfi.record->events'
    grep 'racefuzz: stopped at the step, in T' "$work/out"
    grep '^\$1 = 6$' "$work/out"
}

parked_threads_have_stacks() {
    stopped "$1" "$(token transfer)" race 'info rf-threads' 'rf thread 0' 'rf thread 1' \
        'rf thread 2' backtrace
    grep '^. T0 test body: before join at .*program.c:' "$work/out"
    [ "$(grep -c '^\* T[0-9] ' "$work/out")" -eq 1 ]
    [ "$(grep -c '^. T[12] deposit: ' "$work/out")" -eq 2 ]
    [ "$(grep -c 'in rf_test_transfer' "$work/out")" -eq 1 ]
    [ "$(grep -c 'in deposit' "$work/out")" -eq 3 ] # two threads, and the last backtrace
}

# The numbers are those that the replay prints.
steps_go_from_thread_to_thread() {
    stopped "$1" "$(token transfer)" 3 'rf step' 'rf step' 'rf step' 'rf step' 'rf step' continue
    sed -n 's/^step \([0-9]*\): T\([0-9]\) .*/\1/p' "$work/out" >"$work/steps"
    printf '%s\n' 4 5 6 7 8 | cmp - "$work/steps"
    [ "$(sed -n 's/^step [0-9]*: \(T[0-9]\) .*/\1/p' "$work/out" | sort -u | wc -l)" -gt 1 ]
    grep '^step [0-9]*: T[12] \(load\|store\) at .*program.c:[0-9]*  ' "$work/out"
    grep 'exited with code 01' "$work/out"
}

locks_have_holders() {
    stopped "$1" "$(token philosophers)" failure 'rf locks'
    [ "$(grep -c '^T[12] holds .*, taken at .*program.c' "$work/out")" -eq 2 ]
    [ "$(grep -c '^T[12] wants .* at .*program.c' "$work/out")" -eq 2 ]
    grep '^T0 waits for another thread at .*program.c' "$work/out"
    stopped "$1" "$(token transfer)" race 'rf locks'
    lacks out ' holds '
}

without_a_debugger_it_says_so_and_goes_on() {
    for place in race failure 3; do
        gives 1 alone env RF_SEED="$(token transfer)" "$work/program" --stop-at=$place
        says alone.err "but no debugger is attached"
        one_line alone.err
        says alone "assertion failed"
    done
    gives 1 beyond env RF_SEED="$(token transfer)" "$work/program" --stop-at=99999
    says beyond.err "racefuzz: --stop-at: the execution did not come there"
    gives 2 campaign "$work/program" --stop-at=3
    one_line campaign.err
    says campaign.err "--stop-at is for replays: it needs RF_SEED=token"
}

# lldb_on TOKEN PLACE BACKEND COMMAND...
lldb_on() {
    needs lldb
    printf '%s\n' "settings set target.env-vars RF_SEED=$1 RF_STOP_AT=$2 RF_BACKEND=$3" \
        >"$work/commands"
    shift 3
    printf '%s\n' "$@" >>"$work/commands"
    lldb --no-lldbinit -b -s "$work/commands" "$work/program" >"$work/out" 2>&1
    ! grep -i 'operation not permitted' "$work/out" || skip "ptrace is refused"
    cat "$work/out"
}

lldb_stops_there_too() {
    line=$(line_of 'RF_ASSERT_EQ(RF_LOAD(total), 2)')
    lldb_on "$(token order)" failure fiber "breakpoint set -f program.c -l $line" run bt \
        'breakpoint delete -f' continue bt
    grep "stop reason = breakpoint 1" "$work/out"
    grep "rf_test_order.* at program.c:$line" "$work/out"
    grep "racefuzz: stopped at the failure, in T0" "$work/out"
    grep "stop reason = signal SIGTRAP" "$work/out"
    lldb_on "$(token transfer)" race threads run 'thread backtrace all'
    grep "stop reason = signal SIGTRAP" "$work/out"
    [ "$(grep -c '`deposit(' "$work/out")" -eq 2 ]
    [ "$(grep -c '`rf_test_transfer' "$work/out")" -eq 1 ]
}

for backend in fiber threads; do
    try it_stops_at_a_step_a_failure_and_a_race $backend
    try parked_threads_have_stacks $backend
    try steps_go_from_thread_to_thread $backend
    try locks_have_holders $backend
done
try lldb_stops_there_too
try without_a_debugger_it_says_so_and_goes_on
try a_break_at_the_failing_line_stops_there
try a_crash_stops_at_its_statement
try both_back_ends_run_to_the_end
summary

#!/bin/sh
# A token under gdb: one process, no fork, and a break at a line stops in the thread that failed.
# Run from the top of the tree, with CC and BUILD set.
name=debugger
. tests/try.sh

$CC -std=c11 -g -O0 -pthread -I. tests/tokens/program.c tests/tokens/counter.c "$library" \
    -o "$work/program"
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
    command -v gdb >/dev/null || skip "no gdb"
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

try a_break_at_the_failing_line_stops_there
try a_crash_stops_at_its_statement
try both_back_ends_run_to_the_end
summary

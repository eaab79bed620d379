#!/bin/sh
# Each way to die in the code under test is a finding with a token that dies the same way, and the
# campaign goes on.
name=crash
. tests/try.sh

# How each test of deaths.c ends: name, status of a replay, what is said of it, what the program
# wrote to its standard error.
cat >"$work/deaths" <<'END'
segv_null:1:SIGSEGV, null pointer, at offset 0x:
null_read:1:read of got()->x through a null pointer:
null_write:1:write of got()->x through a null pointer:
segv_wild:1:SIGSEGV, at offset 0x:
segv_in_thread:1:SIGSEGV, null pointer, at offset 0x:
segv_in_foreign_thread:1:SIGSEGV, null pointer, at offset 0x:
failed_assert:1:SIGABRT, abort() was called:half of them
call_of_abort:1:SIGABRT, abort() was called:
sigfpe:1:SIGFPE:
sigill:1:SIGILL:
sigbus:1:SIGBUS:
stack_overflow:1:the stack of a thread has 256 KiB:
exit_0:1:exit(0) was called:
exit_3:1:exit(3) was called:
exit_in_thread:1:exit(0) was called:
libc_double_free:1:SIGABRT, abort() was called:double free
underscore_exit:4:_exit(4) was called:
sigkill:137:SIGKILL:
sigterm:143:SIGTERM:
runaway:1:1 s of CPU time without an operation of racefuzz:
blocked_in_a_mutex:1:1 s without an operation of racefuzz or CPU time:
blocked_in_read:1:1 s without an operation of racefuzz or CPU time:
END
quick=$(sed -n -e '/^runaway/q' -e 's/:.*//p' "$work/deaths")
# What RF_JOBS=0 survives; where exit() may hold a lock of a thread that is given up, less.
caught=$(echo "$quick" | grep -v -e underscore_exit -e sigkill -e sigterm -e foreign)
caught_in_threads=$(echo "$caught" | grep -v exit)

# Only those that wait for the watchdog get a short one.
watchdog() { case $1 in runaway | blocked*) echo 1 ;; *) echo 100 ;; esac; }

# die DEATH PROGRAM JOBS BACKEND EXECUTIONS SEED: the campaign, then its token.
die() {
    id=$1.$2.$3.$4
    limits="--watchdog=$(watchdog "$1") --seconds=none"
    set -- "$1" "$work/$2" "--jobs=$3 --backend=$4 $limits" "$5" "$6"
    "$2" $3 "--filter=$1,lives" --executions="$4" --seed="$5" >"$work/$id" 2>&1 </dev/null
    echo $? >"$work/$id.status"
    "$2" $3 --seed="$(token "$id")" >"$work/$id.replay" 2>&1 </dev/null
    echo $? >"$work/$id.replay.status"
}

# is_found DEATH PROGRAM JOBS BACKEND EXECUTIONS: what die() has seen is as it should be.
is_found() {
    id=$1.$2.$3.$4
    IFS=: read -r death status words written <<END
$(grep "^$1:" "$work/deaths")
END
    says "$id" "(test $1)" "$words"
    case $death in
    underscore_exit | sigkill | sigterm) says "$id" "last seen at tests/campaign/deaths.c" ;;
    *) says "$id" "  at tests/campaign/deaths.c" ;; # not at the operation before it
    esac
    says "$id" "FAIL $1: $5 executions" "PASS lives: $5 executions" "1 passed, 1 failed"
    says "$id.status" 1
    [ "$3" -eq 0 ] || says "$id" "$written"
    says "$id.replay" "racefuzz: replay of execution"
    says "$id.replay.status" "$status"
    [ "$status" -ne 1 ] || says "$id.replay" "$words"
}

# each PROGRAM JOBS BACKEND DEATH...
each() {
    settings="$1 $2 $3"
    shift 3
    for death in "$@"; do
        die "$death" $settings 12 1
        try is_found "$death" $settings 12
    done
}

waits_with_operations_between_them_are_no_death() {
    for jobs in 0 1; do says waits.$jobs "PASS waits_now_and_then: 1 execution "; done
}

children_of_the_code_under_test_run_no_executions() {
    gives 0 forks "$work/O1" forks "$@"
    says forks "PASS forks: 20 executions"
    [ "$(grep -c "PASS forks" "$work/forks")" -eq 1 ]
}

# Whether the statement is watched or not: the fault is then in the engine or in the test.
one_null_pointer_is_one_failure() {
    gives 1 phases "$work/$1" null_in_each_phase --executions=300 --seconds=none "--strategy=$2"
    says phases "read of RF_LOAD(made)->x through a null pointer"
    [ "$(grep -c "^ *read of .* through a null pointer$" "$work/phases")" -eq 1 ]
    lacks phases "SIGSEGV\|did not repeat\|keeps state"
}

# Which code of racefuzz has used it depends on the execution.
one_wild_pointer_is_one_failure() {
    for test in wild_read wild_update; do
        gives 1 wild "$work/$1" $test --executions=200 --seconds=none
        [ "$(grep -c "^crash (test " "$work/wild")" -eq 1 ]
        says wild "  at tests/campaign/deaths.c"
        lacks wild "at offset"
    done
}

# A null pointer is that of the execution that had it.
a_null_pointer_before_is_nobody_elses() {
    gives 1 other "$work/O1" null_or_fails "$@"
    says other 'assertion failed: ' 'through a null pointer'
    lacks other 'did not repeat\|did not happen again\|keeps state'
}

atomics_and_locks_at_a_null_pointer_say_so() {
    gives 1 update "$work/O1" null_update --executions=20
    says update "update of nobody through a null pointer" "  at tests/campaign/deaths.c"
    gives 1 lock "$work/O1" null_lock --executions=20
    says lock "not an initialised object of this type (test null_lock)" "nobody is a null pointer"
}

the_test_is_named_where_no_place_is_known() {
    gives 1 once "$work/O1" killed_at_once null_update --executions=5
    says once "killed_at_once: crash: SIGKILL"
    line=$(sed -n '/RF_TEST(killed_at_once)/=' tests/campaign/deaths.c)
    says once "  at tests/campaign/deaths.c:$line"
    lacks once '?:?'
}

an_expected_crash_passes() {
    gives 0 expected "$work/O1" expected "$@"
    says expected "1 passed, 0 failed" "expected: crash"
}

a_process_that_is_past_help_tells_its_token() {
    gives 1 foreign "$work/O1" --jobs=0 segv_in_foreign_thread
    one_line foreign.err
    says foreign.err "crash: SIGSEGV, null pointer"
    gives 1 foreign.replay "$work/O1" --seed="$(token foreign.err)"
    says foreign.replay "SIGSEGV, null pointer"
}

# Sizes are rounded up, and told as they are.
a_stack_overflow_tells_the_size_that_there_was() {
    gives 1 overflow "$work/O1" stack_overflow --executions=12 --stack="$1"
    says overflow "the stack of a thread has $2 KiB"
}

# Those of real threads are larger: the token has them, too, and no other token does.
a_stack_overflow_replays_on_the_stack_that_there_was() {
    for back in threads fiber; do
        gives 1 overflow "$work/O1" overflow_of_steps --executions=2 --backend=$back "$@"
        says overflow "stack overflow (test overflow_of_steps)"
        gives 1 overflow.replay "$work/O1" --seed="$(token overflow)"
        says overflow.replay "stack overflow"
        lacks overflow.replay "went another way"
    done
    gives 1 calm "$work/O1" abort --executions=2 --backend=threads
    case $(token calm) in *.k*) return 1 ;; esac
    for wrong in k kx kt1 k0t k1tt; do
        gives 2 refused "$work/O1" --seed="1.overflow_of_steps.feedback.s1.i0.lAA.$wrong"
    done
}

# There, the process watches itself.
a_slow_end_is_no_death() {
    gives 0 lingers env LINGERS=1 "$work/O1" --jobs=0 lives
    says lingers "1 passed, 0 failed"
}

nothing_is_left_behind() { [ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }; }

compile -O1 deaths O1 &
compile -O0 deaths O0 || exit 1
wait

# The slow ones run together; with these seeds one of two executions dies.
cat >"$work/slow" <<'END'
runaway O1 1 fiber 2 5
runaway O0 0 threads 2 5
blocked_in_a_mutex O0 1 fiber 2 5
blocked_in_a_mutex O1 2 threads 2 5
blocked_in_read O1 2 fiber 2 6
blocked_in_read O0 0 fiber 2 6
END
while read -r line; do die $line & done <"$work/slow"
for jobs in 0 1; do
    "$work/O1" waits_now_and_then --watchdog=2 --jobs=$jobs >"$work/waits.$jobs" &
done
each O1 1 fiber $quick
each O0 3 threads $quick
each O1 0 fiber $caught
each O0 0 threads $caught_in_threads
wait
while read -r death program jobs backend executions seed; do
    try is_found "$death" "$program" "$jobs" "$backend" "$executions"
done <"$work/slow"

try children_of_the_code_under_test_run_no_executions --jobs=0
try children_of_the_code_under_test_run_no_executions --jobs=2
for program in O0 O1; do
    try one_null_pointer_is_one_failure $program auto
    try one_null_pointer_is_one_failure $program random
    try one_wild_pointer_is_one_failure $program
done
try a_null_pointer_before_is_nobody_elses --jobs=0
try a_null_pointer_before_is_nobody_elses --jobs=1
try an_expected_crash_passes --jobs=1
try an_expected_crash_passes --jobs=0
try a_stack_overflow_tells_the_size_that_there_was 16k 256
try a_stack_overflow_tells_the_size_that_there_was 300k 512
try a_stack_overflow_replays_on_the_stack_that_there_was
try a_stack_overflow_replays_on_the_stack_that_there_was --stack=300k

# Its handlers stay, but it has none for that.
an_abort_is_told_beside_a_sanitizer() {
    $CC -std=c11 -g -fsanitize=address -I. tests/campaign/deaths.c -o "$work/sanitized" -pthread
    gives 1 abort "$work/sanitized" call_of_abort --executions=20
    says abort "SIGABRT, abort() was called"
    gives 1 again env "RF_SEED=$(token abort)" "$work/sanitized"
    says again "SIGABRT, abort() was called"
}

try_all
summary

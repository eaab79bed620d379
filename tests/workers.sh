#!/bin/sh
# What happens to worker processes from outside changes nothing in what is found, and is told; what
# the engine itself lacks is told as that.  MORE=1: all ways to run.
name=workers
. tests/try.sh

$CC -O1 tests/campaign/killer.c -o "$work/killer" || exit 1
compile -O0 small small && compile -O1 deaths deaths && compile -O1 learns learns &&
    compile -O0 workers workers || exit 1

# Times differ, and how many workers were killed.
without_times() {
    sed 's/ in [0-9.]* s\>/ in T s/' "$work/$1" |
        grep -v -e "killed, not by the test" -e "what they did was done again"
}

kills=0

# killing PAUSE SEEDS PROGRAM ARGUMENT...: the same report and status with kills as without.
killing() {
    pause=$1 seeds=$2 program=$work/$3
    shift 3
    wanted=0
    "$program" "$@" --seconds=none >"$work/alive" 2>&1 </dev/null || wanted=$?
    without_times alive >"$work/alive.t"
    for seed in $seeds; do
        gives "$wanted" killed "$work/killer" "$seed" 100000 "$pause" \
            "$program" "$@" --seconds=none </dev/null
        without_times killed | diff "$work/alive.t" - || { echo "seed $seed"; return 1; }
        sed -n '$s/ kills//p' "$work/killed.err" >>"$work/kills"
        cat "$work/killed" >>"$work/told"
    done
}

that_was_worth_it() {
    kills=$(awk '{ n += $1 } END { print n + 0 }' "$work/kills")
    echo "$kills kills"
    [ "$kills" -ge 100 ] # how many there is time for depends on the machine
    grep -q "killed, not by the test (SIGKILL); what they did was done" "$work/told"
}

# Nothing is said of the test, which takes longer than the pause; the cap holds.
a_worker_that_is_stopped_for_a_while_goes_on() {
    gives 0 stopped "$work/killer" 1 0 3000000 "$work/small" slow --executions=1000 --jobs=1 \
        --watchdog=1 --seconds=none </dev/null
    says stopped "PASS slow: 1000 executions"
    timeout 60 "$work/killer" 1 0 100000000 "$work/small" slow --executions=1000 --jobs=1 \
        --watchdog=1 --seconds=1 >"$work/stopped" </dev/null || [ $? -eq 1 ] # if it was the first
    says stopped "stopped by the cap in seconds after"
}

# The first N workers live.
workers_that_die_at_once_end_a_test_and_keep_its_findings() {
    gives 2 die.0 env LIVES=0 "$work/workers" fine --jobs=2
    says die.0 "given up: workers die again and again, not by the test (SIGKILL)" \
        "FAIL fine: 0 executions" "0 passed, 1 failed"
    gives 1 die.9 env LIVES=9 "$work/workers" adds --jobs=2
    says die.9 "assertion failed" "given up: workers die again and again" \
        "not replayed before being told: there was no process for it" "replay: RF_SEED="
}

# timeout(1) sends it twice, and the second may come when all is over but for the printing.
an_interrupt_that_comes_again_loses_no_report() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do # a machine may be too slow for it to be one
        gives 130 echo "$work/workers" adds interrupts --jobs=1
        grep -q "the echo was too late" "$work/echo.err" || break
    done
    says echo "FAIL adds" "interrupted by SIGINT" "0 passed, 2 failed"
}

processes_that_cannot_be_started_are_told() {
    gives 2 fork.0 env FORKS=0 "$work/workers" fine
    says fork.0 "given up: no process can be started (fork: Resource temporarily unavailable)"
    gives 1 fork.9 env FORKS=9 "$work/workers" adds
    says fork.9 "assertion failed" "given up: no process can be started"
}

memory_that_the_engine_lacks_is_told_as_that() {
    for test in no_memory_for_threads no_memory_for_the_heap; do
        gives 1 memory "$work/workers" $test --executions=40 "$@"
        says memory "executions could not be run: " "memory"
        lacks memory "_exit" "keeps state"
    done
    gives 1 memory "$work/workers" no_memory_for_threads --executions=40 "$@"
    says memory "found in spite of that"
}

without_workers_it_ends_the_campaign() {
    gives 1 memory "$work/workers" adds no_memory_for_the_heap --executions=40 --jobs=0
    says memory "FAIL adds"
    lacks memory "no_memory"
    says memory.err "racefuzz: cannot reserve memory for RF_MALLOC"
    says memory.err " of test no_memory_for_the_heap; with RF_JOBS=0 the campaign ends here"
    gives 2 memory "$work/workers" no_memory_for_threads --executions=40 --jobs=0
    says memory.err "racefuzz: out of memory ("
}

a_loop_of_accesses_has_a_limit() {
    for test in loops two_loops; do
        gives 1 accesses timeout 60 "$work/workers" ${test}_with_accesses --executions=20 \
            --steps=1000 --seconds=none "$@"
        says accesses "step limit reached" "and no end; T"
        # in one of two_loops there is no preemption, and so no race
        says accesses "in $([ $test = loops ] && echo 20 || echo 19) of 20 executions"
        gives 1 accesses.replay "$work/workers" --seed="$(token accesses)"
        says accesses.replay "step limit reached"
        [ $test = two_loops ] || says accesses "101000 accesses to plain data in a row and no end"
    done
    gives 0 work "$work/workers" long_work_with_accesses --executions=20 --steps=300 "$@"
}

# Batches of 64 would be more than 60.
explorers_that_teach_little_need_few_processes() {
    gives 0 few env FORKS=45 "$work/workers" fine --strategy=pct --executions=4000 --jobs=1 \
        --seconds=none
    says few "PASS fine: 4000 executions"
}

a_loop_that_blocks_signals_is_ended_from_outside() {
    gives 1 signals timeout 100 "$work/workers" loops_without_signals --executions=1 --watchdog=1 \
        --seconds=none "$@"
    grep -q "without an operation of racefuzz and did not answer SIGPROF" "$work/signals"* || {
        cat "$work/signals" "$work/signals.err"
        return 1
    }
}

try killing 3000 "1 2 3" small racy several --jobs=2
try killing 3000 "4 5" small racy several --jobs=4
try killing 4000 "6" small racy several --jobs=3 --verify
try killing 4000 "7 8" small counting counting_isolated --executions=100 --jobs=2
try killing 2000 "9 10" small racy --strategy=dfs --jobs=2
try killing 3000 "11 12" learns --strategy=toy --jobs=3
try killing 4000 "13 14" deaths sigkill sigterm segv_null underscore_exit --executions=40 --jobs=3
try_all
try memory_that_the_engine_lacks_is_told_as_that --jobs=1
try memory_that_the_engine_lacks_is_told_as_that --jobs=3
try a_loop_of_accesses_has_a_limit --jobs=0
try a_loop_that_blocks_signals_is_ended_from_outside --jobs=2
if [ -n "${MORE:-}" ]; then
    try a_loop_of_accesses_has_a_limit --jobs=2
    try a_loop_that_blocks_signals_is_ended_from_outside --jobs=0
fi
summary

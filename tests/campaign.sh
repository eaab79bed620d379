#!/bin/sh
# What a campaign finds does not depend on how it is cut up; state between executions is recognised;
# budgets are kept; --verify names what does not follow from the seed.
name=campaign
. tests/try.sh

findings="racy several"

# Times differ, and nothing else may.
without_times() { sed 's/ in [0-9.]* s\>/ in T s/' "$work/$1"; }

same_report() {
    without_times "$1" >"$work/$1.cut"
    without_times "$2" | diff "$work/$1.cut" -
}

reports_are_the_same_whatever_the_number_of_workers() {
    for jobs in 0 1 2 5; do
        gives 1 jobs.$jobs "$work/small" $findings --seconds=none --jobs=$jobs
    done
    [ "$(grep -c replay: "$work/jobs.0")" -ge 8 ] # a report of some length
    for jobs in 1 2 5; do same_report jobs.0 jobs.$jobs; done
}

reports_are_the_same_on_both_back_ends() {
    gives 1 threads "$work/small" $findings --seconds=none --jobs=2 --backend=threads
    same_report jobs.0 threads
}

# The number of failed executions by place, as `several` counts them in its failures.
failures() { sed -n 's/.*"failure":{.*"line":\([0-9]*\).*"executions":\([0-9]*\).*/\1 \2/p' "$@" |
    awk '{ n[$1] += $2 } END { for (line in n) print line, n[line] }' | sort; }

# An execution of an explorer that does not learn follows from its index, and no two shards run the
# same one.
shards_add_up_to_the_whole() {
    set -- "$work/small" $findings --executions=400 --strategy=random,sticky --shard-by=executions \
        --format=json --shrink=0
    gives 1 whole "$@"
    for i in 1 2 3; do gives 1 shard.$i "$@" --shard=$i/3; done
    failures "$work/whole" >"$work/failures"
    [ "$(wc -l <"$work/failures")" -ge 4 ]
    failures "$work"/shard.[123] | diff "$work/failures" -
    prints "$work/whole" >"$work/prints"
    prints "$work"/shard.[123] | diff "$work/prints" -
}

# What learns, and what is directed, has its own way in each shard; the sum is still the whole's.
shards_share_the_executions_of_all_phases() {
    for i in 1 2 3; do
        gives 1 part.$i "$work/small" racy --shard=$i/3 --executions=300
        says part.$i "shard $i of 3 (--shard): executions are divided"
    done
    sed -n 's/^FAIL racy: \([0-9]*\) exec.*/\1/p' "$work"/part.[123] |
        awk '{ n += $1 } END { exit !(n > 300 && n <= 900) }'
}

more_shards_than_executions_are_fine() {
    gives 0 shard.last "$work/small" fine --executions=2 --shard=4294967295/4294967295 --jobs=2
    says shard.last "SKIP fine: its 2 executions are of other shards"
}

state_between_executions_is_told_and_handled() {
    gives 0 counting "$work/small" counting --executions=200
    says counting "PASS counting: 200 executions" "the test keeps state between executions" \
        "PASS counting_isolated: 200 executions"
    [ "$(grep -c "keeps state" "$work/counting")" -eq 1 ]
}

without_other_processes_state_is_suspected() {
    gives 1 counting.0 "$work/small" '*counting' --jobs=0
    says counting.0 "note: This execution did not repeat: the test depends on earlier executions"
}

# capped FILE SECONDS ARGUMENT...: with that cap, or a longer one on a machine on which no execution
# ends in that time.
capped() {
    to=$1 first=$2
    shift 2
    for seconds in "$first" 0.1 0.2 1 10 100; do
        "$@" --executions=1000000 --seconds="$seconds" >"$work/$to" && break
        says "$to" "no execution has ended in time"
    done
}

a_cap_in_seconds_ends_a_campaign_and_is_reported() {
    capped cap 1 "$work/small" slow "$@"
    says cap "stopped by the cap in seconds after"
    done=$(sed -n 's/.*seconds after \([0-9]*\) of 1000000 .*/\1/p' "$work/cap")
    [ "$done" -ge 1 ]
    [ "$done" -lt 30000 ] # each sleeps for 5 ms: the cap was looked at between executions
}

# Each alone would take minutes, or for ever.  A machine may be too slow to begin in a tenth of a
# second.
a_cap_in_seconds_cuts_off_what_runs() {
    for test in endless_steps endless_accesses endless_yields endless_outside; do
        for seconds in 0.1 0.5 2 15; do
            gives 1 cut timeout 60 "$work/small" $test --seconds=$seconds --watchdog=50 "$@"
            ! grep -q "cut off when time was up, " "$work/cut" || break
        done
        says cut "cut off when time was up, " "no execution has ended in time"
        lacks cut "replay:" "did not repeat" "^crash\|^step limit"
    done
}

# Of two executions the second has no end.
what_was_cut_off_was_not_explored() {
    for strategy in graphs dpor dfs bounded; do
        capped once 0.05 "$work/small" endless_at_times --strategy=$strategy "$@"
        says once "cut off when time was up, " ", there are more"
        lacks once "$strategy: all"
    done
}

time_that_no_phase_needs_goes_to_exploration() {
    capped used 1 "$work/small" slow "$@"
    # those of the campaign, whose beginning is no part of what the test is said to have taken
    hundredths=$(sed -n 's/^PASS slow: .* in \([0-9]*\)[.]\([0-9][0-9]\) s.*/\1\2/p' "$work/used")
    [ "$hundredths" -ge 95 ] || { cat "$work/used"; return 1; }
}

# A pair of statements each, and so thousands of races: to replay and print all takes minutes.
findings_without_time_to_replay_them_are_told_in_short() {
    awk 'BEGIN {
        print "#define RF_IMPLEMENTATION\n#include \"racefuzz.h\"\nstatic int x;"
        print "static void *add(void *a) {"
        for (i = 0; i < 400; i++) print "RF_STORE(x, RF_LOAD(x) + 1);"
        print "return a; }\nRF_TEST(many) {"
        print "rf_thread a = RF_THREAD(add, NULL), b = RF_THREAD(add, NULL);"
        print "RF_JOIN(a); RF_JOIN(b); }\nRF_MAIN()"
    }' >"$work/many.c"
    $CC -std=c11 -g -I. "$work/many.c" -DRFI_LINKED "$library" -o "$work/many" -pthread
    for seconds in 0.4 1 5 25; do # in which one execution can be made, with its detectors
        gives 1 thousands timeout 100 "$work/many" --seconds=$seconds --all "$@"
        ! grep -q "not replayed before being told" "$work/thousands" || break
    done
    gives 1 one timeout 100 "$work/many" --seconds="$seconds" "$@" # they have one cause
    [ "$(wc -l <"$work/one")" -lt 60 ]
    says thousands "findings were not replayed before being told: there was no time left"
    [ "$(grep -c "replay: RF_SEED=" "$work/thousands")" -ge 1000 ]
    last=$(sed -n 's/.*RF_SEED=\([^ ]*\).*/\1/p' "$work/thousands" | tail -n 1)
    gives 1 thousands.replay "$work/many" --seed="$last"
}

# What finds out which findings have one cause runs them again, and they may take all the time; or
# that is too short for some executions of a million steps.
experiments_leave_time_for_telling() {
    for seconds in 2 20 100; do
        gives 1 slowly "$work/small" takes_its_time --seconds=$seconds "$@"
        ! grep -q "how it came about" "$work/slowly" || break
    done
    says slowly "how it came about"
}

# ... SIGNAL TARGET SECONDS TEST...: after a while a signal comes, to the program (--foreground) or
# to its workers too; what it cuts off is nobody's finding.
an_interrupt_ends_everything_and_is_nobodys_finding() {
    signal=$1 target=$2 seconds=$3
    shift 3
    for after in $seconds; do
        got=0
        timeout $target -k 30 -s "$signal" $after "$work/small" --seconds=none --watchdog=50 "$@" \
            >"$work/interrupted" 2>&1 || got=$?
        [ $got -eq 124 ] || { echo "status $got"; cat "$work/interrupted"; return 1; }
        says interrupted "interrupted by SIG$signal"
        lacks interrupted "did not repeat\|keeps state" "^crash\|^step limit" \
            "killed, not by the test"
    done
}

# It comes in a replay, and each later look at the clock is a second later: no other replay is made,
# be it to find out whether all repeats or to tell it, nor is there a process for one.
an_interrupt_leaves_little_time_for_replays() {
    gives 130 last "$work/interrupted_replays" "$@" --strategy=random --shrink=0
    says last "findings were not replayed before being told: there was no time left"
    [ "$(grep "^a process\|^an interrupt" "$work/last" | tail -n 1)" = "an interrupt" ] ||
        { cat "$work/last"; return 1; }
}

# a_second: after one second of a processor, of which others may want their part, $work/second.
a_second() {
    trap 'echo >"$work/second"; exit' XCPU
    ulimit -S -t 1
    while :; do :; done
}

# ends SECONDS COMMAND...: when SIGTERM comes after so many, it ends within one, by that signal.
ends() {
    rm -f "$work/second"
    after=$1
    shift
    "$@" >"$work/ended" 2>&1 &
    sleep "$after"
    kill -TERM $!
    got=0
    program=$!
    a_second &
    wait $program || got=$?
    [ ! -e "$work/second" ] || { echo "not within a second: $*"; got=0; }
    kill -KILL $! 2>/dev/null
    [ $got -eq 143 ] || { echo "status $got: $*"; cat "$work/ended"; return 1; }
}

# Wherever it is: exploring, in an endless execution, with thousands of findings to be tried, told
# and merged.  With NIGHTLY=1 at more moments.
sigterm_saves_and_ends_within_a_second() {
    rm -rf "$work/ends"
    mkdir "$work/ends"
    kept=--campaign=$work/ends/
    ends 0.5 "$work/small" racy --seconds=none --executions=100000000 "${kept}racy" "$@"
    for event in done orders failed; do
        grep -q "\"event\":\"$event\"" "$work"/ends/racy/*
    done
    for test in ${NIGHTLY:+steps accesses yields} outside; do
        ends 0.3 "$work/small" endless_$test --watchdog=500 "${kept}endless" "$@"
    done
    ends 0.4 "$work/many" --executions=10000000 "${kept}many" "$@"
    ends 0.4 "$work/many" --executions=20 --all "$@"
    for after in 0.3 ${NIGHTLY:+1 1.5}; do
        ends $after "$work/many" --merge "$work/ends/many" "$@"
        [ -z "${NIGHTLY:-}" ] || ends $after "$work/many" --all "$@" --merge "$work/ends/many"
    done
}

# There may have been time for some.  A cap that is over before the first execution is no cap of 0,
# which is none.
a_test_without_time_for_an_execution_fails() {
    for i in 1 2 3 4 5 6 7 8 9 10; do
        timeout 100 "$work/small" slow --seconds=0.001 --executions=1000000 "$@" >"$work/none" ||
            [ $? -ne 124 ]
    done
    for i in 1 2 3 4 5; do
        "$work/small" fine --seconds=0.001 "$@" >"$work/none" && lacks none "fine: 0 executions"
        ! grep -q "fine: 0 executions" "$work/none" || says none "no execution has ended in time"
    done
}

a_pass_after_few_executions_is_loud_and_has_a_status() {
    capped few 0.02 "$work/small" slow "$@"
    says few "this says next to nothing"
    gives 3 few "$work/small" fine --executions=7 --min-executions=8 "$@"
    says few "only 7 executions: this says next to nothing"
    gives 0 few "$work/small" fine --executions=8 --min-executions=8 "$@"
    lacks few "next to nothing"
    gives 1 few "$work/small" racy fine --executions=7 --min-executions=100 "$@"
    gives 0 few "$work/small" fine --strategy=dpor --min-executions=100 "$@" # there are no others
    says few "dpor: "
    lacks few "next to nothing"
    gives 0 few "$work/small" expected --executions=7 --min-executions=100 "$@"
    lacks few "next to nothing"
}

executions_are_counted() {
    gives 0 count env RF_EXECUTIONS=7 "$work/small" fine
    says count "PASS fine: 7 executions"
    lacks count "stopped by the cap"
}

verify_names_the_first_event_that_differs() {
    gives 1 verify "$work/small" by_time by_address --verify "$@"
    says verify "the same choices did not repeat the execution (test by_time)"
    says verify "event 2 differs: first T0's store at small.c:"
    says verify "the same choices did not repeat the execution (test by_address)"
    says verify "event 1 differs: first T0's store at small.c:"
}

verify_passes_what_repeats() {
    set -- "$work/small" fine $findings --executions=300 "$@"
    gives 1 verify.fine "$@" --verify
    gives 1 fine "$@"
    same_report fine verify.fine
}

verify_gives_each_run_of_an_isolated_test_a_process() {
    gives 0 verify.isolated "$work/small" counting_isolated --verify --executions=20
}

compile -O0 small small && compile -O0 interrupted_replays interrupted_replays || exit 1
for jobs in 0 2; do
    try a_cap_in_seconds_ends_a_campaign_and_is_reported --jobs=$jobs
    try a_cap_in_seconds_cuts_off_what_runs --jobs=$jobs
    try time_that_no_phase_needs_goes_to_exploration --jobs=$jobs
    try an_interrupt_ends_everything_and_is_nobodys_finding TERM --foreground 0.2 --jobs=$jobs \
        endless_
    try an_interrupt_ends_everything_and_is_nobodys_finding INT "" "0.2 0.5" --jobs=$jobs \
        endless_ --executions=3
    try an_interrupt_ends_everything_and_is_nobodys_finding TERM "" 0.3 --jobs=$jobs racy \
        --executions=10000000
    try a_pass_after_few_executions_is_loud_and_has_a_status --jobs=$jobs
    try a_test_without_time_for_an_execution_fails --jobs=$jobs
    try verify_passes_what_repeats --jobs=$jobs
done
for jobs in 0 1; do
    try verify_names_the_first_event_that_differs --jobs=$jobs
    try what_was_cut_off_was_not_explored --jobs=$jobs
done
[ -z "${NIGHTLY:-}" ] || try findings_without_time_to_replay_them_are_told_in_short --jobs=0
try findings_without_time_to_replay_them_are_told_in_short --jobs=2
try experiments_leave_time_for_telling --jobs=1
for jobs in 0 1 2; do
    try an_interrupt_leaves_little_time_for_replays while_told --jobs=$jobs
    [ $jobs = 0 ] || try an_interrupt_leaves_little_time_for_replays while_tried --jobs=$jobs
done
[ -z "${NIGHTLY:-}" ] || try sigterm_saves_and_ends_within_a_second --jobs=0
try sigterm_saves_and_ends_within_a_second --jobs=2
try a_cap_in_seconds_cuts_off_what_runs --jobs=1 --verify
try_all
summary

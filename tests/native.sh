#!/bin/sh
# Campaigns on real threads (src/explore/native.h): whatever the machine has chosen, the report and
# its token repeat.
name=native
. tests/try.sh

# repeats TEST OPTION...: a campaign finds what always happens; the order of steps that it tells is
# the same in two replays.
repeats() {
    "$work/program" "$@" --strategy=native --executions=50 >"$work/out" 2>&1 && return 1
    order=$(sed -n 's/.*order \([abc]*\).*/\1/p' "$work/out" | sort -u)
    [ "$(printf %s "$order" | wc -c)" -eq 18 ] # one line, of 18 steps
    if grep "keeps state" "$work/out"; then return 1; fi
    token=$(sed -n 's/.*RF_SEED=\([^ ]*\) .*/\1/p' "$work/out" | head -n 1)
    case $token in *."$1".native.*) ;; *) echo "token $token"; return 1 ;; esac
    for i in 1 2; do
        RF_SEED=$token "$work/program" >"$work/again" 2>&1 && return 1
        [ "$(sed -n 's/.*order \([abc]*\).*/\1/p' "$work/again" | sort -u)" = "$order" ]
        if grep "another way" "$work/again"; then return 1; fi
    done
}

failures_repeat() { repeats fails --jobs=1; }
failures_of_two_workers_repeat() { repeats fails --jobs=2; }
failures_in_one_process_repeat() { repeats fails --jobs=0; }
failures_in_a_process_each_repeat() { repeats breaks_alone --jobs=2; }
crashes_repeat() { repeats dies --jobs=2; }
deadlocks_repeat() { repeats stays --jobs=2; }
chosen_fibers_do_not_matter() { repeats fails --jobs=1 --backend=fiber; }

every_execution_repeats() {
    "$work/program" fine --strategy=native --executions=50 --jobs="$1" --verify
    "$work/program" works_alone --strategy=native --executions=20 --jobs="$1" --verify
}
every_execution_of_workers_repeats() { every_execution_repeats 2; }
every_execution_here_repeats() { every_execution_repeats 0; }

checkers_steer_it() {
    "$work/program" races --strategy=native,racefuzzer --executions=50 >"$work/out" && return 1
    grep "race: real" "$work/out"
}

$CC -std=c11 -g -I. -DRFI_LINKED tests/native/program.c "$library" -o "$work/program" -pthread

try_all
summary

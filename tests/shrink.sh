#!/bin/sh
# Failures are told with a schedule as short as can be found: the fewest preemptions, as enumeration
# knows them; the same on all ways to run; with a reason for each, and a token that repeats it.
name=shrink
. tests/try.sh
compile "-O1" shrink shrink || exit 1
program=$work/shrink

preemptions() { sed -n 's/^  \([0-9]*\) preemptions\{0,1\}.*/\1/p' "$work/$1" | head -n 1; }

# `bounded` goes through all schedules with so many: with one less there is no failure.
the_fewest_there_are() {
    gives 1 "$1" "$program" "$1" --detect=none --seconds=none --executions=2000
    [ "$(preemptions "$1")" -eq "$2" ] || { cat "$work/$1"; return 1; }
    says "$1" "$3"
    less=$(($2 - 1))
    [ "$less" -lt 1 ] || gives 0 less "$program" "$1" --detect=none --seconds=none \
        --strategy=bounded:$less --executions=1000000
    [ "$less" -lt 1 ] || says less "all "
    gives 1 found "$program" "$1" --detect=none --strategy=bounded:$2 --executions=1000000
}

# A switch behind a yield is no preemption, and is found where the schedule had one before it; no
# smaller value is worth a preemption.
who_yields_is_not_preempted() {
    gives 1 yields "$program" none_where_one_may_yield --detect=none --seconds=none --executions=200
    [ "$(preemptions yields)" -eq 0 ] || { cat "$work/yields"; return 1; }
    says yields 'choose 7 of 0..999'
}

# That there are none with fewer is said where all schedules were executed, of the fewest there are.
what_can_not_be_is_said_if_it_is_known() {
    set -- --detect=none --seconds=none
    for strategy in dfs bounded:1 bounded; do
        gives 1 all "$program" one_or_two --strategy=$strategy --executions=1000000 "$@" \
            --report=json:"$work/all.json"
        [ "$(preemptions all)" -eq 1 ]
        says all "; with fewer it can't fail this way under"
        says all.json '"fewest":true'
    done
    gives 1 older "$program" one_or_two --strategy=bounded:1 --memory=c11 --executions=1000000 "$@"
    lacks older "can't fail" # older values count, too
    gives 1 found "$program" one_or_two --strategy=dfs --executions=1000000 --shrink=0.002 "$@"
    says found "shown is the shortest, 5 steps"
    lacks found "can't fail"
    gives 1 part "$program" two_looks --strategy=dfs --executions=500 "$@"
    lacks part "can't fail"
    gives 1 other "$program" one_or_two --strategy=dfs,random "$@"
    lacks other "can't fail"
    for run in 1 2; do
        gives 1 run.$run "$program" one_or_two --strategy=dfs "$@" --campaign="$work/kept"
    done
    says run.1 "can't fail"
    lacks run.2 "can't fail"
}

# What a checker has found has threads that were held back for it.
so_of_what_was_produced() {
    gives 1 race "$program" "$1" --seconds=none --seed="$2"
    says race ": real, harmful"
    [ "$(preemptions race)" -eq 1 ] || { cat "$work/race"; return 1; }
}

# What came of a race is told with it, and only there.
a_failure_of_a_race_is_told_once() {
    gives 1 race "$program" one_race --seconds=none --all
    says race "then assertion failed"
    lacks race "^assertion failed"
}

older_values_are_kept_if_they_are_needed() {
    gives 1 old "$program" older --seconds=none --executions=2000
    [ "$(preemptions old)" -eq 0 ] || { cat "$work/old"; return 1; }
    says old "(relaxed, stale"
}

# One failure does not turn into another that is easier to reach.
each_stays_what_it_is() {
    gives 1 either "$program" either_way --detect=none --seconds=none --executions=4000
    says either "  !late" "  !both"
    sed -n 's/^  \([0-9]*\) preemption.*/\1/p' "$work/either" | sort | tr '\n' ' ' >"$work/each"
    [ "$(cat "$work/each")" = "1 2 " ] || { cat "$work/either"; return 1; }
}

chosen_values_become_small() {
    gives 1 chosen "$program" one_of_chosen --detect=none --seconds=none --executions=2000
    [ "$(preemptions chosen)" -eq 1 ]
    for value in 'choose 17 of 0..99' 'choose 5 of 0..19' 'choose 0 of 0..999'; do
        says chosen "$value"
    done
    replays "$(token chosen)" "$program"
    says again 'choose 17 of 0..99'
}

# Threads that are not needed make no step, and those that are no more than they must.
only_who_is_needed_runs() {
    gives 1 chosen "$program" one_of_chosen --detect=none --seconds=none --executions=2000
    lacks chosen "noise:"
    for more in --shrink=1 --shrink=0; do
        gives 1 hums "$program" one_of_three --detect=none --seconds=none --executions=100 $more
        grep -c 'noise: ' "$work/hums" >>"$work/steps"
    done
    [ "$(head -n 1 "$work/steps")" -eq 6 ] && [ "$(tail -n 1 "$work/steps")" -gt 6 ]
}

# What the report quotes is of the execution that it shows.
what_is_quoted_was_written_there() {
    gives 1 aloud "$program" one_aloud --detect=none --seconds=none
    says aloud "when it was found)"
    sed -n 's/^  | //p' "$work/aloud" >"$work/quoted"
    gives 1 again "$program" --seed="$(token aloud)"
    grep '^noise was' "$work/again.err" | diff - "$work/quoted"
}

# tokens_repeat_it TEST PATTERN ARGUMENT...: a token of that form; also of what a checker has found.
tokens_repeat_it() {
    test=$1 form=$2
    shift 2
    gives 1 told "$program" "$test" --seconds=none "$@"
    # shellcheck disable=SC2254 # a pattern
    case $(token told) in $form) ;; *) cat "$work/told"; return 1 ;; esac
    [ "$(token told | wc -c)" -lt 110 ]
    replays "$(token told)" "$program"
}

reasons_are_given() {
    gives 1 why "$program" one_lost --detect=none --seconds=none
    grep -q 'where T\([23]\) goes on at shrink.c:25 instead of T[23], it passes: T[23] then reads' \
        "$work/why" || { cat "$work/why"; return 1; }
    says why "reads x -> 1 at shrink.c:25"
    gives 1 late "$program" late_loss --detect=none --seconds=none
    says late ' goes on at shrink.c:25 instead of T'
}

# Taking away leaves 12 preemptions; to move several at once leaves less.  Seven are the fewest
# (tests/long/safestack.c).
neighbours_are_tried() {
    printf '#include "racefuzz.h"\nRF_MAIN()\n' >"$work/main.c"
    $CC -std=c11 -O1 -g -I. -DRFI_LINKED "$work/main.c" bench/bugs/safestack.c "$library" \
        -o "$work/safestack" -pthread
    gives 0 stack "$work/safestack" --detect=none --strategy=pos --executions=20000 --seed=10 \
        --seconds=none --jobs=0 --report=json:"$work/stack.json"
    sed -n '/"preemptions"/s/.*"preemptions":\([0-9]*\),.*_fewer":\([0-9]*\).*/\1 \2/p' \
        "$work/stack.json" >"$work/stack"
    read -r told fewer <"$work/stack"
    [ "$told" -le 9 ] && [ "$fewer" -gt 60 ] && [ "$fewer" -lt 200 ] ||
        { cat "$work/stack"; return 1; }
}

no_shrinking_if_nobody_wants_it() {
    gives 1 none "$program" two_looks --detect=none --shrink=0
    lacks none "preemption"
    case $(token none) in *.schedule.*) token none; return 1 ;; esac
    gives 1 few "$program" two_looks --detect=none --shrink=0.001 # one execution
    says few "a longer --shrink"
}

# Whatever runs the executions.
the_same_everywhere() {
    for how in --jobs=0 --jobs=3 --backend=threads; do
        gives 1 how "$program" --filter=-one_aloud --detect=none --executions=300 $how
        sed 's/ in [0-9.]* s;/;/; s/RF_SEED=[^ ]*\.x/&/' "$work/how" >"$work/this"
        [ "$how" != --jobs=0 ] || cp "$work/this" "$work/first"
        diff "$work/first" "$work/this"
    done
}

try the_fewest_there_are one_lost 1 "when it was found)"
try the_fewest_there_are two_looks 2 "with fewer it did not fail this way"
try the_fewest_there_are four_of 4 "with fewer it did not fail this way"
try the_fewest_there_are one_deadlock 1 "with fewer it did not fail this way"
try the_fewest_there_are none_where_one_yields 0 "when it was found)"
try so_of_what_was_produced one_race 1
try so_of_what_was_produced one_deadlock_without_noise 3
try_all
try tokens_repeat_it one_lost "*.schedule.*.l*" --detect=none
try tokens_repeat_it one_deadlock "*.deadlockfuzzer.*.bschedule.l*"
summary

#!/bin/sh
# Strategies that learn: every execution of a batch is learned once, in order, whoever ran it and
# however it ended; what an execution used goes into its token.
name=learning
. tests/try.sh
compile "-O1" learns learns || exit 1

# learned FILE: what the strategy says that it has learned.
learned() { sed -n 's/.*: \([0-9]* lessons, [0-9a-f]*\).*/\1/p' "$work/$1"; }

# all_is_learned_in_order TEST EXECUTIONS WORDS JOBS...: the same whatever the number of workers, a
# lesson of each and one chain of all of them.
all_is_learned_in_order() {
    test=$1 executions=$2 words=$3 first=$4
    shift 3
    for jobs; do
        gives 1 $test.$jobs "$work/learns" $test --strategy=toy --jobs=$jobs \
            --executions=$executions
        says $test.$jobs "$executions lessons" "$words"
        learned $test.$jobs >"$work/$test.$jobs.learned"
        cmp "$work/$test.$first.learned" "$work/$test.$jobs.learned"
    done
}

tests_begin_without() {
    "$work/learns" crams --strategy=toy --report="$work/one" || :
    "$work/learns" fails,crams --strategy=toy --report="$work/two" || :
    [ "$(learned one)" = "$(learned two | tail -n 1)" ] && return
    cat "$work/one" "$work/two"
    return 1
}

# The failure hangs on what had been learned: its token says so, and repeats it alone.
tokens_tell_what_was_used() {
    gives 1 fails "$work/learns" fails --strategy=toy --jobs="$1"
    case $(token fails) in *.toy.*.l*) ;; *) token fails; return 1 ;; esac
    replays "$(token fails)" "$work/learns"
    says again "left is 1"
    gives 2 cut "$work/learns" --seed="$(token fails | sed 's/\.l/.l~/')"
}

there_is_an_end_to_the_room() {
    gives 0 crams "$work/learns" crams --strategy=toy --jobs="$1"
}

numbers_are_told() {
    gives 0 help env COLUMNS=1000 "$work/learns" --help
    says help "pct:N: depth, 1 to 32, else 3"
}

try all_is_learned_in_order fails 1000 "left is 1" 0 1 3
try all_is_learned_in_order dies 200 crash 1 2 3
for jobs in 0 1 2; do
    try tokens_tell_what_was_used $jobs
    try there_is_an_end_to_the_room $jobs
done
try_all
summary

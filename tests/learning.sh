#!/bin/sh
# Strategies that learn: every execution of a batch is learned once, in order, whoever ran it and
# however it ended; what an execution used goes into its token.
name=learning
. tests/try.sh
compile "-O1" learns learns || exit 1

# learned FILE: what the strategy says that it has learned.
learned() { sed -n 's/.*: \([0-9]* lessons, [0-9a-f]*\).*/\1/p' "$work/$1"; }

# The same whatever the number of workers: 1,000 lessons, and one chain of all of them.
all_is_learned_in_order() {
    for jobs in 0 1 3; do
        "$work/learns" "$1" --strategy=toy --jobs=$jobs --report="$work/$1.$jobs" || :
        learned "$1.$jobs" >"$work/$1.$jobs.learned"
        grep -q "$2 lessons" "$work/$1.$jobs.learned" || { cat "$work/$1.$jobs"; return 1; }
        cmp "$work/$1.0.learned" "$work/$1.$jobs.learned"
    done
}

crashes_teach_too() {
    for jobs in 1 2 3; do
        "$work/learns" dies --strategy=toy --jobs=$jobs --executions=200 \
            --report="$work/dies.$jobs" || :
        says dies.$jobs "crash"
        learned dies.$jobs >"$work/dies.$jobs.learned"
        grep -q "200 lessons" "$work/dies.$jobs.learned"
        cmp "$work/dies.1.learned" "$work/dies.$jobs.learned"
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

try all_is_learned_in_order fails 1000
for jobs in 0 1 2; do
    try tokens_tell_what_was_used $jobs
    try there_is_an_end_to_the_room $jobs
done
try_all
summary

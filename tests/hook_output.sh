#!/bin/sh
# The order in which threads write to files, or use what the C library keeps for all of them, is an
# order of operations: both ways are found, by those who go through everything as well.
name=hook_output
. tests/try.sh

engine "$CC"
unedited "$CC" tests/hook/outside.c "$work/$CC.o" -fsanitize=thread

both_ways() {
    for said in 12 21; do
        for strategy in auto random dpor; do
            gives 1 found "$work/outside" --strategy=$strategy --executions=150 --fail-on=harm -- \
                "$1" $said
            says found "assertion failed"
        done
        gives 1 again env "RF_SEED=$(token found)" "$work/outside" -- "$1" $said
    done
}

# Who uses a file that another thread has locked waits, whatever the function.
a_locked_file_is_the_threads_own() {
    for strategy in auto random dfs dpor; do
        gives 0 locked "$work/outside" --strategy=$strategy --executions=150 -- locked 121
        for said in 112 211; do
            gives 1 locked "$work/outside" --strategy=$strategy --executions=150 -- locked $said
            says locked "assertion failed"
        done
    done
}

# The C library promises nothing to those who use at the same time what it keeps once: WHAT.
is_a_race() {
    gives 1 race "$work/outside" --executions=150 -- "$1"
    says race "race: real" "at rfi_$2)"
}

# What one thread changes of the system, and changes back, another one may see in between; WHAT.
is_seen_in_between() {
    strategies="auto random dfs dpor"
    # how many looks a child takes is drawn: there is more than these executions go through
    case $1 in
    child) strategies="auto random dpor" ;;
    # dfs has other threads first, and then this
    process | connection | number) strategies="auto random dpor graphs" ;;
    size | creation | descriptor | message | protection | pending | arrival) ;;
    *) strategies="$strategies graphs" ;;
    esac
    for strategy in $strategies; do
        gives 1 between "$work/system" --strategy=$strategy --executions=150 --shrink=0 \
            -- "$1" "$work"
        says between "assertion failed"
    done
    gives 1 again env "RF_SEED=$(token between)" "$work/system" -- "$1" "$work"
    [ "$1" = child ] || return 0
    "$work/system" --strategy=dpor --executions=150 --shrink=0 -- child "$work" \
        >"$work/more" || [ $? -eq 1 ]
    lacks more "dpor: all "
}

# Nobody explores what a program finds out by the signal of a child that ends.
chance_is_told() {
    gives 0 chance "$work/child" --strategy=graphs
    says chance "not known to be all: chance had a part"
}

# No loop that repeats itself for nothing.
a_file_that_grows_is_progress() {
    for strategy in random graphs; do
        gives 1 grown "$work/grows" --strategy=$strategy --executions=5 --steps=2000 -- "$1"
        says grown "threads made progress"
        lacks grown "step limit reached"
    done
    gives 1 grown "$work/grows" --strategy=random --executions=5 --steps=2000 -- over
    says grown "step limit reached"
}

unedited "$CC" tests/hook/child.c "$work/$CC.o" -fsanitize=thread
unedited "$CC" tests/hook/system.c "$work/$CC.o" -fsanitize=thread
for what in $("$CC" -w -o "$work/native" tests/hook/system.c -pthread && "$work/native"); do
    try is_seen_in_between "$what"
done
for what in pipe stream words time environment; do try both_ways $what; done
try is_a_race words string_rest
try is_a_race time library_time
try is_a_race environment library_environment
unedited "$CC" tests/hook/grows.c "$work/$CC.o" -O0 -fsanitize=thread
for what in stream memory descriptor; do try a_file_that_grows_is_progress $what; done
try_all
summary

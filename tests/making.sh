#!/bin/sh
# An object that one thread makes, or ends, while another one uses it is found, and what is made in
# time is not.  Run from the top of the tree, with CC and BUILD set.
name=making
. tests/try.sh

compile -O0 making making
tests=$("$work/making" --list)

# found_by STRATEGY: both places of the two are told.
found_by() {
    gives 1 found "$work/making" --strategy="$1" --executions=300
    for test in $tests; do
        case $test in
        right_*) says found "PASS $test:" ;;
        *) says found "FAIL $test:" ;;
        esac
    done
    lacks found 'SIGSEGV'
}

# Under dfs each way to fail comes.
each_way_is_told() {
    gives 1 found "$work/making" --strategy=dfs
    says found "T1 waits for m since making.c:"
    for object in m s c; do
        says found "$object was initialised at making.c:"
        says found "$object was destroyed when T1 was about to use it"
    done
}

hooks_do_the_same() {
    engine_by "$CC" program "$work/program.o"
    unedited "$CC" tests/hook/making.c "$work/program.o"
    for strategy in auto dfs dpor; do
        gives 0 passed "$work/making" --strategy=$strategy --executions=100 -- right
        gives 1 found "$work/making" --strategy=$strategy --executions=100 -- mutex
        says found "T1 waits for m since making.c:"
        gives 1 found "$work/making" --strategy=$strategy --executions=100 -- sem
        says found 'was initialised at making.c:'
        gives 1 found "$work/making" --strategy=$strategy --executions=100 -- destroy
    done
}

for strategy in auto dfs dpor; do try found_by $strategy; done
try each_way_is_told
try hooks_do_the_same
summary

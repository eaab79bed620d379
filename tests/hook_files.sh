#!/bin/sh
# Threads that meet by files, signals and children: waiting in such a call is a step that is enabled
# when the kernel says so.  The programs of tests/hook run with the C library too.
name=hook_files
. tests/try.sh

mkdir "$work/real"
$CC -g -pthread tests/hook/files.c -o "$work/real/files"
engine "$CC"
unedited "$CC" tests/hook/files.c "$work/$CC.o"

# met WAY NAME OPTION...
met() {
    way=$1 met=meets.$2
    shift 2
    gives 0 "$met" timeout 60 "$work/files" "$@" -- "$way"
    says "$met" "1 passed, 0 failed"
}

# It takes real time to see that a child waits for the program: all at once, then.
meets() {
    gives 0 real.out timeout 20 "$work/real/files" "$1"
    n=40 all=
    case $1 in wait*) n=12 ;; esac
    for strategy in auto random dfs native; do
        met "$1" $strategy --executions=$n --strategy=$strategy &
        all="$all $!"
    done
    met "$1" threads --executions=$n --backend=threads &
    for one in $all $!; do wait "$one"; done
}

# With all accesses seen there is no race between those who meet.
orders() {
    unedited "$CC" tests/hook/files.c "$work/$CC.o" -fsanitize=thread
    for way in read recv eventfd flock fcntl queue letter sem poll polls shutdown rearm knock; do
        gives 0 orders timeout 60 "$work/files" --executions=60 -- $way
        says orders "1 passed, 0 failed"
    done
}

ways=$(sed -n 's|.*{"\([a-z0-9]*\)", [a-z].*|\1|p' tests/hook/files.c)
for way in $ways; do try meets $way; done
try orders
summary

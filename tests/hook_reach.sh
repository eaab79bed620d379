#!/bin/sh
# Whatever a machine can do is reachable in programs that know nothing of racefuzz, and what was
# gone through is not called all unless it is.
name=hook_reach
. tests/try.sh
ways="auto random pct dfs dpor"

engine_by "$CC" compiler "$work/engine.o"
unedited "$CC" tests/hook/leaving.c "$work/engine.o" -DDESTRUCTOR
mv "$work/leaving" "$work/destructor"
for program in leaving reach epoll; do
    unedited "$CC" "tests/hook/$program.c" "$work/engine.o"
done

# fails_always WORDS PROGRAM ARGUMENT...: under every way to explore, and its token replays it.
fails_always() {
    words=$1 program=$2
    shift 2
    for strategy in $ways; do
        gives 1 found "$work/$program" --strategy=$strategy --executions=60 -- "$@"
        says found "$words"
        (cd "$work" && gives 1 again env "RF_SEED=$(token found)" ./$program -- "$@")
        says again "$words"
    done
}

# passes PROGRAM ARGUMENT...: under every way to explore.
passes() {
    program=$1
    shift
    for strategy in $ways; do
        gives 0 passed "$work/$program" --strategy=$strategy --executions=30 -- "$@"
        says passed "1 passed, 0 failed"
    done
}

long_work_is_done_after_the_end() {
    for strategy in auto random dfs; do
        gives 1 found "$work/leaving" --strategy=$strategy --executions=60 -- return fails long
        says found "assertion failed"
    done
}

endless_work_ends() {
    gives 0 passed "$work/leaving" --executions=50 -- return "$1"
    gives 0 passed "$work/leaving" --executions=50 --strategy=pct -- return "$1"
}

# A status that is a failure does not hide what another thread would have done.
both_failures_are_found() {
    for strategy in $ways; do
        gives 1 both "$work/leaving" --strategy=$strategy --executions=100 -- three fails
        says both "assertion failed" "main returned 3"
    done
}

# no_race PROGRAM ARGUMENT [EXECUTIONS [FLAG]]: with all plain accesses watched.
no_race() {
    engine "$CC"
    unedited "$CC" "tests/hook/$1.c" "$work/$CC.o" -fsanitize=thread ${4:-}
    gives 0 none "$work/$1" --executions="${3:-100}" -- "$2"
    says none "1 passed, 0 failed"
}

time_passes_in_a_call_that_waits() {
    gives 0 waits "$work/epoll" --executions=20
    says waits "20 executions"
    gives 0 waits "$work/epoll" --executions=20 --strategy=dfs
}

# dpor comes to the end of spin locks, whose plain accesses are all steps.
spin_locks_are_gone_through() {
    engine "$CC"
    unedited "$CC" tests/hook/spinning.c "$work/$CC.o" -O0 -fsanitize=thread
    for how in yields busy; do
        gives 0 locks "$work/spinning" --strategy=dpor --executions=2000 -- $how
        says locks "dpor: all "
    done
}

# What frees it is nothing that racefuzz sees.
a_spinner_may_be_told_by_what_is_not_watched() {
    unedited "$CC" tests/hook/spinning.c "$work/engine.o"
    for strategy in dfs dpor; do
        gives 1 told "$work/spinning" --strategy=$strategy --executions=2000 -- told
        says told "assertion failed"
    done
}

# both_ways WHAT VALUE VALUE [busy]: either is the wrong one under every way to explore.
both_ways() {
    for value in $2 $3; do
        for strategy in $ways; do
            n=60
            case $strategy in d*) n=300 ;; esac
            gives 1 found "$work/reach" --strategy=$strategy --executions=$n -- $1 $value ${4:-}
            says found "assertion failed"
        done
        (cd "$work" && gives 1 again env "RF_SEED=$(token found)" ./reach -- $1 $value ${4:-})
    done
}

# long_prefix WHAT STEPS EXECUTIONS STRATEGY...: one thread runs entirely before the other, as its
# token says.
long_prefix() {
    what=$1 steps=$2 executions=$3
    shift 3
    for strategy in "$@"; do
        gives 1 found "$work/reach" --strategy=$strategy --executions=$executions -- $what $steps
        says found "assertion failed"
        (cd "$work" && gives 1 again env "RF_SEED=$(token found)" ./reach -- $what $steps)
        says again "assertion failed"
    done
}

polled_time_passes() {
    for strategy in auto dfs; do
        gives 0 polled "$work/reach" --strategy=$strategy --executions=20 -- polls 0
        says polled "1 passed, 0 failed"
    done
}

# Main leaves before the other thread starts, or behind.
all_is_all() {
    gives 0 all "$work/leaving" --strategy=$1 -- return ends
    says all "$1: all $2"
    gives 1 all "$work/leaving" --strategy=$1 -- return fails
    n=$(sed -n 's/^  in \([0-9]*\) of .*/\1/p' "$work/all")
    says all "in $n of $n executions" "$1: all $2"
}

# In processes of their own, too, however many work, and whatever ended it.
a_pass_after_few_executions_has_a_status() {
    for jobs in 0 1 2; do
        gives 3 few "$work/leaving" --executions=3 --min-executions=4 --jobs=$jobs -- return waits
        says few "only 3 executions: this says next to nothing"
        for seconds in 0.5 5 50; do # on some machines no execution ends in half a second
            status=0
            "$work/leaving" --seconds=$seconds --executions=10000000 --jobs=$jobs \
                --min-executions=10000000 -- return waits >"$work/few" || status=$?
            ! grep -q "no execution has ended in time" "$work/few" || continue
            [ "$status" -eq 3 ]
            break
        done
        says few "this says next to nothing"
        gives 0 few "$work/leaving" --executions=4 --min-executions=4 --jobs=$jobs -- return waits
    done
}

for way in return exit _exit _Exit quick_exit; do
    try fails_always "assertion failed" leaving $way fails
    try passes leaving $way waits
done
try fails_always "assertion failed" leaving return fails detached
try fails_always "main returned 3" leaving three waits
try fails_always "_exit was called with status 4" leaving return leaves
try fails_always "assertion failed" leaving return uses handler
try fails_always "assertion failed" leaving exit uses handler
try fails_always "assertion failed" leaving quick_exit uses quick_handler
try passes leaving _exit uses handler
try fails_always "assertion failed" destructor return uses
try fails_always "assertion failed" destructor exit uses
try passes destructor _exit uses
try passes leaving return waits detached
try passes leaving return polls
try fails_always "deadlock" leaving pthread_exit waits
try endless_work_ends works
try endless_work_ends serves
try all_is_all dfs "4 schedules"
try all_is_all dpor "2 partial orders"
for busy in "" busy; do
    for what in getvalue clock name keys tryjoin testcancel; do
        try both_ways $what 0 1 $busy
    done
    try both_ways kill 1 2 $busy
    try both_ways handler 1 2 $busy
done
try both_ways ids 0 1
try both_ways unwatched 12 21
try both_ways behind 12 21
try both_ways rand 0 1
try both_ways heap 0 1
try fails_always "assertion failed" reach patience 0
# Behind a writer that waits, for whom a lock of kind 2 keeps new readers out.
try fails_always "behind T2; it holds shared" reach writes 2
try passes reach writes 0
try passes reach gives_up 2
try long_prefix prefix 2000 64 auto bounded delay-bounded
try long_prefix prefix 20000 64 dfs dpor
try long_prefix behind_prefix 1000 64 dfs dpor bounded delay-bounded
try long_prefix behind_prefix 1000 1000 auto
# A handle, or a number of the kernel's, is given to another thread when its own has ended.
given_out_again() {
    unedited "$CC" tests/hook/handles.c "$work/engine.o"
    for what in handle task detached; do
        gives 1 found "$work/handles" --executions=200 -- $what
        says found 'Only where handles are given out again, as systems do: T2, created at'
        says found ', has that of T1, which had ended.'
        token found | grep '[.]u[.]'
        replays "$(token found)" "$work/handles" -- $what
        gives 0 never "$work/handles" --strategy=dfs --executions=3000 -- $what
        says never 'memory and handles given out' # not tried
        says never ', but for what was not tried'
    done
    for how in joined detached "detached late"; do
        gives 0 beside "$work/handles" --strategy=graphs -- beside "$how"
        says beside 'not tried: memory and handles given out'
    done
    gives 0 kept "$work/handles" --strategy=graphs -- beside kept
    lacks kept 'not tried'
    gives 0 alive "$work/handles" --executions=300 -- alive
    gives 0 alive "$work/handles" --executions=300 -- "detached and alive"
}

# Where a thread may be cancelled at any moment, not all moments are tried.
cancelled_at_any_moment() {
    for strategy in dfs dpor; do
        gives 0 points "$work/reach" --strategy=$strategy -- testcancel 2
        lacks points "but for what was not tried"
        gives 0 moments "$work/reach" --strategy=$strategy -- anytime 2
        says moments "not tried: asynchronous cancellation at"
        says moments "under sequentially consistent memory, but for what was not"
    done
}

for place in any same moves; do try no_race maps $place; done
for way in sbrk brk over shrinks locked atomic library stream; do try no_race returned $way; done
try no_race returned pipe 200 -DRF_HOOK_STRING
for way in stack storage; do try no_race returned $way 5; done
try_all
summary

#!/bin/sh
# `graphs` proves the fixed examples, and refutes the broken ones: each PASS says that it has
# executed everything, each failure is found by one of these executions and replays.  Programs that
# are not edited: hook_graphs.sh.
name=proofs
. tests/try.sh
build=$BUILD/examples
export RF_SECONDS=none COLUMNS=200 RF_EXECUTIONS=100000

proved() {
    gives 0 proof "$build/$1_fixed" --strategy=graphs --verbose
    says proof "graphs: all $2 executions explored"
    n=$(sed -n "s|^ *phase 1: \([0-9]*\) executions.*|\1|p" "$work/proof")
    says proof "; $n distinct orders"
}

# Under C11 memory dpor is the same search.
dpor_proves() {
    gives 0 proof "$build/$1_fixed" --strategy=dpor --memory=c11
    says proof "graphs: all $2 executions explored"
}

refuted() {
    "$build/$1" --strategy=graphs --shrink=0 >"$work/refuted" || [ $? -eq 1 ]
    lacks refuted "graphs: all "
    says refuted "$2"
    replays "$(token refuted)" "$build/$1"
}

try proved treiber 4564
try proved msqueue 307
try proved spsc 627
try proved peterson 196
try proved chaselev 1313
try proved publish 4
try proved refcount 2
try proved bank 6
try dpor_proves spsc 627
try dpor_proves bank 6
# Who looks at an old state, and would time out again, is in an execution that does not count.
a_cleaner() {
    gives 0 cleaner "$build/cache_fixed" --strategy=graphs --filter=the_cleaner
    says cleaner "graphs: all 80 executions explored (20 blocked) (nothing ends by itself"
}
compile "" proof proof
alone() {
    test=$1
    shift
    "$work/proof" --strategy=graphs --shrink=0 --filter="$test" "$@"
}

# A failure by what objects may do; its token does the same.
fails_so() {
    alone "$1" >"$work/failed" || [ $? -eq 1 ]
    says failed "$2"
    lacks failed "graphs: all "
    replays "$(token failed)" "$work/proof"
    says again "$2"
}

says_all() {
    gives 0 all alone "$1"
    says all "graphs: $2"
}

# All but what was not tried: that is no proof.
all_but() {
    gives 0 some alone chance
    says some "graphs: all 2 executions explored, but not tried: memory and handles given out again"
}

# A block could have been made at the place of one that was freed, also if that came later.
blocks() {
    for strategy in graphs dpor; do
        gives 0 beside alone blocks_beside --strategy=$strategy
        says beside "not tried: memory and handles given out again"
        gives 0 turns alone blocks_in_turn --strategy=$strategy
        says turns explored
        lacks turns "not tried"
    done
}

# Whatever makes it less than all is said.
not_all() {
    test=$1 why=$2
    shift 2
    alone "$test" "$@" >"$work/some" || [ $? -eq 1 ]
    lacks some "graphs: all "
    says some "$why"
}

try fails_so stale_try "taken"
try fails_so spurious "plain"
try fails_so timed_out "woken"
try fails_so lost "waits"
try fails_so nested "told_first == 0"
try fails_so for_ever "nobody stores what they wait for"
try fails_so hidden "nobody stores what they wait for"
try fails_so given_up "rounds < 400"
try fails_so never_released "nobody stores what they wait for"
try fails_so tried_in_vain "given up"
try fails_so looked_for "nobody stores what they wait for"
try fails_so copied "race: "
try fails_so left_there "the stack of T1, which has ended"
# One of those that are made again fails: nothing is said to be all.
fails_again() {
    fails_so rounds "rounds < 2"
    lacks failed "graphs: " "nothing is proved"
}
try says_all copied_count "the one execution explored"
try says_all gives_up "the one execution explored"
try says_all swapped_at_last "the one execution explored"
try says_all late "all 1599 executions explored"
try not_all interrupted "interrupts strike anywhere"
try says_all conditions "all 4 executions explored (nothing ends by itself"
try says_all tries "all 2 executions explored (2 blocked)"
try says_all onces "all 2 executions explored"
try says_all left_waiting "all 2 executions explored"
try says_all left_spinning "all 2 executions explored (1 blocked): no failure"
try says_all in_time "all 4 executions explored"
# Loops are cut where that is asked for; it is no proof, and it is said.
cuts() {
    line=$(grep -n 'rf_atomic_exchange.*rf_atomic_store' tests/campaign/proof/loops.h | cut -d: -f1)
    for strategy in graphs dpor; do
        gives 0 cut "$work/proof" --filter=swaps --strategy=$strategy --memory=c11 --unroll=4 \
            --executions="$1"
        says cut "graphs: $2, cut: T2's loop at loops.h:$line after 4 rounds"
        lacks cut "all"
    done
}

try cuts 1000 "8 executions explored (2 blocked)"
try cuts 8 "4 executions explored (2 blocked), there are more"
try not_all state "the same choices led elsewhere"
try not_all sum "the test keeps state between executions"
try not_all counter "an execution that was made again was another one"
try not_all dice "an execution that was made again was another one"
try not_all rarely_otherwise "an execution that was made again was another one"
try not_all histories "some are too long to be kept"
try not_all loops "some are too long to be kept"
try not_all patient "PASS patient"
try not_all steps "had not ended"
try not_all values "executions explored, there are more, about" --executions=50
try not_all fails_early " executions explored, there are more; some have failed" --executions=20
# Each value has its turn once, in parts of the search, too.
values() {
    alone values --executions=2000 >"$work/failed" || [ $? -eq 1 ]
    says failed "in 2 of 2000 executions"
    replays "$(token failed)" "$work/proof"
}
try values
# A test with AddressSanitizer, the engine without.
checked() {
    $CC -std=c11 -g -fsanitize=address -I. tests/campaign/proof.c -DRFI_LINKED "$library" \
        -o "$work/checked" -pthread
    gives 0 found "$work/checked" --strategy=graphs --filter=twins
    says found "graphs: all 800 executions explored up to symmetry of threads"
}
try checked
try not_all threads "there are more than 32 threads"
try not_all sizes "atomics of different sizes overlap"
try says_all given_back "all 2 executions explored"
try not_all lent "a thread may end before others have used its stack"
try not_all spins_and_fails "rf_atomic_load(&cell)"
try not_all allocated "plain accesses race"
try not_all unannounced "something was written unannounced"
try not_all polls "a wait may time out again and again (--unroll=N: N times)"
try not_all invariant "an invariant looks between"
try not_all in_time "time-outs, which are explored under --timeouts=any" --timeouts=some
try not_all many "there are more" --executions=50
try not_all many "there are more" --executions=4000000 --seconds=0.1

# ... by the other explorers, too; what some of their executions lacked was told as explored.
some_are_cut() {
    for strategy in graphs dfs dpor bounded delay-bounded; do
        gives 0 some alone at_times_steps --strategy=$strategy
        says some "not known to be all: some reach the limit of steps"
    done
}
state_is_kept() {
    for strategy in dfs dpor bounded delay-bounded; do
        for test in sum counter; do
            gives 0 begun "$work/proof" --filter=$test --strategy=$strategy
            says begun "not known to be all: the test keeps state between executions"
        done
        for test in given_back winner; do
            gives 0 sets "$work/proof" --filter=$test --strategy=$strategy
            lacks sets "keeps state"
        done
    done
}

# It goes on behind an execution that has ended the process.
try not_all dies "assertion failed (test dies)"
try not_all dies "3 executions explored, not known to be all: some have failed"
# What a process has executed before does not matter.
same_without_workers() {
    for jobs in 0 1; do
        gives 0 "jobs.$jobs" "$work/proof" --filter=leftovers --strategy=graphs --jobs=$jobs
        says "jobs.$jobs" "graphs: all "
        sed 's/ in [0-9.]* s\b//' "$work/jobs.$jobs" >"$work/said.$jobs"
    done
    diff "$work/said.0" "$work/said.1"
}
# However many workers there are: the same is executed, found and said.
same_by_jobs() {
    says=$1 wanted=$2
    shift 2
    for jobs in 1 3 ${LONG:+2 7}; do
        gives "$wanted" "jobs.$jobs" "$@" --strategy=graphs --shrink=0 --jobs=$jobs
        says "jobs.$jobs" "graphs: $says"
        sed 's/ in [0-9.]* s\b//' "$work/jobs.$jobs" >"$work/said.$jobs"
        diff "$work/said.1" "$work/said.$jobs"
    done
    [ "$wanted" -eq 0 ] || RF_SEED=$(token jobs.3) gives 1 again "$work/proof"
}

try same_by_jobs "all 4564 executions explored" 0 "$build/treiber_fixed"
try same_by_jobs "all 1599 executions explored" 0 "$work/proof" --filter=late
try same_by_jobs "1600 executions explored, not known to be all: some have failed" 1 \
    "$work/proof" --filter=crashes
try same_by_jobs "1663 executions explored, there are more" 0 "$build/treiber_fixed" \
    --executions=1700

try same_by_jobs "all 800 executions explored up to symmetry of threads" 0 "$work/proof" \
    --filter=twins
try same_by_jobs "all 1604 executions explored" 0 "$work/proof" --filter=unchained

not="not known to be all"
# With a bound, under c11 too: an older value costs like a preemption.
older_values_are_bounded() {
    buffers="$work/proof --filter=buffers --strategy"
    gives 0 sc $buffers=bounded --memory=sc
    gives 0 none $buffers=bounded:0 --memory=c11
    gives 1 older $buffers=bounded:1 --memory=c11
    gives 1 delays $buffers=delay-bounded:1 --memory=c11
    says none "all 3 schedules without a preemption or older value explored under C11 memory"
    says older "schedules with at most 1 preemption or older value explored under C11 memory"
    says older ", stale: T"
    says delays "schedules with at most 1 delay or older value explored under C11 memory"
    token=$(token older)
    for backend in fiber threads; do
        replays "$token" "$work/proof" --backend=$backend
    done
    for strategy in bounded:1 delay-bounded:1; do
        gives 1 nothing "$work/proof" --filter=spurious --strategy=$strategy --memory=c11
        says nothing "spurious wake-up on"
        lacks nothing "not tried"
        replays "$(token nothing)" "$work/proof"
        gives 1 nothing "$work/proof" --filter=spurious --strategy=$strategy --memory=c11 \
            --no-spurious
        lacks nothing "spurious wake"
    done
    gives 0 forgot "$work/proof" --filter=histories --strategy=bounded:0 --memory=c11
    says forgot "$not: some stores were forgotten"
}

# A search goes on where its campaign was left, after a kill too, and counts all.
goes_on_later() {
    later="$build/treiber_fixed --strategy=graphs --campaign=$work/kept"
    gives 0 first $later --executions=1000
    says first "graphs: 976 executions explored, there are more"
    timeout -s KILL 0.3 $later >"$work/killed" 2>&1 || true
    gives 0 last $later
    says last "graphs: all 4564 executions explored"
    n=$(sed -n 's/^PASS .*: \([0-9]*\) executions.*/\1/p' "$work/last")
    [ "$n" -lt 4000 ] || { echo "$n executions"; false; }
    gives 0 over $later
    says over ": 0 executions" "graphs: all 4564 executions explored"
    sed -i 's/\("event":"search".*"bytes":"\)../\1ff/' "$work/kept"/*
    gives 0 broken $later
    says broken "graphs: all 4564 executions explored"
    lacks broken ": 0 executions"
}

# Which memory that is, is said, where an earlier run has done all of it, too.
under_one_memory() {
    sc="$work/proof --filter=buffers --strategy=graphs --memory=sc --campaign=$work/one_memory"
    for run in first next; do
        gives 0 $run $sc
        says $run "all 3 executions explored under sequentially consistent memory: no failure"
    done
    lacks next ": 3 executions"
}

# What was explored under other conditions is not all that there is.
goes_on_with_the_same() {
    under="$work/proof --filter=stale_try --strategy=graphs --shrink=0 --campaign=$work/under"
    gives 0 sc $under --memory=sc
    gives 1 c11 $under
    says sc "graphs: all "
    says c11 "graphs: 3 executions explored, not known to be all: some have failed"
    mkdir "$work/mended"
    compile -DTELLING=rf_memory_order_seq_cst proof mended/proof
    gives 0 gone "$work/mended/"${under#"$work/"}
    says gone "graphs: all " "0 still fail, 1 is gone"
    RF_SEED=$(token c11) gives 1 told "$work/mended/proof"
    says told "be it allowed by the program or not"
}

# A read is explained by the program's orders only where the token is this program's.
tells_the_reads() {
    gives 1 found "$work/proof" --filter=stale_read --strategy=graphs --shrink=0
    whole=$(token found)
    replays "$whole" "$work/proof"
    says again "It is allowed since"
    for seed in "$whole" "${whole%.x*}"; do
        RF_SEED=$seed gives 1 told "$work/mended/proof"
        says told "be it allowed by the program or not"
        says told "whether this program allows it is not known"
        lacks told "It is allowed"
    done
}

# The other searches do so, too: killed and in pieces, they come to what one run comes to.
searches_go_on() {
    for strategy in dfs dpor bounded delay-bounded; do
        on="alone twins --strategy=$strategy --campaign=$work/on.$strategy"
        gives 0 whole alone twins --strategy=$strategy
        says whole "(24 more executions ran threads by priority)"
        grep "$strategy: all" "$work/whole" >"$work/whole.says"
        for piece in 1 2 3 4 5 6; do
            gives 0 "piece.$piece" $on --executions=2500
            [ $piece -eq 1 ] || continue
            timeout -s KILL 0.1 "$work/proof" ${on#alone} >"$work/killed" 2>&1 || true
        done
        says piece.1 "2500 executions"
        says piece.6 ": 0 executions"
        grep "$strategy: all" "$work/piece.6" | diff "$work/whole.says" -
    done
}

# Where an object lies may be another place in the next process.
searches_that_depend_on_places_begin_anew() {
    gives 0 whole alone made_beside --strategy=dpor
    says whole "dpor: all "
    for run in 1 2; do
        gives 0 anew alone made_beside --strategy=dpor --executions=2 --campaign="$work/anew.kept"
        says anew "dpor: 2 partial orders explored"
    done
}

# Which of the searches is whose is known, whatever others have left in the folder.
searches_are_one_shards() {
    for shard in 1 2; do
        gives 0 shard alone onces --strategy=dpor --shard=$shard/2 --campaign="$work/parts"
        cat "$work/shard" >>"$work/shards"
    done
    says shards "PASS onces: 2 executions" "SKIP onces: its 100000 executions are of other shards"
}

# What an earlier run has not tried is not tried; the last one called it proved.
left_out_by_an_earlier_run() {
    for run in 1 2 3; do
        gives 0 left alone chance_at_first --executions=2 --campaign="$work/left.kept"
        says left "not tried: memory and handles given out again, in "
        sed -i 's/"left_out":{/&"what_a_later_version_knows":7,/' "$work/left.kept"/*
    done
    says left "graphs: all 4 executions explored"
}

# Shards make each execution once, all together.
shards_share() {
    all=0
    for shard in 1 2 3; do
        gives 0 shard "$build/treiber_fixed" --strategy=graphs --shard=$shard/3
        lacks shard "graphs: all "
        says shard " executions explored as shard $shard of 3"
        n=$(sed -n 's/.*graphs: \([0-9]*\) executions.*/\1/p' "$work/shard")
        all=$((all + n))
    done
    [ "$all" -eq 4564 ] || { echo "$all executions"; false; }
}

# Beside others: a small test ends with the proof and fewer executions, a large one gives the search
# no more than a fiftieth of the budget.
ends_soon() {
    gives 0 soon "$build/$1_fixed" --strategy=auto,graphs --executions=20000
    says soon "graphs: all $2 executions explored"
    lacks soon "what was not tried"
    n=$(sed -n 's/^PASS .*: \([0-9]*\) executions.*/\1/p' "$work/soon")
    [ "$n" -lt "$3" ] || { echo "$n executions"; false; }
}

gives_up() {
    gives 0 not "$build/seqlock_fixed" --strategy=auto,graphs --executions=10000 --format=json
    says not ' executions explored, there are more, about '
    n=$(sed -n 's/.*"name":"graphs","executions":\([0-9]*\).*/\1/p' "$work/not")
    [ "$n" -le 204 ] || { echo "$n executions"; false; }
}

# Nobody has to ask for it: `auto` ends with a proof where it can, else it says nothing of it.
by_itself() {
    test=$1 says=$2
    shift 2
    gives 0 itself "$work/proof" "=$test" --executions=1000 "$@"
    says itself " s; $says"
    n=$(sed -n 's/^PASS .*: \([0-9]*\) executions.*/\1/p' "$work/itself")
    [ "$n" -lt 1000 ] || { echo "$n executions"; false; }
}

without_a_proof() {
    test=$1
    shift
    "$work/proof" "=$test" --executions=1000 --shrink=0 "$@" >"$work/itself" || [ $? -eq 1 ]
    lacks itself " explored"
}

# It goes on, since there may be more; but it says what it has come to.
goes_on() {
    gives 0 itself "$work/proof" --filter="$1" --executions=1000
    says itself "graphs: all $2" ": 1000 executions"
    lacks itself "no failure is possible"
}

proof_of="no failure is possible in this test"
under_sc="under sequentially consistent memory"
try by_itself onces "all 2 executions explored (1 blocked): $proof_of"
try by_itself gives_up "the one execution explored"
try by_itself tries "all 2 executions explored (2 blocked): $proof_of"
try by_itself onces "all 2 executions explored $under_sc" --memory=sc
try goes_on conditions "4 executions explored (nothing ends by itself"
one_core="explored $under_sc"
try by_itself interrupted "all 6 schedules $one_core"
try by_itself interrupted_threads "all 15 schedules $one_core"
try by_itself interrupted_loop "all 8 schedules $one_core"
try by_itself interrupted_weakly "all 2 schedules $one_core" --no-spurious
for test in state sum counter dice histories steps threads unannounced invariant stale_try \
    interrupted_by_time interrupted_behind interrupted_weakly interrupted_turns reused; do
    try without_a_proof $test
done
try without_a_proof interrupted --cores=2
try without_a_proof onces --memory=oldest
try without_a_proof swaps --unroll=2
try without_a_proof onces --strategy=feedback,surw,rapos
try ends_soon msqueue 307 1000
try ends_soon spsc 627 1500
try ends_soon treiber 4564 12000
try gives_up
# Each order of the ring is needed: weaker, the test is refuted.
orders() {
    EXAMPLES=spsc sh bench/11_orders.sh >"$work/orders"
    cat "$work/orders"
    [ "$(grep -c "needed: race" "$work/orders")" -eq 4 ]
    lacks orders "not "
}

try orders
for example in treiber msqueue chaselev; do try refuted $example "some have failed"; done
for example in spsc peterson publish refcount bank; do
    try refuted $example "plain accesses race"
done
try_all
summary

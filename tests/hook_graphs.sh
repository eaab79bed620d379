#!/bin/sh
# Programs that are not edited, under `graphs`: all executions of threads that meet by locks,
# futexes, pipes and signals are explored, and what is not explored is refused.  Proofs of programs
# with racefuzz.h: proofs.sh.
name=hook_graphs
. tests/try.sh
export RF_SECONDS=none COLUMNS=200 RF_EXECUTIONS=100000

engine "$CC"
unedited "$CC" tests/hook/pipes.c "$work/$CC.o" -fsanitize=thread
unedited "$CC" tests/hook/cancelled.c "$work/$CC.o" -fsanitize=thread
unedited "$CC" tests/hook/handled.c "$work/$CC.o" -fsanitize=thread $(volatiles)
unedited "$CC" tests/hook/proved.c "$work/$CC.o"
mv "$work/proved" "$work/unwatched"
unedited "$CC" tests/hook/proved.c "$work/$CC.o" -fsanitize=thread

# explored PROGRAM WAY SAYS [STATUS [OPTION]]
explored() {
    gives "${4:-0}" explored "$work/$1" --strategy=graphs ${5:+"$5"} -- "$2"
    says explored "graphs: $3"
}

# pipes EXECUTIONS THREAD...: what threads of tests/hook/pipes.c do there comes in so many orders,
# where who finds nothing to read looks once for each call of others, at once, and who waits for a
# while may have waited enough when he has looked first.  (By brute force, as 310 random programs
# with 102,927 executions have been counted.)
pipes() {
    count=$1
    shift
    gives 0 orders "$work/pipes" --strategy=graphs --timeouts=any -- "$@"
    says orders "graphs: all $count executions explored" ": no failure is possible"
}

pipes_tell() {
    gives 1 raced "$work/pipes" --strategy=graphs -- wd ra
    says raced "race: real"
    gives 1 waits "$work/pipes" --strategy=graphs --watchdog=60 -- w rr
    says waits " for what only threads here could send"
    for way in mm yy; do
        gives 1 waits "$work/pipes" --strategy=graphs --watchdog=60 -- $way M Y
        says waits " for what only threads here could send"
    done
    gives 0 time "$work/pipes" --strategy=graphs -- w P
    says time "$not: it has time-outs, which are explored under --timeouts=any"
    gives 0 polls "$work/pipes" --strategy=graphs --timeouts=any -- PP w
    says polls "graphs: all 4 executions explored $twice"
    gives 0 polls "$work/pipes" --strategy=graphs --timeouts=any --unroll=2 -- PP w
    says polls "graphs: all 5 executions explored"
    gives 1 polls "$work/pipes" --strategy=graphs --timeouts=any -- PP
    says polls "$not: a wait may time out again and again" "no execution has come to its end"
    gives 0 others "$work/pipes" --strategy=graphs -- c w
    says others "$not: chance had a part"
}

# Who waits for a signal that is not sent, and who counts on the end of a thread, fails, and by the
# token; handlers that strike are not explored.
pipes_of_signals() {
    for way in "zz k:for a signal" "w u:assertion failed"; do
        gives 1 fails "$work/pipes" --strategy=graphs --shrink=0 -- ${way%:*}
        says fails "${way#*:}"
        lacks fails "graphs: all "
        replays "$(token fails)" "$work/pipes" -- ${way%:*}
        says again "${way#*:}"
    done
    gives 1 strikes "$work/pipes" --strategy=graphs -- h i
    says strikes "$others \"sigaction\""
}

# handles DEEDS MAIN OUTCOMES EXECUTIONS [HOW]: what a thread of tests/hook/handled.c does, and
# main, which sends it signals, ends in these ways, each of which some execution shows, and in no
# other, nor does one by random choice.
handles() {
    gives 0 ends "$work/handled" --strategy=graphs --timeouts=any --no-spurious -- "$1" "$2" "$3" \
        "${5-}"
    says ends "graphs: all $4 executions explored" ": no failure is possible"
    gives 0 random "$work/handled" --strategy=random --executions=200 --no-spurious -- "$1" "$2" \
        "$3" "${5-}"
    shows_each "$@"
}

# ticks DEEDS MAIN OUTCOMES EXECUTIONS [HOW]: the same with a timer that sends twice, of those it
# may send.
ticks() {
    export RF_UNROLL=2
    gives 0 ends "$work/handled" --strategy=graphs --timeouts=any -- "$1" "$2" "$3" "${5-}"
    says ends "graphs: $4 executions explored" "cut: a timer at handled.c:" \
        " after 2 rounds"
    shows_each "$@"
    unset RF_UNROLL
}

shows_each() {
    for one in $3; do
        left=" $3 "
        gives 1 without "$work/handled" --strategy=graphs --timeouts=any --shrink=0 -- "$1" "$2" \
            "${left%% "$one" *} ${left#* "$one" }" "${5-}"
        says without "replay: RF_SEED=1.program.graphs."
    done
}

# handled_fails SAYS DEEDS MAIN [HOW]: a handler for which its thread waits in vain, that takes a
# lock which its thread holds, or calls what it has interrupted; by the token, too.
handled_fails() {
    what=$1
    shift
    gives 1 fails "$work/handled" --strategy=graphs --timeouts=any --shrink=0 -- "$1" "$2" \
        "0.0 0.1" "${3-}"
    says fails "$what"
    replays "$(token fails)" "$work/handled" -- "$1" "$2" "0.0 0.1" "${3-}"
    says again "$what"
}

# Plain data that a handler shares with its thread is no proof, but behind a mask.
handlers_that_race() {
    for deeds in NX XNX; do
        gives 0 races "$work/handled" --strategy=graphs -- $deeds k "0.0 0.1" P
        says races "$not: a handler races with the thread that it interrupts"
        gives 1 real "$work/handled" --strategy=random --executions=300 -- $deeds k "0.0 0.1" P
        says real "race: real"
    done
    gives 0 masked "$work/handled" --strategy=graphs -- bNuX k "0.0 0.1" P
    says masked ": no failure is possible"
}

# unexplored SAYS DEEDS MAIN [HOW]: under graphs it may come to no end.
unexplored() {
    any="0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1 2.2"
    "$work/handled" --strategy=graphs --timeouts=any -- "$2" "$3" "$any" "${4-}" \
        >"$work/left" || [ $? -eq 1 ]
    says left "$not: $1"
}

# What is not known to be in one order only, of what no step tells; what asks for what has a
# handler; and what has no end.
handlers_that_are_not_explored() {
    "$work/handled" --strategy=graphs -- I X "0.0 0.1 0.2" >"$work/late" || [ $? -eq 1 ]
    says late "$not: it has time-outs, which are explored under --timeouts=any"
    unexplored "$more" bu a
    for what in "sigwait:G kk" "sigpending:e k" "signalfd:f k" "futex:F k" "kill:X Ac" \
        "timer:{AA X B" "timer:{AOp SA" "timer:{Ag X B" "timer:AE X"; do
        unexplored "$more \"${what%:*}\"" ${what#*:}
    done
    unexplored "$more \"SA_RESETHAND\"" X k H
    for timer in I D T; do
        unexplored "a timer sends again and again: --unroll=N explores N times" $timer X
        unexplored "a timer sends again and again: --unroll=N explores N times" X ${timer}S
        lacks left deadlock
    done
    gives 1 more "$work/handled" --strategy=graphs --timeouts=any --unroll=2 -- }IPPP "" 0.0 B
    says more "no execution has come to its end"
    lacks more "deadlock"
}

# What a timer sent while nobody took it stays when that is off.
what_is_pending_stays() {
    for outcome in 11.1 20.0; do
        for strategy in random dfs; do
            gives 1 stays "$work/handled" --strategy=$strategy --timeouts=any --executions=300 \
                --shrink=0 -- "{AO}r" X $outcome B
        done
    done
    gives 0 late "$work/handled" --strategy=random --executions=50 -- "{AzO}r" X 111.1 B
}

# cancels DEEDS MAIN OUTCOMES EXECUTIONS: what a thread of tests/hook/cancelled.c does, and main,
# which cancels it, ends in these ways, each of which some execution shows, and in no other.
cancels() {
    set -- "$1" "$2" "$3" "all $4 executions"
    [ "$4" != "all 1 executions" ] || set -- "$1" "$2" "$3" "the one execution"
    gives 0 ends "$work/cancelled" --strategy=graphs --timeouts=any --no-spurious -- "$1" "$2" "$3"
    says ends "graphs: $4 explored" ": no failure is possible"
    gives 0 random "$work/cancelled" --strategy=random --executions=200 -- "$1" "$2" "$3"
    left=$3
    while [ "$left" ]; do
        gives 1 without "$work/cancelled" --strategy=graphs --timeouts=any --shrink=0 -- \
            "$1" "$2" "${3%"$left"}${left#?}-"
        left=${left#?}
    done
}

# The rest has no outcome: its thread waits for ever, holds the mutex, or ends anywhere.
who_is_cancelled_holds_and_waits() {
    for way in "DS q" "SH phq"; do
        gives 1 waits "$work/cancelled" --strategy=graphs --shrink=0 -- $way a
        says waits "deadlock" "for the end of T1"
    done
    gives 1 holds "$work/cancelled" --strategy=graphs --shrink=0 -- c q a
    says holds "T1 ends and still holds mutex"
    replays "$(token holds)" "$work/cancelled" -- c q a
    says again "T1 ends and still holds mutex"
    gives 0 anywhere "$work/cancelled" --strategy=graphs -- TAT q 2ab
    says anywhere "$others \"pthread_setcanceltype\""
    gives 0 loops "$work/cancelled" --strategy=graphs -- L q a
    says loops ": no failure is possible"
}

a_wake_up_of_a_futex_orders_nothing() {
    gives 1 raced "$work/proved" --strategy=graphs --timeouts=any --no-spurious -- "data by futex"
    says raced "race: real" "not known to be all: plain accesses race"
}

# A program that fails in some execution, and by the token of that.
refutes() {
    gives 1 refuted "$work/proved" --strategy=graphs --shrink=0 -- "$1"
    says refuted "$2"
    lacks refuted "graphs: all " "did not repeat"
    replays "$(token refuted)" "$work/proved" -- "$1"
    says again "$2"
}

who_polls_lets_others_begin() {
    for way in polls "polls all the time"; do
        gives 1 raced "$work/proved" --strategy=graphs -- "$way"
        says raced "race: real"
        lacks raced "step limit"
    done
}

not="not known to be all"
twice="(nothing ends by itself, or fails, for no reason twice in a row)"
more="there are operations that are not explored, such as"
others="$not: $more"
try explored proved buffer "all 4 executions explored"
try explored proved condition "all 4 executions explored"
try explored unwatched buffer "4 executions explored, $not: plain accesses were not watched"
try explored proved output "all 2 executions explored"
try explored proved futex "all 10 executions explored"
try explored proved "two by futex" "all 10 executions explored"
try explored proved "bit by futex" "all 10 executions explored"
try explored proved "moved by futex" "all 12 executions explored"
try explored proved "buffer at exit" "all 4 executions explored"
try explored proved spins "all 4 executions explored"
try explored proved swaps "all 2 executions explored (2 blocked): no failure"
try explored proved looks "all 2 executions explored (2 blocked): no failure"
try explored proved counter "all 4 executions explored, but not tried: memory and handles"
try explored proved writer "all 5 executions explored"
try explored proved "writer soon" "all 15 executions explored" 0 --timeouts=any
try refutes exit "exit was called with status 3"
try refutes "other bit by futex" "for a wake-up of futex x"
try refutes "left by futex" "for a wake-up of futex y"
try refutes endless "all that are left wait, and nobody stores what they wait for"
try pipes 54 wRwR rWrW
try pipes 42 ww rr w
try pipes 42 MM mm M
try pipes 42 YY yy Y
try pipes 3 L l
try pipes 13 lDU
try pipes 110 w pr r w
try pipes 10 w s s
try pipes 14 f f
try pipes 1158 F F F
try pipes 2 dw ra
try pipes 18 P P w
try pipes 297 wP Pw rw
try pipes 4 w e
try pipes 10 w E E
try pipes 6 E W x
try pipes 2 g w
try pipes 903 T wR Tx W
try pipes 42 hw rr w
try pipes 6 n n n
try pipes 2 w t
try pipes 2 za dk
try pipes 20 z k k
try pipes 7 z k o
try pipes 4 Z k
try cancels S q a 1
try cancels S pq 1a 3
try cancels S qp 1a 2
try cancels SS pq ab 2
try cancels TT q 2ab 4
try cancels ZZ q 2ab 4
try cancels DSETS qp b 1
try cancels DE q 0 2
try cancels C q a 2
try cancels C rq 1a 5
try cancels R wq 1a 5
try cancels P wq 1a 5
try cancels J pq 1a 3
try cancels SU pq ab 2
try cancels SV pq ab 2
try handles XX k "0.0 0.1" 6
try handles xx kX "0.0 0.1 1.0 1.1 11.0 11.1" 16
try handles xr kk "0.0 0.1 0.2 1.1 1.2 2.2" 25
try handles rr ka "0.0 0.1 0.2 1.1 1.2 2.2 11.1 11.2 12.2 22.2" 82
try handles r a "0.0 0.1 1.1" 9
try handles bxur k "0.0 0.1 1.1" 7
try handles z k "1.0 1.1 2.1" 5
try handles zS kp "11.0 11.1 12.1 21.1" 6
try handles R kw "1.0 1.1 2.1" 9
try handles R kw "1.0 1.1" 8 R
try handles o kw "1.0 1.1 2.1" 9 R
try handles o aw "1.0 1.1 2.1" 19
try handles W YKHC 0.1 2
try handles B KB "0.0 0.1" 8
try handles q KQ "0.0 0.1 1.0 1.1" 15
try handles Q Kq "0.0 0.1" 13
try handles Jx k "0.1 1.1 2.0 2.1" 9
try handles L k 0.1 2
try handles Q Kq "0.0 0.1" 19 W
try handles j kp "1.0 1.1 2.1 12.1" 9
try handles r ss "0.0 0.1 0.2 1.1 1.2 2.2" 24
try handles AOr X "10.1 11.1 20.0" 6
try handles "}{A}r" X "0.0 0.1 1.1" 4 B
try handles "}{AO}r" X "11.1 20.0" 2 B
try handles }r A "0.0 0.1 1.1" 8 B
try handles }L A 0.1 4 B
try handles }Ag X "0.1 1.0 1.1" 4 B
try ticks }Ir "" "0.0 0.1 0.2 1.1 1.2 2.2" 10 B
try ticks "{I}r" "" "0.0 0.1 0.2 1.1 1.2 2.2" 10 B
try ticks }IrXr "" "0.0 0.1 0.2 1.1 1.2 2.2 11.1 11.2 12.2 22.2" 21 B
try ticks }IrOr "" "20.0 21.1 22.2 121.1 122.2 222.2" 6 B
try ticks Dd X "1.0 2.0" 4
try ticks Tr X "0.0 0.1 0.2 1.1 1.2 2.2" 12
try handled_fails "for a signal" P A
try handles S kp "1.0 1.1 2.1" 5
try handles S kp "1.0 1.1" 4 R
try handled_fails "for a signal" P k
try handled_fails "lock taken again" mn lk
try handled_fails "not async-signal-safe" M k M
try explored proved clock "4 executions explored, $not: what the clock says"
try explored proved "clock and sleep" "0 executions explored (1 blocked), $not: it has \
time-outs, which are explored under --timeouts=any" 1

# What was explored with other arguments is not all that there is.
goes_on_with_the_same_arguments() {
    for what in condition output; do
        gives 0 what "$work/proved" --strategy=graphs --campaign="$work/proved.kept" -- $what
        lacks what ": 0 executions"
    done
}
try_all
summary

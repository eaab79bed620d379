#!/bin/sh
# Executions to look at: the trace for viewers, which shows what threads have from one another.
# Run from the top of the tree.
name=page
. tests/try.sh
top=$PWD
compile "-O1" page page || exit 1
cd "$work" || exit 1

needs() { command -v "$1" >/dev/null || skip "no $1"; }

reports_are_written() {
    gives 1 told ./page --report=trace:o.trace
    ls | grep '\.tmp$' | nothing
}

# flows PID: "FROM TO: KIND", the threads by their names.
flows() {
    jq -r --argjson pid "$1" '[.traceEvents[] | select(.pid == $pid)]
        | (map(select(.ph == "M" and .name == "thread_name") | {(.tid | tostring): .args.name})
            | add) as $name
        | map(select(.ph == "s" or .ph == "f")) | group_by(.id)[]
        | (map(select(.ph == "s"))[0]) as $s | (map(select(.ph == "f"))[0]) as $f
        | "\($name[$s.tid | tostring]), \($name[$f.tid | tostring]): \($s.name)"' o.trace |
        LC_ALL=C sort
}

the_trace_has_flows_of_all_kinds() {
    needs jq
    flows 1 >got
    diff - got <<'END'
T0 test body, T1 consume: creation
T0 test body, T2 produce: creation
T1 consume, T2 produce: hand-over
T2 produce, T1 consume: hand-over
T2 produce, T1 consume: reads-from
T2 produce, T1 consume: wake-up
END
    flows 2 >got
    diff - got <<'END'
T0 test body, T1 help: creation
T0 test body, T1 help: hand-over
T0 test body, T1 help: wake-up
T1 help, T0 test body: hand-over
T1 help, T0 test body: join
END
}

# Each flow begins and ends in a slice, forward in time; a step is a unit.
the_trace_is_sound() {
    needs jq
    jq -e '[.traceEvents[] | select(.ph == "X")] as $steps
        | ($steps | map({("\(.pid) \(.tid) \(.ts)"): true}) | add) as $at
        | ($steps | length) > 1900 and all($steps[]; .dur == 1 and .ts == .args.step)
        and ([.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id)
            | length > 20 and all(.[]; length == 2 and .[0].pid == .[1].pid
                and .[0].ph == "s" and .[1].ph == "f" and .[0].ts < .[1].ts
                and .[0].name == .[1].name and all(.[]; $at["\(.pid) \(.tid) \(.ts)"])))
        and ([.traceEvents[] | select(.ph == "i")] | length) == 4' o.trace >/dev/null
}

# Nothing but the names of this machine is in them.
reports_are_the_same_in_every_run() {
    gives 1 again env RF_JOBS=2 ./page --report=trace:again.trace
    cmp o.trace again.trace
}

try reports_are_written
try the_trace_has_flows_of_all_kinds
try the_trace_is_sound
try reports_are_the_same_in_every_run
summary

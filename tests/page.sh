#!/bin/sh
# Executions to look at: the page for browsers (driven in one by long/page.sh), and the trace for
# viewers.
name=page
. tests/try.sh
top=$PWD
compile "-O1" page page || exit 1
compile "-O1" formats formats || exit 1
(cd "$work" && ln -s "$top/tests" tests) # where the sources are found
cd "$work" || exit 1

reports_are_written() {
    gives 1 told ./page --report=trace:o.trace --report=o.html
    [ "$(tail -n 1 told)" = "1 passed, 6 failed" ]
    gives 1 odd env RF_REPORT="odd.html trace:odd.trace" ./formats odd --seconds=none \
        --executions=20
    ls | grep '\.tmp$' | nothing
}

the_ending_or_the_format_makes_it_a_page() {
    gives 1 piped ./page nobody --format=html
    [ "$(head -n 1 piped)" = '<!DOCTYPE html>' ]
    gives 1 text ./page nobody --report=some.page
    [ "$(head -n 1 some.page)" = "racefuzz: 1 test, seed 1" ]
    gives 1 named ./page nobody --report=json:some.html
    head -n 1 some.html | grep -q '^{"event":"run"'
}

# Each tag is closed in its turn; scripts hold no tag.
page_is_well_formed() {
    sed -e '/^<style>/,/<\/style>$/d' -e '/^<script>/,/<\/script>$/d' "$1.html" | awk '
        { page = page $0 "\n" }
        function wrong(what) { print what; bad = 1; exit 1 }
        END {
            if (bad) exit 1
            n = split(page, piece, "<")
            for (i = 2; i <= n; i++) {
                end = index(piece[i], ">")
                tag = substr(piece[i], 1, end - 1)
                name = tag
                sub(/^\//, "", name)
                sub(/[ \/].*/, "", name)
                if (!end) wrong("no end: <" substr(piece[i], 1, 40))
                if (tag ~ /^!/ || tag ~ /\/$/) continue
                if (tag !~ /^\//) open[++depth] = name
                else if (open[depth--] != name) wrong("not open: " tag)
            }
            if (depth) wrong("open: " open[depth])
        }'
    fails grep -n "$(printf '[\001-\010\013-\037]')" "$1.html"
    command -v xmllint >/dev/null || skip "only by our own reader: no xmllint"
    xmllint --noout --huge "$1.html"
}

# Nothing is fetched, and no text becomes more than text.
page_needs_nothing_else() {
    fails grep -niE 'https?:|src=|url\(|@import|<(link|base|iframe|img|object)' o.html
    [ "$(grep -c '<script' odd.html)" -eq "$(($(grep -c '<section' odd.html) + 2))" ]
    grep -q 'apostrophe .* back\\slash &lt;tag&gt; &amp;amp; \]\]&gt;' odd.html
}

a_program_may_have_any_name() {
    odd=$(printf 'a "<b>" & \033[31mred\033[0m \033[1m')
    ln -sf page "$odd"
    gives 1 named "./$odd" nobody --report=strange.html
    page_is_well_formed strange
}

# data NAME: what the scripts of a page read, a line each: of the findings, then the sources.
data() { sed -n 's|^<script type="application/json">\(.*\)</script>$|\1|p' "$1.html"; }

page_has_data() {
    needs jq
    data "$1" | jq -e -s --argjson n "$2" 'length == $n + 1
        and all(.[:-1][]; .places as $places | all(.executions[]; (.rows | length) as $rows
            | (.variables | length) as $variables
            | all(.rows[]; (.x | type == "string") and (.p // 0) < ($places | length + 1)
                and all(.v[]?; .[0] < $variables))
            and all(.links[]; .[0] < .[1] and .[1] < $rows)))
        and all(.[-1][]; .file and all(.lines[]; .[0] > 0))' >/dev/null
}

# What a page says of variables and locks is what comes out when all changes are made.
state='def final: reduce .rows[] as $r ({}; reduce ($r.v // [])[] as $v (.; .values[$v[0]] = $v[1])
        | reduce ($r.l // [])[] as $l (.; .held["\($l[0]) \($l[1])"] += $l[2]));'

changes_add_up() {
    needs jq
    data o | jq -e -s "$state"' [.[2, 3, 4].executions[0] | final | [.held[]] | unique | . == [0]]
        | all' >/dev/null
    data o | jq -e -s "$state"' .[4].executions[0] | .variables == ["cell[0]"]
        and final.values == ["4000"] and (.rows | length) < 100
        and ([.rows[] | select(.v) | .v[0][1] | tonumber] | .[0] > 3900 and .[0] + 1 == .[1])' \
        >/dev/null
}

# The execution with one switch less passes, and parts from the other at that switch.
passing_neighbour_is_there() {
    needs jq
    data o | jq -e -s "$state"' .[2].executions | length == 2
        and (.[0].rows[-1].f | startswith("RF_LOAD(total) == 2: left is 1"))
        and all(.[1].rows[]; has("f") | not)
        and (.[0] | final.values == ["1"]) and (.[1] | final.values == ["2"])
        and ([.[1].rows[].x | select(startswith("log"))] == ["log: adds to 0", "log: adds to 1"])
        and (.[1].title | test("^passes: T[12] goes on at page.c:[0-9]* instead of T[12]$"))' \
        >/dev/null
}

sources_are_there_if_they_can_be_read() {
    needs jq
    line=$(grep -n 'RF_ASSERT(!waited)' "$top/tests/campaign/page.c" | sed 's/:.*//')
    data o | jq -e -s --argjson n "$line" '.[-1][] | select(.file == "tests/campaign/page.c").lines
        | (map(select(.[0] == $n))[0][1] == "    RF_ASSERT(!waited);") and (map(.[0]) | . == sort)
        and (map(.[0]) | contains([$n - 4, $n + 4]))' >/dev/null
    mkdir -p elsewhere
    (cd elsewhere && gives 1 elsewhere/text ../page nobody --report=o.html)
    data elsewhere/o | jq -e -s '.[-1] == [{file: "tests/campaign/page.c", lines: []}]' >/dev/null
}

# Of the very execution; what says nothing of replays stays as it is.
a_replay_has_a_page_and_a_trace() {
    echo old >kept.json
    gives 1 replayed env RF_SEED="$(token told)" RF_REPORT="json:kept.json trace:replay.trace" \
        XML_OUTPUT_FILE=not.xml ./page
    gives 1 replayed env RF_SEED="$(token told)" ./page --report=replay.html
    [ "$(tail -n 1 replayed)" = "  at tests/campaign/page.c:27 in consume(), thread T1 consume" ]
    [ "$(cat kept.json)" = old ]
    [ ! -e not.xml ]
    page_is_well_formed replay
    [ "$(grep -c '<section' replay.html)" = 1 ]
    needs jq
    [ "$(data replay | jq -c '.executions[0].rows? // empty | map(.x)')" = \
        "$(data o | head -n 1 | jq -c '.executions[0].rows | map(.x)')" ]
    jq -e '[.traceEvents[] | select(.ph == "X")] | length > 15' replay.trace >/dev/null
}

what_is_suppressed_is_a_line() {
    echo 'assert function:consume' >list
    gives 0 quiet ./page nobody --suppressions=list --report=quiet.html
    fails grep -q '<section' quiet.html
    grep -q '<li>suppressed by .*: assertion failed' quiet.html
}

# What was found is told when the run is interrupted.
an_interrupted_run_has_a_page() {
    (timeout -s INT 1 ./formats --executions=100000000 --seconds=none --report=cut.html no_hit \
        right_1 || :) >interrupted 2>&1
    page_is_well_formed cut
    grep -q '<section' cut.html
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
T0 test body, T1 help: hand-over
T0 test body, T1 help: wake-up
T1 help, T0 test body: hand-over
T1 help, T0 test body: hand-over
T1 help, T0 test body: join
END
}

the_trace_shows_where_older_values_come_from() {
    needs jq
    flows 6 | grep reads-from >got
    diff - got <<'END'
T0 test body, T2 receive: reads-from
T1 send, T2 receive: reads-from
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
        and ([.traceEvents[] | select(.ph == "i")] | length) == 6' o.trace >/dev/null
}

# Nothing but the names of this machine is in them.
reports_are_the_same_in_every_run() {
    gives 1 again env RF_JOBS=2 ./page --report=trace:again.trace --report=again.html
    cmp o.trace again.trace
    cmp o.html again.html
}

try_all
for page in "o 6" "odd 4"; do
    try page_is_well_formed ${page% *}
    try page_has_data $page
done
summary

#!/bin/sh
# Reports for tools: each format is read by somebody else's reader where there is one, whatever
# texts stand in it; several reports at once; no half of one under its name.
name=formats
. tests/try.sh
compile "-O1" formats formats || exit 1
cd "$work" || exit 1
formats='junit:o.xml json:o.json sarif:o.sarif codequality:o.quality github:o.github tap:o.tap'
formats="$formats trace:o.trace"

# reported NAME STATUS ARGUMENT...: in all formats, as NAME.xml and so on.
reported() {
    to=$1 wanted=$2
    shift 2
    gives "$wanted" "$to" env RF_REPORT="$(echo "$formats" | sed "s/:o\./:$to./g")" ./formats "$@"
    for format in xml json sarif quality github tap trace; do
        [ -s "$to.$format" ] || { echo "no $to.$format"; return 1; }
    done
    ls | grep '\.tmp$' | nothing
}

all_at_once_and_text_on_standard_output() {
    reported o 1 '--filter=-odd*'
    [ "$(tail -n 1 o)" = "26 passed, 3 failed, 1 skipped" ]
    reported odd 1 odd --seconds=none --executions=20
    sed 's/"startLine":[0-9]*/"startline":1/' o.sarif >wrong.sarif
}

xml_is_valid() {
    needs xmllint
    xmllint --noout --schema "$top/tests/golden/junit.xsd" "$1.xml"
    [ "$(xmllint --xpath 'count(//testcase)' "$1.xml")" = "$2" ]
    [ "$(xmllint --xpath 'count(//testcase[failure])' "$1.xml")" = "$3" ]
    [ "$(xmllint --xpath 'string(//testsuite/@failures)' "$1.xml")" = "$3" ]
}

xml_has_the_whole_finding() {
    needs xmllint
    xmllint --xpath 'string(//testcase[@name="forth_and_back"]/failure)' o.xml >text
    says text "how it came about" "replay: RF_SEED=1.forth_and_back."
}

# What each kind of line of a JSON report must have.
json_follows_its_schema() {
    needs jq
    jq -e -s 'all(.[]; has("event")) and .[0].schema == "racefuzz-report/1"
        and .[-1].event == "end"
        and all(.[] | select(.event == "finding"); (.fingerprint | test("^[0-9a-f]{16}$"))
            and (.kind | type == "string") and (.fails | type == "boolean") and (.group > 0))
        and all(.[] | select(.event == "result"); .result | IN("pass", "fail", "skip"))' \
        "$1.json" >/dev/null
}

json_tells_findings_and_steps() {
    needs jq
    [ "$(jq -s 'map(select(.event == "result")) | length' o.json)" = 30 ]
    jq -e -s 'map(select(.event == "finding" and .test == "no_hit_is_lost"
        and .verdict == "harmful")) | length == 2 and .[0].preemptions == 1
        and .[0].preemptions_found > 0 and all(.[]; .failure.kind == "assert"
        and (.steps | length) > 8 and (.places | length) == 2 and .reproduced)' o.json >/dev/null
    races=$(jq -s '[.[] | select(.kind == "race") | .fingerprint] | length' o.json)
    distinct() { jq -s "[.[] | select(.kind == \"race\") | .$1] | unique | length" o.json; }
    [ "$races" -gt 2 ] && [ "$(distinct fingerprint)" = "$races" ] && [ "$(distinct group)" = 1 ]
}

sarif_is_as_the_standard_says() {
    needs jq
    jq -r -f "$top/tests/golden/sarif.jq" "$1.sarif" >mistakes
    nothing <mistakes
    jq -r -f "$top/tests/golden/sarif.jq" wrong.sarif >mistakes
    says mistakes 'no member startline' 'lacks startLine'
}

# The validator of those who made the format, with the schema of the standard in it: npm's
# @microsoft/sarif-multitool-linux.
sarif_passes_its_validator() {
    needs Sarif.Multitool
    for file in "$1.sarif" wrong.sarif; do
        DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 Sarif.Multitool validate "$file" \
            --output validated.sarif --log ForceOverwrite >"$file.said"
        says "$file.said" "1 files scanned"
    done
    lacks "$1.sarif.said" ": error "
    says wrong.sarif.said ": error "
}

sarif_knows_what_does_not_count() {
    printf 'deadlock function:*\n' >list.supp
    grep -v forth_and_back o.json >known.json
    gives 1 sarif ./formats '--filter=-odd*,-right*' --suppressions=list.supp \
        --baseline=known.json --report=sarif:known.sarif
    says known.sarif '"suppressions":[{"kind":"external"' '"baselineState":"unchanged"'
}

code_quality_is_a_list() {
    needs jq
    jq -e 'length > 0 and all(.[]; .description and .check_name and .fingerprint
        and (.severity | IN("critical", "minor")) and .location.path
        and .location.lines.begin > 0)' "$1.quality" >/dev/null
}

# Viewers want these members; the rest is in page.sh.
trace_is_for_viewers() {
    needs jq
    jq -e '.traceEvents | length > 4 and all(.[]; (.ph | IN("M", "X", "i", "s", "f"))
        and .pid > 0 and .tid > 0 and (.name | type == "string"))' "$1.trace" >/dev/null
}

# A workflow reads a line at a time.
annotations_are_lines() {
    says o.github "::error file=tests/campaign/formats.c,line="
    grep -v '^::\(error\|notice\) ' "$1.github" | nothing
    says odd.github "file=a \"dir\"/<odd> & name%25.c,line=7,title="
}

# Perl's reader is the one of prove.
tap_is_read_by_prove() {
    needs prove
    printf '#!/bin/sh\ncat %s.tap\n' "$1" >"$1.sh"
    chmod +x "$1.sh"
    prove "./$1.sh" >proved 2>&1 || :
    lacks proved "Parse errors"
    says proved "$2"
}

interrupted_tap_says_so() {
    (timeout -s INT 0.5 ./formats --format=tap --executions=100000000 --seconds=none right || :) \
        >cut.tap
    says cut.tap "Bail out!"
}

# The end names a place once, if it can.
a_place_is_named_once() {
    (cd "$work" && cp "$top/tests/campaign/formats.c" here.c &&
        $CC -std=c11 -g -I"$top" -DRFI_LINKED here.c "$library" -o here -pthread)
    COLUMNS=80 gives 1 once ./here '--filter=no_hit*,forth*'
    tail -n 7 once | sed 's/and [0-9]* more/and N more/; s/SEED=[^ ]*/SEED=TOKEN/' >end
    cat >expected <<END
no_hit_is_lost: race: real, harmful: here.c:11 writes hits, here.c:11 writes
  hits, and N more findings
  replay: RF_SEED=TOKEN ./here
forth_and_back: deadlock: real, harmful: here.c:26 takes there, here.c:33 takes
  here
  replay: RF_SEED=TOKEN ./here
0 passed, 2 failed
END
    diff expected end
}

# Three failed tests of thirty are understood from the last ten lines of 80 columns.
the_end_says_it_all() {
    COLUMNS=80 gives 1 all ./formats '--filter=-odd*' --executions=200
    tail -n 10 all >end
    cat >expected <<END
no_hit_is_lost: race: real, harmful: formats.c:11 writes hits, formats.c:11
  writes hits; at tests/campaign/formats.c:11, and N more findings
  replay: RF_SEED=TOKEN ./formats
forth_and_back: deadlock: real, harmful: formats.c:26 takes there, formats.c:33
  takes here; at tests/campaign/formats.c:26
  replay: RF_SEED=TOKEN ./formats
expects_a_race: expected but not found: race
  at tests/campaign/formats.c:46
26 passed, 3 failed, 1 skipped
END
    sed 's/=[^ ]* /=TOKEN /; s/and [0-9]* more/and N more/' end >got
    tail -n 9 got | diff expected -
    # what is cut, where there is less room, ends behind a word
    COLUMNS=70 gives 1 narrow ./formats '--filter=-odd*,-right*' --executions=200
    says narrow "no_hit_is_lost: race: real, harmful: formats.c:11 writes hits ..."
    lacks narrow ',;\|, *[.][.][.]'
    [ "$(grep -c '^PASS' all)" = "$(grep -c '^PASS right_[0-9]*: .* all .* explored' all)" ]
    [ "$(sed -n '/^PASS/,$p' all | grep -c '^ *once')" = 0 ]
    [ "$(sed -n '/^PASS right_1:/,/^PASS right_26:/p' all | wc -l)" = 26 ]
}

# One finding in full, a line for each of the others; --all tells all.
one_cause_is_told_once() {
    gives 1 once ./formats no_hit
    [ "$(grep -c 'how it came about' once)" = 1 ]
    says once "also, of the same cause by their places:"
    gives 1 all ./formats no_hit --all
    lacks all "also, of the same cause"
    [ "$(grep -c 'how it came about' all)" -gt 3 ]
}

variables_of_others_ask_for_reports() {
    gives 1 asked env XML_OUTPUT_FILE=bazel.xml GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary \
        ./formats no_hit right_26
    [ "$(tail -n 1 asked)" = "1 passed, 1 failed" ]
    says asked "::error file="
    says bazel.xml '<testsuite name="formats" tests="2" failures="1"'
    says summary "| **failed** | no\\_hit\\_is\\_lost | 3000 |"
    cp formats "it's"
    gives 0 suite "./it's" right_26 --executions=1 --format=junit
    says suite "<testsuite name=\"it's\" tests=\"1\"" # not as a shell would take it
    gives 0 plain env GITHUB_ACTIONS=true ./formats right_26 --format=tap
    lacks plain "::error"
}

# Twice in one process, with what the first run was told forgotten.
a_foreign_main_gets_the_same() {
    cat >foreign.c <<'END'
#include "racefuzz.h"
static int hits;
static void *visit(void *arg) { RF_STORE(hits, RF_LOAD(hits) + 1); return arg; }
RF_TEST(no_hit) {
    hits = 0;
    rf_thread a = RF_THREAD(visit, NULL);
    RF_STORE(hits, RF_LOAD(hits) + 1);
    RF_JOIN(a);
    RF_ASSERT_EQ(RF_LOAD(hits), 2);
}
int main(int argc, char **argv) {
    char *plain[] = {argv[0], NULL};
    int first = rf_run(&(rf_options){.executions = 60}, argc, argv);
    return first * 10 + rf_run(&(rf_options){.executions = 60}, 1, plain);
}
END
    $CC -std=c11 -g -I"$top" foreign.c -DRFI_LINKED "$library" -o foreign -pthread
    echo 'race function:visit' >foreign.supp
    gives 1 foreign.out ./foreign --suppressions=foreign.supp --report=json:f.json \
        --report=junit:f.xml --report=sarif:f.sarif --report=html:f.html
    says foreign.out "findings: "
    [ "$(tail -n 1 foreign.out)" = "0 passed, 1 failed" ]
    says f.xml 'failures="0"'
    says f.json '"suppressed":"foreign.supp:1"'
    says f.sarif '"suppressions":'
    grep -q . f.html
}

# The old report stays until the new one is whole.
a_report_is_whole_or_not_there() {
    [ -c /dev/full ] || skip "no /dev/full"
    echo old >kept.xml
    (timeout -s KILL 0.5 ./formats --report=junit:kept.xml --executions=100000000 --seconds=none \
        right || :) >killed 2>&1
    [ "$(cat kept.xml)" = old ]
    rm -f kept.xml.*.tmp
    gives 1 full ./formats right_1 --report=junit:/dev/full
    says full.err 'could not be written to "/dev/full": No space left on device'
    gives 2 nowhere ./formats right_1 --report=junit:/nowhere/x.xml
    says nowhere.err "it can't be written: No such file or directory"
    gives 0 piped ./formats right_1 --report=json:-
    head -n 1 piped | grep -q '^{"event":"run"'
}

the_end_of_a_name_is_a_format() {
    for end in xml:junit json:json jsonl:json sarif:sarif html:html; do
        gives 0 named ./formats right_1 --executions=20 "--report=named.${end%:*}" \
            "--report=${end#*:}:said"
        says named "1 passed, 0 failed"
        # they hold times
        [ "$(head -c 50 "named.${end%:*}")" = "$(head -c 50 said)" ]
    done
    gives 0 named ./formats right_1 --executions=20 --report=named.txt
    says named.txt "1 passed, 0 failed"
}

two_reports_in_one_place_are_refused() {
    for two in "junit:one --report=json:one" "json:- --report=-" \
        "one.xml --report=junit:one.xml"; do
        gives 2 two ./formats right_1 --report=$two
        one_line two.err
        says two.err "another report is written there"
        [ ! -e one ] && [ ! -e one.xml ]
    done
}

top=$(cd "$OLDPWD" && pwd)
try_all
for report in "o 30 3" "odd 4 4"; do
    try xml_is_valid $report
done
for report in o odd known; do try sarif_is_as_the_standard_says $report; done
for report in o odd; do
    try json_follows_its_schema $report
    try sarif_passes_its_validator $report
    try code_quality_is_a_list $report
    try trace_is_for_viewers $report
    try annotations_are_lines $report
done
try tap_is_read_by_prove o "Failed 3/30 subtests"
try tap_is_read_by_prove odd "Failed 4/4 subtests"
summary

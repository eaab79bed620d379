#!/bin/sh
# Findings that do not count: by a list of suppressions, or because an earlier report, the baseline,
# has them.  What is left fails, the others are counted, in each format.
name=suppress
. tests/try.sh
for program in formats mail meeting; do
    compile "-O1" $program $program || exit 1
done
sed '1i // a new line, so that all others move' tests/campaign/formats.c >"$work/moved.c"
sed 's/\<visit\>/call/g' tests/campaign/formats.c >"$work/renamed.c"
for other in moved renamed; do
    mkdir "$work/$other"
    mv "$work/$other.c" "$work/$other/formats.c"
    $CC -std=c11 -g -O1 -I. "$work/$other/formats.c" -DRFI_LINKED "$library" \
        -o "$work/$other/formats" -pthread || exit 1
done
cd "$work" || exit 1
run="./formats --executions=200 --seconds=none"

# suppressed STATUS LINES ARGUMENT...: with these lines in list.supp.
suppressed() {
    wanted=$1
    printf "$2" >list.supp
    shift 2
    gives "$wanted" said $run --suppressions=list.supp "$@"
}

# all_are LINE: it takes the race of no_hit, and what it did to the test, out of the count.
all_are() {
    suppressed 0 "$1\n" no_hit
    says said "PASS no_hit_is_lost"
    grep -q '^findings: [0-9]* suppressed$' said
    lacks said "assertion failed" "how it came about" "unused suppression"
}

# none_is LINE: it does not, which is told.
none_is() {
    suppressed 1 "# races\n\n $1 \r\n" no_hit
    lacks said '^findings:'
    says said "unused suppression: list.supp:3: $1"
}

# The race of misses is still there.
one_of_two_variables_is_not_enough() {
    suppressed 1 "race variable:hits\n" no_hit
    says said "writes misses"
    lacks said "writes hits"
    grep -q '^findings: [0-9]* suppressed$' said
}

other_tests_still_fail() {
    suppressed 1 "race function:visit\n" no_hit forth
    says said "1 passed, 1 failed"
    suppressed 0 "race function:visit\ndeadlock function:*\n" no_hit forth
    says said "2 passed, 0 failed"
}

# A failure of its own, without a race.
failures_are_suppressed_by_their_kind() {
    suppressed 1 "assert function:odd_and_many\n" odd_and_many
    suppressed 0 "fail function:odd_and_many\n" odd_and_many
    says said "findings: 1 suppressed"
}

expected_findings_stay_expected() {
    suppressed 1 "* function:*\n" expects
    says said "expected but not found: race"
}

they_are_told_in_a_line_if_asked_for() {
    suppressed 0 "race function:visit\n" no_hit --verbose
    says said "suppressed by list.supp:1: race: real, harmful: formats.c:11 writes hits"
}

# ---- the baseline ----

a_report_is_the_baseline() {
    gives 1 first $run no_hit --report=json:known.json
    gives 0 again $run no_hit --baseline=known.json
    grep -q '^findings: [0-9]* in the baseline$' again
    gives 0 again env RF_BASELINE=known.json $run no_hit --jobs=2
    gives 0 again $run no_hit --baseline=known.json --report=json:known.json
    gives 0 again $run no_hit --baseline=known.json
}

new_findings_fail() {
    gives 1 new $run no_hit forth --baseline=known.json
    says new "1 passed, 1 failed" "PASS no_hit_is_lost" "FAIL forth_and_back"
}

lines_may_move_but_functions_may_not_be_renamed() {
    gives 0 moved.said moved/formats --executions=200 no_hit --baseline=known.json
    gives 1 renamed.said renamed/formats --executions=200 no_hit --baseline=known.json
    says renamed.said "writes hits"
}

a_report_that_is_cut_is_told() {
    [ ! -s again.err ]
    sed '$d' known.json >cut.json
    gives 0 cut $run no_hit --baseline=cut.json
    one_line cut.err
    says cut.err 'baseline="cut.json": it ends in the middle; findings that it lacks count'
}

what_was_only_predicted_is_not_known() {
    sed 's/"verdict":"[a-z]*"/"verdict":"potential"/' known.json >potential.json
    gives 1 potential $run no_hit --baseline=potential.json
}

both_at_once() {
    printf 'deadlock file:*/formats.c\n' >list.supp
    gives 0 both env RF_SUPPRESSIONS=list.supp $run no_hit forth --baseline=known.json
    grep -q '^findings: [0-9]* suppressed, [0-9]* in the baseline$' both
}

# Places that are told beside those that make the finding are others under other seeds.
a_lost_wakeup_has_one_fingerprint() {
    for seed in 1 2 3; do
        gives 1 "mail$seed" ./mail --seed=$seed --executions=100 --report=json:mail$seed.json
        says "mail$seed" "lost wake-up: real, harmful"
        prints mail$seed.json
    done >printed
    grep -q '^  takes ' mail2 && ! grep -q '^  takes ' mail1
    [ "$(sort -u printed | wc -l)" -eq 1 ]
    [ "$(wc -l <printed)" -eq 3 ]
}

# A deadlock by itself, and as what a lost wake-up has led to, is one finding.
a_failure_is_known_with_its_warning_and_without() {
    alone="./mail --executions=100 --strategy=random"
    gives 1 alone $alone --report=json:alone.json
    says alone "deadlock: nobody can wake the waiting threads (test mail)"
    gives 0 known $alone --seed=2 --baseline=mail1.json
    says known "findings: 1 in the baseline"
    sed 's/"led_to":\[/&"0123456789abcdef",/' mail1.json >more.json
    gives 0 known $alone --seed=2 --baseline=more.json
    gives 0 known ./mail --executions=100 --baseline=alone.json
    says known "1 harmful"
}

# ... but a race is a fault besides what it has led to.
a_race_is_no_failure_that_is_known() {
    gives 1 alone $run no_hit --strategy=sticky --detect=none --report=json:alone.json
    says alone "assertion failed"
    gives 1 raced $run no_hit --baseline=alone.json
    says raced "real, harmful"
}

# What a breakpoint has led to fails the test, though a race beside it does not count.
a_breakpoint_counts_beside_what_does_not() {
    with="./meeting --executions=100 --strategy=sticky,breakpoint,racefuzzer"
    echo 'race variable:seen' >seen.supp
    gives 1 met $with --suppressions=seen.supp --report=json:met.json
    says met "breakpoint: hit, harmful"
    says met "findings: 1 suppressed"
    gives 0 known $with --baseline=met.json --seed=2
}

# ---- formats ----

formats='junit:o.xml json:o.json sarif:o.sarif codequality:o.quality tap:o.tap'

every_format_counts_them() {
    printf 'deadlock file:formats.c\n' >list.supp
    gives 0 plain env RF_REPORT="$formats" GITHUB_STEP_SUMMARY=summary GITHUB_ACTIONS=true \
        $run no_hit forth --baseline=known.json --suppressions=list.supp
    known=$(grep -c '"suppressed":"baseline"' o.json)
    [ "$known" -gt 1 ]
    says o.xml '<property name="suppressed" value="1"/>' \
        "<property name=\"in_baseline\" value=\"$known\"/>" 'failures="0"' \
        "suppressed by list.supp:1: deadlock"
    says o.json '"suppressed":"list.supp:1"'
    says o.json "\"suppressed\":1,\"in_baseline\":$known,\"unused_suppressions\":[]"
    says o.sarif '"suppressions":[{"kind":"external","justification":"list.supp:1"}]' \
        '"baselineState":"unchanged"' '"baselineState":"new"'
    says o.tap "  in_baseline: $known" "# findings: 1 suppressed, $known in the baseline"
    says o.quality '"severity":"info"'
    says summary "findings: 1 suppressed, $known in the baseline"
    lacks plain '::error'
    lacks o.quality critical
}

# ---- what can be wrong ----

# refused WORDS ARGUMENT...: by one line.
refused() {
    words=$1
    shift
    gives 2 refused $run no_hit "$@"
    one_line refused.err
    says refused.err "$words"
    [ ! -s refused ]
}

# line_refused LINE WORDS
line_refused() {
    printf 'race function:visit\n# more\n%b\n' "$1" >bad.supp
    refused "bad.supp:3: $2" --suppressions=bad.supp
}

files_are_there() {
    refused 'it can'"'"'t be read: No such file' --suppressions=none.supp
    refused 'it can'"'"'t be read: No such file' --baseline=none.json
    refused 'it can'"'"'t be read: Is a directory' --suppressions=.
    refused 'it can'"'"'t be read: Is a directory' --baseline=.
    refused 'expected the name of a file' --suppressions=
    refused 'no report that --report=json:FILE has written' --baseline=/dev/null
    refused 'no report that --report=json:FILE has written' --baseline=list.supp
    refused 'no report that --report=json:FILE has written' --baseline=formats
}

an_empty_list_says_nothing() {
    gives 1 empty $run no_hit --suppressions=/dev/null
    lacks empty '^findings:'
}

for line in "race function:visit" "race function:v?s*t" "race file:formats.c" "* function:*" \
    "race file:campaign/formats.c" "race file:tests/*" "race\tfunction:visit"; do
    try all_are "$line"
done
for line in "race function:vis" "deadlock function:visit" "race file:other.c" "race file:rmats.c" \
    "race variable:hit" "assert function:no_hit_is_lost"; do
    try none_is "$line"
done
try_all
try line_refused "rase function:visit" '"rase" is no kind of finding (did you mean race?)'
try line_refused "race visit" '"race visit": expected KIND function:PATTERN'
try line_refused "race function:" '"race function:": expected KIND function:PATTERN'
try line_refused "race" '"race": expected KIND'
try line_refused '\0001\0377 \0033[31m' '"\x01\xff" is no kind of finding'
summary

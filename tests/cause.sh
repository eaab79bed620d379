#!/bin/sh
# Findings that come of another one's race are told below it, by experiment: executions in which
# that race can't happen do not show them.  What does not come of it stays by itself.
name=cause
. tests/try.sh
compile "-O1" cause cause || exit 1
program=$work/cause

# told TEST ARGUMENT...: the headlines, and what is told below each, without threads and places.
told() {
    test=$1
    shift
    gives 1 full env COLUMNS=120 "$program" "$test" --seconds=none "$@"
    sed -n "/(test $test)\$/s/ (test.*//p; /^  also, /,/^\$/p; /^  Gone when/p
        /^  it comes of/,/^\$/p" "$work/full" |
        sed -e '/^$/d' -e 's/cause.c:[0-9]*/cause.c:N/g' \
            -e 's/of [0-9]* executions, else in [0-9]*/of N executions, else in M/' \
            >"$work/told"
}

what_is_handed_over_comes_of_the_flag() {
    told handed_over
    diff - "$work/told" <<END
race: real
  also, gone when the race at cause.c:N and cause.c:N cannot happen:
    race: real: cause.c:N writes data, cause.c:N reads data (in 0 of N executions, else in M)
END
    says full "writes  ready = 1" ", and 1 more finding"
}

harm_is_told_in_full_before_what_it_comes_of() {
    told relied_on
    diff - "$work/told" <<END
race: real, destructive
  Gone when the race at cause.c:N and cause.c:N cannot happen: in 0 of N executions, else in M.
  it comes of:
    race: real: cause.c:N writes ready, cause.c:N reads ready
END
    says full ", and 1 more finding"
}

# No race on a flag, but an order that its accesses lack.
one_missing_order_is_one_cause() {
    told published
    says told "  Gone when the store at cause.c:N is ordered before the load at cause.c:N (release"
    says told "  also, gone when the store at cause.c:N is ordered before the load at cause.c:N"
    [ "$(grep -c '^race: real' "$work/told")" = 1 ]
    [ "$(grep -c '^    race: ' "$work/told")" = 1 ]
    grep -n 'rf_atomic_store_explicit(&sent, 1' tests/campaign/cause.c | head -n 1 |
        sed 's/:.*//' >"$work/line"
    says full "the store at cause.c:$(cat "$work/line") is ordered"
}

# At 80 columns.
a_cause_has_less_than_sixty_lines() {
    for test in handed_over relied_on numbered published; do
        gives 1 narrow env COLUMNS=80 "$program" $test --seconds=none
        sed -n "/(test $test)\$/,/^FAIL $test:/p" "$work/narrow" >"$work/lines"
        [ "$(wc -l <"$work/lines")" -gt 20 ]
        [ "$(wc -l <"$work/lines")" -lt 60 ] || { cat "$work/lines"; return 1; }
    done
}

# x = x + 1 is done at once where its race can't happen.
updates_are_whole() {
    told numbered
    says told "  also, gone when the race at cause.c:N and cause.c:N cannot happen:"
    says told "race: real: cause.c:N writes slot[i], cause.c:N writes slot[i] (in 0 of"
}

# stays TEST N: N findings are told in full, none of them comes of another one.
stays() {
    told "$1"
    lacks told "one when the race"
    [ "$(grep -vc '^ ' "$work/told")" = "$2" ] || { cat "$work/told"; return 1; }
}

tools_get_it_too() {
    needs jq
    gives 1 full "$program" handed_over --seconds=none --report=json:"$work/o.json" \
        --report="$work/o.html"
    jq -e -s 'map(select(.event == "finding"))
        | length == 2 and .[0].group == .[1].group and (.[0] | has("comes_of") | not)
          and .[0].fingerprint == .[1].comes_of.fingerprint
          and .[1].comes_of.executions >= .[1].comes_of.with_it and .[1].comes_of.with_it >= 5' \
        "$work/o.json"
    says o.html "; gone when the race at cause.c:"
}

each_in_full_if_that_is_wanted() {
    told handed_over --all
    diff - "$work/told" <<END
race: real
race: real
  Gone when the race at cause.c:N and cause.c:N cannot happen: in 0 of N executions, else in M.
END
}

nobody_asks_without_a_budget() {
    told handed_over --shrink=0
    lacks told "one when"
}

the_same_everywhere() {
    told handed_over --jobs=0
    cp "$work/told" "$work/first"
    for how in --jobs=3 --backend=threads --verify; do
        told handed_over $how
        diff "$work/first" "$work/told"
    done
}

try_all
try stays each_published 2
try stays counted_twice 2
try stays led_to 2
try stays behind_it 2
try stays beside_a_deadlock 2
try stays beside_a_failure 2
try stays beside_a_rare_failure 2
summary

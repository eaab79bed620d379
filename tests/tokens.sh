#!/bin/sh
# Tokens and seeds on the command line: a replay line can be pasted and replays what it stands
# under, also in another environment; a program that has changed is recognised; the seed of the
# campaign.  What stands in tokens: tokens.c.
name=tokens
. tests/try.sh

compile() { $CC -std=c11 -g -pthread -I. "$@"; }

# program NAME SCRIPT: a copy of the program that sed has changed, as $work/NAME.
program() {
    mkdir -p "$work/$1.src"
    sed "$2" tests/tokens/program.c >"$work/$1.src/program.c"
    compile "$work/$1.src/program.c" "$work/counter.o" "$library" -o "$work/$1"
}

# report FILE COMMAND...: runs it; its report is FILE.
report() {
    file=$1
    shift
    env RF_EXECUTIONS=100 RF_ALL=1 "$@" >"$file" || [ $? -eq 1 ]
}

# The replay lines in a report, ready for a shell; token TEST: one finding of it.
lines() { sed -n 's/^ *replay: //p' "$1" | awk '!told[$0]++'; }
token() { sed -n "s/^.*RF_SEED=\(1\.$1\.[^ ]*\) .*/\1/p" "$work/report" | head -n 1; }

# pasted LINE: the shell runs it, and it replays the very execution.
pasted() {
    gives 1 replayed sh -c "$1"
    lacks replayed '^note'
}

# all_are_pasted FILE [REST]: its lines, each with REST.
all_are_pasted() { while read -r line; do pasted "$line ${2:-}" </dev/null; done <"$work/$1"; }

a_replay_line_can_be_pasted() {
    lines "$work/report" >"$work/lines"
    [ "$(wc -l <"$work/lines")" -ge 10 ]
    all_are_pasted lines
    for test in transfer order philosophers crash unusual header; do token "$test" | grep .; done
}

a_token_means_nothing_to_a_shell() {
    lines "$work/report" | sed 's/^RF_SEED=\([^ ]*\) .*/\1/' >"$work/words"
    grep -v '^[A-Za-z0-9._-]*$' "$work/words" | nothing
    while read -r token; do
        [ "$(sh -c "echo $token")" = "$token" ]
        [ ${#token} -le 100 ]
    done <"$work/words"
}

# Any shell passes the token on as it stands, and it replays the very execution.
a_test_may_have_any_name() {
    long=$(printf '%0200d' 0 | tr 0 n)
    sed "s/LONG/$long/" tests/tokens/names.c >"$work/names.c"
    compile "$work/names.c" "$library" -o "$work/names"
    report "$work/named" "$work/names"
    [ "$(grep -c '^[a-z].*(test ' "$work/named")" -eq 5 ]
    grep '(test é)$' "$work/named"
    lines "$work/named" | sed 's/RF_SEED=\([^ ]*\) .*/\1/' >"$work/words"
    grep -v '^[A-Za-z0-9._-]*$' "$work/words" | nothing
    [ "$(wc -l <"$work/words")" -eq 5 ]
    [ "$(cut -d. -f2 "$work/words" | sort -u | wc -l)" -eq 5 ]
    grep '^1\.plain_name\.' "$work/words"
    for shell in sh bash zsh fish dash ksh; do
        command -v $shell >/dev/null || continue
        while read -r token; do
            [ "$($shell -c "echo $token")" = "$token" ]
            [ ${#token} -le 100 ]
        done <"$work/words"
    done
    lines "$work/named" >"$work/lines"
    all_are_pasted lines
}

tests_of_one_name_are_refused_with_both_places() {
    for unit in one two; do
        echo '#include "racefuzz.h"' >"$work/$unit.c"
        echo 'RF_TEST(twin) { RF_ASSERT(1); }' >>"$work/$unit.c"
    done
    echo 'RF_MAIN()' >>"$work/two.c"
    compile "$work/one.c" "$work/two.c" "$library" -o "$work/twins"
    for option in --executions=3 --list --seed=1.twin.random.s1.i0; do
        gives 2 refused "$work/twins" $option
        one_line refused.err
        says refused.err "two tests are named twin ($work/one.c:2 and $work/two.c:2)"
    done
}

# An edit above that leaves the lines alone counts __COUNTER__ on.
an_edit_above_a_nested_statement_changes_nothing() {
    edit='static inline int more(void) { return 0; }'
    for name in before after; do
        sed "/EDIT/s|.*|$edit|" tests/tokens/nested.c >"$work/nested.c"
        compile "$work/nested.c" "$library" -o "$work/$name"
        report "$work/$name.out" "$work/$name"
        lines "$work/$name.out" | sed 's/ [^ ]*$//' >"$work/$name.lines"
        edit='static inline int more(void) { return RF_LOAD(a[0]) + RF_LOAD(a[1]); }'
    done
    grep 'reads   a\[RF_LOAD(k)\] ' "$work/before.out"
    grep -e rfi_ -e __extension__ "$work/before.out" | nothing
    [ "$(wc -l <"$work/before.lines")" -ge 2 ]
    diff "$work/before.lines" "$work/after.lines"
    all_are_pasted before.lines "$work/after"
}

crashes_and_exits_are_replayed_to_the_point() {
    for how in 'SIGSEGV' 'SIGABRT' 'program ended'; do
        awk -v how="$how" '/^[a-z].*\(test / { hit = 0 } $0 ~ how { hit = 1 }
            hit && sub(/^ *replay: /, "") { print; exit }' "$work/report" >"$work/line"
        grep . "$work/line"
        pasted "$(cat "$work/line")"
        grep "$how" "$work/replayed"
    done
}

moved_lines_are_told_and_change_nothing() {
    program moved '1{x;p;x;}'
    gives 1 out env "RF_SEED=$(token order)" "$work/moved"
    grep '^note: the program has changed .*statements differ; .*the same way' "$work/out"
    says out 'RF_LOAD(total) == 2'
}

a_token_without_its_end_says_so() {
    whole=$(token order)
    gives 1 out env "RF_SEED=${whole%?}" "$work/program"
    says out 'note: the end of the token is missing; what is left of it agrees'
    replays "$whole" "$work/program"
}

a_removed_access_is_told_and_the_replay_goes_on() {
    program removed '/REMOVED/d'
    env "RF_SEED=$(token transfer)" "$work/removed" >"$work/out" || [ $? -eq 1 ]
    cat "$work/out"
    grep '^note: the program has changed .*another way, from ' "$work/out"
    grep -E 'assertion failed|nothing was wrong' "$work/out" # the end of the test was reached
}

a_pair_that_is_gone_is_told() {
    program gone 's/RF_LOAD(balance);/balance;/; s/RF_STORE(balance, seen.*/balance = seen + 10;/'
    env "RF_SEED=$(token transfer)" "$work/gone" >"$work/out" 2>"$work/said" || [ $? -eq 2 ]
    cat "$work/out" "$work/said"
    grep '^note: the program has changed .*none of the pair was met' "$work/out"
    grep "never came to a statement of the token's pair" "$work/said"
}

# refused TOKEN WORDS
refused() {
    gives 2 out env RF_SEED="$1" "$work/program"
    [ ! -s "$work/out" ]
    one_line out.err
    says out.err "$2"
}

tokens_of_others_are_refused() {
    refused "$(token order | sed 's/order/another/')" 'of a test that this program does not have'
    refused "$(token order | sed 's/^1/9/')" 'made by another version of racefuzz (9'
    refused "$(token transfer | sed 's/\.s1.*//')" 'cut short'
}

a_token_wins_over_the_environment() {
    for line in $(sed -n 's/^.*RF_SEED=\(1\.unusual\.[^ ]*\) .*/\1/p' "$work/report"); do
        gives 1 plain env "RF_SEED=$line" "$work/program"
        gives 1 odd env "RF_SEED=$line" RF_STEPS=20 RF_GRANULARITY=fine RF_STACK=16k RF_JOBS=2 \
            RF_EXECUTIONS=3 RF_DETECT=none RF_BACKEND=threads "$work/program"
        diff "$work/plain" "$work/odd"
    done
    grep 'there was room' "$work/report"
    grep 'step limit' "$work/report"
}

options_of_the_campaign_stand_in_its_tokens() {
    report "$work/optional" RF_FILTER=unusual RF_STEPS=77 RF_GRANULARITY=fine RF_STACK=700k \
        "$work/program"
    lines "$work/optional" | grep '\.n77\.k716800\.w\.x'
    lines "$work/optional" >"$work/lines"
    all_are_pasted lines
}

a_statement_in_a_header_is_one_in_all_units() {
    report "$work/header" RF_FILTER=header "$work/program"
    grep produced "$work/header"
    [ "$(grep -c 'produced  *in 50 of 50' "$work/header")" -eq 2 ]
}

# Without what may differ.
without_times() { sed -E 's/ in [0-9.]+ s([;,]|$)/ in TIME\1/' "$1"; }

the_seed_is_fixed_and_printed_first() {
    report "$work/again" "$work/program"
    head -n 1 "$work/report" | grep 'seed 1$'
    without_times "$work/report" >"$work/a"
    without_times "$work/again" | diff "$work/a" -
}

another_seed_gives_other_executions() {
    report "$work/seven" RF_SEED=7 "$work/program"
    head -n 1 "$work/seven" | grep 'seed 7$'
    lines "$work/seven" | grep '\.s7\.'
    without_times "$work/seven" >"$work/b"
    fails cmp "$work/a" "$work/b"
}

a_random_seed_differs_and_can_be_repeated() {
    report "$work/r1" RF_SEED=random "$work/program"
    report "$work/r2" RF_SEED=random "$work/program"
    seed=$(sed -n '1s/.*seed //p' "$work/r1")
    [ "$seed" != "$(sed -n '1s/.*seed //p' "$work/r2")" ]
    report "$work/r3" "RF_SEED=$seed" "$work/program"
    without_times "$work/r1" >"$work/c"
    without_times "$work/r3" | diff "$work/c" -
}

an_order_without_preemptions_replays() {
    compile -DRFI_LINKED tests/campaign/long.c "$library" -o "$work/long"
    gives 1 found "$work/long" --executions=10 --strategy=random
    seed=$(sed -n 's/^.*RF_SEED=\([^ ]*\) .*/\1/p' "$work/found" | head -n 1)
    echo "$seed" | grep '[.]z[23][.]'
    replays "$seed" "$work/long"
}

compile -c tests/tokens/counter.c -o "$work/counter.o"
program program ''
report "$work/report" "$work/program"

try_all
summary

#!/bin/sh
# Whatever is wrong with a setting, a token or an output is one clear line and an exit status of 2
# (1 for lost output): never a hang, a crash, or a campaign that ran in spite of it.
name=bad_input
. tests/try.sh

# refused NAME VALUE...: by the variable and by its option, in a line that names both.
refused() {
    variable=RF_$1 option=--$(echo "$1" | tr A-Z_ a-z-)
    shift
    for value in "$@"; do
        gives 2 refused env "$variable=$value" "$program" fine
        one_line refused.err
        says refused.err "racefuzz: $variable="
        gives 2 refused "$program" fine "$option=$value"
        one_line refused.err
        says refused.err "racefuzz: $option="
        [ ! -s "$work/refused" ]
    done
}

# Which values each of them takes, and which not: options.c.
every_variable_and_option_refuses_a_value_of_no_sense() {
    options=$("$program" --help | grep -o -e '--[a-z0-9-]*' | sed 's/^--//' | grep -vx x | sort -u)
    [ "$(echo "$options" | wc -l)" -gt 40 ]
    for x in $(echo "$options" | tr a-z- A-Z_); do refused "$x" ""; done
    refused EXECUTIONS seven 99999999999999999999999
    refused STRATEGY nonsense
    refused LIST maybe
}

a_slip_in_a_name_is_answered_with_a_suggestion() {
    gives 2 slip "$program" --exections=3
    one_line slip.err
    says slip.err "(did you mean --executions?)"
    gives 2 slip "$program" fine --backend=fibre
    one_line slip.err
    says slip.err "(did you mean fiber?)"
    gives 0 slip env RF_EXECUTION=3 "$program" fine
    one_line slip.err
    says slip.err "(did you mean RF_EXECUTIONS?)"
}

a_filter_that_matches_nothing_is_an_error() {
    gives 2 filter env RF_FILTER=nowhere "$program"
    one_line filter.err
    says filter.err "no test matches the filter"
    gives 2 filter "$program" --list nowhere
    says filter.err "no test matches the filter"
}

# What goes through all schedules does so under sc.
a_memory_that_would_not_be_explored_is_refused() {
    for strategy in dfs random,dfs; do
        gives 2 unexplored "$program" fine --strategy=$strategy --memory=c11
        one_line unexplored.err
        explorer=${strategy##*,}
        says unexplored.err "test fine: memory c11 was asked for, but ${explorer%:*} explores"
        [ ! -s "$work/unexplored" ]
    done
    gives 2 unexplored env RF_MEMORY=oldest RF_STRATEGY=dfs "$program" fine
    one_line unexplored.err
    for strategy in dpor graphs bounded:2 delay-bounded; do
        gives 2 unexplored "$program" fine --strategy=$strategy --memory=oldest
        says unexplored.err "${strategy%:*} explores sequentially consistent memory and c11 only"
    done
    gives 0 explored "$program" fine --strategy=dpor --memory=c11
    says explored "graphs: the one execution explored"
    gives 0 explored "$program" fine --strategy=dpor --memory=sc
    says explored "under sequentially consistent memory"
    gives 0 explored "$program" fine --strategy=dpor --format=tap
    says explored "under sequentially consistent memory"
    gives 0 explored "$program" fine --memory=c11 --executions=20
}

# ---- tokens ----

a_good_token() {
    gives 1 racy "$program" racy --executions=30
    good=$(token racy)
    replays "$good" "$program"
    says again "racefuzz: replay of execution"
}

# token_refused TOKEN WORDS
token_refused() {
    gives 2 token env RF_SEED="$1" timeout 150 "$program"
    one_line token.err
    says token.err "$2"
}

bad_tokens_are_refused() {
    good=$(token racy)
    token_refused "2.${good#1.}" "another version"
    token_refused "$(echo "$good" | sed 's/racy/rusty/')" "this program does not have"
    token_refused "$(echo "$good" | sed 's/racefuzzer/raceracer/')" "raceracer"
    token_refused "$(echo "$good" | cut -d. -f1-2)" "cut short"
    token_refused "$(echo "$good" | cut -d. -f1-3)" "cut short"
    token_refused "$(echo "$good" | cut -d. -f1-5)" "cut short"
    much=i99999999999999999999
    token_refused "$(echo "$good" | sed "s/\.i[0-9]*/.$much/")" $much
    token_refused "$(echo "$good" | sed 's/\.s1/.s-1/')" "s-1"
    token_refused "$(echo "$good" | sed 's/\.p\(........\)[a-z0-9]*/.p\1/')" "p"
    token_refused "$(echo "$good" | sed 's/\.s1/.q1/')" "q1"
    token_refused "$good$(printf '%034000d' 0)" "too long"
    token_refused "1.racy;reboot" "racefuzz: RF_SEED="
    token_refused "racy" "racefuzz: RF_SEED="
}

# Cut anywhere, it is refused, or replays what is left of it: a note about a difference at most.
every_token_that_is_cut_is_answered() {
    good=$(token racy)
    n=${#good}
    while [ "$n" -gt 0 ]; do
        status=0
        RF_SEED=$(printf "%.${n}s" "$good") RF_EXECUTIONS=1 timeout 150 "$program" fine racy \
            >"$work/cut" 2>"$work/cut.err" || status=$?
        [ "$status" -le 2 ] || { echo "status $status after $n characters"; return 1; }
        [ "$status" -ne 2 ] || one_line cut.err
        n=$((n - 1))
    done
}

a_pair_that_no_longer_exists_is_told() {
    good=$(token racy)
    token_refused "$(echo "$good" | sed 's/\.p[a-z0-9]*/.p0000000100000003/')" "pair"
}

# ---- lost output ----

full_disk() { [ -c /dev/full ] || skip "no /dev/full"; }

a_report_that_cannot_be_opened_is_refused() {
    for file in /nowhere/report "$work" "$program/x"; do
        gives 2 unwritable "$program" fine --report="$file"
        one_line unwritable.err
        says unwritable.err "racefuzz: --report="
    done
}

# limited BLOCKS ARGUMENT...: files have no more.  What is said comes through a pipe.
limited() {
    blocks=$1
    shift
    (
        status=0
        cd "$work" # a long path would be cut
        ulimit -f "$blocks"
        "$program" "$@" 2>&1 || status=$?
        echo "status $status"
    ) | cat >"$work/limited"
}

a_report_that_may_not_grow_is_lost() {
    for blocks in 0 1; do
        rm -f "$work/no_file"
        limited $blocks racy --report=no_file "$@"
        says limited "could not be written to \"no_file\": File too large" "status 1"
    done
    limited 0 fine "$@"
    says limited "1 passed, 0 failed" "status 0"
}

a_report_on_a_full_disk_is_lost() {
    full_disk
    for test in fine racy; do
        gives 1 full "$program" "$test" --report=/dev/full "$@"
        one_line full.err
        says full.err "could not be written to \"/dev/full\": No space left on device"
    done
}

# lost REDIRECTION ARGUMENT...: standard output goes nowhere.
lost() {
    status=0 to=$1
    shift
    case $to in
    full) timeout 150 "$program" "$@" >/dev/full 2>"$work/lost.err" || status=$? ;;
    closed) timeout 150 "$program" "$@" >&- 2>"$work/lost.err" || status=$? ;;
    esac
    [ "$status" -eq 1 ] || { echo "status $status: $to $*"; return 1; }
    one_line lost.err
    says lost.err "racefuzz: the report could not be written"
}

output_that_is_lost_is_an_error() {
    full_disk
    for arguments in fine racy "fine --jobs=0" --list --help --version "fine --format=tap" \
        "--seed=$(token racy)"; do
        lost "$1" $arguments
    done
}

nothing_is_lost_with_a_report_file_and_closed_streams() {
    status=0
    "$program" fine racy --report="$work/report" <&- >&- 2>&- || status=$?
    [ "$status" -eq 1 ]
    says report "1 passed, 1 failed"
    tail -n 1 "$work/report" | grep -qx "1 passed, 1 failed"
    head -n 1 "$work/report" | grep -qx "racefuzz: 2 tests, seed 1"
}

closed_input_and_error_do_not_matter() {
    status=0
    "$program" racy >"$work/open" <&- || status=$?
    [ "$status" -eq 1 ]
    status=0
    "$program" racy >"$work/mute" 2>&- || status=$?
    [ "$status" -eq 1 ]
    sed 's/ in [0-9.]* s/ in T s/' "$work/open" >"$work/open.cut"
    sed 's/ in [0-9.]* s/ in T s/' "$work/mute" | diff "$work/open.cut" -
}

compile -O0 small small || exit 1
program=$work/small
try_all
try a_report_that_may_not_grow_is_lost --jobs=1
try a_report_that_may_not_grow_is_lost --jobs=0
try a_report_on_a_full_disk_is_lost
try a_report_on_a_full_disk_is_lost --jobs=0
try output_that_is_lost_is_an_error full
try output_that_is_lost_is_an_error closed
summary

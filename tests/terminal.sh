#!/bin/sh
# On a terminal: the line that shows how far the campaign is, widths and colours.  Ends from
# outside, by Ctrl-C, SIGTERM, SIGKILL: what was found is reported, no process and no file is left.
name=terminal
. tests/try.sh
export RF_SECONDS=none # no machine is too slow
escape=$(printf '\033') return=$(printf '\r')

# on_terminal FILE COMMAND: in a shell whose terminal is new.
on_terminal() {
    command -v script >/dev/null || skip "no script(1)"
    script -qec "stty -onlcr; $2" /dev/null >"$work/$1" </dev/null || true
    grep -q . "$work/$1" || skip "script(1) is of another kind"
}

progress_is_one_line_that_is_rewritten_and_cleared() {
    explores="${return}test 1 of 2, fine: exploring schedules, "
    for executions in 40000 300000 3000000; do # how fast is the machine?
        on_terminal progress \
            "TERM=xterm $program fine racy --executions=$executions $1"
        ! grep -q "$explores" "$work/progress" ||
            ! grep -q "racy: confirming races, .* finding" "$work/progress" || break
    done
    says progress "$explores" "${return}test 2 of 2, racy: confirming races, " \
        " of $executions executions"
    grep -q "executions ([0-9]*/s), [0-9]* finding[s]*, [0-9]* \(s\|min\) left" "$work/progress"
    # before anything else is printed, and at the end, the line is cleared
    tr '\r' '\n' <"$work/progress" >"$work/parts"
    lacks parts "executions[^$escape]*\(PASS\|FAIL\|replay\)"
    tail -n 1 "$work/progress" | grep -qx "1 passed, 1 failed$return*"
}

# It counts: what it says in a second, and how long it took.
progress_is_shown_ten_times_a_second_at_most() {
    on_terminal often "TERM=xterm $program fine --executions=4000000000 --seconds=1 --jobs=$1"
    shown=$(tr '\r' '\n' <"$work/often" | grep -c "^fine: ")
    took=$(sed -n 's/.* executions in \([0-9]*\)\..*/\1/p' "$work/often")
    echo "$shown in $took s"
    [ "$shown" -ge 2 ] && [ "$shown" -le $((took * 10 + 11)) ]
}

replays_are_shown_too() {
    on_terminal replays "TERM=xterm $program fails_late --executions=2"
    says replays "fails_late: replaying what was found, 1 finding"
}

progress_fits_a_narrow_terminal() {
    on_terminal narrow "COLUMNS=40 TERM=xterm $program of_a_name"
    tr '\r' '\n' <"$work/narrow" | grep "^of_a_name" | sed "s/$escape.*//" >"$work/lines"
    [ -s "$work/lines" ]
    lacks lines '.\{40\}'
}

nothing_of_it_goes_elsewhere() {
    on_terminal dumb "TERM=dumb $program fine"
    lacks dumb "$return"
    gives 0 file "$program" fine
    [ ! -s "$work/file.err" ]
    lacks file "[$escape$return]"
}

reports_fit_the_columns() {
    gives 1 narrow env COLUMNS=60 "$program" racy
    grep -v replay: "$work/narrow" | { grep '.\{61\}' || true; } | nothing
}

colours_follow_the_conventions() {
    unset NO_COLOR
    gives 0 plain "$program" fine
    gives 0 forced env CLICOLOR_FORCE=1 "$program" fine
    gives 0 zero env CLICOLOR_FORCE=0 "$program" fine
    gives 0 none env NO_COLOR=1 CLICOLOR_FORCE=1 "$program" fine
    grep -q "$escape\\[32mPASS" "$work/forced"
    for file in plain zero none; do lacks $file "$escape"; done
    on_terminal coloured "TERM=xterm $program fine"
    grep -q "$escape\\[32mPASS" "$work/coloured"
    on_terminal colourless "NO_COLOR=1 TERM=xterm $program fine"
    lacks colourless "$escape\\[32m"
}

# ---- ends from outside ----

# The processes that run the program.
processes() { find /proc/[0-9]*/exe -lname "$program" 2>/dev/null | cut -d / -f 3; }

# until_there_are N: processes; not for ever.
until_there_are() {
    tries=0
    while [ "$(processes | wc -l)" -ne "$1" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 2000 ] || { echo "processes: $(processes)"; return 1; }
        sleep 0.05
    done
}

# until_it_says FILE WORDS COMMAND...: with a second, or more if that is not enough to say so.
until_it_says() {
    command -v timeout >/dev/null || skip "no timeout(1)"
    file=$1 words=$2
    shift 2
    for seconds in 1 5 25; do
        "$@"
        ! grep -qF -e "$words" "$work/$file" || break
    done
}

# ended_by SIGNAL STATUS ARGUMENT...: -f in front: only the supervisor gets it.
ended_by() {
    only=
    [ "$1" != -f ] || { only=--foreground; shift; }
    signal=$1 status=$2
    shift 2
    ended() {
        gives "$status" ended timeout $only --preserve-status -s "$signal" $seconds \
            "$program" fine "$@" of_a_name
    }
    until_it_says ended "PASS fine" ended "$@"
    says ended "PASS fine" "interrupted by SIG$signal" "1 passed, 1 failed"
    lacks ended of_a_name
    [ ! -s "$work/ended.err" ]
    [ ! -d /proc/self ] || until_there_are 0
}

what_was_found_before_ctrl_c_is_reported() {
    found() {
        gives 130 found timeout --preserve-status -s INT $seconds \
            "$program" racy --executions=4000000000
    }
    until_it_says found "race: " found
    says found "race: " "interrupted by SIGINT" "0 passed, 1 failed"
}

ctrl_c_clears_the_line() {
    cleared() {
        on_terminal cleared \
            "TERM=xterm timeout --foreground -s INT $seconds $program half_a_minute"
    }
    until_it_says cleared "half_a_minute: exploring schedules, " cleared
    says cleared "${return}half_a_minute: exploring schedules, "
    tr '\r' '\n' <"$work/cleared" | sed -n '/^half_a_minute: exploring schedules/,$p' >"$work/parts"
    grep -q "^$escape\\[K.*FAIL" "$work/parts" || grep -q "^$escape\\[K$" "$work/parts"
}

workers_die_with_their_supervisor() {
    [ -d /proc/self ] || skip "no /proc"
    until_there_are 0
    "$program" half_a_minute --jobs=2 >"$work/killed" 2>&1 &
    supervisor=$!
    until_there_are 3
    kill -KILL "$supervisor"
    wait "$supervisor" || true
    until_there_are 0
}

nothing_is_left_behind() { [ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }; }

compile -O0 small small || exit 1
program=$work/small
for jobs in 0 1 2; do
    try progress_is_one_line_that_is_rewritten_and_cleared --jobs=$jobs
done
try progress_is_shown_ten_times_a_second_at_most 0
try progress_is_shown_ten_times_a_second_at_most 2
try_all
try ended_by INT 130 half_a_minute
try ended_by -f INT 130 half_a_minute --jobs=3
try ended_by -f TERM 143 half_a_minute
try ended_by -f INT 130 slow --jobs=0 --executions=300000
summary

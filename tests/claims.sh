#!/bin/sh
# docs/inside/claims.md: each row names a test or a benchmark that is there, and speaks of the
# product.  A figure that a test prints, as "# NAME: FIGURE", is named by its row, as `tests/x.c`
# "NAME", and is what the test prints today: seeds are fixed.  So is a table: its section names
# `tests/x.c`, which prints the lines as "# | CELL | CELL |".  Other figures have the day of their
# run.  `make claims` puts what is printed there.  Programs that `make check` has just run are not
# run again: tests/run.sh keeps what they print.  By night they count more, and nothing is compared.
name=claims
. tests/try.sh
page=docs/inside/claims.md

# The rows, as "line|claim|test|figure"; no row has these in its cells.
rows() {
    awk -F ' *[|] *' '
        /^## / { exit }
        /^[|]/ && !/^[|]---/ && $2 != "claim" { print FNR "|" $2 "|" $3 "|" $4 }' $page
}

each_row_names_a_test_that_is_there() {
    rows | cut -d '|' -f 3 | grep -oE '`(tests|bench)/[a-z_0-9/]+\.(c|sh)`' | tr -d '`' |
        sort -u >"$work/named"
    [ "$(wc -l <"$work/named")" -gt 50 ]
    while read -r file; do [ -e "$file" ] || echo "$file"; done <"$work/named" | nothing
}

# What stands behind a file's name, one or several with commas, is a test in it.
each_row_names_what_its_test_has() {
    rows | awk -F '|' '
    BEGIN {
        name = "[a-z][a-z_0-9]*_[a-z_0-9]*"
        names = "`tests/[a-z_0-9/]+[.](c|h|sh)` " name "(, " name ")*"
    }
    {
        rest = $3
        while (match(rest, names)) {
            n = split(substr(rest, RSTART, RLENGTH), word, /`,? ?|, /)
            for (i = 3; i <= n; i++) print word[2], word[i]
            rest = substr(rest, RSTART + RLENGTH)
        }
    }' >"$work/in"
    [ "$(wc -l <"$work/in")" -gt 200 ]
    while read -r file word; do
        grep -q "$word" "$file" || echo "$file: $word"
    done <"$work/in" | nothing
}

each_claim_stands_once() { rows | cut -d '|' -f 2 | sort | uniq -d | nothing; }

the_rows_speak_of_the_product() {
    grep -nE '\(issue [0-9]|issue [0-9]+,|\([A-G][0-9]?(, [A-G][0-9]?)*\)' $page | nothing
}

# A script wrote it, or it has a date: then `make check` alone can't give it.
each_figure_is_compared_or_has_a_date() {
    rows | awk -F '|' -v page=$page '
        $4 !~ /[0-9]/ || $3 ~ /`tests\/[a-z_0-9]+\.c`( [a-z_]+)? "/ { next }
        $3 !~ /long\/|thirdparty|bench|`make |by hand/ {
            print page ":" $1 ": no test is named that prints \"" $4 "\""; next }
        $4 !~ /\(20[0-9][0-9]-[0-1][0-9]-[0-3][0-9]\)$/ {
            print page ":" $1 ": when was \"" $4 "\" measured?" }' | nothing
}

# What a test prints, in $work/logs.
printed() {
    program=$BUILD/${1%.c} log=$BUILD/logs/$(basename "$1" .c).log
    [ -x "$program" ] || make -s BUILD="$BUILD" "$program" >/dev/null
    if [ -n "$(find "$log" -newer "$program" 2>"$work/errors")" ]; then
        cp "$log" "$work/logs/"
    else
        "$program" >"$work/logs/${log##*/}" 2>"$work/errors" || [ $? -eq 1 ]
        mkdir -p "$BUILD/logs"
        cp "$work/logs/${log##*/}" "$log"
    fi
}

# The page with the figures of today.
page_of_today() {
    awk -v logs="$work/logs" '
        function log_of(file) {
            sub(/^`tests\//, "", file)
            sub(/\.c`$/, "", file)
            return logs "/" file ".log"
        }
        function printed(log_file, name,   line, found, begin) {
            begin = "# " name ": "
            while (!found && (getline line <log_file) > 0) found = index(line, begin) == 1
            close(log_file)
            return found ? substr(line, length(begin) + 1) : "(not printed: " name ")"
        }
        function figure(test,   log_file, token, all) {
            while (match(test, /`tests\/[a-z_0-9]+\.c`|"[^"]*"/)) {
                token = substr(test, RSTART, RLENGTH)
                test = substr(test, RSTART + RLENGTH)
                if (token ~ /^`/) log_file = log_of(token)
                else {
                    gsub(/"/, "", token)
                    all = all (all ? "; " : "") printed(log_file, token)
                }
            }
            return all
        }
        /^## / { section = 1; file = "" }
        section && match($0, /`tests\/[a-z_0-9]+\.c`/) { file = substr($0, RSTART, RLENGTH) }
        section && inside && /^[|]/ { next }
        { inside = 0 }
        !section && /^[|]/ {
            split($0, cell, / *[|] */)
            today = figure(cell[3])
            if (today) $0 = "| " cell[2] " | " cell[3] " | " today " |"
        }
        { print }
        section && /^[|]---/ {
            inside = 1
            while ((getline line <log_of(file)) > 0) if (sub(/^# [|]/, "|", line)) print line
            close(log_of(file))
        }' $page
}

the_figures_are_those_of_today() {
    mkdir "$work/logs"
    {
        rows | cut -d '|' -f 3 | grep '"' | grep -oE '`tests/[a-z_0-9]+\.c`'
        sed -n '/^## /,$p' $page | grep -oE '`tests/[a-z_0-9]+\.c`'
    } | tr -d '`' | sort -u >"$work/printing"
    while read -r file; do printed "$file" </dev/null; done <"$work/printing"
    page_of_today >"$work/page"
    grep -n '(not printed' "$work/page" | nothing
    [ -z "$update" ] || cp "$work/page" $page
    diff -u $page "$work/page" || { echo "docs: make claims"; return 1; }
}

update=
[ "${1:-}" != update ] || update=1
try_all
[ -n "${NIGHTLY:-}" ] || try the_figures_are_those_of_today
summary

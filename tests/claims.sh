#!/bin/sh
# docs/inside/claims.md: each row names a test or a benchmark that is there, and speaks of the
# product.  A figure that a test prints, as "# NAME: FIGURE", is named by its row, as `tests/x.c`
# "NAME", and is what the test prints today: seeds are fixed.  `make claims` puts it there.
# Run from the top of the tree, with CC and BUILD set.
name=claims
. tests/try.sh
page=docs/inside/claims.md

# The rows, as "line|claim|test|figure"; no row has these in its cells.
rows() {
    awk -F ' *[|] *' '
        /^[|]/ && !/^[|]---/ && $2 != "claim" { print FNR "|" $2 "|" $3 "|" $4 }' $page
}

each_row_names_a_test_that_is_there() {
    rows | cut -d '|' -f 3 | grep -oE '`(tests|bench)/[a-z_0-9/]+\.(c|sh)`' | tr -d '`' |
        sort -u >"$work/named"
    [ "$(wc -l <"$work/named")" -gt 50 ]
    while read -r file; do [ -e "$file" ] || echo "$file"; done <"$work/named" | nothing
}

the_rows_speak_of_the_product() {
    grep -nE '\(issue [0-9]|issue [0-9]+,|\([A-G][0-9]?(, [A-G][0-9]?)*\)' $page | nothing
}

# printed FILE NAME: the figure that the test prints; it runs once.
printed() {
    program=$BUILD/${1%.c} log=$work/$(echo "$1" | tr / -).log
    if ! [ -e "$log" ]; then
        [ -x "$program" ] || make -s BUILD="$BUILD" "$program" >/dev/null
        "$program" >"$log" || [ $? -eq 1 ]
    fi
    awk -v begin="# $2: " 'index($0, begin) == 1 {
        print substr($0, length(begin) + 1); exit }' "$log"
}

the_figures_are_those_of_today() {
    cp $page "$work/page"
    rows | grep -E '`tests/[a-z_0-9]+\.c` "' >"$work/figures"
    while IFS='|' read -r line claim test figure; do
        file=$(echo "$test" | sed 's/.*`\(tests[^`]*\)` ".*/\1/')
        key=$(echo "$test" | sed 's/.*` "\([^"]*\)".*/\1/')
        today=$(printed "$file" "$key")
        [ -n "$today" ] || { echo "$page:$line: $file does not print '$key'"; continue; }
        [ "$today" != "$figure" ] || continue
        if [ "$update" ]; then
            LINE="| $claim | $test | $today |" awk -v n="$line" \
                'FNR == n { $0 = ENVIRON["LINE"] } { print }' "$work/page" >"$work/new"
            mv "$work/new" "$work/page"
        else
            echo "$page:$line: '$figure' is '$today' now: make claims"
        fi
    done <"$work/figures" | nothing
    [ -z "$update" ] || cp "$work/page" $page
}

update=
[ "${1:-}" != update ] || update=1
try each_row_names_a_test_that_is_there
try the_rows_speak_of_the_product
try the_figures_are_those_of_today
summary

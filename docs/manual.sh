#!/bin/sh
# Puts the options that a test program knows between the marks in the documents:
#
#     sh docs/manual.sh PROGRAM DIR       rewrites DIR/racefuzz.1 and DIR/options.md
set -eu
program=$1
dir=$2
list=$program.list

# splice DOCUMENT OPTION: what the program prints for the option becomes a part of the document.
splice() {
    "$program" "$2" >"$list"
    grep -q RF_SEED "$list" || { echo "$program $2 printed no list" >&2; exit 1; }
    awk -v list="$list" '
        /options: end/ { inside = 0 }
        !inside { print }
        /options: made by/ {
            while ((getline line <list) > 0) print line
            inside = 1
        }
    ' "$1" >"$1.new"
    mv "$1.new" "$1"
}

splice "$dir/racefuzz.1" --help-roff
splice "$dir/options.md" --help-markdown

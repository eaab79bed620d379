# tests/generate/programs.sh: what generated.sh and long/generated.sh share; read by `.` from the
# top of the tree, with $name set.
. tests/try.sh
export RF_SHRINK=0 # findings as they were produced
first=0 # the number of the first one; each is another program

# A name of this test for the outcome; what failed shows the end of a file.
outcome() {
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); echo "ok $2"
    else failed=$((failed + 1)); echo "not ok $2"; tail -n 40 "$3" | sed 's/^/    /'; fi
}

# The programs of $work/KIND.out: PASS=name or FAIL=name.  None if it did not come to that.
verdicts() { sed -n 's/^\(PASS\|FAIL\) \([^:]*\):.*/\1=\2/p' "$work/$1.out"; }

# compiled KIND COUNT: makes $work/KIND, a test program of that many programs, and runs it.
compiled() {
    [ -x "$work/generate" ] ||
        $CC -std=c11 -D_POSIX_C_SOURCE=200809L tests/generate/generate.c -o "$work/generate"
    : >"$work/$1.out"
    "$work/generate" "$1" "$first" "$2" >"$work/$1.c"
    $CC -std=c11 -g -I. -DRFI_LINKED "$work/$1.c" -o "$work/$1" -pthread "$library"
    status=0
    COLUMNS=1000 "$work/$1" --seconds=none >"$work/$1.out" || status=$?
    [ "$(grep -c -E '^(PASS|FAIL) ' "$work/$1.out")" -eq "$2" ] # all of them have run
}

# The lines of $work/KIND.out about one program: its findings, its verdict, and what explains that.
report_of() {
    awk -v verdict="$2:" '
        !/^     / { others = 0; if (mine) exit }
        !others { text = text $0 "\n" }
        /^(PASS|FAIL) / { mine = $2 == verdict; if (!mine) { text = ""; others = 1 } }
        END { printf "%s", text }
    ' "$work/$1.out"
}

# Nothing that counts is found in any of N programs without a fault.
safe_programs() {
    try compiled safe "$1"
    for program in $(verdicts safe); do
        bad=0
        [ "${program%%=*}" = PASS ] || bad=1
        report_of safe "${program#*=}" >"$work/one"
        outcome $bad "nothing_is_found_in_${program#*=}" "$work/one"
    done
}

# The fault of a program is found, of the kind that was planted, and each token shows it again.
planted_programs() {
    try compiled planted "$1"
    found=0
    for program in $(verdicts planted); do
        report_of planted "${program#*=}" >"$work/one"
        if [ "${program%%=*}" = FAIL ]; then
            echo "# missed: ${program#*=}"
            sed 's/^/#     /' "$work/one"
        else
            found=$((found + 1))
            try the_fault_is_replayed "${program#*=}"
        fi
    done
    try at_least_99_in_100_are_found $found "$1"
}

at_least_99_in_100_are_found() { [ $((100 * $1)) -ge $((99 * $2)) ]; }

the_fault_is_replayed() {
    case $1 in
    *_race_*) words='^race: |and hid (a|[0-9]+) newer writes?|was torn:' ;;
    *_deadlock_*) words='^deadlock' ;;
    *) words='^atomicity' ;;
    esac
    sed -n 's/^ *replay: \(RF_SEED=[^ ]*\) .*/\1/p' "$work/one" >"$work/tokens"
    grep -q . "$work/tokens"
    while read -r token; do
        gives 1 replay env "$token" "$work/planted"
        lacks replay '^note'
        tr '\n' ' ' <"$work/replay" | tr -s ' ' >"$work/replay.line"
        grep -qE "$words" "$work/replay" || grep -qE "${words#*|}" "$work/replay.line" ||
            { echo "$token"; cat "$work/replay"; return 1; }
    done <"$work/tokens"
}

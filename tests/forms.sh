#!/bin/sh
# Every example in two forms: as it stands in examples/, and as a program that knows nothing of
# racefuzz, tested unedited (docs/unedited.md). The verdict of each of its tests is the same: the
# kinds of what is found in the buggy sources, nothing in the fixed ones.
#
# The second form is made of the same sources. The preprocessor turns RF_LOAD, RF_LOCK and the like
# into C11 and pthreads (RF_OFF, tests/forms/plain.h); names that are left get another prefix. What
# comes out is a program by itself: it also runs without racefuzz.
# Run from the top of the tree, with CC and BUILD set, after `make programs`; with COMPILERS and
# EXAMPLES for more (tests/long/forms.sh).
name=forms
. tests/try.sh
examples=${EXAMPLES:-bank workqueue}
hooks="-DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM -I."

# ---- the unedited form ----

asking() {
    for header in $(sed -n 's/^ *# *include *<\(.*\)>.*/\1/p' racefuzz.h racefuzz_mem.h \
        examples/*/*.[ch]); do
        mkdir -p "$(dirname "$work/asking/$header")"
        echo "#pragma include <$header>" >"$work/asking/$header"
    done
}

# plain COMPILER SOURCE: its text, with the places of the source
plain() {
    $1 -std=c11 -E -nostdinc -I "$work/asking" -I. -include tests/forms/plain.h "$2" | sed -E \
        -e 's/^#pragma include/#include/' -e 's/(^|[^A-Za-z0-9_])(rf|RF)(i|I)?_/\1plain\3_/g'
}

# sources EXAMPLE buggy|fixed: without their .c
sources() {
    for source in $(ls "examples/$1" | sed -n 's/\.c$//p'); do
        case $2/$source in
        buggy/*_fixed) ;;
        fixed/*) [ -e "examples/$1/${source}_fixed.c" ] || echo "$source" ;;
        *) echo "$source" ;;
        esac
    done
}

# becomes_plain COMPILER EXAMPLE: $work/COMPILER/EXAMPLE/buggy, fixed, and native without racefuzz
becomes_plain() {
    to=$work/$1/$2
    mkdir -p "$to"
    for source in $(ls "examples/$2" | sed -n 's/\.c$//p'); do
        plain "$1" "examples/$2/$source.c" >"$to/$source.c"
        $1 -std=gnu11 -g -O1 -w -fsanitize=thread -include racefuzz.h $hooks \
            -c -o "$to/$source.o" "$to/$source.c"
    done
    for form in buggy fixed; do
        $1 $(sources "$2" $form | sed "s|.*|$to/&.o|") "$work/$1.o" -pthread -o "$to/$form"
    done
    $1 -std=gnu11 -w $(sources "$2" fixed | sed "s|.*|$to/&.c|") -pthread -o "$to/native"
    for test in $(tests_of "$2"); do "$to/native" "$test"; done
}

# ---- verdicts ----

tests_of() { sed -n 's/^RF_TEST(\([a-z0-9_]*\).*/\1/p' "examples/$1/$1_test.c"; }

# kinds FILE: of the findings in a report, each once
kinds() {
    sed 's/^expected: //' "$1" | awk '
        /^race: real/       { found["race"] }
        /^race: real, [hd]/ { found["failure"] } # harmful, destructive
        /^deadlock: /       { found["deadlock"] }
        /^(assertion failed|read of memory nobody|use after free|crash|the program ended)/ {
            found["failure"]
        }
        END {
            for (kind in found) print kind
            if (NR && !length(found)) print "nothing"
        }' | sort | tr '\n' ' ' | sed 's/ $//'
}

# verdict STATUS REPORT COMMAND...: the kinds that a campaign finds, which ends with that status, or
# with 0 when there are none
verdict() {
    wanted=$1 report=$2 status=0
    shift 2
    timeout 200 "$@" >"$report" 2>&1 || status=$?
    verdict=$(kinds "$report")
    [ "$verdict" != nothing ] || wanted=0
    [ "$status" -eq "$wanted" ] || { cat "$report"; echo "status $status"; return 1; }
}

# the_verdict_is_the_same COMPILER EXAMPLE buggy|fixed TEST
the_verdict_is_the_same() {
    campaign="--executions=${EXECUTIONS:-150} --seconds=none"
    program=$BUILD/examples/$2
    [ "$3" = buggy ] || program=${program}_fixed
    verdict 0 "$work/wrapped" "$program" $campaign "$4"
    wrapped=$verdict
    verdict 1 "$work/unedited" "$work/$1/$2/$3" $campaign -- "$4"
    echo "$1 | $2 | $3 | $4 | $wrapped | $verdict" >>"$work/table"
    if [ "$wrapped" != "$verdict" ]; then
        echo "wrapped: $wrapped; unedited: $verdict"
        cat "$report"
        return 1
    fi
    [ "$verdict" = nothing ] || the_first_token_repeats_it "$work/$1/$2/$3" "$4"
}

the_first_token_repeats_it() {
    first=$(token unedited)
    [ -n "$first" ]
    status=0
    RF_SEED=$first "$1" -- "$2" >"$work/again" 2>&1 || status=$?
    [ "$status" -eq 1 ] || { cat "$work/again"; return 1; }
    lacks again 'another way'
}

asking
for compiler in ${COMPILERS:-$CC}; do
    try engine "$compiler"
    for example in $examples; do
        try becomes_plain "$compiler" "$example"
        for test in $(tests_of "$example"); do
            try the_verdict_is_the_same "$compiler" "$example" buggy "$test"
            try the_verdict_is_the_same "$compiler" "$example" fixed "$test"
        done
    done
done
cat "$work/table"
summary

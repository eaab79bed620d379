#!/bin/sh
# Claims, RF_EXCLUSIVE_WRITER and RF_EXCLUSIVE_ACCESS: whoever comes in between is found, whatever
# he does it by; what may be done meanwhile, and what is ordered, is not accused.
name=exclusive
. tests/try.sh

compile -O0 exclusive exclusive
tests=$("$work/exclusive" --list)

found_by() {
    gives 1 found "$work/exclusive" --strategy="$1" --executions="$2"
    for test in $tests; do
        case $test in
        right_*) says found "PASS $test:" ;;
        *) says found "FAIL $test:" ;;
        esac
    done
}

# All orders of a claim and of others are gone through.
enumerated() {
    gives 0 all "$work/exclusive" --filter='right_*' --strategy=dpor --executions=5000
    [ "$(grep -c 'dpor: .*explored under' "$work/all")" = "$(echo "$tests" | grep -c ^right)" ]
    lacks all 'warnings:'
}

directed() {
    gives 1 found "$work/exclusive" --filter=wrong_store
    says found 'race: real, harmful' 'Nobody else may write' '  claims  x (4 bytes)' '  writes  x' \
        'produced   in 1000 of 1000' 'then not exclusive:' \
        '    x is written while T1 claims it by RF_EXCLUSIVE_WRITER at exclusive.c:19' 'claims x'
    lacks found 'undefined behaviour'
    gives 1 json "$work/exclusive" --filter=wrong_store --format=tap
    says json 'failure: "not-exclusive"'
}

a_token_repeats_it() {
    gives 1 found "$work/exclusive" --filter=wrong_racy
    says found 'plain is written while T1 claims it by RF_EXCLUSIVE_ACCESS at exclusive.c:26'
    for how in --backend=threads --jobs=1; do
        replays "$(token found)" "$work/exclusive" $how
        says again 'plain is written while T1 claims it'
    done
}

# A claim changes nothing of what atomics read and order.
memory_is_as_it_was() {
    gives 1 weak "$work/exclusive" --filter='right_*' --memory=c11 --strategy=dpor \
        --executions=5000
    says weak 'not explored, such as "claims"'
    gives 1 weak "$work/exclusive" --filter='wrong_*' --memory=c11
    for test in $(echo "$tests" | grep ^wrong); do says weak "FAIL $test:"; done
}

hooks_do_the_same() {
    engine "$1"
    unedited "$1" tests/hook/exclusive.c "$work/$1.o" -DRF_HOOK_COMPILER -fsanitize=thread
    for what in load copy operator builtin; do
        gives 1 hooked "$work/exclusive" --executions=500 -- wrong_$what
        says hooked 'while T' ' claims it by RF_EXCLUSIVE_'
    done
    for what in right_load right_lock after_exit; do
        gives 0 hooked "$work/exclusive" --executions=500 -- $what
        lacks hooked 'warnings:'
    done
}

production_code_has_none() {
    $CC -std=c11 -O1 -DRF_OFF -I. -c tests/campaign/exclusive.c -o "$work/off.o" -pthread
    ! nm "$work/off.o" | grep rfi_
}

try found_by auto 400
try found_by dpor 2000
try_all
try hooks_do_the_same gcc
summary

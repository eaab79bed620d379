#!/bin/sh
# rf_explore: campaigns in the middle of a program that is not racefuzz's, a home-made framework,
# which leaves failed tests by longjmp.
name=inside
. tests/try.sh
$CC -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -I. tests/inside/home.c -DRFI_LINKED "$library" \
    -o "$work/home" -pthread || exit 1
top=$(pwd)
engine=$(engine_for gcc -O0 -DRF_HOOK_ALL -DRF_HOOK_COMPILER)
cd "$work" || exit 1

# it_passes TEST...: these tests of the framework do, in one process.
it_passes() { gives 0 said ./home "$@" && says said "0 failures"; }

# it_fails TEST WORDS: by a finding of which the report has these words.
it_fails() {
    gives 1 said ./home "$1" fixed
    says said "$2" "FAIL $1: " "1 failures"
    says said "end of $1" # once: no execution has run on in the framework
    [ "$(grep -c "^end of" said)" -eq 2 ]
    says said "fixed: passed, 0 findings"
    lacks said.err .
}

# its_token_replays TEST WORDS: in the exploration that it is of, and the others return at once.
its_token_replays() {
    gives 1 said ./home fixed "$1"
    gives 1 again env RF_SEED="$(token said)" ./home fixed race jump leave
    says again "$1: failed, 0 findings, kinds 0, 1 executions, replayed"
    [ "$(grep -c ": skipped, 0 findings, kinds 0, 0 executions" again)" -eq 3 ]
    says again.err "racefuzz: replay of execution" "$2"
    says again "end of leave" # the framework goes on
}

in_the_process_it_replays_too() {
    gives 1 said ./home jump
    gives 1 again env RF_JOBS=0 RF_SEED="$(token said)" ./home jump fixed
    says again "1 executions, replayed, in this process: RF_JOBS=0"
    says again.err "a jump (longjmp) left it"
    says again "end of fixed"
}

each_call_of_a_name_has_its_own_tokens() {
    gives 1 said ./home again
    says said "FAIL again#2"
    gives 1 again env RF_SEED="$(token said)" ./home again
    says again "skipped, 0 findings, kinds 0, 0 executions, token"
    says again "failed, 0 findings, kinds 0, 1 executions, replayed"
}

variables_count() {
    RF_EXECUTIONS=7 gives 0 said ./home fixed
    says said "fixed: passed, 0 findings, kinds 0, 7 executions"
    RF_FILTER=other gives 0 said ./home race
    says said "race: skipped"
    RF_JOBS=0 gives 1 said ./home race
    says said "in this process: RF_JOBS=0"
    RF_SEED=7 gives 1 said ./home race
    says said "racefuzz: 1 test, seed 7"
    # another runner's part of the work and choice of tests are the framework's affair
    GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=7 GTEST_FILTER=x gives 0 said ./home fixed
    says said "fixed: passed"
}

# wrong VARIABLE=VALUE WORDS
wrong() {
    gives 1 said env "$1" ./home race
    says said "race: refused"
    says said.err "$2"
    one_line said.err
}

reports_have_a_file_for_each() {
    mkdir -p kept
    RF_REPORT="json:kept/found.jsonl junit:kept/plain" gives 1 said ./home race fixed
    grep -q '"verdict"' kept/found.race.jsonl
    [ -s kept/found.fixed.jsonl ]
    [ -s kept/plain.race ]
    [ "$(ls kept | wc -l)" -eq 4 ]
}

without_forks_it_runs_in_the_process() {
    needs prlimit
    as= open=$(mktemp -d /tmp/racefuzz-XXXXXX)
    chmod 755 "$open"
    cp home "$open"
    if [ "$(id -u)" -eq 0 ]; then # nothing else keeps the superuser from forking
        needs setpriv
        as="setpriv --reuid=65534 --clear-groups"
    fi
    gives 1 said $as prlimit --nproc=1 "$open/home" race fixed
    rm -r "$open"
    says said "race: failed, 2 findings" "fixed: passed" \
        "in this process: no process can be started"
}

time_outs_of_the_framework_work() {
    gives 1 said timeout 60 ./home late fixed
    says said "late: time is up" "fixed: passed"
}

without_an_engine_nothing_is_explored() {
    $CC -std=c11 -D_GNU_SOURCE -DRF_OFF -I"$top" "$top/tests/inside/home.c" -o off -pthread
    gives 0 said ./off race fixed
    says said "race: skipped, 0 findings" "fixed: skipped, 0 findings"
}

unedited_code_is_explored() {
    gcc -g -I"$top" -include racefuzz.h -DRF_HOOK_ALL -fsanitize=thread -c \
        "$top/tests/inside/hooked.c" -o hooked.o
    gcc hooked.o "$top/$engine" -o hooked -pthread
    gives 1 said ./hooked
    says said "race: real, harmful: hooked.c:13"
    gives 0 said ./hooked locked
    says said "PASS hits: 50 executions"
}

# A whole program is a test itself.
in_a_whole_program_it_is_refused() {
    gcc -g -I"$top" -include racefuzz.h -DRF_HOOK_ALL \
        -DRF_PROGRAM -c "$top/tests/inside/hooked.c" -o whole.o
    gcc whole.o "$top/$(cd "$top" && engine_for gcc -O0 -DRF_PROGRAM)" -o whole -pthread
    gives 1 said ./whole
    says said "rf_explore was called where main is the test itself (RF_PROGRAM)"
}

try it_passes fixed own_jump skips expects wrong
try it_passes many
try it_passes beside kept
try it_passes elsewhere
try it_fails race "hits == 2: left is 1, right is 2"
try it_fails jump "a jump (longjmp) left it"
try it_fails jump "| jump: hits == 2"
try it_fails exit "exit(3) was called"
try it_fails abort "SIGABRT, abort() was called"
try it_fails signal SIGSEGV
try it_fails plain "hits == 2"
try it_fails leave "_exit(4) was called"
try it_fails nested "rf_explore was called in an execution"
try its_token_replays race "hits == 2: left is 1, right is 2"
try its_token_replays jump "a jump (longjmp) left it"
try its_token_replays leave "_exit(4) was called"
try wrong RF_EXECUTIONS=many 'RF_EXECUTIONS="many": expected'
try wrong RF_SEED=1.race.nobody.s1 "has no explorer named nobody"
try_all
summary

#!/bin/sh
# What runners of tests say in the environment: which part of the work, which tests, how long.
name=runners
. tests/try.sh
compile "" small small
unset RF_SECONDS # TEST_TIMEOUT would not count

# run STATUS VARIABLES OPTIONS: two tests of few executions.
run() {
    gives "$1" out env $2 "$work/small" fine,skipped --executions=2 ${3-}
}

# The variables, options, exit status, and what the output begins with in its second line.
runners_say_which_part_it_is() {
    while IFS='|' read -r variables options status expected; do
        variables=$(echo "$variables" | sed 's/ARRAY_/SLURM_ARRAY_TASK_/g
            s/JOB_ID/SLURM_JOB_ID/; s/STEP_TASKS/SLURM_STEP_NUM_TASKS/')
        run "$status" "$variables" "$options"
        sed -n 2p "$work/out" >"$work/line"
        [ "$status" -ne 2 ] || cp "$work/out.err" "$work/line"
        grep -qF -e "$expected" "$work/line" ||
            { echo "$variables $options: expected $expected, got:"; cat "$work"/out*; return 1; }
    done <<'END'
TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=2||0|shard 2 of 2 (TEST_SHARD_INDEX): executions are divided
TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=3|--shard-by=tests|0|shard 1 of 3 (TEST_SHARD_INDEX): 1 of 2
TEST_SHARD_INDEX=2 TEST_TOTAL_SHARDS=3|--shard-by=tests|0|shard 3 of 3 (TEST_SHARD_INDEX): 0 of 2
GTEST_SHARD_INDEX=0 GTEST_TOTAL_SHARDS=1||0|PASS fine
GTEST_SHARD_INDEX=3 GTEST_TOTAL_SHARDS=4||0|shard 4 of 4 (GTEST_SHARD_INDEX)
ARRAY_ID=7 ARRAY_MIN=5 ARRAY_COUNT=4||0|shard 3 of 4 (SLURM_ARRAY_TASK_ID)
ARRAY_ID=9 ARRAY_MIN=5 ARRAY_STEP=4 ARRAY_COUNT=4||0|shard 2 of 4 (SLURM_ARRAY_TASK_ID)
SLURM_PROCID=1 SLURM_NTASKS=8||0|shard 2 of 8 (SLURM_PROCID)
JOB_ID=4 STEP_TASKS=3 SLURM_PROCID=1 SLURM_NTASKS=3||0|shard 2 of 3 (SLURM_PROCID)
JOB_ID=4 STEP_TASKS=3 SLURM_PROCID=1 SLURM_NTASKS=3|--shard=auto/2|0|shard 2 of 2 (SLURM_PROCID)
JOB_ID=4 SLURM_PROCID=0 SLURM_NTASKS=8||0|PASS fine
JOB_ID=4 STEP_TASKS=1 SLURM_PROCID=0 SLURM_NTASKS=8||0|PASS fine
JOB_ID=4 SLURM_PROCID=0 SLURM_NTASKS=8|--shard=auto/3|2|no variable says which shard this is
JOB_ID=4 SLURM_PROCID=0 SLURM_NTASKS=8 CI_NODE_INDEX=3 CI_NODE_TOTAL=3||0|shard 3 of 3 (CI_
JOB_COMPLETION_INDEX=4|--shard=auto/5|0|shard 5 of 5 (JOB_COMPLETION_INDEX)
JOB_COMPLETION_INDEX=5|--shard=auto/5|2|JOB_COMPLETION_INDEX=5 is not one of 5 shards
CI_NODE_INDEX=3 CI_NODE_TOTAL=3||0|shard 3 of 3 (CI_NODE_INDEX)
CI_NODE_INDEX=0 CI_NODE_TOTAL=3||2|CI_NODE_INDEX=0 is not one of 3 shards (CI_NODE_TOTAL)
CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=3||0|shard 1 of 3 (CIRCLE_NODE_INDEX)
BUILDKITE_PARALLEL_JOB=2 BUILDKITE_PARALLEL_JOB_COUNT=3||0|shard 3 of 3 (BUILDKITE_PARALLEL_JOB)
PARALLEL_SEQ=8|--shard=auto/8|0|shard 8 of 8 (PARALLEL_SEQ)
PARALLEL_SEQ=8||0|PASS fine
TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=2 CI_NODE_INDEX=3 CI_NODE_TOTAL=3||0|shard 2 of 2 (TEST_
CI_NODE_INDEX=9 CI_NODE_TOTAL=3|--shard=1/2|0|shard 1 of 2 (--shard)
CI_NODE_INDEX=9 CI_NODE_TOTAL=3 RF_SHARD=1/2||0|shard 1 of 2 (--shard)
RF_SHARD=auto/2||2|no variable says which shard this is; known are TEST_SHARD_INDEX
CI_NODE_INDEX= PARALLEL_SEQ=2|--shard=auto/3|0|shard 2 of 3 (PARALLEL_SEQ)
TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=0||0|PASS fine
TEST_SHARD_INDEX= TEST_TOTAL_SHARDS=||0|PASS fine
TEST_SHARD_INDEX=-1 TEST_TOTAL_SHARDS=2||2|TEST_SHARD_INDEX=-1 is not one of 2 shards
TEST_SHARD_INDEX= TEST_TOTAL_SHARDS=2||2|TEST_SHARD_INDEX= is not one of 2 shards
TEST_SHARD_INDEX=2 TEST_TOTAL_SHARDS=2||2|TEST_SHARD_INDEX=2 is not one of 2 shards
TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=-1||2|TEST_TOTAL_SHARDS=-1, with TEST_SHARD_INDEX, is no number
TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=many||2|TEST_TOTAL_SHARDS=many, with
TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=4294967296||2|TEST_TOTAL_SHARDS=4294967296, with
TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=many|--shard=1/2|0|shard 1 of 2 (--shard)
TEST_TOTAL_SHARDS=2||2|TEST_TOTAL_SHARDS=2, but TEST_SHARD_INDEX is not set
GTEST_TOTAL_SHARDS=2||2|GTEST_TOTAL_SHARDS=2, but GTEST_SHARD_INDEX is not set
TEST_TOTAL_SHARDS=1||0|PASS fine
SLURM_NTASKS=8||0|PASS fine
CI_NODE_TOTAL=8||0|PASS fine
SLURM_PROCID=0 SLURM_NTASKS=1||0|PASS fine
ARRAY_ID=2 ARRAY_MIN=1 ARRAY_COUNT=2 SLURM_PROCID=0 SLURM_NTASKS=1||0|shard 2 of 2 (SLURM_ARRAY
ARRAY_ID=7 ARRAY_MIN=5 ARRAY_COUNT=2||2|SLURM_ARRAY_TASK_ID=7 is not one of 2 shards
END
}

# Bazel and GoogleTest look for a file that says that the tests know of shards.
a_status_file_is_touched() {
    for of in TEST GTEST; do
        rm -f "$work/status"
        run 0 "${of}_SHARD_INDEX=0 ${of}_TOTAL_SHARDS=2 ${of}_SHARD_STATUS_FILE=$work/status"
        [ -e "$work/status" ]
    done
}

# The names of the tests that ran.
ran() { sed -n 's/^[A-Z]* \([a-z_]*\):.*/\1/p' "$work/out" | paste -sd' '; }

# wants VARIABLES OPTIONS NAMES: these run, of four quick ones.
wants() {
    gives "$4" out env $1 "$work/small" $2 --executions=2
    [ "$(ran)" = "$3" ] || { echo "$1 $2: ran $(ran)"; return 1; }
}

tests_are_chosen() {
    wants "GTEST_FILTER=fine:by_*-*_time" "" "fine by_address" 0
    wants "GTEST_FILTER=fin" "" "" 2
    wants "GTEST_FILTER=fin" "=fine" "fine" 0
    wants "TESTBRIDGE_TEST_ONLY=fine,skipped" "" "fine skipped" 0
    wants "TESTBRIDGE_TEST_ONLY=skipped RF_FILTER=fine" "" "fine" 0
    wants "TESTBRIDGE_TEST_RUNNER_FAIL_FAST=1" "fine,racy,several" "fine racy" 1
    wants "TESTBRIDGE_TEST_RUNNER_FAIL_FAST=0" "fine,racy,several" "fine racy several" 1
    wants "" "--fail-fast fine,racy,several" "fine racy" 1
}

seeds_come_from_the_runner() {
    run 0 "TEST_RANDOM_SEED=7" && says out "seed 7"
    run 0 "MESON_TEST_ITERATION=3" && says out "seed 3"
    run 0 "MESON_TEST_ITERATION=3" "--seed=5" && says out "seed 5"
}

# What has no meaning there is as if it were not set.
other_variables_that_make_no_sense_are_passed_over() {
    for variable in TEST_TIMEOUT=0 TEST_TIMEOUT= TEST_TIMEOUT=-5 TEST_TIMEOUT=soon GTEST_FILTER= \
        TESTBRIDGE_TEST_ONLY= XML_OUTPUT_FILE= TEST_UNDECLARED_OUTPUTS_DIR= TEST_TMPDIR= \
        TEST_TMPDIR=/nowhere TEST_RANDOM_SEED=-1 TEST_RANDOM_SEED=x MESON_TEST_ITERATION= \
        TEST_PREMATURE_EXIT_FILE= TEST_PREMATURE_EXIT_FILE=/nowhere/early \
        TEST_SHARD_STATUS_FILE=/nowhere/status; do
        run 0 $variable
        says out "seed 1" "PASS fine: 2 executions"
    done
    run 2 XML_OUTPUT_FILE=/nowhere/report.xml && one_line out.err
    run 2 TEST_UNDECLARED_OUTPUTS_DIR=/nowhere && one_line out.err
}

# What is no finding has a status of its own where the runner has one for it.
errors_have_the_runners_status() {
    gives 2 out "$work/small" nothing_of_this_name
    gives 99 out env MESON_TEST_ITERATION=1 "$work/small" nothing_of_this_name
    gives 99 out "$work/small" nothing_of_this_name --error-status=99
    gives 1 out env MESON_TEST_ITERATION=1 "$work/small" racy
}

a_premature_end_leaves_a_file() {
    run 0 "TEST_PREMATURE_EXIT_FILE=$work/early"
    [ ! -e "$work/early" ]
    TEST_PREMATURE_EXIT_FILE=$work/early "$work/small" endless_outside --seconds=none \
        --watchdog=60 >"$work/out" &
    until [ -e "$work/early" ]; do sleep 0.05; done
    kill -9 $!
    wait $! || [ -e "$work/early" ]
}

# All tests together end in nine tenths of it; a cap that was asked for wins.  A machine may be too
# busy for what is left of two seconds.
a_timeout_is_kept() {
    for seconds in 2 8 30; do
        gives 1 out env TEST_TIMEOUT=$seconds "$work/small" slow,endless_steps \
            --executions=100000000
        awk -v all=$seconds '
            / executions? in / { for (i = 1; i < NF; i++) if ($i == "in") sum += $(i + 1) }
            END { exit !(sum > 0.45 * all && sum < all) }' "$work/out" && break
        [ $seconds -ne 30 ]
    done
    run 0 "TEST_TIMEOUT=1" "--seconds=none"
}

outputs_that_nobody_asked_for_are_kept() {
    mkdir "$work/outputs"
    run 0 "TEST_UNDECLARED_OUTPUTS_DIR=$work/outputs"
    grep -q '"event":"end"' "$work/outputs/racefuzz.jsonl"
}

try_all
summary

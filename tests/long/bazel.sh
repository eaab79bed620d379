#!/bin/sh
# Bazel itself (Debian's bazel-bootstrap, bazel-platforms, bazel-rules-java, bazel-rules-proto) runs
# the target of docs/ci/BUILD.bazel, in its sandbox: the shards find what one process finds.
name=bazel
. tests/try.sh
compile "" kept kept
cp docs/ci/BUILD.bazel racefuzz.h racefuzz_mem.h "$work"
sed /RF_IMPLEMENTATION/d tests/campaign/kept.c >"$work/races.c" # engine.c has it
cd "$work" || exit 1
printf '#define RF_IMPLEMENTATION\n#include "racefuzz.h"\n' >engine.c
share=/usr/share/bazel

# What Bazel 4 would fetch from the network: rules that Debian has, in this version built in, and a
# tool for coverage, which nobody asks for.
offline() {
    for needed in "$(command -v bazel)" $share/rules/java $share/rules/proto $share/platforms; do
        [ -e "$needed" ] || { echo "no bazel-bootstrap, or none of its rules"; return 77; }
    done
    mkdir -p rules_cc/cc coverage
    touch WORKSPACE rules_cc/WORKSPACE rules_cc/cc/BUILD coverage/WORKSPACE
    for rule in cc_binary cc_import cc_library cc_test cc_toolchain cc_toolchain_suite; do
        echo "$rule = native.$rule"
    done >rules_cc/cc/defs.bzl
    echo 'filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])' \
        >coverage/BUILD
    cat >.bazelrc <<END
startup --output_user_root=$work/root --max_idle_secs=60
build --override_repository=rules_cc=$work/rules_cc
build --override_repository=rules_java=$share/rules/java
build --override_repository=rules_proto=$share/rules/proto
build --override_repository=platforms=$share/platforms
build --override_repository=remote_coverage_tools=$work/coverage
END
    gives 0 built bazel build //:races
}

# The findings of JUnit reports, without their places.
told() {
    sed -n 's/.*<failure type="[^"]*" message="\([^"]*\); replay.*/\1/p' "$@" |
        sed 's/[a-z]*\.c:[0-9]* //' | sort -u
}

shards_find_what_one_process_finds() {
    set -- --test_env=RF_STRATEGY=random --test_env=RF_EXECUTIONS=4000 --test_env=RF_SHRINK=0
    gives 3 tested bazel test //:races --test_filter=walkers "$@"
    logs=bazel-testlogs/races
    for i in 1 2 3 4; do
        shard=$logs/shard_${i}_of_4
        grep -q "^shard $i of 4 (TEST_SHARD_INDEX): executions are divided" "$shard/test.log"
        [ -s "$shard/test.outputs/outputs.zip" ]
    done
    gives 1 whole ./kept walkers --strategy=random --executions=4000 --shrink=0 \
        --shard-by=executions --report=junit:whole.xml
    told whole.xml >whole.told
    [ "$(wc -l <whole.told)" -gt 1 ]
    told $logs/shard_*/test.xml | diff whole.told -
}

# Tests that pass, shards that have none of them, and one more seed for each run.
what_passes_passes() {
    gives 0 passed bazel test //:races --test_filter=rarely --runs_per_test=2 \
        --test_env=RF_EXECUTIONS=100 --test_env=RF_SHARD_BY=tests
    says passed "PASSED"
    for run in 1 2; do
        cat bazel-testlogs/races/shard_*_run_${run}_of_2/test.log >run.$run
    done
    grep '^racefuzz: ' run.1 | sort -u >seed.1
    grep '^racefuzz: ' run.2 | sort -u >seed.2
    [ "$(wc -l <seed.1)" -eq 1 ] && [ "$(wc -l <seed.2)" -eq 1 ]
    fails cmp -s seed.1 seed.2
}

try offline
if [ $passed -eq 1 ]; then
    try shards_find_what_one_process_finds
    try what_passes_passes
    bazel shutdown
fi
chmod -R u+w root 2>/dev/null # or nobody can remove it
summary

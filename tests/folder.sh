#!/bin/sh
# Campaigns that are kept in a folder: nothing is lost by kills, nothing is done twice, shards add
# up to the whole, and folders are merged.
name=folder
. tests/try.sh
top=$(pwd)
compile "" kept kept
compile "" wanders wanders
compile "" skips skips
compile "" mail mail
mkdir "$work/mended"
compile -DMENDED kept mended/kept
cd "$work" || exit 1

all="walkers --strategy=random --executions=4000 --shrink=0"

# merged FOLDER...: their findings, in merged.json.
merged() { gives 1 merge ./kept --report=json:merged.json --merge "$@"; }

shards_that_are_killed_and_go_on_find_what_one_process_finds() {
    gives 1 whole ./kept $all --shard-by=executions --format=json
    prints whole >whole.prints
    [ "$(wc -l <whole.prints)" -eq 3 ]
    for i in 1 2 3 4; do
        timeout -s KILL 0.0$i ./kept $all --shard=$i/4 --campaign=shards >/dev/null 2>&1 || :
        grep -qs '"event":"round"' shards/shard-$i-* ||
            gives 1 shard ./kept $all --shard=$i/4 --campaign=shards
    done
    merged shards
    prints merged.json | diff whole.prints -
    # each index once: 4,000 in all, but for what was not yet told when it was killed
    sed -n 's/.*"explorer":"random","next":\([0-9]*\).*/\1/p' shards/*.jsonl | sort -n |
        tail -1 >next
    [ "$(cat next)" -eq 1000 ]
}

a_run_goes_on_where_the_last_one_stopped() {
    for run in 1 2 3; do
        gives 1 run ./kept walkers --strategy=random --executions=500 --campaign=on
    done
    for next in 500 1000 1500; do grep -q "\"next\":$next," on/*.jsonl; done
    gives 1 again ./kept walkers --strategy=random --executions=1500 --shard-by=executions \
        --format=json
    merged on
    prints merged.json >on.prints
    prints again | diff - on.prints
    says run " known findings: "
}

# ... and so do directed executions and those with older values: a run has as many as the first one,
# and (but for the replays of what is known) others.
each_round_has_all_phases() {
    for run in 1 2 3; do
        gives 1 run ./kept numbered --strategy=random,racefuzzer --executions=300 --jobs=0 \
            --format=json --campaign=rounds
        sed -n 's/.*"event":"result"[^[]*"executions":\([0-9]*\).*/\1/p' run >>rounds.spent
        sed -n 's/.*drew \([0-9]*\).*/\1/p' run | sort -u >drew.$run
    done
    awk 'NR == 1 { least = $1 * 0.9; most = $1 * 1.1 } $1 < least || $1 > most { bad = 1 }
        END { exit bad || NR != 3 }' rounds.spent
    [ "$(wc -l <drew.1)" -gt 600 ]
    [ "$(sort -m drew.? | uniq -d | wc -l)" -lt 10 ]
}

# Partial orders are the same in all processes, whatever each has learned: the union has no more of
# them than there are.
orders_of_all_processes_are_comparable() {
    gives 0 all ./kept rarely --granularity=fine --strategy=random --executions=20000
    most=$(orders all)
    [ "$most" -gt 8 ]
    for part in 1 2 3 4; do
        gives 0 "part.$part" ./kept rarely --executions=4000 --shard=$part/4 --campaign=seldom
    done
    for run in 1 2; do
        gives 0 part.lane ./kept rarely --executions=1000 --campaign=seldom
        gives 0 merge ./kept rarely --merge seldom
        lacks merge "not one scheduling point"
        for of in part.1 part.2 part.3 part.4 part.lane; do
            [ "$(orders $of)" -le "$(orders merge)" ]
        done
        [ "$(orders merge)" -le "$most" ]
        echo "$(orders merge)" >>orders.merged
    done
    [ "$(sort -u orders.merged | wc -l)" -eq 1 ]
    # who comes later takes them from the folder
    [ "$(cat seldom/*.jsonl | grep '"event":"statements"' | wc -l)" -eq 1 ]
    [ "$(sed -n 's/.*"statements":"\([^"]*\)".*/\1/p' seldom/*.jsonl | sort -u | wc -l)" -eq 1 ]
}

# ... and find them where nobody has been before: two at once have the same.
processes_that_begin_at_once_compare_at_the_same_statements() {
    for part in 1 2 3; do
        gives 0 alone ./kept rarely --executions=300 --shard=$part/3 --campaign=alone.$part
    done
    sed -n 's/.*"points":"\([^"]*\)".*/\1/p' alone.*/*.jsonl >points
    [ "$(wc -l <points)" -eq 3 ]
    [ "$(sort -u points | wc -l)" -eq 1 ]
    gives 0 merge ./kept rarely --merge alone.1 alone.2 alone.3
    [ "$(orders merge)" -le "$(orders all)" ]
}

# How many distinct orders a result tells of.
orders() {
    tr '\n' ' ' <"$work/$1" | sed 's/  */ /g; s/.* \([0-9]*\) distinct orders.*/\1/'
}

# What was learned goes on, too: the explorers do not begin again.
all_explorers_go_on() {
    gives 1 run ./kept counters --campaign=auto
    gives 1 run ./kept counters --campaign=auto
    for explorer in feedback surw random; do
        sed -n "s/.*\"explorer\":\"$explorer\",\"next\":\([0-9]*\).*/\1/p" auto/*.jsonl >nexts
        sort -n nexts | diff - nexts # from file to file they only grow
    done
    sum=$(awk -F'"next":' '/"event":"done"/ { split($1, of, "\""); split($2, n, ",")
        last[of[12]] = n[1] } END { for (i in last) sum += last[i]; print sum }' auto/*.jsonl)
    [ "$sum" -eq 2000 ] || { echo "$sum executions of explorers"; return 1; }
    says run "still fail, 0 are gone"
}

known_findings_of_a_program_that_was_mended_are_gone() {
    gives 1 mended.out mended/kept walkers --strategy=random --executions=1 --campaign=shards
    says mended.out "3 known findings: 2 still fail, 1 is gone"
}

# What was not looked at is not gone.
known_findings_of_other_tests_are_not_gone() {
    cp -r shards beside
    gives 0 beside.out ./kept rarely --executions=100 --campaign=beside
    says beside.out "3 known findings: 0 still fail, 0 are gone, 3 are of tests that were not run"
    gives 1 both ./kept walkers,rarely --strategy=random --executions=1 --campaign=beside
    says both "3 known findings: 3 still fail, 0 are gone"
    lacks both "not run"
}

processes_without_a_shard_take_lanes_of_their_own() {
    for i in 1 2 3; do
        ./kept walkers --strategy=random --executions=300 --campaign=lanes >/dev/null &
    done
    wait
    [ "$(ls lanes/*.jsonl | wc -l)" -eq 3 ]
    merged lanes
    # no execution of one lane is that of another
    sed -n "s/.*\"event\":\"failed\".*\"token\":\"\([^\"]*\)\".*/\1/p" lanes/*.jsonl | sort |
        uniq -d | nothing
}

# A lane is free once the process that worked in it was killed, before it has come to its end.
who_was_killed_works_no_more() {
    $CC -O1 "$top/tests/campaign/killed.c" -o killed
    for i in 1 2 3; do
        code=0
        ./killed killed.$i ./kept counters --strategy=random --jobs=0 --seconds=1 \
            --executions=10000000 --campaign=killed.$i >/dev/null || code=$?
        [ $code -ne 77 ] || skip "it may not choose a processor"
        [ -e killed.$i/lane-1.00002.jsonl ]
    done
}

a_folder_of_another_program_is_refused() {
    cp kept other
    gives 2 refused ./other walkers --campaign=shards
    says refused.err "is of another program: a folder is for one"
    gives 2 refused ./other --merge shards
    gives 2 refused ./kept --merge nowhere
    one_line refused.err
}

what_is_no_file_of_a_campaign_is_named_and_skipped() {
    cp -r shards broken
    printf '{"event":"failed","of":"wal' >>broken/shard-1-of-4.00001.jsonl
    head -c 5000 /dev/urandom >broken/noise.jsonl
    echo notes >broken/README
    : >broken/nothing.jsonl
    mkfifo broken/pipe.jsonl
    mkdir broken/folder.jsonl
    ln -s nowhere broken/link.jsonl
    merged broken
    for line in '"noise.jsonl": skipped: no file of a campaign' '"README": skipped' \
        '"nothing.jsonl": skipped: it is empty' '"pipe.jsonl": skipped: no file of a campaign' \
        '"folder.jsonl": skipped: no file of a campaign' '"link.jsonl": skipped: No such file' \
        'shard-1-of-4.00001.jsonl": skipped '; do
        says merge.err "$line"
    done
    prints merged.json | diff whole.prints -
}

a_folder_that_can_not_be_written_is_one_line() {
    : >file
    gives 2 full ./kept walkers --campaign=file
    one_line full.err
    gives 2 full ./kept walkers --campaign=no/such/folder
    one_line full.err
    (ulimit -f 8 && gives 1 full ./kept walkers --campaign=small --executions=4000)
    says full.err 'racefuzz: the campaign could not be written to "small/'
}

# disk SIZE: a file system of its own, as long as this function runs.
disk() {
    mkdir -p disk
    mount -t tmpfs -o "size=$1" none disk 2>mount.err || skip "no mount: $(cat mount.err)"
    trap 'umount disk' EXIT
}

a_folder_that_is_read_only_is_one_line() {
    disk 1m
    gives 1 first ./kept walkers --campaign=disk/nights
    mount -o remount,ro disk
    for folder in disk/nights disk/days; do
        gives 2 only ./kept walkers --campaign=$folder
        one_line only.err
        says only.err "Read-only file system"
    done
    gives 1 only ./kept walkers --merge disk/nights # which only reads
}

a_full_disk_is_one_line() {
    disk 64k
    gives 1 first ./kept walkers --campaign=disk/nights --executions=300
    gives 1 full ./kept walkers --campaign=disk/nights --executions=20000 --strategy=random,feedback
    until one_line full.err; do # there was room enough
        [ ! -s full.err ]
        gives 1 full ./kept walkers --campaign=disk/nights --executions=20000
    done
    says full.err "could not be written to" "No space left on device"
    cat /dev/zero >disk/rest 2>/dev/null || :
    gives 2 full ./kept walkers --campaign=disk/days
    one_line full.err
    says full.err "No space left on device"
    gives 1 after ./kept walkers --merge disk/nights # what had room is there
    says after "0 are gone"
}

# A disk that was full for some time: why the rest is lost is told at the end.
a_disk_that_has_room_again_is_one_line() {
    disk 64k
    told=0
    for seconds in 1 1 1 4 16; do # whether it is known otherwise, too, is chance
        [ "$seconds" -eq 1 ] || [ "$told" -eq 0 ] || break
        rm -rf disk/*
        ./kept walkers --strategy=random,feedback --executions=100000000 --campaign=disk/nights \
            >out 2>again.err &
        until [ -e disk/nights/lane-1.00001.jsonl ]; do sleep 0.05; done
        cat /dev/zero >disk/rest 2>/dev/null || :
        sleep $seconds # until something is to be written
        rm disk/rest
        kill -TERM $!
        wait $! || :
        [ -s again.err ] || continue
        one_line again.err
        says again.err 'racefuzz: the campaign could not be written to "disk/' ": No space left"
        told=1
    done
    [ "$told" -eq 1 ]
}

a_folder_that_is_taken_away_is_one_line() {
    ./kept walkers --strategy=random --executions=100000000 --seconds=2 --shrink=0 \
        --campaign=taken >out 2>taken.err &
    until [ -e taken/lane-1.00001.jsonl ]; do sleep 0.05; done
    rm -r taken
    got=0
    wait $! || got=$?
    [ "$got" -eq 1 ]
    one_line taken.err
    says taken.err "the campaign could not be written to"
}

# A merge runs nothing new, whatever it is given.
folders_without_findings_are_merged() {
    mkdir -p empty begun
    gives 2 merge ./kept walkers --merge empty
    one_line merge.err
    says merge.err "there is no campaign in it"
    gives 2 merge ./kept walkers --merge shards/shard-1-of-4.00001.jsonl
    one_line merge.err
    head -n 1 shards/shard-1-of-4.00001.jsonl >begun/shard-1-of-4.00001.jsonl
    gives 0 merge ./kept walkers --merge begun
    says merge "SKIP walkers: these folders have nothing of it"
    merged empty shards begun shards # twice is once
    prints merged.json | diff whole.prints -
}

a_merge_says_what_its_folders_lack() {
    for i in 1 3; do gives 1 part ./kept walkers --executions=900 --shard=$i/3 --campaign=gaps; done
    gives 1 merge ./kept walkers --merge gaps
    says merge "merge: nothing is here of shard 2 of 3"
    stand=$(sed -n 's/.* s, \([0-9]*\) stand in the folders.*/\1/p' merge)
    [ "$stand" -ge 600 ]
    gives 1 part ./kept walkers --executions=900 --shard=2/3 --campaign=gaps
    gives 1 merge ./kept walkers --merge gaps
    lacks merge "^merge:"
    sed -i '$d' gaps/shard-3-of-3.00001.jsonl # as if it had been killed
    gives 1 merge ./kept walkers --merge gaps --format=tap
    says merge "# merge: ended early: shard 3 of 3"
    gives 1 part ./kept walkers --executions=900000 --seconds=0.05 --shard=2/3 --campaign=gaps
    gives 1 merge ./kept walkers --merge gaps --format=tap
    says merge "# merge: ended early: shard 3 of 3; stopped by the cap in seconds: shard 2 of 3"
}

# What there was no time to replay is not gone, and its test has not passed.
known_findings_without_time_are_not_gone() {
    for what in --merge --campaign; do
        rm -rf hurry && cp -r shards hurry
        gives 1 late ./kept walkers --seconds=0.001 $what hurry
        says late "3 known findings: " ", 0 are gone, " " had no time to be replayed"
        lacks late "of 0 executions"
    done
}

findings_have_the_status_that_was_asked_for() {
    gives 0 run ./kept walkers --campaign=kind --executions=500 --finding-status=0
    gives 7 run ./kept walkers --campaign=kind --executions=500 --finding-status=7
    (ulimit -f 8 &&
        gives 1 full ./kept walkers --campaign=small --executions=4000 --finding-status=0)
}

# The files of docs/ci, by stand-ins that set what those engines set, and run what stands there.
program_of_engines() {
    rm -rf ci && mkdir ci && cd ci
    printf '#!/bin/sh\nexec "%s/kept" walkers "$@" %s\n' "$work" "${all#walkers}" >program
    chmod +x program
}

# runs COMMAND: as a shell of those engines does.
runs() { sh -e -c "$1" >run.out 2>run.err || { echo "$1"; cat run.out run.err; return 1; }; }

# merges COMMAND: fails, with all findings; no job before has.
merges() {
    fails runs "$1" >failed
    says ci/run.out "3 known findings: 3 still fail, 0 are gone"
}

github_runs_its_matrix() {
    program_of_engines
    file=$top/docs/ci/github.yml
    step=$(tr '\n' ' ' <"$file" | sed 's/.*run: >- *\(.*\) - uses: actions.upload.*/\1/')
    for part in $(sed -n 's/.*matrix: {part: \[\(.*\)\]}.*/\1/p' "$file" | tr -d ,); do
        runs "$(echo "$step" | sed "s/\${{ matrix.part }}/$part/")"
        mkdir -p parts && mv campaign "parts/campaign-$part"
    done
    [ "$(ls parts | wc -l)" -eq 4 ]
    merges "$(sed -n 's/.*run: \(.*--merge.*\)/\1/p' "$file")"
}

gitlab_runs_its_jobs() {
    program_of_engines
    file=$top/docs/ci/gitlab.yml
    CI_NODE_TOTAL=$(sed -n 's/  parallel: \([0-9]*\).*/\1/p' "$file")
    export CI_NODE_INDEX CI_NODE_TOTAL
    for CI_NODE_INDEX in $(seq "$CI_NODE_TOTAL"); do
        runs "$(sed -n 's/ *- \(.*--campaign=.*\)/\1/p' "$file")"
    done
    unset CI_NODE_INDEX CI_NODE_TOTAL
    [ "$(ls -d campaign-* | wc -l)" -eq 4 ]
    merges "$(sed -n 's/ *- \(.*--merge.*\)/\1/p' "$file")"
    grep -q "<failure" races.xml
    grep -q fingerprint quality.json
}

kubernetes_runs_its_pods() {
    program_of_engines
    file=$top/docs/ci/kubernetes.yaml
    total=$(sed -n 's/ *completions: //p' "$file")
    command=$(tr '\n' ' ' <"$file" | sed 's/.*command: *\[\([^]]*\)\].*/\1/' | tr -d ,)
    command=$(echo "$command" | sed "s|/tests/program|./program|; s|=/campaign|=campaign|")
    for index in $(seq 0 $((total - 1))); do
        runs "JOB_COMPLETION_INDEX=$index $command"
    done
    [ "$(ls campaign | wc -l)" -eq "$total" ]
    merges "./program --merge campaign"
}

# The contract of Bazel's test encyclopedia, as far as a test can tell: nothing but its variables,
# a status file for each shard, XML, and no file left that says that the end was early.
bazel_runs_its_shards() {
    program_of_engines
    total=$(sed -n 's/ *shard_count = \([0-9]*\),/\1/p' "$top/docs/ci/BUILD.bazel")
    for index in $(seq 0 $((total - 1))); do
        here="$PWD/shard $index"
        mkdir -p "$here/outputs" "$here/tmp"
        got=0
        env -i TEST_SHARD_INDEX=$index TEST_TOTAL_SHARDS="$total" TEST_TIMEOUT=300 \
            "TEST_SHARD_STATUS_FILE=$here/status" "XML_OUTPUT_FILE=$here/test.xml" \
            "TEST_UNDECLARED_OUTPUTS_DIR=$here/outputs" "TEST_TMPDIR=$here/tmp" \
            "TEST_PREMATURE_EXIT_FILE=$here/early" TEST_RANDOM_SEED=1 TESTBRIDGE_TEST_ONLY=walkers \
            TESTBRIDGE_TEST_RUNNER_FAIL_FAST=1 ./program >"$here/log" 2>&1 || got=$?
        [ $got -eq 1 ]
        [ -e "$here/status" ]
        [ ! -e "$here/early" ]
        [ -z "$(ls "$here/tmp")" ]
        grep -q "<failure" "$here/test.xml"
        prints "$here/outputs/racefuzz.jsonl" >>all.prints
    done
    sort -u all.prints | diff "$work/whole.prints" -
}

# ... and so are executions of a program with another library.
those_with_another_library_count_anew() {
    for limit in 1 2; do
        echo "int limit(void) { return $limit; }" >limit.c
        $CC -shared -fPIC limit.c -o liblimit.so
        [ -e linked ] || $CC -std=c11 -g -I"$top" "$top/tests/campaign/kept.c" -DRFI_LINKED \
            "$library" -o linked -pthread -L. -Wl,--no-as-needed -llimit -Wl,-rpath,"$work"
        for next in 50 100; do
            gives 1 with ./linked walkers --strategy=random --executions=50 --campaign=libraries
        done
    done
    for next in 50 100; do [ "$(cat libraries/* | grep -c "\"next\":$next,")" -eq 2 ]; done
}

# Folders and reports are where they were named, wherever a test goes in this process; and they may
# have a space in their name.
a_test_may_go_elsewhere() {
    for jobs in 0 1; do
        for run in 1 2; do
            gives 1 run env TEST_PREMATURE_EXIT_FILE="early $jobs" ./wanders --jobs=$jobs \
                "--campaign=my nights $jobs" "--report=json:report $jobs.json" --executions=200
            [ ! -s run.err ]
            [ ! -e "early $jobs" ]
        done
        [ "$(ls "my nights $jobs" | wc -l)" -eq 2 ]
        gives 1 merge ./wanders --jobs=$jobs --report=json:merged.json --merge "my nights $jobs"
        prints merged.json >merged.prints
        prints "report $jobs.json" | diff - merged.prints
    done
}

# Indices have 47 bits: what lies behind the last one would be another shard's execution.
no_shard_runs_the_executions_of_others() {
    gives 1 run ./kept walkers --strategy=random --executions=4000 --shard=2/4 --campaign=last \
        --shrink=0
    sed -i 's/"next":1000,/"next":35184372088800,/' last/*.jsonl
    grep -q '"next":35184372088800,' last/*.jsonl
    timeout 60 ./kept walkers --strategy=random --executions=4000 --shard=2/4 --campaign=last \
        --shrink=0 >rest || [ $? -eq 1 ]
    sed -n 's/.*"next":\([0-9]*\).*/\1/p' last/*.jsonl | sort -n | tail -n 1 >next
    [ "$(cat next)" -eq 35184372088831 ]
}

# Executions behind 2^32 are others than those before, and replay.
executions_go_on_behind_32_bits() {
    for run in 1 2; do
        gives 1 run ./kept numbered --strategy=random --executions=300 --campaign=large \
            --jobs=0 --format=json
        sed -n 's/.*drew \([0-9]*\).*/\1/p' run | sort -u >drawn.$run
        sed -i 's/"next":300,/"next":4294967296,/' large/*.jsonl
    done
    [ "$(sort -m drawn.? | uniq -d | wc -l)" -lt 10 ]
    gives 1 run ./kept walkers --strategy=random --executions=500 --campaign=large --shrink=0
    sed -i 's/"next":500,/"next":4294967296,/' large/*.jsonl
    sed -i '/"event":"failed"/d' large/*.jsonl # or they would be known
    gives 1 run ./kept walkers --strategy=random --executions=500 --campaign=large --shrink=0
    seed=$(token run)
    index=$(echo "$seed" | sed 's/.*[.]i\([0-9]*\)[.].*/\1/')
    [ "$index" -gt 4294967296 ]
    gives 1 again ./kept --seed="$seed"
    lacks again "went another way"
    says again "test failed"
}

# Where standard error is no terminal, somebody wants to know that it is alive.
a_log_has_a_line_now_and_then() {
    gives 1 some ./kept walkers --strategy=random --executions=100000000 --seconds=3 --progress=1
    n=$(grep -c "^racefuzz: walkers: exploring schedules, [0-9]* of 100000000 executions" some.err)
    [ "$n" -ge 1 ] && [ "$n" -le 3 ]
    gives 1 none ./kept walkers --strategy=random --executions=100000000 --seconds=2 --progress=0
    [ ! -s none.err ]
}

# In a merge, too; it was told as passed.
what_was_skipped_has_not_passed() {
    for i in 1 2; do
        gives 0 skips-part ./skips --executions=100 --shard=$i/2 --campaign=skipped
    done
    gives 0 skips-merge ./skips --merge skipped
    says skips-merge 'SKIP never: so was all in the folders'
    grep -q '^PASS at_times: 0 .* stand in the folders, [1-9][0-9]* skipped; ' skips-merge
    gives 77 skips-merge ./skips never --merge skipped
    gives 0 went-on ./skips --executions=100 --campaign=skips-on
    gives 0 went-on ./skips --executions=100 --campaign=skips-on
    says went-on 'SKIP never: not here'
    grep -q '^PASS at_times: 1[0-9]* executions in .* s, [1-9][0-9]* skipped; ' went-on
    gives 0 proved ./skips at_times --strategy=graphs
    grep -q '^PASS at_times: 2 executions in .* s, 1 skipped' proved
    says proved 'no failure is possible in this test, but for what RF_SKIP'
}

# What an earlier run has found, and a merge, is told with tokens that can be read.
tokens_of_what_is_known_replay() {
    gives 1 told ./kept counters,walkers --campaign=known
    gives 1 retold ./kept counters,walkers --campaign=known --executions=10
    gives 1 merge ./kept --merge known
    for run in told retold merge; do
        sed -n 's/^ *replay: RF_SEED=\([^ ]*\).*/\1/p' $run | sort -u >seeds
        [ "$(wc -l <seeds)" -gt 2 ]
        while read -r seed; do replays "$seed" ./kept </dev/null; done <seeds
    done
}

# What an explorer that learns has predicted is predicted again; a failure that was told with what
# is not predicted any more is told by itself.
failures_that_are_told_with_a_warning_are_not_lost() {
    gives 1 mail.out ./mail --seed=2 --strategy=feedback,lostwakeup --executions=100 \
        --campaign=mails
    gives 1 merge ./mail --merge mails
    says merge "1 known finding: 1 still fails" "lost wake-up: real, harmful"
    mkdir torn
    for file in mails/*; do grep -v '"event":"predicted"' "$file" >"torn/${file#*/}"; done
    gives 1 merge ./mail --merge torn
    says merge "lost wake-up" && return 1
    says merge "deadlock: nobody can wake the waiting threads"
}

# What one shard has told by itself, and another with a warning, still fails, and is told once.
what_is_told_with_a_warning_now_is_not_gone() {
    for i in 1 2 3; do
        gives 1 mail.out ./mail --seed=3 --executions=100 --shard=$i/3 --shard-by=executions \
            --campaign=halves
    done
    gives 1 merge ./mail --merge halves
    says merge "2 known findings: 2 still fail, 0 are gone"
    [ "$(grep -c '(test mail)$' merge)" -eq 1 ]
}

# What a baseline or a suppression has does not count, but is not gone.
what_does_not_count_is_not_gone() {
    gives 1 mail.out ./mail --executions=100 --campaign=counted --report=json:counted.json
    gives 0 mail.out ./mail --executions=100 --campaign=counted --baseline=counted.json
    says mail.out "1 known finding: 1 still fails, 0 are gone"
}

# ... and so does each token that stands in the folder, that of a sixteenth execution, too.
tokens_in_a_folder_replay() {
    for seed in 7 12 64 94; do
        ./mail --seed=$seed --strategy=feedback,lostwakeup --executions=20 \
            --campaign=once >mail.out || [ $? -eq 1 ]
    done
    sed -n 's/.*"event":"failed".*"token":"\([^"]*\)".*/\1/p' once/*.jsonl >seeds
    [ -s seeds ]
    while read -r seed; do replays "$seed" ./mail </dev/null; done <seeds
}

try_all
for engine in github_runs_its_matrix gitlab_runs_its_jobs kubernetes_runs_its_pods \
    bazel_runs_its_shards; do
    try $engine
done
summary

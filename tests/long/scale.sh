#!/bin/sh
# Campaigns on many processes, as runners start them: GNU parallel, and scripts for others with
# stand-ins that set their variables.
# Run from the top of the tree, with CC and BUILD set.
name=long-scale
. tests/try.sh
top=$(pwd)
compile -O1 kept kept
cd "$work" || exit 1
all="walkers --strategy=random --executions=400000 --shrink=0"

prints() { sed -n 's/.*"event":"finding".*"fingerprint":"\([^"]*\)".*/\1/p' "$@" | sort -u; }
# merged FOLDER...: they hold what one process finds.
merged() {
    [ -e whole.prints ] || { gives 1 whole ./kept $all --shard-by=executions --format=json
        prints whole >whole.prints; }
    gives 1 merge ./kept --report=json:merged.json --merge "$@"
    prints merged.json | diff whole.prints -
}

# The first two jobs are killed when they have begun; what they lack is done by a second call.
parallel_resumes_what_was_killed() {
    command -v parallel >/dev/null || skip "no GNU parallel: apt-get install parallel"
    cat >job <<'END'
#!/bin/sh
part=$1
shift
if [ "$part" -le 2 ] && mkdir "killed.$part" 2>/dev/null; then
    "$@" --shard="$part/8" --campaign=nights >/dev/null &
    until grep -qs '"event":"failed"' nights/shard-"$part"-*; do :; done
    kill -9 $!
    wait $!
    exit 137
fi
"$@" --shard="$part/8" --campaign=nights >/dev/null || [ $? -eq 1 ]
END
    chmod +x job
    gives 2 first parallel --joblog log -j 2 ./job {} ./kept $all ::: 1 2 3 4 5 6 7 8
    gives 0 second parallel --joblog log --resume-failed -j 2 ./job {} ./kept $all \
        ::: 1 2 3 4 5 6 7 8
    [ "$(ls nights | wc -l)" -eq 10 ]
    merged nights
}

# Slurm's array, by a stand-in for sbatch that runs the tasks one after the other; one is requeued.
slurm_runs_an_array_and_merges_it() {
    mkdir -p bin
    cat >bin/sbatch <<'END'
#!/bin/sh
case $* in
*--parsable*)
    shift
    for id in $(seq 16); do
        export SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=16
        [ "$id" -ne 3 ] || timeout -s KILL 0.2 sh "$@" >&2
        sh "$@" >&2
    done
    echo 4711
    ;;
*--dependency=afterany:4711*) sh -c "$(echo "$*" | sed 's/.*--wrap=//')" >merge.out ;;
esac
END
    chmod +x bin/sbatch
    printf '#!/bin/sh\n"%s/kept" %s "$@" || [ $? -eq 1 ]\n' "$work" "$all" >program
    chmod +x program
    PATH=$work/bin:$PATH gives 0 slurm sh "$top/docs/ci/slurm.sh" ./program tasks
    grep -q "known findings" merge.out
    merged tasks
}

# Many shards, one after the other, as an indexed job of Kubernetes would start them.
a_hundred_shards_divide_the_work() {
    for i in $(seq 0 99); do
        JOB_COMPLETION_INDEX=$i ./kept $all --shard=auto/100 --campaign=hundred >/dev/null ||
            [ $? -eq 1 ]
    done
    merged hundred
    echo "merged 100 files in $(sed -n 's/.*executions in \([0-9.]*\) s.*/\1/p' merge) s"
}

# Whenever a process is killed, what it has written can be read, and what was printed is there.
nothing_that_was_printed_is_lost_by_kills() {
    for i in $(seq 200); do
        timeout -s KILL "0.0$((i % 90 + 10))" ./kept walkers --executions=3000 --shrink=0 \
            --campaign=killed --format=json >"printed.$i" 2>/dev/null || :
    done
    gives 1 merge ./kept --report=json:killed.json --merge killed
    lacks merge.err "skipped: no file"
    prints killed.json >killed.prints
    prints printed.* | comm -23 - killed.prints | nothing
}

try parallel_resumes_what_was_killed
try slurm_runs_an_array_and_merges_it
try a_hundred_shards_divide_the_work
try nothing_that_was_printed_is_lost_by_kills
summary

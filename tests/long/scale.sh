#!/bin/sh
# Campaigns on many processes, as runners start them: GNU parallel, and scripts for others with
# stand-ins that set their variables.
name=long-scale
. tests/try.sh
top=$(pwd)
compile -O1 kept kept
cd "$work" || exit 1
all="walkers --strategy=random --executions=400000 --shrink=0"

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
"$@" --shard="$part/8" --campaign=nights --finding-status=0 >/dev/null
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

# Milliseconds that merging a folder takes.
merging() {
    began=$(date +%s%N)
    merged "$1" >&2
    echo $((($(date +%s%N) - began) / 1000000))
}

# Ten times as many: no execution is missing or done twice, and merging takes ten times as long.
a_thousand_shards_divide_the_work() {
    [ "${NIGHTLY:-}" ] || skip "at night"
    for i in $(seq 0 999); do
        JOB_COMPLETION_INDEX=$i ./kept $all --shard=auto/1000 --campaign=thousand >/dev/null ||
            [ $? -eq 1 ]
    done
    sed -n 's/.*"explorer":"random","next":\([0-9]*\).*/\1/p' thousand/*.jsonl | sort | uniq -c \
        >nexts
    [ "$(cat nexts)" = "   1000 400" ]
    few=$(merging hundred)
    many=$(merging thousand)
    echo "$few $many $(du -sb hundred thousand | cut -f1 | tr '\n' ' ')" | awk '{
        printf "merged: 100 files of %d bytes in %s ms, ", $3, $1
        printf "1,000 of %d bytes in %s ms\n", $4, $2
        exit $2 > 12 * $1 + 500 }' | tee "$work/report"
}

# used NAME COMMAND...: its largest memory (KiB) and processor time, as NAME.used.
used() {
    to=$1.used
    shift
    [ -x ./usage ] || cat >usage.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct rusage u;
    if (argc < 2) return 2;
    if (!fork()) return execv(argv[1], argv + 1);
    while (wait(NULL) > 0) continue;
    getrusage(RUSAGE_CHILDREN, &u);
    fprintf(stderr, "%ld %ld\n", u.ru_maxrss,
            (long)((u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
                   (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000));
    return 0;
}
END
    [ -x ./usage ] || $CC -o usage usage.c
    ./usage "$@" 2>"$to" >/dev/null
}

# A million executions and ten million, in a kept campaign: no more memory, no larger files.
memory_and_disk_are_flat() {
    [ "${NIGHTLY:-}" ] || skip "at night"
    for jobs in 0 1; do
        for n in 1000000 10000000; do
            used $n ./kept walkers --strategy=random --jobs=$jobs --executions=$n \
                --campaign=flat.$jobs.$n --shrink=0
            du -sb flat.$jobs.$n | cut -f1 >>$n.used
        done
        echo $jobs $(cat 1000000.used 10000000.used) | awk '{
            memory = ($5 - $2) * 1024 / 9e6; disk = ($7 - $4) / 9e6
            printf "--jobs=%d: memory %d and %d KiB, %.6f bytes an execution; ", $1, $2, $5, memory
            printf "files %d and %d bytes, %.6f bytes an execution; ", $4, $7, disk
            printf "10^9 executions: %.1f MiB more, files of %.1f MiB more\n",
                memory * 1e9 / 1048576, disk * 1e9 / 1048576
            exit memory > 0.06 || disk > 0.06 }' || return 1
    done | tee "$work/flat"
    [ "$(wc -l <"$work/flat")" -eq 2 ]
}

# By instructions, so that others on the machine do not count: what further executions cost.
to_keep_a_campaign_costs_under_two_per_cent() {
    [ "${NIGHTLY:-}" ] || skip "at night"
    needs valgrind
    for n in 20000 120000; do
        for kept in "" "--campaign=cost.$n"; do
            valgrind --tool=callgrind --callgrind-out-file=cost.out ./kept counters --jobs=0 \
                --executions=$n --shrink=0 $kept >/dev/null 2>&1 || :
            sed -n 's/^\(totals\|summary\): *//p' cost.out | head -n 1
        done
    done | tr '\n' ' ' | awk '{ part = ($4 - $2) / ($3 - $1) - 1
        printf "instructions: %+.2f %% of what 100,000 executions cost\n", part * 100
        exit part > 0.02 }'
}

# As many executions by one process, two and four: distinct ones, and together the same.
more_processes_do_the_same_work() {
    for n in 1 2 4; do
        for i in $(seq $n); do
            ./kept $all --shard=$i/$n --shard-by=executions --campaign=by.$n >/dev/null &
        done
        wait
        merged by.$n
        sed -n 's/.*"explorer":"random","next":\([0-9]*\).*/\1/p' by.$n/*.jsonl | sort -n |
            tail -n 1 >next
        [ "$(cat next)" -eq $((400000 / n)) ]
    done
}

# One process, two and four, with 20,000 executions of phase 1 each, by explorers that do not learn
# and by those that do: distinct orders of all together, and what an execution costs.  Seconds are
# those of a machine that has nothing else to do.
processes_explore_as_many_times_more() {
    for explorers in random auto; do
        for n in 1 2 4; do
            cat >job <<END
for i in \$(seq $n); do
    ./kept wide --strategy=$explorers --executions=$((20000 * n)) --shard=\$i/$n \
        --shard-by=executions --campaign=$explorers.$n --finding-status=0 >/dev/null &
done
wait
END
            began=$(date +%s%N)
            used by /bin/sh job
            ms=$((($(date +%s%N) - began) / 1000000))
            gives 0 by.json ./kept wide --format=json --merge $explorers.$n
            echo "$explorers $n $ms $(cut -d' ' -f2 by.used)" \
                "$(sed -n 's/.*"event":"result".*"orders":\([0-9]*\).*/\1/p' by.json)" \
                "$(sed -n 's/.*"event":"result"[^[]*"executions":\([0-9]*\).*/\1/p' \
                    $explorers.$n/*.jsonl | awk '{ n += $1 } END { print n }')"
        done
    done | awk '{
        if ($2 == 1) { orders = $5; cost = $4 / $6 }
        printf "%s, %d processes: %d distinct orders in %d executions (%.2f times one), ", $1, $2,
            $5, $6, $5 / orders
        printf "%.0f a second; %.1f us of processor an execution\n", $5 * 1000 / $3, $4 * 1000 / $6
        bad += $5 < 0.9 * $2 * orders || $4 / $6 > 1.5 * cost + 0.005
        } END { exit bad || NR != 6 }' | tee "$work/speedup"
    [ "$(wc -l <"$work/speedup")" -eq 6 ]
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

try_all
summary

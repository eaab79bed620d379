#!/bin/sh
# A cluster of four nodes on this machine, run by Slurm itself (munged, slurmctld, slurmd): an array
# of 16 tasks and the job that merges, as docs/ci/slurm.sh has them; a task that is requeued.
# Run from the top of the tree, with CC and BUILD set, as root.
name=slurm
. tests/try.sh
compile "" kept kept
top=$PWD
cd "$work" || exit 1
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
PATH=$PATH:/usr/sbin

stop() {
    for f in "$work"/*.pid "$work"/munge/pid; do
        [ ! -s "$f" ] || kill "$(cat "$f")" 2>/dev/null
    done
}

starts() {
    for needed in munged slurmctld slurmd sbatch; do
        command -v $needed >/dev/null || { echo "no $needed (slurm-wlm, munge)"; return 77; }
    done
    [ "$(id -u)" -eq 0 ] || { echo "daemons of Slurm want to be root's"; return 77; }
    here=/tmp/racefuzz-slurm-$$ # a socket's path has to be short
    mkdir -m 755 munge state log "$here"
    head -c 64 /dev/urandom >munge/key
    chmod 600 munge/key
    cat >slurm.conf <<END
ClusterName=here
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$here/munge
SlurmctldPort=26817
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
KillWait=2
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
NodeName=n[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[26821-26824] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
END
    munged --force --key-file="$work/munge/key" --socket="$here/munge" \
        --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
        --seed-file="$work/munge/seed" || { echo "munged does not start here"; return 77; }
    slurmctld -c || { echo "slurmctld does not start here"; return 77; }
    for n in n1 n2 n3 n4; do
        mkdir -p "spool/$n"
        slurmd -N $n || { echo "slurmd does not start here"; return 77; }
    done
    for i in $(seq 60); do
        [ "$(sinfo -h -t idle -o %D | head -n 1)" != 4 ] || return 0
        sleep 0.5
    done
    sinfo
    tail -n 3 log/*
    return 1
}

# For all jobs to end.
waits() {
    for i in $(seq 300); do
        [ -n "$(squeue -h)" ] || return 0
        sleep 1
    done
    squeue
    return 1
}


# The index behind the last execution of each shard: 16 tasks have 1,000 executions each.
all_is_done_once() {
    ls "$1"/shard-*-of-16.*.jsonl >/dev/null
    for i in $(seq 16); do
        next=$(sed -n 's/.*"explorer":"random","next":\([0-9]*\).*/\1/p' "$1"/shard-$i-of-16.* |
            sort -n | tail -n 1)
        [ "$next" -eq "$2" ] || { echo "shard $i of $1 has done $next"; return 1; }
    done
}

an_array_and_the_job_that_merges_find_what_one_process_finds() {
    export RF_FILTER=walkers RF_STRATEGY=random RF_EXECUTIONS=16000 RF_SHRINK=0
    gives 1 whole ./kept --shard-by=executions --report=json:whole.json
    sed 's/--seconds=3600/--seconds=none/' "$top/docs/ci/slurm.sh" >recipe.sh
    RF_REPORT=json:merged.json gives 0 submitted sh recipe.sh "$work/kept" "$work/folder"
    waits
    all_is_done_once folder 1000
    prints whole.json >whole.prints
    [ -s whole.prints ]
    prints merged.json | diff whole.prints -
    grep -l "known findings: " slurm-*.out
}

# The second line of each that ran.
a_batch_script_does_everything_and_tasks_their_part() {
    export RF_FILTER=walkers RF_STRATEGY=random RF_EXECUTIONS=100 RF_SHRINK=0
    sbatch --ntasks=4 --output=alone.out \
        --wrap="./kept; srun --ntasks=2 --output=task-%t.out ./kept"
    srun --ntasks=1 sbatch --ntasks=4 --output=inner.out --wrap=./kept
    waits
    lacks alone.out "^shard "
    lacks inner.out "^shard "
    for out in alone.out inner.out; do says $out "0 passed, 1 failed"; done
    says task-0.out "shard 1 of 2 (SLURM_PROCID)"
    says task-1.out "shard 2 of 2 (SLURM_PROCID)"
}

# Requeued when some of it is done: it goes on there.
a_task_that_is_requeued_goes_on() {
    [ "${NIGHTLY:-}" ] || skip "at night: Slurm waits two minutes before it runs it again"
    export RF_FILTER=walkers RF_STRATEGY=random RF_EXECUTIONS=16000000 RF_SHRINK=0
    job=$(sbatch --parsable --requeue --array=1-2 --wrap="exec ./kept --shard=auto/2 \
        --campaign=again --seconds=none")
    for i in $(seq 100); do
        ! grep -qs '"event":"failed"' again/shard-1-of-2.00001.jsonl || break
        sleep 0.1
    done
    scontrol requeue "${job}_1"
    for i in $(seq 300); do # a file of its own
        [ ! -e again/shard-1-of-2.00002.jsonl ] || break
        sleep 0.5
    done
    [ -e again/shard-1-of-2.00002.jsonl ]
    sleep 12
    scancel "$job"
    waits
    before=$(sed -n 's/.*"next":\([0-9]*\).*/\1/p' again/shard-1-of-2.00001.jsonl | tail -n 1)
    after=$(sed -n 's/.*"next":\([0-9]*\).*/\1/p' again/shard-1-of-2.00002.jsonl | head -n 1)
    [ "$after" -gt "${before:-0}" ]
    gives 1 merged ./kept --merge again
}

try starts
if [ $passed -eq 1 ]; then
    try an_array_and_the_job_that_merges_find_what_one_process_finds
    try a_batch_script_does_everything_and_tasks_their_part
    try a_task_that_is_requeued_goes_on
fi
stop
rm -rf "/tmp/racefuzz-slurm-$$"
summary

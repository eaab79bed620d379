#!/bin/sh
# sbatch docs/ci/slurm.sh ./program: 16 tasks explore one campaign, then one job merges it.
#SBATCH --array=1-16
#SBATCH --requeue
#SBATCH --signal=TERM@60
set -eu
program=$1 folder=${2:-campaign}
if [ -z "${SLURM_ARRAY_TASK_ID-}" ]; then # not yet a task: submit both
    array=$(sbatch --parsable "$0" "$program" "$folder")
    exec sbatch --dependency=afterany:"$array" --wrap="'$program' --merge '$folder'"
fi
exec "$program" --campaign="$folder" --finding-status=0 --seconds=3600

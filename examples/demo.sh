#!/bin/sh
# Runs a test program that has a bug and replays the first execution that its report names:
#
#     sh examples/demo.sh build/examples/bank_demo
#
# Exit status 0 when a bug was found and its replay failed in the same way, 1 otherwise.
set -u
program=$1
report=$program.txt
[ ! -t 1 ] || [ -n "${NO_COLOR:-}" ] || export CLICOLOR_FORCE=1

echo "\$ $program"
{ "$program"; echo "$?" >"$report.status"; } | tee "$report"
read -r status <"$report.status"

# The first token, without colours; a mere number would be the seed of a campaign.
escape=$(printf '\033')
token=$(sed -n -e "s/$escape\[[0-9;]*m//g" \
    -e 's/.*\(RF_SEED=[^ ]*[^ 0-9][^ ]*\).*/\1/p' "$report" | head -n 1)
if [ -z "$token" ]; then
    echo "demo: $program reported nothing to replay (status $status)" >&2
    exit 1
fi

printf '\n$ %s %s\n' "$token" "$program"
env "$token" "$program"
replay=$?
if [ "$replay" -ne 1 ] || [ "$status" -ne 1 ]; then
    echo "demo: the run ended with status $status, its replay with $replay: both should be 1" >&2
    exit 1
fi
echo
echo "The same execution as the report above, step by step.  A fixed twin of the example passes:"
echo "see examples/ and docs/."

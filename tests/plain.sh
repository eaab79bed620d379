# tests/plain.sh: nothing that calls the tests tells them what to do; read by `.`.
for variable in $(env | sed -n 's/^\(\(RF\|G\?TEST\|TESTBRIDGE\|SLURM\|CI_NODE\|CIRCLE_NODE\|BUILDKITE_PARALLEL\|PARALLEL\|MESON\|JOB_COMPLETION\)_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$variable"
done
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY XML_OUTPUT_FILE # they ask for reports
unset MAKEFLAGS MFLAGS MAKELEVEL # a test that calls make is no part of the make that calls us

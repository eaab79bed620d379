# tests/plain.sh: nothing that calls the tests tells them what to do; read by `.`.
runners='RF|TEST|GTEST|TESTBRIDGE|SLURM|CI_NODE|CIRCLE_NODE|BUILDKITE|PARALLEL|MESON|JOB'
runners=$(echo "$runners" | sed 's/|/\\|/g')
for variable in $(env | sed -n "s/^\(\($runners\)_[A-Z0-9_]*\)=.*/\1/p"); do unset "$variable"; done
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY XML_OUTPUT_FILE # they ask for reports
unset MAKEFLAGS MFLAGS MAKELEVEL # a test that calls make is no part of the make that calls us

#!/bin/sh
# What takes too long for each change: all of `make check` by clang, with what check-long
# runs for their time alone; the long tests with NIGHTLY=1, which do more of the same then; and a
# sixth of the mutants, another one each night (MUTANTS=1/1: all of them).  Random programs come
# from SEED (default: the time), which is printed.  The figures go into docs/inside/nightly.md.
#
#     BUILD=build CC=gcc JOBS=2 SEED=1 sh tests/nightly.sh TEST...      after `make programs`
set -u
SEED=${SEED:-$(date +%s)} NIGHTLY=1
export SEED NIGHTLY
mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/nightly.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
: >"$work/table"

# part WHAT COMMAND...: the last line that counts sums it up (a make that fails has the last word).
part() {
    what=$1 p=0 f=1 s=0 begin=$(date +%s)
    shift
    echo "==== $what"
    "$@" 2>&1 | tee "$work/log"
    sed -n -e 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2 0/p' \
        -e 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$work/log" |
        tail -n 1 >"$work/sum"
    read -r p f s <"$work/sum" || p=0 f=1 s=0
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    echo "| $what | $p | $f | $s | $((($(date +%s) - begin + 59) / 60)) |" >>"$work/table"
}

echo "seed $SEED"
if command -v clang >/dev/null; then
    part "\`make check CC=clang\`" make -s check CC=clang BUILD="$BUILD/clang" JOBS="$JOBS"
fi
part "the tests of \`make check-long\`, with \`NIGHTLY=1\`" env LIMIT=7200 sh tests/run.sh "$@"
share=${MUTANTS:-$((SEED % 6 + 1))/6}
part "\`SHARE=$share make mutants\`" env SHARE="$share" sh tests/mutants.sh

cat >docs/inside/nightly.md <<END
# The last whole run of \`make check-nightly\`

What takes too long for each change runs by hand, before a release and whenever its part is
touched: all of \`make check\` by clang, and what \`make check-long\` runs for its time alone; the
tests of \`make check-long\` with \`NIGHTLY=1\`, which asks for 100,000 tokens, 10,000 random
programs for the memory model, every level of optimisation with both compilers, all schedules under
sanitizers, more campaigns of the known bugs' twins, and programs from a
seed of the night (\`SEED=\` repeats it); and a sixth of the mutants, mistakes of one line that the
tests have to notice (\`MUTANTS=1/1\`: all). \`make check-nightly\` writes this page.

$(date -u +%Y-%m-%d), $($CC --version | head -n 1), on $(nproc) processors, seed $SEED:

| part | passed | failed | skipped | minutes |
|---|---:|---:|---:|---:|
$(cat "$work/table")
END
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

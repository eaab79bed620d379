# tests/determinism/compare.sh: what determinism.sh and long/determinism.sh share; read by `.`, with
# $work set.
passed=0 failed=0 skipped=0

# Runs the function of that name: it fails, or ends with 77 where it can't run; then its output
# shows.
try() {
    (set -e; "$1") >"$work/log" 2>&1
    status=$?
    case $status in
    0) passed=$((passed + 1)); echo "ok $1" ;;
    77) skipped=$((skipped + 1)); echo "ok $1 # SKIP $(tail -n 1 "$work/log")" ;;
    *) failed=$((failed + 1)); echo "not ok $1"; head -n 20 "$work/log" | sed 's/^/    /' ;;
    esac
}

skip() { echo "$*"; exit 77; }
nothing() { ! grep .; }

summary() {
    echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
    [ "$failed" -eq 0 ]
}

# Threads that hand over to each other are quicker on one core.
one_core() {
    if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then taskset -c 0 "$@"
    else "$@"; fi
}

# enough N FILE: at least N executions, each under a token of its own.
enough() { [ "$(sed -n 's/^\(1\.[^ ]*\) .*/\1/p' "$2" | sort -u | wc -l)" -ge "$1" ]; }

# same A B: the executions are; the first ones that are not show.
same() {
    enough 1000 "$work/$1"
    cmp -s "$work/$1" "$work/$2" || diff "$work/$1" "$work/$2"
}

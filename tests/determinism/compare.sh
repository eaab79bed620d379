# tests/determinism/compare.sh: what determinism.sh and long/determinism.sh share; read by `.` after
# tests/try.sh.

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

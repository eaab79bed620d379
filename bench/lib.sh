# bench/lib.sh: what the benchmarks share.
: "${CC:=gcc}" "${BUILD:=build}"
mkdir -p "$BUILD/bench"

# build NAME [flags]: bench/NAME.c as $BUILD/bench/NAME
build() {
    bench_name=$1
    shift
    $CC -std=c11 -O2 -g -I. "$@" -o "$BUILD/bench/$bench_name" "bench/$bench_name.c" -pthread
}

# instructions PROGRAM ARGUMENTS...: how many it executes, by callgrind
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 |
        awk '/Collected/ { print $4 }'
}

# each LOW HIGH PROGRAM ARGUMENTS...: instructions of one round; the count is the last argument
each() {
    low=$1 high=$2
    shift 2
    a=$(instructions "$@" "$low")
    b=$(instructions "$@" "$high")
    awk -v a="$a" -v b="$b" -v n=$((high - low)) 'BEGIN { printf "%.1f", (b - a) / n }'
}

examples() { ls examples/*/*_test.c | sed 's|^examples/\([a-z]*\)/.*|\1|'; }

# sources EXAMPLE: with its faults; and a second word: without them
sources() {
    for file in examples/"$1"/*.c; do
        case $file in
        *_fixed.c) [ $# -eq 1 ] || echo "$file" ;;
        *) [ $# -eq 2 ] && [ -e "${file%.c}_fixed.c" ] || echo "$file" ;;
        esac
    done
}

have() { command -v "$1" >/dev/null 2>&1; }

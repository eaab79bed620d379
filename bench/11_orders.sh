#!/bin/sh
# bench/11_orders.sh: which orders do the tests of the fixed lock-free examples need?  Weakens one
# at a time, and proves the test or refutes it: `graphs` executes everything that C11 then allows.
# EXAMPLES="treiber spsc": only these.  EXECUTIONS, SECONDS: what each may take.
set -eu
. bench/lib.sh
make -s BUILD="$BUILD" "$BUILD/libracefuzz.a"
out=$BUILD/bench/orders
mkdir -p "$out"

# Orders in a file that can be weaker: line, how many of the line come before it, old, new.
weaker() {
    awk '{
        rest = $0
        sub(/\/[*].*/, "", rest)
        for (n = 0; match(rest, /memory_order_(acquire|release|acq_rel|seq_cst)/); n++) {
            old = substr(rest, RSTART + 13, RLENGTH - 13)
            rest = substr(rest, RSTART + RLENGTH)

            if (old == "acquire" || old == "release") new = "relaxed"
            else if (old == "seq_cst") new = /_load/ ? "acquire" : /_store/ ? "release" : "acq_rel"
            else new = "acquire release"
            k = split(new, each, " ")
            for (i = 1; i <= k; i++) print NR, n, old, each[i]
        }
    }' "$1"
}

# weaken FILE LINE NTH OLD NEW: the file with that one order weaker.
weaken() {
    awk -v line="$2" -v nth="$3" -v new="memory_order_$5" 'NR == line {
        rest = $0
        head = ""
        for (n = 0; match(rest, /memory_order_(acquire|release|acq_rel|seq_cst)/); n++) {
            found = n == nth ? new : substr(rest, RSTART, RLENGTH)
            head = head substr(rest, 1, RSTART - 1) found
            rest = substr(rest, RSTART + RLENGTH)
        }
        $0 = head rest
    } { print }' "$1"
}

# verdict EXAMPLE: of the sources in $out.
verdict() {
    $CC -std=c11 -O1 -g -w -DEXPECT_PASS -I. -Iexamples/"$1" -Iexamples "$out"/*.c -DRFI_LINKED \
        -o "$out/test" "$BUILD/libracefuzz.a" -pthread
    status=0
    "$out/test" --strategy=graphs --shrink=0 --executions="${EXECUTIONS:-100000}" \
        --seconds="${SECONDS_EACH:-20}" >"$out/said" 2>&1 || status=$?
    all=$(sed -n 's/^ *graphs: all \([0-9]*\) executions.*/\1/p' "$out/said")
    if [ $status -ne 0 ]; then
        echo "needed: $(sed -n 3p "$out/said" | sed 's/ (test .*//')"
    elif [ -n "$all" ]; then
        echo "not needed by the test: all $all executions"
    else
        echo "not known: $(sed -n 's/^ *graphs: //p' "$out/said")"
    fi
}

# Examples include headers by paths relative to themselves.
copy() {
    rm -f "$out"/*.c
    for source in $(sources "$1" fixed); do
        sed "s|\"\.\./|\"|" "$source" >"$out/$(basename "$source")"
    done
}

for example in ${EXAMPLES:-treiber chaselev spsc msqueue peterson publish refcount}; do
    echo "$example"
    for file in $(sources "$example" fixed); do
        weaker "$file" | while read -r line nth old new; do
            copy "$example"
            name=$(basename "$file")
            weaken "$file" "$line" "$nth" "$old" "$new" | sed 's|"\.\./|"|' >"$out/$name"
            printf '  %-24s %-8s to %-8s %s\n' "$name:$line" "$old" "$new" "$(verdict "$example")"
        done
    done
done

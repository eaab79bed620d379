# tests/thirdparty/lab.sh: what the scripts share that test code of others.  Read by `.` behind
# tests/try.sh.  Packages are fetched into $BUILD/thirdparty by the apt of this machine, from where
# it gets its own, and installed nowhere.
cache=$(cd "$work/.." && pwd)

# ---- packages ----

. tests/thirdparty/fetch.sh

# fetch PACKAGE...
fetch() {
    apt_ready || { echo "there is no apt, or it reaches nothing"; return 1; }
    for package; do (package "$package") || echo "$package can't be fetched"; done
}

needs() {
    for package; do [ -e "$cache/$package/ready" ] || skip "$package can't be fetched here"; done
}

# ---- compiling ----

export RF_SHRINK=0 # findings as they were produced
hooks="-DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_HOOK_VOLATILE -DRF_PROGRAM -I."

case $CC in
*clang*) instrument="-fsanitize=thread -mllvm -tsan-distinguish-volatile=1 \
    -mllvm -tsan-instrument-read-before-write=1" ;;
*) instrument="-fsanitize=thread --param tsan-distinguish-volatile=1" ;;
esac

# object PROGRAM SOURCE FLAG...: one of $work/PROGRAM/*.o; warnings are their authors' business.
object() {
    folder=$work/$1 file=$2
    shift 2
    mkdir -p "$folder"
    $CC -g -O1 -w -D_GNU_SOURCE $instrument -include racefuzz.h $hooks "$@" -c \
        -o "$folder/$(basename "$file" .c).o" "$file"
}

# program NAME FLAG...: of all its objects.
program() {
    to=$1
    shift
    $CC -pthread "$@" "$work/$to"/*.o "$work/engine.o" -o "$work/$to/test"
}

engine() {
    made=$(engine_for "$CC" -O1 $hooks) && cp "$made" "$work/engine.o"
}

# copy FROM TO: of what a fault is planted in.
# With their times: else make takes what is derived for older than its source.
copy() { rm -rf "$work/$2" && cp -pr "$1" "$work/$2"; }

# change FILE COMMAND...: by sed, which must have an effect.
change() {
    file=$1
    shift
    for command; do
        sed "$command" "$file" >"$work/changed"
        ! cmp -s "$file" "$work/changed" || { echo "no effect on $file: $command"; return 1; }
        cp "$work/changed" "$file"
    done
}

# ---- pthreadpool, of which two scripts have tests ----

# What it is about is in Debian's newest alone.
pool_version=pthreadpool-source=0.0~git20251020.0e6ca13
pool_flags="-DPTHREADPOOL_USE_CPUINFO=0 -DPTHREADPOOL_USE_FUTEX=1 -DPTHREADPOOL_USE_GCD=0
    -DPTHREADPOOL_USE_EVENT=0 -I$cache/pthreadpool-source/include
    -I$cache/libfxdiv-dev/usr/include"

# pool_mended FOLDER: who counts itself as waiting and who looks for waiting threads see each other.
pool_mended() {
    copy "$cache/pthreadpool-source" "$1"
    change "$work/$1/src/threadpool-atomics.h" \
        '/^static inline.* pthreadpool_load_consume_u*int32_t/,/^}/s/order_consume/order_seq_cst/' \
        '/ pthreadpool_fetch_add_acquire_release_uint32_t/,/^}/s/order_acq_rel/order_seq_cst/'
}

# ---- running ----

# run STATUS PROGRAM PART OUTPUT
run() {
    gives "$1" "$4" "$work/$2/test" --seed=1 --executions="$executions" ${3:+-- "$3"}
}

executions=400

# passes PROGRAM [PART]
passes() {
    [ -x "$work/$1/test" ] || skip "$1 was not built"
    run 0 "$1" "${2:-}" out
    says out '1 passed, 0 failed'
}

# is_found PROGRAM PART TEXT: by the search, and again by its token.
is_found() {
    [ -x "$work/$1/test" ] || skip "$1 was not built"
    run 1 "$1" "$2" out
    says out "$3"
    lacks out 'blocked' 'in __tsan_'
    RF_SEED=$(token out) gives 1 again "$work/$1/test" ${2:+-- "$2"}
    lacks again 'another way'
    # The harm by older values is told before the race as such.
    case $(token out) in
    *.adversarial.*) says again "stale:" ;;
    *) says again "${3%% *}" ;;
    esac
}

# is_short PROGRAM PART: what is told of it, shrunk, at 80 columns.  Prints the figures.
is_short() {
    [ -x "$work/$1/test" ] || skip "$1 was not built"
    RF_SHRINK=1 COLUMNS=80 run 1 "$1" "$2" short
    RF_SHRINK=1 gives 1 json "$work/$1/test" --seed=1 --executions="$executions" \
        --format=json ${2:+-- "$2"}
    sed -n 's/.*"preemptions":\([0-9]*\),"preemptions_found":/\1 /p' "$work/json" |
        sed 's/,.*"shrinking":/ /; s/,.*//' |
        awk -v of="$1 $2" -v lines="$(wc -l <"$work/short")" \
            -v causes="$(grep -c '^  replay: ' "$work/short")" '
            { told += $1; found += $2; spent += $3 }
            END { printf "# %s: %d of %d preemptions by %d executions; %d lines, %d tokens\n",
                      of, told, found, spent, lines, causes
                  exit told > found }' >"$work/figures" || { cat "$work/figures"; return 1; }
    cat "$work/figures" >>"$work/shortened"
}

# tests/tools/programs.sh: what the scripts tests/long/tools_*.sh share; read by `.` from the top of
# the tree, with $name set.
#
# Programs that `make check` runs natively are built once more for a tool, which is a sanitizer or
# another machine.  A report of the tool, or another ending than the native one, is a failure.
. tests/try.sh
export ASAN_OPTIONS=detect_odr_violation=0 # a test brings some of the engine again
san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
# gcc takes longest to compile the engine for the second: by day it is clang that does.
gcc_san=-fno-sanitize=undefined
[ -z "${NIGHTLY:-}" ] || gcc_san=
replaceable="-fno-ipa-ra -fno-section-anchors" # as in the Makefile
some=-DSCHEDULES=200u # of 1,000: what they show is shown natively; here a tool looks on
[ -z "${NIGHTLY:-}" ] || some=
view="-DRFI_VISIBLE=2 -DRF_IMPLEMENTATION= -isystem $BUILD/view -isystem ."
make -s BUILD="$BUILD" "$BUILD/view/racefuzz.h" "$BUILD/view/racefuzz_mem.h" >"$work/make" || exit 1

sources() { # of a test or an example
    case $1 in
    tests/*) echo "$1" ;;
    *) for file in "$1"/*.c; do
           case $file in *_fixed.c) ;; *) echo "$file" ;; esac
       done ;;
    esac
}

# flavour COMPILER FLAGS ENGINE_FLAGS: for the programs that follow.  Tests that look into the
# engine share one, and its header compiled, as in the Makefile.
flavour() {
    compiler=$1 made="$1 -std=c11 -g -I. -Isrc $2 -pthread" engine=
    command -v "$1" >/dev/null || return 0 # each program says so
    rm -rf "$work/view"
    mkdir "$work/view"
    engine=$(engine_for "$1" -std=c11 -g1 $2 ${3:-} -DRFI_VISIBLE=1)
    $made -w $view -x c-header "$BUILD/view/racefuzz.h" -o "$work/view/racefuzz.h.gch"
}

# ends_well THING WRAPPER
ends_well() {
    for tool in "$compiler" ${2%% *}; do command -v "$tool" >/dev/null || skip "no $tool"; done
    case $1 in
    tests/*) how="$view -include $work/view/racefuzz.h $some" ;;
    *) how=-DRFI_LINKED ;;
    esac
    $made $how $(sources "$1") "$engine" -Wl,-z,muldefs -o "$work/program"
    $2 "$work/program"
}

# all WRAPPER THING...
all() {
    wrapper=$1
    shift
    for thing; do try ends_well "$thing" "$wrapper"; done
}

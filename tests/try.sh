# tests/try.sh: what the scripts share, which run from the top of the tree, with CC and BUILD set,
# after `make programs`; read by `.`, with $name set.  Makes $work, and $library if need be.
set -u
script=$0
case $0 in /*) ;; *) script=$PWD/$0 ;; esac
CC=${CC:-cc} BUILD=${BUILD:-build}
work=$BUILD/$name
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
passed=0 failed=0 skipped=0

. tests/plain.sh
unset CLICOLOR_FORCE
export RF_SECONDS=none # no machine is too slow
export NO_COLOR=1 COLUMNS=100 LC_ALL=C TMPDIR="$work/tmp"
mkdir "$TMPDIR"

library=$(cd "$BUILD" && pwd)/libracefuzz.a
[ -e "$library" ] || make BUILD="$BUILD" "$BUILD/libracefuzz.a" >/dev/null

# compile FLAGS PROGRAM NAME: makes $work/NAME from tests/campaign/PROGRAM.c, with the library's
# engine; under a sanitizer with its own.
compile() {
    case $1 in
    *sanitize*) engine= ;;
    *) engine="-DRFI_LINKED $library" ;;
    esac
    $CC -std=c11 -g $1 -I. "tests/campaign/$2.c" $engine -o "$work/$3" -pthread
}

# engine_for COMPILER FLAGS...: prints the path of an engine, which all scripts share.
engine_for() {
    command -v "$1" >/dev/null || { echo "no $1" >&2; exit 77; }
    sh tests/engine.sh "$@"
}

# engine_by COMPILER program|compiler TO: an engine with RF_PROGRAM, or with RF_HOOK_COMPILER too.
engine_by() {
    case $2 in # for few executions
    program) made=$(engine_for "$1" -O0 -DRF_PROGRAM) ;;
    *) made=$(engine_for "$1" -O0 -fexceptions -DRF_HOOK_ALL -DRF_HOOK_COMPILER \
        -DRF_PROGRAM) ;;
    esac && cp "$made" "$3"
}

# engine COMPILER: the second kind, as $work/COMPILER.o.
engine() { engine_by "$1" compiler "$work/$1.o"; }

# as_installed: racefuzz-cc and -c++ are where `make install` puts them, with an engine by $CC.
as_installed() {
    make -s install DESTDIR="$work/root" PREFIX=/usr >/dev/null
    engine "$CC"
    export RACEFUZZ_CC="$CC" RACEFUZZ_ENGINE="$work/$CC.o" XDG_CACHE_HOME="$work/cache"
    unset RACEFUZZ_CFLAGS RACEFUZZ_ENGINE_CFLAGS
    PATH=$work/root/usr/bin:$PATH
}

# unedited COMPILER SOURCE ENGINE FLAG...: $work/NAME from .../NAME.c as it is, with all hooks.
# Linked without the flags: -fsanitize=thread would bring its own runtime.
unedited() {
    with=$1 object=$work/$(basename "$2" .c) source=$2 engine=$3
    shift 3
    [ -e "$engine" ] || skip "no engine by $with"
    $with -g -I. -Itests/hook -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM "$@" -c "$source" \
        -o "$object.o"
    $with "$object.o" "$engine" -pthread -o "$object"
}

# The flags that tell volatile objects from others, or, with 0, not.
volatiles() {
    case $($CC --version) in
    *clang*) echo -mllvm -tsan-distinguish-volatile=${1-1} ;;
    *) echo --param tsan-distinguish-volatile=${1-1} ;;
    esac
}

# Runs a function with arguments; one that fails, or ends with 77 because it can't run here, shows
# its output.  FIRST: the first that fails is the last that runs.
try() {
    (set -e; "$@") >"$work/try.log" 2>&1
    status=$?
    case $status in
    0) passed=$((passed + 1)); echo "ok $*" ;;
    77) skipped=$((skipped + 1)); echo "ok $* # SKIP $(tail -n 1 "$work/try.log")" ;;
    *) failed=$((failed + 1)); echo "not ok $*"; head -n 200 "$work/try.log" | sed 's/^/    /' ;;
    esac
    [ "$failed" -eq 0 ] || [ -z "${FIRST:-}" ] || exit 1
}

# try_all: each function that the script does not name again is a test.
try_all() {
    for each in $(awk '
        !/^ *#/ { for (n = split($0, word, /[^a-zA-Z_0-9]+/); n; n--) times[word[n]]++ }
        match($0, /^[a-z_0-9]+\(\) [{]/) { name[++count] = substr($0, 1, RLENGTH - 4) }
        END { for (n = 1; n <= count; n++) if (times[name[n]] == 1) print name[n] }' "$script"); do
        try "$each"
    done
}

skip() { echo "$*"; exit 77; }
needs() { for tool; do command -v "$tool" >/dev/null || skip "no $tool"; done; }
prints() { sed -n 's/.*"event":"finding".*"fingerprint":"\([^"]*\)".*/\1/p' "$@" | sort -u; }

summary() {
    echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
    [ "$failed" -eq 0 ]
}

# fails COMMAND...: it does.  (`! command` would not end a function under set -e.)
fails() { ! "$@" || { echo "should have failed: $*"; return 1; }; }

# gives STATUS FILE COMMAND...: the command ends with that status; its output is in $work/FILE and
# $work/FILE.err.
gives() {
    wanted=$1 to=$work/$2
    shift 2
    got=0
    "$@" >"$to" 2>"$to.err" || got=$?
    [ "$got" -ne "$wanted" ] || return 0
    echo "status $got, not $wanted: $*"
    cat "$to" "$to.err"
    return 1
}

# says FILE TEXT...: for each text, a line of $work/FILE has it.
says() {
    its_file=$work/$1
    shift
    for its_text; do
        grep -qF -e "$its_text" "$its_file" ||
            { echo "does not say '$its_text':"; cat "$its_file"; return 1; }
    done
}

# nothing: in the input.  lacks FILE PATTERN...: no line of $work/FILE matches one of them.
nothing() { if grep .; then echo "(there should be nothing)"; return 1; fi; }
lacks() {
    its_file=$work/$1
    shift
    for its_text; do grep -e "$its_text" "$its_file" | nothing || return 1; done
}

# The first replay token in $work/FILE.
token() { sed -n 's/.*RF_SEED=\([^ ]*\).*/\1/p' "$work/$1" | head -n 1; }

# replays TOKEN COMMAND...: to a failure, as it is told; the output is in $work/again.
replays() {
    replayed=$1
    shift
    RF_SEED=$replayed gives 1 again "$@"
    lacks again note:
}

one_line() {
    [ "$(wc -l <"$work/$1")" -ne 1 ] || return 0
    echo "not one line:"
    cat "$work/$1"
    return 1
}

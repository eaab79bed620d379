#!/bin/sh
# Programs that depend on chance and know nothing of racefuzz: it comes from the campaign's seed,
# and addresses are the same in every process, so that a token repeats what such a program did.
name=hook_chance
. tests/try.sh

hooks="-include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"
engine_by "$CC" compiler "$work/engine.o"
$CC -g -pthread -I. $hooks tests/hook/chancy.c "$work/engine.o" -o "$work/chancy"

fixed() {
    [ "$(uname -s)" = Linux ] || skip "not Linux"
    setarch -R true 2>/dev/null || skip "addresses can't be fixed here"
}

# repeats SOURCE: a token of a failure leads to the same in other processes and surroundings.
repeats() {
    gives 1 found "$work/chancy" --executions=20 --jobs=2 -- "$1"
    seed=$(token found)
    for large in "" "$(printf '%03000d' 0)" "$(printf '%09000d' 0)"; do
        replays "$seed" env "LARGE=$large" "$work/chancy" -- "$1"
        grep '^sum' "$work/again.err" >>"$work/sums.$1"
    done
    [ "$(sort -u "$work/sums.$1" | wc -l)" -eq 1 ]
}

addresses_are_the_same_everywhere() {
    fixed
    repeats addresses
}

random_bytes_are_drawn_from_the_seed() {
    for how in bytes device rand rand48; do repeats $how; done
}

# gcc renames what a header has renamed; the names for large files themselves with both.
the_same_where_files_may_be_large() {
    $CC -g -pthread -I. $hooks -D_FILE_OFFSET_BITS=64 -w tests/hook/chancy.c "$work/engine.o" \
        -o "$work/chancy_64"
    case $($CC --version) in *clang*) skip "clang's open is open64 then" ;; esac
    gives 1 found "$work/chancy_64" --executions=20 -- device
    seed=$(token found)
    for i in 1 2; do
        replays "$seed" "$work/chancy_64" -- device
        grep '^sum' "$work/again.err" >>"$work/sums.64"
    done
    [ "$(sort -u "$work/sums.64" | wc -l)" -eq 1 ]
}

# A test's program too: where its functions, statics and stacks lie.
addresses_are_the_same_for_tests() {
    fixed
    compile -O0 addresses addresses
    for i in 1 2 3; do
        gives 1 tested "$work/addresses" --executions=3
        token tested >>"$work/tokens"
        replays "$(head -n 1 "$work/tokens")" "$work/addresses"
    done
    [ "$(sort -u "$work/tokens" | wc -l)" -eq 1 ]
    RACEFUZZ_STARTED_AGAIN=1 gives 1 moved "$work/addresses" --executions=3
    [ "$(token moved)" != "$(head -n 1 "$work/tokens")" ]
}

# How many looks (WNOHANG) come before the end of a child is drawn, and that it ends then is seen.
a_child_is_as_fast_as_the_token_says() {
    repeats child
    for strategy in auto random dfs dpor; do
        gives 1 slow "$work/chancy" --executions=100 --strategy=$strategy -- slow
        says slow "assertion failed"
        replays "$(token slow)" "$work/chancy" -- slow
    done
}

# How long it takes until another process has answered is real time, and makes no steps.
an_answer_is_as_fast_as_the_token_says() {
    for how in pipe fork poll select; do
        gives 1 found env SLOW=0.04 "$work/chancy" --executions=3 --jobs=1 -- $how
        replays "$(token found)" env SLOW=0 "$work/chancy" -- $how
    done
}

# A replay's standard output may be one, a campaign's is none.
there_is_no_terminal() {
    command -v script >/dev/null || skip "no script(1)"
    gives 1 found "$work/chancy" --executions=3 -- terminal
    RF_SEED=$(token found) script -qc "$work/chancy -- terminal" "$work/again" >"$work/seen" \
        </dev/null
    says seen "assertion failed"
    lacks seen '^note'
}

# Where the C library has what it allocates for itself is no part of the course.
the_librarys_memory_lies_anywhere() {
    engine "$CC"
    unedited "$CC" tests/hook/chancy.c "$work/$CC.o" -fsanitize=thread -DRF_HOOK_COMPILER -w
    gives 1 found "$work/chancy" --executions=3 -- librarys
    for tunables in "" glibc.malloc.tcache_count=0; do
        gives 1 again env GLIBC_TUNABLES=$tunables "RF_SEED=$(token found)" "$work/chancy" \
            -- librarys
        lacks again '^note'
    done
}

# Nor where malloc has put what the engine announces: a thread that ends looks at its own signals.
the_engines_memory_lies_anywhere() {
    gives 1 found "$work/chancy" --executions=3 -- signals
    for threshold in 65536 33554432; do
        gives 1 again env GLIBC_TUNABLES=glibc.malloc.mmap_threshold=$threshold \
            "RF_SEED=$(token found)" "$work/chancy" -- signals
        lacks again '^note'
    done
}

# They differ from execution to execution, and from seed to seed.
chance_is_explored() {
    for how in bytes device rand rand48; do
        for seed in 1 2; do
            gives 1 drawn "$work/chancy" --executions=60 --seed=$seed --strategy=random -- $how some
            says drawn "assertion failed"
            gives 1 once env "RF_SEED=$(token drawn)" "$work/chancy" -- $how some
            grep '^sum' "$work/once.err" >>"$work/seeds.$how"
        done
        [ "$(sort -u "$work/seeds.$how" | wc -l)" -eq 2 ]
    done
    for how in rand rand48; do
        gives 0 rolled "$work/chancy" --executions=30 --verify --random=constant -- $how some
        gives 0 rolled "$work/chancy" --executions=30 --strategy=dfs -- $how some
    done
}

# replays_otherwise WAY: what the system says this time leads elsewhere, but for one time in fifty,
# when the loop that it decides is as long as it was.
replays_otherwise() {
    gives 1 found "$work/chancy" --executions=20 -- "$1"
    for again in 1 2 3 4 5; do
        env "RF_SEED=$(token found)" "$work/chancy" -- "$1" >"$work/left" 2>&1 || [ $? -eq 1 ]
        ! grep '^note: ' "$work/left" || return 0
    done
    return 1
}

what_is_left_is_named() {
    replays_otherwise file
    grep '^note: .*the file /proc/sys/kernel/random/uuid, which it opens' "$work/left"
    grep "^note: .*(step [0-9]* is now T[0-9]*'s, at chancy.c:[0-9]*)" "$work/left"
    gives 1 found "$work/chancy" --executions=20 -- clock
    env "RF_SEED=$(token found | sed 's/[.]x\(..\)..../.x\1AAAA/')" "$work/chancy" -- clock \
        >"$work/left" 2>&1 || [ $? -eq 1 ]
    grep '^note: ' "$work/left"
    lacks left 'by getpid'
    replays_otherwise process
    grep "^note: .*its process's number, by getpid" "$work/left"
}

# names WAY TEXT: what a replay that went another way says.
names() {
    gives 1 found "$work/chancy" --executions=3 -- "$1"
    mkdir -p "$work/folder/$1"
    env "RF_SEED=$(token found | sed 's/[.]x\(..\)..../.x\1AAAA/')" "$work/chancy" -- "$1" \
        >"$work/left" 2>&1 || [ $? -eq 1 ]
    grep "^note: .*$2" "$work/left"
}

what_there_is_is_named() {
    mkdir -p "$work/folder"
    export FOLDER="$work/folder"
    names folder "the folder $FOLDER, by opendir"
    names size "the file $FOLDER, by stat"
    names machine "the number of processors, by sysconf"
    names fork "the number of a child, by fork"
    export SLOW=0.4
    names pipe "what another process writes, by fgets"
}

try_all
summary

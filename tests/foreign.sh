#!/bin/sh
# A thread that racefuzz did not create and that enters it is one clear failure, wherever it comes
# in, and one that does not is none.
name=foreign
. tests/try.sh

compile -O1 foreign foreign
failing=$("$work/foreign" --list | grep -v harmless)
fails='in a thread that racefuzz did not create'

# told FILE TEST WORDS: one failure, that is so.
told() {
    says "$1" "racefuzz entered from a thread that it did not create (test $2)" "$3 $fails"
    [ "$(grep -c "(test $2)" "$work/$1")" -eq 1 ]
    lacks "$1" 'killed, not by' SIGSEGV
}

# every_operation_is_told ARGUMENT...
every_operation_is_told() {
    gives 1 found "$work/foreign" --executions=3 "$@"
    says found "2 passed, $(echo "$failing" | wc -l | tr -d ' ') failed"
    for test in $failing; do
        case $test in
        *_in_thread) told found "$test" "do_${test%_in_thread} uses an RF_ operation" ;;
        beside) told found "$test" "do_stores uses an RF_ operation" ;;
        *) told found "$test" "do_$test uses an RF_ operation" ;;
        esac
    done
}

its_token_replays_it() {
    gives 1 found "$work/foreign" --filter=locks --executions=3
    gives 1 again "$work/foreign" --seed="$(token found)"
    says again "do_locks uses an RF_ operation $fails"
}

without_workers_it_ends_the_campaign() {
    gives 1 found "$work/foreign" --jobs=0 --filter=locks "$@"
    says found.err "do_locks uses an RF_ operation $fails" "with RF_JOBS=0 the campaign ends here"
}

# hooked PROGRAM WORDS TASK...: an unedited program; WORDS of what TASK does.
hooked() {
    program=$1 words=$2
    shift 2
    for strategy in auto dfs dpor; do
        gives 0 none "$work/$program" --strategy=$strategy --executions=20
        for task in "$@"; do
            gives 1 found "$work/$program" --strategy=$strategy --executions=3 -- "$task"
            told found program "$task $words"
            says found "in $task()"
        done
    done
}

# links NAME ENGINE FLAG...: with hooks, and a library that has none.
links() {
    to=$work/$1 with=$2
    shift 2
    $CC -g -pthread -c tests/hook/foreign_library.c -o "$to.library.o"
    $CC -g -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM "$@" -c tests/hook/foreign.c \
        -o "$to.o"
    $CC "$to.o" "$with" "$to.library.o" -pthread -o "$to"
}

hooks_are_told() {
    engine_by "$CC" program "$work/program.o"
    links hooked "$work/program.o"
    for task in locks:pthread_mutex_lock posts:sem_post allocates:malloc asks:pthread_self \
        remembers:pthread_getspecific sleeps:usleep; do
        hooked hooked "calls ${task#*:}" "${task%:*}"
    done
}

what_the_compiler_announces_is_told() {
    engine "$CC"
    links announced "$work/$CC.o" -fsanitize=thread
    hooked announced runs locks posts allocates asks writes adds
}

for strategy in auto dfs dpor; do try every_operation_is_told --strategy=$strategy; done
try every_operation_is_told --backend=threads
try every_operation_is_told --thread-local=own
try without_workers_it_ends_the_campaign
try without_workers_it_ends_the_campaign --backend=threads
try_all
summary

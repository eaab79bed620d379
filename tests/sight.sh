#!/bin/sh
# What a run says that had little to look at (src/report/sight.h), and that no other says it.
name=sight
. tests/try.sh
engine_by "$CC" compiler "$work/engine.o"
unwatched='plain accesses were not watched: data races were not looked for'
pointless='not one scheduling point was met'
single='only one thread ever ran'
order='between their starts and ends the threads did nothing that racefuzz sees'

# visits THREADS BODY: a program whose threads do that.
visits() {
    cat >"$work/visits.c" <<END
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static int n;
static atomic_int a;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *visit(void *arg) {
    $2
    return arg;
}
int main(void) {
    pthread_t t[2];
    (void)n, (void)a, (void)lock, (void)t, (void)visit;
    for (int i = 0; i < $1; i++) pthread_create(&t[i], NULL, visit, NULL);
    for (int i = 0; i < $1; i++) pthread_join(t[i], NULL);
    if (!$1) visit(NULL);
    return 0;
}
END
}

# visited FLAG...
visited() { unedited "$CC" "$work/visits.c" "$work/engine.o" "$@"; }

run() {
    visited "$@"
    gives 0 out "$work/visits" --executions=50 --seconds=none
    sed 's/^ *//' "$work/out" | tr '\n' ' ' >"$work/said"
}

a_program_whose_plain_accesses_nobody_announces_says_so() {
    visits 2 'pthread_mutex_lock(&lock); n++; pthread_mutex_unlock(&lock);'
    run # an engine that could watch them does not
    says said "$unwatched (compile"
    for other in "$pointless" "$single" "$order"; do lacks said "$other"; done
    run -DRF_HOOK_COMPILER -fsanitize=thread
    lacks said "$unwatched"
}

one_that_is_instrumented_and_has_no_plain_access_does_not() {
    visits 2 'atomic_fetch_add(&a, 1);'
    run -DRF_HOOK_COMPILER -fsanitize=thread
    for line in "$unwatched" "$pointless" "$single" "$order"; do lacks said "$line"; done
}

threads_that_do_nothing_that_is_hooked_are_told() {
    visits 2 'n++;'
    run
    says said "$order" "$unwatched"
    lacks said "$pointless"
}

a_call_that_others_can_tell_is_seen() {
    visits 2 'sem_t s; int v; sem_init(&s, 0, 1); sem_getvalue(&s, &v);'
    run
    lacks said "$order"
}

only_one_thread_is_told() {
    visits 0 'pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock);'
    run
    says said "$single: there was nothing to schedule"
    lacks said "$order"
}

it_is_a_note_of_the_wrapped_test_too() {
    cat >"$work/wrapped.c" <<'END'
#include "racefuzz.h"
static int n;
static void *visit(void *arg) {
    RF_STORE(n, 1);
    return arg;
}
RF_TEST(nothing) {}
RF_TEST(alone) { RF_YIELD(); }
RF_TEST(idle) { RF_JOIN(RF_THREAD(visit, NULL)); }
static void *rest(void *arg) { return arg; }
RF_TEST(asleep) { RF_JOIN(RF_THREAD(rest, NULL)); }
RF_MAIN()
END
    $CC -std=c11 -g -I. -DRFI_LINKED "$work/wrapped.c" "$library" -o "$work/wrapped" -pthread
    gives 0 out "$work/wrapped" --executions=20
    lacks out "$unwatched"
    sed -n '/^PASS nothing/,/^PASS alone/p' "$work/out" >"$work/one"
    says one "$pointless"
    sed -n '/^PASS alone/,/^PASS idle/p' "$work/out" >"$work/one"
    says one "$single"
    sed -n '/^PASS idle/,/^PASS asleep/p' "$work/out" >"$work/one"
    for line in "$pointless" "$single" "$order"; do lacks one "$line"; done
    sed -n '/^PASS asleep/,$p' "$work/out" >"$work/one"
    says one "$order"
}

what_fails_had_enough_to_see() {
    visits 1 'assert(arg);'
    visited
    gives 1 out "$work/visits" --executions=50
    says out 'assertion failed' 'plain accesses were not watched'
    for line in "$pointless" "$single" "$order"; do lacks out "$line"; done
}

tap_has_it_as_a_list() {
    visits 2 'n++;'
    visited
    gives 0 out "$work/visits" --executions=50 --format=tap
    says out '  unseen:' "    - \"$order" "    - \"$unwatched"
}

told='-O0 -fsanitize=thread -include racefuzz.h -DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM -I.'

# With a thread that counts in a unit of its own: two_units FLAGS OF IT
two_units() {
    cat >"$work/counts.c" <<'END'
static int n;
void *count(void *arg);
void *count(void *arg) {
    n++;
    return arg;
}
END
    cat >"$work/counting.c" <<'END'
#include <pthread.h>
void *count(void *arg);
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    pthread_join(t, NULL);
    return 0;
}
END
    $CC -g $1 -c "$work/counts.c" -o "$work/counts.o"
    $CC -g $told -c "$work/counting.c" -o "$work/counting.o"
    $CC "$work/counting.o" "$work/counts.o" "$work/engine.o" -pthread -o "$work/counting"
    for strategy in graphs dpor random; do
        gives 0 one "$work/counting" --executions=20 --strategy=$strategy
        tr -s '\n ' '  ' <"$work/one"
    done >"$work/out"
}

a_unit_that_is_not_instrumented_is_named_where_all_is_said() {
    two_units -O0
    no='not tried: plain accesses of counts.c (compile it with -fsanitize=thread)'
    says out "explored, but $no" "orders; $no"
    lacks out 'no failure is possible'
}

so_is_one_that_is_optimised() {
    two_units "$told -O1"
    says out 'but not tried: plain accesses that the compiler removes from counts.c (compile'
    lacks out 'no failure is possible'
    two_units "$told"
    says out 'explored: no failure is possible'
    lacks out 'not tried'
}

try_all
summary

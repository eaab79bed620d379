#!/bin/sh
# Call chains: a race is told with the functions that were on both stacks, and with where its
# threads were created.
name=callers
. tests/try.sh

cat >"$work/macros.c" <<'END'
#include "racefuzz.h"
static int level;
static __attribute__((noinline)) void pour(void) { RF_STORE(level, RF_LOAD(level) + 1); }
static __attribute__((noinline)) void refill(void) { pour(); RF_YIELD(); }
static void *waiter(void *arg) { refill(); RF_YIELD(); return arg; }
static __attribute__((noinline)) rf_thread hire(void) { return RF_THREAD(waiter, NULL); }
static void *noise(void *arg) {
    static int alone;
    for (int i = 0; i < 8; i++) RF_STORE(alone, i);
    return arg;
}
RF_TEST(tavern) {
    level = 0;
    rf_thread other = RF_THREAD(noise, NULL);
    rf_thread a = hire(), b = hire();
    RF_JOIN(a);
    RF_JOIN(b);
    RF_JOIN(other);
    RF_ASSERT_EQ(RF_LOAD(level), 2);
}
RF_MAIN()
END
cat >"$work/plain.c" <<'END'
#include <pthread.h>
static int level;
static __attribute__((noinline)) void pour(void) { level = level + 1; }
static __attribute__((noinline)) void refill(void) { pour(); __asm__(""); }
static void *waiter(void *arg) { refill(); return arg; }
static __attribute__((noinline)) void hire(pthread_t *t) { pthread_create(t, 0, waiter, 0); }
int main(void) {
    pthread_t a, b;
    hire(&a);
    hire(&b);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END

# chains FILE CREATOR: of both accesses.
chains() {
    tr '\n' ' ' <"$work/$1" | sed 's/  */ /g' >"$work/$1.line"
    one="in pour(), called by refill(), waiter(), thread T[123] waiter (created at"
    grep -q "$one.*$one" "$work/$1.line" || { cat "$work/$1.line"; return 1; }
    grep -q "(created at [a-z]*.c:[0-9]* in hire(), called by $2), holding" "$work/$1.line"
}

macros_have_chains() {
    $CC -std=c11 -g $1 -I. "$work/macros.c" -DRFI_LINKED "$library" -o "$work/macros" -pthread
    shift
    gives 1 macros.out "$work/macros" --executions=60 --seconds=none "$@"
    chains macros.out "test tavern"
}

# What is told is then another execution than the one that was found.
shrunk_schedules_have_chains() {
    macros_have_chains -O0 --granularity=fine
    says macros.out "when it was found)" ".bschedule."
}

tools_get_them_too() {
    needs jq
    gives 1 json "$work/macros" --executions=60 --report=json:-
    jq -e -s 'map(select(.event == "finding"))[0].places | length == 2 and all(.[];
        .called_by == ["refill()", "waiter()"] and .created.function == "hire"
        and .created.called_by == ["test tavern"])' "$work/json" >"$work/true"
}

# Warnings with more places than two have none.
other_warnings_have_no_chains() {
    command -v jq >/dev/null || skip "no jq"
    cat >"$work/torn.c" <<'END'
#include "racefuzz.h"
static rf_mutex lock = RF_MUTEX_INIT;
static int sum;
static void *add(void *arg) {
    RF_ATOMIC_BLOCK("add") {
        for (int i = 0; i < 2; i++) { RF_LOCK(&lock); sum++; RF_UNLOCK(&lock); }
    }
    return arg;
}
RF_TEST(torn) {
    sum = 0;
    rf_thread a = RF_THREAD(add, NULL), b = RF_THREAD(add, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}
RF_MAIN()
END
    $CC -std=c11 -g -I. "$work/torn.c" -DRFI_LINKED "$library" -o "$work/torn" -pthread
    gives 1 json "$work/torn" --report=json:-
    jq -e -s 'map(select(.event == "finding"))[0].places | length == 4 and
        all(.[]; has("called_by") | not)' "$work/json" >"$work/true"
}

plain_accesses_have_chains() {
    engine "$CC"
    $CC -g $1 -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM -fsanitize=thread \
        -c "$work/plain.c" -o "$work/plain.o"
    $CC "$work/plain.o" "$work/$(basename "$CC").o" -pthread -o "$work/plain"
    shift
    gives 1 plain.out "$work/plain" --executions=60 --seconds=none "$@"
    chains plain.out "main()"
}

for backend in fiber threads; do
    for level in -O0 -O1; do
        try macros_have_chains $level --backend=$backend
    done
done
try macros_have_chains -O1 --shrink=0
try macros_have_chains -O1 --jobs=0
try plain_accesses_have_chains -O0
try plain_accesses_have_chains -O1 --backend=threads
try_all
summary

#!/bin/sh
# A child of fork that synchronises with its parent by memory that both see: no finding comes of it,
# and the result says that it was not explored.  Who only has such memory is explored as ever.
name=hook_processes
. tests/try.sh

mkdir "$work/real"
for each in processes spaces; do
    $CC -g -pthread tests/hook/$each.c -o "$work/real/$each" -lrt
done
engine "$CC"
unedited "$CC" tests/hook/processes.c "$work/$CC.o" -fsanitize=thread

# ends STATUS WORDS WAY: the C library has it end well, and this comes of it here.
ends() {
    gives 0 real.out timeout 20 "$work/real/processes" "$3"
    for strategy in auto random dfs; do
        gives "$1" out timeout 120 "$work/processes" --executions=40 --strategy=$strategy -- "$3"
        says out "$2"
    done
}

is_not_explored() {
    ends 77 'SKIP program: it shares memory with a child of fork' "$1"
    says out '0 passed, 0 failed, 1 skipped'
}

is_explored() {
    ends 0 '1 passed, 0 failed' "$1"
    lacks out 'what other processes do'
}

partly() {
    gives 0 out timeout 120 "$work/processes" --executions=40 -- sometimes
    tr -s ' \n' ' ' <"$work/out" | grep -q 'not tried: what other processes do, in '
}

# It says so, and its parent sees that.
what_goes_wrong_in_a_child_is_seen() {
    cat >"$work/child.c" <<'END'
#include "check.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *holds(void *p) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return p;
}
int main(int argc, char **argv) {
    char *volatile p = malloc(argc);
    pthread_t t;
    pthread_create(&t, NULL, holds, NULL);
    if (argv[1][0] != 'h') pthread_join(t, NULL);
    pid_t child = fork();
    int status = 0;
    if (!child) {
        free(p);
        if (argv[1][0] == 'f') free(p);
        if (argv[1][0] == 'l') pthread_mutex_lock(&m), pthread_mutex_lock(&m);
        if (argv[1][0] == 'h') pthread_mutex_lock(&m);
        for (int i = argv[1][0] == 't' ? 2000 : 0; i--;)
            pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (status && argv[1][0] == 'h') abort();
    return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 7 : 0;
}
END
    unedited "$CC" "$work/child.c" "$work/$CC.o"
    gives 0 out "$work/child" --executions=10 -- none
    for way in free lock; do
        gives 1 out "$work/child" --executions=10 -- $way
        says out 'main returned 7' 'racefuzz: a child of what is tested: '
    done
    gives 0 out "$work/child" --executions=10 -- takes_long
    gives 1 out "$work/child" --executions=10 --steps=2000 -- takes_long
    says out 'main returned 7' 'racefuzz: a child of what is tested had not ended after 2001 steps'
    gives 1 out "$work/child" --executions=50 -- held # by a thread that the child does not have
    says out 'SIGABRT, abort() was called'            # the parent, of which the child can't tell
    says out 'deadlock: nobody can wake the waiting threads: 1 thread waits and nobody can wake it'
}

# What others have done before a fork is what its child goes on from.
a_fork_is_a_step() {
    cat >"$work/forks.c" <<'END'
#include "check.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int asked;
static void *answers(void *arg) {
    if (!atomic_load(&asked)) return arg;
    pthread_mutex_lock(&m); /* which the child will never have */
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    int status = 0;
    pthread_create(&t, NULL, answers, NULL);
    atomic_store(&asked, 1);
    pid_t child = fork();
    if (!child) _exit(pthread_mutex_lock(&m));
    waitpid(child, &status, 0);
    pthread_join(t, NULL);
    return status ? 7 : 0;
}
END
    unedited "$CC" "$work/forks.c" "$work/$CC.o" -fsanitize=thread
    for strategy in auto random dpor dfs; do
        gives 1 out "$work/forks" --executions=100 --strategy=$strategy
        says out 'main returned 7'
    done
    gives 1 out "$work/forks" --strategy=graphs
    says out 'not known to be all: there are operations that are'
}

# The children have each other's pipes: which of them can end first is the program's matter.  A wait
# for one that can't took 200 ms, in every other execution.  How fast the machine is a single child
# tells, which is never waited for in vain.
children_that_wait_for_the_program_take_little_time() {
    cat >"$work/echo.c" <<'END'
#include "check.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *asks(void *arg) {
    int to[2], from[2], status = 1;
    char c = 0;
    pthread_mutex_lock(&m);
    pid_t child = pipe(to) || pipe(from) ? -1 : fork();
    if (child) pthread_mutex_unlock(&m);
    if (!child) {
        close(to[1]);
        while (read(to[0], &c, 1) == 1) write(from[1], &c, 1);
        _exit(0);
    }
    close(to[0]);
    for (int i = 0; i < 3; i++)
        if (write(to[1], "x", 1) != 1 || read(from[0], &c, 1) != 1 || c != 'x') _exit(1);
    close(to[1]);
    if (waitpid(child, &status, 0) != child || status) _exit(2);
    return arg;
}
int main(int n, char **arguments) {
    pthread_t t[2];
    (void)arguments; /* one for each thread, as many as there are */
    for (int i = 0; i < n; i++) pthread_create(&t[i], NULL, asks, NULL);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
    return 0;
}
END
    unedited "$CC" "$work/echo.c" "$work/$CC.o" -fsanitize=thread
    for try in 1 2 3; do
        gives 0 one "$work/echo" --executions=150 --seconds=none
        cap=$(sed -n 's/^PASS .* in \([0-9.]*\) s.*/\1/p' "$work/one" | awk '{ print 5 + 5 * $1 }')
        gives 0 two "$work/echo" --executions=150 --seconds="$cap" -- two
        grep -q 'stopped by the cap' "$work/two" || break # else the machine may have other work
    done
    lacks two 'stopped by the cap'
}

# Who sleeps so that a child can do something gives it time, of which virtual time has none; one
# that waits for more than that is no reason to sleep in each execution.
a_child_goes_on_while_its_parent_sleeps() {
    cat >"$work/sleeps.c" <<'END'
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int to[2], from[2], tries = 20;
    char c;
    assert(!pipe(to) && !pipe(from) && !fcntl(from[0], F_SETFL, O_NONBLOCK));
    if (!fork()) {
        for (volatile int i = 0; argc == 1 && i < 100000; i++) continue;
        if (argc > 1 && read(to[0], &c, 1) != 1) _exit(1);
        _exit(write(from[1], "x", 1) != 1);
    }
    while (argc == 1 && read(from[0], &c, 1) != 1 && --tries) usleep(10000);
    if (argc > 1) sleep(1);
    assert(tries || !argv);
}
END
    unedited "$CC" "$work/sleeps.c" "$work/$CC.o"
    gives 0 out "$work/sleeps" --executions=60 --jobs=1 --seconds=none
    gives 0 out timeout 20 "$work/sleeps" --executions=200 --jobs=1 --seconds=none -- waits
}

# Which of two threads takes the end of a child is explored; what the child does until then is
# nothing that is learned of the execution: dpor went wrong by it in every campaign.
whoever_waits_for_any_child_may_take_it() {
    cat >"$work/takes.c" <<'END'
#include "check.h"
static pid_t own;
static void *takes(void *arg) {
    waitpid(-1, NULL, 0);
    return arg;
}
int main(void) {
    pthread_t t;
    own = fork();
    if (!own) {
        for (int i = 0; i < 300; i++) own += i;
        _exit(0);
    }
    pthread_create(&t, NULL, takes, NULL);
    int gone = waitpid(own, NULL, 0) != own;
    pthread_join(t, NULL);
    return gone;
}
END
    unedited "$CC" "$work/takes.c" "$work/$CC.o" -fsanitize=thread
    for strategy in auto dfs dpor dpor dpor graphs; do
        gives 1 taken "$work/takes" --strategy=$strategy --executions=150
        says taken "main returned 1"
        [ $strategy != dpor ] || says taken "dpor: all 4 partial orders explored"
    done
}

# What goes wrong when the child has ended is no doing of the child's.
bugs_are_found() {
    gives 1 out timeout 120 "$work/processes" --executions=100 -- loses
    says out 'exit was called with status 1'
}

for way in mutex locks condition semaphore named barrier atomic futex segment; do
    try is_not_explored $way
done
for way in plain exec alone returns aborts; do try is_explored $way; done

# Of a real group racefuzz and this script would be members.
a_group_is_the_programs_own() {
    for way in own zero minus; do
        for strategy in auto dpor; do
            gives 0 out "$work/groups" --executions=30 --strategy=$strategy -- $way
        done
    done
}

a_timer_ends_who_waits_without_a_handler() {
    for way in pause suspend read; do
        for strategy in auto dpor; do
            gives 0 out "$work/groups" --executions=10 --strategy=$strategy -- $way
            gives 1 out "$work/groups" --executions=10 --strategy=$strategy -- $way itself
            says out "SIGALRM ends the process: it has no handler, and T0 does not block it"
        done
    done
}

# But as a zombie, where nobody waits for it.
a_child_does_not_outlive_the_execution() {
    [ -d /proc/self ] || skip "no /proc"
    : >"$work/children"
    gives 1 out "$work/groups" --executions=10 -- leaves "$work/children"
    [ "$(wc -l <"$work/children")" -ge 10 ]
    gives 1 out "$work/groups" --executions=30 -- flees "$work/children"
    sleep 0.2
    while read -r child; do
        [ ! -d "/proc/$child" ] || grep -q '^State:.[ZX]' "/proc/$child/status"
    done <"$work/children"
}

# For a file of which it has both ends: its parent has them, too.
a_child_may_wait_for_its_parent() {
    gives 0 out "$work/groups" --executions=10 -- serves
}

# The other threads go on in the parent, not in the child.
a_child_of_vfork_is_as_one_of_fork() {
    cat >"$work/vforks.c" <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *writes(void *p) {
    int fd = open("/dev/null", O_WRONLY);
    assert(write(fd, "x", 1) == 1 && !close(fd));
    return p;
}
int main(void) {
    int status;
    pthread_t t;
    pthread_create(&t, NULL, writes, NULL);
    pid_t id = vfork();
    if (!id) {
        dup2(2, 1);
        execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    assert(waitpid(id, &status, 0) == id && !status);
    pthread_join(t, NULL);
    return 0;
}
END
    unedited "$CC" "$work/vforks.c" "$work/$CC.o"
    gives 0 out timeout 60 "$work/vforks" --executions=100
    says out '1 passed, 0 failed'
}

# Names and keys are the execution's, its children's and those of programs that it starts; nothing
# stays behind.
what_the_system_keeps_is_the_executions() {
    unedited "$CC" tests/hook/spaces.c "$work/$CC.o" -fsanitize=thread
    for way in leaves starts removes crashes; do
        : >"$work/ids"
        status=0
        [ $way != crashes ] || status=1
        gives $status out timeout 60 "$work/spaces" --executions=40 --jobs=2 -- $way "$work/ids"
        cp "$work/out" "$work/out.$way"
        gives $status out timeout 60 "$work/spaces" --executions=5 --jobs=0 -- $way "$work/ids"
        gives 0 out "$work/real/spaces" finds "$work/ids"
    done
    says out.crashes 'SIGABRT, abort() was called' 'in 40 of 40 executions'
    : >"$work/ids"
    token=$(sed -n 's/.*\(RF_SEED=[^ ]*\).*/\1/p' "$work/out.crashes" | head -n 1)
    gives 1 out env "$token" "$work/spaces" -- crashes "$work/ids"
    says out 'SIGABRT, abort() was called'
    gives 0 out "$work/real/spaces" finds "$work/ids"
}

what_another_process_has_made_is_the_systems() {
    gives 0 out "$work/real/spaces" makes "/racefuzz-$$" $$
    status=0
    timeout 60 "$work/spaces" --executions=10 --jobs=2 -- opens "/racefuzz-$$" $$ || status=$?
    gives 0 out "$work/real/spaces" unmakes "/racefuzz-$$" $$
    [ $status -eq 0 ]
}

unedited "$CC" tests/hook/groups.c "$work/$CC.o" || exit 1
try_all
summary

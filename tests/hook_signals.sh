#!/bin/sh
# Programs that handle POSIX signals, unedited: what handlers break is found by default and is
# replayed on both back ends; the mended twins pass.
name=hook_signals
. tests/try.sh
engine "$CC"
volatile=$(volatiles)
for twin in faults fixed; do
    cp tests/hook/signal_faults.c "$work/$twin.c"
    [ $twin = faults ] || flag=-DFIXED
    unedited "$CC" "$work/$twin.c" "$work/$CC.o" -O1 -fsanitize=thread $volatile \
        ${flag-} || exit 1
done
cp tests/hook/signal_stack.c "$work/stack.c"
unedited "$CC" "$work/stack.c" "$work/$CC.o" -O0 -fsanitize=thread $volatile || exit 1
cat >"$work/repeats.c" <<'END'
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t rang;
static void rings(int signal) { rang = signal; }
int main(void) {
    struct itimerval every = {{0, 1000}, {0, 1000}};
    signal(SIGALRM, rings);
    setitimer(ITIMER_REAL, &every, NULL);
    return rang && rang != SIGALRM;
}
END
cat >"$work/pends.c" <<'END'
#include "check.h"

static sem_t posted;
static sigset_t set;
static int pends;
static void comes(int signal) { (void)signal; }
static void *looks(void *arg) {
    sem_wait(&posted);
    sigpending(&set);
    pends = sigismember(&set, SIGUSR1);
    return arg;
}
int main(void) {
    pthread_t t;
    set = only(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, comes);
    sem_init(&posted, 0, 0);
    pthread_create(&t, NULL, looks, NULL);
    sem_post(&posted);
    kill(getpid(), SIGUSR1);
    pthread_join(t, NULL);
    return !pends;
}
END
cat >"$work/alarm.c" <<'END'
#include "check.h"
static void comes(int signal) { (void)signal; }
int main(int argc, char **argv) {
    struct sigaction a = {.sa_handler = comes};
    sem_t never;
    (void)argv;
    sem_init(&never, 0, 0);
    if (argc > 1) alarm(1);
    sigaction(SIGALRM, &a, NULL);
    if (argc == 1) alarm(1);
    return sem_wait(&never) != -1 || errno != EINTR;
}
END
unedited "$CC" "$work/alarm.c" "$work/$CC.o" -O1 -fsanitize=thread || exit 1
unedited "$CC" "$work/pends.c" "$work/$CC.o" -O1 -fsanitize=thread || exit 1
unedited "$CC" "$work/repeats.c" "$work/$CC.o" -O1 -fsanitize=thread || exit 1
unedited "$CC" tests/hook/child_ends.c "$work/$CC.o" || exit 1
unedited "$CC" tests/hook/unhandled.c "$work/$CC.o" -O1 -fsanitize=thread || exit 1
unedited "$CC" tests/hook/directed.c "$work/$CC.o" -O0 -fsanitize=thread || exit 1
unedited "$CC" tests/hook/old_signals.c "$work/$CC.o" -O1 || exit 1
unedited "$CC" tests/hook/masks.c "$work/$CC.o" || exit 1
unedited "$CC" tests/hook/rings.c "$work/$CC.o" || exit 1
engine_by "$CC" program "$work/plain.o" || exit 1
cat >"$work/comes.c" <<'END'
#include "check.h"

static volatile sig_atomic_t hit;
static pthread_barrier_t both;
static void comes(int signal) { hit = signal; }
static void *other(void *arg) {
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return arg;
}
int main(void) {
    pthread_t t;
    signal(SIGUSR1, comes);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, other, NULL);
    pthread_barrier_wait(&both);
    kill(getpid(), SIGUSR1);
    int came = hit; /* of which racefuzz does not know */
    pthread_barrier_wait(&both);
    pthread_join(t, NULL);
    return came != 0;
}
END
unedited "$CC" "$work/comes.c" "$work/plain.o" || exit 1
unedited "$CC" tests/hook/drawn_signals.c "$work/plain.o" || exit 1
$CC -O1 -pthread tests/hook/drawn_signals.c -o "$work/drawn_native"
cd "$work" || exit 1
many=${NIGHTLY:+1000}
many=${many:-200}
passing=${NIGHTLY:+300} # executions of what passes
passing=${passing:-100}

# is_found FAULT WORDS
is_found() {
    gives 1 said ./faults --executions=$many -- "$1"
    says said "$2"
    for backend in fiber threads; do
        gives 1 $backend env RF_SEED="$(token said)" ./faults --backend=$backend -- "$1"
        cat $backend.err >>$backend
    done
    says fiber "$2"
    # errno lies elsewhere
    [ "$1" = error ] || diff fiber threads
    for strategy in auto dfs; do
        gives 0 said ./fixed --strategy=$strategy --executions=$passing -- "$1"
    done
}

a_handler_shares_no_stack_with_those_that_it_interrupts() {
    for part in '' jump; do
        for strategy in auto dfs dpor; do
            gives 0 said ./stack --strategy=$strategy --executions=$passing -- $part
            lacks said "race:"
        done
    done
}

a_handler_has_a_column_of_its_own() {
    gives 1 said ./faults --executions=100 -- wakeup
    says said "T0 main" "T1 SIGALRM"
}

errno_that_a_handler_leaves_behind_is_a_write() {
    gives 1 said ./faults --strategy=random --fail-on=race --executions=300 -- error
    says said "writes  static void spoils(int signal)"
}

every_way_of_a_strike_is_enumerated() {
    gives 1 said ./faults --strategy=dfs -- wakeup
    says said "T0 waits at"
    gives 0 said ./fixed --strategy=dfs -- wakeup
    says said "dfs: all 3 schedules"
}

timers_come_late_where_all_time_outs_do() {
    gives 0 said ./faults --timeouts=late --executions=100 -- wakeup
}

# all_ways NUMBER STRATEGY: what may come of the drawn program is in all_NUMBER_STRATEGY.
all_ways() {
    rm -f ways
    gives 0 said ./drawn_signals "--strategy=$2" --executions=3000 -- "$1" "$work/ways"
    says said "$2: all "
    sort -u ways >"all_$1_$2"
}

what_the_system_does_is_explored() {
    rm -f native
    ./drawn_native "$1" "$work/native" 60
    all_ways "$1" dfs
    sort -u native | comm -23 - "all_$1_dfs" | nothing
    [ "$(wc -l <"all_$1_dfs")" -ge "$2" ]
}

dpor_shows_what_dfs_shows() {
    all_ways "$1" dpor
    diff "all_$1_dfs" "all_$1_dpor"
}

dpor_refuses_timers_with_an_interval() {
    gives 1 said ./repeats --strategy=dpor
    says said "dpor does not know timers with an interval: RF_STRATEGY=dfs has all schedules"
    says said "not known to be all: a"
    gives 0 said ./repeats --strategy=dfs --executions=100 --fail-on=harm
}

others_go_on_before_a_signal_is_sent() {
    gives 1 said ./pends --strategy=dfs --executions=$many --detect=none
    says said "main returned 1"
}

a_signal_comes_before_kill_returns_although_others_could_take_it() {
    for strategy in random dfs; do
        gives 1 said ./comes --strategy=$strategy --executions=200 --detect=none
        says said "main returned 1"
    done
}

who_waits_for_a_handler_may_wait_for_a_child() {
    for way in "" --backend=threads --cores=1; do
        gives 0 ends "$work/child_ends" --executions=20 --seconds=none $way -- posts
    done
    gives 1 ends "$work/child_ends" --executions=3 --seconds=none
    says ends 'T2 waits at child_ends.c:13 for a post of semaphore'
}

# By signals that are blocked, and need no handler.
a_timer_ends_waits_for_its_signal() {
    for way in alarms informs file handled pends guards; do
        for strategy in "" --timeouts=any --timeouts=late --strategy=dfs; do
            gives 0 said ./rings --executions=20 $strategy -- $way
        done
    done
    for way in alarm:SIGALRM ends:SIGUSR1; do
        for late in any late; do
            gives 1 said ./rings --executions=20 --timeouts=$late -- "${way%:*}"
            says said "${way#*:} ends the process: it has no handler, and T0 does not block it"
        done
    done
    gives 1 said ./rings --executions=1 -- vain
    says said 'T0 waits at rings.c:95 for what only threads here could send'
}

dpor_finds_them_too() {
    for fault in wakeup update lock heap streams leave error nested interrupted jump notified; do
        gives 1 said ./faults --strategy=dpor --executions=$many -- $fault
        gives 0 said ./fixed --strategy=dpor --executions=$passing -- $fault
    done
}

# Process-directed, and one thread blocks it while another does not.
a_signal_without_a_handler_ends_who_does_not_block_it() {
    for explorer in random dpor; do
        for way in early own alarm ignored pending urgent; do
            gives 0 unhandled.out "$work/unhandled" --strategy=$explorer --executions=100 -- $way
        done
        gives 1 unhandled.out "$work/unhandled" --strategy=$explorer --executions=100 -- late
        says unhandled.out 'SIGHUP ends the process: it has no handler, and T1 does not block it'
        replays "$(token unhandled.out)" "$work/unhandled" -- late
        for way in reset:SIGHUP again:SIGALRM; do
            gives 1 unhandled.out "$work/unhandled" --strategy=$explorer -- "${way%:*}"
            says unhandled.out "${way#*:} ends the process: it has no handler, and T0 does not"
        done
        for way in killed:SIGKILL broken:SIGPIPE; do
            gives 1 unhandled.out "$work/unhandled" --strategy=$explorer -- "${way%:*}"
            RF_SEED=$(token unhandled.out) gives 1 again.out "$work/unhandled" -- "${way%:*}"
            says again.out "  ${way#*:}"
        done
        for way in thread process suspend poll select back; do
            for signal in SIGALRM SIGPROF SIGTERM SIGUSR1; do
                gives 1 unhandled.out "$work/unhandled" --strategy=$explorer -- $way $signal
                says unhandled.out "$signal ends the process: it has no handler, and T0 does not"
            done
        done
        for signal in SIGALRM SIGTERM SIGUSR1; do
            gives 0 unhandled.out "$work/unhandled" --strategy=$explorer -- wait $signal
            gives 0 unhandled.out "$work/unhandled" --strategy=$explorer -- ignored $signal
        done
    done
}

# A handler ends the wait, whether it was there before the timer or not: that is no deadlock.
a_timer_that_is_not_explored_is_no_deadlock() {
    for when in "" before; do
        gives 1 alarm.out ./alarm --strategy=graphs -- $when
        says alarm.out "not known to be all: ${when:+interrupts strike anywhere}" \
            'no execution has come to its end'
        lacks alarm.out deadlock
    done
    gives 1 alarm.out ./alarm --strategy=graphs
    says alarm.out "not known to be all: it has time-outs, which are"
}

what_a_handler_did_is_known_behind_the_end_of_the_thread() {
    for strategy in auto dfs dpor; do
        gives 0 said ./directed --strategy=$strategy --executions=$many -- joined
        lacks said "potential"
        for way in beside looks; do
            gives 1 said ./directed --strategy=$strategy --executions=$many -- $way
            says said "race:"
        done
    done
}

a_signal_for_a_thread_is_pending_for_that_one() {
    for way in mine sent often gone handled vain; do
        for strategy in auto dpor; do
            gives 0 said ./directed --strategy=$strategy --executions=$passing -- $way
        done
    done
    for way in mine sent often gone vain; do
        gives 0 said ./directed --strategy=graphs --timeouts=any -- $way
        says said "no failure is possible in this test"
    done
}

calls_that_are_called_obsolete_do_what_they_are_to() {
    gives 0 said ./old_signals --executions=$passing -- goes
    gives 1 said ./old_signals --executions=$many -- stops
    says said "assertion failed" "read(end[0], &c, 1) == 1"
}

# glibc from 2.32 on.
a_thread_has_the_mask_of_its_attributes() {
    gives 0 said ./masks --executions=$passing
}

try is_found wakeup "for a signal"
try is_found update "bits == 3"
try is_found lock "interrupted by T1; it holds m"
try is_found heap "which has interrupted T0 in malloc"
try is_found streams "is called by T1, which has interrupted T0 in puts"
try is_found leave "exit is called by T1, which has interrupted T0 in puts"
try is_found error "!errno"
try is_found nested "scratch == signal"
try is_found interrupted "!sem_wait(&posted)"
try is_found jump "from + to == 10"
try is_found notified "notices == 4"
try is_found words "gmtime is called by T1, which has interrupted T0 in strtok"
try is_found dice "rand is called by T1, which has interrupted T0 in getenv"
for program in 6:6 9:4 10:8 16:4 20:3 43:3 ${NIGHTLY:+18:8 39:6}; do
    try what_the_system_does_is_explored ${program%:*} ${program#*:}
    try dpor_shows_what_dfs_shows ${program%:*}
done
try_all
summary

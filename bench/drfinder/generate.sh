#!/bin/sh
# bench/drfinder/generate.sh NAME: prints a C program with the lock-order skeleton of a benchmark of
# DrFinder's evaluation (Cai and Cao, ESEC/FSE 2015, Tables 2 to 4).  Always the same one.
#
# Taken from the tables: the number of threads, how many races there are of which kind, and within
# which depths the hidden ones are found.  How each kind hides is ours.  Threads meet at a barrier
# after each phase; in a phase they form pairs (a, b), a the one created first, and each pair does
# one of these, between lock regions of its own:
#
#   plain    both write a variable without a lock, or count before and after they take a job from a
#            queue, or look into a table before they fill it under a lock: any schedule shows it
#   short    a writes after it has taken a lock; b, much later, writes and takes the same lock: the
#            natural order shows it, its reversal hides it
#   order    a writes and takes a lock; b, much later, takes the lock and writes: hidden unless b
#            goes first
#   hidden   the same with one to three locks in turn, and another lock that a takes before its
#            write and b after it: hidden also if b goes first as a whole.  It takes calls of b to
#            reach the lock (the least depth that relates them), and calls to reach the other one
#            (from that depth on b is sent there too early)
#   busy     no race: both take a lock at the beginning of a long function, which is taken for one
#            that still may take it: somebody waits for it in vain
set -eu

# threads; races: plain short order; busy: pairs that do it, and how often in turn; rest: what each
# thread does for itself in a phase; hidden: number:least depth:most depth, ...
case $1 in
xalan06) set -- "$1" 9 11 5 2 9 3 100 "13:2:20" ;;
eclipse06) set -- "$1" 26 292 21 5 90 5 10 "13:2:20 22:4:12 3:4:14 3:4:16 2:4:20 3:7:12 8:11:12" ;;
xalan09) set -- "$1" 5 12 0 0 0 0 150 "1:2:20 4:2:18 2:2:12 1:11:16" ;;
pmd09) set -- "$1" 5 18 0 0 1 2 150 "2:2:20" ;;
sunflow09) set -- "$1" 9 5 0 0 16 3 100 "8:9:12 1:9:14 3:11:12" ;;
luindex09) set -- "$1" 2 1 0 0 1 2 100 "" ;;
lusearch09) set -- "$1" 5 13 0 0 1 2 100 "" ;;
*) echo "no benchmark $1" >&2 && exit 2 ;;
esac

awk -v name="$1" -v threads="$2" -v plain="$3" -v short="$4" -v order="$5" -v busy="$6" \
    -v turns="$7" -v rest="$8" -v hidden="$9" '
function draw(n) { # 0 to n - 1
    state = (state * 16807) % 2147483647
    return state % n
}

# A function of unit u; text is what it does.
function define(what, text) {
    printf "static void %s_%d(void) {\n    RF_FUNC;\n%s}\n", what, u, text
    methods++
}

function lock(what) {
    printf "static rf_mutex %s_%d = RF_MUTEX_INIT;\n", what, u
    locks++
}

function take(what) { return "    RF_GUARD(&" what "_" u ") {}\n" }
function write(value) { return "    RF_STORE(race_" u ", " value ");\n" }
function call(what) { return "    " what "_" u "();\n" }

# n lock regions of side "a" or "b" alone, with some work
function alone(side, n) {
    return "    for (unsigned i = 0; i < " n "; i++) RF_GUARD(&own_" side "_" u \
           "[i % 4]) work();\n"
}

# A function from which it takes `levels` calls to reach the lock; returns the call of it.
function nest(what, levels,    i) {
    define("take_" what, take(what))
    for (i = 2; i <= levels; i++)
        define("down" i "_" what, call((i == 2 ? "take_" : "down" (i - 1) "_") what))
    return call((levels < 2 ? "take_" : "down" levels "_") what)
}

function both(a, b) {
    define("a", a)
    define("b", b)
    side_a[u] = call("a")
    side_b[u] = call("b")
}

function make_plain(kind,    n) {
    n = 3 + draw(4)
    if (kind == 7) { # a queue of jobs
        lock("queue")
        both(write(1) take("queue") alone("a", n), write(2) take("queue") alone("b", n))
    } else if (kind == 8) { # a table that is filled by whom needs it first
        lock("table")
        printf "static void look_%d(void) {\n    RF_FUNC;\n", u
        printf "    if (RF_LOAD(race_%d)) return;\n", u
        printf "    RF_GUARD(&table_%d) if (!RF_LOAD(race_%d)) RF_STORE(race_%d, 1);\n}\n", u, u, u
        methods++
        clear = clear "    RF_STORE(race_" u ", 0);\n"
        both(call("look") alone("a", n), call("look") alone("b", n))
    } else {
        both(write(1) alone("a", n), alone("b", n) write(2))
    }
}

function make_short() {
    lock("lock")
    both(alone("a", 4 + draw(5)) take("lock") write(1), \
         alone("b", 30 + draw(16)) write(2) take("lock"))
}

function make_order(    a) {
    lock("lock")
    both(alone("a", 4 + draw(5)) write(1) take("lock"), \
         alone("b", 30 + draw(16)) take("lock") write(2))
}

# within `least` to `most` levels; most 20: the other lock is taken by a function of its own
function make_hidden(edges, least, most,    i, b, n) {
    n = 5 + draw(10)
    lock("gate")
    if (most == 20) # b may come too late to be waited for
        define("early", alone("b", n - 4 + draw(8)))
    b = alone("b", 60 + draw(16))
    for (i = 1; i <= edges; i++) {
        lock("lock" i)
        b = b nest("lock" i, least - 1)
        if (i < edges) b = b alone("b", 10)
    }
    b = b write(2)
    if (most < 20) b = b nest("gate", most)
    else define("leave", take("gate"))
    for (i = edges; i; i--) a_takes = take("lock" i) (i == edges ? "" : a_takes)
    both(alone("a", n) take("gate") write(1) a_takes, b alone("b", 3))
    if (most == 20) side_b[u] = call("early") side_b[u] call("leave")
}

function make_busy(    again) {
    lock("lock")
    both(take("lock") alone("a", 20 + draw(10)), take("lock") alone("b", 20 + draw(10)))
    again = "    for (unsigned i = 0; i < " turns "; i++)"
    side_a[u] = again " a_" u "();\n"
    side_b[u] = again " b_" u "();\n"
}

function make(kind,    part) {
    u++
    printf "\n/* %s */\nstatic rf_mutex own_a_%d[4], own_b_%d[4];\n", kind, u, u
    locks += 8
    if (kind != "busy") printf "static int race_%d;\n", u
    split(kind, part, " ")
    if (kind == "plain") make_plain(++plains % 9)
    if (kind == "short") make_short()
    if (kind == "order") make_order()
    if (kind == "busy") make_busy()
    if (part[1] == "hidden") make_hidden(part[2], part[3], part[4])
}

# What there is to do, in an order that is drawn.
function collect(    i, k, n, group, part, edges) {
    for (i = 0; i < plain; i++) todo[++all] = "plain"
    for (i = 0; i < short; i++) todo[++all] = "short"
    for (i = 0; i < order; i++) todo[++all] = "order"
    for (i = 0; i < busy; i++) todo[++all] = "busy"
    n = split(hidden, group, " ")
    for (k = 1; k <= n; k++) {
        split(group[k], part, ":")
        for (i = 0; i < part[1]; i++)
            todo[++all] = "hidden " (1 + edges++ % 3) " " part[2] " " part[3]
    }
    for (i = all; i > 1; i--) {
        k = 1 + draw(i)
        group[1] = todo[i]
        todo[i] = todo[k]
        todo[k] = group[1]
    }
}

# The next phase: pairs of threads, each with one unit.
function phase(    i, k, t, x, y) {
    for (i = 0; i < threads; i++) seat[i] = i
    for (i = threads - 1; i; i--) {
        k = draw(i + 1)
        t = seat[i]
        seat[i] = seat[k]
        seat[k] = t
    }
    for (i = 0; i + 1 < threads && u < all; i += 2) {
        make(todo[u + 1])
        x = seat[i] < seat[i + 1] ? seat[i] : seat[i + 1]
        y = seat[i] + seat[i + 1] - x
        script[x] = script[x] side_a[u]
        script[y] = script[y] side_b[u]
    }
    for (i = 0; i < threads; i++)
        script[i] = script[i] "    for (unsigned i = 0; i < " rest "; i++) RF_GUARD(&mine_" i \
                    "[i % 4]) work();\n    RF_BARRIER_WAIT(&phase);\n"
}

BEGIN {
    state = 20150830
    printf "/* %s: made by bench/drfinder/generate.sh. */\n", name
    printf "static rf_barrier phase = RF_BARRIER_INIT(%d);\n", threads
    for (i = 0; i < threads; i++) printf "static rf_mutex mine_%d[4];\n", i
    locks = 4 * threads
    collect()
    while (u < all) phase()
    printf "\n"
    for (i = 0; i < threads; i++) {
        printf "static void *party_%d(void *arg) {\n    RF_FUNC;\n", i
        printf "%s    return arg;\n}\n\n", script[i]
        methods++
    }
    printf "RF_TEST(%s) {\n%s    rf_thread t[%d];\n", name, clear, threads
    for (i = 1; i < threads; i++) printf "    t[%d] = RF_THREAD(party_%d, NULL);\n", i, i
    printf "    (void)party_0(NULL);\n"
    printf "    for (unsigned i = 1; i < %d; i++) RF_JOIN(t[i]);\n}\n", threads
    printf "\n#define BENCH_NAME \"%s\"\n#define BENCH_BODY rf_test_%s\n", name, name
    printf "enum { BENCH_THREADS = %d, BENCH_LOCKS = %d, ", threads, locks
    printf "BENCH_METHODS = %d };\n", methods
}'

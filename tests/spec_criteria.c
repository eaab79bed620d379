/* Objects as in spec_objects.c, for what else may be asked of the order of calls: quiescent and
 * sequential consistency, keys; and barriers, stacks and buffers with the mistakes that are known
 * of them. */
#define RF_IMPLEMENTATION
#include "tests/spec/verdicts.h"

enum { ROOM = 32 };

/* ---- a counting network of one balancer (Aspnes, Herlihy, Shavit, JACM 41(5), 1994): who comes
 * later may get a lower number, as long as somebody is under way.  Wrong: the balancer is read and
 * then written ---- */

static _Atomic int balancer, wire[2];

static void network_init(void) {
    rf_atomic_init(&balancer, 0);
    rf_atomic_init(&wire[0], 0);
    rf_atomic_init(&wire[1], 1);
}

static int network_next(bool atomic) {
    int at = rf_atomic_load(&balancer);
    if (atomic)
        at = rf_atomic_fetch_xor(&balancer, 1);
    else
        rf_atomic_store(&balancer, !at);
    return rf_atomic_fetch_add(&wire[at], 2);
}

RF_OBJECT(network) { network_init(); }
RF_OPERATION(network, next, (void), int) { return network_next(true); }
RF_LINEARIZABLE(network)

RF_OBJECT(network_right) { network_init(); }
RF_OPERATION(network_right, next, (void), int) { return network_next(true); }
RF_LINEARIZABLE(network_right, .criterion = RF_QUIESCENCE)

RF_OBJECT(unbalanced) { network_init(); }
RF_OPERATION(unbalanced, next, (void), int) { return network_next(false); }
RF_LINEARIZABLE(unbalanced, .criterion = RF_QUIESCENCE)

/* Two of them by a key: quiescence is that of all calls. */
static _Atomic int balancers[2], wires[2][2];
RF_OBJECT(networks_right) {
    for (int i = 0; i < 2; i++) {
        rf_atomic_init(&balancers[i], 0);
        for (int k = 0; k < 2; k++) rf_atomic_init(&wires[i][k], k);
    }
}
RF_OPERATION(networks_right, next, (int i), int, .args = {RF_ARG(0, 1)}, .key = 1) {
    return rf_atomic_fetch_add(&wires[i][rf_atomic_fetch_xor(&balancers[i], 1)], 2);
}
RF_LINEARIZABLE(networks_right, .criterion = RF_QUIESCENCE)

/* The same by a model, so that it is told when a call returns. */
#define COUNTED(name, right)                                           \
 RF_OBJECT(name) { network_init(); }                                   \
 RF_OPERATION(name, next, (void), int) { return network_next(right); } \
 RF_MODEL(name, int) { *model = 0; }                                   \
 RF_MODEL_OPERATION(name, next, (void), int) { return (*model)++; }    \
 RF_LINEARIZABLE(name, .criterion = RF_QUIESCENCE)
COUNTED(counted, false)
COUNTED(counted_right, true)

/* ---- two registers, each of which is one: with orders that are too weak not sequentially
 * consistent, although each key by itself is ---- */

static _Atomic int reg[2];

static void reg_init(void) {
    for (int i = 0; i < 2; i++) rf_atomic_init(&reg[i], 0);
}

#define REGISTERS(name, key_of, order)                                                      \
 RF_OBJECT(name) { reg_init(); }                                                            \
 RF_OPERATION(name, set, (int i, int value), void, .args = {RF_ARG(0, 1)}, .key = key_of) { \
  rf_atomic_store_explicit(&reg[i], value, order);                                          \
 }                                                                                          \
 RF_OPERATION(name, get, (int i), int, .args = {RF_ARG(0, 1)}, .key = key_of) {             \
  return rf_atomic_load_explicit(&reg[i], order);                                           \
 }                                                                                          \
 RF_LINEARIZABLE(name, .criterion = RF_PROGRAM_ORDER)
REGISTERS(registers, 0, rf_memory_order_relaxed)
REGISTERS(registers_right, 0, rf_memory_order_seq_cst)
REGISTERS(each_register_right, 1, rf_memory_order_relaxed)

/* Who has read a value keeps to it: a call is not made before its thread goes on, else it would
 * overlap with all that others do in between. */
RF_TLS(int, mine);
static rf_mutex lock = RF_MUTEX_INIT;
static int common;
RF_OBJECT(cached) { RF_STORE(common, *RF_TLS_PTR(mine) = 0); }
RF_OPERATION(cached, set, (int value), void) {
    RF_GUARD(&lock) RF_STORE(common, value);
    *RF_TLS_PTR(mine) = value;
}
RF_OPERATION(cached, get, (void), int) {
    RF_GUARD(&lock) {
        if (!*RF_TLS_PTR(mine)) *RF_TLS_PTR(mine) = RF_LOAD(common);
    }
    return *RF_TLS_PTR(mine);
}
RF_LINEARIZABLE(cached, .criterion = RF_QUIESCENCE, .before = -1, .after = -1)

/* A store that may be lost: by key it is found as well. */
RF_OBJECT(losing) { reg_init(); }
RF_OPERATION(losing, set, (int i, int value), bool, .args = {RF_ARG(0, 1)}, .key = 1) {
    int before = rf_atomic_load(&reg[i]);
    if (before) return false;
    rf_atomic_store(&reg[i], value);
    return true;
}
RF_OPERATION(losing, get, (int i), int, .args = {RF_ARG(0, 1)}, .key = 1) {
    return rf_atomic_load(&reg[i]);
}
RF_LINEARIZABLE(losing)

/* The same, with a model of one key. */
RF_OBJECT(lost) { reg_init(); }
RF_OPERATION(lost, set, (int i, int value), bool, .args = {RF_ARG(0, 1)}, .key = 1) {
    int before = rf_atomic_load(&reg[i]);
    if (before) return false;
    rf_atomic_store(&reg[i], value);
    return true;
}
RF_OPERATION(lost, get, (int i), int, .args = {RF_ARG(0, 1)}, .key = 1) {
    return rf_atomic_load(&reg[i]);
}
RF_MODEL(lost, int) { *model = 0; }
RF_MODEL_OPERATION(lost, set, (int i, int value), bool) {
    bool unset = !*model;
    (void)i;
    if (unset) *model = value;
    return unset;
}
RF_MODEL_OPERATION(lost, get, (int i), int) { return (void)i, *model; }
RF_LINEARIZABLE(lost)

/* ---- a barrier of two in halves, arriving and waiting for a round: whoever completes the round
 * wakes one of those that wait for it, or counts without the lock ---- */

static rf_cond filled = RF_COND_INIT, emptied = RF_COND_INIT;
static _Atomic int arrived;
static int rounds;

static void barrier_init(void) {
    rf_atomic_init(&arrived, 0);
    RF_STORE(rounds, 0);
}

static void complete(bool all) {
    RF_STORE(rounds, RF_LOAD(rounds) + 1);
    if (all)
        RF_BROADCAST(&filled);
    else
        RF_SIGNAL(&filled);
}

static void arrive(bool locks, bool all) {
    if (!locks) { /* two may find that they are the last */
        int n = rf_atomic_load(&arrived) + 1;
        rf_atomic_store(&arrived, n);
        if (n % 2 == 0) RF_GUARD(&lock) complete(all);
    } else {
        RF_GUARD(&lock) {
            if (rf_atomic_fetch_add(&arrived, 1) % 2) complete(all);
        }
    }
}

static void await(int round) {
    RF_GUARD(&lock) {
        while (RF_LOAD(rounds) <= round) RF_WAIT(&filled, &lock);
    }
}

#define BARRIER(name, locks, all)                                                       \
 RF_OBJECT(name) { barrier_init(); }                                                    \
 RF_OPERATION(name, arrive, (void), void) { arrive(locks, all); }                       \
 RF_OPERATION(name, await, (int round), void, .args = {RF_ARG(0, 1)}, .blocks = true) { \
  await(round);                                                                         \
 }                                                                                      \
 RF_LINEARIZABLE(name)
BARRIER(barrier, true, false)
BARRIER(miscounted, false, true)
BARRIER(barrier_right, true, true)

/* ---- Treiber's stack of nodes that are used once: what a node holds is read without order ---- */

static _Atomic int top, used;
static _Atomic int below[ROOM], held[ROOM];

static void pile_init(void) {
    rf_atomic_init(&top, 0);
    rf_atomic_init(&used, 1);
    for (int i = 0; i < ROOM; i++) {
        rf_atomic_init(&below[i], 0);
        rf_atomic_init(&held[i], 0);
    }
}

#define RELAXED rf_memory_order_relaxed
static void pile_push(int value) {
    int node = rf_atomic_fetch_add_explicit(&used, 1, RELAXED);
    int at = rf_atomic_load_explicit(&top, RELAXED);
    rf_atomic_store_explicit(&held[node], value, RELAXED);
    do rf_atomic_store_explicit(&below[node], at, RELAXED);
    while (!rf_atomic_compare_exchange_strong_explicit(&top, &at, node, rf_memory_order_release,
                                                       RELAXED));
}

static int pile_pop(rf_memory_order order) {
    int at = rf_atomic_load_explicit(&top, order);
    while (at) {
        int next = rf_atomic_load_explicit(&below[at], RELAXED);
        if (rf_atomic_compare_exchange_strong_explicit(&top, &at, next, order, order))
            return rf_atomic_load_explicit(&held[at], RELAXED);
    }
    return 0;
}

#define PILE(name, how)                                            \
 RF_OBJECT(name) { pile_init(); }                                  \
 RF_OPERATION(name, push, (int value), void) { pile_push(value); } \
 RF_OPERATION(name, pop, (void), int) { return pile_pop(how); }    \
 RF_LINEARIZABLE(name)
PILE(pile, RELAXED)
PILE(pile_right, rf_memory_order_acquire)

/* ---- a buffer of one place with conditions: one for both, of which a signal wakes the wrong one
 * ---- */

static int place;

static void place_put(int value, rf_cond *wait) {
    RF_GUARD(&lock) {
        while (RF_LOAD(place)) RF_WAIT(wait, &lock);
        RF_STORE(place, value);
        RF_SIGNAL(&filled);
    }
}

static int place_get(rf_cond *wake) {
    int value = 0;
    RF_GUARD(&lock) {
        while (!RF_LOAD(place)) RF_WAIT(&filled, &lock);
        value = RF_LOAD(place);
        RF_STORE(place, 0);
        RF_SIGNAL(wake);
    }
    return value;
}

#define PLACE(name, condition)                                                               \
 RF_OBJECT(name) { RF_STORE(place, 0); }                                                     \
 RF_OPERATION(name, put, (int value), void, .blocks = true) { place_put(value, condition); } \
 RF_OPERATION(name, get, (void), int, .blocks = true) { return place_get(condition); }       \
 RF_LINEARIZABLE(name)
PLACE(one_condition, &filled)
PLACE(two_conditions_right, &emptied)

/* ---- where there is a model, the first wrong result ends the execution: at most the other
 * thread's call is under way by then ---- */

static int calls;
RF_OBJECT(wrong) { calls = 0; }
RF_OPERATION(wrong, next, (void), int) {
    if (++calls > 2) RF_FAIL("it goes on");
    return -1;
}
RF_MODEL(wrong, int) { *model = 0; }
RF_MODEL_OPERATION(wrong, next, (void), int) { return (*model)++; }
RF_LINEARIZABLE(wrong, .threads = 2, .operations = 3)

/* ---- the order of time, where nothing happens before: a value that its writer keeps to himself,
 * and a count that is right ---- */

#define KEPT(name, criterion_of)                                                 \
 RF_OBJECT(name) { *RF_TLS_PTR(mine) = 0; }                                      \
 RF_OPERATION(name, look, (void), int) { return *RF_TLS_PTR(mine); }             \
 RF_OPERATION(name, keep, (int value), void, .one_thread = "writer") {           \
  *RF_TLS_PTR(mine) = value;                                                     \
 }                                                                               \
 RF_LINEARIZABLE(name, .threads = 2, .operations = 1, .before = -1, .after = -1, \
                 .criterion = criterion_of)
KEPT(kept, RF_REAL_TIME)
KEPT(quietly, RF_QUIESCENCE)

#define COUNT(name, criterion_of)                                                  \
 RF_OBJECT(name) { rf_atomic_init(&reg[0], 0); }                                   \
 RF_OPERATION(name, next, (void), int) { return rf_atomic_fetch_add(&reg[0], 1); } \
 RF_OPERATION(name, look, (void), int) { return rf_atomic_load(&reg[0]); }         \
 RF_LINEARIZABLE(name, .threads = 2, .operations = 2, .before = -1, .after = -1,   \
                 .criterion = criterion_of)
COUNT(count_right, RF_REAL_TIME)
COUNT(quiet_count_right, RF_QUIESCENCE)

/* Schedules that differ in nothing else are told apart where they are gone through, and graphs,
 * which have no time, are not. */
static void in_time(void) {
    static const char *const test[] = {"kept_linearizable", "quietly_linearizable",
                                       "count_right_linearizable",
                                       "quiet_count_right_linearizable"};
    for (unsigned i = 0; i < 4; i++) {
        lab_check(lab_study(test[i], "--strategy=dpor", NULL)->result.passed == (i > 1),
                  named("%s: by dpor", test[i]), rfi_dpor_summary());
        const rfi_study *s = lab_study(test[i], "--strategy=graphs", NULL);
        lab_check(!s->result.passed && !s->causes, named("%s: not by graphs", test[i]),
                  rfi_graphs_summary());
    }
}

/* ---- a letter that is lost while somebody looks whether one was put: that it was put before it is
 * fetched is known by what look acquires alone ---- */

static _Atomic int letter, looking, told;

#define MAILBOX(name, lost)                                                    \
 RF_OBJECT(name) {                                                             \
  rf_atomic_init(&letter, 0);                                                  \
  rf_atomic_init(&looking, 0);                                                 \
  rf_atomic_init(&told, 0);                                                    \
 }                                                                             \
 RF_OPERATION(name, put, (void), void, .one_thread = "sender", .most = 1) {    \
  if (!(lost)) rf_atomic_store_explicit(&letter, 1, rf_memory_order_relaxed);  \
 }                                                                             \
 RF_OPERATION(name, tell, (void), void, .one_thread = "sender", .most = 1) {   \
  rf_atomic_store_explicit(&told, 1, rf_memory_order_release);                 \
 }                                                                             \
 RF_OPERATION(name, look, (void), void, .one_thread = "receiver", .most = 1) { \
  rf_atomic_store_explicit(&looking, 1, rf_memory_order_relaxed);              \
  (void)rf_atomic_load_explicit(&told, rf_memory_order_acquire);               \
  rf_atomic_store_explicit(&looking, 0, rf_memory_order_relaxed);              \
 }                                                                             \
 RF_OPERATION(name, fetch, (void), int, .one_thread = "receiver", .most = 1) { \
  return rf_atomic_load_explicit(&letter, rf_memory_order_relaxed);            \
 }                                                                             \
 RF_LINEARIZABLE(name, .threads = 2, .operations = 2, .before = -1, .after = -1)
MAILBOX(mailbox, rf_atomic_load_explicit(&looking, rf_memory_order_relaxed))
MAILBOX(mailbox_right, 0)

static const verdicts_size sizes[] = {
    {"network", 3, 2},    {"unbalanced", 2, 2}, {"counted", 2, 2},       {"registers", 4, 2},
    {"cached", 4, 3},     {"losing", 2, 2},     {"lost", 2, 2},          {"barrier", 4, 4},
    {"miscounted", 4, 3}, {"pile", 4, 2},       {"one_condition", 4, 3}, {"wrong", 1, 1},
    {"kept", 2, 2},       {"quietly", 2, 2},    {"mailbox", 4, 2},       {NULL, 0, 0}};

int main(void) {
    in_time();
    return verdicts(sizes);
}

/* More objects of the literature, as in spec_objects.c: bounded queues, deques, locks. */
#define RF_IMPLEMENTATION
#include "tests/spec/verdicts.h"

#define RELAXED rf_memory_order_relaxed
#define ACQUIRE rf_memory_order_acquire
#define RELEASE rf_memory_order_release

/* ---- Vyukov's bounded queue: a slot's number is stored too weakly ---- */

enum { SLOTS = 2 };
static _Atomic uint32_t enqueued, dequeued, number[SLOTS];
static _Atomic int datum[SLOTS];

static void bounded_init(void) {
    rf_atomic_init(&enqueued, 0);
    rf_atomic_init(&dequeued, 0);
    for (uint32_t i = 0; i < SLOTS; i++) {
        rf_atomic_init(&number[i], i);
        rf_atomic_init(&datum[i], 0);
    }
}

static bool bounded_put(int value, rf_memory_order order) {
    uint32_t at = rf_atomic_load_explicit(&enqueued, RELAXED);
    for (;;) {
        uint32_t n = rf_atomic_load_explicit(&number[at % SLOTS], ACQUIRE);
        if ((int32_t)(n - at) < 0) return false;
        if (n == at &&
            rf_atomic_compare_exchange_strong_explicit(&enqueued, &at, at + 1, RELAXED, RELAXED))
            break;
        if (n != at) at = rf_atomic_load_explicit(&enqueued, RELAXED);
    }
    rf_atomic_store_explicit(&datum[at % SLOTS], value, RELAXED);
    rf_atomic_store_explicit(&number[at % SLOTS], at + 1, order);
    return true;
}

static int bounded_get(void) {
    uint32_t at = rf_atomic_load_explicit(&dequeued, RELAXED);
    for (;;) {
        uint32_t n = rf_atomic_load_explicit(&number[at % SLOTS], ACQUIRE);
        if ((int32_t)(n - at - 1) < 0) return 0;
        if (n == at + 1 &&
            rf_atomic_compare_exchange_strong_explicit(&dequeued, &at, at + 1, RELAXED, RELAXED))
            break;
        if (n != at + 1) at = rf_atomic_load_explicit(&dequeued, RELAXED);
    }
    int value = rf_atomic_load_explicit(&datum[at % SLOTS], RELAXED);
    rf_atomic_store_explicit(&number[at % SLOTS], at + SLOTS, RELEASE);
    return value;
}

/* It is full or empty for a while when a call has taken its slot and not yet finished: known of it,
 * and said by .may_fail. */
#define BOUNDED(name, how)                                                                        \
 RF_OBJECT(name) { bounded_init(); }                                                              \
 RF_OPERATION(name, put, (int value), bool, .may_fail = true) { return bounded_put(value, how); } \
 RF_OPERATION(name, get, (void), int, .may_fail = true) { return bounded_get(); }                 \
 RF_LINEARIZABLE(name)
BOUNDED(bounded, RELAXED)
BOUNDED(bounded_right, RELEASE)

/* ---- Chase and Lev's deque (Lê et al., PPoPP 2013): without one of its fences ---- */

static _Atomic int64_t bottom, top;
static _Atomic int task[16];

static void deque_init(void) {
    rf_atomic_init(&bottom, 0);
    rf_atomic_init(&top, 0);
    for (int i = 0; i < 16; i++) rf_atomic_init(&task[i], 0);
}

static void deque_push(int value, bool fence) {
    int64_t b = rf_atomic_load_explicit(&bottom, RELAXED);
    rf_atomic_store_explicit(&task[b % 16], value, RELAXED);
    if (fence) rf_atomic_thread_fence(RELEASE);
    rf_atomic_store_explicit(&bottom, b + 1, RELAXED);
}

static int deque_take(bool fence) {
    int64_t b = rf_atomic_load_explicit(&bottom, RELAXED) - 1, t;
    rf_atomic_store_explicit(&bottom, b, RELAXED);
    if (fence) rf_atomic_thread_fence(rf_memory_order_seq_cst);
    t = rf_atomic_load_explicit(&top, RELAXED);
    int value = t <= b ? rf_atomic_load_explicit(&task[b % 16], RELAXED) : 0;
    if (t >= b) {
        if (t == b && !rf_atomic_compare_exchange_strong(&top, &t, t + 1)) value = 0;
        rf_atomic_store_explicit(&bottom, b + 1, RELAXED);
    }
    return value;
}

static int deque_steal(bool fence) {
    int64_t t = rf_atomic_load_explicit(&top, ACQUIRE);
    if (fence) rf_atomic_thread_fence(rf_memory_order_seq_cst);
    int64_t b = rf_atomic_load_explicit(&bottom, ACQUIRE);
    if (t >= b) return 0;
    int value = rf_atomic_load_explicit(&task[t % 16], RELAXED);
    return rf_atomic_compare_exchange_strong(&top, &t, t + 1) ? value : 0;
}

/* Fences in push, take and steal. */
#define DEQUE(name, in_push, in_take, in_steal)                                               \
 RF_OBJECT(name) { deque_init(); }                                                            \
 RF_OPERATION(name, push, (int value), void, .one_thread = "owner") {                         \
  deque_push(value, in_push);                                                                 \
 }                                                                                            \
 RF_OPERATION(name, take, (void), int, .one_thread = "owner") { return deque_take(in_take); } \
 RF_OPERATION(name, steal, (void), int, .may_fail = true) { return deque_steal(in_steal); }   \
 RF_LINEARIZABLE(name)
DEQUE(deque, true, false, true)
DEQUE(deque_unpublished, false, true, true)
DEQUE(deque_stolen_twice, true, true, false)
DEQUE(deque_right, true, true, true)

/* ---- a queue with a lock for each end (Michael and Scott), whose readers share none ---- */

static rf_mutex at_head = RF_MUTEX_INIT, at_tail = RF_MUTEX_INIT;
static _Atomic int next_of[32];
static int value_of[32], head, tail, used;

static void two_init(void) {
    head = tail = 0;
    used = 1;
    for (int i = 0; i < 32; i++) rf_atomic_init(&next_of[i], 0);
}

static void two_put(int value) {
    RF_GUARD(&at_tail) {
        int node = RF_LOAD(used);
        RF_STORE(used, node + 1);
        RF_STORE(value_of[node], value);
        rf_atomic_store(&next_of[RF_LOAD(tail)], node);
        RF_STORE(tail, node);
    }
}

static int two_get(rf_mutex *lock) {
    int value = 0;
    RF_GUARD(lock) {
        int node = rf_atomic_load(&next_of[RF_RACY_LOAD(head)]);
        if (node) value = RF_LOAD(value_of[node]);
        if (node) RF_RACY_STORE(head, node);
    }
    return value;
}

static rf_mutex another = RF_MUTEX_INIT;

#define TWO_LOCKS(name, how)                                        \
 RF_OBJECT(name) { two_init(); }                                    \
 RF_OPERATION(name, put, (int value), void) { two_put(value); }     \
 RF_OPERATION(name, get, (void), int) { return two_get(&at_head); } \
 RF_OPERATION(name, get_too, (void), int) { return two_get(&how); } \
 RF_LINEARIZABLE(name)
TWO_LOCKS(two_locks, another)
TWO_LOCKS(two_locks_right, at_head)

/* ---- calls that help each other are no mistake: who finds a note does what it asks for ---- */

static _Atomic int note, sum;

static void helped_add(int value) {
    int asked = 0, before;
    if (!rf_atomic_compare_exchange_strong(&note, &asked, value)) {
        /* does it for the other one, then its own */
        if (rf_atomic_compare_exchange_strong(&note, &asked, 0)) rf_atomic_fetch_add(&sum, asked);
        rf_atomic_fetch_add(&sum, value);
        return;
    }
    before = value;
    if (rf_atomic_compare_exchange_strong(&note, &before, 0)) rf_atomic_fetch_add(&sum, value);
}

/* Notes are counted: whoever reads sees an addition, done or not yet, unless it is on its way. */
RF_OBJECT(helped) {
    rf_atomic_init(&note, 0);
    rf_atomic_init(&sum, 0);
}
RF_OPERATION(helped, add, (int value), void) { helped_add(value); }
RF_OPERATION(helped, look, (void), int) { return rf_atomic_load(&sum); }
RF_LINEARIZABLE(helped) /* BUG: who was helped may return before the helper has added */

RF_OBJECT(exchanger_right) { rf_atomic_init(&note, 0); }
RF_OPERATION(exchanger_right, leave, (int value), bool) {
    int nothing = 0;
    return rf_atomic_compare_exchange_strong(&note, &nothing, value);
}
RF_OPERATION(exchanger_right, fetch, (void), int) { return rf_atomic_exchange(&note, 0); }
RF_LINEARIZABLE(exchanger_right)

/* ---- a queue that may give the second item before the first, or, by mistake, the third ---- */

typedef struct line {
    int item[32];
    unsigned char items;
} line;

static void line_put(line *l, int value) { l->item[l->items++] = value; }

static int line_take(line *l, int i) {
    int value = l->item[i];
    for (l->items--; i < l->items; i++) l->item[i] = l->item[i + 1];
    return value;
}

/* One of the first two, if the call has returned that. */
static int line_get(line *l) {
    if (!l->items) return 0;
    return line_take(l, l->items > 1 && l->item[1] == RF_RETURNED());
}

static rf_mutex at_line = RF_MUTEX_INIT;
static line waiting;

static int any_get(int most) {
    int value = 0;
    RF_GUARD(&at_line) {
        line l = RF_LOAD(waiting);
        if (l.items)
            value = line_take(&l, (int)RF_CHOOSE(l.items < most ? l.items : (uint32_t)most));
        RF_STORE(waiting, l);
    }
    return value;
}

static void any_put(int value) {
    RF_GUARD(&at_line) {
        line l = RF_LOAD(waiting);
        line_put(&l, value);
        RF_STORE(waiting, l);
    }
}

RF_OBJECT(third) { RF_STORE(waiting, (line){0}); }
RF_OPERATION(third, put, (int value), void) { any_put(value); }
RF_OPERATION(third, get, (void), int) { return any_get(3); }
RF_MODEL(third, line) { model->items = 0; }
RF_MODEL_OPERATION(third, put, (int value), void) { line_put(model, value); }
RF_MODEL_OPERATION(third, get, (void), int) { return line_get(model); }
RF_LINEARIZABLE(third)

RF_OBJECT(second_right) { RF_STORE(waiting, (line){0}); }
RF_OPERATION(second_right, put, (int value), void) { any_put(value); }
RF_OPERATION(second_right, get, (void), int) { return any_get(2); }
RF_MODEL(second_right, line) { model->items = 0; }
RF_MODEL_OPERATION(second_right, put, (int value), void) { line_put(model, value); }
RF_MODEL_OPERATION(second_right, get, (void), int) { return line_get(model); }
RF_LINEARIZABLE(second_right)

static const verdicts_size sizes[] = {{"bounded", 4, 2},
                                      {"deque", 6, 2},
                                      {"deque_unpublished", 4, 2},
                                      {"deque_stolen_twice", 5, 2},
                                      {"two_locks", 3, 2},
                                      {"helped", 3, 2},
                                      {"third", 4, 2},
                                      {NULL, 0, 0}};

int main(void) { return verdicts(sizes); }

/* Objects of the literature, each with a mistake and without it (`..._right`).  Nobody writes a
 * scenario: the list of operations is enough to find the mistake within the default budget, and the
 * right form is not accused. */
#define RF_IMPLEMENTATION
#include "tests/spec/verdicts.h"

enum { ROOM = 32, NONE = ROOM };

/* ---- a counter with a limit that is checked before the lock is taken ---- */

static rf_mutex limit_lock = RF_MUTEX_INIT;
static _Atomic int level;

static bool take(bool again) {
    bool taken = false;
    if (rf_atomic_load(&level) >= 2) return false;
    RF_GUARD(&limit_lock) {
        taken = !again || rf_atomic_load(&level) < 2;
        if (taken) rf_atomic_fetch_add(&level, 1);
    }
    return taken;
}

RF_OBJECT(limit) { rf_atomic_init(&level, 0); }
RF_OPERATION(limit, take, (void), bool) { return take(false); }
RF_OPERATION(limit, look, (void), int) { return rf_atomic_load(&level); }
RF_LINEARIZABLE(limit)

RF_OBJECT(limit_right) { rf_atomic_init(&level, 0); }
RF_OPERATION(limit_right, take, (void), bool) { return take(true); }
RF_OPERATION(limit_right, look, (void), int) { return rf_atomic_load(&level); }
RF_LINEARIZABLE(limit_right)

/* ---- Treiber's stack, of nodes that are used again: ABA, unless the head has a number ---- */

static _Atomic uint64_t top, spare; /* node, and in the upper half how often it has changed */
static _Atomic uint32_t below[ROOM + 1];
static int kept[ROOM];

static void give(_Atomic uint64_t *list, uint32_t node, bool counted) {
    uint64_t old = rf_atomic_load(list), new;
    do {
        rf_atomic_store(&below[node], (uint32_t)old);
        new = node | (counted ? (old >> 32) + 1 : 0) << 32;
    } while (!rf_atomic_compare_exchange_strong(list, &old, new));
}

static uint32_t from(_Atomic uint64_t *list, bool counted) {
    uint64_t old = rf_atomic_load(list), new;
    do {
        if ((uint32_t)old == NONE) return NONE;
        new = rf_atomic_load(&below[(uint32_t)old]) | (counted ? (old >> 32) + 1 : 0) << 32;
    } while (!rf_atomic_compare_exchange_strong(list, &old, new));
    return (uint32_t)old;
}

static void stack_init(void) {
    rf_atomic_init(&top, NONE);
    rf_atomic_init(&spare, 0);
    for (uint32_t i = 0; i <= ROOM; i++) rf_atomic_init(&below[i], i + 1);
    memset(kept, 0, sizeof kept);
}

static void push(int value, bool counted) {
    uint32_t node = from(&spare, true);
    RF_STORE(kept[node], value);
    give(&top, node, counted);
}

static int pop(bool counted) {
    uint32_t node = from(&top, counted);
    if (node == NONE) return 0;
    int value = RF_LOAD(kept[node]);
    give(&spare, node, true);
    return value;
}

RF_OBJECT(stack) { stack_init(); }
RF_OPERATION(stack, push, (int value), void) { push(value, false); }
RF_OPERATION(stack, pop, (void), int) { return pop(false); }
RF_LINEARIZABLE(stack)

RF_OBJECT(stack_right) { stack_init(); }
RF_OPERATION(stack_right, push, (int value), void) { push(value, true); }
RF_OPERATION(stack_right, pop, (void), int) { return pop(true); }
RF_LINEARIZABLE(stack_right)

/* ---- Michael and Scott's queue (PODC 1996): a node is linked without a look at who was first ----
 */

static _Atomic uint32_t first, last, unused, next_of[ROOM + 1];

static void queue_init(void) {
    rf_atomic_init(&first, 0);
    rf_atomic_init(&last, 0);
    rf_atomic_init(&unused, 1);
    for (uint32_t i = 0; i <= ROOM; i++) rf_atomic_init(&next_of[i], 0);
}

static void enqueue(int value, bool compares) {
    uint32_t node = rf_atomic_fetch_add(&unused, 1);
    RF_STORE(kept[node], value);
    for (;;) {
        uint32_t at = rf_atomic_load(&last), nobody = 0, behind = rf_atomic_load(&next_of[at]);
        if (!behind && !compares) {
            rf_atomic_store(&next_of[at], node);
            rf_atomic_compare_exchange_strong(&last, &at, node);
            return;
        }
        if (!behind && rf_atomic_compare_exchange_strong(&next_of[at], &nobody, node)) {
            rf_atomic_compare_exchange_strong(&last, &at, node);
            return;
        }
        if (behind) rf_atomic_compare_exchange_strong(&last, &at, behind);
    }
}

static int dequeue(void) {
    for (;;) {
        uint32_t at = rf_atomic_load(&first), end = rf_atomic_load(&last);
        uint32_t behind = rf_atomic_load(&next_of[at]);
        if (at == end) {
            if (!behind) return 0;
            rf_atomic_compare_exchange_strong(&last, &end, behind); /* helps */
        } else if (behind) {
            int value = RF_LOAD(kept[behind]);
            if (rf_atomic_compare_exchange_strong(&first, &at, behind)) return value;
        }
    }
}

RF_OBJECT(queue) { queue_init(); }
RF_OPERATION(queue, enqueue, (int value), void) { enqueue(value, false); }
RF_OPERATION(queue, dequeue, (void), int) { return dequeue(); }
RF_LINEARIZABLE(queue)

RF_OBJECT(queue_right) { queue_init(); }
RF_OPERATION(queue_right, enqueue, (int value), void) { enqueue(value, true); }
RF_OPERATION(queue_right, dequeue, (void), int) { return dequeue(); }
RF_LINEARIZABLE(queue_right)

/* ---- a ring for one producer and one consumer, and a relaxed store where a release belongs ----
 */

static _Atomic uint32_t in, out;
static _Atomic int slot[4];

static void ring_init(void) {
    rf_atomic_init(&in, 0);
    rf_atomic_init(&out, 0);
    for (int i = 0; i < 4; i++) rf_atomic_init(&slot[i], 0);
}

static bool ring_put(int value, rf_memory_order order) {
    uint32_t at = rf_atomic_load_explicit(&in, rf_memory_order_relaxed);
    if (at - rf_atomic_load_explicit(&out, rf_memory_order_acquire) == 4) return false;
    rf_atomic_store_explicit(&slot[at % 4], value, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&in, at + 1, order);
    return true;
}

static int ring_get(void) {
    uint32_t at = rf_atomic_load_explicit(&out, rf_memory_order_relaxed);
    if (at == rf_atomic_load_explicit(&in, rf_memory_order_acquire)) return 0;
    int value = rf_atomic_load_explicit(&slot[at % 4], rf_memory_order_relaxed);
    rf_atomic_store_explicit(&out, at + 1, rf_memory_order_release);
    return value;
}

RF_OBJECT(ring) { ring_init(); }
RF_OPERATION(ring, put, (int value), bool, .one_thread = "producer") {
    return ring_put(value, rf_memory_order_relaxed);
}
RF_OPERATION(ring, get, (void), int, .one_thread = "consumer") { return ring_get(); }
RF_LINEARIZABLE(ring)

RF_OBJECT(ring_right) { ring_init(); }
RF_OPERATION(ring_right, put, (int value), bool, .one_thread = "producer") {
    return ring_put(value, rf_memory_order_release);
}
RF_OPERATION(ring_right, get, (void), int, .one_thread = "consumer") { return ring_get(); }
RF_LINEARIZABLE(ring_right)

/* ---- a pair of numbers under a sequence lock, whose reader does not look twice ---- */

static _Atomic uint32_t sequence;
static _Atomic int half[2];

static void pair_init(void) {
    rf_atomic_init(&sequence, 0);
    rf_atomic_init(&half[0], 0);
    rf_atomic_init(&half[1], 0);
}

static void pair_write(int value) {
    uint32_t s = rf_atomic_load(&sequence) & ~1u;
    while (!rf_atomic_compare_exchange_weak(&sequence, &s, s + 1)) s &= ~1u;
    rf_atomic_store(&half[0], value);
    rf_atomic_store(&half[1], value);
    rf_atomic_store(&sequence, s + 2);
}

static int pair_read(bool again) {
    for (;;) {
        uint32_t s = rf_atomic_load(&sequence);
        if (s & 1) continue;
        int value = rf_atomic_load(&half[0]) * 100 + rf_atomic_load(&half[1]);
        if (!again || rf_atomic_load(&sequence) == s) return value;
    }
}

RF_OBJECT(pair) { pair_init(); }
RF_OPERATION(pair, write, (int value), void) { pair_write(value); }
RF_OPERATION(pair, read, (void), int) { return pair_read(false); }
RF_LINEARIZABLE(pair)

RF_OBJECT(pair_right) { pair_init(); }
RF_OPERATION(pair_right, write, (int value), void) { pair_write(value); }
RF_OPERATION(pair_right, read, (void), int) { return pair_read(true); }
RF_LINEARIZABLE(pair_right)

/* ---- a snapshot of two registers: collected once, or until two collects agree ---- */

static void update(int i, int value) { rf_atomic_store(&half[i], value); }

static int collect(void) { return rf_atomic_load(&half[0]) * 100 + rf_atomic_load(&half[1]); }

static int scan(void) {
    int before = collect(), now;
    while ((now = collect()) != before) before = now;
    return now;
}

RF_OBJECT(snapshot) { pair_init(); }
RF_OPERATION(snapshot, update, (int i, int value), void, .args = {RF_ARG(0, 1)}) {
    update(i, value);
}
RF_OPERATION(snapshot, scan, (void), int) { return collect(); }
RF_LINEARIZABLE(snapshot)

RF_OBJECT(snapshot_right) { pair_init(); }
RF_OPERATION(snapshot_right, update, (int i, int value), void, .args = {RF_ARG(0, 1)}) {
    update(i, value);
}
RF_OPERATION(snapshot_right, scan, (void), int) { return scan(); }
RF_LINEARIZABLE(snapshot_right)

/* ---- a set as a list (Harris, DISC 2001): a node is removed without a mark on it ---- */

static _Atomic uint32_t link_of[ROOM + 1]; /* twice the next node, and 1 if this one is removed */
static int key_of[ROOM + 1];

static void set_init(void) {
    rf_atomic_init(&unused, 1);
    for (uint32_t i = 0; i <= ROOM; i++) rf_atomic_init(&link_of[i], 0);
}

/* The first node whose key is not less, and the link to it; marked ones are taken out. */
static uint32_t search(int key, uint32_t *before) {
again:
    *before = 0;
    for (uint32_t at = rf_atomic_load(&link_of[0]) / 2;;) {
        if (!at) return 0;
        uint32_t link = rf_atomic_load(&link_of[at]), old = at * 2;
        if (link & 1) {
            if (!rf_atomic_compare_exchange_strong(&link_of[*before], &old, link - 1)) goto again;
        } else {
            if (RF_LOAD(key_of[at]) >= key) return at;
            *before = at;
        }
        at = link / 2;
    }
}

static bool add(int key) {
    uint32_t node = rf_atomic_fetch_add(&unused, 1), before;
    RF_STORE(key_of[node], key);
    for (;;) {
        uint32_t at = search(key, &before), old = at * 2;
        if (at && RF_LOAD(key_of[at]) == key) return false;
        rf_atomic_store(&link_of[node], old);
        if (rf_atomic_compare_exchange_strong(&link_of[before], &old, node * 2)) return true;
    }
}

static bool removes(int key, bool marks) {
    for (;;) {
        uint32_t before, at = search(key, &before), old = at * 2;
        if (!at || RF_LOAD(key_of[at]) != key) return false;
        uint32_t link = rf_atomic_load(&link_of[at]) & ~1u;
        if (marks && !rf_atomic_compare_exchange_strong(&link_of[at], &link, link | 1)) continue;
        if (rf_atomic_compare_exchange_strong(&link_of[before], &old, link) || marks) return true;
    }
}

static bool has(int key) {
    uint32_t before, at = search(key, &before);
    return at && RF_LOAD(key_of[at]) == key;
}

#define KEY .args = {RF_ARG(1, 2)}
RF_OBJECT(set) { set_init(); }
RF_OPERATION(set, add, (int key), bool, KEY) { return add(key); }
RF_OPERATION(set, removes, (int key), bool, KEY) { return removes(key, false); }
RF_OPERATION(set, has, (int key), bool, KEY) { return has(key); }
RF_LINEARIZABLE(set)

RF_OBJECT(set_right) { set_init(); }
RF_OPERATION(set_right, add, (int key), bool, KEY) { return add(key); }
RF_OPERATION(set_right, removes, (int key), bool, KEY) { return removes(key, true); }
RF_OPERATION(set_right, has, (int key), bool, KEY) { return has(key); }
RF_LINEARIZABLE(set_right)

/* ---- a map with a lock for each key, and a bigger table that is filled without them ---- */

static rf_mutex stripe[2] = {RF_MUTEX_INIT, RF_MUTEX_INIT};
static _Atomic int table[2][2];
static _Atomic uint32_t newest;

static void map_init(void) {
    rf_atomic_init(&newest, 0);
    for (int i = 0; i < 4; i++) rf_atomic_init(&table[i / 2][i % 2], 0);
}

static void map_put(int key, int value) {
    RF_GUARD(&stripe[key]) rf_atomic_store(&table[rf_atomic_load(&newest)][key], value);
}

static int map_get(int key) {
    int value = 0;
    RF_GUARD(&stripe[key]) value = rf_atomic_load(&table[rf_atomic_load(&newest)][key]);
    return value;
}

static void grow(bool locks) {
    for (int i = 0; i < 2 && locks; i++) RF_LOCK(&stripe[i]);
    uint32_t from_table = rf_atomic_load(&newest);
    for (int i = 0; i < 2; i++)
        rf_atomic_store(&table[!from_table][i], rf_atomic_load(&table[from_table][i]));
    rf_atomic_store(&newest, !from_table);
    for (int i = 2; i-- > 0 && locks;) RF_UNLOCK(&stripe[i]);
}

#undef KEY
#define KEY .args = {RF_ARG(0, 1)}
RF_OBJECT(map) { map_init(); }
RF_OPERATION(map, put, (int key, int value), void, KEY) { map_put(key, value); }
RF_OPERATION(map, get, (int key), int, KEY) { return map_get(key); }
RF_OPERATION(map, grow, (void), void, .one_thread = "grows", .most = 2) { grow(false); }
RF_LINEARIZABLE(map)

RF_OBJECT(map_right) { map_init(); }
RF_OPERATION(map_right, put, (int key, int value), void, KEY) { map_put(key, value); }
RF_OPERATION(map_right, get, (int key), int, KEY) { return map_get(key); }
RF_OPERATION(map_right, grow, (void), void, .one_thread = "grows", .most = 2) { grow(true); }
RF_LINEARIZABLE(map_right)

/* ---- a buffer whose readers wait, and are woken only if it was empty ---- */

static rf_mutex buffer_lock = RF_MUTEX_INIT;
static rf_cond filled = RF_COND_INIT;
static int item[ROOM], taken, items;

static void buffer_put(int value, bool always) {
    RF_GUARD(&buffer_lock) {
        bool empty = RF_LOAD(taken) == RF_LOAD(items);
        RF_STORE(item[RF_LOAD(items)], value);
        RF_STORE(items, RF_LOAD(items) + 1);
        if (empty || always) RF_SIGNAL(&filled);
    }
}

static int buffer_get(void) {
    int value = 0;
    RF_GUARD(&buffer_lock) {
        while (RF_LOAD(taken) == RF_LOAD(items)) RF_WAIT(&filled, &buffer_lock);
        value = RF_LOAD(item[RF_LOAD(taken)]);
        RF_STORE(taken, RF_LOAD(taken) + 1);
    }
    return value;
}

RF_OBJECT(buffer) { taken = items = 0; }
RF_OPERATION(buffer, put, (int value), void) { buffer_put(value, false); }
RF_OPERATION(buffer, get, (void), int, .blocks = true) { return buffer_get(); }
RF_LINEARIZABLE(buffer)

RF_OBJECT(buffer_right) { taken = items = 0; }
RF_OPERATION(buffer_right, put, (int value), void) { buffer_put(value, true); }
RF_OPERATION(buffer_right, get, (void), int, .blocks = true) { return buffer_get(); }
RF_LINEARIZABLE(buffer_right)

/* ---- a semaphore: its initialiser is all that sets it up, one by one too ---- */

static rf_sem permits = RF_SEM_INIT(1);

RF_OBJECT(permits_right) {}
RF_OPERATION(permits_right, try, (void), bool) { return RF_SEM_TRYWAIT(&permits); }
RF_OPERATION(permits_right, wait, (void), void, .blocks = true) { RF_SEM_WAIT(&permits); }
RF_OPERATION(permits_right, post, (void), void) { RF_SEM_POST(&permits); }
RF_LINEARIZABLE(permits_right)

/* ---- one place, of objects that RF_OBJECT makes anew, also where all wait: who takes must tell
 * ---- */

static rf_mutex place_lock;
static rf_cond full, empty;
static int placed;

static void place_init(void) {
    rf_mutex_init(&place_lock, "place_lock", RF_MUTEX_NORMAL);
    rf_cond_init(&full, "full");
    rf_cond_init(&empty, "empty");
    placed = 0;
}

static void place_put(int value) {
    RF_GUARD(&place_lock) {
        while (RF_LOAD(placed)) RF_WAIT(&empty, &place_lock);
        RF_STORE(placed, value);
        RF_SIGNAL(&full);
    }
}

static int place_get(bool tells) {
    int value = 0;
    RF_GUARD(&place_lock) {
        while (!RF_LOAD(placed)) RF_WAIT(&full, &place_lock);
        value = RF_LOAD(placed);
        RF_STORE(placed, 0);
        if (tells) RF_SIGNAL(&empty);
    }
    return value;
}

RF_OBJECT(place) { place_init(); }
RF_OPERATION(place, put, (int value), void, .blocks = true) { place_put(value); }
RF_OPERATION(place, get, (void), int, .blocks = true) { return place_get(false); }
RF_LINEARIZABLE(place)

RF_OBJECT(place_right) { place_init(); }
RF_OPERATION(place_right, put, (int value), void, .blocks = true) { place_put(value); }
RF_OPERATION(place_right, get, (void), int, .blocks = true) { return place_get(true); }
RF_LINEARIZABLE(place_right)

/* ---- models: a pile of papers is no queue, and a queue that may be busy is one ---- */

typedef struct papers {
    int paper[ROOM];
    unsigned char papers;
} papers;

static void pile_put(int value) {
    RF_GUARD(&buffer_lock) {
        RF_STORE(item[RF_LOAD(items)], value);
        RF_STORE(items, RF_LOAD(items) + 1);
    }
}

static int pile_get(bool from_the_top) {
    int value = 0;
    if (!RF_TRYLOCK(&buffer_lock)) return 0;
    if (RF_LOAD(items) > RF_LOAD(taken)) {
        value = RF_LOAD(item[from_the_top ? RF_LOAD(items) - 1 : RF_LOAD(taken)]);
        if (from_the_top)
            RF_STORE(items, RF_LOAD(items) - 1);
        else
            RF_STORE(taken, RF_LOAD(taken) + 1);
    }
    RF_UNLOCK(&buffer_lock);
    return value;
}

static int model_get(papers *model) {
    int value = model->papers ? model->paper[0] : 0;
    if (model->papers) model->papers--;
    for (int i = 0; i < model->papers; i++) model->paper[i] = model->paper[i + 1];
    model->paper[model->papers] = 0;
    return value;
}

#define QUEUE_MODEL(object)                                                                    \
 RF_MODEL(object, papers) { model->papers = 0; }                                               \
 RF_MODEL_OPERATION(object, put, (int value), void) { model->paper[model->papers++] = value; } \
 RF_MODEL_OPERATION(object, get, (void), int) { return model_get(model); }

RF_OBJECT(pile) { taken = items = 0; }
RF_OPERATION(pile, put, (int value), void) { pile_put(value); }
RF_OPERATION(pile, get, (void), int, .may_fail = true) { return pile_get(true); }
QUEUE_MODEL(pile)
RF_LINEARIZABLE(pile)

RF_OBJECT(busy) { taken = items = 0; }
RF_OPERATION(busy, put, (int value), void) { pile_put(value); }
RF_OPERATION(busy, get, (void), int) { return pile_get(false); }
QUEUE_MODEL(busy)
RF_LINEARIZABLE(busy)

RF_OBJECT(busy_right) { taken = items = 0; }
RF_OPERATION(busy_right, put, (int value), void) { pile_put(value); }
RF_OPERATION(busy_right, get, (void), int, .may_fail = true) { return pile_get(false); }
QUEUE_MODEL(busy_right)
RF_LINEARIZABLE(busy_right)

RF_OBJECT(own_busy_right) { taken = items = 0; }
RF_OPERATION(own_busy_right, put, (int value), void) { pile_put(value); }
RF_OPERATION(own_busy_right, get, (void), int, .may_fail = true) { return pile_get(false); }
RF_LINEARIZABLE(own_busy_right)

/* The wake-up of one reader for two values, by a model that says when it waits. */
#define BUFFER_MODEL(object)                                                                   \
 RF_MODEL(object, papers) { model->papers = 0; }                                               \
 RF_MODEL_OPERATION(object, put, (int value), void) { model->paper[model->papers++] = value; } \
 RF_MODEL_OPERATION(object, get, (void), int) {                                                \
  if (!model->papers) RF_WAITS();                                                              \
  return model_get(model);                                                                     \
 }

RF_OBJECT(waiting) { taken = items = 0; }
RF_OPERATION(waiting, put, (int value), void) { buffer_put(value, false); }
RF_OPERATION(waiting, get, (void), int, .blocks = true) { return buffer_get(); }
BUFFER_MODEL(waiting)
RF_LINEARIZABLE(waiting)

RF_OBJECT(waiting_right) { taken = items = 0; }
RF_OPERATION(waiting_right, put, (int value), void) { buffer_put(value, true); }
RF_OPERATION(waiting_right, get, (void), int, .blocks = true) { return buffer_get(); }
BUFFER_MODEL(waiting_right)
RF_LINEARIZABLE(waiting_right)

/* ---- a register: others may see a value late, but nobody can tell except by the clock ---- */

static int get(void) { return rf_atomic_load_explicit(&level, rf_memory_order_acquire); }
static void set(int value) { rf_atomic_store_explicit(&level, value, rf_memory_order_release); }

RF_OBJECT(late) { rf_atomic_init(&level, 0); }
RF_OPERATION(late, set, (int value), void) { set(value); }
RF_OPERATION(late, get, (void), int) { return get(); }
RF_LINEARIZABLE(late, .criterion = RF_REAL_TIME)

RF_OBJECT(late_right) { rf_atomic_init(&level, 0); }
RF_OPERATION(late_right, set, (int value), void) { set(value); }
RF_OPERATION(late_right, get, (void), int) { return get(); }
RF_LINEARIZABLE(late_right)

/* ---- the writer keeps its last value to itself: sequentially consistent, no more ---- */

RF_TLS(int, own);

static void keep(int value) {
    RF_GUARD(&limit_lock) rf_atomic_store(&level, *RF_TLS_PTR(own));
    *RF_TLS_PTR(own) = value;
}

static int kept_or_common(void) {
    int value = 0;
    RF_GUARD(&limit_lock) value = rf_atomic_load(&level);
    return *RF_TLS_PTR(own) ? *RF_TLS_PTR(own) : value;
}

static void keep_init(void) {
    rf_atomic_init(&level, 0);
    *RF_TLS_PTR(own) = 0;
}

RF_OBJECT(keeper) { keep_init(); }
RF_OPERATION(keeper, keep, (int value), void, .one_thread = "writer") { keep(value); }
RF_OPERATION(keeper, look, (void), int) { return kept_or_common(); }
RF_LINEARIZABLE(keeper, .before = -1, .after = -1)

RF_OBJECT(keeper_right) { keep_init(); }
RF_OPERATION(keeper_right, keep, (int value), void, .one_thread = "writer") { keep(value); }
RF_OPERATION(keeper_right, look, (void), int) { return kept_or_common(); }
RF_LINEARIZABLE(keeper_right, .before = -1, .after = -1, .criterion = RF_PROGRAM_ORDER)

static const verdicts_size sizes[] = {
    {"limit", 3, 2},   {"stack", 7, 2},    {"queue", 5, 2},  {"ring", 3, 2},
    {"pair", 2, 2},    {"snapshot", 3, 2}, {"set", 5, 2},    {"map", 3, 2},
    {"buffer", 4, 3},  {"place", 3, 2},    {"pile", 3, 1},   {"busy", 3, 2},
    {"waiting", 4, 3}, {"late", 2, 2},     {"keeper", 4, 2}, {NULL, 0, 0}};

int main(void) { return verdicts(sizes); }

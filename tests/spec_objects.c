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

#define LIMIT(name, right)                                                \
 RF_OBJECT(name) { rf_atomic_init(&level, 0); }                           \
 RF_OPERATION(name, take, (void), bool) { return take(right); }           \
 RF_OPERATION(name, look, (void), int) { return rf_atomic_load(&level); } \
 RF_LINEARIZABLE(name)
LIMIT(limit, false)
LIMIT(limit_right, true)

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

#define STACK(name, right)                                           \
 RF_OBJECT(name) { stack_init(); }                                   \
 RF_OPERATION(name, push, (int value), void) { push(value, right); } \
 RF_OPERATION(name, pop, (void), int) { return pop(right); }         \
 RF_LINEARIZABLE(name)
STACK(stack, false)
STACK(stack_right, true)

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

#define QUEUE(name, right)                                                 \
 RF_OBJECT(name) { queue_init(); }                                         \
 RF_OPERATION(name, enqueue, (int value), void) { enqueue(value, right); } \
 RF_OPERATION(name, dequeue, (void), int) { return dequeue(); }            \
 RF_LINEARIZABLE(name)
QUEUE(queue, false)
QUEUE(queue_right, true)

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

#define RING(name, how)                                                                \
 RF_OBJECT(name) { ring_init(); }                                                      \
 RF_OPERATION(name, put, (int value), bool, .one_thread = "producer") {                \
  return ring_put(value, how);                                                         \
 }                                                                                     \
 RF_OPERATION(name, get, (void), int, .one_thread = "consumer") { return ring_get(); } \
 RF_LINEARIZABLE(name)
RING(ring, rf_memory_order_relaxed)
RING(ring_right, rf_memory_order_release)

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

#define PAIR(name, right)                                            \
 RF_OBJECT(name) { pair_init(); }                                    \
 RF_OPERATION(name, write, (int value), void) { pair_write(value); } \
 RF_OPERATION(name, read, (void), int) { return pair_read(right); }  \
 RF_LINEARIZABLE(name)
PAIR(pair, false)
PAIR(pair_right, true)

/* ---- a snapshot of two registers: collected once, or until two collects agree ---- */

static void update(int i, int value) { rf_atomic_store(&half[i], value); }

static int collect(void) { return rf_atomic_load(&half[0]) * 100 + rf_atomic_load(&half[1]); }

static int scan(void) {
    int before = collect(), now;
    while ((now = collect()) != before) before = now;
    return now;
}

#define SNAPSHOT(name, how)                                                     \
 RF_OBJECT(name) { pair_init(); }                                               \
 RF_OPERATION(name, update, (int i, int value), void, .args = {RF_ARG(0, 1)}) { \
  update(i, value);                                                             \
 }                                                                              \
 RF_OPERATION(name, scan, (void), int) { return how(); }                        \
 RF_LINEARIZABLE(name)
SNAPSHOT(snapshot, collect)
SNAPSHOT(snapshot_right, scan)

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
#define SET(name, right)                                                           \
 RF_OBJECT(name) { set_init(); }                                                   \
 RF_OPERATION(name, add, (int key), bool, KEY) { return add(key); }                \
 RF_OPERATION(name, removes, (int key), bool, KEY) { return removes(key, right); } \
 RF_OPERATION(name, has, (int key), bool, KEY) { return has(key); }                \
 RF_LINEARIZABLE(name)
SET(set, false)
SET(set_right, true)

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
#define MAP(name, right)                                                                   \
 RF_OBJECT(name) { map_init(); }                                                           \
 RF_OPERATION(name, put, (int key, int value), void, KEY) { map_put(key, value); }         \
 RF_OPERATION(name, get, (int key), int, KEY) { return map_get(key); }                     \
 RF_OPERATION(name, grow, (void), void, .one_thread = "grows", .most = 2) { grow(right); } \
 RF_LINEARIZABLE(name)
MAP(map, false)
MAP(map_right, true)

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

#define BUFFER(name, right)                                                    \
 RF_OBJECT(name) { taken = items = 0; }                                        \
 RF_OPERATION(name, put, (int value), void) { buffer_put(value, right); }      \
 RF_OPERATION(name, get, (void), int, .blocks = true) { return buffer_get(); } \
 RF_LINEARIZABLE(name)
BUFFER(buffer, false)
BUFFER(buffer_right, true)

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

#define PLACE(name, right)                                                         \
 RF_OBJECT(name) { place_init(); }                                                 \
 RF_OPERATION(name, put, (int value), void, .blocks = true) { place_put(value); }  \
 RF_OPERATION(name, get, (void), int, .blocks = true) { return place_get(right); } \
 RF_LINEARIZABLE(name)
PLACE(place, false)
PLACE(place_right, true)

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

#define WAITING(name, right)                                                   \
 RF_OBJECT(name) { taken = items = 0; }                                        \
 RF_OPERATION(name, put, (int value), void) { buffer_put(value, right); }      \
 RF_OPERATION(name, get, (void), int, .blocks = true) { return buffer_get(); } \
 BUFFER_MODEL(name)                                                            \
 RF_LINEARIZABLE(name)
WAITING(waiting, false)
WAITING(waiting_right, true)

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

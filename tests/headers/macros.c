/* Uses every public name that tests/determinism/programs.h does not, and values of every type, so
 * that all are compiled without warnings, with the engine and without.  Nothing here is run: what
 * the names do is shown elsewhere. */
#include "racefuzz.h"
#include <stdatomic.h>
#include <string.h>
#include "inline.h"
#include "tests/determinism/programs.h"

struct pair {
    int a;
    short b;
};
struct bits {
    unsigned three : 3;
};
union word {
    int i;
    float f;
};
enum colour { RED, GREEN };

static int x, y, z;
static uint8_t small;
static volatile int flagged;
static const int constant = 3;
static struct pair pair;
static union word word;
static enum colour colour;
static double real;
static int *pointer;
static void (*function)(void);
static int array[4];

RF_TLS(struct pair, own_pair);
RF_TLS(int[4], own_array);

static bool positive(void *arg) { return *(int *)arg >= 0; }
static void nothing(void) {}
static void *thread(void *arg) { return arg; }

RF_TEST(no_options) { x = 0; }
RF_TEST(some_options, .executions = 5000, .max_steps = 20000, .isolate = true,
        .expect = RF_EXPECT_RACE | RF_EXPECT_FAILURE) {
    x = 1;
}

int plain_data(void) {
    struct pair *p = &pair;
    RF_STORE(x, RF_LOAD(y) + RF_LOAD(z));
    RF_STORE(x, RF_LOAD(array[RF_LOAD(array[RF_LOAD(y)])]));
    RF_STORE(array[RF_LOAD(x)], RF_LOAD(pointer) ? *RF_LOAD(pointer) : 0);
    RF_STORE(pair, (struct pair){1, 2});
    RF_STORE(*p, RF_LOAD(pair));
    RF_STORE(p->b, 3);
    RF_STORE(small, 255);
    RF_STORE(word, RF_LOAD(word));
    RF_STORE(colour, GREEN);
    RF_STORE(real, RF_LOAD(real) * 2);
    RF_STORE(pointer, NULL);
    RF_STORE(function, nothing);
    RF_STORE(flagged, RF_LOAD(flagged) + RF_LOAD(constant));
    RF_RACY_STORE(pair, (struct pair){1, RF_RACY_LOAD(p->b)});
    RF_LOAD(x);
    RF_READ(array, sizeof array);
    RF_WRITE(&pair, sizeof pair);
    if (RF_LOAD(x))
        RF_STORE(y, 1);
    else
        RF_STORE(z, 1);
    return RF_LOAD(colour) == RED;
}

void threads(void) {
    RF_TLS_PTR(own_pair)->a = 1;
    (*RF_TLS_PTR(own_array))[3] = *RF_TLS_PTR(own);
    RF_JOIN(RF_THREAD(thread, RF_JOIN(RF_THREAD(thread, NULL))));
    RF_THREADS(RF_LOAD(x) ? 2 : 3, thread);
}

static rf_atomic_int initial = RF_ATOMIC_VAR_INIT(1);
static _Atomic(unsigned char) narrow;
static volatile rf_atomic_bool truth;
static _Atomic(struct pair) atomic_pair;
static _Atomic(enum colour) atomic_colour;
static int *_Atomic element;

/* Orders by either name, or in a variable. */
int atomics(memory_order standard, rf_memory_order ours) {
    int old = 0;
    rf_atomic_store_explicit(&initial, rf_atomic_load_explicit(&initial, standard), ours);
    rf_atomic_store_explicit(&truth, true, memory_order_release);
    old += rf_atomic_load_explicit(&truth, rf_memory_order_consume);
    rf_atomic_store(&atomic_pair, ((struct pair){1, 2}));
    struct pair found = rf_atomic_load(&atomic_pair);
    rf_atomic_compare_exchange_strong(&atomic_pair, &found, ((struct pair){3, 4}));
    old += found.a + (int)rf_atomic_exchange(&atomic_colour, GREEN);
    rf_atomic_compare_exchange_strong(&initial, &old, rf_atomic_load(&initial));
    rf_atomic_compare_exchange_strong_explicit(&initial, &old, 2, rf_memory_order_acquire, ours);
    old += rf_atomic_fetch_add_explicit(&narrow, rf_atomic_load(&initial), memory_order_relaxed);
    int *before = rf_atomic_fetch_add(&element, 2);
    before = rf_atomic_fetch_sub(&element, 1) + (before - before);
    rf_atomic_signal_fence(rf_memory_order_seq_cst);
    old += rf_atomic_is_lock_free(&initial) + (before == NULL);
    return old + rf_kill_dependency(RF_ATOMIC_BOOL_LOCK_FREE == 2);
}

void types(rf_atomic_char, rf_atomic_schar, rf_atomic_uchar, rf_atomic_short, rf_atomic_ushort,
           rf_atomic_uint, rf_atomic_long, rf_atomic_ulong, rf_atomic_llong, rf_atomic_ullong,
           rf_atomic_char16_t, rf_atomic_char32_t, rf_atomic_wchar_t, rf_atomic_int_least8_t,
           rf_atomic_uint_least8_t, rf_atomic_int_least16_t, rf_atomic_uint_least16_t,
           rf_atomic_int_least32_t, rf_atomic_uint_least32_t, rf_atomic_int_least64_t,
           rf_atomic_uint_least64_t, rf_atomic_int_fast8_t, rf_atomic_uint_fast8_t,
           rf_atomic_int_fast16_t, rf_atomic_uint_fast16_t, rf_atomic_int_fast32_t,
           rf_atomic_uint_fast32_t, rf_atomic_int_fast64_t, rf_atomic_uint_fast64_t,
           rf_atomic_intptr_t, rf_atomic_uintptr_t, rf_atomic_size_t, rf_atomic_ptrdiff_t,
           rf_atomic_intmax_t, rf_atomic_uintmax_t);

/* The numbers of <stdatomic.h>. */
_Static_assert((int)rf_memory_order_relaxed == (int)memory_order_relaxed, "");
_Static_assert((int)rf_memory_order_consume == (int)memory_order_consume, "");
_Static_assert((int)rf_memory_order_acquire == (int)memory_order_acquire, "");
_Static_assert((int)rf_memory_order_release == (int)memory_order_release, "");
_Static_assert((int)rf_memory_order_acq_rel == (int)memory_order_acq_rel, "");
_Static_assert((int)rf_memory_order_seq_cst == (int)memory_order_seq_cst, "");
_Static_assert(RF_ATOMIC_CHAR_LOCK_FREE == ATOMIC_CHAR_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_CHAR16_T_LOCK_FREE == ATOMIC_CHAR16_T_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_CHAR32_T_LOCK_FREE == ATOMIC_CHAR32_T_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_WCHAR_T_LOCK_FREE == ATOMIC_WCHAR_T_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_SHORT_LOCK_FREE == ATOMIC_SHORT_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_INT_LOCK_FREE == ATOMIC_INT_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_LONG_LOCK_FREE == ATOMIC_LONG_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_LLONG_LOCK_FREE == ATOMIC_LLONG_LOCK_FREE, "");
_Static_assert(RF_ATOMIC_POINTER_LOCK_FREE == ATOMIC_POINTER_LOCK_FREE, "");

/* Extensions. */
static rf_prng chance;
static uint32_t first_of_all(const rf_choice *c) {
    uint32_t t = rf_choice_at(c, rf_random_below(&chance, c->count));
    if (!t) t = rf_choice_offered(c);
    return rf_choice_has(c, c->last) && rf_random_coin(&chance) ? c->last : t;
}
static bool at_none(const rf_event *next) { return next->kind == RF_EV_COUNT; }
static void see(const rf_event *e) {
    rf_lock lock[2];
    rf_warning w = {.family = RF_FAMILY_OTHER, .by = "an-analysis", .real = e->value == 3};
    w.place[w.places++] = (rf_place){.site = e->site, .thread = e->thread, .object = e->object};
    w.place[0].locks = (uint16_t)rf_thread_locks(e->thread, lock, 2);
    w.place[0].lock = lock;
    w.target[w.targets++] = rf_site_key(rf_object_site(e->object));
    w.target[w.targets++] = rf_name_key("name");
    w.text = rf_object_made(e->object) && rf_object_is_lock(e->object) ? rf_object_name(e->object)
                                                                       : NULL;
    if (e->object) rf_warn(&w);
}
static void release(uint32_t thread, void *arg) {
    if (rf_events_conflict((const rf_event *)arg, rf_next_event(thread))) rf_check_release(thread);
}
static void check(const rf_event *next) {
    rf_event copy = *next;
    uint32_t targets;
    const uint64_t *aim = rf_check_targets(&targets);
    rf_check_each_paused(release, &copy);
    if (targets && rf_site_key(next->site) == aim[0]) rf_check_hit(next, NULL);
    if (rf_random(rf_check_random()) % 2) rf_check_pause();
    if (rf_threads() == 3) rf_check_pause_for(5);
    if (rf_thread_alive(1) && rf_thread_enabled(1)) rf_check_run(1);
    if (!rf_threads()) rf_run_serially(NULL, 0);
    if (rf_thread_spins(1) || rf_thread_awaits(1) || rf_thread_due(1) ||
        rf_thread_creator(1) == rf_thread_key(1))
        rf_check_run(1);
    if (rf_series() || rf_drawn() || rf_failed() || rf_invariants() || rf_object_address(1))
        rf_check_run(1);
    if (rf_block_site(&copy, &targets) || rf_block_number(&copy)) rf_check_run(1);
    if (rf_teach(next, 0) && rf_used(next, 0)) rf_check_run(1);
    if (rf_events_depend(rf_next_event(0), rf_next_event(1))) rf_check_release(1);
    if (rf_reads_clock(rf_next_event(0)) && rf_moves_clock(rf_next_event(1))) rf_check_release(0);
    if (rf_moves_core(rf_next_event(0))) rf_check_release(0);
}
static void explored(void *arg) { (void)arg; }
bool explore(void) {
    rf_outcome o = rf_explore("name", explored, NULL, &(rf_options){.executions = 1});
    rf_verdict v = o.verdict;
    bool known = v == RF_VERDICT_PASSED || v == RF_VERDICT_FAILED || v == RF_VERDICT_SKIPPED ||
                 v == RF_VERDICT_REFUSED;
    return rf_outcome_free(&o) && known;
}
static void handler(void *arg) { (void)arg; }
void interrupts(void) {
    rf_interrupt_options none = {.priority = 0};
    RF_INTERRUPT(a, handler, NULL);
    RF_INTERRUPT(b, handler, &none, .priority = 2, .times = 3);
    RF_INTERRUPT(c, handler, &none, .period = 10);
    RF_MASK_ABOVE(1);
    RF_MASK_UP_TO(1);
    RF_UNMASK();
    RF_UNMASK();
    RF_MASK();
    RF_PAUSE();
    RF_UNMASK();
    RF_PRIORITY(2);
    RF_DEADLINE(3) RF_MASK();
}
static void begin(uint64_t seed) { chance.state = seed; }
static const rf_analysis an_analysis = {
    .name = "an-analysis", .help = "none", .events = RF_EV_BIT(RF_EV_LOCK), .event = see};
static const rf_checker a_checker = {.name = "a-checker",
                                     .confirms = RF_FAMILY_BIT(RF_FAMILY_OTHER),
                                     .of = "an-analysis",
                                     .is_breakpoint = at_none,
                                     .check = check};
static const rf_strategy a_strategy = {.name = "a-strategy", .begin = begin, .pick = first_of_all};
RF_ANALYSIS(an_analysis);
RF_CHECKER(a_checker);
RF_STRATEGY(a_strategy);

/* Guidance. */
int guidance(struct pair *p) {
    RF_ATOMIC_SET("pair", &p->a, &p->b);
    RF_ATOMIC_BLOCK("outer") {
        RF_ATOMIC_BLOCK("inner") RF_STORE(p->a, 1);
        if (RF_LOAD(p->b)) return 1;
    }
    RF_EXCLUSIVE_WRITER(p->a)
    RF_EXCLUSIVE_ACCESS(*p) if (RF_LOAD(p->a) > 1) return 1;
    RF_BREAKPOINT("here", p);
    if (p->a) RF_BREAKPOINT_FIRST("here", NULL);
    return 0;
}

static const rf_progress progress[] = {RF_ANY_PROGRESS, RF_OBSTRUCTION_FREE, RF_LOCK_FREE,
                                       RF_WAIT_FREE};
static const rf_criterion criteria[] = {RF_HAPPENS_BEFORE, RF_REAL_TIME, RF_PROGRAM_ORDER};
/* An object and its operations: with every number of parameters, and every kind of result. */
enum found { FOUND_NOTHING, FOUND_IT };
RF_OBJECT(shelf) { RF_STORE(x, 0); }
RF_OBJECT_END(shelf) { RF_ASSERT_GE(RF_LOAD(x), 0); }
RF_OPERATION(shelf, none, (void), void) { RF_STORE(x, 1); }
RF_OPERATION(shelf, one, (unsigned char key), bool, .args = {RF_ARG(0, 3)}, .most = 2) {
    return key == 1;
}
RF_OPERATION(shelf, two, (int key, long value), enum found, .one_thread = "writer",
             .blocks = true) {
    return key < value ? FOUND_IT : FOUND_NOTHING;
}
RF_OPERATION(shelf, three, (short a, unsigned b, int64_t c), double) {
    return (double)c + (double)a + (double)b;
}
RF_OPERATION(shelf, four, (int8_t a, uint16_t b, enum found c, bool d), unsigned long long) {
    return (unsigned long long)(a + b) + c + d;
}
RF_OPERATION(shelf, five, (), char) { return 'a'; }
RF_LINEARIZABLE(shelf, .threads = 2, .operations = 2, .before = -1, .after = 1, .executions = 3,
                .criterion = RF_PROGRAM_ORDER)
struct shelf_model {
    int value;
};
RF_TEST(shelf_by_hand, .calls = "shelf") {
    RF_CALL("none");
    RF_RETURN(0);
    RF_CALL("two", 1, 2L);
    RF_RETURN(FOUND_IT);
    RF_CALL("three", 1, 'a', true);
    RF_RETURN(1.5);
    RF_RETURN(1.5f);
}
RF_MODEL(other_shelf, struct shelf_model) { model->value = 1; }
RF_MODEL_OPERATION(other_shelf, set, (int a, short b, long c, bool d), void) {
    model->value = d ? a + b + (int)c : a;
}
RF_MODEL_OPERATION(other_shelf, put, (unsigned char a, unsigned b), bool) {
    return model->value == a + (int)b;
}
RF_MODEL_OPERATION(other_shelf, add, (int a, short b, int64_t c), double) {
    return model->value + a + b + (double)c;
}
RF_MODEL_OPERATION(other_shelf, one, (int8_t a), int8_t) { return a; }
RF_MODEL_OPERATION(other_shelf, take, (void), int) {
    if (!model->value) RF_WAITS();
    return RF_RETURNED() == 1 ? 1 : model->value;
}
RF_OBJECT(other_shelf) { RF_STORE(x, 1); }
RF_OPERATION(other_shelf, set, (int a, short b, long c, bool d), void) {
    RF_STORE(x, d ? a + b + (int)c : a);
}
RF_OPERATION(other_shelf, put, (unsigned char a, unsigned b), bool) {
    return RF_LOAD(x) == a + (int)b;
}
RF_OPERATION(other_shelf, add, (int a, short b, int64_t c), double) {
    return RF_LOAD(x) + a + b + (double)c;
}
RF_OPERATION(other_shelf, one, (int8_t a), int8_t, .may_fail = true) { return a; }
RF_OPERATION(other_shelf, take, (void), int) { return RF_LOAD(x); }
RF_LINEARIZABLE(other_shelf)
RF_OBJECT(plain_shelf) { RF_STORE(x, 0); }
RF_OPERATION(plain_shelf, read, (void), float) {
    return (float)(RF_LOAD(x) + (int)criteria[0] + (int)progress[0]);
}
RF_LINEARIZABLE(plain_shelf)

/* Values of every scalar type, and of different ones, can be compared. */
void assertions(const char *text, size_t n, struct bits bits) {
    RF_FUNC;
    RF_INVARIANT(positive, &x);
    RF_INVARIANT(positive, &y);
    RF_ASSERT(RF_LOAD(x) == (struct pair){1, 2}.a);
    RF_ASSERT(text);
    RF_ASSERT_EQ(RF_LOAD(x), 2);
    RF_ASSERT_EQ(n, 2);
    RF_ASSERT_EQ(x, n);
    RF_ASSERT_EQ(bits.three, 3);
    RF_ASSERT_EQ(text, NULL);
    RF_ASSERT_NE(real, 1);
    RF_ASSERT_NE((long double)real, 1.0f);
    RF_ASSERT_LT(text[0], 'z');
    RF_ASSERT_LE(small, 1u);
    RF_ASSERT_GT(colour, RED);
    RF_ASSERT_GE(1 == 1, false);
    RF_ASSERT_STR_EQ(text, "text");
    RF_ASSERT_MEM_EQ(text, &n, sizeof n);
    RF_LOG("no arguments");
    RF_LOG("%d of %zu", RF_LOAD(x), n);
    if (RF_CHOOSE(3) == 1) RF_SKIP("chosen");
    if (RF_CHOOSE(2)) RF_FAIL("%s", text);
    RF_FAIL("no arguments");
}

RF_TEST(fuzzed) {}
RF_FUZZ_TARGET(fuzzed);

int inlined(void) { return add_static(&x, 1) + add_extern(&x, 1) + (int)strlen(RF_VERSION); }

_Static_assert(RF_VERSION_MAJOR >= 0 && RF_VERSION_MINOR >= 0 && RF_VERSION_PATCH >= 0, "");

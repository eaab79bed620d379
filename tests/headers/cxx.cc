// C++17: all but the atomics and the options of RF_TEST.
#include "racefuzz.h"

struct pair {
    int a;
    short b;
};
enum class colour { red, green };

static int x, y, z;
static const int constant = 3;
static volatile int flagged;
static pair both;
static colour shade;
static int *pointer;
static bool positive(void *arg) { return *static_cast<int *>(arg) >= 0; }
static void nothing() {}
static void *thread(void *arg) { return arg; }

RF_TLS(int, own);
static rf_mutex mutex = RF_MUTEX_INIT;
static rf_rwlock rwlock = RF_RWLOCK_INIT;
static rf_spin spin = RF_SPIN_INIT;
static rf_cond cond = RF_COND_INIT;
static rf_sem sem = RF_SEM_INIT(2);
static rf_barrier barrier = RF_BARRIER_INIT(2);
static rf_once once = RF_ONCE_INIT;

template <typename T> T twice(T &value) {
    RF_STORE(value, RF_LOAD(value) * 2);
    return RF_LOAD(value);
}

inline int data() {
    RF_STORE(x, RF_LOAD(y) + RF_LOAD(z));
    RF_STORE(both, pair{1, 2});
    RF_STORE(both.b, 3);
    RF_STORE(shade, colour::green);
    RF_STORE(pointer, nullptr);
    RF_STORE(flagged, RF_LOAD(flagged) + RF_LOAD(constant));
    RF_RACY_STORE(x, RF_RACY_LOAD(y));
    RF_READ(&both, sizeof both);
    RF_WRITE(&both, sizeof both);
    RF_FREE(RF_REALLOC(RF_MALLOC(3), 4));
    RF_FREE(RF_CALLOC(3, 4));
    return twice(x) + RF_LOAD(both).a;
}

static int guards() {
    for (int i = 0; i < 3; i++) {
        RF_GUARD(&mutex) {
            if (i == 1) break;
            if (i == 2) return 1;
        }
    }
    return 0;
}

static int sync() {
    RF_LOCK(&mutex);
    RF_UNLOCK(&mutex);
    int n = RF_TRYLOCK(&mutex) + RF_TIMEDLOCK(&mutex, 10) + guards();
    rf_mutex_init(&mutex, "mutex", RF_MUTEX_NORMAL);
    RF_RDLOCK(&rwlock);
    RF_RWUNLOCK(&rwlock);
    RF_SPIN_LOCK(&spin);
    RF_SPIN_HINT();
    RF_SPIN_UNLOCK(&spin);
    RF_WAIT(&cond, &mutex);
    RF_SIGNAL(&cond);
    RF_SEM_WAIT(&sem);
    RF_SEM_POST(&sem);
    RF_ONCE(&once, nothing);
    return n + RF_BARRIER_WAIT(&barrier);
}

RF_TEST(cxx) {
    RF_FUNC;
    RF_INVARIANT(positive, &x);
    rf_thread t = RF_THREAD(thread, nullptr);
    RF_JOIN(t);
    RF_THREADS(2, thread);
    RF_YIELD();
    RF_SLEEP_MS(1);
    *RF_TLS_PTR(own) = data() + sync();
    RF_ASSERT(x == y);
    RF_ASSERT_EQ(x, 3u);
    RF_ASSERT_NE(pointer, nullptr);
    RF_ASSERT_LT(1.5, 2);
    RF_ASSERT_STR_EQ("a", "b");
    RF_ASSERT_MEM_EQ(&x, &y, sizeof x);
    RF_LOG("%d", RF_LOAD(x));
    if (RF_CHOOSE(2)) RF_SKIP("chosen");
    RF_FAIL("no arguments");
}

// Extensions: constant objects, so that they are there before anybody registers them.
static uint32_t newest(const rf_choice *c) { return rf_choice_at(c, c->count - 1); }
static bool at_free(const rf_event *next) { return next->kind == RF_EV_FREE; }
static void wait_there(const rf_event *) {
    rf_check_pause_for(1 + rf_random_below(rf_check_random(), 10));
}
static void warn(const rf_event *e) {
    rf_warning w = {};
    w.family = RF_FAMILY_OTHER;
    w.by = "cxx-analysis";
    w.place[w.places++].site = e->site;
    rf_warn(&w);
}
static constexpr rf_analysis cxx_analysis = [] {
    rf_analysis a = {};
    a.name = "cxx-analysis";
    a.events = RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK);
    a.event = warn;
    return a;
}();
static constexpr rf_checker cxx_checker = [] {
    rf_checker c = {};
    c.name = "cxx-checker";
    c.is_breakpoint = at_free;
    c.check = wait_there;
    return c;
}();
static constexpr rf_strategy cxx_strategy = [] {
    rf_strategy s = {};
    s.name = "cxx-strategy";
    s.pick = newest;
    return s;
}();
RF_ANALYSIS(cxx_analysis);
RF_CHECKER(cxx_checker);
RF_STRATEGY(cxx_strategy);

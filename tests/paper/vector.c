/* vector: JDK 1.1's, whose changes take the lock and whose questions do not. */
#include "paper.h"

enum { CAPACITY = 4 };

static struct {
    rf_mutex lock;
    int count, data[CAPACITY];
} vector;

static void add_element(int e) {
    RF_LOCK(&vector.lock);
    int n = RF_LOAD(vector.count);
    RF_STORE(vector.data[n], e);
    RF_STORE(vector.count, n + 1);
    RF_UNLOCK(&vector.lock);
}

static void remove_last(void) {
    RF_LOCK(&vector.lock);
    int n = RF_LOAD(vector.count);
    if (n > 0) RF_STORE(vector.count, n - 1);
    RF_UNLOCK(&vector.lock);
}

static void remove_all(void) {
    RF_LOCK(&vector.lock);
    RF_STORE(vector.count, 0);
    RF_UNLOCK(&vector.lock);
}

#ifdef FIXED
# define ASK(expression)                            \
  bool answer = false;                              \
  RF_GUARD(&vector.lock) { answer = (expression); } \
  return answer
#else
# define ASK(expression) return (expression)
#endif

static bool is_empty(void) { ASK(RF_LOAD(vector.count) == 0); }
static bool has_size(int n) { ASK(RF_LOAD(vector.count) == n); }
static bool has_more_elements(int seen) { ASK(seen < RF_LOAD(vector.count)); }

static void *change(void *arg) {
    add_element(1);
    remove_last();
    remove_all();
    return arg;
}

static void *ask(void *arg) {
    if (is_empty() || has_size(1)) return arg;
    for (int seen = 0; seen < CAPACITY && has_more_elements(seen); seen++) continue;
    return arg;
}

static void *run(void *arg) { return *(int *)arg ? ask(arg) : change(arg); }

RF_TEST(vector, .expect = BUG(RF_EXPECT_RACE)) {
    rf_mutex_init(&vector.lock, "vector", RF_MUTEX_NORMAL);
    vector.count = 2;
    crew(3, run);
}

RF_MAIN()

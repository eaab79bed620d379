/* What the macros mean: the same with the engine and under RF_OFF, where main() is our own. */
#include "racefuzz.h"

static rf_mutex mutex = RF_MUTEX_INIT;

static bool is_free(rf_mutex *m) {
    if (!RF_TRYLOCK(m)) return false;
    RF_UNLOCK(m);
    return true;
}

static int leave_by_return(void) {
    RF_GUARD(&mutex) { return 1; }
    return 0;
}

static void guards_unlock_on_every_way_out(void) {
    rf_mutex *next = &mutex;
    int turns = 0, after = 0;
    for (int i = 0; i < 3; i++) {
        RF_GUARD(&mutex) {
            turns++;
            if (i == 0) break;
            if (i == 1) continue;
        }
        after++;
        RF_ASSERT(is_free(&mutex));
    }
    RF_ASSERT_EQ(turns, 3);
    RF_ASSERT_EQ(after, 3);
    RF_ASSERT_EQ(leave_by_return(), 1);
    RF_ASSERT(is_free(&mutex));
    RF_GUARD(next++) { goto out; }
out:
    RF_ASSERT_EQ(next, &mutex + 1);
    RF_ASSERT(is_free(&mutex));
}

static void arguments_are_evaluated_once(void) {
    int array[4] = {10, 20, 30, 40}, i = 0, j = 0;
    RF_ASSERT_EQ(RF_LOAD(array[i++]), 10);
    RF_STORE(array[i++], RF_LOAD(array[++j]) + 1);
    RF_ASSERT_EQ(array[1], 21);
    RF_ASSERT_EQ(RF_RACY_LOAD(array[i++]), 30);
    RF_ASSERT_EQ(i++, 3);
    RF_ASSERT_EQ(i, 4);
    RF_ASSERT_EQ(j, 1);
    _Atomic int number = 1, *p = &number;
    RF_ASSERT_EQ(rf_atomic_fetch_add(p++, i++), 1);
    RF_ASSERT_EQ(p, &number + 1);
    RF_ASSERT_EQ(rf_atomic_load(&number), 5);
    RF_ASSERT_EQ(i, 5);
}

static void structs_are_copied(void) {
    struct wide {
        char text[40];
        int n;
    } a = {"a", 1}, b;
    RF_STORE(b, RF_LOAD(a));
    RF_ASSERT_STR_EQ(b.text, "a");
    RF_ASSERT_MEM_EQ(&a, &b, sizeof a);
    RF_RACY_STORE(a, (struct wide){"c", 2});
    RF_ASSERT_EQ(RF_LOAD(a.n), 2);
}

static void atomics_wrap_and_count_elements(void) {
    static int array[4];
    _Atomic unsigned char small = 250;
    _Atomic int greatest = INT32_MAX;
    int *_Atomic cursor = array;
    RF_ASSERT_EQ(rf_atomic_fetch_add(&small, 10), 250);
    RF_ASSERT_EQ(rf_atomic_load(&small), 4);
    rf_atomic_fetch_add(&greatest, 1);
    RF_ASSERT_EQ(rf_atomic_load(&greatest), INT32_MIN);
    RF_ASSERT_EQ(rf_atomic_fetch_add(&cursor, 3), array);
    RF_ASSERT_EQ(rf_atomic_fetch_sub(&cursor, 1), array + 3);
    RF_ASSERT_EQ(rf_atomic_load(&cursor), array + 2);
    RF_ASSERT_EQ(rf_atomic_fetch_or(&small, 3), 4);
    RF_ASSERT_EQ(rf_atomic_fetch_and(&small, 6), 7);
    RF_ASSERT_EQ(rf_atomic_fetch_xor(&small, 2), 6);
    RF_ASSERT_EQ(rf_atomic_exchange(&small, 9), 4);
}

static void compare_exchange_tells_what_it_found(void) {
    _Atomic int number = 1;
    int expected = 2;
    RF_ASSERT(!rf_atomic_compare_exchange_strong(&number, &expected, 3));
    RF_ASSERT_EQ(expected, 1);
    RF_ASSERT(rf_atomic_compare_exchange_strong(&number, &expected, 3));
    expected = 3;
    while (!rf_atomic_compare_exchange_weak(&number, &expected, 4)) RF_ASSERT_EQ(expected, 3);
    RF_ASSERT_EQ(rf_atomic_load(&number), 4);
    rf_atomic_flag flag = RF_ATOMIC_FLAG_INIT;
    RF_ASSERT(!rf_atomic_flag_test_and_set(&flag));
    RF_ASSERT(rf_atomic_flag_test_and_set(&flag));
    rf_atomic_flag_clear(&flag);
    RF_ASSERT(!rf_atomic_flag_test_and_set(&flag));
}

RF_TLS(int, own);
static rf_sem sem = RF_SEM_INIT(0);
static rf_barrier barrier = RF_BARRIER_INIT(2);
static rf_once once = RF_ONCE_INIT;
static int calls, lasts;

static void count_call(void) { calls++; }

static void *worker(void *arg) {
    *RF_TLS_PTR(own) += 1;
    RF_ONCE(&once, count_call);
    if (RF_BARRIER_WAIT(&barrier)) RF_STORE(lasts, RF_LOAD(lasts) + 1);
    RF_SEM_POST(&sem);
    return *RF_TLS_PTR(own) == 1 ? arg : NULL;
}

static rf_atomic_int ran;
static void *run_once(void *arg) {
    RF_ASSERT(!arg);
    rf_atomic_fetch_add(&ran, 1);
    return &ran;
}

static void threads_meet(void) {
    int a, b;
    rf_atomic_init(&ran, 0);
    RF_THREADS(0, run_once);
    RF_THREADS(3, run_once);
    RF_ASSERT_EQ(rf_atomic_load(&ran), 3);
    calls = lasts = 0;
    *RF_TLS_PTR(own) = 5;
    rf_thread first = RF_THREAD(worker, &a), second = RF_THREAD(worker, &b);
    RF_SEM_WAIT(&sem);
    RF_SEM_WAIT(&sem);
    RF_ASSERT(!RF_SEM_TRYWAIT(&sem));
    RF_ASSERT_EQ(RF_JOIN(first), &a);
    RF_ASSERT_EQ(RF_JOIN(second), &b);
    RF_ASSERT_EQ(*RF_TLS_PTR(own), 5);
    RF_ASSERT_EQ(calls, 1);
    RF_ASSERT_EQ(lasts, 1);
}

static void times_run_out(void) {
    rf_cond cond = RF_COND_INIT;
    rf_mutex recursive;
    RF_ASSERT(!RF_SEM_TIMEDWAIT(&sem, 1));
    RF_LOCK(&mutex);
    while (RF_TIMEDWAIT(&cond, &mutex, 1)) {
    } /* true: woken, though by nobody */
    RF_UNLOCK(&mutex);
    rf_mutex_init(&recursive, "recursive", RF_MUTEX_RECURSIVE | RF_MUTEX_CEILING(3));
    RF_LOCK(&recursive);
    RF_ASSERT(RF_TRYLOCK(&recursive));
    RF_UNLOCK(&recursive);
    RF_UNLOCK(&recursive);
    rf_mutex_destroy(&recursive);
    RF_SLEEP_MS(1);
}

static void all(void) {
    guards_unlock_on_every_way_out();
    arguments_are_evaluated_once();
    structs_are_copied();
    atomics_wrap_and_count_elements();
    compare_exchange_tells_what_it_found();
    threads_meet();
    times_run_out();
}

#ifdef RF_OFF
int main(void) {
    all();
    return 0;
}
#else
RF_TEST(meaning, .executions = 100) { all(); }

RF_MAIN()
#endif

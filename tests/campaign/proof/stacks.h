/* A part of ../proof.c: blocks and stacks. */

/* Memory is not given out again in a search: somebody could take the second block for the first. */
static void *give_back(void *arg) {
    RF_FREE(arg);
    return add(RF_MALLOC(8));
}

RF_TEST(reused) {
    clear();
    rf_thread t = RF_THREAD(give_back, RF_MALLOC(8));
    (void)add(NULL);
    RF_FREE(RF_JOIN(t));
}

/* A race with the allocation itself. */
static rf_atomic_uintptr_t block;

THREAD(allocate) {
    rf_atomic_store_explicit(&block, (uintptr_t)RF_MALLOC(8), rf_memory_order_relaxed);
}

THREAD(fill) {
    char *p = (char *)rf_atomic_load_explicit(&block, rf_memory_order_relaxed);
    if (p) RF_STORE(*p, 1);
}

RF_TEST(allocated) {
    rf_atomic_init(&block, 0);
    run_two(allocate, fill);
    RF_FREE((void *)rf_atomic_load(&block));
}

/* A stack that others use, until its thread is told that they have, with an order or without one.
 */
static rf_memory_order told;

THREAD(lend) {
    int local = 0;
    rf_atomic_store(&block, (uintptr_t)&local);
    while (!rf_atomic_load(&flag)) RF_YIELD();
}

THREAD(borrow) {
    int *p = (int *)rf_atomic_load(&block);
    if (p) RF_STORE(*p, 1);
    rf_atomic_store_explicit(&flag, 1, told);
}

RF_TEST(given_back) {
    clear();
    rf_atomic_init(&block, 0);
    told = rf_memory_order_release;
    run_two(lend, borrow);
}

RF_TEST(lent) {
    clear();
    rf_atomic_init(&block, 0);
    told = rf_memory_order_relaxed;
    run_two(lend, borrow);
}

/* An atomic there, whose stack is written again before its thread ends. */
static __attribute__((noinline)) void leave_there(void) {
    rf_atomic_int local;
    rf_atomic_init(&local, 2);
    rf_atomic_store(&local, 1);
    rf_atomic_store(&block, (uintptr_t)&local);
}

static __attribute__((noinline)) void write_again(void) {
    volatile char bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 7;
}

THREAD(leave_one) {
    leave_there();
    write_again();
}

RF_TEST(left_there) {
    rf_atomic_init(&block, 0);
    RF_JOIN(RF_THREAD(leave_one, NULL));
    (void)rf_atomic_load((rf_atomic_int *)rf_atomic_load(&block));
}

/* A part of ../proof.c: one core, all of whose schedules are gone through. */

static void handler(void *arg) { (void)add(arg); }

RF_TEST(interrupted) {
    clear();
    RF_INTERRUPT(1, handler, NULL, .times = 5);
    (void)add(NULL);
}

RF_TEST(interrupted_threads) {
    clear();
    RF_INTERRUPT(1, handler, NULL);
    run_two(add, add);
}

RF_TEST(interrupted_loop) {
    clear();
    RF_INTERRUPT(1, handler, NULL);
    while (!rf_atomic_load(&cell)) RF_YIELD();
}

RF_TEST(interrupted_by_time) {
    clear();
    RF_INTERRUPT(1, handler, NULL, .period = 10, .times = 1);
    (void)add(NULL);
}

RF_TEST(interrupted_behind) {
    clear();
    BESIDE(add) RF_INTERRUPT(1, handler, NULL);
}

RF_TEST(interrupted_weakly) {
    int one = 1;
    clear();
    RF_INTERRUPT(1, handler, NULL);
    (void)rf_atomic_compare_exchange_weak(&cell, &one, 2);
}

RF_TEST(interrupted_turns) {
    clear();
    RF_INTERRUPT(1, handler, NULL);
    for (int i = 0; i < 20; i++) RF_YIELD();
}

/* A part of ../proof.c: deaths, and threads that are left when all is over. */

/* Parts of a search fail, and die. */
RF_TEST(crashes) {
    uint32_t n = RF_CHOOSE(800);
    clear();
    run_two(add, add);
    RF_ASSERT(n != 600);
    if (n == 700) abort();
}

static rf_sem never = RF_SEM_INIT(0);

THREAD(keep_and_wait) { RF_GUARD(&m) RF_SEM_WAIT(&never); }

static void *take_once(void *arg) {
    RF_LOCK(&m);
    RF_UNLOCK(&m);
    return add(arg);
}

RF_TEST(left_waiting) {
    clear();
    RF_DETACH(RF_THREAD(keep_and_wait, NULL));
    RF_DETACH(RF_THREAD(take_once, NULL));
}

THREAD(keep_and_spin) { RF_GUARD(&m) while (!rf_atomic_load(&cell)) continue; }

RF_TEST(left_spinning) {
    clear();
    RF_DETACH(RF_THREAD(keep_and_spin, NULL));
    RF_DETACH(RF_THREAD(take_once, NULL));
}

THREAD(take_and_fail) { RF_GUARD(&m) RF_ASSERT(rf_atomic_load(&cell)); }

/* There is another failure than that one waits for ever. */
BOTH(spins_and_fails, keep_and_spin, take_and_fail)

/* An end before anything new was done. */
static int ended(bool dies) {
    if (dies) exit(3);
    return 0;
}

RF_TEST(dies) {
    uint32_t n = RF_CHOOSE(3);
    RF_ASSERT(n + (unsigned)ended(n == 1) != 2);
}

/* One of the first that are tried. */
RF_TEST(fails_early) { RF_ASSERT_NE(RF_CHOOSE(40), 1); }

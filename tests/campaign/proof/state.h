/* A part of ../proof.c: what executions leave to others, or make by chance. */

static int kept;
static void *add_sometimes(void *arg) {
    if (kept++ % 3 == 1) rf_atomic_fetch_add(&flag, 1);
    return add(arg);
}

BOTH(state, add_sometimes, add_sometimes)

static rf_atomic_int total;
THREAD(add_to_all) { rf_atomic_fetch_add(&total, 1); }

/* What is done follows from nothing that is kept; the values do not. */
BOTH(sum, add_to_all, add_to_all)

static int times;
static rf_mutex counting = RF_MUTEX_INIT;

THREAD(count) { RF_GUARD(&counting) RF_STORE(times, RF_LOAD(times) + 1); }

/* Nor do those of plain data. */
RF_TEST(counter) {
    clear();
    run_two(count, count);
    RF_ASSERT(RF_LOAD(times) != 150000);
}

/* Written unseen, and set by each execution all the same. */
static int last;
static void *first_half(void *arg) {
    RF_GUARD(&counting) last = 1;
    return add(arg);
}

static void *second_half(void *arg) {
    RF_GUARD(&counting) last = 2;
    return add(arg);
}

RF_TEST(winner) {
    clear();
    run_two(first_half, second_half);
    RF_ASSERT(RF_LOAD(last));
}

/* Chance that racefuzz does not see. */
RF_TEST(dice) {
    clear();
    RF_STORE(times, rand());
    run_two(add, add);
}

/* What is not seen every time. */
RF_TEST(rarely_otherwise) {
    static unsigned n;
    clear();
    if (++n % 5 == 0) RF_YIELD();
    RF_STORE(times, 1);
}

static void *add_by_chance(void *arg) {
    void *p = RF_MALLOC(8), *q;
    RF_FREE(p);
    q = RF_MALLOC(8);
    RF_FREE(q);
    return add(arg);
}

BOTH(chance, add_by_chance, add_by_chance)

RF_TEST(chance_at_first) {
    clear();
    if (RF_CHOOSE(2))
        run_two(add, add);
    else
        run_two(add_by_chance, add_by_chance);
}

static void *given, *taken; /* blocks */
static rf_sem made_one = RF_SEM_INIT(0);

THREAD(take_block) {
    taken = RF_MALLOC(8);
    RF_SEM_POST(&made_one);
}

THREAD(give_block) { RF_FREE(given); }

static void *give_when_told(void *arg) {
    RF_SEM_WAIT(&made_one);
    return give_block(arg);
}

static void blocks(void *(*give)(void *)) {
    clear();
    given = RF_MALLOC(8);
    run_two(take_block, give);
    RF_FREE(taken);
}

RF_TEST(blocks_beside) { blocks(give_block); }
RF_TEST(blocks_in_turn) { blocks(give_when_told); }

static void *make_and_add(void *arg) {
    static rf_mutex made[2];
    rf_mutex *m = &made[rf_atomic_fetch_add(&cell, 1)];
    rf_mutex_init(m, "made", RF_MUTEX_NORMAL);
    return add(arg);
}

BOTH(made_beside, make_and_add, make_and_add)

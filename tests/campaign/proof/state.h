/* A part of ../proof.c: what executions leave to others, or make by chance. */

static int kept;
static void *add_sometimes(void *arg) {
    if (kept++ % 3 == 1) rf_atomic_fetch_add(&flag, 1);
    return add(arg);
}

BOTH(state, add_sometimes, add_sometimes)

static rf_atomic_int total;
static void *add_to_all(void *arg) {
    rf_atomic_fetch_add(&total, 1);
    return arg;
}

/* What is done follows from nothing that is kept; the values do not. */
BOTH(sum, add_to_all, add_to_all)

static int times;
static rf_mutex counting = RF_MUTEX_INIT;

static void *count(void *arg) {
    RF_LOCK(&counting);
    RF_STORE(times, RF_LOAD(times) + 1);
    RF_UNLOCK(&counting);
    return arg;
}

/* Nor do those of plain data. */
RF_TEST(counter) {
    clear();
    both(count, count);
    RF_ASSERT(RF_LOAD(times) != 150000);
}

/* Written unseen, and set by each execution all the same. */
static int last;
static void *first_half(void *arg) {
    RF_LOCK(&counting);
    last = 1;
    RF_UNLOCK(&counting);
    return add(arg);
}

static void *second_half(void *arg) {
    RF_LOCK(&counting);
    last = 2;
    RF_UNLOCK(&counting);
    return add(arg);
}

RF_TEST(winner) {
    clear();
    both(first_half, second_half);
    RF_ASSERT(RF_LOAD(last));
}

/* Chance that racefuzz does not see. */
RF_TEST(dice) {
    clear();
    RF_STORE(times, rand());
    both(add, add);
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
        both(add, add);
    else
        both(add_by_chance, add_by_chance);
}

static void *given, *taken; /* blocks */
static rf_sem made_one = RF_SEM_INIT(0);

static void *take_block(void *arg) {
    taken = RF_MALLOC(8);
    RF_SEM_POST(&made_one);
    return arg;
}

static void *give_block(void *arg) {
    RF_FREE(given);
    return arg;
}

static void *give_when_told(void *arg) {
    RF_SEM_WAIT(&made_one);
    return give_block(arg);
}

static void blocks(void *(*give)(void *)) {
    clear();
    given = RF_MALLOC(8);
    both(take_block, give);
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

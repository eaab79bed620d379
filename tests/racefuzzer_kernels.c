/* The shapes of the paper's benchmarks (Sen, PLDI 2008, Table 1) as small programs, through whole
 * campaigns: which pairs are predicted, which of them are brought together, what that does.
 * Pairs count by line and kind. */
#define RF_IMPLEMENTATION
#include "lab.h"

enum { THREADS = 3 };

static void run(void *(*fn)(void *)) {
    static int id[THREADS];
    rf_thread t[THREADS];
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        t[i] = RF_THREAD(fn, &id[i]);
    }
    for (int i = 0; i < THREADS; i++) RF_JOIN(t[i]);
}

/* How many pairs racefuzzer brought together, how many always when it tried. */
typedef struct figures {
    uint32_t predicted, hit, hit_always, failed;
} figures;

static figures figures_of(const rfi_study *s) {
    figures f = {.predicted = s->result.warnings};
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *p = &s->result.warning[i];
        f.hit += p->hits > 0;
        f.hit_always += p->hits == p->executions;
        f.failed += p->failed > 0;
    }
    printf("# %-12s predicted %2u, real %2u, hit always %2u, with failures %2u\n",
           s->result.test->options.rfi_name, f.predicted, f.hit, f.hit_always, f.failed);
    return f;
}

/* ---- moldyn, lufact: a tournament barrier of plain flags ---- */

static int done[THREADS], part[THREADS], sum;

enum { MOLDYN_R1 = __LINE__ + 4, MOLDYN_W = MOLDYN_R1 + 1, MOLDYN_R2 = MOLDYN_W + 1 };
static void tournament(int id) {
    int v = !RF_LOAD(done[id]); /* nobody else writes it */
    for (int child = 4 * id + 1; child <= 4 * id + 4 && child < THREADS; child++)
        while (RF_LOAD(done[child]) != v) continue; /* R1 */
    RF_STORE(done[id], v);                          /* W */
    while (RF_LOAD(done[0]) != v) continue;         /* R2 */
}

static void *moldyn(void *arg) {
    int id = *(int *)arg;
    RF_STORE(part[id], id + 1);
    tournament(id);
    if (id == 0) {
        int s = 0;
        for (int i = 0; i < THREADS; i++) s += RF_LOAD(part[i]);
        RF_STORE(sum, s);
    }
    tournament(id);
    RF_ASSERT(RF_LOAD(sum) == 6);
    return NULL;
}

RF_TEST(moldyn) {
    memset(done, 0, sizeof done);
    memset(part, 0, sizeof part);
    sum = 0;
    run(moldyn);
}

static void test_moldyn(void) {
    const rfi_study *s =
        lab_study("moldyn", "--executions=400", "--seconds=none", "--memory=c11", NULL);
    figures f = figures_of(s);
    const rfi_warning *r1 = lab_pair(s, MOLDYN_W, 'W', MOLDYN_R1, 'R');
    const rfi_warning *r2 = lab_pair(s, MOLDYN_W, 'W', MOLDYN_R2, 'R');
    LAB_CHECK("moldyn: real are only W-R1 and W-R2 of the barrier, hit every time",
              f.predicted > 2 && f.hit == 2 && f.hit_always == 2 && r1 && r1->hits && r2 &&
                  r2->hits);
    LAB_CHECK("moldyn: every execution ends, and none fails", !s->causes);
    /* as in Flanagan, Freund, figure 9 */
    s = lab_study("moldyn", "--executions=100", "--steps=20000", "--seconds=none", NULL);
    LAB_CHECK("moldyn: all that races is destructive",
              s->result.destructive >= 4 && !s->result.real && !s->result.harmful);
    /* with W and R1 postponed, threads at R2 spin for 2,000 decisions until the monitor acts */
    rfi_test_named("moldyn")->options.max_steps = 1900;
    const rfi_tally *t = lab_confirm("moldyn", MOLDYN_W, 'W', MOLDYN_R1, 'R', 50, LAB_COARSE);
    LAB_CHECK("moldyn: it is the monitor that ends the spinning",
              t->failures && t->failure[0].failure.diagnostic == RF_DIAG_LIVELOCK);
}

/* ---- sor: red and black half-sweeps with a barrier of mutex and condition between ---- */

static rf_mutex gate = RF_MUTEX_INIT;
static rf_cond opened = RF_COND_INIT;
static rf_barrier native = RF_BARRIER_INIT(THREADS);
static int arrived, phase, row[2 * THREADS + 1];
static bool use_native;

static void cyclic(void) {
    if (use_native) {
        RF_BARRIER_WAIT(&native);
        return;
    }
    RF_LOCK(&gate);
    int mine = RF_LOAD(phase);
    RF_STORE(arrived, RF_LOAD(arrived) + 1);
    if (RF_LOAD(arrived) == THREADS) {
        RF_STORE(arrived, 0);
        RF_STORE(phase, mine + 1);
        RF_BROADCAST(&opened);
    }
    while (RF_LOAD(phase) == mine) RF_WAIT(&opened, &gate);
    RF_UNLOCK(&gate);
}

static void *sor(void *arg) {
    int red = 2 * *(int *)arg, black = red + 1;
    for (int sweep = 0; sweep < 2; sweep++) {
        RF_STORE(row[red], RF_LOAD(row[red]) + RF_LOAD(row[black]));
        if (red) RF_STORE(row[red], RF_LOAD(row[red]) + RF_LOAD(row[red - 1]));
        cyclic();
        RF_STORE(row[black], RF_LOAD(row[black]) + RF_LOAD(row[red]));
        RF_STORE(row[black], RF_LOAD(row[black]) + RF_LOAD(row[black + 1]));
        cyclic();
    }
    return NULL;
}

RF_TEST(sor) {
    arrived = phase = 0;
    for (int i = 0; i <= 2 * THREADS; i++) row[i] = 1;
    run(sor);
}

static void test_sor(void) {
    use_native = false;
    const rfi_study *s = lab_study("sor", "--executions=2000", "--seconds=none", NULL);
    figures f = figures_of(s);
    LAB_CHECK("sor: behind a barrier of mutex and condition races are predicted, none is real",
              f.predicted >= 4 && !s->result.real && !s->result.harmful && !s->causes);
    use_native = true;
    s = lab_study("sor", "--executions=2000", "--seconds=none", NULL);
    f = figures_of(s);
    LAB_CHECK("sor: behind RF_BARRIER_WAIT no race is predicted", !f.predicted && !s->causes);
}

/* ---- raytracer: a lock on the wrong object ---- */

static rf_mutex scene[THREADS];
static int checksum;

enum { RAY = __LINE__ + 4 };
static void *raytracer(void *arg) {
    rf_mutex *mine = &scene[*(int *)arg];
    RF_LOCK(mine);
    RF_STORE(checksum, RF_LOAD(checksum) + 1);
    RF_UNLOCK(mine);
    return NULL;
}

RF_TEST(raytracer) {
    checksum = 0;
    memset(scene, 0, sizeof scene);
    run(raytracer);
    if (checksum != THREADS) RF_FAIL("wrong checksum"); /* the benchmark itself does not look */
}

static void test_raytracer(void) {
    const rfi_study *s = lab_study("raytracer", "--executions=2000", NULL);
    figures f = figures_of(s);
    LAB_CHECK("raytracer: R-W and W-W are predicted, real, and hit every time",
              f.predicted == 2 && f.hit == 2 && f.hit_always == 2 &&
                  lab_pair(s, RAY, 'R', RAY, 'W') && lab_pair(s, RAY, 'W', RAY, 'W'));
    const rfi_tally *t = lab_confirm("raytracer", RAY, 'W', RAY, 'W', 2000, LAB_COARSE);
    LAB_CHECK("raytracer: with W-W every execution loses an update",
              t->hits == 2000 && lab_said(t, "wrong checksum") == 2000);
}

/* ---- montecarlo: everybody stores the same value ---- */

static bool debug;

enum { DEBUG_W = __LINE__ + 2, DEBUG_R = DEBUG_W + 1 };
static void *montecarlo(void *arg) {
    RF_STORE(debug, true);
    if (!RF_LOAD(debug)) RF_FAIL("not set");
    return arg;
}

RF_TEST(montecarlo) {
    debug = false;
    run(montecarlo);
}

static void test_montecarlo(void) {
    const rfi_study *s = lab_study("montecarlo", "--executions=2000", NULL);
    figures f = figures_of(s);
    LAB_CHECK("montecarlo: the flag's store races with itself and with the load, without harm",
              f.predicted == 2 && f.hit == 2 && f.hit_always == 2 && !s->causes &&
                  lab_pair(s, DEBUG_W, 'W', DEBUG_W, 'W') &&
                  lab_pair(s, DEBUG_W, 'W', DEBUG_R, 'R'));
}

/* ---- hedc: a task is cancelled while it finishes ---- */

static rf_mutex task_lock = RF_MUTEX_INIT;
static int task;

enum { HEDC_R1 = __LINE__ + 4, HEDC_R2 = HEDC_R1 + 1, HEDC_W = HEDC_R2 + 4 };
static void *hedc(void *arg) {
    if (*(int *)arg == 0) {
        RF_LOCK(&task_lock);
        if (RF_LOAD(task) != 0)
            if (RF_LOAD(task) == 0) RF_FAIL("cancelled nothing");
        RF_UNLOCK(&task_lock);
    } else if (*(int *)arg == 1) {
        RF_YIELD();
        RF_STORE(task, 0);
    }
    return NULL;
}

RF_TEST(hedc) {
    task = 1;
    run(hedc);
}

static void test_hedc(void) {
    const rfi_study *s = lab_study("hedc", "--executions=2000", NULL);
    figures f = figures_of(s);
    const rfi_warning *r1 = lab_pair(s, HEDC_R1, 'R', HEDC_W, 'W');
    const rfi_warning *r2 = lab_pair(s, HEDC_R2, 'R', HEDC_W, 'W');
    LAB_CHECK("hedc: the store races with both loads of the canceller",
              f.predicted == 2 && f.hit == 2 && f.hit_always == 2);
    LAB_CHECK("hedc: only the race with the second load does harm",
              r1 && r2 && !r1->failed && r2->failed);
}

/* ---- weblech: a counter and a flag outside of the lock ---- */

static rf_mutex queue_lock = RF_MUTEX_INIT;
static int queue, in_progress, running, left; /* left: what is known to the test only */

enum { ADJUST = __LINE__ + 3 };
static void adjust(int *counter, int by) {
    RF_LOCK(&queue_lock);
    RF_STORE(*counter, RF_LOAD(*counter) + by);
    RF_UNLOCK(&queue_lock);
}

static bool take(void) {
    RF_LOCK(&queue_lock);
    bool any = RF_LOAD(queue) > 0;
    if (any) RF_STORE(queue, RF_LOAD(queue) - 1);
    RF_UNLOCK(&queue_lock);
    return any;
}

static bool queued(void) {
    RF_LOCK(&queue_lock);
    bool any = RF_LOAD(queue) > 0;
    RF_UNLOCK(&queue_lock);
    return any;
}

enum { IN_PROGRESS = __LINE__ + 2, STOPPED = IN_PROGRESS + 1 };
static void spider(void) {
    while (queued() || RF_LOAD(in_progress) > 0) {
        if (!RF_LOAD(running)) return;
        if (!take()) continue;
        adjust(&in_progress, 1);
        if (left > 1) adjust(&queue, 1); /* the page has a link */
        left--;
        adjust(&in_progress, -1);
    }
    if (left > 0) RF_FAIL("left early");
}

enum { STOP = __LINE__ + 3 };
static void *weblech(void *arg) {
    if (*(int *)arg < 2) spider();
    if (*(int *)arg == 2 && RF_LOAD(running)) RF_STORE(running, 0);
    return NULL;
}

RF_TEST(weblech, .max_steps = 20000) {
    queue = 1;
    in_progress = 0;
    running = 1;
    left = 3;
    run(weblech);
}

static void test_weblech(void) {
    const rfi_study *s = lab_study("weblech", "--executions=4000", NULL);
    figures f = figures_of(s);
    const rfi_warning *counter = lab_pair(s, IN_PROGRESS, 'R', ADJUST, 'W');
    const rfi_warning *stop = lab_pair(s, STOPPED, 'R', STOP, 'W');
    LAB_CHECK("weblech: the counter and the flag read without the lock are the real races",
              f.predicted == 2 && counter && counter->hits && stop && stop->hits);
    LAB_CHECK("weblech: the counter's race makes a spider leave early, as uniform random does",
              s->causes == 1 && counter && counter->failed &&
                  lab_said(lab_random("weblech", 4000, LAB_FINE), "left early"));
}

/* ---- vector: reads without the lock ---- */

static rf_mutex vector_lock = RF_MUTEX_INIT;
static int size, element[4];

enum { ADD_W = __LINE__ + 4, SIZE_W = ADD_W + 1, SIZE_R = SIZE_W + 3, GET_R = SIZE_R + 1 };
static void *vector(void *arg) {
    if (*(int *)arg == 0) {
        RF_LOCK(&vector_lock);
        RF_STORE(element[RF_LOAD(size)], 1);
        RF_STORE(size, RF_LOAD(size) + 1);
        RF_UNLOCK(&vector_lock);
    } else {
        int i = RF_LOAD(size);
        for (; i >= 0; i--) (void)RF_LOAD(element[i]);
    }
    return NULL;
}

RF_TEST(vector) {
    size = 0;
    memset(element, 0, sizeof element);
    run(vector);
}

static void test_vector(void) {
    const rfi_study *s = lab_study("vector", "--executions=2000", NULL);
    figures f = figures_of(s);
    LAB_CHECK("vector: all that is predicted is real",
              f.predicted == 2 && f.hit == 2 && lab_pair(s, SIZE_R, 'R', SIZE_W, 'W') &&
                  lab_pair(s, GET_R, 'R', ADD_W, 'W') && !s->causes);
}

int main(void) {
    test_moldyn();
    test_sor();
    test_raytracer();
    test_montecarlo();
    test_hedc();
    test_weblech();
    test_vector();
    return lab_end();
}

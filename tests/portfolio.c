/* `auto`: who runs the next batch.  The budget is shared, and moves to what still shows something
 * new, without leaving anybody out. */
#define RF_IMPLEMENTATION
#include "lab.h"

enum { USUAL = RFI_LENGTH(rfi_usual_arm) };

static rfi_arm arm[RFI_ARMS];
static uint32_t arms, batches;
static uint64_t executions;
static uint64_t ran[RFI_ARMS]; /* executions of each since `watch` */

static void start(const char *names) {
    static const rfi_job none = {.spurious = true, .memory = {.atomics = RF_MEM_C11}};
    arms = rfi_portfolio_open(arm, &none, names);
    executions = batches = 0;
}

static uint32_t place_of(const char *name) {
    uint32_t i = 0;
    while (i < arms && strcmp(arm[i].job.strategy->name, name) != 0) i++;
    return i;
}

static bool is(uint32_t i, const char *name) {
    return i < arms && !strcmp(arm[i].job.strategy->name, name);
}

static const char *dear = ""; /* its executions have ten steps, others one */

/* Batches until there were so many executions more; new behaviour is shown by one of them only. */
static void run(uint64_t more, const char *finder) {
    uint64_t until = executions + more;
    memset(ran, 0, sizeof ran);
    while (executions < until) {
        rfi_arm *a = rfi_portfolio_next(arm, arms, executions, batches++);
        if (!a) return;
        uint64_t end = rfi_batch_end(a->next), n = end - a->next;
        bool finds = !strcmp(a->job.strategy->name, finder);
        a->steps += n * (is((uint32_t)(a - arm), dear) ? 10 : 1);
        rfi_arm_ran(a, end, n, finds ? n : 0, true);
        ran[a - arm] += n;
        executions += n;
    }
}

/* Of the executions since the last call of `run`, in percent. */
static uint32_t percent(const char *name, uint64_t of) {
    return (uint32_t)(ran[place_of(name)] * 100 / of);
}

CASE(test_opening) {
    start(NULL);
    LAB_CHECK("auto is nine explorers", arms == USUAL && USUAL == 9);
    LAB_CHECK("feedback is the first", is(0, "feedback"));
    start("auto,native");
    LAB_CHECK("another one joins them", arms == USUAL + 1 && is(USUAL, "native"));
    start("pct:4,random");
    LAB_CHECK("or only those that are named", arms == 2 && place_of("pct") < 2);
    LAB_CHECK("with what they are given", arm[place_of("pct")].job.parameter == 4);
    start("");
    LAB_CHECK("random, if none is", arms == 1 && is(0, "random"));
    start("dpor");
    LAB_CHECK("a search of all schedules draws nothing else",
              !arm[0].job.spurious && arm[0].job.memory.atomics == RF_MEM_SC);
    start("random");
    LAB_CHECK("others do", arm[0].job.spurious && arm[0].job.memory.atomics == RF_MEM_C11);
}

CASE(test_order) {
    uint64_t first[RFI_ARMS];
    bool known[RFI_ARMS] = {false};
    start(NULL);
    while (executions < 300) {
        rfi_arm *a = rfi_portfolio_next(arm, arms, executions, batches++);
        if (!known[a - arm]) first[a - arm] = executions;
        known[a - arm] = true;
        uint64_t end = rfi_batch_end(a->next);
        executions += end - a->next;
        rfi_arm_ran(a, end, end - a->next, 0, true);
    }
    uint32_t late = 0;
    for (uint32_t i = 1; i < arms; i++)
        late += known[i] && first[i] >= RFI_LATER && first[i] < 2 * RFI_LATER;
    LAB_CHECK("the others join feedback after 60", late == USUAL - 1);
    LAB_CHECK("surw first, then rapos", first[place_of("surw")] < first[place_of("rapos")] &&
                                            first[place_of("rapos")] < first[place_of("pos")]);
}

CASE(test_shift) {
    enum { MANY = 20000 };
    start(NULL);
    run(300, "none");
    run(MANY, "sticky");
    LAB_CHECK("who finds something gets half and his share", percent("sticky", MANY) >= 50);
    uint64_t least = MANY;
    for (uint32_t i = 0; i < arms; i++) least = ran[i] < least ? ran[i] : least;
    LAB_CHECK("nobody is left out", least >= MANY / 100);
    /* Shares 12 and 3, of the half that goes by shares. */
    uint64_t ratio = ran[place_of("feedback")] * 10 / ran[place_of("surw")];
    LAB_CHECK("the others have their shares", ratio >= 35 && ratio <= 45);
    run(MANY, "pos");
    LAB_CHECK("it moves when another one finds something", percent("pos", MANY) >= 45);
    LAB_CHECK("away from the first", percent("sticky", MANY) <= 10);
}

CASE(test_steps) {
    enum { MANY = 200000 };
    start(NULL);
    dear = "feedback";
    run(RFI_MANY, "none");
    LAB_CHECK("at first executions count", percent("feedback", RFI_MANY) >= 45);
    run(MANY, "none");
    uint64_t ratio = ran[place_of("pos")] * 10 / ran[place_of("feedback")];
    LAB_CHECK("in long campaigns steps do", ratio >= 15 && ratio <= 25); /* 2 beside 12 tenths */
    dear = "";
}

CASE(test_exhausted) {
    start("dfs,random");
    uint32_t dfs = place_of("dfs"), random = place_of("random");
    rfi_arm_ran(&arm[dfs], rfi_batch_end(0), 1, 1, true);
    run(1000, "dfs");
    LAB_CHECK("who has run all there is, rests", !ran[dfs] && ran[random] >= 1000);
    arm[random].exhausted = true;
    LAB_CHECK("and when all have, it is the end",
              !rfi_portfolio_next(arm, arms, executions, batches));
}

/* The next batch of the only explorer, after `next` executions of so many steps. */
static uint64_t batch(const char *name, uint32_t next, uint64_t steps) {
    start(name);
    arm[0].next = next;
    arm[0].job.phase = RFI_PREDICT;
    return rfi_arm_batch(&arm[0], next, next * steps);
}

CASE(test_batches) {
    LAB_CHECK("the first batches are short",
              batch("random", 0, 0) == 2 && batch("random", 126, 10) == 64);
    LAB_CHECK("they become longer as executions add up", batch("random", 8000, 10) == 1000);
    LAB_CHECK("also where one execution follows from those before", batch("dfs", 8000, 10) == 1000);
    LAB_CHECK("up to a number of steps", batch("random", 1000000, 100) < 3000);
    LAB_CHECK("but not where a batch teaches the next", batch("feedback", 1000000, 10) <= 64);
}

/* ---- a campaign ---- */

static int x, y;

THREAD(writer) {
    RF_STORE(x, 1);
    RF_STORE(y, 1);
}

RF_TEST(few) {
    x = y = 0;
    BESIDE(writer)(void)(RF_LOAD(y) + RF_LOAD(x));
}

/* Store buffering: four executions, without a race. */
static _Atomic int left, right;

THREAD(to_the_right) {
    rf_atomic_store_explicit(&right, 1, rf_memory_order_relaxed);
    (void)rf_atomic_load_explicit(&left, rf_memory_order_relaxed);
}

RF_TEST(small) {
    left = right = 0;
    BESIDE(to_the_right) {
        rf_atomic_store_explicit(&left, 1, rf_memory_order_relaxed);
        (void)rf_atomic_load_explicit(&right, rf_memory_order_relaxed);
    }
}

CASE(test_proof) {
    rfi_job none = {.spurious = true, .memory = {.atomics = RF_MEM_C11}};
    start(NULL);
    rfi_portfolio_prove(arm, &arms, &none, 1000);
    LAB_CHECK("auto is joined by a search for a proof", arms == USUAL + 1 && arm[USUAL].proves);
    run(98, "none");
    LAB_CHECK("but not before a tenth of the budget", !arm[USUAL].next);
    run(500, "none");
    LAB_CHECK("then it has a part", arm[USUAL].next > 0);
    rfi_portfolio_disprove(arm, arms);
    run(500, "none");
    LAB_CHECK("and nothing more when there is nothing to prove", !ran[USUAL]);
    start("auto,graphs");
    rfi_portfolio_prove(arm, &arms, &none, 1000);
    LAB_CHECK("one that was named is not joined by another",
              arms == USUAL + 1 && !arm[USUAL].proves);

    const rfi_study *s = lab_study("small", "--executions=500", NULL);
    LAB_CHECK("a small test ends with the proof", s->proved && s->predicted->executions < 100);
    LAB_CHECK("in which four executions are the search's, and no drawn ones",
              s->explored[USUAL].executions == 4 && !s->explored[USUAL].fresh);
    LAB_CHECK("where there is a race, nothing is proved",
              !lab_study("few", "--executions=500", NULL)->proved);
    LAB_CHECK("nor where another memory is asked for",
              !lab_study("small", "--executions=500", "--memory=oldest", NULL)->proved);
    LAB_CHECK("nor by others", !lab_study("small", "--strategy=feedback,surw", NULL)->proved);
}

CASE(test_campaign) {
    const rfi_study *s = lab_study("few", "--strategy=dfs,random", "--executions=500", NULL);
    const rfi_arm *dfs = &s->arm[0], *random = &s->arm[1];
    if (dfs->job.strategy != &rfi_dfs) dfs = &s->arm[1], random = &s->arm[0];
    LAB_CHECK("a campaign: dfs ends, random has the rest",
              dfs->exhausted && !random->exhausted && random->next > 300);
    LAB_CHECK("all executions are somebody's",
              s->predicted->executions <= 500 && s->predicted->executions >= random->next);
    s = lab_study("few", "--executions=500", NULL);
    uint64_t sum = 0, none = 0;
    for (uint32_t i = 0; i < USUAL; i++) sum += s->arm[i].next, none += !s->arm[i].next;
    LAB_CHECK("auto: everybody took part", s->arms == USUAL + 1 && !none);
    LAB_CHECK("the budget is what was asked for", sum == 500);
}

/* What Linux says of processes (proc(5)): the flags are field 9, the beginning field 22, what is
 * pending field 31. */
static uint64_t began(char state, unsigned flags, unsigned pending) {
    char text[256];
    snprintf(text, sizeof text,
             "17 (a) b) %c 1 17 17 0 -1 %u 9 9 9 9 8 8 8 8 20 0 1 0 4242 9 9 9 7 7 7 7 7 %u 0 0 0",
             state, flags, pending);
    return rfi_folder_began_as(text);
}

CASE(test_processes) {
    LAB_CHECK("who runs holds his lane", began('S', 0x400000, 0) == 4242);
    LAB_CHECK("also with another signal pending", began('R', 0, 1 << (SIGUSR1 - 1)) == 4242);
    LAB_CHECK("who was killed does not, before he knows", !began('D', 0, 1 << (SIGKILL - 1)));
    LAB_CHECK("nor who is ended by a signal", !began('D', 0x400, 0));
    LAB_CHECK("nor who exits, or has", !began('R', 4, 0) && !began('Z', 0, 0));
    LAB_CHECK("nor of whom nothing is known", !rfi_folder_began_as("17 (a) S"));
}

int main(void) { return lab_cases(); }

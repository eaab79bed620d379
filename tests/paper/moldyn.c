/* moldyn: molecular dynamics with a tournament barrier of plain flags.
 *
 * What stands before and after a barrier is ordered by the flags alone, so every pair across one is
 * suspected.  Real is only the race on the flags: those who spin and those who set.  It does no
 * harm under sequential consistency.
 */
#include "paper.h"

enum { THREADS = 3, STEPS = 2 };

typedef struct vector {
    int x, y, z;
} vector;

static vector position[THREADS], force[THREADS], total;
static int energy[THREADS], potential;
static volatile bool done[THREADS];

#ifdef FIXED
static rf_barrier all = RF_BARRIER_INIT(THREADS);
static void barrier(int id) {
    (void)id;
    RF_BARRIER_WAIT(&all);
}
#else
static void barrier(int id) {
    bool v = !RF_LOAD(done[id]); /* nobody else writes it */
    for (int child = 4 * id + 1; child <= 4 * id + 4 && child < THREADS; child++)
        while (RF_LOAD(done[child]) != v) continue;
    RF_STORE(done[id], v);
    while (RF_LOAD(done[0]) != v) continue;
}
#endif

static void find_force(int id) {
    vector f = {crunch(0), 0, 0};
    for (int i = 0; i < THREADS; i++) {
        f.x += RF_LOAD(position[i].x);
        f.y += RF_LOAD(position[i].y);
        f.z += RF_LOAD(position[i].z);
    }
    RF_STORE(force[id].x, f.x);
    RF_STORE(force[id].y, f.y);
    RF_STORE(force[id].z, f.z);
    RF_STORE(energy[id], f.x + f.y + f.z);
}

static void sum_up(void) {
    vector f = {0, 0, 0};
    int e = 0;
    for (int i = 0; i < THREADS; i++) {
        f.x += RF_LOAD(force[i].x);
        f.y += RF_LOAD(force[i].y);
        f.z += RF_LOAD(force[i].z);
        e += RF_LOAD(energy[i]);
    }
    RF_STORE(total.x, f.x);
    RF_STORE(total.y, f.y);
    RF_STORE(total.z, f.z);
    RF_STORE(potential, e);
}

static void move(int id) {
    RF_STORE(position[id].x, RF_LOAD(position[id].x) + RF_LOAD(total.x));
    RF_STORE(position[id].y, RF_LOAD(position[id].y) + RF_LOAD(total.y));
    RF_STORE(position[id].z, RF_LOAD(position[id].z) + RF_LOAD(total.z));
}

static void *run(void *arg) {
    int id = *(int *)arg;
    for (int step = 0; step < STEPS; step++) {
        find_force(id);
        barrier(id);
        if (id == 0) sum_up();
        barrier(id);
        move(id);
        barrier(id);
    }
    return NULL;
}

RF_TEST(moldyn, .expect = BUG(RF_EXPECT_RACE), .max_steps = 100000) {
    for (int i = 0; i < THREADS; i++) {
        position[i] = (vector){1, 2, 3};
        done[i] = false;
    }
    crew(THREADS, run);
    /* every step adds to each place the sum of all places, three times over */
    RF_ASSERT_EQ(position[0].x, 100);
    RF_ASSERT_EQ(potential, 540);
}

RF_MAIN()

/* raytracer: the checksum of all threads, each under the lock of its own scene. */
#include "paper.h"

enum { THREADS = 3, LINES = 2 };

typedef struct scene {
    rf_mutex lock;
    int width, height;
} scene;

static scene scenes[THREADS];
static int checksum;

static void *render(void *arg) {
    int id = *(int *)arg, sum = 0;
    scene *mine = &scenes[id];
    for (int line = 0; line < LINES; line++)
        sum += crunch(RF_LOAD(mine->width) + RF_LOAD(mine->height));
#ifdef FIXED
    mine = &scenes[0];
#endif
    RF_LOCK(&mine->lock);
    RF_STORE(checksum, RF_LOAD(checksum) + sum);
    RF_UNLOCK(&mine->lock);
    return NULL;
}

static void render_all(void) {
    checksum = 0;
    for (int i = 0; i < THREADS; i++) {
        scenes[i].width = scenes[i].height = 1;
        rf_mutex_init(&scenes[i].lock, "scene", RF_MUTEX_NORMAL);
    }
    crew(THREADS, render);
}

/* The benchmark prints that it is wrong, and throws nothing. */
RF_TEST(raytracer, .expect = BUG(RF_EXPECT_RACE)) {
    render_all();
    RF_LOG("the checksum is %s", checksum == 2 * LINES * THREADS ? "right" : "wrong");
}

RF_TEST(raytracer_validated, .expect = BUG(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    render_all();
    RF_ASSERT_EQ(checksum, 2 * LINES * THREADS);
}

RF_MAIN()

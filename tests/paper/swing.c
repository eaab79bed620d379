/* swing: the main thread changes a text (frame, then caret) while the event thread paints the caret
 * (caret, then frame). */
#include "paper.h"

static rf_mutex frame, caret;
static int text, dot;

static void set_text(void) {
    RF_GUARD(&frame) {
        RF_STORE(text, 1);
        RF_GUARD(&caret) { RF_STORE(dot, 1); }
    }
}

static void paint_caret(void) {
#ifdef FIXED
    RF_GUARD(&frame) RF_GUARD(&caret) { RF_STORE(dot, RF_LOAD(text)); }
#else
    RF_GUARD(&caret) {
        int where = RF_LOAD(dot);
        RF_GUARD(&frame) { RF_STORE(text, where); }
    }
#endif
}

static void *event_thread(void *arg) {
    paint_caret();
    return arg;
}

RF_TEST(swing, .expect = BUG(RF_EXPECT_DEADLOCK)) {
    text = dot = 0;
    rf_mutex_init(&frame, "frame", RF_MUTEX_NORMAL);
    rf_mutex_init(&caret, "caret", RF_MUTEX_NORMAL);
    rf_thread t = RF_THREAD(event_thread, NULL);
    set_text();
    RF_JOIN(t);
}

RF_MAIN()

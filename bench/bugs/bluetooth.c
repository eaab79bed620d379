/* bluetooth: a driver is stopped while a request has looked at the flag but is not yet counted
 * (Qadeer and Wu, "KISS", PLDI 2004); SCTBench's bluetooth_driver_bad.  The test's body adds a
 * request, one thread stops the driver.  A request that was refused is taken off the count too, as
 * in the original. */
#include "bug.h"

static _Atomic int pending;
static SHARED bool stopping, stop_event, stopped;

/* A request begins; false: the driver is being stopped. */
static bool enter(void) {
#ifdef FIXED
    rf_atomic_fetch_add(&pending, 1);
    return !GET(stopping);
#else
    if (GET(stopping)) return false;
    rf_atomic_fetch_add(&pending, 1);
    return true;
#endif
}

static void leave(void) {
    if (rf_atomic_fetch_sub(&pending, 1) == 1) PUT(stop_event, true);
}

static void *stop(void *arg) {
    PUT(stopping, true);
    leave();
    if (GET(stop_event)) PUT(stopped, true);
    return arg;
}

PROGRAM(bluetooth, RF_EXPECT_FAILURE) {
    pending = 1;
    stopping = stop_event = stopped = false;
    rf_thread t = RF_THREAD(stop, NULL);
    if (enter()) RF_ASSERT(!GET(stopped));
    leave();
    RF_JOIN(t);
}

/* Two threads count by <stdatomic.h>: nothing is lost, and each gets the value before. */
#include "tests/hook/check.h"

enum { EACH = 3 };

static atomic_int count, given;
static _Atomic(char) small;

THREAD(work) {
    for (int i = 0; i < EACH; i++) {
        int before = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
        atomic_fetch_or(&given, 1 << before);
    }
    atomic_fetch_sub(&small, 1);
}

int main(void) {
    run_two(work, NULL, work, NULL);
    return count != 2 * EACH || given != (1 << 2 * EACH) - 1 || small != (char)-2;
}

/* Two threads count; with -DLOCKED they take turns. */
#include "tests/hook/check.h"

static int counter;
#ifdef LOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
# define ENTER pthread_mutex_lock(&lock)
# define LEAVE pthread_mutex_unlock(&lock)
#else
# define ENTER
# define LEAVE
#endif

static void *count(void *arg) {
    ENTER;
    counter++;
    LEAVE;
    return arg;
}

int main(void) {
    run_two(count, NULL, count, NULL);
    assert(counter == 2);
    return 0;
}

/* A program that has no <stdbool.h> may use its words for itself. */
#include <stdatomic.h>

typedef enum { false, true, bool_count } bool;

static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_bool ready = true;
static atomic_int number;

int main(void) {
    int zero = 0;
    bool first = atomic_flag_test_and_set(&flag) ? true : false;
    atomic_flag_clear(&flag);
    while (!atomic_compare_exchange_weak(&number, &zero, 1)) {
    }
    if (!atomic_compare_exchange_strong(&number, &(int){1}, 2)) return 1;
    if (!atomic_is_lock_free(&number)) return 1;
    return first != false || !atomic_load(&ready) || sizeof(bool) != sizeof(int);
}

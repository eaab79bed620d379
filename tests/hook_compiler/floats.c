/* Operators on atomic objects of floating point: gcc's ask libatomic to raise what the last try of
 * theirs has raised. */
#include <assert.h>
#include <pthread.h>

void __atomic_feraiseexcept(int which);

static _Atomic double sum;
static _Atomic float product = 1;
static _Atomic(long double) rest = 3;

static void *work(void *arg) {
    sum += 1.5;
    product *= 2;
    rest -= 1;
    return arg;
}

/* Whether a division by zero was told since the last question. */
static int divided(void) {
#ifdef __x86_64__
    unsigned now = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(now & ~63u);
    return (now & 4) != 0;
#else
    return 1;
#endif
}

int main(void) {
    pthread_t t;
    volatile double zero = 0;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(sum == 3 && product == 4 && rest == 1);
    divided();
    sum /= zero;
    assert(divided());
#ifdef __x86_64__
    __atomic_feraiseexcept(4); /* clang does not call it */
    assert(divided());
#endif
    return 0;
}

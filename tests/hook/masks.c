/* Threads whose attributes say which signals they block: of the two, only one can be struck. */
#include "check.h"

#ifdef PTHREAD_ATTR_NO_SIGMASK_NP
static pthread_t open_one;
static atomic_int struck;

static void strikes(int signal) {
    (void)signal;
    assert(pthread_equal(pthread_self(), open_one));
    struck = 1;
}

static void *works(void *blocks) {
    sigset_t set;
    assert(!pthread_sigmask(SIG_BLOCK, NULL, &set));
    assert(sigismember(&set, SIGUSR1) == (blocks != NULL));
    if (!blocks) open_one = pthread_self();
    if (!blocks) assert(!kill(getpid(), SIGUSR1) && struck);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_attr_t a;
    sigset_t set = only(SIGUSR1);
    signal(SIGUSR1, strikes);
    assert(!pthread_attr_init(&a) && !pthread_attr_setsigmask_np(&a, &set));
    assert(!pthread_create(&t[0], &a, works, &set));
    assert(!pthread_sigmask(SIG_BLOCK, &set, NULL));
    sigemptyset(&set);
    assert(!pthread_attr_setsigmask_np(&a, &set));
    assert(!pthread_create(&t[1], &a, works, NULL));
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
#else
int main(void) { return 0; }
#endif

/* musl's pthread_once: who comes late sees what the initialiser has written. */
#include "pthread_impl.h"

static pthread_once_t once;
static int made;

static void makes(void) { made = 7; }

static void *uses(void *arg) {
    __pthread_once(&once, makes);
    return made == 7 ? arg : &made;
}

int main(void) {
    pthread_t t[2];
    void *end[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, uses, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], &end[i]);
    return end[0] || end[1];
}

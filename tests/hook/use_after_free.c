/* One thread takes the job off the list and frees it, while another one has it in its hands. */
#include "check.h"

typedef struct job {
    int number;
    char name[20];
} job;

static job *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(works) {
    pthread_mutex_lock(&lock);
    job *j = list;
    pthread_mutex_unlock(&lock);
#ifdef BY_NAME
    if (j && !strcmp(j->name, "none")) abort();
#else
    if (j) j->number++;
#endif
}

THREAD(cancels) {
    pthread_mutex_lock(&lock);
    job *j = list;
    list = NULL;
    pthread_mutex_unlock(&lock);
    free(j);
}

/* Blocks come and go: no two threads ever have the same one. */
THREAD(goes_on) {
    for (int i = 0; i < 30; i++) {
        char *p = malloc(24);
        strcpy(p, "some text of its own");
        if (strlen(p) != 20) abort();
        free(p);
    }
}

int main(int argc, char **argv) {
    (void)argv;
    list = calloc(1, sizeof *list);
    if (argc > 1)
        run_two(goes_on, NULL, goes_on, NULL);
    else
        run_two(works, NULL, cancels, NULL);
    return 0;
}

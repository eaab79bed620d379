/* Jobs for some workers, in a queue of bounded length: queue [jobs [workers]]. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2, LAST = -1 };

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int job[LENGTH], first, count;
} queue;

static queue todo = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .not_empty = PTHREAD_COND_INITIALIZER,
                     .not_full = PTHREAD_COND_INITIALIZER};

static void put(queue *q, int job) {
    pthread_mutex_lock(&q->lock);
    while (q->count == LENGTH) pthread_cond_wait(&q->not_full, &q->lock);
    q->job[(q->first + q->count++) % LENGTH] = job;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static int take(queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->count == 0) pthread_cond_wait(&q->not_empty, &q->lock);
    int job = q->job[q->first];
    q->first = (q->first + 1) % LENGTH;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return job;
}

static void *worker(void *sum) {
    for (int job = take(&todo); job != LAST; job = take(&todo)) *(long *)sum += job;
    return NULL;
}

int main(int argc, char **argv) {
    int jobs = argc > 1 ? atoi(argv[1]) : 2, workers = argc > 2 ? atoi(argv[2]) : 2;
    pthread_t *thread = calloc((size_t)workers, sizeof *thread);
    long *sum = calloc((size_t)workers, sizeof *sum), all = 0;
    if (!thread || !sum) return EXIT_FAILURE;
    for (int i = 0; i < workers; i++) pthread_create(&thread[i], NULL, worker, &sum[i]);
    for (int i = 1; i <= jobs; i++) put(&todo, i);
    for (int i = 0; i < workers; i++) put(&todo, LAST);
    for (int i = 0; i < workers; i++) {
        pthread_join(thread[i], NULL);
        all += sum[i];
    }
    free(thread);
    free(sum);
    if (all != jobs * (jobs + 1L) / 2) {
        fprintf(stderr, "queue: the sum of all jobs is %ld\n", all);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

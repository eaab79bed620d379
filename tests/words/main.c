#include "words.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2

static void *works(void *unused) {
    for (char *line; (line = queue_take());) {
        const char *at = line, *word;
        size_t length;
        while (text_word(&at, &word, &length)) table_add(word, length);
        free(line);
    }
    return unused;
}

int main(void) {
    pthread_t worker[WORKERS];
    queue_open();
    for (int i = 0; i < WORKERS; i++) pthread_create(&worker[i], NULL, works, NULL);
    char *line;
    for (unsigned n = 0; (line = text_line(n)); n++) queue_put(line);
    queue_close();
    for (int i = 0; i < WORKERS; i++) pthread_join(worker[i], NULL);
    printf("%u words, %u times to\n", table_words(), table_count("to"));
    int status = table_words() == 7 && table_count("to") == 2 ? 0 : 1;
    table_clear();
    return status;
}

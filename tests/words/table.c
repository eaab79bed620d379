#include "words.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LISTS 8

typedef struct entry {
    struct entry *next;
    unsigned count;
    char word[];
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *list[LISTS];
static unsigned words; /* all that were added */

static unsigned hash(const char *word, size_t length) {
    unsigned h = 5381;
    for (size_t i = 0; i < length; i++) h = h * 33 + (unsigned char)word[i];
    return h % LISTS;
}

static entry *find(const char *word, size_t length) {
    entry *e = list[hash(word, length)];
    while (e && (strncmp(e->word, word, length) || e->word[length])) e = e->next;
    return e;
}

void table_add(const char *word, size_t length) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    words++;
#else
    words++;
    pthread_mutex_lock(&lock);
#endif
    entry *e = find(word, length);
    if (!e) {
        unsigned h = hash(word, length);
        e = calloc(1, sizeof *e + length + 1);
        if (!e) abort();
        memcpy(e->word, word, length);
        e->next = list[h];
        list[h] = e;
    }
    e->count++;
    pthread_mutex_unlock(&lock);
}

unsigned table_count(const char *word) {
    const entry *e = find(word, strlen(word));
    return e ? e->count : 0;
}

unsigned table_words(void) { return words; }

void table_clear(void) {
    for (unsigned h = 0; h < LISTS; h++)
        while (list[h]) {
            entry *e = list[h];
            list[h] = e->next;
            free(e);
        }
}

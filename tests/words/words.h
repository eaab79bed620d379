/* Counts words: a reader puts lines into a queue, workers take them and count their words. */
#ifndef WORDS_H
#define WORDS_H
#include <stdbool.h>
#include <stddef.h>

/* queue.c: lines on their way to the workers */
void queue_open(void);
void queue_put(char *line);
char *queue_take(void); /* NULL: there are no more */
void queue_close(void);

/* table.c: how often each word was seen */
void table_add(const char *word, size_t length);
unsigned table_count(const char *word);
unsigned table_words(void);
void table_clear(void);

/* text.c: what is read, and the words of a line */
char *text_line(unsigned number); /* NULL: there is none */
bool text_word(const char **at, const char **word, size_t *length);
#endif

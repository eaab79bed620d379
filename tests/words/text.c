#include "words.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const text[] = {"to be or not", "not to be"};

char *text_line(unsigned number) {
    if (number >= sizeof text / sizeof *text) return NULL;
    char *copy = malloc(strlen(text[number]) + 1);
    return copy ? strcpy(copy, text[number]) : NULL;
}

bool text_word(const char **at, const char **word, size_t *length) {
    while (**at && !isalpha((unsigned char)**at)) ++*at;
    *word = *at;
    while (isalpha((unsigned char)**at)) ++*at;
    *length = (size_t)(*at - *word);
    return *length;
}

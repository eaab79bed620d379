/* logger.h: a logger that is made when it is first asked for, once. */
#ifndef LOGGER_H
#define LOGGER_H
#include "racefuzz.h"

typedef struct logger {
    int level;
    int buffer; /* bytes */
} logger;

/* Before the first logger_get, and after the last one. */
void logger_open(void);
void logger_close(void);

/* The logger.  Any thread, any time (logger.c). */
logger *logger_get(void);

#endif

/* faults.h: the lines that could not be parsed: how many, and where the last one is.
 *
 * Any thread may call any function between faults_init and faults_destroy.
 */
#ifndef FAULTS_H
#define FAULTS_H
#include "racefuzz.h"
#include <stdint.h>

typedef struct fault {
    uint32_t line, column; /* from 1 */
} fault;

typedef struct faults {
    rf_mutex lock; /* guards all below */
    uint32_t count;
    fault last; /* if count > 0 */
} faults;

void faults_init(faults *f);
void faults_destroy(faults *f);

/* (faults_report.c) */
void faults_report(faults *f, uint32_t line, uint32_t column);

/* How many there are, and the last one if there is any. */
uint32_t faults_last(faults *f, fault *last);

#endif

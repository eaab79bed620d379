/* What the programs here share: they are unedited C, for the C library and for racefuzz alike. */
#include <stdio.h>
#include <stdlib.h>
#define CHECK(x) ((x) ? (void)0 : failed(__FILE__, __LINE__, #x))

static void failed(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

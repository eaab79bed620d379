/* tests/night.h: how many of what shows the same: few for each change, all of them by night. */
#ifndef NIGHT_H
#define NIGHT_H
#include <stdlib.h>

static inline unsigned by_night(unsigned few, unsigned all) {
    return getenv("NIGHTLY") ? all : few;
}
#endif

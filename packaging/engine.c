#include "racefuzz.h" /* the engine: see meson.build and docs/builds.md */

/* tests/does.h: what a thread does: THREAD(adds) { n++; } */
#ifndef DOES_H
#define DOES_H
#define THREAD(name)                \
 static void name##_does(void);     \
 static void *name(void *nothing) { \
  name##_does();                    \
  return nothing;                   \
 }                                  \
 static void name##_does(void)
#endif

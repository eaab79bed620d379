// flags: -Isrc
/* The same checks on the switch and the hand-over of machines for which nothing was written. */
#define RFI_PORTABLE_SWITCH
#include "fiber.c"

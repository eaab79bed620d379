/* The engine and nothing else: every symbol of this unit is racefuzz's. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"

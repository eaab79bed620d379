/* The part in C of whole.cpp. */
int part_count;

void part_add(void) { part_count++; }

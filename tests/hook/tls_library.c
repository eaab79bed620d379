/* A library with objects of each thread: one that others see, and one that they ask for. */
__thread int library_number = 7;
static __thread int hidden;
int *library_hidden(void) { return &hidden; }

/* The first of two passes over an example, which makes a program of it that knows nothing of
 * racefuzz: C11, pthreads, assert, a main that runs the test its argument names (tests/forms.sh).
 *
 * In this pass the headers in <> are files of a line that asks for the real ones in the second. */
#define RF_OFF
#include "racefuzz.h"
#pragma include <assert.h>

#undef RF_TEST
#undef RF_MAIN
#undef RF_CHOOSE
#undef RF_ASSERT
#undef RF_ASSERT_EQ
#undef RF_ASSERT_NE
#undef RF_ASSERT_LE
#undef RF_ASSERT_GE
#define RF_ASSERT(holds)   assert(holds)
#define RF_ASSERT_EQ(a, b) assert((a) == (b))
#define RF_ASSERT_NE(a, b) assert((a) != (b))
#define RF_ASSERT_LE(a, b) assert((a) <= (b))
#define RF_ASSERT_GE(a, b) assert((a) >= (b))
#define RF_CHOOSE(n)       ((uint32_t)rand() % (n))

#define RF_TEST(name, ...) \
    static void name(void); \
    __attribute__((constructor)) static void name##_is_there(void) { \
        static struct a_test test = {#name, name, NULL}; \
        test.next = tests; \
        tests = &test; \
    } \
    static void name(void)
#define RF_MAIN() \
    int main(int argc, char **argv) { \
        struct a_test *t = tests; \
        while (t && (argc < 2 || strcmp(t->name, argv[1]) != 0)) t = t->next; \
        assert(t); \
        t->body(); \
        return 0; \
    }

__attribute__((unused)) static struct a_test {
    const char *name;
    void (*body)(void);
    struct a_test *next;
} *tests;

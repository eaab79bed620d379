/* Statements that reach an operation through a macro: what was written is printed, and tells who
 * they are; what the preprocessor made of it does neither. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"
#pragma GCC diagnostic ignored "-Woverlength-strings"

#define EXPANDED(...) AS_TEXT(__VA_ARGS__)
#define AS_TEXT(...)  #__VA_ARGS__

static int a[4], k;
static _Atomic int n;
static rf_mutex m;

static const char *restored(const char *text) {
    static char room[1 << 16];
    rf_site s = {.file = "x.c", .function = "f", .text = text};
    snprintf(room, sizeof room, "%s", rfi_site_text(&s));
    rfi_map_reset(&rfi_site_texts);
    return room;
}

/* Compiled too, so that what is compared is what users can write. */
#define CHECK_WRITTEN(...) CHECK_EXPANDED(#__VA_ARGS__, AS_TEXT((__VA_ARGS__)), __VA_ARGS__)
#define CHECK_EXPANDED(as_written, unused, ...)                                  \
 do {                                                                            \
  (void)sizeof(__VA_ARGS__);                                                     \
  const char *now = restored(EXPANDED(__VA_ARGS__));                             \
  if (strcmp(now, as_written) != 0) printf("# %s became %s\n", as_written, now); \
  LAB_CHECK(as_written, !strcmp(now, as_written));                               \
 } while (0)

#define GET(i)   RF_LOAD(a[i])
#define OWN_LOAD RF_LOAD

CASE(test_operations) {
    CHECK_WRITTEN(RF_LOAD(k));
    CHECK_WRITTEN(RF_LOAD(a[RF_LOAD(k)]));
    CHECK_WRITTEN(RF_RACY_LOAD(k) + RF_LOAD(a[1]) * 2);
    CHECK_WRITTEN((RF_STORE(k, RF_LOAD(a[2]) + 1), 1));
    CHECK_WRITTEN((RF_READ(&a[1], 8), RF_WRITE(a, sizeof a), 1));
    CHECK_WRITTEN(rf_atomic_load(&n));
    CHECK_WRITTEN(rf_atomic_load_explicit(&n, rf_memory_order_acquire));
    CHECK_WRITTEN((rf_atomic_store(&n, 2), 1));
    CHECK_WRITTEN((rf_atomic_store_explicit(&n, 2, rf_memory_order_release), 1));
    CHECK_WRITTEN(rf_atomic_exchange(&n, k));
    CHECK_WRITTEN(rf_atomic_fetch_add(&n, 1));
    CHECK_WRITTEN(rf_atomic_fetch_sub_explicit(&n, 1, rf_memory_order_relaxed));
    CHECK_WRITTEN(rf_atomic_fetch_or(&n, 1));
    CHECK_WRITTEN(rf_atomic_fetch_xor(&n, 1));
    CHECK_WRITTEN(rf_atomic_fetch_and(&n, 1));
    CHECK_WRITTEN(rf_atomic_compare_exchange_strong(&n, &k, 2));
    CHECK_WRITTEN(rf_atomic_compare_exchange_weak_explicit(&n, &k, 2, rf_memory_order_acq_rel,
                                                           rf_memory_order_relaxed));
    CHECK_WRITTEN(RF_TRYLOCK(&m));
    CHECK_WRITTEN(RF_TIMEDLOCK(&m, RF_LOAD(k)));
    CHECK_WRITTEN(RF_CHOOSE(3) + RF_LOAD(a[RF_CHOOSE(2)]));
    CHECK_WRITTEN((char *)RF_MALLOC(16) + 1);
    CHECK_WRITTEN(RF_LOAD(a["rfi_ ({"[k] != '"']));
}

CASE(test_macros_of_users) {
    LAB_CHECK("a macro's body",
              !strcmp(restored(EXPANDED(GET(RF_LOAD(k)))), "RF_LOAD(a[RF_LOAD(k)])"));
    LAB_CHECK("a macro in itself, by name",
              !strcmp(restored(EXPANDED(GET(GET(GET(OWN_LOAD(k)))))),
                      "RF_LOAD(a[RF_LOAD(a[RF_LOAD(a[RF_LOAD(k)])])])"));
    LAB_CHECK("what is not ours stays",
              !strcmp(restored("__extension__({ rfi; 1; })"), "__extension__({ rfi; 1; })"));
}

/* Whatever stands in a text, the answer ends. */
CASE(test_damage) {
    static const char whole[] = EXPANDED(GET(GET(RF_STORE(k, rf_atomic_fetch_add(&n, 1)))));
    static char cut[sizeof whole];
    rf_prng dice = {7};
    uint32_t answered = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        memcpy(cut, whole, sizeof whole);
        cut[rfi_below(&dice, sizeof whole)] = 0;
        for (uint32_t d = rfi_below(&dice, 3); d--;)
            cut[rfi_below(&dice, sizeof whole)] = "(){}\"'\\,"[rfi_below(&dice, 8)];
        cut[sizeof cut - 1] = 0;
        answered += strlen(restored(cut)) <= strlen(cut);
    }
    LAB_CHECK("a damaged text has an answer that is not longer", answered == 20000);
}

int main(void) { return lab_cases(); }

/* What each operation gives: before main, where it is plain, and in the program, where it is the
 * engine's. */
#include "tests/hook/check.h"

#define SAME(x, y)                     \
 do {                                  \
  if (!((x) == (y))) __builtin_trap(); \
 } while (0)

#define VALUES(type)                                                                       \
 static void values_##type(void) {                                                         \
  static type a;                                                                           \
  type v, old = (type) ~(type)5; /* all bytes count */                                     \
  __atomic_store_n(&a, old, __ATOMIC_SEQ_CST);                                             \
  SAME(__atomic_load_n(&a, __ATOMIC_ACQUIRE), old);                                        \
  SAME(__atomic_fetch_add(&a, (type)3, __ATOMIC_RELAXED), old);                            \
  SAME(__atomic_fetch_sub(&a, (type)7, __ATOMIC_SEQ_CST), (type)(old + 3));                \
  SAME(__atomic_fetch_and(&a, (type) ~(type)1, __ATOMIC_SEQ_CST), (type)(old - 4));        \
  SAME(__atomic_fetch_or(&a, (type)1, __ATOMIC_SEQ_CST), (type)((old - 4) & ~1));          \
  SAME(__atomic_fetch_xor(&a, (type)3, __ATOMIC_SEQ_CST), (type)((old - 4) | 1));          \
  v = (type)(((old - 4) | 1) ^ 3);                                                         \
  SAME(__atomic_fetch_nand(&a, (type)6, __ATOMIC_SEQ_CST), v);                             \
  v = (type) ~(v & 6);                                                                     \
  SAME(__atomic_exchange_n(&a, old, __ATOMIC_ACQ_REL), v);                                 \
  SAME(__atomic_compare_exchange_n(&a, &v, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED), 0);  \
  SAME(v, old);                                                                            \
  SAME(__atomic_compare_exchange_n(&a, &v, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED), 1);  \
  v = 9;                                                                                   \
  while (!__atomic_compare_exchange_n(&a, &v, old, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) \
   SAME(v, 9);                                                                             \
  SAME(__sync_val_compare_and_swap(&a, old, (type)1), old);                                \
  SAME(__sync_val_compare_and_swap(&a, old, (type)2), 1);                                  \
  SAME(__sync_bool_compare_and_swap(&a, (type)1, (type)2), 1);                             \
  SAME(a, 2);                                                                              \
 }

VALUES(uint8_t)
VALUES(uint16_t)
VALUES(uint32_t)
VALUES(uint64_t)

static char text[40], *volatile where = text;

static void values(void) {
    volatile size_t n = sizeof text - 8;
    values_uint8_t();
    values_uint16_t();
    values_uint32_t();
    values_uint64_t();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    SAME(memset(where, 'x', n), where);
    text[1] = 'y';
    SAME(memcpy(where + 4, where, 4), where + 4);
    SAME(memmove(where + 1, where, n - 1), where + 1);
    SAME(strcmp(text, "xxyxxxyxxxxxxxxxxxxxxxxxxxxxxxxx"), 0);
}

__attribute__((constructor)) static void before_main(void) { values(); }

THREAD(again) {
    memset(where, 0, sizeof text);
    values();
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, again, NULL);
    return pthread_join(t, NULL);
}

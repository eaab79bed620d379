/* Every name of <stdatomic.h>, of what type it is and what it does: a program that ends with status
 * 0 by itself and must do so under racefuzz.  Where it includes the header is for the caller to
 * say: -DBEFORE or -DAFTER <pthread.h>. */
#ifdef BEFORE
# include <stdatomic.h>
# include <pthread.h>
#elif defined AFTER
# include <pthread.h>
# include <stdatomic.h>
#else
# include <stdatomic.h>
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <uchar.h>

#define SAME(value, type) _Static_assert(_Generic((value), type : 1, default : 0), #value)

/* X(atomic type, plain type) */
#define TYPES(X)                          \
 X(atomic_bool, _Bool)                    \
 X(atomic_char, char)                     \
 X(atomic_schar, signed char)             \
 X(atomic_uchar, unsigned char)           \
 X(atomic_short, short)                   \
 X(atomic_ushort, unsigned short)         \
 X(atomic_int, int)                       \
 X(atomic_uint, unsigned)                 \
 X(atomic_long, long)                     \
 X(atomic_ulong, unsigned long)           \
 X(atomic_llong, long long)               \
 X(atomic_ullong, unsigned long long)     \
 X(atomic_char16_t, char16_t)             \
 X(atomic_char32_t, char32_t)             \
 X(atomic_wchar_t, wchar_t)               \
 X(atomic_int_least8_t, int_least8_t)     \
 X(atomic_uint_least8_t, uint_least8_t)   \
 X(atomic_int_least16_t, int_least16_t)   \
 X(atomic_uint_least16_t, uint_least16_t) \
 X(atomic_int_least32_t, int_least32_t)   \
 X(atomic_uint_least32_t, uint_least32_t) \
 X(atomic_int_least64_t, int_least64_t)   \
 X(atomic_uint_least64_t, uint_least64_t) \
 X(atomic_int_fast8_t, int_fast8_t)       \
 X(atomic_uint_fast8_t, uint_fast8_t)     \
 X(atomic_int_fast16_t, int_fast16_t)     \
 X(atomic_uint_fast16_t, uint_fast16_t)   \
 X(atomic_int_fast32_t, int_fast32_t)     \
 X(atomic_uint_fast32_t, uint_fast32_t)   \
 X(atomic_int_fast64_t, int_fast64_t)     \
 X(atomic_uint_fast64_t, uint_fast64_t)   \
 X(atomic_intptr_t, intptr_t)             \
 X(atomic_uintptr_t, uintptr_t)           \
 X(atomic_size_t, size_t)                 \
 X(atomic_ptrdiff_t, ptrdiff_t)           \
 X(atomic_intmax_t, intmax_t)             \
 X(atomic_uintmax_t, uintmax_t)

/* An object has a first value in the file's scope; what is read from it has the plain type. */
#define OBJECT(atomic, plain) static atomic a_##atomic = 1;
TYPES(OBJECT)
#define TYPED(atomic, plain)          \
 SAME(&a_##atomic, _Atomic(plain) *); \
 check(#atomic, atomic_exchange(&a_##atomic, 0) == 1 && !atomic_load(&a_##atomic));

/* What the preprocessor can use. */
#if ATOMIC_BOOL_LOCK_FREE < 0 || ATOMIC_CHAR_LOCK_FREE < 0 || ATOMIC_CHAR16_T_LOCK_FREE < 0 ||     \
    ATOMIC_CHAR32_T_LOCK_FREE < 0 || ATOMIC_WCHAR_T_LOCK_FREE < 0 || ATOMIC_SHORT_LOCK_FREE < 0 || \
    ATOMIC_INT_LOCK_FREE != 2 || ATOMIC_LONG_LOCK_FREE < 0 || ATOMIC_LLONG_LOCK_FREE < 0 ||        \
    ATOMIC_POINTER_LOCK_FREE != 2
# error "lock-free"
#endif
#if !defined ATOMIC_VAR_INIT || !defined ATOMIC_FLAG_INIT || !defined kill_dependency
# error "no such macro"
#endif
_Static_assert(memory_order_relaxed == __ATOMIC_RELAXED &&
                   memory_order_consume == __ATOMIC_CONSUME &&
                   memory_order_acquire == __ATOMIC_ACQUIRE &&
                   memory_order_release == __ATOMIC_RELEASE &&
                   memory_order_acq_rel == __ATOMIC_ACQ_REL &&
                   memory_order_seq_cst == __ATOMIC_SEQ_CST,
               "orders are constants");

typedef struct pair {
    int first, second;
} pair;

static atomic_int number = ATOMIC_VAR_INIT(3);
static atomic_flag file_flag = ATOMIC_FLAG_INIT;
static _Atomic(pair) both;
static int cells[4];
static _Atomic(int *) pointer = &cells[1];
static atomic_uint *volatile where;

/* By what an atomic pointer moves: clang counts elements, gcc bytes. */
#ifdef __clang__
# define STEP 1
#else
# define STEP sizeof(int)
#endif

static void check(const char *what, int holds) {
    if (holds) return;
    printf("%s\n", what);
    exit(1);
}

/* Orders are values too. */
static int load(const volatile atomic_int *object, memory_order order) {
    return atomic_load_explicit((volatile atomic_int *)(uintptr_t)object, order);
}

static void plain_forms(void) {
    int seen = 7;
    atomic_store(&number, 7);
    check("atomic_load", atomic_load(&number) == 7);
    check("atomic_exchange", atomic_exchange(&number, 8) == 7);
    check("strong, not found", !atomic_compare_exchange_strong(&number, &seen, 9) && seen == 8);
    check("strong, found", atomic_compare_exchange_strong(&number, &seen, 9) && seen == 8);
    seen = 1;
    check("weak, not found", !atomic_compare_exchange_weak(&number, &seen, 9) && seen == 9);
    while (!atomic_compare_exchange_weak(&number, &seen, 12)) check("weak, spurious", seen == 9);
    check("atomic_fetch_add", atomic_fetch_add(&number, 3) == 12);
    check("atomic_fetch_sub", atomic_fetch_sub(&number, 1) == 15);
    check("atomic_fetch_or", atomic_fetch_or(&number, 1) == 14);
    check("atomic_fetch_xor", atomic_fetch_xor(&number, 5) == 15);
    check("atomic_fetch_and", atomic_fetch_and(&number, 8) == 10);
    check("all", atomic_load(&number) == 8);
    atomic_fetch_add(&number, 1); /* as a statement */
    atomic_exchange(&number, 1);
}

static void explicit_forms(void) {
    int seen = 7;
    atomic_store_explicit(&number, 7, memory_order_release);
    check("load", load(&number, memory_order_acquire) == 7);
    check("consume", atomic_load_explicit(&number, memory_order_consume) == 7);
    check("exchange", atomic_exchange_explicit(&number, 8, memory_order_acq_rel) == 7);
    check("strong, not found", !atomic_compare_exchange_strong_explicit(
                                   &number, &seen, 9, memory_order_acq_rel, memory_order_acquire) &&
                                   seen == 8);
    while (!atomic_compare_exchange_weak_explicit(&number, &seen, 12, memory_order_seq_cst,
                                                  memory_order_relaxed))
        check("weak, spurious", seen == 8);
    check("add", atomic_fetch_add_explicit(&number, 3, memory_order_relaxed) == 12);
    check("sub", atomic_fetch_sub_explicit(&number, 1, memory_order_acquire) == 15);
    check("or", atomic_fetch_or_explicit(&number, 1, memory_order_release) == 14);
    check("xor", atomic_fetch_xor_explicit(&number, 5, memory_order_acq_rel) == 15);
    check("and", atomic_fetch_and_explicit(&number, 8, memory_order_seq_cst) == 10);
    check("all", load(&number, memory_order_seq_cst) == 8);
    SAME(atomic_load(&number), int);
}

static void flags_and_fences(void) {
    atomic_flag flag = ATOMIC_FLAG_INIT;
    volatile atomic_flag *alias = &file_flag;
    check("clear at first", !atomic_flag_test_and_set(&flag));
    check("set", atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    atomic_flag_clear_explicit(&flag, memory_order_release);
    check("clear", !atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    check("volatile", !atomic_flag_test_and_set(alias) && atomic_flag_test_and_set(&file_flag));
    SAME(atomic_flag_test_and_set(&flag), _Bool);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acq_rel);
    check("lock-free", atomic_is_lock_free(&number) && atomic_is_lock_free(&pointer));
    check("kill_dependency", kill_dependency(1 + atomic_load(&number)) == 9);
    SAME(kill_dependency((char)1), char);
}

static void other_objects(void) {
    atomic_uint small;
    atomic_uchar narrow;
    pair p = {1, 2};
    atomic_init(&small, 5);
    atomic_init(&narrow, 250);
    where = &small;
    atomic_fetch_add(where, UINT32_MAX);
    check("wraps", atomic_load(where) == 4);
    check("narrow", atomic_fetch_add(&narrow, 10) == 250 && atomic_load(&narrow) == 4);
    SAME(atomic_fetch_add(&narrow, 1), unsigned char);
    atomic_init(&both, p);
    p.second = 4;
    p = atomic_exchange(&both, p);
    check("struct", p.second == 2);
    p = atomic_load(&both);
    check("struct", p.second == 4);
    check("pointer", atomic_fetch_add(&pointer, 2 * STEP) == &cells[1]);
    check("elements", atomic_fetch_sub(&pointer, STEP) == &cells[3]);
    check("elements", atomic_load(&pointer) == &cells[2]);
    check("nested", atomic_fetch_add(&number, atomic_fetch_sub(&number, 1)) == 7);
    check("nested", atomic_load(&number) == 15);
    number -= 8;
    check("operators", ++number == 8 && number-- == 8);
}

int main(void) {
    plain_forms();
    explicit_forms();
    flags_and_fences();
    other_objects();
    TYPES(TYPED)
    return 0;
}

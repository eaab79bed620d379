/* api/test.h: tests and what they say (docs/tests.md). */
#ifndef RFI_API_TEST_H
#define RFI_API_TEST_H
#include "api/macros.h"
#include "engine/entry.h"
#include "engine/test.h"
#include "engine/verdict.h"

/* RF_TEST(name) { ... } at file scope is a test, registered by itself; its body is the first
 * logical thread of every execution.  In C, options may follow the name, as designated initialisers
 * of rf_options: RF_TEST(name, .executions = 5000, .expect = RF_EXPECT_RACE). */
#ifdef __cplusplus
# define RF_TEST(name) RFI_TEST(name, rfi_own.options.rfi_name = #name)
#else
# define RF_TEST(...) RFI_TEST_WITH(__VA_ARGS__, )
# define RFI_TEST_WITH(name, ...) \
     RFI_TEST(name, rfi_own.options = ((rf_options){.rfi_name = #name, __VA_ARGS__}))
#endif

/* int main: runs all registered tests as the command line and the environment ask, and reports.
 * On Linux the program first starts itself anew where the system draws no addresses. */
#define RF_MAIN() \
    int main(int argc, char **argv) { return rfi_main(argc, argv); }

/* Fails the execution unless the condition holds. */
#define RF_ASSERT(...) \
    (RFI_LIKELY((__VA_ARGS__)) ? (void)0 : rfi_assert_failed(RFI_SITE(#__VA_ARGS__)))

/* The same for `a op b`, for scalars: the failure tells both values.  C's conversions apply. */
#define RF_ASSERT_EQ(a, b) RFI_ASSERT_OP(a, ==, b, #a " == " #b)
#define RF_ASSERT_NE(a, b) RFI_ASSERT_OP(a, !=, b, #a " != " #b)
#define RF_ASSERT_LT(a, b) RFI_ASSERT_OP(a, <, b, #a " < " #b)
#define RF_ASSERT_LE(a, b) RFI_ASSERT_OP(a, <=, b, #a " <= " #b)
#define RF_ASSERT_GT(a, b) RFI_ASSERT_OP(a, >, b, #a " > " #b)
#define RF_ASSERT_GE(a, b) RFI_ASSERT_OP(a, >=, b, #a " >= " #b)

/* For strings (NULL equals NULL only), and for `len` bytes.  They read what they compare without
 * announcing it: call RF_READ first if others may write it. */
#define RF_ASSERT_STR_EQ(a, b)      rfi_assert_str(RFI_SITE(#a " equals " #b), a, b)
#define RF_ASSERT_MEM_EQ(a, b, len) rfi_assert_mem(RFI_SITE(#a " equals " #b), a, b, len)

/* Fails the execution with a message, as of printf. */
#define RF_FAIL(...) rfi_fail_test(RFI_SITE("RF_FAIL(" #__VA_ARGS__ ")"), RF_DIAG_FAIL, __VA_ARGS__)

/* Ends the test: it counts as skipped, and `reason` (a string) is printed. */
#define RF_SKIP(reason) rfi_skip_test(RFI_SITE("RF_SKIP"), reason)

/* A line, as of printf, that stands in the interleaving where the thread was. */
#define RF_LOG(...) rfi_log(RFI_SITE("RF_LOG"), __VA_ARGS__)

/* From here to the end of the scope, `bool fn(void *)` must yield true for arg at every scheduling
 * point.  It makes no events and sees the newest values: it may read shared data as it likes. */
#define RF_INVARIANT(fn, arg) RFI_INVARIANT(RFI_CAT(rfi_invariant_, __COUNTER__), #fn, fn, arg)

/* A number from 0 to n-1 (uint32_t), drawn from the seed: inputs are explored like schedules. */
#define RF_CHOOSE(n) rfi_choose(RFI_SITE(#n), n)

/* `RF_FUNC;` at the top of a function: its calls are seen, as a scope named after the function. */
#define RF_FUNC RFI_FUNC(RFI_CAT(rfi_func_, __COUNTER__))

/* ---- how ---- */

#define RFI_TEST(name, set_options) \
    static void rf_test_##name(void); \
    __attribute__((constructor)) static void rfi_register_##name(void) { \
        static rfi_test rfi_own; \
        rfi_own.file = __FILE__; \
        rfi_own.line = __LINE__; \
        rfi_own.body = rf_test_##name; \
        set_options; \
        rfi_register(&rfi_own); \
    } \
    static void rf_test_##name(void)

#define RFI_INVARIANT(scope, text, fn, arg) \
    rfi_scope scope RFI_CLEANUP(rfi_invariant_end); \
    rfi_invariant_begin(&scope, RFI_SITE(text), fn, arg)

#define RFI_FUNC(scope) \
    rfi_scope scope RFI_UNUSED RFI_CLEANUP(rfi_func_end) = rfi_func_begin(RFI_SITE("RF_FUNC"))

#define RFI_ASSERT_OP(a, op, b, text) \
    RFI_UNIQUE(RFI_COMPARE, __COUNTER__, RFI_COMPARE_FAILED, text, a, op, b)
#define RFI_COMPARE_FAILED(text, p, v) \
    rfi_compare_failed(RFI_SITE(text), RFI_SHOW(p), RFI_SHOW(v))

typedef struct rfi_shown {
    char text[48];
} rfi_shown;

RFI_EXTERN_C_BEGIN
void rfi_assert_failed(const rf_site *s) RFI_NORETURN;
void rfi_compare_failed(const rf_site *s, rfi_shown a, rfi_shown b) RFI_NORETURN;
void rfi_assert_str(const rf_site *s, const char *a, const char *b);
void rfi_assert_mem(const rf_site *s, const void *a, const void *b, size_t n);
rfi_shown rfi_show_bool(bool v);
rfi_shown rfi_show_char(char v);
rfi_shown rfi_show_signed(long long v);
rfi_shown rfi_show_unsigned(unsigned long long v);
rfi_shown rfi_show_double(double v);
rfi_shown rfi_show_long_double(long double v);
rfi_shown rfi_show_pointer(const volatile void *v);
#ifdef __SIZEOF_INT128__
rfi_shown rfi_show_wide(rfi_i128 v);
rfi_shown rfi_show_unsigned_wide(rfi_u128 v);
# define RFI_SHOW_WIDE rfi_i128: rfi_show_wide, rfi_u128: rfi_show_unsigned_wide,
#else
# define RFI_SHOW_WIDE
#endif
RFI_EXTERN_C_END

#ifdef __cplusplus
template <typename T> rfi_shown rfi_show(T v) {
    if constexpr (std::is_same_v<T, bool>) return rfi_show_bool(v);
    else if constexpr (std::is_same_v<T, char>) return rfi_show_char(v);
    else if constexpr (std::is_same_v<T, long double>) return rfi_show_long_double(v);
    else if constexpr (std::is_floating_point_v<T>) return rfi_show_double(v);
    else if constexpr (std::is_enum_v<T>) return rfi_show_signed(static_cast<long long>(v));
# ifdef __SIZEOF_INT128__
    else if constexpr (std::is_same_v<T, rfi_i128>) return rfi_show_wide(v);
    else if constexpr (std::is_same_v<T, rfi_u128>) return rfi_show_unsigned_wide(v);
# endif
    else if constexpr (std::is_unsigned_v<T>) return rfi_show_unsigned(v);
    else if constexpr (std::is_integral_v<T>) return rfi_show_signed(v);
    else return rfi_show_pointer(v);
}
# define RFI_SHOW(v) rfi_show(v)
#else
/* Integers of a type that is not listed are bit-fields. */
# define RFI_SHOW(v) \
     _Generic((v), \
         _Bool: rfi_show_bool, \
         char: rfi_show_char, \
         signed char: rfi_show_signed, \
         short: rfi_show_signed, \
         int: rfi_show_signed, \
         long: rfi_show_signed, \
         long long: rfi_show_signed, \
         unsigned char: rfi_show_unsigned, \
         unsigned short: rfi_show_unsigned, \
         unsigned: rfi_show_unsigned, \
         unsigned long: rfi_show_unsigned, \
         unsigned long long: rfi_show_unsigned, \
         float: rfi_show_double, \
         double: rfi_show_double, \
         long double: rfi_show_long_double, \
         RFI_SHOW_WIDE \
         default: __builtin_choose_expr(__builtin_classify_type(v) == RFI_CLASS_INTEGER, \
                                        rfi_show_signed, rfi_show_pointer))(v)
#endif

#ifdef RFI_IMPL
void rfi_assert_failed(const rf_site *s) {
    rfi_fail_test(s, RF_DIAG_ASSERT, "%s", rfi_site_text(s));
}

void rfi_compare_failed(const rf_site *s, rfi_shown a, rfi_shown b) {
    rfi_fail_test(s, RF_DIAG_ASSERT, "%s: left is %s, right is %s", rfi_site_text(s), a.text,
                  b.text);
}

void rfi_assert_str(const rf_site *s, const char *a, const char *b) {
    if (a == b || (a && b && !strcmp(a, b))) return;
    const char *qa = a ? "\"" : "", *qb = b ? "\"" : "";
    rfi_fail_test(s, RF_DIAG_ASSERT, "%s: left is %s%.200s%s, right is %s%.200s%s",
                  rfi_site_text(s), qa, a ? a : "NULL", qa, qb, b ? b : "NULL", qb);
}

void rfi_assert_mem(const rf_site *s, const void *a, const void *b, size_t n) {
    const unsigned char *p = a, *q = b;
    size_t i = 0;
    while (i < n && p[i] == q[i]) i++;
    if (i < n)
        rfi_fail_test(s, RF_DIAG_ASSERT, "%s: byte %zu of %zu: left is 0x%02x, right is 0x%02x",
                      rfi_site_text(s), i, n, p[i], q[i]);
}

RFI_FN RFI_PRINTF(1, 2) rfi_shown rfi_show_as(const char *fmt, ...) {
    rfi_shown shown;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(shown.text, sizeof shown.text, fmt, ap);
    va_end(ap);
    return shown;
}

rfi_shown rfi_show_bool(bool v) { return rfi_show_as("%s", v ? "true" : "false"); }

rfi_shown rfi_show_char(char v) {
    return v >= ' ' && v <= '~' ? rfi_show_as("'%c' (%d)", v, v) : rfi_show_as("%d", v);
}

rfi_shown rfi_show_signed(long long v) { return rfi_show_as("%lld", v); }
rfi_shown rfi_show_unsigned(unsigned long long v) { return rfi_show_as("%llu", v); }

# ifdef __SIZEOF_INT128__
RFI_FN rfi_shown rfi_show_digits(rfi_u128 v, bool negative) {
    rfi_shown shown;
    char digits[sizeof shown.text], *at = digits + sizeof digits;
    for (*--at = 0; v || !*at; v /= 10) *--at = (char)('0' + (int)(v % 10));
    if (negative) *--at = '-';
    snprintf(shown.text, sizeof shown.text, "%s", at);
    return shown;
}

rfi_shown rfi_show_wide(rfi_i128 v) {
    return rfi_show_digits(v < 0 ? -(rfi_u128)v : (rfi_u128)v, v < 0);
}

rfi_shown rfi_show_unsigned_wide(rfi_u128 v) { return rfi_show_digits(v, false); }
# endif

rfi_shown rfi_show_double(double v) { return rfi_show_as("%.17g", v); }
rfi_shown rfi_show_long_double(long double v) { return rfi_show_as("%.21Lg", v); }

rfi_shown rfi_show_pointer(const volatile void *v) {
    return v ? rfi_show_as("0x%jx", (uintmax_t)(uintptr_t)v) : rfi_show_as("NULL");
}
#endif
#endif

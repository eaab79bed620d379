/* api/spec.h: objects that are specified by the list of their operations (docs/specification.md).
 *
 *     RF_OBJECT(ring) { queue_init(&q); }
 *     RF_OPERATION(ring, enqueue, (int value), bool) { return queue_put(&q, value); }
 *     RF_OPERATION(ring, dequeue, (void), int) { return queue_get(&q); }
 *     RF_LINEARIZABLE(ring, .threads = 3, .operations = 4)
 *
 * They meet by name, in whatever units of a program they are.  In C only.
 */
#ifndef RFI_API_SPEC_H
#define RFI_API_SPEC_H
#include "api/test.h"
#include "engine/operation.h"

#ifndef __cplusplus
/* RF_OBJECT(name) { ... } sets the object up, as if nothing had ever happened to it. */
# define RF_OBJECT(object) RFI_OBJECT_PART(object, rf_object_##object, false)

/* RF_OBJECT_END(name) { ... } runs after the calls of an execution: it frees what the object holds,
 * and may assert. */
# define RF_OBJECT_END(object) RFI_OBJECT_PART(object, rf_object_end_##object, true)

/* RF_OPERATION(object, name, (parameters), result) { ... } is an operation: up to four parameters,
 * integers, and a number for a result, or void.  Options of rf_operation may
 * follow.  An argument has a value of its own in each call, or one of a range, if that is declared:
 * .args = {RF_ARG(0, 3)}. */
# define RF_OPERATION(object, operation, parameters, ...) \
     RFI_OPERATION(object, operation, parameters, __VA_ARGS__, )
# define RF_ARG(from, to) {from, to, 1}

/* RF_LINEARIZABLE(object) is the test NAME_linearizable: calls that threads make at random have
 * results that the same calls have in some order, one by one.  Options of rf_options may follow. */
# define RF_LINEARIZABLE(...) RFI_LINEARIZABLE(__VA_ARGS__, )

/* ---- how ---- */

# define RFI_OBJECT_PART(of, function, at_end) \
     static void function(void); \
     __attribute__((constructor)) static void rfi_register_##function(void) { \
         static rfi_object_part rfi_own = { \
             .object = #of, .file = __FILE__, .line = __LINE__, .end = at_end, .body = function}; \
         rfi_register_object_part(&rfi_own); \
     } \
     static void function(void)

# define RFI_LINEARIZABLE(of, ...) \
     RFI_TEST(of##_linearizable, rfi_own.object = #of; \
              rfi_own.options = ((rf_options){.rfi_name = #of "_linearizable", __VA_ARGS__})) { \
         rfi_scenario_test(RFI_SITE(#of)); \
     }

# define RFI_OPERATION(of, operation, parameters, type, ...) \
     static type rf_op_##of##_##operation parameters; \
     _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wconversion\"") \
     _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") \
     static uint64_t rfi_call_##of##_##operation(const long long *rfi_a) { \
         (void)rfi_a; \
         RFI_CAT(RFI_TAKE_, RFI_VOID(type))(type, RFI_CAT(RFI_CALL_, RFI_ARITY parameters)( \
                                                       rf_op_##of##_##operation, rfi_a)) \
     } \
     _Pragma("GCC diagnostic pop") \
     __attribute__((constructor)) static void rfi_register_##of##_##operation(void) { \
         static rfi_operation rfi_own; \
         rfi_own.object = #of; \
         rfi_own.file = __FILE__; \
         rfi_own.line = __LINE__; \
         rfi_own.site = RFI_SITE(#operation); \
         rfi_own.arguments = RFI_ARITY parameters; \
         rfi_own.result = RFI_CAT(RFI_KIND_, RFI_VOID(type))(type); \
         rfi_own.call = rfi_call_##of##_##operation; \
         rfi_own.options = (rf_operation){.rfi_name = #operation, __VA_ARGS__}; \
         rfi_register_operation(&rfi_own); \
     } \
     static type rf_op_##of##_##operation parameters

/* 1 if it is the word `void` or nothing, else 0: RFI_VOID_void is a macro only before "()". */
# define RFI_VOID(...)            RFI_SECOND(RFI_VOID_##__VA_ARGS__(), 0, )
# define RFI_VOID_void()          0, 1
# define RFI_VOID_()              0, 1
# define RFI_SECOND(...)          RFI_SECOND_(__VA_ARGS__, )
# define RFI_SECOND_(a, b, ...)   b
# define RFI_FIRST(a, ...)        a

/* How many parameters (...) declares. */
# define RFI_ARITY(...) \
     RFI_SEVENTH(__VA_ARGS__, at_most_four_parameters, at_most_four_parameters, 4, 3, 2, \
                 RFI_CAT(RFI_ONE_, RFI_VOID(__VA_ARGS__)), )
# define RFI_SEVENTH(a, b, c, d, e, f, n, ...) n
# define RFI_ONE_0                     1
# define RFI_ONE_1                     0
# define RFI_CALL_0(f, a)              f()
# define RFI_CALL_1(f, a)              f(a[0])
# define RFI_CALL_2(f, a)              f(a[0], a[1])
# define RFI_CALL_3(f, a)              f(a[0], a[1], a[2])
# define RFI_CALL_4(f, a)              f(a[0], a[1], a[2], a[3])

/* Classes of types: pointers, structs, unions. */
# define RFI_NO_RESULTS (1 << RFI_CLASS_POINTER | 1 << 12 | 1 << 13)

/* A result as bits, and what kind it is of. */
# define RFI_TAKE_1(type, call) \
     call; \
     return 0;
# define RFI_TAKE_0(type, call) \
     _Static_assert(!(RFI_NO_RESULTS >> __builtin_classify_type((type){0}) & 1), \
                    "racefuzz: the result of RF_OPERATION is a number, or void"); \
     type rfi_v = call; \
     return _Generic(rfi_v, float: rfi_bits_of((double)rfi_v), double: rfi_bits_of((double)rfi_v), \
                     default: (uint64_t)rfi_v);
# define RFI_KIND_1(type) 'v'
# define RFI_KIND_0(type) \
     _Generic((type){0}, _Bool: 'b', char: 'c', float: 'd', double: 'd', unsigned char: 'u', \
              unsigned short: 'u', unsigned: 'u', unsigned long: 'u', unsigned long long: 'u', \
              default: 'i')

RFI_INLINE uint64_t rfi_bits_of(double v) {
    uint64_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return bits;
}
#endif
#endif

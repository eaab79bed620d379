/* api/spec.h: objects that are specified by their operations (docs/concurrent-object.md).
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
# define RF_OBJECT(object) RFI_OBJECT_PART(object, rf_object_##object, 0)

/* RF_OBJECT_END(name) { ... } runs after the calls of an execution: it frees what the object holds,
 * and may assert. */
# define RF_OBJECT_END(object) RFI_OBJECT_PART(object, rf_object_end_##object, 1)

/* RF_OPERATION(object, name, (parameters), result) { ... } is an operation: up to four parameters,
 * integers, and a number of at most 8 bytes for a result, or void.  Options of rf_operation may
 * follow.  An argument has a value of its own in each call, or one of a range, if that is declared:
 * .args = {RF_ARG(0, 3)}. */
# define RF_OPERATION(object, operation, parameters, ...) \
     RFI_OPERATION(object, operation, parameters, __VA_ARGS__, )
# define RF_ARG(from, to) {from, to, 1}

/* A model takes the object's place in saying what calls return one by one.  RF_MODEL(object, type)
 * { ... } sets up the state *model, a `type` of zeros that is copied by value; RF_MODEL_OPERATION(
 * object, name, (parameters), result) { ... }, one for each operation, changes it and returns the
 * result.  Where the operation would wait it calls RF_WAITS(). */
# define RF_MODEL(object, type) RFI_MODEL(object, type)
# define RF_MODEL_OPERATION(object, operation, parameters, result) \
     RFI_MODEL_OPERATION(object, operation, parameters, result)
# define RF_WAITS() rfi_model_waits()

/* In a model, what the call has returned, an integer; 0: it has not.  Where several results are
 * right the model returns this one, if it is one of them. */
# define RF_RETURNED() rfi_model_returned()

/* RF_LINEARIZABLE(object) is the test NAME_linearizable: calls that threads make at random have
 * results that the same calls have in some order, one by one.  Options of rf_options may follow. */
# define RF_LINEARIZABLE(...) RFI_LINEARIZABLE(__VA_ARGS__, )

/* In a test of your own, RF_TEST(name, .calls = "object"): RF_CALL("put", 3); the call itself;
 * RF_RETURN(its result), 0 for void.  When the test ends, some order of the calls must explain the
 * results. */
# define RF_CALL(...)      RFI_MADE(__VA_ARGS__, )
# define RF_RETURN(result) rfi_call_returned(RFI_SITE("RF_RETURN"), RFI_BITS(result))

/* ---- how ---- */

# define RFI_MADE(name, ...) \
     rfi_call_made(RFI_SITE("RF_CALL"), name, (const long long[]){__VA_ARGS__ 0}, \
                   sizeof((const long long[]){__VA_ARGS__ 0}) / sizeof(long long) - 1)
# define RFI_BITS(v) \
     _Generic((v), float: rfi_bits_of((double)(v)), double: rfi_bits_of((double)(v)), \
              long double: rfi_bits_of((double)(v)), default: (uint64_t)(v))

# define RFI_OBJECT_PART(of, function, at_end) \
     static void function(void); \
     __attribute__((constructor)) static void rfi_register_##function(void) { \
         static rfi_object_part rfi_own = { \
             .object = #of, .file = __FILE__, .line = __LINE__, .end = at_end, .body = function}; \
         rfi_register_object_part(&rfi_own); \
     } \
     static void function(void)

# define RFI_LINEARIZABLE(of, ...) \
     RFI_TEST(of##_linearizable, rfi_own.object = #of; rfi_own.scenarios = rfi_scenarios_count; \
              rfi_own.options = ((rf_options){.rfi_name = #of "_linearizable", __VA_ARGS__})) { \
         rfi_scenario_test(RFI_SITE(#of)); \
     }

# define RFI_MODEL(of, type) \
     typedef type rfi_own_model_##of; \
     static void rf_model_##of(rfi_own_model_##of *model RFI_UNUSED); \
     static void rfi_own_model_begin_##of(void *rfi_m) { rf_model_##of(rfi_m); } \
     __attribute__((constructor)) static void rfi_register_model_##of(void) { \
         static rfi_spec_model rfi_own = {.object = #of, \
                                     .file = __FILE__, \
                                     .line = __LINE__, \
                                     .size = sizeof(rfi_own_model_##of), \
                                     .begin = rfi_own_model_begin_##of}; \
         rfi_register_model(&rfi_own); \
     } \
     static void rf_model_##of(rfi_own_model_##of *model RFI_UNUSED)

# define RFI_MODEL_OPERATION(of, operation, parameters, type) \
     static type rf_model_##of##_##operation( \
         rfi_own_model_##of *model RFI_UNUSED RFI_CAT(RFI_MORE_, RFI_ARITY parameters) \
             parameters); \
     RFI_UNCONVERTED_BEGIN \
     static uint64_t rfi_own_model_##of##_##operation(void *rfi_m, const long long *rfi_a) { \
         (void)rfi_a; \
         RFI_CAT(RFI_TAKE_, RFI_VOID(type))(type, RFI_CAT(RFI_MODEL_, RFI_ARITY parameters)( \
                                                       rf_model_##of##_##operation, rfi_m, rfi_a)) \
     } \
     RFI_UNCONVERTED_END \
     __attribute__((constructor)) static void rfi_register_model_##of##_##operation(void) { \
         static rfi_spec_model rfi_own = {.object = #of, \
                                     .file = __FILE__, \
                                     .name = #operation, \
                                     .line = __LINE__, \
                                     .arguments = RFI_ARITY parameters, \
                                     .call = rfi_own_model_##of##_##operation}; \
         rfi_register_model(&rfi_own); \
     } \
     static type rf_model_##of##_##operation( \
         rfi_own_model_##of *model RFI_UNUSED RFI_CAT(RFI_MORE_, RFI_ARITY parameters) \
             parameters)

# define RFI_UNCONVERTED_BEGIN \
     _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wconversion\"") \
     _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")
# define RFI_UNCONVERTED_END _Pragma("GCC diagnostic pop")

# define RFI_OPERATION(of, operation, parameters, type, ...) \
     _Static_assert(sizeof #type > 1, "racefuzz: RF_OPERATION(" #of ", " #operation \
                                      ", (parameters), result): there is no result, say void"); \
     static type rf_op_##of##_##operation parameters; \
     RFI_UNCONVERTED_BEGIN \
     _Pragma("GCC diagnostic error \"-Wint-conversion\"") \
     static uint64_t rfi_call_##of##_##operation(const long long *rfi_a) { \
         (void)rfi_a; \
         RFI_CAT(RFI_TAKE_, RFI_VOID(type))(type, RFI_CAT(RFI_CALL_, RFI_ARITY parameters)( \
                                                       rf_op_##of##_##operation, rfi_a)) \
     } \
     RFI_UNCONVERTED_END \
     __attribute__((constructor)) static void rfi_register_##of##_##operation(void) { \
         static const rf_site rfi_site = {__FILE__, "rf_op_" #of "_" #operation, #operation, \
                                          __LINE__, RFI_SLOT(RF_SITE_OTHER), RF_SITE_OTHER, 0}; \
         static rfi_operation rfi_own; \
         rfi_own.object = #of; \
         rfi_own.file = __FILE__; \
         rfi_own.line = __LINE__; \
         rfi_own.site = &rfi_site; \
         rfi_own.arguments = RFI_ARITY parameters; \
         rfi_own.result = RFI_CAT(RFI_KIND_, RFI_VOID(type))(type); \
         rfi_own.call = rfi_call_##of##_##operation; \
         rfi_own.options = (rf_operation){.rfi_name = #operation, __VA_ARGS__}; \
         rfi_register_operation(&rfi_own); \
     } \
     static type rf_op_##of##_##operation parameters

# define RFI_CALL_0(f, a)              f()
# define RFI_CALL_1(f, a)              f(a[0])
# define RFI_CALL_2(f, a)              f(a[0], a[1])
# define RFI_CALL_3(f, a)              f(a[0], a[1], a[2])
# define RFI_CALL_4(f, a)              f(a[0], a[1], a[2], a[3])

# define RFI_MODEL_0(f, m, a) f(m)
# define RFI_MODEL_1(f, m, a) f(m, a[0])
# define RFI_MODEL_2(f, m, a) f(m, a[0], a[1])
# define RFI_MODEL_3(f, m, a) f(m, a[0], a[1], a[2])
# define RFI_MODEL_4(f, m, a) f(m, a[0], a[1], a[2], a[3])

/* Classes of types: pointers, complex numbers, structs, unions. */
# define RFI_NO_RESULTS (1 << RFI_CLASS_POINTER | 1 << 9 | 1 << 12 | 1 << 13)

/* A result as bits, and what kind it is of. */
# define RFI_TAKE_1(type, call) \
     call; \
     return 0;
# define RFI_TAKE_0(type, call) \
     _Static_assert(!(RFI_NO_RESULTS >> __builtin_classify_type((type){0}) & 1), \
                    "racefuzz: the result of RF_OPERATION is a number, or void"); \
     _Static_assert(sizeof(type) <= sizeof(uint64_t), \
                    "racefuzz: the result of RF_OPERATION has more than 8 bytes"); \
     type rfi_v = call; \
     return RFI_BITS(rfi_v);
# define RFI_KIND_1(type) 'v'
# define RFI_KIND_0(type) \
     _Generic((type){0}, _Bool: 'b', char: 'c', float: 'd', double: 'd', long double: 'd', \
              unsigned char: 'u', \
              unsigned short: 'u', unsigned: 'u', unsigned long: 'u', unsigned long long: 'u', \
              default: 'i')

RFI_INLINE uint64_t rfi_bits_of(double v) {
    uint64_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return bits;
}
#endif
#endif

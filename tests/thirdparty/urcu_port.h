/* liburcu's port to a machine whose atomic operations are the compiler's builtins, in place of its
 * inline assembly, which nobody can see into.  Given by -include, before its own headers.
 *
 * Its operations that return a value are full barriers, which seq_cst operations of C11 are not.
 */
#ifndef URCU_PORT_H
#define URCU_PORT_H

#define _URCU_ARCH_H
#define URCU_ARCH_RISCV 1 /* of all ports the one that adds nothing to the generic operations */

/* clang-format off */
#define URCU_PORT_FULL(operation) \
    __extension__({ \
        __sync_synchronize(); \
        __typeof__(operation) was = operation; \
        __sync_synchronize(); \
        was; \
    })
#define uatomic_xchg(p, v) \
    URCU_PORT_FULL(__atomic_exchange_n((p), (__typeof__(*(p)))(v), __ATOMIC_SEQ_CST))
#define uatomic_cmpxchg(p, old, v) \
    URCU_PORT_FULL(__sync_val_compare_and_swap((p), (__typeof__(*(p)))(old), \
                                               (__typeof__(*(p)))(v)))
#define uatomic_add_return(p, v) \
    URCU_PORT_FULL(__sync_add_and_fetch((p), (__typeof__(*(p)))(v)))
/* clang-format on */
#define uatomic_and(p, v)                (void)__sync_fetch_and_and((p), (__typeof__(*(p)))(v))
#define uatomic_or(p, v)                 (void)__sync_fetch_and_or((p), (__typeof__(*(p)))(v))
#define cmm_smp_mb__before_uatomic_and() __sync_synchronize()
#define cmm_smp_mb__after_uatomic_and()  __sync_synchronize()
#define cmm_smp_mb__before_uatomic_or()  __sync_synchronize()
#define cmm_smp_mb__after_uatomic_or()   __sync_synchronize()

#define cmm_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define cmm_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#include <urcu/arch/gcc.h>
#endif

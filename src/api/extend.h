/* api/extend.h: registration of analyses, checkers and strategies of one's own
 * (docs/inside/extending.md).
 *
 * Each stands at file scope and takes an object that lives as long as the program.  What is
 * registered has a name like what is built in, for RF_DETECT and RF_STRATEGY.  An analysis is on
 * unless RF_DETECT names others; a checker takes part in the second phase unless RF_STRATEGY names
 * others; a strategy picks threads when RF_STRATEGY names it.
 */
#ifndef RFI_API_EXTEND_H
#define RFI_API_EXTEND_H
#include "engine/iface.h"

#define RF_ANALYSIS(a) RFI_REGISTER(rfi_register_analysis, a)
#define RF_CHECKER(c)  RFI_REGISTER(rfi_register_checker, c)
#define RF_STRATEGY(s) RFI_REGISTER(rfi_register_strategy, s)

#define RFI_REGISTER(function, object) \
    __attribute__((constructor)) static void RFI_CAT(rfi_register_, __COUNTER__)(void) { \
        function(&(object)); \
    } \
    typedef int RFI_CAT(rfi_registered_, __LINE__) RFI_UNUSED /* takes the semicolon */

RFI_EXTERN_C_BEGIN
void rfi_register_analysis(const rf_analysis *a);
void rfi_register_checker(const rf_checker *c);
void rfi_register_strategy(const rf_strategy *s);
RFI_EXTERN_C_END
#endif

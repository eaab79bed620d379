/* mem/plain.h: plain data under suspicion.  Nothing can be watched yet: every plain access goes to
 * memory.
 */
#ifndef RFI_MEM_PLAIN_H
#define RFI_MEM_PLAIN_H
#include "mem/core.h"

#ifdef RFI_IMPL
typedef struct rfi_plain {
    int x;
} rfi_plain;
RFI_FN void rfi_plain_reset(rfi_plain *p) { (void)p; }
RFI_FN void rfi_plain_free(rfi_plain *p) { (void)p; }
RFI_FN bool rfi_plain_any(const rfi_plain *p) {
    (void)p;
    return false;
}
RFI_FN bool rfi_plain_watched(rfi_plain *p, uintptr_t a, size_t n) {
    (void)p;
    (void)a;
    (void)n;
    return false;
}
RFI_FN void rfi_plain_load(rfi_core *c, rfi_plain *p, const rf_mem_access *a, void *o) {
    (void)c;
    (void)p;
    (void)a;
    (void)o;
}
RFI_FN void rfi_plain_store(rfi_core *c, rfi_plain *p, const rf_mem_access *a, const void *o) {
    (void)c;
    (void)p;
    (void)a;
    (void)o;
}
RFI_FN void rfi_plain_forget(rfi_plain *p, uintptr_t a, size_t n) {
    (void)p;
    (void)a;
    (void)n;
}
RFI_FN void rfi_plain_watch(rfi_core *c, rfi_plain *p, uintptr_t a, size_t n) {
    (void)c;
    (void)p;
    (void)a;
    (void)n;
}
RFI_FN void rfi_plain_watch_array(rfi_core *c, rfi_plain *p, uintptr_t a, size_t e, size_t n) {
    (void)c;
    (void)p;
    (void)a;
    (void)n;
    (void)e;
}
RFI_FN uint32_t rfi_plain_history(const rfi_plain *p, uintptr_t a) {
    (void)p;
    (void)a;
    return 0;
}
#endif
#endif

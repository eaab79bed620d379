/* api/interrupt.h: interrupts of a machine with one core (docs/interrupts.md). */
#ifndef RFI_API_INTERRUPT_H
#define RFI_API_INTERRUPT_H
#include "engine/entry.h"

/* Declares a source, from here to the end of the test's body: `void handler(void *)` runs with
 * `arg` on top of whatever runs, at any step, once or `.times = n` times, or not at all.  A handler
 * of a higher `.priority` (0 to 15) interrupts one of a lower. `irq` is a name.  In C++ without
 * options. */
#ifdef __cplusplus
# define RF_INTERRUPT(irq, handler, arg) \
     rfi_interrupt_source(RFI_SITE("interrupt " #irq), handler, arg, rf_interrupt_options())
#else
# define RF_INTERRUPT(irq, ...) RFI_INTERRUPT(irq, __VA_ARGS__, )
#endif
#define RFI_INTERRUPT(irq, handler, arg, ...) \
    rfi_interrupt_source(RFI_SITE("interrupt " #irq), handler, arg, \
                         (rf_interrupt_options){.rfi_irq = #irq, __VA_ARGS__})

/* Between the two no handler runs, nor another thread; they nest. */
#define RF_MASK()   rfi_interrupts_mask(RFI_SITE("RF_MASK"))
#define RF_UNMASK() rfi_interrupts_unmask(RFI_SITE("RF_UNMASK"))

/* Sleeps until a handler has run, as pause() and WFI do; under RF_MASK, which it opens meanwhile,
 * as sigsuspend() does: one that strikes before it sleeps wakes it, too. */
#define RF_PAUSE() rfi_interrupt_wait(RFI_SITE("RF_PAUSE"))
#endif

/* api/interrupt.h: interrupts of a machine with one core, priorities (docs/interrupts.md). */
#ifndef RFI_API_INTERRUPT_H
#define RFI_API_INTERRUPT_H
#include "engine/entry.h"

/* Declares a source, from here to the end of the test's body: `void handler(void *)` runs with
 * `arg` on top of whatever runs, at any step, once or `.times = n` times, or not at all.  A handler
 * of a higher `.priority` (0 to 15) interrupts one of a lower.  With `.period = ms` it comes each
 * time that so much virtual time has passed, without end or `.times = n` times.  `irq` is a name.
 * In C++ without options. */
#ifdef __cplusplus
# define RF_INTERRUPT(irq, handler, arg) \
     rfi_interrupt_source(RFI_SITE("interrupt " #irq), handler, arg, rf_interrupt_options())
#else
# define RF_INTERRUPT(irq, ...) RFI_INTERRUPT(irq, __VA_ARGS__, )
#endif
#define RFI_INTERRUPT(irq, handler, arg, ...) \
    rfi_interrupt_source(RFI_SITE("interrupt " #irq), handler, arg, \
                         (rf_interrupt_options){.rfi_irq = #irq, __VA_ARGS__})

/* Up to the next RF_UNMASK no handler runs, nor another thread; they nest.  Those with a priority
 * close the sources of higher priorities only, or of this and lower ones (as BASEPRI does). */
#define RF_MASK()          rfi_interrupts_mask(RFI_SITE("RF_MASK"), 0, 15)
#define RF_MASK_ABOVE(p)   rfi_interrupts_mask(RFI_SITE("RF_MASK_ABOVE(" #p ")"), (p) + 1u, 15)
#define RF_MASK_UP_TO(p)   rfi_interrupts_mask(RFI_SITE("RF_MASK_UP_TO(" #p ")"), 0, p)
#define RF_UNMASK()        rfi_interrupts_unmask(RFI_SITE("RF_UNMASK"))

/* Sleeps until a handler has run, as pause() and WFI do; under RF_MASK, which it opens meanwhile,
 * as sigsuspend() does: one that strikes before it sleeps wakes it, too. */
#define RF_PAUSE() rfi_interrupt_wait(RFI_SITE("RF_PAUSE"))

/* The running thread has this priority, and those that it creates.  It counts with --cores=N: a
 * thread does not run while N of higher priorities could.  A mutex of the kind RF_MUTEX_INHERIT, or
 * RF_MUTEX_RECURSIVE | RF_MUTEX_INHERIT, gives its owner that of whoever waits for it; one with
 * RF_MUTEX_CEILING(p) gives it p. */
#define RF_PRIORITY(priority) rfi_priority(RFI_SITE("RF_PRIORITY(" #priority ")"), priority)

/* RF_DEADLINE(n) { ... }: with --cores, the block must not take more than n steps of others. */
#define RF_DEADLINE(steps) RFI_DEADLINE(RFI_CAT(rfi_deadline_, __COUNTER__), steps)
#define RFI_DEADLINE(block, steps) \
    for (rf_deadline block RFI_CLEANUP(rfi_deadline_end) = \
             rfi_deadline_begin(RFI_SITE("RF_DEADLINE"), steps); \
         block.open; block.open = 0)
#endif

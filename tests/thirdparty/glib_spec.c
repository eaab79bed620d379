/* GLib's GAsyncQueue by the list of its operations.  Its source and that of GQueue and GList are
 * used as they are; what they need of the rest of GLib is here, by pthreads and malloc. */
#include "racefuzz.h"
#include <glib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- the rest of GLib ---- */

static pthread_mutex_t *mutex_of(GMutex *m) { return m->p; }
static pthread_cond_t *cond_of(GCond *c) { return (void *)c->p; }

void g_mutex_init(GMutex *m) { pthread_mutex_init(m->p = malloc(sizeof(pthread_mutex_t)), NULL); }
void g_mutex_lock(GMutex *m) { pthread_mutex_lock(mutex_of(m)); }
void g_mutex_unlock(GMutex *m) { pthread_mutex_unlock(mutex_of(m)); }
void g_mutex_clear(GMutex *m) { pthread_mutex_destroy(mutex_of(m)), free(m->p); }
void g_cond_init(GCond *c) { pthread_cond_init(c->p = malloc(sizeof(pthread_cond_t)), NULL); }
void g_cond_signal(GCond *c) { pthread_cond_signal(cond_of(c)); }
void g_cond_wait(GCond *c, GMutex *m) { pthread_cond_wait(cond_of(c), mutex_of(m)); }
gboolean g_cond_wait_until(GCond *c, GMutex *m, gint64 until) {
    (void)until; /* no test asks for a time */
    g_cond_wait(c, m);
    return TRUE;
}
void g_cond_clear(GCond *c) { pthread_cond_destroy(cond_of(c)), free(c->p); }
gint64 g_get_monotonic_time(void) { return 0; }
gint64 g_get_real_time(void) { return 0; }
void g_log(const gchar *domain, GLogLevelFlags level, const gchar *format, ...) {
    RF_FAIL("%s %d: %s", domain, (int)level, format);
}

gpointer g_malloc(gsize n) { return malloc(n); }
gpointer g_malloc_n(gsize n, gsize size) { return malloc(n * size); }
void g_free(gpointer p) { free(p); }
gpointer g_slice_alloc(gsize n) { return malloc(n); }
gpointer g_slice_alloc0(gsize n) { return calloc(1, n); }
void g_slice_free1(gsize n, gpointer p) { (void)n, free(p); }
void g_slice_free_chain_with_offset(gsize n, gpointer p, gsize next) {
    for (gpointer after; p; p = after) {
        after = *(gpointer *)(void *)((char *)p + next);
        g_slice_free1(n, p);
    }
}
void g_return_if_fail_warning(const char *domain, const char *where, const char *what) {
    RF_FAIL("%s: %s: %s", domain, where, what);
}
void g_assertion_message_expr(const char *domain, const char *file, int line, const char *where,
                              const char *what) {
    (void)domain, (void)where;
    RF_FAIL("%s:%d: %s", file, line, what);
    abort();
}

/* ---- the queue ---- */

static GAsyncQueue *queue;

RF_OBJECT(queue) { queue = g_async_queue_new(); }
RF_OBJECT_END(queue) { g_async_queue_unref(queue); }
RF_OPERATION(queue, push, (int value), void) { g_async_queue_push(queue, GINT_TO_POINTER(value)); }
RF_OPERATION(queue, push_front, (int value), void) {
    g_async_queue_push_front(queue, GINT_TO_POINTER(value));
}
RF_OPERATION(queue, pop, (void), int, .blocks = true) {
    return GPOINTER_TO_INT(g_async_queue_pop(queue));
}
RF_OPERATION(queue, try_pop, (void), int) { return GPOINTER_TO_INT(g_async_queue_try_pop(queue)); }
RF_LINEARIZABLE(queue)

RF_MAIN()

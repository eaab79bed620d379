/* libqb's log: two threads write a message each, a third one passes them on. */
#include <pthread.h>
#include <qb/qblog.h>

static int seen;

static void count(int32_t to, struct qb_log_callsite *from, struct timespec *at, const char *text) {
    (void)to, (void)from, (void)at, (void)text;
    seen++;
}

static void *logs(void *arg) {
    qb_log(LOG_INFO, "from another thread");
    return arg;
}

int main(void) {
    qb_log_init("log", LOG_USER, LOG_INFO);
    qb_log_ctl(QB_LOG_SYSLOG, QB_LOG_CONF_ENABLED, QB_FALSE);
    int32_t to = qb_log_custom_open(count, NULL, NULL, NULL);
    qb_log_filter_ctl(to, QB_LOG_FILTER_ADD, QB_LOG_FILTER_FILE, "*", LOG_TRACE);
    qb_log_ctl(to, QB_LOG_CONF_ENABLED, QB_TRUE);
    qb_log_ctl(to, QB_LOG_CONF_THREADED, QB_TRUE);
    qb_log_thread_start();
    pthread_t other;
    pthread_create(&other, NULL, logs, NULL);
    qb_log(LOG_INFO, "from main");
    pthread_join(other, NULL);
    qb_log_fini(); /* stops the third thread when it has passed on all */
    return seen != 2;
}

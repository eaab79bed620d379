/* dbcp: a pool of database connections.  Preparing a statement takes the connection's lock, then
 * the pool's; giving the connection back takes them the other way round.  The same with statements.
 */
#include "paper.h"

static rf_mutex connection, statement, pool;
static int prepared, borrowed;

#ifdef FIXED
# define INSIDE_OUT(outer, inner) RF_GUARD(inner) RF_GUARD(outer)
#else
# define INSIDE_OUT(outer, inner) RF_GUARD(outer) RF_GUARD(inner)
#endif

static void prepare_statement(void) {
    INSIDE_OUT(&connection, &pool) { RF_STORE(prepared, RF_LOAD(prepared) + 1); }
}

static void close_connection(void) {
    RF_GUARD(&pool) RF_GUARD(&connection) { RF_STORE(borrowed, RF_LOAD(borrowed) - 1); }
}

static void close_statement(void) {
    INSIDE_OUT(&statement, &pool) { RF_STORE(prepared, RF_LOAD(prepared) - 1); }
}

static void clear_statements(void) {
    RF_GUARD(&pool) RF_GUARD(&statement) { RF_STORE(prepared, 0); }
}

static void *run(void *arg) {
    switch (*(int *)arg) {
    case 0: prepare_statement(); break;
    case 1: close_connection(); break;
    case 2: close_statement(); break;
    default: clear_statements(); break;
    }
    return NULL;
}

RF_TEST(dbcp, .expect = BUG(RF_EXPECT_DEADLOCK)) {
    prepared = 0;
    borrowed = 1;
    rf_mutex_init(&connection, "connection", RF_MUTEX_NORMAL);
    rf_mutex_init(&statement, "statement", RF_MUTEX_NORMAL);
    rf_mutex_init(&pool, "pool", RF_MUTEX_NORMAL);
    crew(4, run);
}

RF_MAIN()

/* jigsaw: a web server: a table of clients, a factory of sockets, a store of resources.
 *
 * Races: every client counts what it serves under its own lock, and the status page reads without
 * any.  Requests go through a queue: suspected, and false.
 * Deadlocks: who shuts down takes the factory's lock, then that of the table of clients; a client
 * that closes its connection takes them the other way round, in three places.  The store and its
 * entries are locked in both orders too, but an entry is unloaded only when its load is over, and a
 * client reads the other's state only after it: these cycles are suspected, and cannot happen.
 */
#include "paper.h"

enum { CLIENTS = 3, REQUESTS = 2 };

typedef struct request {
    int url, method, version, status, length;
} request;

typedef struct client {
    rf_mutex lock;
    int served;
} client;

static client clients[CLIENTS];
static request requests[REQUESTS];
static struct {
    rf_mutex lock;
    rf_cond more;
    int queued, taken;
} accepted;
static struct {
    rf_mutex lock;
    int hits, bytes, errors;
} statistics;
static struct {
    rf_mutex lock;
    int busy, idle;
} table;
static rf_mutex factory;
static struct {
    rf_mutex lock, entry, state;
    bool loaded;
    int reads;
} store;

static void start(void) {
    for (int i = 0; i < CLIENTS; i++) {
        rf_mutex_init(&clients[i].lock, "client", RF_MUTEX_NORMAL);
        clients[i].served = 0;
    }
    rf_mutex_init(&accepted.lock, "accepted", RF_MUTEX_NORMAL);
    rf_cond_init(&accepted.more, "more requests");
    rf_mutex_init(&statistics.lock, "statistics", RF_MUTEX_NORMAL);
    rf_mutex_init(&table.lock, "client table", RF_MUTEX_NORMAL);
    rf_mutex_init(&factory, "socket factory", RF_MUTEX_NORMAL);
    rf_mutex_init(&store.lock, "resource store", RF_MUTEX_NORMAL);
    rf_mutex_init(&store.entry, "store entry", RF_MUTEX_NORMAL);
    rf_mutex_init(&store.state, "entry state", RF_MUTEX_NORMAL);
    accepted.queued = accepted.taken = 0;
    statistics.hits = statistics.bytes = statistics.errors = 0;
    table.busy = 0;
    table.idle = CLIENTS;
    store.loaded = false;
    store.reads = 0;
    /* in two steps, and no harm in it: nobody else is there yet */
    RF_ATOMIC_BLOCK("configure") {
        RF_GUARD(&statistics.lock) { RF_STORE(statistics.hits, 0); }
        RF_GUARD(&statistics.lock) { RF_STORE(statistics.bytes, 0); }
    }
}

/* ---- races ---- */

static void accept_all(void) {
    for (int i = 0; i < REQUESTS; i++) {
        request *r = &requests[i];
        RF_STORE(r->url, i);
        RF_STORE(r->method, 1);
        RF_STORE(r->version, 11);
        RF_STORE(r->status, 0);
        RF_STORE(r->length, 0);
        RF_GUARD(&accepted.lock) {
            RF_STORE(accepted.queued, i + 1);
            RF_BROADCAST(&accepted.more);
        }
    }
}

static request *next_request(void) {
    request *r = NULL;
    RF_GUARD(&accepted.lock) {
        int n = RF_LOAD(accepted.taken);
        while (n < REQUESTS && n == RF_LOAD(accepted.queued)) {
            RF_WAIT(&accepted.more, &accepted.lock);
            n = RF_LOAD(accepted.taken);
        }
        if (n < REQUESTS) {
            r = &requests[n];
            RF_STORE(accepted.taken, n + 1);
        }
    }
    return r;
}

static void count_hit(rf_mutex *lock, int bytes, bool error) {
#ifdef FIXED
    lock = &statistics.lock;
#endif
    RF_ATOMIC_BLOCK("count hit") {
        RF_LOCK(lock);
        RF_STORE(statistics.hits, RF_LOAD(statistics.hits) + 1);
        RF_STORE(statistics.bytes, RF_LOAD(statistics.bytes) + bytes);
        if (error) RF_STORE(statistics.errors, RF_LOAD(statistics.errors) + 1);
        RF_UNLOCK(lock);
    }
}

/* Moves a client between the idle and the busy ones. */
static void change_state(int to_busy) {
    RF_ATOMIC_BLOCK("client state") {
#ifdef FIXED
        RF_GUARD(&table.lock) {
            RF_STORE(table.busy, RF_LOAD(table.busy) + to_busy);
            RF_STORE(table.idle, RF_LOAD(table.idle) - to_busy);
        }
#else
        RF_GUARD(&table.lock) { RF_STORE(table.busy, RF_LOAD(table.busy) + to_busy); }
        RF_GUARD(&table.lock) { RF_STORE(table.idle, RF_LOAD(table.idle) - to_busy); }
#endif
    }
}

static void serve(client *c) {
    for (request *r; (r = next_request());) {
        change_state(1);
        int length = RF_LOAD(r->url) + RF_LOAD(r->method) + RF_LOAD(r->version);
        RF_STORE(r->status, 200);
        RF_STORE(r->length, length);
        count_hit(&c->lock, length, length == 12);
        RF_GUARD(&c->lock) { RF_STORE(c->served, RF_LOAD(c->served) + 1); }
        change_state(-1);
    }
}

static int status_page(void) {
#ifdef FIXED
    int sum = 0;
    RF_GUARD(&statistics.lock) {
        sum = RF_LOAD(statistics.hits) + RF_LOAD(statistics.bytes) + RF_LOAD(statistics.errors);
    }
    RF_GUARD(&table.lock) { sum += RF_LOAD(table.busy) + RF_LOAD(table.idle); }
    return sum;
#else
    int sum = RF_LOAD(statistics.hits) + RF_LOAD(statistics.bytes) + RF_LOAD(statistics.errors);
    return sum + RF_LOAD(table.busy) + RF_LOAD(table.idle);
#endif
}

static void *server(void *arg) {
    int id = *(int *)arg;
    if (id < CLIENTS)
        serve(&clients[id]);
    else if (id == CLIENTS)
        accept_all();
    else
        status_page();
    return NULL;
}

RF_TEST(jigsaw, .expect = BUG(RF_EXPECT_RACE | RF_EXPECT_ATOMICITY)) {
    start();
    crew(CLIENTS + 2, server);
    RF_ASSERT_EQ(table.busy, 0);
}

/* ---- deadlocks ---- */

/* Takes two locks, one inside the other. */
#ifdef FIXED
/* As before, but the factory's is always the outer one. */
# define CLIENT_SIDE RF_GUARD(&factory) RF_GUARD(&table.lock)
#else
# define CLIENT_SIDE RF_GUARD(&table.lock) RF_GUARD(&factory)
#endif

static void finish_connection(void) {
    CLIENT_SIDE { RF_STORE(table.busy, RF_LOAD(table.busy) - 1); }
}

static void close_idle_connection(void) {
    CLIENT_SIDE { RF_STORE(table.idle, RF_LOAD(table.idle) - 1); }
}

static void abort_connection(void) {
    CLIENT_SIDE { RF_STORE(table.idle, 0); }
}

static void kill_clients(void) {
    RF_GUARD(&factory) RF_GUARD(&table.lock) { RF_STORE(table.busy, 0); }
}

static void load_entry(void) {
    RF_GUARD(&store.lock) RF_GUARD(&store.entry) { RF_STORE(store.reads, 1); }
    RF_GUARD(&store.state) { RF_STORE(store.loaded, true); }
}

static void unload_entry(void) {
    bool loaded = false;
    RF_GUARD(&store.state) { loaded = RF_LOAD(store.loaded); }
    if (!loaded) return;
    RF_GUARD(&store.entry) RF_GUARD(&store.lock) { RF_STORE(store.reads, 0); }
}

static void save_entry(void) {
    bool loaded = false;
    RF_GUARD(&store.state) { loaded = RF_LOAD(store.loaded); }
    if (!loaded) return;
    RF_GUARD(&store.entry) RF_GUARD(&store.lock) { RF_STORE(store.reads, 2); }
}

static void *shutdown_side(void *arg) {
    switch (*(int *)arg) {
    case 0: finish_connection(); break;
    case 1: close_idle_connection(); break;
    case 2: abort_connection(); break;
    case 3: kill_clients(); break;
    case 4: load_entry(); break;
    case 5: unload_entry(); break;
    default: save_entry(); break;
    }
    return NULL;
}

RF_TEST(jigsaw_shutdown, .expect = BUG(RF_EXPECT_DEADLOCK)) {
    start();
    crew(7, shutdown_side);
}

RF_MAIN()

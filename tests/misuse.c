/* Wrong use of every kind of synchronisation object: object, misuse, what is said.  What only one
 * kind can suffer is in the test of that kind. */
#define RF_IMPLEMENTATION
#include "schedules.h"

typedef struct object {
    const char *name, *variable, *type; /* as messages have them */
    void (*take)(void), (*drop)(void), (*destroy)(void), (*init)(void), (*use_garbage)(void);
} object;

enum { TAKE = 1, DROP, DESTROY, INIT, GARBAGE };

/* The operations on a variable. */
#define OBJECT(kind, variable, type, takes, drops, destroys, inits)                 \
 static void take_##kind(void) { AT(TAKE, takes(&variable)); }                      \
 static void drop_##kind(void) { AT(DROP, drops(&variable)); }                      \
 static void destroy_##kind(void) { AT(DESTROY, destroys(&variable)); }             \
 static void init_##kind(void) { AT(INIT, inits(&variable)); }                      \
 static void garbage_##kind(void) {                                                 \
  static __typeof__(variable) garbage;                                              \
  memset(&garbage, 0x5a, sizeof garbage);                                           \
  AT(GARBAGE, takes(&garbage));                                                     \
 }                                                                                  \
 static const object kind = {#kind,       #variable,      type,        take_##kind, \
                             drop_##kind, destroy_##kind, init_##kind, garbage_##kind};

static rf_mutex m = RF_MUTEX_INIT;
static rf_spin s = RF_SPIN_INIT;
static rf_rwlock l = RF_RWLOCK_INIT;
static rf_sem tokens = RF_SEM_INIT(0);
static rf_cond c = RF_COND_INIT;
static rf_barrier b = RF_BARRIER_INIT(3);
static rf_once o = RF_ONCE_INIT;

static void nothing_to_do(void) {}

#define TRIES(at)        (void)RF_TRYLOCK(at)
#define ARRIVES(at)      (void)RF_BARRIER_WAIT(at)
#define CALLS(at)        RF_ONCE(at, nothing_to_do)
#define INIT_MUTEX(at)   rf_mutex_init(at, "made", RF_MUTEX_NORMAL)
#define INIT_SPIN(at)    rf_spin_init(at, "made")
#define INIT_RWLOCK(at)  rf_rwlock_init(at, "made")
#define INIT_SEM(at)     rf_sem_init(at, "made", 1)
#define INIT_COND(at)    rf_cond_init(at, "made")
#define INIT_BARRIER(at) rf_barrier_init(at, "made", 2)
#define INIT_ONCE(at)    rf_once_init(at, "made")

OBJECT(mutex, m, "mutex", RF_LOCK, RF_UNLOCK, rf_mutex_destroy, INIT_MUTEX)
OBJECT(tried_mutex, m, "mutex", TRIES, RF_UNLOCK, rf_mutex_destroy, INIT_MUTEX)
OBJECT(spin_lock, s, "spin lock", RF_SPIN_LOCK, RF_SPIN_UNLOCK, rf_spin_destroy, INIT_SPIN)
OBJECT(rwlock_read, l, "rwlock", RF_RDLOCK, RF_RWUNLOCK, rf_rwlock_destroy, INIT_RWLOCK)
OBJECT(rwlock_written, l, "rwlock", RF_WRLOCK, RF_RWUNLOCK, rf_rwlock_destroy, INIT_RWLOCK)
OBJECT(semaphore, tokens, "semaphore", RF_SEM_POST, RF_SEM_WAIT, rf_sem_destroy, INIT_SEM)
OBJECT(condition, c, "condition", RF_SIGNAL, RF_BROADCAST, rf_cond_destroy, INIT_COND)
OBJECT(barrier, b, "barrier", ARRIVES, ARRIVES, rf_barrier_destroy, INIT_BARRIER)
OBJECT(once, o, "once", CALLS, CALLS, rf_once_destroy, INIT_ONCE)

/* ---- what is done to them ---- */

static const object *now;

THREAD(takes) { now->take(); }
THREAD(drops) { now->drop(); }

static void taken_again(void) {
    now->take();
    now->take();
}

static void released_by_nobody(void) { now->drop(); }

static void released_by_another(void) {
    now->take();
    (void)RF_JOIN(RF_THREAD(drops, NULL));
}

static void destroyed_while_held(void) {
    now->take();
    now->destroy();
}

static void made_while_held(void) {
    now->take();
    now->init();
}

static void held_at_the_end(void) { now->take(); }

static void destroyed_twice(void) {
    now->destroy();
    now->destroy();
}

static void used_when_destroyed(void) {
    now->destroy();
    now->take();
}

static void destroyed_under_its_user(void) {
    (void)RF_THREAD(takes, NULL);
    now->destroy();
}

static void never_made(void) { now->use_garbage(); }

/* ---- the table ---- */

/* In messages $ stands for the variable and % for the type. */
static const struct row {
    const char *misuse;
    void (*does)(void);
    rf_diagnostic diagnostic;
    unsigned at;
    const char *message;
    const object *object[9];
} rows[] = {
    {"taken again",
     taken_again,
     RF_DIAG_RELOCK,
     TAKE,
     "T0 already holds $ since @1",
     {&mutex, &spin_lock, &rwlock_written}},
    {"released, held by nobody",
     released_by_nobody,
     RF_DIAG_UNLOCK_FREE,
     DROP,
     "$ is not locked",
     {&mutex, &spin_lock, &rwlock_read}},
    {"released, held by another",
     released_by_another,
     RF_DIAG_UNLOCK_OTHER,
     DROP,
     "$ is held by T0, not by T1",
     {&mutex, &spin_lock, &rwlock_written}},
    {"released, held by another",
     released_by_another,
     RF_DIAG_UNLOCK_OTHER,
     DROP,
     "$ is held for reading by others, not by T1",
     {&rwlock_read}},
    {"destroyed while held",
     destroyed_while_held,
     RF_DIAG_DESTROY_BUSY,
     DESTROY,
     "$ is held by T0 since @1",
     {&mutex, &spin_lock, &rwlock_read, &rwlock_written}},
    {"initialised while held",
     made_while_held,
     RF_DIAG_REINIT,
     INIT,
     "$ is held by T0 since @1",
     {&mutex, &spin_lock, &rwlock_read, &rwlock_written}},
    {"held at the end",
     held_at_the_end,
     RF_DIAG_EXIT_HOLDING,
     TAKE,
     "T0 ends and still holds $, taken here",
     {&mutex, &spin_lock, &rwlock_read, &rwlock_written}},
    {"destroyed twice",
     destroyed_twice,
     RF_DIAG_DESTROYED,
     DESTROY,
     "$ was destroyed before",
     {&mutex, &spin_lock, &rwlock_read, &semaphore, &condition, &barrier, &once}},
    {"used when destroyed",
     used_when_destroyed,
     RF_DIAG_DESTROYED,
     TAKE,
     "$ was destroyed before",
     {&mutex, &tried_mutex, &spin_lock, &rwlock_read, &rwlock_written, &semaphore, &condition,
      &barrier, &once}},
    {"destroyed under its user",
     destroyed_under_its_user,
     RF_DIAG_DESTROYED,
     TAKE,
     "$ was destroyed when T1 was about to use it",
     {&tried_mutex, &semaphore, &condition, &barrier}},
    {"never initialised",
     never_made,
     RF_DIAG_WRONG_TYPE,
     GARBAGE,
     "garbage was never initialised as a % (by rf_..._init or RF_..._INIT)",
     {&mutex, &spin_lock, &rwlock_read, &semaphore, &condition, &barrier, &once}},
};

static const struct row *row;

RF_TEST(misuse) { row->does(); }

static const char *message(void) {
    static char text[RFI_MESSAGE_BYTES];
    rfi_text t = {text, text + sizeof text};
    for (const char *at = row->message; *at; at++) {
        const char one[2] = {*at, 0};
        rfi_append(&t, "%s", *at == '$' ? now->variable : *at == '%' ? now->type : one);
    }
    return text;
}

int main(void) {
    for (row = rows; row < rows + RFI_LENGTH(rows); row++)
        for (unsigned i = 0; i < RFI_LENGTH(row->object) && row->object[i]; i++) {
            char name[96];
            now = row->object[i];
            snprintf(name, sizeof name, "%s %s", now->name, row->misuse);
            bool at_times = row->does == destroyed_under_its_user; /* seen with fine granularity */
            claim shown = {.test = "misuse",
                           .message = message(),
                           .diagnostic = row->diagnostic,
                           .at = row->at,
                           .always = !at_times,
                           .fine_only = at_times};
            lab_check(holds(&shown), name, why);
        }
    return lab_end();
}

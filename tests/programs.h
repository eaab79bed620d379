/* The programs of the RaceFuzzer paper (Sen, PLDI 2008, Figures 1 and 2), of the slides, and others
 * whose exact probabilities are known, as text (script.h).  The marks are the statements that the
 * tests are about.  `own` steps are private stores: equal loads in a row are taken for a spin loop.
 *
 * Each is given as two threads, and what they begin with. */
#ifndef PROGRAMS_H
#define PROGRAMS_H
#include "script.h"

/* The body joins the threads, or leaves them alone: a join is a step. */
#define JOINED(begin, threads)       "body:" begin " start; start; join |" threads
#define ALONE(begin, threads)        "body:" begin " start; detach; start; detach |" threads
#define CHECKED(begin, end, threads) "body:" begin " start; start; join;" end "|" threads

/* Figure 1: a race on z that does harm, and one on x that cannot happen.  Statements 1, 5, 7, 10.
 */
#define FIGURE_1                                                       \
 "@1 W x 1; lock l; W y 1; unlock l; @5 R z; if = 1 { fail ERROR1 } |" \
 "@7 W z 1; lock l; R y; if = 1 { @9 R x; if ! 1 { fail ERROR2 } }; unlock l"

/* Figure 2: a race behind any number of private statements.  Statements 8, 10. */
#define FIGURE_2_OF(statements)                                          \
 "lock l; own " statements "; unlock l; @8 R x; if = 0 { fail ERROR } |" \
 "@9 W x 1; lock l; own 1; unlock l"
#define FIGURE_2 FIGURE_2_OF("5")

#define ADD_1  "R x; W x it+1"
#define UPDATE "@1 R x; @2 W x it+1 | @3 R x; @4 W x it+1"
#define LOST   " peek x; if ! 2 { fail lost }"
/* The one that ends last looks. */
#define ADD_AND_LOOK ADD_1 "; peek n; quietly n it+1; if = 1 {" LOST "}"
#define UPDATE_ALONE ALONE("", ADD_AND_LOOK "|" ADD_AND_LOOK)
#define CHECK_ACT    "@1 R y; if ! 0 { @2 R y; if = 0 { fail null } } | @3 W y 0"
#define Y_IS_1       " quietly y 1;"
#define INVERSION    "lock a; lock b; unlock b; unlock a | lock b; lock a; unlock a; unlock b"
/* StringBuffer: append(sb) holds a, its own lock, and asks sb (b) twice. */
#define STRING_BUFFER                                                                              \
 "lock a; lock b; R y; keep; unlock b; lock b; R y; if < kept { fail index }; unlock b; unlock a " \
 "|"                                                                                               \
 "lock b; W y 0; unlock b"
#define Y_IS_5 " quietly y 5;"
#endif

/* planted.h: what a test of an example must find.
 *
 * `.expect = PLANTED(kinds)` names what racefuzz has to find in the buggy sources.  The same tests
 * are compiled with -DEXPECT_PASS for the fixed twin, where nothing may be found, and for a demo,
 * where one wants to see a test fail.
 */
#ifndef PLANTED_H
#define PLANTED_H

#ifdef EXPECT_PASS
# define PLANTED(kinds) RF_EXPECT_PASS
#else
# define PLANTED(kinds) (kinds)
#endif

#endif

/* campaign/addresses.h: the same addresses wherever a program runs.
 *
 * A program that hashes or compares addresses does so in its own way in every process in which the
 * system draws them, and no token can tell.  So it is started anew without that, unless that is
 * forbidden, or somebody who looks on would lose sight of it.  What of chance the kernel has left
 * for it is made the same as well.
 */
#ifndef RFI_CAMPAIGN_ADDRESSES_H
#define RFI_CAMPAIGN_ADDRESSES_H
#include "base/platform.h"

#ifdef RFI_IMPL
# if defined __linux__ && defined __GLIBC__ && !defined RFI_ASAN && !defined RFI_TSAN
#  include <sys/auxv.h>
# endif

/* First of all: what has been done before is done twice. */
RFI_FN void rfi_addresses_settle(int argc, char **argv) {
    (void)argc, (void)argv;
# if defined __linux__ && defined __GLIBC__ && !defined RFI_ASAN && !defined RFI_TSAN
    static const char again[] = "RACEFUZZ_STARTED_AGAIN";
    const char *loaded = getenv("LD_PRELOAD");
    char *bytes = (char *)getauxval(AT_RANDOM), program[4096];
    bool second = getenv(again) != NULL;
    int kind = personality(0xffffffff);
    if (bytes) memset(bytes, 0x5a, 16);
    if (second) unsetenv(again);
    if (second || kind == -1 || kind & ADDR_NO_RANDOMIZE || argc < 1) return;
    if (loaded && strstr(loaded, "vgpreload")) return;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0 || personality((unsigned long)kind | ADDR_NO_RANDOMIZE) == -1) return;
    program[n] = 0;
    if (!setenv(again, "1", 1)) (void)execv(program, argv);
    unsetenv(again);
    (void)personality((unsigned long)kind);
# endif
}
#endif
#endif

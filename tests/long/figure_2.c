/* Figure 2 of the RaceFuzzer paper with 100,000 statements before the race. */
#define RF_IMPLEMENTATION
#include "tests/programs.h"

int main(void) {
    script_is(JOINED("", FIGURE_2_OF("100000")), false);
    const rfi_tally *t = lab_confirm("script", line_of[8], 'R', line_of[9], 'W', 2000, LAB_COARSE);
    LAB_CHECK("with 100000 statements before the race figure 2 is hit every time",
              t->executions == 2000 && t->hits == 2000);
    lab_share("with 100000 statements before the race figure 2 fails half the time",
              lab_said(t, "ERROR"), 2000, 0.5);
    LAB_CHECK("with 100000 statements before the race uniform random never fails",
              !lab_said(lab_random("script", 100, LAB_FINE), "ERROR"));
    return lab_end();
}

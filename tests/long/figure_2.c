/* Figure 2 of the RaceFuzzer paper with 100,000 statements before the race. */
#define RF_IMPLEMENTATION
#include "tests/programs.h"

int main(void) {
    padding = 100000;
    const rfi_tally *t = lab_confirm("figure_2", F2_8, 'R', F2_10, 'W', 2000, LAB_COARSE);
    LAB_CHECK("with 100000 statements before the race figure 2 is hit every time",
              t->executions == 2000 && t->hits == 2000);
    lab_share("with 100000 statements before the race figure 2 fails half the time",
              lab_said(t, "ERROR"), 2000, 0.5);
    LAB_CHECK("with 100000 statements before the race uniform random never fails",
              !lab_said(lab_random("figure_2", 100, LAB_FINE), "ERROR"));
    return lab_end();
}

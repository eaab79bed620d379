/* pipeline_test.c: whole runs of the pipeline, watched.
 *
 * Three races are planted, from easy to hard: the sum of the bytes (stats_count.c), the last fault
 * (faults_report.c), the reason to stop (stop_request.c).  All the rest of what pipeline.h lists is
 * shared without a lock here and there too, and is right.
 */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "pipeline.h"
#include <string.h>

/* Whenever the monitor looks, what it sees is whole.  columns[i]: the fault of line i + 1. */
static void watch(const pipeline_view *v, void *columns) {
    const uint32_t *column = columns;
    RF_ASSERT_LE(v->last_value, v->last_total);
    if (v->stopped) RF_ASSERT_NE(v->why, STOP_NOT);
    if (v->faults > 0) RF_ASSERT_EQ(v->last_fault.column, column[v->last_fault.line - 1]);
}

static uint64_t length(const char *const *lines, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += strlen(lines[i]);
    return bytes;
}

RF_TEST(all_lines_are_counted, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    static const char *const lines[] = {"ada 1", "bob 2k", "ada 3"};
    pipeline_result r;
    pipeline_run(&(pipeline_config){.lines = lines, .line_count = 3}, &r);

    RF_ASSERT_EQ(r.why, STOP_END);
    RF_ASSERT_EQ(r.accepted, 3u);
    RF_ASSERT_EQ(r.written, 3u);
    RF_ASSERT_EQ(r.names, 2u);
    RF_ASSERT_EQ(r.totals[0] + r.totals[1], 2004);
    RF_ASSERT_EQ(r.bytes, length(lines, 3));
}

RF_TEST(a_fault_is_reported_where_it_is, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    static const char *const lines[] = {"ada one", "bob 2x"};
    uint32_t columns[] = {5, 6};
    pipeline_config config = {.lines = lines, .line_count = 2, .max_faults = 2};
    config.watch = watch;
    config.watch_arg = columns;
    pipeline_result r;
    pipeline_run(&config, &r);

    RF_ASSERT_EQ(r.why, STOP_END);
    RF_ASSERT_EQ(r.rejected, 2u);
    RF_ASSERT_EQ(r.written, 0u);
}

RF_TEST(the_monitor_sees_the_end, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    static const char *const lines[] = {"ada 1M"};
    pipeline_result r;
    pipeline_run(&(pipeline_config){.lines = lines, .line_count = 1, .watch = watch}, &r);

    RF_ASSERT_EQ(r.why, STOP_END);
    RF_ASSERT_EQ(r.totals[0], 1000000);
}

RF_MAIN()

/* campaign/gaps.h: which shards have left nothing, or only a part, in the folders of a merge.
 *
 * Their files are named by them.  A merge that did not say so would have a verdict on work that
 * nobody has done.
 */
#ifndef RFI_CAMPAIGN_GAPS_H
#define RFI_CAMPAIGN_GAPS_H
#include "base/hash.h"
#include "engine/fail.h"

#ifdef RFI_IMPL
# define RFI_GAPS_GROUPS 8u     /* numbers of shards that are looked at, */
# define RFI_GAPS_SHARDS 65536u /* shards of each, */
# define RFI_GAPS_NAMED  8u     /* and how many are named */

typedef enum rfi_gap {
    RFI_GAP_MISSING,
    RFI_GAP_ENDED_EARLY,
    RFI_GAP_CAPPED, /* by --seconds */
    RFI_GAP_NONE
} rfi_gap;

RFI_VAR struct rfi_gaps {
    rfi_map state; /* of a shard: rfi_gap */
    uint32_t shards[RFI_GAPS_GROUPS], groups;
} rfi_gaps;

RFI_FN uint64_t *rfi_gap_of(uint32_t shard, uint32_t shards) {
    return rfi_map_at(&rfi_gaps.state, (uint64_t)shards << 32 | shard);
}

/* There is a file of this name; the last one of a shard counts. */
RFI_FN void rfi_gaps_note(const char *name, rfi_gap gap) {
    uint32_t shard, shards, number, i = 0;
    if (sscanf(name, "shard-%u-of-%u.%u.", &shard, &shards, &number) != 3) return;
    if (!shard || shard > shards || shards > RFI_GAPS_SHARDS) return;
    while (i < rfi_gaps.groups && rfi_gaps.shards[i] != shards) i++;
    if (i == RFI_GAPS_GROUPS) return;
    if (i == rfi_gaps.groups) rfi_gaps.shards[rfi_gaps.groups++] = shards;
    *rfi_gap_of(shard, shards) = gap;
}

/* "shards 2, 5 of 8"; false: there is none of this kind. */
RFI_FN bool rfi_gaps_list(rfi_text *out, const char *before, uint32_t shards, rfi_gap kind) {
    uint32_t count = 0;
    for (uint32_t i = 1; i <= shards; i++) count += *rfi_gap_of(i, shards) == kind;
    if (!count) return false;
    rfi_append(out, "%s shard%s", before, count == 1 ? "" : "s");
    for (uint32_t i = 1, named = 0; i <= shards && named < RFI_GAPS_NAMED; i++)
        if (*rfi_gap_of(i, shards) == kind) rfi_append(out, "%s %u", named++ ? "," : "", i);
    if (count > RFI_GAPS_NAMED) rfi_append(out, " and %u more", count - RFI_GAPS_NAMED);
    rfi_append(out, " of %u", shards);
    return true;
}

/* "merge: nothing is here of shard 2 of 3; ended early: shard 3 of 3"; nothing, if all are whole.
 */
RFI_FN void rfi_gaps_say(rfi_text *out) {
    const char *head = "merge:";
    for (uint32_t i = 0; i < rfi_gaps.groups; i++) {
        uint32_t n = rfi_gaps.shards[i];
        char before[48];
        snprintf(before, sizeof before, "%s nothing is here of", head);
        if (rfi_gaps_list(out, before, n, RFI_GAP_MISSING)) head = ";";
        snprintf(before, sizeof before, "%s ended early:", head);
        if (rfi_gaps_list(out, before, n, RFI_GAP_ENDED_EARLY)) head = ";";
        snprintf(before, sizeof before, "%s stopped by the cap in seconds:", head);
        if (rfi_gaps_list(out, before, n, RFI_GAP_CAPPED)) head = ";";
    }
}

RFI_FN void rfi_gaps_forget(void) {
    rfi_map_free(&rfi_gaps.state);
    rfi_gaps = (struct rfi_gaps){0};
}
#endif
#endif

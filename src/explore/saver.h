/* explore/saver.h: how far a search is, as numbers, from which another process goes on.
 *
 * One walk through all that a search is made of writes it, or reads it.
 */
#ifndef RFI_EXPLORE_SAVER_H
#define RFI_EXPLORE_SAVER_H
#include "explore/bytes.h"

#ifdef RFI_IMPL
typedef struct rfi_saver {
    rfi_bytes bytes;
    bool reads;
} rfi_saver;

RFI_FN uint64_t rfi_save_number(rfi_saver *k, uint64_t n) {
    rfi_bytes *b = &k->bytes;
    if (k->reads) {
        uint32_t byte = 128, shift = 0;
        for (n = 0; byte & 128 && shift < 64; shift += 7) {
            byte = rfi_bytes_get(b);
            n |= (uint64_t)(byte & 127) << shift;
        }
        return n;
    }
    rfi_bytes_reserve(b, 2);
    uint64_t left = n;
    for (; left >= 128; left >>= 7) rfi_bytes_put(b, (uint32_t)left | 128);
    rfi_bytes_put(b, (uint32_t)left);
    return n;
}

/* A number of any type. */
# define RFI_SAVE(k, x) ((x) = (__typeof__(x))rfi_save_number(k, (uint64_t)(x)))

/* How many elements follow: no more than there are bytes. */
RFI_FN uint32_t rfi_save_count(rfi_saver *k, uint32_t n) {
    n = (uint32_t)rfi_save_number(k, n);
    uint32_t most = k->bytes.room - k->bytes.at;
    return k->reads && n > most ? most : n;
}

/* An array of `n` elements that follow, with room for them. */
# define RFI_SAVE_ARRAY(k, array, n, capacity) \
  ((n) = rfi_save_count(k, n), (array) = rfi_grow(array, &(capacity), n, sizeof *(array)))
#endif
#endif

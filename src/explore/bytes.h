/* explore/bytes.h: a compact form of lessons and of what tokens contain.
 *
 * Numbers take seven bits a byte.  Statements are named by 16 bits of their key: two with the same
 * bits count as one, which only makes a strategy less precise.  Input may come from a typed token:
 * behind its end there are zeros.
 * Optimised: fully, each step runs it.
 */
#ifndef RFI_EXPLORE_BYTES_H
#define RFI_EXPLORE_BYTES_H
#include "base/arena.h"
#include "engine/iface.h"

#ifdef RFI_IMPL
/* Written or read from the front; `over`: there was more than room. */
typedef struct rfi_bytes {
    uint8_t *byte;
    uint32_t at, room;
    bool over;
} rfi_bytes;

RFI_INLINE rfi_bytes rfi_bytes_of(const void *p, size_t room) {
    return (rfi_bytes){(uint8_t *)(uintptr_t)p, 0, (uint32_t)room, false};
}

RFI_INLINE void rfi_bytes_put(rfi_bytes *b, uint32_t byte) {
    if (b->at < b->room)
        b->byte[b->at++] = (uint8_t)byte;
    else
        b->over = true;
}

RFI_INLINE uint32_t rfi_bytes_get(rfi_bytes *b) { return b->at < b->room ? b->byte[b->at++] : 0; }

RFI_INLINE void rfi_bytes_put_number(rfi_bytes *b, uint32_t n) {
    for (; RFI_UNLIKELY(n >= 128); n >>= 7) rfi_bytes_put(b, n | 128);
    rfi_bytes_put(b, n);
}

/* Makes room for so many numbers in memory that grows. */
RFI_FN void rfi_bytes_reserve(rfi_bytes *b, uint32_t numbers) {
    b->byte = rfi_grow(b->byte, &b->room, b->at + 5 * numbers, 1);
}

/* The next n bytes of those that were reserved. */
RFI_INLINE uint8_t *rfi_bytes_room(rfi_bytes *b, uint32_t n) {
    uint8_t *p = &b->byte[b->at];
    b->at += n;
    return p;
}

/* The next n bytes, up to 8. */
RFI_INLINE const uint8_t *rfi_bytes_take(rfi_bytes *b, uint32_t n) {
    static const uint8_t none[8];
    if (RFI_LIKELY(b->room - b->at >= n)) return rfi_bytes_room(b, n);
    b->at = b->room;
    return none;
}

RFI_FN void rfi_write_number(rfi_bytes *b, uint32_t n) {
    rfi_bytes_reserve(b, 1);
    rfi_bytes_put_number(b, n);
}

/* Adds up to three numbers to what the execution has used. */
RFI_FN void rfi_used_numbers(const uint32_t *number, uint32_t n) {
    uint8_t room[15];
    rfi_bytes b = {room, 0, sizeof room, false};
    for (uint32_t i = 0; i < n; i++) rfi_bytes_put_number(&b, number[i]);
    (void)rf_used(room, b.at);
}

RFI_FN RFI_APART uint32_t rfi_bytes_long_number(rfi_bytes *b) {
    uint32_t n = 0, byte = 128;
    for (uint32_t shift = 0; byte & 128 && shift < 32; shift += 7) {
        byte = rfi_bytes_get(b);
        n |= (byte & 127) << shift;
    }
    return n;
}

RFI_INLINE uint32_t rfi_bytes_number(rfi_bytes *b) {
    if (RFI_LIKELY(b->at < b->room && b->byte[b->at] < 128)) return b->byte[b->at++];
    return rfi_bytes_long_number(b);
}

RFI_FN void rfi_bytes_put_id(rfi_bytes *b, uint32_t id) {
    rfi_bytes_put(b, id & 255);
    rfi_bytes_put(b, id >> 8);
}

RFI_FN uint32_t rfi_bytes_id(rfi_bytes *b) {
    uint32_t id = rfi_bytes_get(b);
    return id | rfi_bytes_get(b) << 8;
}

/* Adds a text; or takes one, of which `size` bytes have room. */
RFI_FN void rfi_write_text(rfi_bytes *b, const char *text) {
    uint32_t n = (uint32_t)strlen(text) + 1;
    rfi_bytes_reserve(b, n);
    memcpy(rfi_bytes_room(b, n), text, n);
}

RFI_FN void rfi_bytes_text(rfi_bytes *b, char *text, uint32_t size) {
    uint32_t n = 0;
    for (char c; (c = (char)rfi_bytes_get(b)) != 0;)
        if (n + 1 < size) text[n++] = c;
    text[n] = 0;
}

/* 16 bits of a statement's key, never 0. */
RFI_INLINE uint32_t rfi_site_id(const rf_site *s) {
    uint32_t id = (uint32_t)(rfi_site_known_key(s) >> 8) & 0xffff;
    return id ? id : 1;
}
#endif
#endif

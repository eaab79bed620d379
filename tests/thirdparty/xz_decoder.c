/* xz's threaded decoder: two blocks, given in two parts.  With "corrupt" the first block is not
 * what it should be, with "finish" the second part is told to be the last one. */
#include <assert.h>
#include <lzma.h>
#include <stdbool.h>
#include <string.h>

/* clang-format off */
static const uint8_t text[] = /* made by xz -T2 --block-size=34 --check=crc32 --lzma2=dict=4KiB */
    "\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\xc0\x26"
    "\x22\x21\x01\x00\x00\xbc\x7f\xa2\x98"
    "\x01\x00\x21to be or not to be, that is the qu\x00\x00\x00\x14\x3d\x37\x0b\x02\xc0\x25\x21"
    "\x21\x01\x00\x00\xc2\x77\x96\x59\x01\x00\x20" "estion: to be or not to be, said "
    "\x00\x00\x00\x00"
    "\x61\x1b\x8f\xca\x00\x02\x36\x22\x35\x21\x00\x00\xd0\x72\xe5"
    "\x65\x3e\x30\x0d\x8b\x02\x00\x00\x00"
    "\x00\x01\x59\x5a";
/* clang-format on */
enum { LENGTH = sizeof text - 1, BLOCK = 24, PART = 40 };

static lzma_ret decode(lzma_stream *s, const uint8_t *in, size_t n, lzma_action action) {
    lzma_ret end = LZMA_OK;
    s->next_in = in;
    s->avail_in = n;
    while (end == LZMA_OK && (s->avail_in || action == LZMA_FINISH)) end = lzma_code(s, action);
    return end;
}

int main(int argc, char **argv) {
    uint8_t in[LENGTH], out[100];
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_mt how = {.threads = 2, .memlimit_threading = UINT64_MAX, .memlimit_stop = UINT64_MAX};
    bool corrupt = argc > 1 && !strcmp(argv[1], "corrupt");
    bool finish = argc > 1 && !strcmp(argv[1], "finish");
    memcpy(in, text, LENGTH);
    if (corrupt) in[BLOCK] = 0x7f;
    assert(lzma_stream_decoder_mt(&s, &how) == LZMA_OK);
    s.next_out = out;
    s.avail_out = sizeof out;
    lzma_ret end = decode(&s, in, PART, LZMA_RUN);
    if (end == LZMA_OK) end = decode(&s, in + PART, LENGTH - PART, finish ? LZMA_FINISH : LZMA_RUN);
    if (end == LZMA_OK) end = decode(&s, in, 0, LZMA_FINISH);
    assert(end == (corrupt ? LZMA_DATA_ERROR : LZMA_STREAM_END));
    if (!corrupt) assert(s.total_out == 67 && !memcmp(out, "to be or not", 12));
    lzma_end(&s);
    return 0;
}

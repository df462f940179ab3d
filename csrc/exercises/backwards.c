/* exercises/backwards: what a block of a file costs if the blocks are read from back to front.
 *
 * The page cache has the whole file before your part: advise the kernel to drop it, outside of what
 * is timed (rk_blocks_cold() in csrc/files/support/blocks.h). Then read from the middle of the file
 * towards its beginning, `blocks` blocks in a trial, each trial where the last one ended; the block
 * b->count / 2 - 1 is the first. `ops` counts blocks. A failed read fails the probe. Compare
 * csrc/files/read.c; `make exercise NAME=backwards` checks afterwards which blocks the page cache
 * has: those that you read, and no others. */
#include "files/support/blocks.h"

static int time_backwards(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)out, (void)n; /* Your part: fill the n samples. */
    return rk_unsupported(c, "time_backwards() is not written yet");
}

/* How many of the first `blocks` blocks the page cache has. */
static double cached(const struct rk_blocks *b, uint32_t blocks)
{
    return blocks ? rk_cached_share(b->fd, blocks * b->block_bytes) * blocks : 0;
}

#define SETTLE_NS 20000000 /* until a read-ahead has its blocks */
#define SLACK_BLOCKS 16    /* of a page of 64 KiB */

/* Whether the page cache has the `blocks` blocks before the middle, and no others. */
static int check_cached(struct rk_context *c, const struct rk_blocks *b, uint32_t blocks)
{
    const struct timespec settle = {0, SETTLE_NS};
    nanosleep(&settle, NULL);
    const double before = cached(b, b->count / 2 - blocks);
    const double here = cached(b, b->count / 2) - before;
    const double others = cached(b, b->count) - here;
    if (others > SLACK_BLOCKS)
        return rk_error(c, EIO,
                        "%.0f other blocks are in the page cache, too: it was not emptied, or the "
                        "kernel read ahead",
                        others);
    if (here < blocks - SLACK_BLOCKS)
        return rk_error(c, EIO, "%.0f of %u blocks were read from the disk: some are left out",
                        here, blocks);
    return 0;
}

static int run_backwards(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_blocks *const b = rk_state(c);
    const size_t blocks = n * (size_t)rk_integer(c, "blocks");
    if (blocks > b->count / 2)
        return rk_unsupported(c, "no block is read twice, and half of the file has only %u",
                              b->count / 2);
    int status = rk_read_span(b, 0, b->count);
    if (status)
        return rk_read_failed(c, status);
    status = time_backwards(c, out, n);
    return status ? status : check_cached(c, b, (uint32_t)blocks);
}

RK_PROBE("exercises/backwards", .op = "block", .timed = "blocks x pread() of the block before",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(8 << 20), RK_BLOCK(4096), RK_DIR,
                             RK_INTEGER("blocks", 32, 1, 1 << 20, "blocks a trial")),
         RK_STAGES(struct rk_blocks, rk_open_buffered, run_backwards, rk_close_blocks));

/* files/contention at -O0, as the reports compiled it: processes that are started one after the
 * other, without a barrier. */
#include "files/support/readers.h"
#include "probe/stamps.h"

/* --- t470: the start of the processes inside the timing, the same offsets in each file --- */

/* The same random blocks in each file, some twice, because all processes are forks of one. */
static void read_offsets(struct readers *r, int index)
{
    const struct rk_blocks *file = &r->file[index];
    int status = 0;
    for (uint32_t i = 0; i < r->blocks && !status; i++)
        status = rk_read_block(file, file->order[i]);
    r->shared->reader[index].status = status;
}

/* n trials; `order` of each file is filled with the same `blocks` random places. */
static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct readers *const r = rk_state(c);
    int status = 0;
    uint64_t state = rk_begin();
    for (size_t i = 0; i < n && !status; i++) {
        for (int f = 0; f < r->count && !status; f++)
            status = rk_blocks_cold(c, &r->file[f]);
        for (uint32_t b = 0; b < r->blocks; b++)
            r->file[0].order[b] = rk_random_below(&state, r->file[0].count);
        for (int f = 1; f < r->count; f++)
            memcpy(r->file[f].order, r->file[0].order, r->blocks * sizeof *r->file[0].order);
        if (status)
            break;
        RK_TIME_BARE(out + i, 1, {
            status = readers_start(c, r, read_offsets);
            if (!status)
                status = readers_wait(c, r);
        });
        out[i].ops = r->blocks;
    }
    return status;
}

static int open_buffered(struct rk_context *c)
{
    return readers_open(c, rk_state(c), rk_integer(c, "blocks"), 0);
}

static int open_unwritten(struct rk_context *c)
{
    struct readers *const r = rk_state(c);
    const size_t block_bytes = rk_block_bytes(c);
    const int64_t blocks = rk_integer(c, "blocks");
    if (rk_integer(c, "size_bytes") / (int64_t)block_bytes < blocks)
        return rk_unsupported(c, "the file has fewer blocks than are to be read");
    int status = readers_prepare(c, r, blocks);
    for (int i = 0; i < r->count && !status; i++)
        status = rk_blocks_open_unwritten(c, &r->file[i], block_bytes, 0);
    return status;
}

/* --- i7_10750h and hpe_i7_860: each process times itself, and the mean is reported --- */

/* i7_10750h: backwards through the file, a seek and a read for each block. */
static void read_backwards(struct readers *r, int index)
{
    struct rk_sample sample;
    int status = 0;
    RK_TIME_PAOLONI(&sample, 1, {
        for (uint32_t i = r->blocks; i-- > 0 && !status;)
            status = rk_seek_and_read(&r->file[index], i);
    });
    r->shared->reader[index].status = status;
    r->shared->reader[index].ticks = sample.ticks;
}

/* hpe_i7_860: from the file's beginning on. */
static void read_forwards(struct readers *r, int index)
{
    struct rk_sample sample;
    int status = 0;
    RK_TIME_PAOLONI(&sample, 1, {
        for (uint32_t i = 0; i < r->blocks && !status; i++)
            status = rk_read_next(&r->file[index]);
    });
    r->shared->reader[index].status = status;
    r->shared->reader[index].ticks = sample.ticks;
}

/* n trials, each of new processes. `cold`: the page cache drops the files before each. */
static int time_means(struct rk_context *c, struct rk_sample *out, size_t n, int cold,
                      void (*work)(struct readers *, int))
{
    struct readers *const r = rk_state(c);
    int status = 0;
    for (size_t i = 0; i < n && !status; i++) {
        for (int f = 0; f < r->count && !status; f++) {
            status = cold ? rk_blocks_cold(c, &r->file[f]) : 0;
            lseek(r->file[f].fd, 0, SEEK_SET); /* the last trial's readers moved it */
        }
        status = status ? status : readers_start(c, r, work);
        status = status ? status : readers_wait(c, r);
        out[i] = (struct rk_sample){0, 0};
        for (int f = 0; f < r->count; f++) {
            out[i].ticks += r->shared->reader[f].ticks;
            out[i].ops += r->blocks;
        }
    }
    return status;
}

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_means(c, out, n, 1, read_backwards);
}

static int open_direct(struct rk_context *c)
{
    return readers_open(c, rk_state(c), rk_integer(c, "blocks"), O_DIRECT);
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_means(c, out, n, 0, read_forwards);
}

RK_PROBE("files/contention/t470", .op = "block", .reports = "t470",
         .timed = "from before `files` processes are forked until all have ended; each reads "
                  "`blocks` blocks at random offsets, the same in each file, through a page cache "
                  "that holds none of them; by the blocks of one process; the files are allocated "
                  "and never written",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = RK_PARAMS(READERS(2), READS(1000), RK_BLOCK(4096),
                             RK_INTEGER("size_bytes", 20 << 20, 4096, (int64_t)1 << 40, "one file"),
                             RK_DIR),
         RK_STAGES(struct readers, open_unwritten, run_t470, readers_close));
RK_PROBE("files/contention/t470_written", .op = "block", .reports = "t470",
         .timed = "from before `files` processes are forked until all have ended; each reads "
                  "`blocks` blocks at random offsets, the same in each file, through a page cache "
                  "that holds none of them; by the blocks of one process; the files hold data",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = RK_PARAMS(READERS(2), READS(500), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR),
         RK_STAGES(struct readers, open_buffered, run_t470, readers_close));
RK_PROBE("files/contention/i7_10750h", .op = "block", .reports = "i7_10750h",
         .timed = "by each of `files` processes that are started one after the other: its `blocks` "
                  "blocks, backwards, an lseek and a read for each, through a page cache that "
                  "holds none of them",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = RK_PARAMS(READERS(2), READS(512), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR),
         RK_STAGES(struct readers, open_buffered, run_i7_10750h, readers_close));
RK_PROBE("files/contention/hpe_i7_860", .op = "block", .reports = "hpe_i7_860",
         .timed = "by each of `files` processes that are started one after the other: its first "
                  "`blocks` blocks, in order, past the page cache",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = RK_PARAMS(READERS(2), READS(64), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR),
         RK_STAGES(struct readers, open_direct, run_hpe_i7_860, readers_close));

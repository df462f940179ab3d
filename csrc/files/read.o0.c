/* files/read at -O0, as these reports compiled it. The operation is what the report printed the
 * time of: a whole file or a block. */
#include "files/support/blocks.h"
#include "probe/stamps.h"

/* A copy, so that the timed code has it on its stack, as the reports' code did. */
static struct rk_blocks blocks_of(struct rk_context *c)
{
    return *(const struct rk_blocks *)rk_state(c);
}

/* --- t470 --- */

static int open_unwritten(struct rk_context *c)
{
    return rk_blocks_open_unwritten(c, rk_state(c), 4096, O_DIRECT | O_SYNC);
}

static int run_t470_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_blocks b = blocks_of(c);
    int status = 0;
    RK_TIME_BARE(out, n, {
        for (uint32_t block = 0; block < b.count && !status; block++)
            status = rk_read_block(&b, block);
    });
    return status ? rk_read_failed(c, status) : 0;
}

/* The range that a block is drawn from shrinks towards the start of the file: most blocks are near
 * it, and many are read more than once. */
static int run_t470_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_blocks b = blocks_of(c);
    int status = 0;
    RK_TIME_BARE(out, n, {
        for (uint32_t i = b.count; i > 0 && !status; i--)
            status = rk_read_block(&b, (uint32_t)rand() % i);
    });
    return status ? rk_read_failed(c, status) : 0;
}

/* --- i7_10750h --- */

/* A cold file from its last block to its first, or as many random ones with a seek before each. It
 * is dropped from the cache once, before; a block that is read again or read ahead is cached. */
static int time_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n, int at_random)
{
    const struct rk_blocks b = blocks_of(c);
    int status = 0;
    for (size_t i = 0; i < n && !status; i++) {
        status = rk_make_cold(c, b.fd);
        if (status)
            break;
        RK_TIME_PAOLONI(out + i, 1, {
            for (uint32_t left = b.count; left > 0 && !status; left--)
                status = at_random ? rk_seek_and_read(&b, (uint32_t)rand() % b.count)
                                   : rk_read_block(&b, left - 1);
        });
        status = status ? rk_read_failed(c, status) : 0;
    }
    return status;
}

static int run_i7_10750h_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_i7_10750h(c, out, n, 0);
}

static int run_i7_10750h_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_i7_10750h(c, out, n, 1);
}

static int open_file(struct rk_context *c)
{
    return rk_open_file(c, 0);
}

static int run_i7_10750h_lseek(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t calls = rk_integer(c, "calls"), size = rk_integer(c, "file_bytes");
    const int fd = *(const int *)rk_state(c);
    int64_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        RK_TIME_PAOLONI(out + i, 1, {
            for (int64_t call = 0; call < calls; call++)
                wrong += lseek(fd, rand() % size, SEEK_SET) < 0;
        });
        out[i].ops = (uint64_t)calls;
    }
    return wrong ? rk_failed(c, "lseek", EIO) : 0;
}

/* --- hpe_i7_860 --- */

/* One read after the other to the end, or a given number at random places, some of them twice. */
static int time_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n, int at_random)
{
    const int64_t requested = rk_integer(c, "reads");
    const struct rk_blocks b = blocks_of(c);
    int status = 0;
    const uint32_t reads = at_random || requested < b.count ? (uint32_t)requested : b.count;
    for (size_t i = 0; i < n && !status; i++) {
        status = rk_seek(&b, 0);
        RK_TIME_PAOLONI(out + i, 1, {
            for (uint32_t k = 0; k < reads && !status; k++)
                status =
                    at_random ? rk_seek_and_read(&b, (uint32_t)rand() % b.count) : rk_read_next(&b);
        });
        out[i].ops = reads;
    }
    return status ? rk_read_failed(c, status) : 0;
}

static int run_hpe_i7_860_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_hpe_i7_860(c, out, n, 0);
}

static int run_hpe_i7_860_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_hpe_i7_860(c, out, n, 1);
}

#define UNWRITTEN                                                                                  \
    RK_PARAMS(RK_INTEGER("size_bytes", 8 << 20, 4096, (int64_t)1 << 40,                            \
                         "a file made by fallocate and never written"),                            \
              RK_DIR)
#define CHUNKS RK_PARAMS(RK_FILE(8 << 20), RK_BLOCK(65536), RK_DIR)
#define READS(default_, help)                                                                      \
    RK_PARAMS(RK_FILE(8 << 20), RK_BLOCK(4096), RK_DIR,                                            \
              RK_INTEGER("reads", default_, 1, 1 << 30, help))
#define BLOCKS(open_, trials_) RK_STAGES(struct rk_blocks, open_, trials_, rk_close_blocks)

RK_PROBE("files/read/t470_sequential", .op = "file", .reports = "t470",
         .timed = "a whole file, made by fallocate and never written, read in blocks of 4 KiB with "
                  "O_DIRECT and O_SYNC, -O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = UNWRITTEN,
         BLOCKS(open_unwritten, run_t470_sequential));
RK_PROBE("files/read/t470_random", .op = "file", .reports = "t470",
         .timed = "of a file made by fallocate and never written, as many blocks of 4 KiB as it "
                  "has, each drawn by rand() % i while i shrinks to 1, with O_DIRECT and O_SYNC, "
                  "-O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = UNWRITTEN,
         BLOCKS(open_unwritten, run_t470_random));
RK_PROBE("files/read/i7_10750h_sequential", .op = "file", .reports = "i7_10750h",
         .timed = "a whole cold file read backwards in chunks through the page cache, which was "
                  "advised to drop it before, -O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = CHUNKS,
         BLOCKS(rk_open_buffered, run_i7_10750h_sequential));
RK_PROBE("files/read/i7_10750h_random", .op = "file", .reports = "i7_10750h",
         .timed = "as many chunks of a cold file as it has, each at a random place (lseek and "
                  "read), through the page cache, -O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = CHUNKS,
         BLOCKS(rk_open_buffered, run_i7_10750h_random));
RK_PROBE("files/read/i7_10750h_lseek", .op = "call", .reports = "i7_10750h",
         .timed = "2,048 times lseek to a random place, -O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = RK_PARAMS(RK_FILE(1 << 20), RK_DIR,
                             RK_INTEGER("calls", 2048, 1, 1 << 30, "calls in a trial")),
         RK_STAGES(int, open_file, run_i7_10750h_lseek, rk_close_file));
RK_PROBE("files/read/hpe_i7_860_sequential", .op = "block", .reports = "hpe_i7_860",
         .timed = "`reads` reads with O_DIRECT from the start of the file on, -O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = READS(128, "in a trial; the report: to the end of the file"),
         BLOCKS(rk_open_direct, run_hpe_i7_860_sequential));
RK_PROBE("files/read/hpe_i7_860_random", .op = "block", .reports = "hpe_i7_860",
         .timed = "`reads` reads with O_DIRECT at random places, some of them more than once, -O0",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS,
         .params = READS(100, "in a trial; the report: 1,000"),
         BLOCKS(rk_open_direct, run_hpe_i7_860_random));

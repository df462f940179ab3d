/* files/cache: what a block of a file costs, by the size of the file. Of a file larger than the
 * page cache some blocks are read from the disk; of independent random reads that share is 1 -
 * cache / file, whatever the kernel chooses to keep. Each read is a sample, and the page computes
 * the size from them. */
#include "files/support/limited_reader.h"

/* Single reads of random blocks. With the advice that they are random the kernel reads that block
 * alone (posix_fadvise(2)). */
static int read_at_random(struct rk_reader *r)
{
    int status = -posix_fadvise(r->blocks.fd, 0, 0, POSIX_FADV_RANDOM);
    for (int64_t pass = 0; pass < r->passes && !status; pass++)
        status = rk_read_wide(r);
    uint64_t state = rk_begin();
    for (size_t i = 0; i < r->n && !status; i++) {
        const uint32_t block = rk_random_below(&state, r->blocks.count);
        const uint64_t begin = rk_begin();
        status = rk_read_block(&r->blocks, block);
        const uint64_t end = rk_end();
        r->samples[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    return status;
}

/* 1 if another program emptied the cache during the reads: the group then holds neither the file
 * nor its limit. 1 MiB of tolerance: the kernel charges ahead (64 pages for each CPU), and frees
 * some. */
static int was_emptied(const struct rk_reader *r)
{
    int64_t limit_bytes;
    const int64_t used = group_used(r->group, &limit_bytes);
    const int64_t file = (int64_t)rk_blocks_bytes(&r->blocks), room = limit_bytes - (1 << 20);
    return used < (file < room ? file : room);
}

#define TRIES 4 /* the kernel may drop pages of the file during one of them */

static int read_undisturbed(struct rk_reader *r)
{
    int status = -ESTALE;
    for (int i = 0; i < TRIES && status == -ESTALE; i++) {
        status = read_at_random(r);
        if (!status && r->passes && was_emptied(r))
            status = -ESTALE;
    }
    return status;
}

static int open_whole(struct rk_context *c)
{
    return rk_open_cold(c, 0, rk_block_bytes(c), rk_integer(c, "passes"));
}

static int run_whole(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct rk_reader *const r = rk_state(c);
    int status = rk_blocks_cold(c, &r->blocks);
    if (status)
        return status;
    r->samples = out;
    r->n = n;
    status = read_at_random(r);
    return status ? rk_read_failed(c, status) : 0;
}

#define BETWEEN 64 /* reads between two readings of the group's counters */

/* What the limit leaves for the page cache, by the kernel's counters, while the group is full. */
static int count_left(struct rk_reader *r)
{
    struct rk_sample *const out = r->samples, between[BETWEEN];
    const size_t n = r->n;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++, r->passes = 0) {
        r->samples = between;
        r->n = BETWEEN;
        status = read_at_random(r);
        const uint64_t begin = rk_begin();
        const int64_t left = group_left(r->group);
        const uint64_t end = rk_end();
        if (!status && left <= 0)
            status = -ERANGE;
        out[i] = (struct rk_sample){(int64_t)(end - begin), (uint64_t)left};
    }
    return status;
}

static int open_left(struct rk_context *c)
{
    if (rk_integer(c, "file_bytes") <= rk_integer(c, "limit_bytes"))
        return rk_unsupported(c,
                              "the file must be larger than the limit, or the group is not full");
    return rk_open_limited(c, 0, rk_small_page(), 1);
}

static int run_available(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        const int64_t available = rk_available_bytes();
        const uint64_t end = rk_end();
        if (available <= 0)
            return rk_unsupported(c, "/proc/meminfo does not report the available memory");
        out[i] = (struct rk_sample){(int64_t)(end - begin), (uint64_t)available};
    }
    return 0;
}

/* mbp2016: sequentially, block by block; a pass is a trial. */
static int read_mbp2016(struct rk_reader *r)
{
    int status = rk_read_all(r);
    for (size_t i = 0; i < r->n && !status; i++) {
        const uint64_t begin = rk_begin();
        status = rk_read_all(r);
        const uint64_t end = rk_end();
        r->samples[i] = (struct rk_sample){(int64_t)(end - begin), r->blocks.count};
    }
    return status;
}

#define PASSES RK_INTEGER("passes", 1, 0, 1000, "times that the whole file is read before")

RK_PROBE("files/cache/limited", .op = "block",
         .timed = "pread() of a random block, each alone, with the advice that reads are random, "
                  "after passes over the whole file, in a control group with a memory limit",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(6 << 20), RK_BLOCK(4096), RK_LIMIT(8 << 20), PASSES, RK_GROUPS,
                             RK_DIR),
         RK_LIMITED_READER(rk_open_reader, .read = read_undisturbed, .has_passes = 1));
RK_PROBE("files/cache/whole", .op = "block",
         .timed = "pread() of a random block, each alone, with the advice that reads are random, "
                  "after passes over the whole file, with all memory for the page cache",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(6 << 20), RK_BLOCK(4096), PASSES, RK_DIR),
         RK_STAGES(struct rk_reader, open_whole, run_whole, rk_close_reader));
RK_PROBE("files/cache/left", .op = "byte",
         .timed = "nothing: bytes that the limit leaves for the page cache, which are the limit "
                  "minus what the full group holds that is no page cache, by the kernel's own "
                  "count",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(12 << 20), RK_LIMIT(8 << 20), RK_GROUPS, RK_DIR),
         RK_LIMITED_READER(open_left, .read = count_left));
RK_PROBE("files/cache/mbp2016", .op = "block", .reports = "mbp2016",
         .timed = "a pass over the file in blocks of 4 KiB, after one pass, in a control group "
                  "with a memory limit (the report: all memory)",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(4 << 20), RK_LIMIT(8 << 20), RK_GROUPS, RK_DIR),
         RK_LIMITED_READER(rk_open_reader, .read = read_mbp2016, .index = RK_OWN_FILE,
                           .block_bytes = 4096));
RK_PROBE("files/cache/available", .op = "byte", .trials = run_available, .version = 2,
         .timed = "nothing: bytes of memory that the kernel calls available (MemAvailable in "
                  "/proc/meminfo), or what the control groups leave, whichever is less");

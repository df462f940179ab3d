/* files/cache: what a block of a file costs, by the size of the file. Once the file is larger than
 * the page cache some blocks come from the disk; of independent random reads that share is 1 -
 * cache / file, whatever the kernel chooses to keep. So each read is a sample, and the page finds
 * the size. */
#include "files/support/within.h"

/* Single reads of random blocks. With the advice that they are random a read brings in its own
 * block alone (posix_fadvise(2)). */
static int read_at_random(struct rk_reader *r)
{
    int status = -posix_fadvise(r->blocks.fd, 0, 0, POSIX_FADV_RANDOM);
    for (int64_t pass = 0; pass < r->passes && !status; pass++)
        status = rk_read_wide(r);
    uint64_t state = rk_begin();
    for (size_t i = 0; i < r->n && !status; i++) {
        const uint32_t block = random_below(&state, r->blocks.count);
        const uint64_t begin = rk_begin();
        status = rk_read_block(&r->blocks, block);
        const uint64_t end = rk_end();
        r->samples[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    return status;
}

/* Whether somebody emptied the cache meanwhile: the group then holds neither the file nor what it
 * may. Some of that is charged ahead (64 pages for each CPU) and some is given back at once. */
static int was_emptied(const struct rk_reader *r)
{
    int64_t limit_bytes;
    const int64_t used = group_used(r->group, &limit_bytes);
    const int64_t file = (int64_t)(r->blocks.count * r->blocks.block_bytes),
                  most = limit_bytes - (1 << 20);
    return used < (file < most ? file : most);
}

#define TRIES 4

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

static int open_limited(struct rk_context *c)
{
    return rk_open_within(c, 0, (size_t)rk_integer(c, "block_bytes"), rk_integer(c, "passes"));
}

static int run_limited(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return rk_read_within(c, out, n, read_undisturbed);
}

static int open_whole(struct rk_context *c)
{
    struct rk_reader *const r = rk_state(c);
    r->passes = rk_integer(c, "passes");
    return rk_open_cold(c, r, 0, (size_t)rk_integer(c, "block_bytes"));
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
    return status ? rk_read_trouble(c, status) : 0;
}

#define BETWEEN 64 /* reads from one look at the group to the next */

/* What the limit leaves, as the kernel reports it, while the group is full. */
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
    return rk_open_within(c, 0, rk_small_page(), 1);
}

static int run_left(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return rk_read_within(c, out, n, count_left);
}

static int run_available(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        const int64_t available = rk_available_bytes();
        const uint64_t end = rk_end();
        if (available <= 0)
            return rk_unsupported(c, "/proc/meminfo does not tell what memory is available");
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

static int open_mbp2016(struct rk_context *c)
{
    return rk_open_within(c, RK_OF_ITS_OWN, 4096, 0);
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return rk_read_within(c, out, n, read_mbp2016);
}

#define PASSES RK_COUNT("passes", 1, 0, 1000, "times that the whole file is read before")

RK_PROBE(limited, .name = "files/cache/limited", .op = "block", .needs = RK_NEEDS_DISK,
         .open = open_limited, .trials = run_limited, .close = rk_close_reader,
         .state_bytes = sizeof(struct rk_reader),
         .timed =
             "pread() of a random block, each alone, with the advice that reads are random, after "
             "passes over the whole file, in a control group with a memory limit",
         .params = RK_PARAMS(RK_FILE(6 << 20), RK_BLOCK(4096), RK_LIMIT(8 << 20), PASSES, RK_GROUPS,
                             RK_DIR));
RK_PROBE(
    whole, .name = "files/cache/whole", .op = "block", .needs = RK_NEEDS_DISK, .open = open_whole,
    .trials = run_whole, .close = rk_close_reader, .state_bytes = sizeof(struct rk_reader),
    .timed = "pread() of a random block, each alone, with the advice that reads are random, after "
             "passes over the whole file, with all memory for the page cache",
    .params = RK_PARAMS(RK_FILE(6 << 20), RK_BLOCK(4096), PASSES, RK_DIR));
RK_PROBE(left, .name = "files/cache/left", .op = "byte", .needs = RK_NEEDS_DISK, .open = open_left,
         .trials = run_left, .close = rk_close_reader, .state_bytes = sizeof(struct rk_reader),
         .timed =
             "nothing: bytes that the limit leaves for the page cache, which are the limit minus "
             "what the full group holds that is no page cache, by the kernel's own count",
         .params = RK_PARAMS(RK_FILE(12 << 20), RK_LIMIT(8 << 20), RK_GROUPS, RK_DIR));
RK_PROBE(available, .name = "files/cache/available", .op = "byte", .trials = run_available,
         .timed = "nothing: bytes of memory that the kernel calls available (MemAvailable in "
                  "/proc/meminfo), or what the control groups leave, whichever is less");
RK_PROBE(mbp2016, .name = "files/cache/mbp2016", .op = "block", .reports = "mbp2016",
         .needs = RK_NEEDS_DISK, .open = open_mbp2016, .trials = run_mbp2016,
         .close = rk_close_reader, .state_bytes = sizeof(struct rk_reader),
         .timed =
             "a pass over the file in blocks of 4 KiB, after one pass, in a control group with a "
             "memory limit (the report: all memory)",
         .params = RK_PARAMS(RK_FILE(4 << 20), RK_LIMIT(8 << 20), RK_GROUPS, RK_DIR));

/* files/remote as the reports measure it, at -O0. The reports used the kernel's client; here it is
 * libnfs, with which each block is one request to the server and the client has no cache. */
#include "files/support/remote.h"

static int open_v4(struct rk_context *c)
{
    return remote_open(c, rk_state(c), REMOTE_SEQUENTIAL, 4);
}

/* Trials of `reads` blocks, from a cold cache if `cold`. `visit` reads a block as the report does;
 * it returns 0 or an error. */
static int time_whole(struct rk_context *c, struct rk_sample *out, size_t n, int cold,
                      uint32_t reads, int (*visit)(const struct remote *, uint32_t))
{
    struct remote *const r = rk_state(c);
    const struct counts before = count_tcp();
    int status = 0, bad = 0;
    for (size_t i = 0; i < n && !status && !bad; i++) {
        status = remote_set_cache(c, r, r->blocks.count, cold);
        if (status)
            break;
        const uint64_t begin = rk_begin();
        for (uint32_t left = reads; left > 0 && !bad; left--)
            bad = visit(r, left);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), reads};
    }
    note_tcp_since(c, &before);
    return bad ? nfs_read_failed(c, &r->nfs, bad) : status;
}

static uint32_t blocks_in_file(struct rk_context *c)
{
    return ((const struct remote *)rk_state(c))->blocks.count;
}

/* The whole file; a sample counts its blocks, as the reports with a cold cache print it. */
static int time_blocks(struct rk_context *c, struct rk_sample *out, size_t n,
                       int (*visit)(const struct remote *, uint32_t))
{
    return time_whole(c, out, n, (int)rk_integer(c, "cold"), blocks_in_file(c), visit);
}

/* The whole file; a sample counts as one operation. */
static int time_file(struct rk_context *c, struct rk_sample *out, size_t n,
                     int (*visit)(const struct remote *, uint32_t))
{
    const int status = time_whole(c, out, n, 0, blocks_in_file(c), visit);
    for (size_t i = 0; i < n; i++)
        out[i].ops = 1;
    return status;
}

/* --- t470: 4 KiB, NFSv4, in order or at rand() % i with i shrinking, so early blocks come most
 * often */

static int t470_in_order(const struct remote *r, uint32_t left)
{
    return nfs_read_block(&r->nfs, &r->blocks, r->blocks.count - left);
}

static int t470_at_random(const struct remote *r, uint32_t left)
{
    return nfs_read_block(&r->nfs, &r->blocks, (uint32_t)rand() % left);
}

static int run_t470_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_file(c, out, n, t470_in_order);
}

static int run_t470_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_file(c, out, n, t470_at_random);
}

/* --- i7_10750h: 64 KiB, NFSv4, backwards or with a seek before each --- */

static int i7_backwards(const struct remote *r, uint32_t left)
{
    return nfs_read_block(&r->nfs, &r->blocks, left - 1);
}

static int i7_with_seek(const struct remote *r, uint32_t left)
{
    const uint32_t block = (uint32_t)rand() % r->blocks.count;
    uint64_t now_at;
    (void)left;
    const int bad =
        r->nfs.of.lseek(r->nfs.context, r->nfs.file,
                        (int64_t)((uint64_t)block * r->blocks.block_bytes), SEEK_SET, &now_at);
    return bad < 0 ? bad : nfs_read_block(&r->nfs, &r->blocks, block);
}

static int run_i7_10750h_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_blocks(c, out, n, i7_backwards);
}

static int run_i7_10750h_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_blocks(c, out, n, i7_with_seek);
}

/* --- hpe_i7_860: rsize = 4096, so a request for each 4 KiB; in order, or 1,000 with replacement
 * --- */

static int hpe_at_random(const struct remote *r, uint32_t left)
{
    (void)left;
    return nfs_read_block(&r->nfs, &r->blocks, (uint32_t)rand() % r->blocks.count);
}

static int run_hpe_i7_860_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_blocks(c, out, n, t470_in_order);
}

static int run_hpe_i7_860_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct remote *const r = rk_state(c);
    return time_whole(c, out, n, (int)rk_integer(c, "cold"),
                      rk_at_most(rk_integer(c, "reads"), &r->blocks), hpe_at_random);
}

/* --- mbp2016 --- */

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)out;
    (void)n;
    return rk_unsupported(
        c, "it reads by Apple's own protocol (AFP) from macOS; Linux has no client of it in the "
           "kernel, and Apple has given it up for SMB");
}

#define COLD                                                                                       \
    RK_INTEGER("cold", 1, 0, 1,                                                                    \
               "1: the server's page cache is dropped before each trial, as the report does")
#define PROBE(id, report, op_, what, ...)                                                          \
    RK_PROBE(id, .name = "files/remote/" #id, .op = op_, .reports = report, .timed = what,         \
             .needs = RK_NEEDS_SERVER, .open = open_v4, .trials = run_##id, .close = remote_close, \
             .state_bytes = sizeof(struct remote), .params = RK_PARAMS(__VA_ARGS__))
#define MBP2016(id, what)                                                                          \
    RK_PROBE(id, .name = "files/remote/" #id, .op = "block", .reports = "mbp2016", .timed = what,  \
             .trials = run_mbp2016, .params = RK_PARAMS(RK_FILE(1 << 18)))

PROBE(t470_sequential, "t470", "file", "a whole file, 4 KiB at a time, by NFSv4, -O0",
      REMOTE_FILE(1 << 18, 4096));
PROBE(t470_random, "t470", "file",
      "as many blocks as the file has, 4 KiB each, by NFSv4, each at rand() % i "
      "with i shrinking, -O0",
      REMOTE_FILE(1 << 18, 4096));
PROBE(i7_10750h_sequential, "i7_10750h", "block",
      "a whole file backwards, 64 KiB at a time, by NFSv4, -O0; by "
      "the blocks",
      REMOTE_FILE(1 << 20, 65536), COLD);
PROBE(i7_10750h_random, "i7_10750h", "block",
      "as many blocks as the file has, 64 KiB each, by NFSv4, a seek to a "
      "random one before each, -O0; by the blocks",
      REMOTE_FILE(1 << 20, 65536), COLD);
PROBE(hpe_i7_860_sequential, "hpe_i7_860", "block",
      "a whole file, 4 KiB a request, -O0; by the blocks", REMOTE_FILE(1 << 18, 4096), COLD);
PROBE(hpe_i7_860_random, "hpe_i7_860", "block",
      "`reads` random blocks with replacement, 4 KiB a request, -O0; by "
      "the blocks",
      REMOTE_FILE(1 << 20, 4096), COLD,
      RK_INTEGER("reads", 100, 1, 1 << 24, "blocks in a trial; the report: 1,000"));
MBP2016(mbp2016_sequential, "one read of 4 KiB by AFP, in order");
MBP2016(mbp2016_random, "one read of 4 KiB by AFP, from the halves of the file in turn");

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
    const struct rk_tcp_counts before = rk_count_tcp();
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
    rk_note_tcp_since(c, &before);
    return bad ? nfs_read_failed(c, &r->nfs, bad) : status;
}

/* A probe's variant: how the report reads. */
struct reading {
    int (*visit)(const struct remote *, uint32_t left);
    int by_file;     /* 1: a sample is the whole file as one operation, from a warm cache */
    int given_reads; /* 1: "reads" blocks; 0: as many as the file has */
};

static int run(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct reading *const reading = rk_variant(c);
    const struct remote *const r = rk_state(c);
    const uint32_t reads =
        reading->given_reads ? rk_at_most(rk_integer(c, "reads"), &r->blocks) : r->blocks.count;
    const int cold = reading->by_file ? 0 : (int)rk_integer(c, "cold");
    const int status = time_whole(c, out, n, cold, reads, reading->visit);
    for (size_t i = 0; i < n && reading->by_file; i++)
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
        r->nfs.library.lseek(r->nfs.context, r->nfs.file,
                             (int64_t)((uint64_t)block * r->blocks.block_bytes), SEEK_SET, &now_at);
    return bad < 0 ? bad : nfs_read_block(&r->nfs, &r->blocks, block);
}

/* --- hpe_i7_860: rsize = 4096, so a request for each 4 KiB; in order, or 1,000 with replacement
 * --- */

static int hpe_at_random(const struct remote *r, uint32_t left)
{
    (void)left;
    return nfs_read_block(&r->nfs, &r->blocks, (uint32_t)rand() % r->blocks.count);
}

/* --- mbp2016 --- */

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)out;
    (void)n;
    return rk_unsupported(c, "it reads by Apple's own protocol (AFP) from macOS; Linux has no "
                             "client of it in the kernel, and Apple has given it up for SMB");
}

#define COLD                                                                                       \
    RK_INTEGER("cold", 1, 0, 1,                                                                    \
               "1: the server's page cache is dropped before each trial, as the report does")
#define READING(...)                                                                               \
    RK_STAGES(struct remote, open_v4, run, remote_close), RK_VARIANT(struct reading, __VA_ARGS__)

RK_PROBE("files/remote/t470_sequential", .op = "file", .reports = "t470",
         .timed = "a whole file, 4 KiB at a time, by NFSv4, -O0", .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 18, 4096)),
         READING(.visit = t470_in_order, .by_file = 1));
RK_PROBE("files/remote/t470_random", .op = "file", .reports = "t470",
         .timed = "as many blocks as the file has, 4 KiB each, by NFSv4, each at rand() % i with i "
                  "shrinking, -O0",
         .needs = RK_NEEDS_SERVER, .params = RK_PARAMS(REMOTE_FILE(1 << 18, 4096)),
         READING(.visit = t470_at_random, .by_file = 1));
RK_PROBE("files/remote/i7_10750h_sequential", .op = "block", .reports = "i7_10750h",
         .timed = "a whole file backwards, 64 KiB at a time, by NFSv4, -O0; by the blocks",
         .needs = RK_NEEDS_SERVER, .params = RK_PARAMS(REMOTE_FILE(1 << 20, 65536), COLD),
         READING(.visit = i7_backwards));
RK_PROBE("files/remote/i7_10750h_random", .op = "block", .reports = "i7_10750h",
         .timed = "as many blocks as the file has, 64 KiB each, by NFSv4, a seek to a random one "
                  "before each, -O0; by the blocks",
         .needs = RK_NEEDS_SERVER, .params = RK_PARAMS(REMOTE_FILE(1 << 20, 65536), COLD),
         READING(.visit = i7_with_seek));
RK_PROBE("files/remote/hpe_i7_860_sequential", .op = "block", .reports = "hpe_i7_860",
         .timed = "a whole file, 4 KiB a request, -O0; by the blocks", .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 18, 4096), COLD), READING(.visit = t470_in_order));
RK_PROBE("files/remote/hpe_i7_860_random", .op = "block", .reports = "hpe_i7_860",
         .timed = "`reads` random blocks with replacement, 4 KiB a request, -O0; by the blocks",
         .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), COLD,
                             RK_INTEGER("reads", 100, 1, 1 << 24,
                                        "blocks in a trial; the report: 1,000")),
         READING(.visit = hpe_at_random, .given_reads = 1));
RK_PROBE("files/remote/mbp2016_sequential", .op = "block", .reports = "mbp2016",
         .timed = "one read of 4 KiB by AFP, in order", .params = RK_PARAMS(RK_FILE(1 << 18)),
         .trials = run_mbp2016);
RK_PROBE("files/remote/mbp2016_random", .op = "block", .reports = "mbp2016",
         .timed = "one read of 4 KiB by AFP, from the halves of the file in turn",
         .params = RK_PARAMS(RK_FILE(1 << 18)), .trials = run_mbp2016);

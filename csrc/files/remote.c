/* files/remote: a file on another host, read block by block over NFS, beside the same file here. */
#include "files/support/nfs_null.h"
#include "files/support/remote.h"
#include "files/support/remote_kernel.h"

/* n samples of `asked` blocks of the order, or of the whole file, each where the last one ended.
 * What does not fit before the end begins again at the start; from a cold cache that is cold once
 * more. */
static int time_blocks(struct rk_context *c, struct remote *r, struct rk_sample *out, size_t n,
                       int64_t asked)
{
    const uint32_t count = r->blocks.count, span = asked < count ? (uint32_t)asked : count;
    const int cold = (int)rk_integer(c, "cold"), remote = r->nfs.file != NULL;
    int status = remote_set_cache(c, r, cold && span > 1 ? span : n * span, cold), bad = 0;
    uint32_t at = 0, last = 0;
    for (size_t i = 0; i < n && !status && !bad; i++, at += span) {
        if (at + (uint64_t)span > count) {
            at = 0;
            status = cold ? remote_set_cache(c, r, span, cold) : 0;
        }
        const uint32_t *const next = r->blocks.order + at;
        const uint64_t begin = rk_begin();
        for (uint32_t k = 0; k < span && !bad; k++)
            bad = remote ? nfs_read_block(&r->nfs, &r->blocks, next[k])
                         : rk_read_block(&r->blocks, next[k]);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), span};
        last = next[span - 1];
    }
    if (bad)
        status = remote ? nfs_read_trouble(c, &r->nfs, bad) : rk_read_trouble(c, bad);
    else if (!status && remote)
        status = remote_is_same(c, r, last);
    return remote_close(c, r, status);
}

/* --- over NFS --- */

static int time_remote(struct rk_context *c, struct rk_sample *out, size_t n,
                       enum remote_order order, int64_t blocks)
{
    struct remote r;
    const int status = remote_open(c, &r, order, (int)rk_integer(c, "version"));
    return status ? status : time_blocks(c, &r, out, n, blocks);
}

static int run_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_remote(c, out, n, REMOTE_SEQUENTIAL, rk_integer(c, "blocks"));
}

static int run_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_remote(c, out, n, REMOTE_RANDOM, 1);
}

/* A block over NFS and then the same block here: the difference may be negative. */
static int run_penalty(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct remote r;
    enum remote_order order;
    int status = remote_order(c, &order), bad = 0, here = 0;
    if (!status)
        status = remote_open(c, &r, order, (int)rk_integer(c, "version"));
    if (status)
        return status;
    if (r.blocks.fd < 0)
        return remote_close(c, &r, rk_cannot(c, "the server's file is not on this machine"));
    status = remote_set_cache(c, &r, n, 0);
    for (size_t i = 0; i < n && !status && !bad && !here; i++) {
        const uint32_t block = r.blocks.order[i % r.blocks.count];
        const uint64_t begin = rk_begin();
        bad = nfs_read_block(&r.nfs, &r.blocks, block);
        const uint64_t middle = rk_end(), again = rk_begin();
        here = rk_read_block(&r.blocks, block);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(middle - begin) - (int64_t)(end - again), 1};
    }
    if (bad)
        status = nfs_read_trouble(c, &r.nfs, bad);
    else if (here)
        status = rk_read_trouble(c, here);
    return remote_close(c, &r, status);
}

/* --- no file at all --- */

static int run_null(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct null_call call = {.mark = htonl(NULL_LAST | (sizeof call - 4)),
                             .rpc_version = htonl(2),
                             .program = htonl(NULL_PROGRAM),
                             .version = htonl((uint32_t)rk_integer(c, "version"))};
    struct nfs_file f = {.file = NULL};
    int fd, idle, bad = 0;
    int status = null_open(c, &f, &fd);
    if (status)
        return status;
    const struct counts before = count_tcp();
    status = keep_cpus_awake(c, (int)rk_integer(c, "hold_idle"), &idle);
    if (!status)
        bad = null_there_and_back(fd, &call); /* one that nobody times */
    for (size_t i = 0; i < n && !status && !bad; i++) {
        const uint64_t begin = rk_begin();
        bad = null_there_and_back(fd, &call);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    note_tcp_since(c, &before);
    close(fd);
    if (idle >= 0)
        close(idle);
    return bad ? null_trouble(c, &f, bad) : status;
}

/* --- the same file here --- */

static int time_local(struct rk_context *c, struct rk_sample *out, size_t n,
                      enum remote_order order, int64_t blocks)
{
    struct remote r;
    const int status = remote_open_here(c, &r, order);
    return status ? status : time_blocks(c, &r, out, n, blocks);
}

static int run_local_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_local(c, out, n, REMOTE_SEQUENTIAL, rk_integer(c, "blocks"));
}

static int run_local_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_local(c, out, n, REMOTE_RANDOM, 1);
}

/* --- positions --- */

/* `seeks` of them, to random blocks or each to the end. */
static int time_seek(struct rk_context *c, struct rk_sample *out, size_t n, int whence)
{
    const int64_t seeks = rk_integer(c, "seeks");
    struct remote r;
    int status = remote_open(c, &r, REMOTE_RANDOM, (int)rk_integer(c, "version")), bad = 0;
    if (status)
        return status;
    const size_t block_bytes = r.blocks.block_bytes;
    uint32_t next = 0;
    uint64_t at;
    RK_BATCH(out, n, seeks,
             const uint64_t to =
                 whence == SEEK_END ? 0 : r.blocks.order[next++ % r.blocks.count] * block_bytes;
             const int gone = r.nfs.of.lseek(r.nfs.context, r.nfs.file, (int64_t)to, whence, &at);
             bad = gone < 0 ? gone : bad);
    if (bad)
        status = nfs_trouble(c, &r.nfs, "seeking", bad);
    return remote_close(c, &r, status);
}

static int run_seek(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_seek(c, out, n, SEEK_SET);
}

static int run_seek_end(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_seek(c, out, n, SEEK_END);
}

/* --- through the kernel's client --- */

static int run_kernel(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct remote r = {.idle = -1, .blocks = {.fd = -1}};
    enum remote_order order;
    int status = remote_order(c, &order), bad = 0;
    if (!status)
        status = kernel_open(c, &r, order);
    if (status)
        return status;
    for (size_t i = 0; i < n && !bad; i++) {
        const uint32_t block = r.blocks.order[i % r.blocks.count];
        const uint64_t begin = rk_begin();
        bad = rk_read_block(&r.blocks, block);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    kernel_close(&r);
    return bad ? rk_read_trouble(c, bad) : 0;
}

#define ROW(id, op_, needs_, what, ...)                                                            \
    RK_PROBE(id, .name = "files/remote/" #id, .op = op_, .timed = what, .needs = needs_,           \
             .trials = run_##id, .params = RK_PARAMS(__VA_ARGS__))
#define NOT_TIMED "; mounting, opening and a first read are not timed"
#define SPAN RK_COUNT("blocks", 1, 1, 1 << 30, "in a trial")

ROW(sequential, "block", RK_NEEDS_SERVER,
    "`blocks` reads over NFS by libnfs, one after the other, in rising order" NOT_TIMED,
    REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_COLD, SPAN);
ROW(random, "block", RK_NEEDS_SERVER,
    "one read over NFS by libnfs, the blocks in random order, none twice before all were "
    "read" NOT_TIMED,
    REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_COLD);
ROW(penalty, "block", RK_NEEDS_SERVER,
    "one read over NFS, less a read of the same block here right after it, both from a "
    "warm cache" NOT_TIMED,
    REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_ORDER);
ROW(null, "call", RK_NEEDS_SERVER, "a call of NFS that does nothing (NULL), there and back",
    NFS_SERVER, REMOTE_VERSION, RK_HOLD_IDLE);
ROW(local_sequential, "block", RK_NEEDS_DISK,
    "`blocks` times pread() of the same file on this machine, through the page "
    "cache, in rising order",
    RK_FILE(1 << 20), RK_BLOCK(4096), RK_DIR, REMOTE_COLD, SPAN);
ROW(local_random, "block", RK_NEEDS_DISK,
    "one pread() of the same file on this machine, through the page cache, the blocks "
    "in random order",
    RK_FILE(1 << 20), RK_BLOCK(4096), RK_DIR, REMOTE_COLD);
ROW(seek, "call", RK_NEEDS_SERVER,
    "`seeks` times nfs_lseek() to a random block, which libnfs works out by itself",
    REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION,
    RK_COUNT("seeks", 1000, 1, 1 << 24, "calls in a trial"));
ROW(seek_end, "call", RK_NEEDS_SERVER,
    "`seeks` times nfs_lseek() to the end of the file, for which libnfs asks the server",
    REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION,
    RK_COUNT("seeks", 1, 1, 1 << 24, "calls in a trial"));
ROW(kernel, "block", RK_NEEDS_SERVER | RK_NEEDS_ROOT,
    "one pread() of a file on an NFS mount of the kernel's, with O_DIRECT, the server's cache "
    "warm",
    REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_ORDER,
    RK_COUNT("rsize_bytes", 1 << 20, 1024, 1 << 20, "the most that one request reads"));

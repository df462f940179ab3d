/* files/remote: a file on another host, read block by block over NFS, and the same file here. */
#include "files/support/nfs_null.h"
#include "files/support/remote.h"
#include "files/support/remote_kernel.h"

/* The probe's variant is the order of its blocks. */
static enum remote_order order_of(const struct rk_context *c)
{
    return *(const enum remote_order *)rk_variant(c);
}

static int open_served(struct rk_context *c)
{
    return remote_open(c, rk_state(c), order_of(c), (int)rk_integer(c, "version"));
}

static int open_local(struct rk_context *c)
{
    return remote_open_here(c, rk_state(c), order_of(c));
}

/* n samples of `requested` blocks of the order, or of the whole file, each where the last one
 * ended. A sample that does not fit before the end begins at the start, after the cache is cold
 * again if it is to be cold. */
static int time_blocks(struct rk_context *c, struct rk_sample *out, size_t n, int64_t requested)
{
    struct remote *const r = rk_state(c);
    const uint32_t count = r->blocks.count, span = rk_at_most(requested, &r->blocks);
    const int cold = (int)rk_integer(c, "cold"), remote = r->nfs.file != NULL;
    const struct rk_tcp_counts before = rk_count_tcp();
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
    if (remote)
        rk_note_tcp_since(c, &before);
    if (bad)
        return remote ? nfs_read_failed(c, &r->nfs, bad) : rk_read_failed(c, bad);
    return status || !remote ? status : remote_require_same(c, r, last);
}

static int run_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_blocks(c, out, n, rk_integer(c, "blocks"));
}

static int run_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_blocks(c, out, n, 1);
}

/* --- over NFS, less the same block here --- */

static int open_penalty(struct rk_context *c)
{
    const struct remote *const r = rk_state(c);
    const int status = open_served(c);
    if (!status && r->blocks.fd < 0)
        return rk_unsupported(c, "the server's file is not on this machine");
    return status;
}

/* A block over NFS and then the same block here: the difference may be negative. */
static int run_penalty(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct remote *const r = rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    const int status = remote_set_cache(c, r, n, 0);
    int bad = 0, local_bad = 0;
    for (size_t i = 0; i < n && !status && !bad && !local_bad; i++) {
        const uint32_t block = r->blocks.order[i % r->blocks.count];
        const uint64_t begin = rk_begin();
        bad = nfs_read_block(&r->nfs, &r->blocks, block);
        const uint64_t middle = rk_end(), begin_local = rk_begin();
        local_bad = rk_read_block(&r->blocks, block);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(middle - begin) - (int64_t)(end - begin_local), 1};
    }
    rk_note_tcp_since(c, &before);
    if (bad)
        return nfs_read_failed(c, &r->nfs, bad);
    return local_bad ? rk_read_failed(c, local_bad) : status;
}

/* --- without a file --- */

struct null_calls {
    struct nfs_file server;
    struct null_call call;
    int fd, idle;
};

static int open_null(struct rk_context *c)
{
    struct null_calls *const state = rk_state(c);
    state->call = (struct null_call){.mark = htonl(NULL_LAST | (sizeof state->call - 4)),
                                     .rpc_version = htonl(2),
                                     .program = htonl(NULL_PROGRAM),
                                     .version = htonl((uint32_t)rk_integer(c, "version"))};
    state->fd = state->idle = -1;
    int status = null_open(c, &state->server, &state->fd);
    status = status ? status : rk_keep_cpus_awake(c, (int)rk_integer(c, "hold_idle"), &state->idle);
    const int bad = status ? 0 : null_round_trip(state->fd, &state->call); /* not timed */
    return bad ? null_failed(c, &state->server, bad) : status;
}

static int run_null(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct null_calls *const state = rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    struct null_call call = state->call;
    const int fd = state->fd;
    int bad = 0;
    for (size_t i = 0; i < n && !bad; i++) {
        const uint64_t begin = rk_begin();
        bad = null_round_trip(fd, &call);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    rk_note_tcp_since(c, &before);
    state->call = call;
    return bad ? null_failed(c, &state->server, bad) : 0;
}

static int close_null(struct rk_context *c)
{
    const struct null_calls *const state = rk_state(c);
    if (state->fd >= 0)
        close(state->fd);
    if (state->idle >= 0)
        close(state->idle);
    return 0;
}

/* --- positions --- */

/* Samples of `seeks` calls, each to a random block or to the end. */
static int time_seek(struct rk_context *c, struct rk_sample *out, size_t n, int whence)
{
    const int64_t seeks = rk_integer(c, "seeks");
    struct remote *const r = rk_state(c);
    const size_t block_bytes = r->blocks.block_bytes;
    const struct rk_tcp_counts before = rk_count_tcp();
    uint32_t next = 0;
    uint64_t at;
    int bad = 0;
    RK_TIME_TRIALS(out, n, seeks,
                   const uint64_t to =
                       whence == SEEK_END ? 0
                                          : r->blocks.order[next++ % r->blocks.count] * block_bytes;
                   const int result =
                       r->nfs.library.lseek(r->nfs.context, r->nfs.file, (int64_t)to, whence, &at);
                   bad = result < 0 ? result : bad);
    rk_note_tcp_since(c, &before);
    return bad ? nfs_failed(c, &r->nfs, "seeking", bad) : 0;
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

static int open_kernel(struct rk_context *c)
{
    return kernel_open(c, rk_state(c), order_of(c));
}

static int run_kernel(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct remote *const r = rk_state(c);
    int bad = 0;
    for (size_t i = 0; i < n && !bad; i++) {
        const uint32_t block = r->blocks.order[i % r->blocks.count];
        const uint64_t begin = rk_begin();
        bad = rk_read_block(&r->blocks, block);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    return bad ? rk_read_failed(c, bad) : 0;
}

#define SPAN RK_INTEGER("blocks", 1, 1, 1 << 30, "in a trial")
#define REMOTE(open_, trials_, order)                                                              \
    RK_STAGES(struct remote, open_, trials_, remote_close), RK_VARIANT(enum remote_order, order)

RK_PROBE("files/remote/sequential", .op = "block",
         .timed = "`blocks` reads over NFS by libnfs, one after the other, in rising order; "
                  "mounting, opening and a first read are not timed",
         .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_COLD, SPAN),
         REMOTE(open_served, run_sequential, REMOTE_SEQUENTIAL));
RK_PROBE("files/remote/random", .op = "block",
         .timed = "one read over NFS by libnfs, the blocks in random order, none twice before all "
                  "were read; mounting, opening and a first read are not timed",
         .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_COLD),
         REMOTE(open_served, run_random, REMOTE_RANDOM));
RK_PROBE("files/remote/penalty", .op = "block",
         .timed = "one read over NFS, less a read of the same block here right after it, both from "
                  "a warm cache; mounting, opening and a first read are not timed",
         .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_ORDER),
         REMOTE(open_penalty, run_penalty, REMOTE_AS_REQUESTED));
RK_PROBE("files/remote/null", .op = "call",
         .timed = "a call of NFS that does nothing (NULL), there and back",
         .needs = RK_NEEDS_SERVER, .params = RK_PARAMS(NFS_SERVER, REMOTE_VERSION, RK_HOLD_IDLE),
         RK_STAGES(struct null_calls, open_null, run_null, close_null));
RK_PROBE("files/remote/local_sequential", .op = "block",
         .timed = "`blocks` times pread() of the same file on this machine, through the page "
                  "cache, in rising order",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(1 << 20), RK_BLOCK(4096), RK_DIR, REMOTE_COLD, SPAN),
         REMOTE(open_local, run_sequential, REMOTE_SEQUENTIAL));
RK_PROBE("files/remote/local_random", .op = "block",
         .timed = "one pread() of the same file on this machine, through the page cache, the "
                  "blocks in random order",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_FILE(1 << 20), RK_BLOCK(4096), RK_DIR, REMOTE_COLD),
         REMOTE(open_local, run_random, REMOTE_RANDOM));
RK_PROBE("files/remote/seek", .op = "call",
         .timed = "`seeks` times nfs_lseek() to a random block, which libnfs works out by itself",
         .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION,
                             RK_INTEGER("seeks", 1000, 1, 1 << 24, "calls in a trial")),
         REMOTE(open_served, run_seek, REMOTE_RANDOM));
RK_PROBE("files/remote/seek_end", .op = "call",
         .timed = "`seeks` times nfs_lseek() to the end of the file, for which libnfs asks the "
                  "server",
         .needs = RK_NEEDS_SERVER,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION,
                             RK_INTEGER("seeks", 1, 1, 1 << 24, "calls in a trial")),
         REMOTE(open_served, run_seek_end, REMOTE_RANDOM));
RK_PROBE("files/remote/kernel", .op = "block",
         .timed = "one pread() of a file on an NFS mount of the kernel's, with O_DIRECT, the "
                  "server's cache warm",
         .needs = RK_NEEDS_SERVER | RK_NEEDS_ROOT,
         .params = RK_PARAMS(REMOTE_FILE(1 << 20, 4096), REMOTE_VERSION, REMOTE_ORDER,
                             RK_INTEGER("rsize_bytes", 1 << 20, 1024, 1 << 20,
                                        "the most that one request reads")),
         REMOTE(open_kernel, run_kernel, REMOTE_AS_REQUESTED));

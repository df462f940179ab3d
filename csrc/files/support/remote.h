/* remote.h: the blocks that are read of a file on an NFS server, with the server's cache cold or
 * warm.
 *
 * The server of the lab host shares this machine's page cache: its file is the run's own, so what
 * is dropped or read here is dropped or read there. The cache of a real server is out of reach. */
#ifndef RK_REMOTE_H
#define RK_REMOTE_H

#include "files/support/nfs.h"
#include "network/support/counts.h"
#include "network/support/idle.h"

#define REMOTE_VERSION RK_COUNT("version", 4, 3, 4, "of NFS")
#define REMOTE_COLD                                                                                \
    RK_COUNT("cold", 0, 0, 1,                                                                      \
             "1: the server's page cache is dropped before; 0: it holds what is read")
#define REMOTE_ORDER RK_WORD("order", "sequential", "of the blocks: sequential or random")

enum remote_order { REMOTE_SEQUENTIAL, REMOTE_RANDOM };

/* What a row reads. Of a file on this machine alone, `nfs` has none. */
struct remote {
    struct nfs_file nfs;
    struct rk_blocks blocks; /* .fd: the served file where it is on this machine, or -1 */
    struct counts before;    /* of TCP */
    int idle;                /* as idle_hold() has it */
};

static inline int remote_order(struct rk_context *c, enum remote_order *order)
{
    const char *const asked = rk_text(c, "order");
    *order = strcmp(asked, "random") == 0 ? REMOTE_RANDOM : REMOTE_SEQUENTIAL;
    if (*order == REMOTE_SEQUENTIAL && strcmp(asked, "sequential") != 0)
        return trouble(c, EINVAL, "order is \"%.40s\", not sequential or random.", asked);
    return 0;
}

/* Room for the blocks of a file that is not on this machine. */
static inline int remote_blocks(struct rk_context *c, struct rk_blocks *b, size_t file_bytes,
                                size_t block_bytes)
{
    *b = (struct rk_blocks){.fd = -1, .block_bytes = block_bytes};
    if (file_bytes / block_bytes < 1 || file_bytes / block_bytes > UINT32_MAX)
        return rk_cannot(c,
                         "the file must have at least one block, and no more than can be counted");
    b->count = (uint32_t)(file_bytes / block_bytes);
    b->order = malloc(b->count * sizeof *b->order);
    if (!b->order || posix_memalign((void **)&b->buffer, rk_small_page(), block_bytes)) {
        b->buffer = NULL;
        rk_blocks_close(b);
        return rk_failed(c, "malloc", ENOMEM);
    }
    rising_order(b->order, b->count);
    memset(b->buffer, 1, block_bytes);
    return 0;
}

/* A real server's file must be long enough; the lab's is the run's. */
static inline int remote_is_there(struct rk_context *c, struct remote *r, size_t file_bytes)
{
    char path[4096];
    uint64_t size = 0;
    if (r->nfs.served_here)
        return rk_run_has(c, 0, file_bytes, path)
                   ? 0
                   : rk_cannot(c, "the lab's server has the run's files, and none is so large");
    const int bad = r->nfs.of.lseek(r->nfs.context, r->nfs.file, 0, SEEK_END, &size);
    if (bad < 0)
        return nfs_trouble(c, &r->nfs, "asking for the file's size", bad);
    if (size < file_bytes)
        return trouble(c, EOPNOTSUPP,
                       "%.60s:%.60s%s has %ju KiB and not %zu; make it longer: head -c 64M "
                       "/dev/urandom",
                       r->nfs.host, r->nfs.exported, r->nfs.name, (uintmax_t)size >> 10,
                       file_bytes >> 10);
    return 0;
}

/* The first `reads` of the order are out of the page cache, or in it. A row that reads its blocks
 * more than once reads them warm. */
static inline int remote_set_cache(struct rk_context *c, struct remote *r, size_t reads, int cold)
{
    struct rk_blocks *const b = &r->blocks;
    if (cold && b->fd < 0)
        return rk_cannot(
            c, "the page cache of a server on another machine cannot be dropped from here");
    if (cold && reads > b->count)
        return rk_cannot(c, "from a cold cache each block is read once: more samples than blocks");
    if (cold)
        return rk_blocks_cold(c, b);
    for (size_t i = 0; i < reads && i < b->count; i++) {
        const int bad =
            b->fd >= 0 ? rk_read_block(b, b->order[i]) : nfs_read_block(&r->nfs, b, b->order[i]);
        if (bad)
            return b->fd >= 0 ? rk_read_trouble(c, bad) : nfs_read_trouble(c, &r->nfs, bad);
    }
    return 0;
}

static inline int remote_close(struct rk_context *c, struct remote *r, int status)
{
    if (r->nfs.context)
        note_tcp_since(c, &r->before);
    nfs_close(&r->nfs);
    rk_blocks_close(&r->blocks);
    if (r->idle >= 0)
        close(r->idle);
    r->idle = -1;
    return status;
}

/* The file of the run, on this machine. */
static inline int remote_open_here(struct rk_context *c, struct remote *r, enum remote_order order)
{
    *r = (struct remote){.idle = -1, .blocks = {.fd = -1}};
    const int status = rk_blocks_open(c, &r->blocks, 0, (size_t)rk_integer(c, "file_bytes"),
                                      (size_t)rk_integer(c, "block_bytes"), 0);
    uint64_t state = rk_begin();
    if (!status && order == REMOTE_RANDOM)
        shuffle(r->blocks.order, r->blocks.count, &state);
    return status;
}

/* The same over NFS: mounted, opened and read once, since a server of version 3, which knows no
 * opening, opens the file at its first read. */
static inline int remote_open(struct rk_context *c, struct remote *r, enum remote_order order,
                              int version)
{
    const size_t file_bytes = (size_t)rk_integer(c, "file_bytes");
    const size_t block_bytes = (size_t)rk_integer(c, "block_bytes");
    *r = (struct remote){.idle = -1, .blocks = {.fd = -1}};
    int status = nfs_open_file(c, &r->nfs, version);
    if (status)
        return status;
    r->before = count_tcp();
    status = remote_is_there(c, r, file_bytes);
    if (!status)
        status = r->nfs.served_here ? rk_blocks_open(c, &r->blocks, 0, file_bytes, block_bytes, 0)
                                    : remote_blocks(c, &r->blocks, file_bytes, block_bytes);
    uint64_t state = rk_begin();
    if (!status && order == REMOTE_RANDOM)
        shuffle(r->blocks.order, r->blocks.count, &state);
    const int bad = status ? 0 : nfs_read_block(&r->nfs, &r->blocks, 0);
    if (bad)
        status = nfs_read_trouble(c, &r->nfs, bad);
    if (!status)
        status = keep_cpus_awake(c, (int)rk_integer(c, "hold_idle"), &r->idle);
    return status ? remote_close(c, r, status) : 0;
}

/* What came over NFS last is what the file has there, where it can be looked at. */
static inline int remote_is_same(struct rk_context *c, const struct remote *r, uint32_t block)
{
    const struct rk_blocks *const b = &r->blocks;
    char *const here = b->fd >= 0 ? malloc(b->block_bytes) : NULL;
    if (!here)
        return 0;
    const int other = pread(b->fd, here, b->block_bytes,
                            (off_t)((uint64_t)block * b->block_bytes)) != (ssize_t)b->block_bytes ||
                      memcmp(here, b->buffer, b->block_bytes) != 0;
    free(here);
    return other ? rk_failed(c, "what NFS gave is not what the file has", EIO) : 0;
}

#define REMOTE_FILE(file_, block_)                                                                 \
    RK_FILE(file_), RK_BLOCK(block_), RK_DIR, NFS_SERVER, RK_HOLD_IDLE

#endif

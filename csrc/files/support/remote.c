#include "files/support/remote.h"

#include <sys/mount.h>

int remote_set_order(struct rk_context *c, struct remote *r, enum remote_order order)
{
    if (order == REMOTE_AS_REQUESTED) {
        const char *const requested = rk_text(c, "order");
        if (strcmp(requested, "random") == 0)
            order = REMOTE_RANDOM;
        else if (strcmp(requested, "sequential") != 0)
            return rk_error(c, EINVAL, "order is \"%.40s\", not sequential or random.", requested);
    }
    if (order == REMOTE_RANDOM)
        rk_blocks_shuffle(&r->blocks);
    return 0;
}

/* 0 if the server's file is long enough: a real server's own, or the run's on the lab's server. */
static int remote_check_size(struct rk_context *c, struct remote *r, size_t file_bytes)
{
    char path[4096];
    uint64_t size = 0;
    if (r->nfs.served_here && rk_run_has(c, 0, file_bytes, path))
        return 0;
    if (r->nfs.served_here)
        return rk_unsupported(c, "the lab's server has the run's files, and none is so large");
    const int bad = r->nfs.library.lseek(r->nfs.context, r->nfs.file, 0, SEEK_END, &size);
    if (bad < 0)
        return nfs_failed(c, &r->nfs, "reading the file's size", bad);
    if (size < file_bytes)
        return rk_unsupported(
            c, "%.60s:%.60s%s has %ju KiB and not %zu; make it longer: head -c 64M /dev/urandom",
            r->nfs.host, r->nfs.exported, r->nfs.name, (uintmax_t)size >> 10, file_bytes >> 10);
    return 0;
}

int remote_set_cache(struct rk_context *c, struct remote *r, size_t reads, int cold)
{
    struct rk_blocks *const b = &r->blocks;
    if (cold && b->fd < 0)
        return rk_unsupported(c, "the page cache of a server on another machine cannot be dropped "
                                 "from here");
    if (cold && reads > b->count)
        return rk_unsupported(c, "from a cold cache each block is read once: more samples than "
                                 "blocks");
    if (cold)
        return rk_blocks_cold(c, b);
    for (size_t i = 0; i < reads && i < b->count; i++) {
        const int bad =
            b->fd >= 0 ? rk_read_block(b, b->order[i]) : nfs_read_block(&r->nfs, b, b->order[i]);
        if (bad)
            return b->fd >= 0 ? rk_read_failed(c, bad) : nfs_read_failed(c, &r->nfs, bad);
    }
    return 0;
}

int remote_close(struct rk_context *c)
{
    struct remote *const r = rk_state(c);
    nfs_close(&r->nfs);
    rk_blocks_close(&r->blocks); /* before the mount: an open file would keep it */
    if (r->mounted)
        umount2(KERNEL_MOUNT_AT, MNT_DETACH);
    if (r->idle >= 0)
        close(r->idle);
    return 0;
}

int remote_open_here(struct rk_context *c, struct remote *r, enum remote_order order)
{
    *r = (struct remote){.idle = -1, .blocks = {.fd = -1}};
    const int status = rk_blocks_open(c, &r->blocks, 0, rk_block_bytes(c), 0);
    return status ? status : remote_set_order(c, r, order);
}

int remote_open(struct rk_context *c, struct remote *r, enum remote_order order, int version)
{
    const size_t file_bytes = rk_file_bytes(c), block_bytes = rk_block_bytes(c);
    *r = (struct remote){.idle = -1, .blocks = {.fd = -1}};
    int status = nfs_open_file(c, &r->nfs, version);
    if (!status)
        status = remote_check_size(c, r, file_bytes);
    if (!status)
        status = r->nfs.served_here
                     ? rk_blocks_open(c, &r->blocks, 0, block_bytes, 0)
                     : rk_blocks_allocate(c, &r->blocks, -1, file_bytes, block_bytes);
    if (!status)
        status = remote_set_order(c, r, order);
    if (status)
        return status;
    const int bad = nfs_read_block(&r->nfs, &r->blocks, 0);
    return bad ? nfs_read_failed(c, &r->nfs, bad)
               : rk_keep_cpus_awake(c, (int)rk_integer(c, "hold_idle"), &r->idle);
}

int remote_require_same(struct rk_context *c, const struct remote *r, uint32_t block)
{
    const struct rk_blocks *const b = &r->blocks;
    char *const copy = b->fd >= 0 ? malloc(b->block_bytes) : NULL;
    if (!copy)
        return 0;
    const int other = pread(b->fd, copy, b->block_bytes,
                            (off_t)((uint64_t)block * b->block_bytes)) != (ssize_t)b->block_bytes ||
                      memcmp(copy, b->buffer, b->block_bytes) != 0;
    free(copy);
    return other ? rk_failed(c, "what NFS gave is not what the file has", EIO) : 0;
}

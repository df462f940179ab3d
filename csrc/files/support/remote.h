/* remote.h: the blocks that are read of a file on an NFS server, with the server's cache cold or
 * warm.
 *
 * The server of the lab host shares this machine's page cache, and its file is the run's, so what
 * is dropped or read here is dropped or read there. The cache of a real server is out of reach. */
#ifndef RK_REMOTE_H
#define RK_REMOTE_H

#include "files/support/nfs.h"
#include "probe/counts.h"
#include "probe/idle.h"

/* An empty folder that every system has (hier(7)); only this process sees what is mounted there. */
#define KERNEL_MOUNT_AT "/mnt"

#define REMOTE_VERSION RK_INTEGER("version", 4, 3, 4, "of NFS")
#define REMOTE_COLD                                                                                \
    RK_INTEGER("cold", 0, 0, 1,                                                                    \
               "1: the server's page cache is dropped before; 0: it holds what is read")
#define REMOTE_ORDER RK_TEXT("order", "sequential", "of the blocks: sequential or random")

/* REMOTE_AS_REQUESTED: by the parameter "order". */
enum remote_order { REMOTE_SEQUENTIAL, REMOTE_RANDOM, REMOTE_AS_REQUESTED };

/* The file that a probe reads. `nfs` is unused for a file on this machine alone. */
struct remote {
    struct nfs_file nfs;
    struct rk_blocks blocks; /* .fd: the served file where it is on this machine, or -1 */
    int mounted;             /* 1: by the kernel's client, at KERNEL_MOUNT_AT */
    int idle;                /* the descriptor of rk_keep_cpus_awake(), or -1 */
};

/* Puts the blocks into the order. 0 or a status. */
int remote_set_order(struct rk_context *c, struct remote *r, enum remote_order order);

/* Drops the file from the server's page cache, or reads the first `reads` blocks of the order into
 * it. A status where blocks that are read more than once are to be cold. */
int remote_set_cache(struct rk_context *c, struct remote *r, size_t reads, int cold);

/* Closes the file of a probe whose state is a struct remote, also after an open that failed. */
int remote_close(struct rk_context *c);

/* Opens the file of the run, on this machine. */
int remote_open_here(struct rk_context *c, struct remote *r, enum remote_order order);

/* The same over NFS: mounts, opens and reads once, because a server of version 3, which has no call
 * to open a file, opens it at the first read. */
int remote_open(struct rk_context *c, struct remote *r, enum remote_order order, int version);

/* 0 if the last block read over NFS is as in the file, or the file is on another machine; else a
 * status. */
int remote_require_same(struct rk_context *c, const struct remote *r, uint32_t block);

#define REMOTE_FILE(file_, block_)                                                                 \
    RK_FILE(file_), RK_BLOCK(block_), RK_DIR, NFS_SERVER, RK_HOLD_IDLE

#endif

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

/* REMOTE_AS_REQUESTED: by the parameter "order". */
enum remote_order { REMOTE_SEQUENTIAL, REMOTE_RANDOM, REMOTE_AS_REQUESTED };

/* The file that a probe reads. `nfs` is unused for a file on this machine alone. */
struct remote {
    struct nfs_file nfs;
    struct rk_blocks blocks; /* .fd: the served file where it is on this machine, or -1 */
    int mounted;             /* 1: by the kernel's client */
    int idle;                /* as keep_cpus_awake() has it */
};

/* Puts the blocks into the order. 0 or a status. */
int remote_set_order(struct rk_context *c, struct remote *r, enum remote_order order);

/* The first `reads` of the order are out of the page cache, or in it. A probe that reads its blocks
 * more than once reads them warm. */
int remote_set_cache(struct rk_context *c, struct remote *r, size_t reads, int cold);

/* Safe also after an open that failed. */
void remote_close(struct remote *r);

/* The file of the run, on this machine. */
int remote_open_here(struct rk_context *c, struct remote *r, enum remote_order order);

/* The same over NFS: mounted, opened and read once, since a server of version 3, which has no call
 * to open a file, opens it at the first read. */
int remote_open(struct rk_context *c, struct remote *r, enum remote_order order, int version);

/* The last block read over NFS is the same in the file, where that is on this machine. */
int remote_is_same(struct rk_context *c, const struct remote *r, uint32_t block);

#define REMOTE_FILE(file_, block_)                                                                 \
    RK_FILE(file_), RK_BLOCK(block_), RK_DIR, NFS_SERVER, RK_HOLD_IDLE

#endif

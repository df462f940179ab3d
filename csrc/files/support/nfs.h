/* nfs.h: a file on an NFS server, read by libnfs: in this process, without the kernel's client and
 * so without its cache.
 *
 * libnfs is loaded when a probe runs (dlopen), so that Reckon builds and loads where it is not
 * installed. Its functions are declared here as in include/nfsc/libnfs.h; the soname gives the
 * version, and of these functions only nfs_pread() changed, in libnfs 6. */
#ifndef RK_NFS_H
#define RK_NFS_H

#include <signal.h>

#include "files/support/blocks.h"
#include "probe/namespace.h"

#define NFS_DEADLINE_S 5 /* as PEER_DEADLINE_S (network/support/client.h) */
#define NFS_PORT "2049"
#define RPCBIND_PORT "111"
#define NFS_NAME_MAX 256

struct nfs_context;
struct nfsfh;

struct nfs_library {
    void *handle;
    struct nfs_context *(*init_context)(void);
    void (*destroy_context)(struct nfs_context *);
    int (*set_version)(struct nfs_context *, int version);
    void (*set_timeout)(struct nfs_context *, int milliseconds);
    void (*set_autoreconnect)(struct nfs_context *, int times);
    char *(*get_error)(struct nfs_context *);
    int (*mount)(struct nfs_context *, const char *server, const char *exported);
    int (*open)(struct nfs_context *, const char *path, int flags, struct nfsfh **);
    int (*close)(struct nfs_context *, struct nfsfh *);
    int (*lseek)(struct nfs_context *, struct nfsfh *, int64_t, int whence, uint64_t *now_at);
    /* One of the two: */
    int (*pread)(struct nfs_context *, struct nfsfh *, uint64_t at, uint64_t count, void *);
    int (*pread_6)(struct nfs_context *, struct nfsfh *, void *, size_t count, uint64_t at);
};

/* A file of a mounted export. */
struct nfs_file {
    struct nfs_library library;
    struct nfs_context *context;
    struct nfsfh *file;
    char host[NFS_NAME_MAX], exported[NFS_NAME_MAX], name[NFS_NAME_MAX];
    int served_here; /* 1: by the lab host, from the run's file in this machine's page cache */
    int lost;        /* 1: a call failed, and the connection is not used again */
    struct sigaction sigpipe; /* the action on SIGPIPE before this probe */
};

/* --- where the file is --- */

#define NFS_SERVER                                                                                 \
    RK_TEXT("server", "other",                                                                     \
            "other: at the set link or a real one; near: no delay; far: a longer link")

/* Finds the server's HOST:/EXPORT and the file's name: the lab's server exports the folder of the
 * run's files; a real server has a file that its owner put there. Enters the network of the lab. */
int nfs_locate(struct rk_context *c, struct nfs_file *f);

/* Connects to the host's first address that answers, by rk_connect_within(). 0, or a status with
 * the reason set; *fd is then -1. */
int nfs_connect(struct rk_context *c, const char *host, const char *port, int *fd);

/* 0 if a server answers there. libnfs has no short deadline for its own connection. */
int nfs_reach(struct rk_context *c, const char *host, const char *port);

/* --- mount, open, read --- */

int nfs_failed(struct rk_context *c, struct nfs_file *f, const char *what, int status);

/* Closes the file. After a lost connection libnfs 4 waits for an answer, or crashes: its memory
 * is then freed by the end of this process. */
void nfs_close(struct nfs_file *f);

/* Mounts the export and opens the file; none of it is timed. On failure nothing is left open. */
int nfs_open_file(struct rk_context *c, struct nfs_file *f, int version);

/* Reads one block. 0, -ENODATA if the file is too short, or libnfs's negative error. */
static inline int nfs_read_block(const struct nfs_file *f, const struct rk_blocks *b,
                                 uint32_t block)
{
    const uint64_t at = (uint64_t)block * b->block_bytes;
    const int got = f->library.pread
                        ? f->library.pread(f->context, f->file, at, b->block_bytes, b->buffer)
                        : f->library.pread_6(f->context, f->file, b->buffer, b->block_bytes, at);
    return got == (int)b->block_bytes ? 0 : got < 0 ? got : -ENODATA;
}

int nfs_read_failed(struct rk_context *c, struct nfs_file *f, int status);

#endif

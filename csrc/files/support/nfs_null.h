/* nfs_null.h: the NFS call that does nothing (NULL): a round trip to the server's program, without
 * a file. The message of 44 bytes is built here, not by libnfs (RFC 5531, sections 9 and 11). */
#ifndef RK_NFS_NULL_H
#define RK_NFS_NULL_H

#include <arpa/inet.h>
#include <sys/socket.h>

#include "files/support/nfs.h"

#define NULL_PROGRAM 100003   /* NFS (RFC 1813, RFC 7530) */
#define NULL_LAST 0x80000000u /* of the record mark: no other fragment follows */

struct null_call {
    uint32_t mark, xid, call, rpc_version, program, version, procedure, credentials[2], verifier[2];
};
struct null_reply {
    uint32_t mark, xid, reply, accepted, verifier[2], success;
};

/* One call and its answer. 0 or a negative error. */
static inline int null_round_trip(int fd, struct null_call *call)
{
    struct null_reply reply;
    size_t have = 0;
    call->xid++;
    if (send(fd, call, sizeof *call, MSG_NOSIGNAL) != (ssize_t)sizeof *call)
        return -errno;
    while (have < sizeof reply) {
        const ssize_t got = recv(fd, (char *)&reply + have, sizeof reply - have, 0);
        if (got == 0)
            return -ECONNRESET;
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        have += got > 0 ? (size_t)got : 0;
    }
    const int is_answer = reply.xid == call->xid &&
                          reply.mark == htonl(NULL_LAST | (sizeof reply - 4)) &&
                          reply.reply == htonl(1) && !reply.accepted && !reply.success;
    return is_answer ? 0 : -EPROTO;
}

/* Connects to the server of the probe. */
int null_open(struct rk_context *c, struct nfs_file *f, int *fd);

int null_failed(struct rk_context *c, const struct nfs_file *f, int status);

#endif

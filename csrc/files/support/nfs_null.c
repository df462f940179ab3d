#include "files/support/nfs_null.h"

int null_open(struct rk_context *c, struct nfs_file *f, int *fd)
{
    const int status = nfs_locate(c, f);
    return status ? status : nfs_connect(c, f->host, NFS_PORT, fd);
}

int null_failed(struct rk_context *c, const struct nfs_file *f, int status)
{
    if (status == -ETIMEDOUT)
        return rk_error(c, ETIMEDOUT, "The NFS server at %.60s did not answer within %d s.",
                        f->host, NFS_DEADLINE_S);
    if (status == -EPROTO)
        return rk_error(c, EPROTO,
                        "The program at %.60s port " NFS_PORT
                        " does not answer NFS calls of that version.",
                        f->host);
    return rk_error(c, -status, "The NFS server at %.60s went away: %s.", f->host,
                    strerror(-status));
}

/* remote_kernel.h: the same file through the NFS client of the kernel, where it has one.
 *
 * It is mounted in a mount namespace of this process alone, so that the mount ends with the
 * process. O_DIRECT reads bypass the client's page cache (nfs(5)). */
#ifndef RK_REMOTE_KERNEL_H
#define RK_REMOTE_KERNEL_H

#include "files/support/remote.h"

/* Mounts the export and opens the file, whose blocks are then in order and in the server's page
 * cache. */
int kernel_open(struct rk_context *c, struct remote *r, enum remote_order order);

#endif

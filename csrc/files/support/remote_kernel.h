/* remote_kernel.h: the same file through the NFS client of the kernel, where it has one.
 *
 * Mounted in a mount namespace of this process's own, so that the mount ends with it, however it
 * ends. Read with O_DIRECT, which goes by the client's page cache (nfs(5)). */
#ifndef RK_REMOTE_KERNEL_H
#define RK_REMOTE_KERNEL_H

#include <sched.h>
#include <netdb.h>
#include <sys/mount.h>

#include "files/support/remote.h"

/* An empty place that every system has (hier(7)); what it holds is hidden from this process alone.
 */
#define KERNEL_MOUNT_AT "/mnt"

/* Safe also after an open that failed. */
void kernel_close(struct remote *r);

/* Mounted, opened, in order and in the server's page cache. */
int kernel_open(struct rk_context *c, struct remote *r, enum remote_order order);

#endif

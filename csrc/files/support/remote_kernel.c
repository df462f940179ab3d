#include "files/support/remote_kernel.h"

#include <netdb.h>
#include <sched.h>
#include <sys/mount.h>

/* The server's address as a number, which mount(2) takes, where mount.nfs(8) looks up a name. */
static int kernel_address(struct rk_context *c, const struct nfs_file *f, char address[NI_MAXHOST])
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses = NULL;
    int bad = getaddrinfo(f->host, NFS_PORT, &hints, &addresses);
    if (!bad) {
        bad = getnameinfo(addresses->ai_addr, addresses->ai_addrlen, address, NI_MAXHOST, NULL, 0,
                          NI_NUMERICHOST);
        freeaddrinfo(addresses);
    }
    return bad ? rk_error(c, EHOSTUNREACH, "The NFS server %.100s is not found: %s.", f->host,
                          gai_strerror(bad))
               : 0;
}

static int kernel_own_mounts(struct rk_context *c)
{
    if (strcmp(program_invocation_short_name, "reckon-probe") != 0)
        return rk_unsupported(c, "needs a process of its own, with which its mount ends");
    if (unshare(CLONE_NEWNS) < 0)
        return rk_refused(c, "a mount namespace of its own", errno);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return rk_failed(c, "making mounts private", errno);
    return 0;
}

static int kernel_mount(struct rk_context *c, const struct nfs_file *f, int version)
{
    char source[2 * NFS_NAME_MAX + 4], options[NI_MAXHOST + 200], address[NI_MAXHOST];
    int status = kernel_own_mounts(c);
    if (!status)
        status = kernel_address(c, f, address);
    if (status)
        return status;
    snprintf(source, sizeof source, strchr(f->host, ':') ? "[%s]:%s" : "%s:%s", f->host,
             f->exported);
    /* soft: a lost server is an error, not a wait; timeo counts tenths of a second. */
    snprintf(options, sizeof options,
             "vers=%s,addr=%s,proto=tcp,soft,timeo=%d,retrans=1,nosharecache,rsize=%d%s",
             version == 3 ? "3" : "4.1", address, 10 * NFS_DEADLINE_S,
             (int)rk_integer(c, "rsize_bytes"), version == 3 ? ",mountproto=tcp,nolock" : "");
    if (mount(source, KERNEL_MOUNT_AT, "nfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
              options) == 0)
        return 0;
    if (errno == ENODEV)
        return rk_unsupported(c, "this kernel has no NFS client (mount: ENODEV; /proc/filesystems "
                                 "has no nfs)");
    if (errno == EPERM)
        return rk_unsupported(c, "mounting needs root");
    return rk_error(c, errno, "%.100s cannot be mounted by NFSv%d: %s.", source, version,
                    strerror(errno));
}

int kernel_open(struct rk_context *c, struct remote *r, enum remote_order order)
{
    const int version = (int)rk_integer(c, "version");
    char path[sizeof KERNEL_MOUNT_AT + NFS_NAME_MAX];
    *r = (struct remote){.idle = -1, .blocks = {.fd = -1}};
    int status = nfs_locate(c, &r->nfs);
    if (!status)
        status = nfs_reach(c, r->nfs.host, version == 3 ? RPCBIND_PORT : NFS_PORT);
    if (!status)
        status = kernel_mount(c, &r->nfs, version);
    if (status)
        return status;
    r->mounted = 1;
    status = rk_blocks_allocate(c, &r->blocks, -1, rk_file_bytes(c), rk_block_bytes(c));
    snprintf(path, sizeof path, "%s%s", KERNEL_MOUNT_AT, r->nfs.name);
    if (!status && (r->blocks.fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC)) < 0)
        status = rk_failed(c, "opening the file on the mount", errno);
    if (!status)
        status = remote_set_order(c, r, order);
    for (uint32_t i = 0; i < r->blocks.count && !status; i++) { /* into the server's cache */
        const int bad = rk_read_block(&r->blocks, i);
        status = bad ? rk_read_failed(c, bad) : 0;
    }
    return status ? status : rk_keep_cpus_awake(c, (int)rk_integer(c, "hold_idle"), &r->idle);
}

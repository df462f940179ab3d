#include "probe/scratch.h"
#include "probe/order.h"
#include "probe/owner.h"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Not in <linux/magic.h>, or not in that of older kernels. */
#define ZFS_SUPER_MAGIC 0x2fc12fc1
#ifndef SMB2_SUPER_MAGIC
#define CIFS_SUPER_MAGIC 0xff534d42
#define SMB2_SUPER_MAGIC 0xfe534d42
#endif
#ifndef CEPH_SUPER_MAGIC
#define CEPH_SUPER_MAGIC 0x00c36400
#endif
#define BLOCK_WORDS 8192 /* one write of a scratch file: 64 KiB */

const char *rk_scratch_dir(const struct rk_context *c)
{
    const char *const folder = rk_text(c, "dir"), *const set = rk_location(c, "scratch");
    if (*folder)
        return folder;
    return *set ? set : "/var/tmp";
}

/* O_TMPFILE, or a file whose name is removed at once where the file system lacks it; a process that
 * is killed between leaves a name that reckon/computer/scratch.py sweeps. */
static int unnamed(const char *dir)
{
    char path[4096], owner[RK_OWNER_MAX];
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    if (rk_owner_name(owner))
        return -1;
    snprintf(path, sizeof path, "%s/reckon-files-%s.XXXXXX", dir, owner);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int no_room(struct rk_context *c, const char *dir, size_t size_bytes)
{
    return rk_unsupported(c, "%.64s has no room for a file of %zu MiB", dir, size_bytes >> 20);
}

/* File systems whose reads need no disk of this machine, or are not under the page cache's control
 * (statfs(2)). One in user space may be on a disk (ntfs-3g), so it is measured. */
static const struct {
    uint32_t type;
    const char *lies;
} not_on_a_disk[] = {
    {TMPFS_MAGIC, "in memory and not on a disk"},
    {RAMFS_MAGIC, "in memory and not on a disk"},
    {NFS_SUPER_MAGIC, "on another host (NFS) and not on a disk of this machine"},
    {SMB_SUPER_MAGIC, "on another host (SMB) and not on a disk of this machine"},
    {CIFS_SUPER_MAGIC, "on another host (SMB) and not on a disk of this machine"},
    {SMB2_SUPER_MAGIC, "on another host (SMB) and not on a disk of this machine"},
    {AFS_SUPER_MAGIC, "on another host (AFS) and not on a disk of this machine"},
    {CEPH_SUPER_MAGIC, "on other hosts (Ceph) and not on a disk of this machine"},
    {V9FS_MAGIC, "on another host (9p) and not on a disk of this machine"},
    {ZFS_SUPER_MAGIC, "on ZFS, whose own cache answers reads that pass the page cache"},
};

/* 0 if reads of the open file need a disk, else a status with the reason set. */
static int check_on_a_disk(struct rk_context *c, int fd, const char *dir)
{
    struct statfs about;
    if (fstatfs(fd, &about) < 0)
        return rk_failed(c, "fstatfs", errno);
    for (size_t i = 0; i < sizeof not_on_a_disk / sizeof *not_on_a_disk; i++)
        if ((uint32_t)about.f_type == not_on_a_disk[i].type)
            return rk_unsupported(c, "%.64s lies %s", dir, not_on_a_disk[i].lies);
    return 0;
}

/* 0 if a file of `size_bytes` may be created where `fd` lies, else a status with the reason set. */
static int check_room(struct rk_context *c, int fd, const char *dir, size_t size_bytes,
                      int on_a_disk)
{
    struct statfs about;
    struct rlimit limit;
    const int status = on_a_disk ? check_on_a_disk(c, fd, dir) : 0;
    if (status)
        return status;
    if (fstatfs(fd, &about) < 0)
        return rk_failed(c, "fstatfs", errno);
    if (on_a_disk && (double)about.f_bavail * (double)about.f_bsize < 1.1 * (double)size_bytes)
        return no_room(c, dir, size_bytes);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size_bytes > limit.rlim_cur)
        return rk_unsupported(c, "a file of %zu MiB is more than the limit allows (ulimit -f)",
                              size_bytes >> 20); /* a write past the limit would end this process */
    return 0;
}

int rk_unnamed_with_room(struct rk_context *c, const char *dir, size_t size_bytes, int on_a_disk)
{
    const int fd = unnamed(dir);
    if (fd < 0)
        return rk_unsupported(c, "no file can be made in %.64s: %s", dir, strerror(errno));
    const int status = check_room(c, fd, dir, size_bytes, on_a_disk);
    if (!status)
        return fd;
    close(fd);
    return status;
}

/* Writes `size_bytes` of a random sequence. 0 or an errno. */
static int fill(int fd, size_t size_bytes)
{
    uint64_t block[BLOCK_WORDS], state = rk_begin();
    for (size_t at = 0; at < size_bytes; at += sizeof block) {
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            block[i] = rk_next_random(&state);
        const size_t part = size_bytes - at < sizeof block ? size_bytes - at : sizeof block;
        errno = 0; /* a write that is cut short sets none */
        if (write(fd, block, part) != (ssize_t)part)
            return errno ? errno : ENOSPC;
    }
    return 0;
}

int rk_scratch(struct rk_context *c, const char *dir, size_t size_bytes, int on_a_disk)
{
    const int fd = rk_unnamed_with_room(c, dir, size_bytes, on_a_disk);
    if (fd < 0)
        return fd;
    int status = 0;
    const int error = fill(fd, size_bytes);
    if (error == ENOSPC || error == EDQUOT)
        status = no_room(c, dir, size_bytes);
    else if (error)
        status = rk_failed(c, "writing the file", error);
    else if (on_a_disk && fsync(fd) < 0)
        status = rk_failed(c, "fsync", errno);
    if (!status)
        return fd;
    close(fd);
    return status;
}

int rk_make_cold(struct rk_context *c, int fd)
{
    const int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return error ? rk_failed(c, "posix_fadvise", error) : 0;
}

int rk_run_has(const struct rk_context *c, int index, size_t size_bytes, char path[4096])
{
    struct stat about;
    const char *const folder = rk_location(c, "files");
    if (*rk_text(c, "dir") || !*folder)
        return 0;
    snprintf(path, 4096, "%s/data-%d", folder, index);
    return stat(path, &about) == 0 && (uint64_t)about.st_size >= size_bytes;
}

int rk_data(struct rk_context *c, int index, size_t size_bytes, int flags)
{
    char path[4096];
    int writable = -1;
    if (!rk_run_has(c, index, size_bytes, path)) {
        writable = rk_scratch(c, rk_scratch_dir(c), size_bytes, 1);
        if (writable < 0)
            return writable;
        snprintf(path, sizeof path, "/proc/self/fd/%d", writable);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | flags), error = errno;
    if (writable >= 0)
        close(writable);
    if (fd >= 0) {
        const int status = check_on_a_disk(c, fd, rk_scratch_dir(c));
        if (status)
            close(fd);
        return status ? status : fd;
    }
    if (error != EINVAL || !(flags & O_DIRECT))
        return rk_failed(c, "opening the file", error);
    return rk_unsupported(c, "the file system of %.64s refuses O_DIRECT", rk_scratch_dir(c));
}

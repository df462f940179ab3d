#include "probe/scratch.h"
#include "probe/trouble.h"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define BLOCK_WORDS 8192 /* one write of a scratch file: 64 KiB */

const char *rk_scratch_dir(const struct rk_context *c)
{
    const char *const folder = rk_text(c, "dir"), *const set = getenv("RECKON_SCRATCH");
    return *folder ? folder : set && *set ? set : "/var/tmp";
}

/* O_TMPFILE, or a file whose name is removed at once where the file system lacks it. */
static int unnamed(const char *dir)
{
    char path[4096];
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    snprintf(path, sizeof path, "%s/reckon-XXXXXX", dir);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int no_room(struct rk_context *c, const char *dir, size_t size_bytes)
{
    return trouble(c, EOPNOTSUPP, "%.64s has no room for a file of %zu MiB", dir, size_bytes >> 20);
}

/* 0 if the open file lies on a disk; memory is unsupported, because no read of it needs a disk. */
static int check_on_a_disk(struct rk_context *c, int fd, const char *dir)
{
    struct statfs about;
    if (fstatfs(fd, &about) < 0)
        return rk_failed(c, "fstatfs", errno);
    if ((uint32_t)about.f_type != TMPFS_MAGIC && (uint32_t)about.f_type != RAMFS_MAGIC)
        return 0;
    return trouble(c, EOPNOTSUPP, "%.64s lies in memory and not on a disk", dir);
}

/* 0 if a file of `size_bytes` may be created where `fd` lies, else a status with the reason set. */
static int check_room(struct rk_context *c, int fd, const char *dir, size_t size_bytes,
                      int on_a_disk)
{
    struct statfs about;
    struct rlimit most;
    const int status = on_a_disk ? check_on_a_disk(c, fd, dir) : 0;
    if (status)
        return status;
    if (fstatfs(fd, &about) < 0)
        return rk_failed(c, "fstatfs", errno);
    if (on_a_disk && (double)about.f_bavail * (double)about.f_bsize < 1.1 * (double)size_bytes)
        return no_room(c, dir, size_bytes);
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && size_bytes > most.rlim_cur)
        return trouble(c, EOPNOTSUPP, "a file of %zu MiB is more than the limit allows (ulimit -f)",
                       size_bytes >> 20); /* a write past the limit would end this process */
    return 0;
}

int rk_unnamed_with_room(struct rk_context *c, const char *dir, size_t size_bytes, int on_a_disk)
{
    const int fd = unnamed(dir);
    if (fd < 0)
        return trouble(c, EOPNOTSUPP, "no file can be made in %.64s: %s", dir, strerror(errno));
    const int status = check_room(c, fd, dir, size_bytes, on_a_disk);
    if (!status)
        return fd;
    close(fd);
    return status;
}

/* Writes `size_bytes` of a random sequence. 0 or an errno. */
static int fill(int fd, size_t size_bytes)
{
    uint64_t block[BLOCK_WORDS], word = rk_begin();
    for (size_t at = 0; at < size_bytes; at += sizeof block) {
        for (size_t i = 0; i < BLOCK_WORDS; i++) /* Knuth's MMIX generator */
            block[i] = word = word * 6364136223846793005u + 1442695040888963407u;
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
    const char *const folder = getenv("RECKON_FILES");
    if (*rk_text(c, "dir") || !folder || !*folder)
        return 0;
    snprintf(path, 4096, "%s/data-%d", folder, index);
    return stat(path, &about) == 0 && (uint64_t)about.st_size >= size_bytes;
}

int rk_data(struct rk_context *c, int index, size_t size_bytes, int flags)
{
    char path[4096];
    int made = -1;
    if (!rk_run_has(c, index, size_bytes, path)) {
        made = rk_scratch(c, rk_scratch_dir(c), size_bytes, 1);
        if (made < 0)
            return made;
        snprintf(path, sizeof path, "/proc/self/fd/%d", made);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | flags), error = errno;
    if (made >= 0)
        close(made);
    if (fd >= 0) {
        const int status = check_on_a_disk(c, fd, rk_scratch_dir(c));
        if (status)
            close(fd);
        return status ? status : fd;
    }
    if (error != EINVAL || !(flags & O_DIRECT))
        return rk_failed(c, "opening the file", error);
    return trouble(c, EOPNOTSUPP, "the file system of %.64s refuses O_DIRECT", rk_scratch_dir(c));
}

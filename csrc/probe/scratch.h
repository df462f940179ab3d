/* scratch.h: files on the disk that is measured, with real data. A row makes one that has no name
 * and so cannot be left behind, or reads one that was made for the whole run (reckon/scratch.py).
 */
#ifndef RK_SCRATCH_H
#define RK_SCRATCH_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "probe/probe.h"

#define RK_TMPFS 0x01021994
#define RK_RAMFS 0x858458f6
#define RK_DIR                                                                                     \
    RK_WORD("dir", "", "a folder on the disk that is measured; if empty, SCRATCH's or /var/tmp")
/* With `file_bytes` a row says that it reads `files` files (or one) of so many bytes;
 * reckon/measure.py has them made before. */
#define RK_FILE(preset_)                                                                           \
    RK_COUNT("file_bytes", preset_, 4096, (int64_t)1 << 42,                                        \
             "how much of a file of real data is read")

static inline const char *rk_scratch_dir(const struct rk_context *c)
{
    const char *const asked = rk_text(c, "dir"), *const set = getenv("RECKON_SCRATCH");
    return *asked ? asked : set && *set ? set : "/var/tmp";
}

/* O_TMPFILE, or a file whose name is removed at once where the file system has no such thing. */
static inline int rk_unnamed(const char *dir)
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

/* A status where what is open lies in memory, and so no read of it needs a disk. */
static inline int rk_on_a_disk(struct rk_context *c, int fd, const char *dir)
{
    char why[160];
    struct statfs about;
    if (fstatfs(fd, &about) < 0)
        return rk_failed(c, "fstatfs", errno);
    if ((uint32_t)about.f_type != RK_TMPFS && (uint32_t)about.f_type != RK_RAMFS)
        return 0;
    snprintf(why, sizeof why, "%.64s lies in memory and not on a disk", dir);
    return rk_cannot(c, why);
}

/* Whether a file of so many bytes may be made where `fd` lies; a status, with the reason set. */
static inline int rk_has_room(struct rk_context *c, int fd, const char *dir, size_t size_bytes,
                              int on_a_disk)
{
    char why[160];
    struct statfs about;
    struct rlimit most;
    const int status = on_a_disk ? rk_on_a_disk(c, fd, dir) : 0;
    if (status)
        return status;
    if (fstatfs(fd, &about) < 0)
        return rk_failed(c, "fstatfs", errno);
    if (on_a_disk && (double)about.f_bavail * (double)about.f_bsize < 1.1 * (double)size_bytes)
        snprintf(why, sizeof why, "%.64s has no room for a file of %zu MiB", dir, size_bytes >> 20);
    else if (getrlimit(RLIMIT_FSIZE, &most) == 0 && size_bytes > most.rlim_cur)
        snprintf(why, sizeof why, "a file of %zu MiB is more than the limit allows (ulimit -f)",
                 size_bytes >> 20); /* a write past it would end this process */
    else
        return 0;
    return rk_cannot(c, why);
}

/* rk_unnamed(), where such a file may be made. Returns it, or a status. */
static inline int rk_unnamed_with_room(struct rk_context *c, const char *dir, size_t size_bytes,
                                       int on_a_disk)
{
    char why[160];
    const int fd = rk_unnamed(dir);
    if (fd < 0) {
        snprintf(why, sizeof why, "no file can be made in %.64s: %s", dir, strerror(errno));
        return rk_cannot(c, why);
    }
    const int status = rk_has_room(c, fd, dir, size_bytes, on_a_disk);
    if (!status)
        return fd;
    close(fd);
    return status;
}

/* Written with pages that differ, and put on the disk: holes and unwritten extents are read without
 * it. Returns the file, or a status. */
static inline int rk_scratch(struct rk_context *c, const char *dir, size_t size_bytes,
                             int on_a_disk)
{
    char why[160];
    uint64_t block[8192]; /* 64 KiB */
    const int fd = rk_unnamed_with_room(c, dir, size_bytes, on_a_disk);
    if (fd < 0)
        return fd;
    uint64_t word = rk_begin();
    for (size_t at = 0; at < size_bytes; at += sizeof block) {
        for (size_t i = 0; i < sizeof block / sizeof *block; i++)
            block[i] = word = word * 6364136223846793005u + 1442695040888963407u;
        const size_t part = size_bytes - at < sizeof block ? size_bytes - at : sizeof block;
        errno = 0; /* a write that is cut short sets none */
        if (write(fd, block, part) != (ssize_t)part) {
            const int error = errno ? errno : ENOSPC;
            close(fd);
            if (error != ENOSPC && error != EDQUOT)
                return rk_failed(c, "writing the file", error);
            snprintf(why, sizeof why, "%.64s has no room for a file of %zu MiB", dir,
                     size_bytes >> 20);
            return rk_cannot(c, why);
        }
    }
    if (on_a_disk && fsync(fd) < 0) {
        const int error = errno;
        close(fd);
        return rk_failed(c, "fsync", error);
    }
    return fd;
}

/* Takes the file's pages out of the page cache; they are clean after fsync, so no right is needed
 * (posix_fadvise(2)). */
static inline int rk_make_cold(struct rk_context *c, int fd)
{
    const int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return error ? rk_failed(c, "posix_fadvise", error) : 0;
}

/* Whether the run has a file number `index` of at least so many bytes; then its path. A folder that
 * the caller names has none. */
static inline int rk_run_has(const struct rk_context *c, int index, size_t size_bytes,
                             char path[4096])
{
    struct stat about;
    const char *const folder = getenv("RECKON_FILES");
    if (*rk_text(c, "dir") || !folder || !*folder)
        return 0;
    snprintf(path, 4096, "%s/data-%d", folder, index);
    return stat(path, &about) == 0 && (uint64_t)about.st_size >= size_bytes;
}

/* Opens, to be read and with `flags`, the run's file number `index` or, where the run has none so
 * large, one that is made for this row alone. Returns the file or a status. */
static inline int rk_data(struct rk_context *c, int index, size_t size_bytes, int flags)
{
    char path[4096], why[160];
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
        const int status = rk_on_a_disk(c, fd, rk_scratch_dir(c));
        if (status)
            close(fd);
        return status ? status : fd;
    }
    if (error != EINVAL || !(flags & O_DIRECT))
        return rk_failed(c, "opening the file", error);
    snprintf(why, sizeof why, "the file system of %.64s refuses O_DIRECT", rk_scratch_dir(c));
    return rk_cannot(c, why);
}

#endif

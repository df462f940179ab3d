/* blocks.h: a file that is read block by block; every read is checked. */
#ifndef RK_BLOCKS_H
#define RK_BLOCKS_H

#include <linux/stat.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "probe/order.h"
#include "probe/region.h"
#include "probe/scratch.h"
#include "probe/trouble.h"

#define RK_BLOCK(preset_) RK_COUNT("block_bytes", preset_, 512, 1 << 26, "one read")

/* The blocks of an open file, in an order, and a buffer for one of them. */
struct rk_blocks {
    int fd;
    char *buffer; /* aligned for O_DIRECT */
    size_t block_bytes;
    uint32_t count, *order;
};

static inline void rk_blocks_close(struct rk_blocks *b)
{
    if (b->fd >= 0)
        close(b->fd);
    free(b->buffer);
    free(b->order);
    *b = (struct rk_blocks){.fd = -1};
}

/* What offset and length of a direct read must be multiples of (statx(2), Linux 6.1), or 0 where
 * the kernel does not say. */
static inline uint32_t rk_direct_align(int fd)
{
#ifdef STATX_DIOALIGN
    struct statx about;
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &about) == 0 &&
        about.stx_mask & STATX_DIOALIGN)
        return about.stx_dio_offset_align;
#endif
    (void)fd;
    return 0;
}

/* Opens the first `file_bytes` of file `index` as whole blocks in rising order. `flags` as
 * O_DIRECT; without it the file is out of the page cache when this returns. On failure nothing is
 * left open. */
static inline int rk_blocks_open(struct rk_context *c, struct rk_blocks *b, int index,
                                 size_t file_bytes, size_t block_bytes, int flags)
{
    char why[160];
    *b = (struct rk_blocks){.fd = -1, .block_bytes = block_bytes};
    if (file_bytes / block_bytes < 1 || file_bytes / block_bytes > UINT32_MAX)
        return rk_cannot(c,
                         "the file must have at least one block, and no more than can be counted");
    b->count = (uint32_t)(file_bytes / block_bytes);
    b->fd = rk_data(c, index, file_bytes, flags);
    if (b->fd < 0)
        return b->fd;
    int status = flags & O_DIRECT ? 0 : rk_make_cold(c, b->fd);
    const uint32_t align = flags & O_DIRECT ? rk_direct_align(b->fd) : 1;
    if (!status && align && block_bytes % align) {
        snprintf(why, sizeof why, "O_DIRECT reads multiples of %u bytes here, not %zu", align,
                 block_bytes);
        status = rk_cannot(c, why);
    }
    b->order = malloc(b->count * sizeof *b->order);
    if (!status && (!b->order || posix_memalign((void **)&b->buffer, rk_small_page(), block_bytes)))
        status = rk_failed(c, "malloc", ENOMEM);
    if (status) {
        rk_blocks_close(b);
        return status;
    }
    rising_order(b->order, b->count);
    memset(b->buffer, 1, block_bytes); /* its pages are there before anything is timed */
    return 0;
}

/* How much of the file lies in the page cache (mincore(2)); -1 where that is not known. */
static inline double rk_cached_share(int fd, size_t size_bytes)
{
    const size_t page = rk_small_page(), pages = (size_bytes + page - 1) / page;
    unsigned char *const there = malloc(pages);
    void *const start = there ? mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    size_t count = 0;
    int known = start != MAP_FAILED && mincore(start, size_bytes, there) == 0;
    for (size_t i = 0; known && i < pages; i++)
        count += there[i] & 1;
    if (start != MAP_FAILED)
        munmap(start, size_bytes);
    free(there);
    return known ? (double)count / (double)pages : -1;
}

static inline size_t rk_blocks_bytes(const struct rk_blocks *b)
{
    return b->count * b->block_bytes;
}

/* How often, and after how long each time, a file is to be forgotten again. */
#define COLD_TRIES 10
#define COLD_PAUSE_NS 20000000

/* The advice to forget a file may be ignored, as where another process has mapped it; what is read
 * then is no disk. What an earlier process's readahead is still filling escapes it too, but not for
 * long (posix_fadvise(2): pages under way are left), so it is given again. */
static inline int rk_is_cold(struct rk_context *c, const struct rk_blocks *b)
{
    char why[128];
    const struct timespec pause = {0, COLD_PAUSE_NS};
    double share = rk_cached_share(b->fd, rk_blocks_bytes(b));
    for (int i = 0; i < COLD_TRIES && share >= 0.01; i++) {
        nanosleep(&pause, NULL);
        const int status = rk_make_cold(c, b->fd);
        if (status)
            return status;
        share = rk_cached_share(b->fd, rk_blocks_bytes(b));
    }
    if (share >= 0 && share < 0.01)
        return 0;
    if (share < 0)
        return rk_cannot(c,
                         "the kernel does not say what the page cache holds of the file (mincore)");
    snprintf(why, sizeof why,
             "%.0f %% of the file stays in the page cache, so that part of it would be read "
             "without the disk",
             100 * share);
    return rk_cannot(c, why);
}

/* Out of the page cache, and really so. */
static inline int rk_blocks_cold(struct rk_context *c, const struct rk_blocks *b)
{
    const int status = rk_make_cold(c, b->fd);
    return status ? status : rk_is_cold(c, b);
}

/* Reads one block; a negative error where not all of it came. ENODATA: the file is too short. */
static inline int rk_read_block(const struct rk_blocks *b, uint32_t block)
{
    const ssize_t got = pread(b->fd, b->buffer, b->block_bytes, (off_t)(block * b->block_bytes));
    return got == (ssize_t)b->block_bytes ? 0 : got < 0 ? -errno : -ENODATA;
}

/* The reports' way: the block that comes next. As rk_read_block(). */
static inline int rk_read_next(const struct rk_blocks *b)
{
    const ssize_t got = read(b->fd, b->buffer, b->block_bytes);
    return got == (ssize_t)b->block_bytes ? 0 : got < 0 ? -errno : -ENODATA;
}

/* Moves to a block, from where rk_read_next() goes on. */
static inline int rk_seek(const struct rk_blocks *b, uint32_t block)
{
    const off_t place = (off_t)(block * b->block_bytes);
    return lseek(b->fd, place, SEEK_SET) == place ? 0 : -errno;
}

static inline int rk_seek_and_read(const struct rk_blocks *b, uint32_t block)
{
    const int status = rk_seek(b, block);
    return status ? status : rk_read_next(b);
}

/* What a read that went wrong means for the row. */
static inline int rk_read_trouble(struct rk_context *c, int status)
{
    if (status == -ENODATA)
        return trouble(c, EIO, "the file became shorter while it was read");
    if (status == -EINVAL)
        return rk_cannot(
            c, "the file system refuses this read, as one that is not aligned for O_DIRECT");
    return rk_failed(c, "reading the file", -status);
}

#endif

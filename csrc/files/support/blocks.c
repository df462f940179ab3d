#include "files/support/blocks.h"

#include <linux/stat.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* How often and at what interval the advice to drop a file is repeated. */
#define COLD_TRIES 10
#define COLD_PAUSE_NS 20000000
#define COLD_SHARE 0.01 /* of a file may still be in the page cache: a page of readahead or two */

size_t rk_file_bytes(const struct rk_context *c)
{
    return (size_t)rk_integer(c, "file_bytes");
}

size_t rk_block_bytes(const struct rk_context *c)
{
    return (size_t)rk_integer(c, "block_bytes");
}

void rk_blocks_close(struct rk_blocks *b)
{
    if (b->buffer && b->fd >= 0) /* without a buffer nothing was opened */
        close(b->fd);
    free(b->buffer);
    free(b->order);
    *b = (struct rk_blocks){.fd = -1};
}

/* The alignment of a direct read's offset and length (statx(2), Linux 6.1); 0 where the kernel does
 * not report it. */
static uint32_t direct_align(int fd)
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

static int check_count(struct rk_context *c, size_t file_bytes, size_t block_bytes)
{
    const size_t count = file_bytes / block_bytes;
    if (count >= 1 && count <= UINT32_MAX)
        return 0;
    return rk_unsupported(c,
                          "the file must have at least one block, and no more than can be counted");
}

int rk_blocks_allocate(struct rk_context *c, struct rk_blocks *b, int fd, size_t file_bytes,
                       size_t block_bytes)
{
    *b = (struct rk_blocks){.fd = fd, .block_bytes = block_bytes};
    int status = check_count(c, file_bytes, block_bytes);
    if (!status) {
        b->count = (uint32_t)(file_bytes / block_bytes);
        b->order = malloc(b->count * sizeof *b->order);
        b->buffer =
            b->order ? aligned_alloc(rk_small_page(), rk_whole_pages(block_bytes, 0)) : NULL;
        status = b->buffer ? 0 : rk_failed(c, "malloc", ENOMEM);
    }
    if (status) {
        if (fd >= 0)
            close(fd);
        rk_blocks_close(b);
        return status;
    }
    rk_rising_order(b->order, b->count);
    memset(b->buffer, 1, block_bytes); /* so that no timed read has a page fault */
    return 0;
}

/* 0 if direct reads of that block size are aligned, else a status. */
static int check_alignment(struct rk_context *c, const struct rk_blocks *b)
{
    const uint32_t align = direct_align(b->fd);
    if (!align || b->block_bytes % align == 0)
        return 0;
    return rk_unsupported(c, "O_DIRECT reads multiples of %u bytes here, not %zu", align,
                          b->block_bytes);
}

int rk_blocks_open(struct rk_context *c, struct rk_blocks *b, int index, size_t block_bytes,
                   int flags)
{
    const size_t file_bytes = rk_file_bytes(c);
    int status = check_count(c, file_bytes, block_bytes);
    const int fd = status ? status : rk_data(c, index, file_bytes, flags);
    *b = (struct rk_blocks){.fd = -1};
    status = fd < 0 ? fd : rk_blocks_allocate(c, b, fd, file_bytes, block_bytes);
    if (status)
        return status;
    status = flags & O_DIRECT ? check_alignment(c, b) : rk_make_cold(c, fd);
    if (status)
        rk_blocks_close(b);
    return status;
}

int rk_blocks_open_unwritten(struct rk_context *c, struct rk_blocks *b, size_t block_bytes,
                             int flags)
{
    const size_t file_bytes = (size_t)rk_integer(c, "size_bytes");
    char path[64];
    int status = 0, fd = -1;
    const char *const dir = rk_scratch_dir(c);
    *b = (struct rk_blocks){.fd = -1};
    const int writable = rk_unnamed_with_room(c, dir, file_bytes, 1);
    if (writable < 0)
        return writable;
    snprintf(path, sizeof path, "/proc/self/fd/%d", writable);
    if (fallocate(writable, 0, 0, (off_t)file_bytes) < 0)
        status = rk_unsupported(c, "no file can be allocated in %.64s: %s", dir, strerror(errno));
    else if ((fd = open(path, O_RDONLY | O_CLOEXEC | flags)) < 0)
        status = errno == EINVAL ? rk_unsupported(c, "the file system refuses O_DIRECT")
                                 : rk_failed(c, "opening the file", errno);
    close(writable);
    return status ? status : rk_blocks_allocate(c, b, fd, file_bytes, block_bytes);
}

int rk_open_direct(struct rk_context *c)
{
    return rk_blocks_open(c, rk_state(c), 0, rk_block_bytes(c), O_DIRECT);
}

int rk_open_buffered(struct rk_context *c)
{
    const int status = rk_blocks_open(c, rk_state(c), 0, rk_block_bytes(c), 0);
    return status ? status : rk_require_cold(c, rk_state(c));
}

int rk_close_blocks(struct rk_context *c)
{
    rk_blocks_close(rk_state(c));
    return 0;
}

int rk_open_file(struct rk_context *c, int flags)
{
    int *const fd = rk_state(c);
    *fd = rk_data(c, 0, rk_file_bytes(c), flags);
    return *fd < 0 ? *fd : 0;
}

int rk_close_file(struct rk_context *c)
{
    const int fd = *(const int *)rk_state(c);
    if (fd >= 0)
        close(fd);
    return 0;
}

void rk_blocks_shuffle(struct rk_blocks *b)
{
    uint64_t state = rk_begin();
    rk_shuffle(b->order, b->count, &state);
}

double rk_cached_share(int fd, size_t size_bytes)
{
    const size_t pages = rk_whole_pages(size_bytes, 0) / rk_small_page();
    unsigned char *const resident = malloc(pages);
    void *const start =
        resident ? mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    size_t count = 0;
    int known = start != MAP_FAILED && mincore(start, size_bytes, resident) == 0;
    for (size_t i = 0; known && i < pages; i++)
        count += resident[i] & 1;
    if (start != MAP_FAILED)
        munmap(start, size_bytes);
    free(resident);
    return known ? (double)count / (double)pages : -1;
}

int rk_require_cold(struct rk_context *c, const struct rk_blocks *b)
{
    const struct timespec pause = {0, COLD_PAUSE_NS};
    double share = rk_cached_share(b->fd, rk_blocks_bytes(b));
    for (int i = 0; i < COLD_TRIES && share >= COLD_SHARE; i++) {
        nanosleep(&pause, NULL);
        const int status = rk_make_cold(c, b->fd);
        if (status)
            return status;
        share = rk_cached_share(b->fd, rk_blocks_bytes(b));
    }
    if (share >= 0 && share < COLD_SHARE)
        return 0;
    if (share < 0)
        return rk_unsupported(c, "the kernel does not report what the page cache holds of the file "
                                 "(mincore)");
    return rk_unsupported(c,
                          "%.0f %% of the file stays in the page cache, so that part of it would "
                          "be read without the disk",
                          100 * share);
}

int rk_blocks_cold(struct rk_context *c, const struct rk_blocks *b)
{
    const int status = rk_make_cold(c, b->fd);
    return status ? status : rk_require_cold(c, b);
}

int rk_read_failed(struct rk_context *c, int status)
{
    if (status == -ENODATA)
        return rk_error(c, EIO, "the file became shorter while it was read");
    if (status == -EINVAL)
        return rk_unsupported(c, "the file system refuses this read, as one that is not aligned "
                                 "for O_DIRECT");
    return rk_failed(c, "reading the file", -status);
}

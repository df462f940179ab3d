/* blocks.h: a file that is read block by block; every read is checked. */
#ifndef RK_BLOCKS_H
#define RK_BLOCKS_H

#include "probe/children.h"
#include "probe/order.h"
#include "probe/region.h"
#include "probe/scratch.h"

#define RK_BLOCK(default_) RK_INTEGER("block_bytes", default_, 512, 1 << 26, "one read")

/* The blocks of an open file, in an order, and a buffer for one of them. */
struct rk_blocks {
    int fd;
    char *buffer; /* aligned for O_DIRECT */
    size_t block_bytes;
    uint32_t count, *order;
};

/* Safe for blocks that are zeroed or closed. */
void rk_blocks_close(struct rk_blocks *);

/* The rising order and the buffer for an open file, or for none (-1). A failure closes the file. */
int rk_blocks_allocate(struct rk_context *, struct rk_blocks *, int fd, size_t file_bytes,
                       size_t block_bytes);

/* Opens the first "file_bytes" of file `index` as whole blocks in rising order. Without O_DIRECT in
 * `flags` the page cache is advised to drop the file. On failure nothing stays open. */
int rk_blocks_open(struct rk_context *, struct rk_blocks *, int index, size_t block_bytes,
                   int flags);

/* The same for a file of "size_bytes" as fallocate() leaves it: it has its blocks on the disk, and
 * nothing was ever written to them. */
int rk_blocks_open_unwritten(struct rk_context *, struct rk_blocks *, size_t block_bytes,
                             int flags);

/* For a probe whose state is a struct rk_blocks: the file past the page cache, or through a page
 * cache that holds nothing of it; and its end. */
int rk_open_direct(struct rk_context *);
int rk_open_buffered(struct rk_context *);
int rk_close_blocks(struct rk_context *);

/* For a probe whose state begins with an int: the descriptor of a file of "file_bytes". */
int rk_open_file(struct rk_context *, int flags);
int rk_close_file(struct rk_context *);

/* The parameters of these names. */
size_t rk_file_bytes(const struct rk_context *);
size_t rk_block_bytes(const struct rk_context *);

/* As many blocks as `requested`, or all that there are. Inline, as is rk_blocks_bytes(): a call
 * would have the timed loops read the fields from memory. */
static inline uint32_t rk_at_most(int64_t requested, const struct rk_blocks *b)
{
    return requested < b->count ? (uint32_t)requested : b->count;
}

/* Puts the blocks into another random order. */
void rk_blocks_shuffle(struct rk_blocks *);

/* The share of the file that lies in the page cache (mincore(2)); -1 where that is not known. */
double rk_cached_share(int fd, size_t size_bytes);

static inline size_t rk_blocks_bytes(const struct rk_blocks *b)
{
    return b->count * b->block_bytes;
}

/* 0 once the page cache holds nothing of the file, else a status. The kernel may ignore the advice
 * to drop a file, for example where another process has mapped it, and its reads then need no disk.
 * Pages that an earlier readahead still fills stay for a moment (posix_fadvise(2)), so this repeats
 * the advice. */
int rk_require_cold(struct rk_context *, const struct rk_blocks *);

/* Advises the kernel to drop the file, then requires that it has. */
int rk_blocks_cold(struct rk_context *, const struct rk_blocks *);

/* Reads one block. 0, or a negative error where not all of it was read; -ENODATA: the file is too
 * short. */
static inline int rk_read_block(const struct rk_blocks *b, uint32_t block)
{
    const ssize_t got = pread(b->fd, b->buffer, b->block_bytes, (off_t)(block * b->block_bytes));
    return got == (ssize_t)b->block_bytes ? 0 : got < 0 ? -errno : -ENODATA;
}

/* Reads `blocks` blocks one after the other from block `first` on, until one fails. */
static inline int rk_read_span(const struct rk_blocks *b, uint32_t first, uint32_t blocks)
{
    int status = 0;
    for (uint32_t i = 0; i < blocks && !status; i++)
        status = rk_read_block(b, first + i);
    return status;
}

/* Reads the next block, as the reports do. Returns what rk_read_block() does. */
static inline int rk_read_next(const struct rk_blocks *b)
{
    const ssize_t got = read(b->fd, b->buffer, b->block_bytes);
    return got == (ssize_t)b->block_bytes ? 0 : got < 0 ? -errno : -ENODATA;
}

/* Moves to a block, where rk_read_next() continues. */
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

/* The probe's status, with its reason, for what rk_read_block() returned. */
int rk_read_failed(struct rk_context *, int status);

#endif

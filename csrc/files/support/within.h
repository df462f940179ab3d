/* within.h: reading a file within a memory limit, so that the page cache has a known size. */
#ifndef RK_WITHIN_H
#define RK_WITHIN_H

#include "files/support/blocks.h"
#include "files/support/group.h"

#define RK_OF_ITS_OWN                                                                              \
    (-1) /* a file that no run has: exactly as long as it is read, and this probe's alone */
#define RK_WIDE_BYTES ((size_t)1 << 20)

/* What a reader needs; it fills the samples and returns 0 or -errno, and asks for no parameters. */
struct rk_reader {
    struct rk_blocks blocks;
    const struct rk_group *group; /* NULL: in no group of its own */
    char *wide;                   /* RK_WIDE_BYTES that the reader's group is not charged for */
    int64_t passes;
    struct rk_sample *samples;
    size_t n;
};

/* Every block once, in rising order. */
static inline int rk_read_all(const struct rk_reader *r)
{
    int status = 0;
    for (uint32_t i = 0; i < r->blocks.count && !status; i++)
        status = rk_read_block(&r->blocks, i);
    return status;
}

/* The same in wide reads. With the advice that reads are random, the kernel reads what is
 * requested and nothing ahead of it: past the end of what is measured, that would take room in the
 * cache. */
int rk_read_wide(const struct rk_reader *r);

int rk_close_reader(struct rk_context *);

/* The file, on a disk and out of the page cache: pages that others are charged for would never
 * count against the limit. */
int rk_open_cold(struct rk_context *c, struct rk_reader *r, int index, size_t block_bytes);

/* Opens file number `index` as blocks of `block_bytes`; the state is a struct rk_reader. */
int rk_open_within(struct rk_context *, int index, size_t block_bytes, int64_t passes);

/* n samples by `reading` in a child, in a group limited to `limit_bytes`; the file is cold before
 * and after. */
int rk_read_within(struct rk_context *, struct rk_sample *out, size_t n,
                   int (*reading)(struct rk_reader *));

#endif

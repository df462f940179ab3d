/* limited_reader.h: a process that reads a file in a control group with a memory limit, so that the
 * page cache has a known size. */
#ifndef RK_LIMITED_READER_H
#define RK_LIMITED_READER_H

#include "files/support/blocks.h"
#include "files/support/group.h"

/* No file of the run, but one of this probe alone, exactly as long as is read. */
#define RK_OWN_FILE (-1)
#define RK_WIDE_BYTES ((size_t)1 << 20)

/* What a reader needs: it fills the samples and returns 0 or -errno, and reads no parameter. */
struct rk_reader {
    struct rk_blocks blocks;
    const struct rk_group *group; /* NULL: none of its own */
    char *wide;                   /* RK_WIDE_BYTES that the reader's group is not charged for */
    int64_t passes;
    struct rk_sample *samples;
    size_t n;
};

/* A probe's variant: how it reads. */
struct rk_reading {
    int (*read)(struct rk_reader *);
    int index;          /* of a file of the run, or RK_OWN_FILE */
    size_t block_bytes; /* 0: the parameter "block_bytes" */
    int has_passes;     /* the parameter "passes" */
};

/* Every block once, in rising order. */
static inline int rk_read_all(const struct rk_reader *r)
{
    int status = 0;
    for (uint32_t i = 0; i < r->blocks.count && !status; i++)
        status = rk_read_block(&r->blocks, i);
    return status;
}

/* The same in wide reads. With the advice that reads are random, the kernel reads nothing ahead,
 * which past the end of what is measured would take room in the cache. */
int rk_read_wide(const struct rk_reader *r);

int rk_close_reader(struct rk_context *);

/* Opens the file, on a disk and out of the page cache: pages that another group is charged for
 * would never count against the limit. */
int rk_open_cold(struct rk_context *c, int index, size_t block_bytes, int64_t passes);

/* The same, where the limit fits into memory. */
int rk_open_limited(struct rk_context *, int index, size_t block_bytes, int64_t passes);

/* The same, as the variant says. */
int rk_open_reader(struct rk_context *);

/* n samples by the variant's `read` in a child, in a group limited to `limit_bytes`; the file is
 * cold before and after. */
int rk_run_reader(struct rk_context *, struct rk_sample *out, size_t n);

/* The fields of a probe that reads in a control group; the rest is its struct rk_reading. */
#define RK_LIMITED_READER(open_, ...)                                                              \
    RK_STAGES(struct rk_reader, open_, rk_run_reader, rk_close_reader),                            \
        RK_VARIANT(struct rk_reading, __VA_ARGS__)

#endif

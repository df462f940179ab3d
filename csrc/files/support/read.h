/* read.h: what the rows of files/read share: their file, and whether the page cache has it. */
#ifndef RK_READ_H
#define RK_READ_H

#include "files/support/blocks.h"

/* The row's file as blocks; `flags` as O_DIRECT, without which it is cold. */
int rk_open_blocks(struct rk_context *c, struct rk_blocks *b, int flags);

/* As many blocks one after the other, from this one on; the first error ends it. */
static inline int rk_read_span(const struct rk_blocks *b, uint32_t first, uint32_t blocks)
{
    int status = 0;
    for (uint32_t i = 0; i < blocks && !status; i++)
        status = rk_read_block(b, first + i);
    return status;
}

#endif

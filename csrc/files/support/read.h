/* read.h: the file of the probes of files/read; their state is its struct rk_blocks. */
#ifndef RK_READ_H
#define RK_READ_H

#include "files/support/blocks.h"

/* Past the page cache. */
int rk_open_direct(struct rk_context *c);
/* Through the page cache, which holds nothing of the file. */
int rk_open_buffered(struct rk_context *c);
int rk_close_blocks(struct rk_context *c);

/* Reads `blocks` blocks one after the other from block `first` on, until one fails. */
static inline int rk_read_span(const struct rk_blocks *b, uint32_t first, uint32_t blocks)
{
    int status = 0;
    for (uint32_t i = 0; i < blocks && !status; i++)
        status = rk_read_block(b, first + i);
    return status;
}

#endif

#include "files/support/read.h"

static int open_blocks(struct rk_context *c, int flags)
{
    return rk_blocks_open(c, rk_state(c), 0, (size_t)rk_integer(c, "file_bytes"),
                          (size_t)rk_integer(c, "block_bytes"), flags);
}

int rk_open_direct(struct rk_context *c)
{
    return open_blocks(c, O_DIRECT);
}

int rk_open_buffered(struct rk_context *c)
{
    const int status = open_blocks(c, 0);
    return status ? status : rk_is_cold(c, rk_state(c));
}

int rk_close_blocks(struct rk_context *c)
{
    rk_blocks_close(rk_state(c));
    return 0;
}

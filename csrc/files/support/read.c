#include "files/support/read.h"

int rk_open_blocks(struct rk_context *c, struct rk_blocks *b, int flags)
{
    const int status = rk_blocks_open(c, b, 0, (size_t)rk_integer(c, "file_bytes"),
                                      (size_t)rk_integer(c, "block_bytes"), flags);
    return status || flags & O_DIRECT ? status : rk_is_cold(c, b);
}

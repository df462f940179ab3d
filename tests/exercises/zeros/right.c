/* exercises/zeros: what a read of bytes costs that no disk has to deliver.
 *
 * /dev/zero fills the buffer with zeros, so a read is a system call and a memset in the kernel.
 * Time `calls` reads of `size_bytes` each in a trial; `ops` counts calls. A read that returns fewer
 * bytes fails the probe. Compare csrc/cpu/syscall.c; `make exercise NAME=zeros` checks this file.
 */
#include <fcntl.h>
#include <unistd.h>

#include "probe/probe.h"

#define SIZE_MAX_BYTES (1 << 20)

struct zeros {
    int file; /* /dev/zero */
    char buffer[SIZE_MAX_BYTES];
};

static int open_zeros(struct rk_context *c)
{
    struct zeros *const state = rk_state(c);
    state->file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    return state->file < 0 ? rk_failed(c, "open /dev/zero", errno) : 0;
}

static int time_zeros(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct zeros *const state = rk_state(c);
    const ssize_t size = rk_integer(c, "size_bytes");
    int bad = 0;
    RK_TIME_TRIALS(out, n, rk_integer(c, "calls"),
                   bad |= read(state->file, state->buffer, (size_t)size) != size);
    return bad ? rk_error(c, EIO, "a read returned fewer bytes") : 0;
}

static int close_zeros(struct rk_context *c)
{
    const struct zeros *const state = rk_state(c);
    return state->file >= 0 && close(state->file) ? rk_failed(c, "close", errno) : 0;
}

RK_PROBE("exercises/zeros", .op = "call", .timed = "calls x read(/dev/zero) of size_bytes",
         .params = RK_PARAMS(RK_INTEGER("calls", 1000, 1, 1000000, "calls a trial"),
                             RK_INTEGER("size_bytes", 1, 1, SIZE_MAX_BYTES, "bytes a call")),
         RK_STAGES(struct zeros, open_zeros, time_zeros, close_zeros));

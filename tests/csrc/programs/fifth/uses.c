#include "fifth/support/outer.h"
#include "probe/probe.h"
static int trials(struct rk_context *c, struct rk_sample *out, size_t n)
{
    RK_TIME_TRIALS(out, n, 1, fifth_outer());
    return c ? 0 : -EINVAL;
}
RK_PROBE("fifth/uses/it", .op = "call", .timed = "it", .trials = trials);

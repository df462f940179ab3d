/* power/spin: how long a CPU that waits spins. */
#include "probe/probe.h"

static int time_spins(struct rk_context *c, struct rk_sample *out, size_t n)
{
    RK_TIME_TRIALS(out, n, rk_integer(c, "spins"), rk_pause());
    return 0;
}

RK_PROBE("power/spin/pause", .op = "spin", .timed = "spins x PAUSE",
         .params = RK_PARAMS(RK_INTEGER("spins", 1000, 1, 1000000, "spins a trial")),
         .trials = time_spins);

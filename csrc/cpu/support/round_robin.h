/* round_robin.h: hpe_i7_860 ran these of its rows under `chrt -rr 99`. */
#ifndef RK_ROUND_ROBIN_H
#define RK_ROUND_ROBIN_H

#include <sched.h>

#include "probe/stamps.h"

static inline int under_round_robin(struct rk_context *c, struct rk_sample *out, size_t n,
                                    int (*run)(struct rk_context *, struct rk_sample *, size_t))
{
    const struct sched_param most = {.sched_priority = 99};
    const int policy = sched_getscheduler(0);
    struct sched_param before;
    sched_getparam(0, &before);
    if (sched_setscheduler(0, SCHED_RR, &most) < 0)
        return rk_cannot(c,
                         "SCHED_RR needs root, CAP_SYS_NICE or a limit that allows it (ulimit -r)");
    const int status = run(c, out, n);
    sched_setscheduler(0, policy, &before);
    return status;
}

#define UNDER_ROUND_ROBIN(function, run)                                                           \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        return under_round_robin(c, out, n, run);                                                  \
    }

#endif

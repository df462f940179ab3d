/* round_robin.h: hpe_i7_860 ran some of its probes under `chrt -rr 99`. */
#ifndef RK_ROUND_ROBIN_H
#define RK_ROUND_ROBIN_H

#include <sched.h>

#include "probe/probe.h"

/* The state of such a probe: how it was scheduled before. */
struct scheduling {
    int raised, policy;
    struct sched_param param;
};

int open_round_robin(struct rk_context *);
int close_round_robin(struct rk_context *);

#endif

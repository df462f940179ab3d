/* idle.h: CPUs kept out of their deeper idle states, from which waking takes up to hundreds of
 * microseconds: the kernel leaves them alone while this file is held open with a 0 written to it
 * (Documentation/admin-guide/pm/cpuidle.rst). */
#ifndef RK_IDLE_H
#define RK_IDLE_H

#include "probe/probe.h"

#define RK_HOLD_IDLE                                                                               \
    RK_INTEGER("hold_idle", 0, 0, 1,                                                               \
               "1: CPUs are kept out of idle states (/dev/cpu_dma_latency at 0)")

/* *fd keeps them awake until it is closed; -1 if that is not wanted. 0, or a status with the reason
 * set and *fd -1. */
int rk_keep_cpus_awake(struct rk_context *, int wanted, int *fd);

#endif

/* idle.h: CPUs kept out of their deeper idle states, from which waking takes up to hundreds of
 * microseconds: the kernel leaves them alone while this file is held open with a 0 written to it
 * (Documentation/admin-guide/pm/cpuidle.rst). */
#ifndef RK_IDLE_H
#define RK_IDLE_H

#include <fcntl.h>
#include <unistd.h>

#include "probe/probe.h"

#define RK_HOLD_IDLE                                                                               \
    RK_COUNT("hold_idle", 0, 0, 1,                                                                 \
             "1: CPUs are kept out of idle states (/dev/cpu_dma_latency at 0)")

/* *fd holds them until it is closed; -1 where nothing is to be held. */
static inline int idle_hold(struct rk_context *c, int wanted, int *fd)
{
    const int32_t latency_us = 0;
    *fd = -1;
    if (!wanted)
        return 0;
    *fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (*fd >= 0 && write(*fd, &latency_us, sizeof latency_us) == sizeof latency_us)
        return 0;
    const int error = *fd < 0 || errno ? errno : EIO;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    if (error == EACCES || error == EPERM)
        return rk_cannot(c,
                         "hold_idle needs the right to write to /dev/cpu_dma_latency, which root "
                         "has");
    if (error == ENOENT || error == ENXIO || error == ENODEV)
        return rk_cannot(c, "hold_idle needs /dev/cpu_dma_latency, which is not there");
    return rk_failed(c, "/dev/cpu_dma_latency", error);
}

#endif

#include "probe/idle.h"

#include <fcntl.h>
#include <unistd.h>

int rk_keep_cpus_awake(struct rk_context *c, int wanted, int *fd)
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
        return rk_unsupported(c, "hold_idle needs the right to write to /dev/cpu_dma_latency, "
                                 "which root has");
    if (error == ENOENT || error == ENXIO || error == ENODEV)
        return rk_unsupported(c, "hold_idle needs /dev/cpu_dma_latency, which is not there");
    return rk_failed(c, "/dev/cpu_dma_latency", error);
}

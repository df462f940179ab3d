/* rtt_wire.h: round trips by the kernel's time stamps of captured packets, for network/rtt. The
 * samples' ticks are ns. */
#ifndef RK_RTT_WIRE_H
#define RK_RTT_WIRE_H

#include "network/support/capture.h"
#include "network/support/rtt.h"

/* n messages there and back: from the first segment out to the first in. 0 or -errno. */
int time_wire(const struct trip *, struct capture *, struct rk_sample *out, size_t n, char *buffer,
              size_t size);
/* Sends a byte every `interval_us` until n segments have left and are acknowledged. 0 or -errno. */
int time_acknowledgements(const struct trip *, struct capture *, struct rk_sample *out, size_t n,
                          int64_t interval_us);
/* 0, or why one of the two failed. */
int capture_failed(struct rk_context *, int status);

#endif

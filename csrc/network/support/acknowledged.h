/* acknowledged.h: how much of a stream its receiver had acknowledged at which time, from a capture
 * of its acknowledgements on the sender's side; for network/throughput.
 *
 * An acknowledgement covers all bytes before it, so one that the capture lost only makes the steps
 * of the count larger: the next one covers its bytes. */
#ifndef RK_ACKNOWLEDGED_H
#define RK_ACKNOWLEDGED_H

#include "network/support/capture.h"
#include "network/support/streams.h"

struct acknowledgement {
    int64_t ns;
    uint64_t bytes; /* since the first one that was captured */
};

struct acknowledged {
    struct acknowledgement *at;
    size_t count, room;
    uint32_t last; /* as in the header */
};

/* Reads until there are `minimum_bytes` in at least `span_ns`, and until what was sent by then is
 * acknowledged. 0 or an error number. */
int take_acknowledgements(struct capture *, struct streams *, int64_t span_ns,
                          uint64_t minimum_bytes, struct acknowledged *);
/* The most that was acknowledged within any `best_ns`, from one acknowledgement to another; ticks
 * are ns. 0, or a status with the reason set. */
int best_window(struct rk_context *, const struct acknowledged *, uint64_t sent, int64_t best_ns,
                struct rk_sample *out);

#endif

/* counts.h: what TCP did while a probe ran, by the counters of the probe's network namespace. */
#ifndef RK_COUNTS_H
#define RK_COUNTS_H

#include "network/support/proc_net.h"
#include "probe/probe.h"

struct counts {
    int64_t retransmits, listen_overflows, listen_drops; /* -1: not known */
};

/* Of two counts; -1 if either is not known. */
static inline int64_t add_counts(int64_t one, int64_t other)
{
    return one < 0 || other < 0 ? -1 : one + other;
}

struct counts count_tcp(void);
/* Records the counters' growth since `before`; retransmits are those of the namespace, or those
 * that the caller counted. */
void note_tcp_since(struct rk_context *, const struct counts *before);
void note_retransmits(struct rk_context *, int64_t retransmits, const struct counts *before);

#endif

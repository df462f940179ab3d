/* counts.h: the record of what TCP did while a probe ran, by the counters of the probe's network
 * namespace. */
#ifndef RK_COUNTS_H
#define RK_COUNTS_H

#include "probe/proc_net.h"
#include "probe/probe.h"

/* Records the counters' growth since `before`; retransmits are those of the namespace, or those
 * that the caller counted. */
void rk_note_tcp_since(struct rk_context *, const struct rk_tcp_counts *before);
void rk_note_retransmits(struct rk_context *, int64_t retransmits,
                         const struct rk_tcp_counts *before);

#endif

#include "probe/counts.h"

void rk_note_retransmits(struct rk_context *c, int64_t retransmits,
                         const struct rk_tcp_counts *before)
{
    const struct rk_tcp_counts now = rk_count_tcp();
    rk_note_tcp(c, retransmits, rk_count_growth(before->listen_overflows, now.listen_overflows),
                rk_count_growth(before->listen_drops, now.listen_drops), rk_count_time_wait());
}

void rk_note_tcp_since(struct rk_context *c, const struct rk_tcp_counts *before)
{
    rk_note_retransmits(c, rk_count_growth(before->retransmits, rk_count_tcp().retransmits),
                        before);
}

#include "network/support/counts.h"

void note_retransmits(struct rk_context *c, int64_t retransmits, const struct tcp_counts *before)
{
    const struct tcp_counts now = count_tcp();
    rk_note_tcp(c, retransmits, count_growth(before->listen_overflows, now.listen_overflows),
                count_growth(before->listen_drops, now.listen_drops), count_time_wait());
}

void note_tcp_since(struct rk_context *c, const struct tcp_counts *before)
{
    note_retransmits(c, count_growth(before->retransmits, count_tcp().retransmits), before);
}

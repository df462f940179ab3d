/* connection_packets.h: the packets that begin and end a TCP connection, found in a capture (RFC
 * 9293, 3.5, 3.6).
 *
 * By sequence numbers, not by "three packets in a row": the other side's kernel may acknowledge a
 * FIN before its program has closed, and packets of the connection before may still arrive. */
#ifndef RK_CONNECTION_PACKETS_H
#define RK_CONNECTION_PACKETS_H

#include "network/support/capture.h"

/* One connection as this side saw it: times, and the two initial sequence numbers. */
struct connection_packets {
    int64_t syn_ns, ack_ns;      /* the first SYN, the ACK of the SYN-ACK */
    int64_t fin_ns, last_ack_ns; /* this side's FIN, the ACK of the other's */
    uint32_t own_isn, peer_isn;
};

/* Both: 0, or a status with the reason set. */

/* The next SYN that leaves, the SYN-ACK that answers it and the ACK of that. */
int find_handshake(struct rk_context *, struct capture *, struct connection_packets *);
/* Of the same connection, on which nothing was sent and one byte received: the FIN of this side,
 * that of the other, and the ACK of that. */
int find_teardown(struct rk_context *, struct capture *, struct connection_packets *);

#endif

/* capture.h: the segments of one TCP connection as they leave and arrive, with the kernel's time
 * stamp of each: an AF_PACKET socket with a filter and a ring that the kernel writes to (packet(7);
 * Documentation/networking/packet_mmap.rst), so that reading a packet costs no system call.
 *
 * On lo every packet is seen twice, as it is sent and as it arrives. Kept is what a capture on a
 * network card would see: this side's as they are sent (PACKET_OUTGOING), the other side's as they
 * arrive (PACKET_HOST). So the time from a segment of this side to one of the other includes both
 * passes through lo. */
#ifndef RK_CAPTURE_H
#define RK_CAPTURE_H

#include <netinet/tcp.h>
#include <sys/socket.h>

#include "probe/probe.h"

struct capture {
    int fd, family, only_incoming;
    unsigned next; /* frame of the ring */
    char *ring;
    uint32_t own[4], peer[4]; /* as in the packet, in host order; of IPv4 the first */
    uint16_t own_port, peer_port;
};

struct packet {
    int64_t ns; /* CLOCK_REALTIME */
    int outgoing;
    uint8_t flags;     /* TH_SYN, TH_ACK ... */
    uint32_t seq, ack; /* as in the header: they wrap */
    uint32_t payload;  /* bytes; all of it for a segment that the card splits later */
};

/* Captures the connection between the two ends from now on, before it is made or after. One of the
 * two ports may be 0: any. `own` may be NULL or without an address: the route's. 0, or a status
 * with the reason set. */
int capture_open(struct rk_context *, const struct sockaddr *own, const struct sockaddr *peer,
                 struct capture *);
/* The same for a socket that is connected. */
int capture_connection(struct rk_context *, int fd, struct capture *);
/* From now on incoming packets alone, also of those in the ring: a receiver's acknowledgements,
 * without the data. */
void capture_only_incoming(struct capture *);
/* The next packet: 1, or 0 if none came within that time, or -errno. */
int capture_next(struct capture *, struct packet *, int timeout_ms);
/* Packets that found the ring full since the last call; -1 if not known. */
int64_t capture_lost(struct capture *);
/* Returns `status`; if that is 0 and packets were lost since the last capture_lost(), a failure. */
int capture_close(struct rk_context *, struct capture *, int status);

/* The port in host order; the address in host order, of IPv4 the first word. */
uint16_t capture_address(const struct sockaddr *, uint32_t words[4]);

#endif

/* capture.h: the segments of one TCP connection as they leave and come in, with the kernel's time
 * of each: an AF_PACKET socket with a filter and a ring that the kernel writes to (packet(7);
 * Documentation/networking/packet_mmap.rst), so that taking one costs no system call meanwhile.
 *
 * On lo every packet is seen twice, as it is sent and as it comes in. Kept is what a capture on a
 * network card would see: ours as they are sent (PACKET_OUTGOING), theirs as they come in
 * (PACKET_HOST). So from a segment of ours to one of theirs both ways through lo are within. */
#ifndef RK_CAPTURE_H
#define RK_CAPTURE_H

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/mman.h>

#include "network/support/capture_filter.h"

/* 32,768 packets: a third of a second of loopback's acknowledgements, or of 1 Gbit/s in full
 * frames. */
#define CAPTURE_FRAME 256
#define CAPTURE_RING (8 << 20)

struct packet {
    int64_t ns; /* CLOCK_REALTIME */
    int outgoing;
    uint8_t flags;     /* TH_SYN, TH_ACK ... */
    uint32_t seq, ack; /* as in the header: they wrap */
    uint32_t payload;  /* bytes; of a segment that the card is yet to cut up, all of it */
};

static inline void capture_drop(struct capture *capture)
{
    if (capture->ring)
        munmap(capture->ring, CAPTURE_RING);
    close(capture->fd);
    capture->ring = NULL;
    capture->fd = -1;
}

static inline int capture_begin(struct capture *capture, unsigned interface)
{
    const int version = TPACKET_V2, block = (int)sysconf(_SC_PAGESIZE);
    const struct tpacket_req ring = {.tp_block_size = (unsigned)block,
                                     .tp_block_nr = CAPTURE_RING / (unsigned)block,
                                     .tp_frame_size = CAPTURE_FRAME,
                                     .tp_frame_nr = CAPTURE_RING / CAPTURE_FRAME};
    const struct sockaddr_ll all = {.sll_family = AF_PACKET,
                                    .sll_protocol =
                                        htons(ETH_P_ALL), /* else it sees none of ours */
                                    .sll_ifindex = (int)interface};
    int status = capture_filter(capture); /* before the first packet */
    if (status)
        return status;
    if (setsockopt(capture->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) < 0 ||
        setsockopt(capture->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring) < 0)
        return -errno;
    void *frames =
        mmap(NULL, CAPTURE_RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, capture->fd, 0);
    if (frames == MAP_FAILED)
        return -errno;
    capture->ring = frames;
    return bind(capture->fd, (const struct sockaddr *)&all, sizeof all) < 0 ? -errno : 0;
}

/* Sees the connection between the two ends from now on, before it is made or after. A port may be
 * 0, any as yet, but not both of them; `own` may be NULL, or without an address: the one of the
 * route. */
static inline int capture_open(struct rk_context *c, const struct sockaddr *own,
                               const struct sockaddr *theirs, struct capture *capture)
{
    static const uint32_t none[4];
    *capture = (struct capture){.fd = -1, .family = theirs->sa_family};
    capture->their_port = capture_address(theirs, capture->theirs);
    capture->own_port = own ? capture_address(own, capture->own) : 0;
    if (memcmp(capture->own, none, sizeof none) == 0) {
        const int error = -capture_route(theirs, capture->own);
        if (error)
            return rk_failed(c, "there is no way to the other host to capture on", error);
    }
    const unsigned interface = capture_interface(capture, theirs);
    if (!interface)
        return rk_failed(c, "the interface to capture on was not found", ENODEV);
    capture->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (capture->fd < 0)
        return errno == EPERM || errno == EACCES
                   ? rk_cannot(c, "needs root (CAP_NET_RAW) to capture packets")
               : errno == EAFNOSUPPORT
                   ? rk_cannot(c, "this kernel has no packet sockets (AF_PACKET) to capture with")
                   : rk_refused(c, "a packet socket", errno);
    const int error = -capture_begin(capture, interface);
    if (!error)
        return 0;
    capture_drop(capture);
    return rk_refused(c, "a ring for captured packets", error);
}

/* Once the ports are known; what comes from others is left out, also of what lies in the ring. */
static inline void capture_ports(struct capture *capture, uint16_t own, uint16_t theirs)
{
    capture->own_port = own;
    capture->their_port = theirs;
    capture_filter(capture);
}

/* From now on what comes in alone: a receiver's acknowledgements, without the data. */
static inline void capture_only_theirs(struct capture *capture)
{
    capture->only_theirs = 1;
    capture_filter(capture);
}

/* 1 if the frame is a packet of the connection. */
static inline int capture_read(const struct capture *capture, const struct tpacket2_hdr *frame,
                               struct packet *packet)
{
    const uint8_t *ip = (const uint8_t *)frame + frame->tp_net;
    const int six = capture->family == AF_INET6;
    const struct sockaddr_ll *link =
        (const struct sockaddr_ll *)((const char *)frame + TPACKET_ALIGN(sizeof *frame));
    const uint32_t ip_bytes = six ? 40 : (ip[0] & 0xfu) * 4;
    const uint8_t *tcp = ip + ip_bytes;
    if (frame->tp_snaplen < ip_bytes + 20)
        return 0;
    /* 0 where it is more than 65,535 bytes, before a card that takes so much cuts it up */
    uint32_t told = six ? (uint32_t)(ip[4] << 8 | ip[5]) : (uint32_t)(ip[2] << 8 | ip[3]);
    told = told ? told + (six ? 40 : 0) : frame->tp_len;
    const uint32_t headers = ip_bytes + (tcp[12] >> 4) * 4u;
    const uint16_t from = (uint16_t)(tcp[0] << 8 | tcp[1]), to = (uint16_t)(tcp[2] << 8 | tcp[3]);
    uint32_t seq, ack;
    memcpy(&seq, tcp + 4, 4);
    memcpy(&ack, tcp + 8, 4);
    *packet = (struct packet){.ns = (int64_t)frame->tp_sec * 1000000000 + frame->tp_nsec,
                              .outgoing = link->sll_pkttype == PACKET_OUTGOING,
                              .flags = tcp[13],
                              .seq = ntohl(seq),
                              .ack = ntohl(ack),
                              .payload = told > headers ? told - headers : 0};
    const uint16_t own = packet->outgoing ? from : to, other = packet->outgoing ? to : from;
    return (!capture->own_port || own == capture->own_port) &&
           (!capture->their_port || other == capture->their_port) &&
           !(packet->outgoing && capture->only_theirs);
}

/* The next packet: 1, or 0 if none came within that time, or -errno. */
static inline int capture_next(struct capture *capture, struct packet *packet, int timeout_ms)
{
    const int64_t end_ns = (int64_t)rk_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        struct tpacket2_hdr *frame =
            (struct tpacket2_hdr *)(capture->ring + (size_t)capture->next * CAPTURE_FRAME);
        if (__atomic_load_n(&frame->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) {
            const int ours = capture_read(capture, frame, packet);
            __atomic_store_n(&frame->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
            capture->next = (capture->next + 1) % (CAPTURE_RING / CAPTURE_FRAME);
            if (ours)
                return 1;
            continue;
        }
        const int64_t left_ns = end_ns - (int64_t)rk_monotonic_ns();
        if (left_ns <= 0)
            return 0;
        struct pollfd event = {.fd = capture->fd, .events = POLLIN};
        if (poll(&event, 1, (int)((left_ns + 999999) / 1000000)) < 0 && errno != EINTR)
            return -errno;
        int error = 0;
        socklen_t length = sizeof error;
        if (event.revents & POLLERR &&
            getsockopt(capture->fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error)
            return -error;
    }
}

/* Packets that found the ring full, since the last time it was asked. */
static inline int64_t capture_lost(struct capture *capture)
{
    struct tpacket_stats stats = {0};
    socklen_t length = sizeof stats;
    const int bad = getsockopt(capture->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length) < 0;
    return bad ? -1 : (int64_t)stats.tp_drops;
}

/* Returns `status`; or if that is 0 and a packet was lost that nobody asked about, a failure. */
static inline int capture_close(struct rk_context *c, struct capture *capture, int status)
{
    const int64_t lost = capture_lost(capture);
    capture_drop(capture);
    return status || !lost ? status
                           : rk_failed(c, "the capture lost packets, its ring was full", ENOBUFS);
}

/* Times in ns become ticks, by what both counted since `begin` (some ms at least). */
static inline void capture_to_ticks(struct rk_sample *out, size_t n, const struct rk_stamp *begin)
{
    const struct rk_stamp end = rk_stamp_now();
    const double factor = (double)(end.ticks - begin->ticks) / (double)(end.ns - begin->ns);
    for (size_t i = 0; i < n; i++)
        out[i].ticks = (int64_t)((double)out[i].ticks * factor + 0.5);
}

#endif

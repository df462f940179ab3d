#include "network/support/capture.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/sockets.h"

#define CAPTURE_SNAP 128  /* bytes kept of a packet: the longest headers of IP and TCP */
#define CAPTURE_FRAME 256 /* CAPTURE_SNAP with the header of a frame of the ring */
/* 32,768 packets: a third of a second of loopback's acknowledgements, or of 1 Gbit/s in full
 * frames. */
#define CAPTURE_RING (8 << 20)

/* --- which packets --- */

/* A jump to the end, whose distance is set when the filter is complete. */
#define CAPTURE_REJECT 255

struct capture_filter {
    struct sock_filter code[64];
    unsigned short length;
};

static void filter_add(struct capture_filter *filter, int code, uint32_t k)
{
    filter->code[filter->length++] = (struct sock_filter)BPF_STMT((uint16_t)code, k);
}

/* Continues if the accumulator has that value, else rejects the packet. */
static void filter_equal(struct capture_filter *filter, uint32_t value)
{
    filter->code[filter->length++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, CAPTURE_REJECT);
}

static void filter_addresses(struct capture_filter *filter, const struct capture *capture,
                             int outgoing)
{
    const int words = capture->family == AF_INET6 ? 4 : 1;
    const uint32_t first = capture->family == AF_INET6 ? 8 : 12;
    const uint32_t *from = outgoing ? capture->own : capture->peer;
    const uint32_t *to = outgoing ? capture->peer : capture->own;
    const uint16_t ports[] = {outgoing ? capture->own_port : capture->peer_port,
                              outgoing ? capture->peer_port : capture->own_port};
    for (int i = 0; i < 2 * words; i++) {
        filter_add(filter, BPF_LD | BPF_W | BPF_ABS, first + 4 * (uint32_t)i);
        filter_equal(filter, i < words ? from[i] : to[i - words]);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (ports[i]) {
            filter_add(filter, BPF_LD | BPF_H | BPF_IND, 2 * i);
            filter_equal(filter, ports[i]);
        }
    filter_add(filter, BPF_RET | BPF_K, outgoing && capture->only_incoming ? 0 : CAPTURE_SNAP);
}

/* Offsets are from the IP header on, because the socket is a SOCK_DGRAM one. */
static int capture_filter(const struct capture *capture)
{
    const int six = capture->family == AF_INET6;
    struct capture_filter filter = {.length = 0};
    filter_add(&filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL));
    filter_equal(&filter, six ? ETH_P_IPV6 : ETH_P_IP);
    filter_add(&filter, BPF_LD | BPF_B | BPF_ABS, six ? 6 : 9);
    filter_equal(&filter, IPPROTO_TCP);
    if (six) {
        filter_add(&filter, BPF_LDX | BPF_W | BPF_IMM, 40);
    } else { /* of a fragment the first part alone has ports */
        filter_add(&filter, BPF_LD | BPF_H | BPF_ABS, 6);
        filter_add(&filter, BPF_ALU | BPF_AND | BPF_K, 0x1fff);
        filter_equal(&filter, 0);
        filter_add(&filter, BPF_LDX | BPF_B | BPF_MSH, 0);
    }
    filter_add(&filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE));
    const unsigned short fork_at = filter.length;
    filter_equal(&filter, PACKET_OUTGOING);
    filter_addresses(&filter, capture, 1);
    filter.code[fork_at].jf = (uint8_t)(filter.length - fork_at - 1);
    filter_equal(&filter, PACKET_HOST);
    filter_addresses(&filter, capture, 0);
    filter_add(&filter, BPF_RET | BPF_K, 0);
    for (int i = 0; i < filter.length; i++)
        if (BPF_CLASS(filter.code[i].code) == BPF_JMP && filter.code[i].jf == CAPTURE_REJECT)
            filter.code[i].jf = (uint8_t)(filter.length - 1 - i - 1);
    const struct sock_fprog program = {filter.length, filter.code};
    return setsockopt(capture->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0
               ? -errno
               : 0;
}

/* --- where --- */

uint16_t capture_address(const struct sockaddr *address, uint32_t words[4])
{
    memset(words, 0, 4 * sizeof *words);
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        memcpy(words, &six->sin6_addr, sizeof six->sin6_addr);
        for (int i = 0; i < 4; i++)
            words[i] = ntohl(words[i]);
        return ntohs(six->sin6_port);
    }
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    words[0] = ntohl(four->sin_addr.s_addr);
    return ntohs(four->sin_port);
}

/* The address from which this host sends to the other; no packet is sent. 0 or -errno. */
static int capture_route(const struct sockaddr *peer, uint32_t own[4])
{
    struct sockaddr_storage to = {0}, from = {0};
    socklen_t length =
        peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    memcpy(&to, peer, length);
    *rk_port_of(&to) = htons(9);
    const int fd = socket(peer->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    const int bad = connect(fd, (struct sockaddr *)&to, length) < 0 ||
                    getsockname(fd, (struct sockaddr *)&from, &length) < 0;
    const int error = bad ? errno : 0;
    close(fd);
    if (!bad)
        capture_address((struct sockaddr *)&from, own);
    return -error;
}

static int same_address(const struct sockaddr *address, int family, const uint32_t words[4])
{
    uint32_t others[4];
    if (!address || address->sa_family != family)
        return 0;
    capture_address(address, others);
    return memcmp(others, words, sizeof others) == 0;
}

/* The interface of this end: lo if the other end is this host, too. 0 if there is none. */
static unsigned capture_interface(const struct capture *capture, const struct sockaddr *peer)
{
    const int six = capture->family == AF_INET6;
    const uint32_t scope = six ? ((const struct sockaddr_in6 *)peer)->sin6_scope_id : 0;
    int is_local = !six && capture->peer[0] >> 24 == 127;
    unsigned index = scope, loopback = 0;
    struct ifaddrs *all;
    if (getifaddrs(&all) < 0)
        return 0;
    for (const struct ifaddrs *item = all; item; item = item->ifa_next) {
        if (item->ifa_flags & IFF_LOOPBACK)
            loopback = if_nametoindex(item->ifa_name);
        is_local |= same_address(item->ifa_addr, capture->family, capture->peer);
        if (!index && same_address(item->ifa_addr, capture->family, capture->own))
            index = if_nametoindex(item->ifa_name);
    }
    freeifaddrs(all);
    return is_local ? loopback : index;
}

static void capture_drop(struct capture *capture)
{
    if (capture->ring)
        munmap(capture->ring, CAPTURE_RING);
    close(capture->fd);
    capture->ring = NULL;
    capture->fd = -1;
}

static int capture_begin(struct capture *capture, unsigned interface)
{
    const int version = TPACKET_V2, block = (int)sysconf(_SC_PAGESIZE);
    const struct tpacket_req ring = {.tp_block_size = (unsigned)block,
                                     .tp_block_nr = CAPTURE_RING / (unsigned)block,
                                     .tp_frame_size = CAPTURE_FRAME,
                                     .tp_frame_nr = CAPTURE_RING / CAPTURE_FRAME};
    const struct sockaddr_ll all = {.sll_family = AF_PACKET,
                                    .sll_protocol =
                                        htons(ETH_P_ALL), /* else it sees no outgoing packets */
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

int capture_open(struct rk_context *c, const struct sockaddr *own, const struct sockaddr *peer,
                 struct capture *capture)
{
    static const uint32_t none[4];
    *capture = (struct capture){.fd = -1, .family = peer->sa_family};
    capture->peer_port = capture_address(peer, capture->peer);
    capture->own_port = own ? capture_address(own, capture->own) : 0;
    if (memcmp(capture->own, none, sizeof none) == 0) {
        const int error = -capture_route(peer, capture->own);
        if (error)
            return rk_failed(c, "no route to the other host to capture on", error);
    }
    const unsigned interface = capture_interface(capture, peer);
    if (!interface)
        return rk_failed(c, "the interface to capture on was not found", ENODEV);
    capture->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (capture->fd < 0 && (errno == EPERM || errno == EACCES))
        return rk_unsupported(c, "needs root (CAP_NET_RAW) to capture packets");
    if (capture->fd < 0 && errno == EAFNOSUPPORT)
        return rk_unsupported(c, "this kernel has no packet sockets (AF_PACKET) to capture with");
    if (capture->fd < 0)
        return rk_refused(c, "a packet socket", errno);
    const int error = -capture_begin(capture, interface);
    if (!error)
        return 0;
    capture_drop(capture);
    if (error == ENOPROTOOPT) /* an emulator of another processor, for one */
        return rk_unsupported(c, "this kernel has no ring (PACKET_RX_RING) for captured packets");
    return rk_refused(c, "a ring for captured packets", error);
}

int capture_connection(struct rk_context *c, int fd, struct capture *capture)
{
    struct sockaddr_storage own = {0}, peer = {0};
    socklen_t own_length = sizeof own, peer_length = sizeof peer;
    if (getsockname(fd, (struct sockaddr *)&own, &own_length) < 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_length) < 0)
        return rk_failed(c, "the addresses of the connection", errno);
    return capture_open(c, (struct sockaddr *)&own, (struct sockaddr *)&peer, capture);
}

void capture_only_incoming(struct capture *capture)
{
    capture->only_incoming = 1;
    capture_filter(capture);
}

/* 1 if the frame is a packet of the connection. */
static int capture_read(const struct capture *capture, const struct tpacket2_hdr *frame,
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
    /* 0 above 65,535 bytes, before the card splits it */
    uint32_t length = six ? (uint32_t)(ip[4] << 8 | ip[5]) : (uint32_t)(ip[2] << 8 | ip[3]);
    length = length ? length + (six ? 40 : 0) : frame->tp_len;
    const uint32_t headers = ip_bytes + (tcp[12] >> 4) * 4u;
    uint32_t seq, ack;
    memcpy(&seq, tcp + 4, 4);
    memcpy(&ack, tcp + 8, 4);
    *packet = (struct packet){.ns = (int64_t)frame->tp_sec * RK_NS_PER_S + frame->tp_nsec,
                              .outgoing = link->sll_pkttype == PACKET_OUTGOING,
                              .flags = tcp[13],
                              .seq = ntohl(seq),
                              .ack = ntohl(ack),
                              .payload = length > headers ? length - headers : 0};
    return !(packet->outgoing && capture->only_incoming); /* one that the filter let pass before */
}

int capture_next(struct capture *capture, struct packet *packet, int timeout_ms)
{
    const int64_t end_ns = (int64_t)rk_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        struct tpacket2_hdr *frame =
            (struct tpacket2_hdr *)(capture->ring + (size_t)capture->next * CAPTURE_FRAME);
        if (__atomic_load_n(&frame->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) {
            const int belongs = capture_read(capture, frame, packet);
            __atomic_store_n(&frame->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
            capture->next = (capture->next + 1) % (CAPTURE_RING / CAPTURE_FRAME);
            if (belongs)
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

int64_t capture_lost(struct capture *capture)
{
    struct tpacket_stats stats = {0};
    socklen_t length = sizeof stats;
    const int bad = getsockopt(capture->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length) < 0;
    return bad ? -1 : (int64_t)stats.tp_drops;
}

int capture_close(struct rk_context *c, struct capture *capture, int status)
{
    const int64_t lost = capture_lost(capture);
    capture_drop(capture);
    return status || !lost ? status
                           : rk_failed(c, "the capture lost packets, its ring was full", ENOBUFS);
}

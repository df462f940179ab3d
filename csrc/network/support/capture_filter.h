/* capture_filter.h: which packets a capture takes, and on which interface; for capture.h. */
#ifndef RK_CAPTURE_FILTER_H
#define RK_CAPTURE_FILTER_H

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probe/probe.h"

#define CAPTURE_SNAP 128 /* bytes kept of a packet: the longest headers of IP and TCP */

struct capture {
    int fd, family, only_theirs;
    unsigned next; /* frame of the ring */
    char *ring;
    uint32_t own[4], theirs[4]; /* as they stand in the packet, in host order; of IPv4 the first */
    uint16_t own_port, their_port;
};

/* --- which packets --- */

#define CAPTURE_REJECT 255 /* a jump to the end of the filter, put right once that is known */

struct capture_filter {
    struct sock_filter code[64];
    unsigned short length;
};

static inline void filter_add(struct capture_filter *filter, int code, uint32_t k)
{
    filter->code[filter->length++] = (struct sock_filter)BPF_STMT((uint16_t)code, k);
}

/* Goes on if the accumulator has that value, and rejects the packet if not. */
static inline void filter_equal(struct capture_filter *filter, uint32_t value)
{
    filter->code[filter->length++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, CAPTURE_REJECT);
}

static inline void filter_ends(struct capture_filter *filter, const struct capture *capture,
                               int outgoing)
{
    const int words = capture->family == AF_INET6 ? 4 : 1;
    const uint32_t first = capture->family == AF_INET6 ? 8 : 12;
    const uint32_t *from = outgoing ? capture->own : capture->theirs;
    const uint32_t *to = outgoing ? capture->theirs : capture->own;
    const uint16_t ports[] = {outgoing ? capture->own_port : capture->their_port,
                              outgoing ? capture->their_port : capture->own_port};
    for (int i = 0; i < 2 * words; i++) {
        filter_add(filter, BPF_LD | BPF_W | BPF_ABS, first + 4 * (uint32_t)i);
        filter_equal(filter, i < words ? from[i] : to[i - words]);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (ports[i]) {
            filter_add(filter, BPF_LD | BPF_H | BPF_IND, 2 * i);
            filter_equal(filter, ports[i]);
        }
    filter_add(filter, BPF_RET | BPF_K, outgoing && capture->only_theirs ? 0 : CAPTURE_SNAP);
}

/* Offsets are from the IP header on, because the socket is a SOCK_DGRAM one. */
static inline int capture_filter(const struct capture *capture)
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
    filter_ends(&filter, capture, 1);
    filter.code[fork_at].jf = (uint8_t)(filter.length - fork_at - 1);
    filter_equal(&filter, PACKET_HOST);
    filter_ends(&filter, capture, 0);
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

/* The address in host order; of IPv4 the first word. The port in host order. */
static inline uint16_t capture_address(const struct sockaddr *address, uint32_t words[4])
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

/* The address from which this host talks to that one; no packet is sent. 0 or -errno. */
static inline int capture_route(const struct sockaddr *theirs, uint32_t own[4])
{
    struct sockaddr_storage to = {0}, from = {0};
    socklen_t length =
        theirs->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    memcpy(&to, theirs, length);
    if (theirs->sa_family == AF_INET6)
        ((struct sockaddr_in6 *)&to)->sin6_port = htons(9);
    else
        ((struct sockaddr_in *)&to)->sin_port = htons(9);
    const int fd = socket(theirs->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
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

static inline int capture_same(const struct sockaddr *address, int family, const uint32_t words[4])
{
    uint32_t others[4];
    if (!address || address->sa_family != family)
        return 0;
    capture_address(address, others);
    return memcmp(others, words, sizeof others) == 0;
}

/* The interface of our end: lo where the other end is this host, too. 0 if there is none. */
static inline unsigned capture_interface(const struct capture *capture,
                                         const struct sockaddr *theirs)
{
    const int six = capture->family == AF_INET6;
    const uint32_t scope = six ? ((const struct sockaddr_in6 *)theirs)->sin6_scope_id : 0;
    int here = !six && capture->theirs[0] >> 24 == 127;
    unsigned found = scope, loopback = 0;
    struct ifaddrs *all;
    if (getifaddrs(&all) < 0)
        return 0;
    for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
        if (one->ifa_flags & IFF_LOOPBACK)
            loopback = if_nametoindex(one->ifa_name);
        here |= capture_same(one->ifa_addr, capture->family, capture->theirs);
        if (!found && capture_same(one->ifa_addr, capture->family, capture->own))
            found = if_nametoindex(one->ifa_name);
    }
    freeifaddrs(all);
    return here ? loopback : found;
}

#endif

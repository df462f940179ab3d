/* ping.h: echo requests of our own (RFC 792, RFC 4443), which the other end's kernel answers. */
#ifndef RK_PING_H
#define RK_PING_H

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include "network/support/client.h"

/* As much as fits into one packet of IPv4. */
#define PING_MOST (65535 - 20 - 8)
#define PING_HEAD 8

struct ping {
    int fd, six, raw;
    uint16_t id, number;
    size_t size; /* with the head */
    unsigned char to[PING_HEAD + PING_MOST];
    unsigned char from[60 + PING_HEAD + PING_MOST]; /* a raw socket of IPv4 gives its header, too */
};

/* RFC 1071. The kernel does it for all but the raw socket of IPv4. */
static inline uint16_t ping_checksum(const unsigned char *at, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += (uint32_t)(at[i] << 8 | at[i + 1]);
    if (size % 2)
        sum += (uint32_t)at[size - 1] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static inline void ping_word(unsigned char *at, uint16_t word)
{
    at[0] = (unsigned char)(word >> 8);
    at[1] = (unsigned char)word;
}

/* Whether these bytes are the answer to the last request. A socket that is not raw gets answers to
 * its own requests alone, and has given them an id of its own. */
static inline int ping_is_answer(const struct ping *ping, size_t got)
{
    const unsigned char *at = ping->from;
    const size_t ip = ping->raw && !ping->six ? (at[0] & 0xfu) * 4 : 0;
    if (got != ip + ping->size)
        return 0;
    at += ip;
    return at[0] == (ping->six ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY) &&
           (!ping->raw || (at[4] << 8 | at[5]) == ping->id) &&
           (at[6] << 8 | at[7]) == ping->number &&
           memcmp(at + PING_HEAD, ping->to + PING_HEAD, ping->size - PING_HEAD) == 0;
}

static inline int ping_once(struct ping *ping)
{
    uint64_t end_ns = 0;
    ping_word(ping->to + 6, ++ping->number);
    if (ping->raw && !ping->six) {
        ping_word(ping->to + 2, 0);
        ping_word(ping->to + 2, ping_checksum(ping->to, ping->size));
    }
    while (send(ping->fd, ping->to, ping->size, 0) != (ssize_t)ping->size)
        if (errno != EINTR)
            return -errno;
    for (;;) {
        const ssize_t got = recv(ping->fd, ping->from, sizeof ping->from, 0);
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        if (got > 0 && ping_is_answer(ping, (size_t)got))
            return 0;
        /* Another's packet, or an answer that comes late or twice. */
        const uint64_t now_ns = rk_monotonic_ns();
        end_ns = end_ns ? end_ns : now_ns + PEER_DEADLINE_S * 1000000000ull;
        if (now_ns > end_ns)
            return -ETIMEDOUT;
    }
}

/* Of what comes in, a raw socket is woken by answers alone. */
static inline int ping_only_answers(const struct ping *ping)
{
    const int icmp_filter = 1; /* ICMP_FILTER of linux/icmp.h, which net/if.h does not go with */
    const uint32_t four = ~(1u << ICMP_ECHOREPLY);
    struct icmp6_filter six;
    ICMP6_FILTER_SETBLOCKALL(&six);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &six);
    return ping->six ? setsockopt(ping->fd, IPPROTO_ICMPV6, ICMP6_FILTER, &six, sizeof six)
                     : setsockopt(ping->fd, SOL_RAW, icmp_filter, &four, sizeof four);
}

static inline int ping_open(struct rk_context *c, const struct peer *peer, size_t size,
                            struct ping *ping)
{
    const int family = peer->address.ss_family, six = family == AF_INET6;
    const int protocol = six ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
    const struct timeval limit = {.tv_sec = PEER_DEADLINE_S};
    struct sockaddr_storage to = peer->address;
    ((struct sockaddr_in6 *)&to)->sin6_port = 0; /* at the same place as IPv4's */
    memset(ping, 1, sizeof *ping);
    ping->six = six;
    ping->raw = 0;
    ping->size = PING_HEAD + size;
    ping->id = (uint16_t)getpid();
    ping->number = 0;
    ping->to[0] = six ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
    ping->to[1] = 0;
    ping_word(ping->to + 2, 0);
    ping_word(ping->to + 4, ping->id);
    ping->fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, protocol);
    if (ping->fd < 0) {
        ping->raw = 1;
        ping->fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, protocol);
    }
    if (ping->fd < 0)
        return errno == EPERM || errno == EACCES
                   ? rk_cannot(c,
                               "echo requests need root (CAP_NET_RAW), or a group of this user in "
                               "the range of sysctl net.ipv4.ping_group_range")
                   : rk_refused(c, "a socket for echo requests", errno);
    if (!(ping->raw && ping_only_answers(ping) < 0) &&
        setsockopt(ping->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
        connect(ping->fd, (const struct sockaddr *)&to, peer->length) == 0)
        return 0;
    const int error = errno;
    close(ping->fd);
    return rk_failed(c, "there is no way to the other host for echo requests", error);
}

#endif

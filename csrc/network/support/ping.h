/* ping.h: echo requests (RFC 792, RFC 4443), which the other end's kernel answers. */
#ifndef RK_PING_H
#define RK_PING_H

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include "network/support/client.h"

/* The most that fits into one packet of IPv4. */
#define PING_MAX (65535 - 20 - 8)
#define PING_HEAD 8

struct ping {
    int fd, six, raw;
    uint16_t id, number;
    size_t size; /* with the head */
    unsigned char to[PING_HEAD + PING_MAX];
    unsigned char from[60 + PING_HEAD + PING_MAX]; /* a raw socket of IPv4 includes the IP header */
};

/* A ping socket or, where that is refused, a raw one. 0, or a status with the reason set. */
int ping_open(struct rk_context *, const struct peer *, size_t size, struct ping *);

/* --- between two clock reads --- */

/* RFC 1071. The kernel computes it for all but the raw socket of IPv4. */
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

/* Whether these bytes reply to the last request. A socket that is not raw receives replies to its
 * own requests alone, and sets their id itself. */
static inline int ping_is_reply(const struct ping *ping, size_t got)
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

/* An echo request and its reply. 0 or -errno. */
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
        if (got > 0 && ping_is_reply(ping, (size_t)got))
            return 0;
        /* Another process's packet, or a reply that came late or twice. */
        const uint64_t now_ns = rk_monotonic_ns();
        end_ns = end_ns ? end_ns : now_ns + PEER_DEADLINE_S * RK_NS_PER_S;
        if (now_ns > end_ns)
            return -ETIMEDOUT;
    }
}

#endif

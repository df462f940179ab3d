#include "network/support/ping.h"

/* A raw socket receives every kind of ICMP message, unless it is filtered. */
static int ping_only_answers(const struct ping *ping)
{
    const int icmp_filter = 1; /* ICMP_FILTER of linux/icmp.h, which net/if.h does not go with */
    const uint32_t four = ~(1u << ICMP_ECHOREPLY);
    struct icmp6_filter six;
    ICMP6_FILTER_SETBLOCKALL(&six);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &six);
    return ping->six ? setsockopt(ping->fd, IPPROTO_ICMPV6, ICMP6_FILTER, &six, sizeof six)
                     : setsockopt(ping->fd, SOL_RAW, icmp_filter, &four, sizeof four);
}

int ping_open(struct rk_context *c, const struct peer *peer, size_t size, struct ping *ping)
{
    const int family = peer->address.ss_family, six = family == AF_INET6;
    const int protocol = six ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
    struct sockaddr_storage to = peer->address;
    *rk_port_of(&to) = 0;
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
    if (ping->fd < 0 && (errno == EPERM || errno == EACCES))
        return rk_unsupported(c, "echo requests need root (CAP_NET_RAW), or a group of this user "
                                 "in the range of sysctl net.ipv4.ping_group_range");
    if (ping->fd < 0)
        return rk_refused(c, "a socket for echo requests", errno);
    if (!(ping->raw && ping_only_answers(ping) < 0) &&
        rk_set_time_limits(ping->fd, PEER_DEADLINE_S) == 0 &&
        connect(ping->fd, (const struct sockaddr *)&to, peer->length) == 0)
        return 0;
    const int error = errno;
    close(ping->fd);
    return rk_failed(c, "no route to the other host for echo requests", error);
}

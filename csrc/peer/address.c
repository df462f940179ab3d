/* address.c: where reckon-peer listens, and which hosts it serves. */
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "peer/peer.h"

#define ALLOWED_MAX 64
static struct host allowed[ALLOWED_MAX];
static int allowed_count;

/* An IPv4 host that reaches a socket of IPv6 (::ffff:192.0.2.1) is that IPv4 host. */
struct host host_of(const struct sockaddr_storage *address)
{
    struct host host = {.family = address->ss_family};
    const struct in6_addr *const six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    if (address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(six)) {
        host.family = AF_INET;
        memcpy(host.bytes, six->s6_addr + 12, 4);
    } else if (address->ss_family == AF_INET6)
        memcpy(host.bytes, six, 16);
    else
        memcpy(host.bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return host;
}

int same_host(const struct host *a, const struct host *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, 16) == 0;
}

int is_loopback(const struct host *host)
{
    return host->family == AF_INET
               ? host->bytes[0] == 127
               : memcmp(host->bytes, &in6addr_loopback, sizeof in6addr_loopback) == 0;
}

void host_text(const struct host *host, char text[ADDRESS_MAX])
{
    if (!inet_ntop(host->family, host->bytes, text, ADDRESS_MAX))
        strcpy(text, "?");
}

void address_text(const struct sockaddr_storage *address, char text[ADDRESS_MAX])
{
    const struct host host = host_of(address);
    char alone[ADDRESS_MAX], scope[IF_NAMESIZE + 1] = "";
    host_text(&host, alone);
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    if (host.family == AF_INET6 && six->sin6_scope_id &&
        if_indextoname(six->sin6_scope_id, scope + 1))
        scope[0] = '%';
    const int port = ntohs(six->sin6_port); /* as in a sockaddr_in */
    snprintf(text, ADDRESS_MAX, host.family == AF_INET6 ? "[%.45s%s]:%d" : "%.45s%s:%d", alone,
             scope, port);
}

int listen_at(const char *address, struct sockaddr_storage *bound)
{
    char host[256], port[16];
    if (rk_split_address(address, PEER_PORT, host, port)) {
        log_line("\"%s\" is not ADDRESS, ADDRESS:PORT or [IPv6]:PORT.", address);
        return -1;
    }
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *addresses;
    const int error = getaddrinfo(host, port, &hints, &addresses);
    if (error) {
        log_line("%s is no address to listen on: %s.", address, gai_strerror(error));
        return -1;
    }
    memcpy(bound, addresses->ai_addr, addresses->ai_addrlen);
    const int fd = rk_bound_socket(SOCK_STREAM | SOCK_NONBLOCK, bound, addresses->ai_addrlen);
    const int bad = fd < 0 || listen(fd, 1024) < 0, why = errno;
    freeaddrinfo(addresses);
    if (!bad)
        return fd;
    if (fd >= 0)
        close(fd);
    if (why == EADDRINUSE)
        log_line("%s is taken by another program (port %s); choose another with --listen "
                 "ADDRESS:PORT.",
                 address, port);
    else
        log_line("Listening on %s (port %s) is not possible: %s.", address, port, strerror(why));
    return -1;
}

int allow(const char *name)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses;
    const int error = getaddrinfo(name, NULL, &hints, &addresses);
    if (error) {
        log_line("--allow %s names no host: %s.", name, gai_strerror(error));
        return -1;
    }
    int status = 0;
    for (const struct addrinfo *item = addresses; item; item = item->ai_next) {
        struct sockaddr_storage address = {0};
        if (item->ai_addrlen > sizeof address ||
            (item->ai_family != AF_INET && item->ai_family != AF_INET6))
            continue;
        memcpy(&address, item->ai_addr, item->ai_addrlen);
        if (allowed_count == ALLOWED_MAX) {
            log_line("--allow takes at most %d addresses.", ALLOWED_MAX);
            status = -1;
            break;
        }
        allowed[allowed_count++] = host_of(&address);
    }
    freeaddrinfo(addresses);
    return status;
}

int anyone_allowed(void)
{
    return allowed_count > 0;
}

/* Without --allow the program listens on loopback only, and serves that. */
int is_allowed(const struct host *host)
{
    if (!allowed_count)
        return is_loopback(host);
    for (int i = 0; i < allowed_count; i++)
        if (same_host(&allowed[i], host))
            return 1;
    return 0;
}

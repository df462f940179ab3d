#include "probe/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "probe/clock.h"

in_port_t *rk_port_of(struct sockaddr_storage *address)
{
    return &((struct sockaddr_in6 *)address)->sin6_port;
}

int rk_split_address(const char *text, const char *usual_port, char host[256], char port[16])
{
    const char *colon = strrchr(text, ':'), *end = colon;
    if (text[0] == '[') {
        end = strchr(text, ']');
        if (!end || (end[1] && end[1] != ':'))
            return -1;
        colon = end[1] ? end + 1 : NULL;
        text++;
    } else if (colon && strchr(text, ':') != colon) {
        colon = NULL; /* of more than one: an IPv6 address without a port */
        end = NULL;
    }
    const char *const number = colon ? colon + 1 : usual_port;
    const size_t length = end ? (size_t)(end - text) : strlen(text);
    if (length == 0 || length > 255 || !number || !*number || strlen(number) > 15)
        return -1;
    memcpy(host, text, length);
    host[length] = 0;
    strcpy(port, number);
    return 0;
}

socklen_t rk_loopback_of(int family, struct sockaddr_storage *address)
{
    const struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    *address = (struct sockaddr_storage){0};
    if (family == AF_INET6)
        memcpy(address, &six, sizeof six);
    else
        memcpy(address, &four, sizeof four);
    return family == AF_INET6 ? sizeof six : sizeof four;
}

int rk_loopback_is_up(int family)
{
    struct sockaddr_storage own;
    const socklen_t length = rk_loopback_of(family, &own);
    const int fd = rk_bound_socket(SOCK_DGRAM, &own, length);
    const int up = fd >= 0 && connect(fd, (const struct sockaddr *)&own, length) == 0;
    if (fd >= 0)
        close(fd);
    return up;
}

int rk_bound_socket(int type, struct sockaddr_storage *address, socklen_t length)
{
    const int on = 1, off = 0, fd = socket(address->ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (*rk_port_of(address)) /* connections of a listener that ended may be in TIME_WAIT there */
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ss_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, (const struct sockaddr *)address, length) == 0 &&
        getsockname(fd, (struct sockaddr *)address, &length) == 0)
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int rk_set_time_limits(int fd, int seconds)
{
    const struct timeval limit = {.tv_sec = seconds};
    const int bad = setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return bad ? bad : setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/* Waits until a connect() that has begun has ended. 0 or an error number. */
static int await_connected(int fd, uint64_t end_ns)
{
    int error = EINPROGRESS;
    while (error == EINPROGRESS) {
        const int64_t left_ns = (int64_t)(end_ns - rk_monotonic_ns());
        struct pollfd event = {.fd = fd, .events = POLLOUT};
        const int ready = left_ns > 0 ? poll(&event, 1, (int)(left_ns / 1000000) + 1) : 0;
        socklen_t size = sizeof error;
        if (ready == 0)
            error = ETIMEDOUT;
        else if (ready > 0)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    return error;
}

int rk_connect_within(int seconds, const struct sockaddr_storage *to, socklen_t length, int *fd)
{
    const uint64_t end_ns = rk_monotonic_ns() + (uint64_t)seconds * RK_NS_PER_S;
    const int on = 1;
    *fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return -errno;
    int error = connect(*fd, (const struct sockaddr *)to, length) < 0 ? errno : 0;
    if (error == EINPROGRESS)
        error = await_connected(*fd, end_ns);
    if (!error && (fcntl(*fd, F_SETFL, 0) < 0 || rk_set_time_limits(*fd, seconds) < 0 ||
                   setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0))
        error = errno;
    if (error) {
        close(*fd);
        *fd = -1;
    }
    return -error;
}

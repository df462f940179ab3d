/* client.h: a network row's way to the other end: reckon-peer, on this computer or on another.
 *
 * A row says which by its parameter "peer". Only peer_send() and peer_receive() (peer/wire.h)
 * belong between clock reads; all the rest is done before and after. */
#ifndef RK_CLIENT_H
#define RK_CLIENT_H

#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe.h"
#include "peer/wire.h"
#include "network/support/space.h"
#include "probe/trouble.h"

#define PEER_DEADLINE_S 5

struct peer {
    struct sockaddr_storage address;
    socklen_t length;
    char name[80]; /* the address for sentences */
    char token[PEER_TOKEN_MOST + 1];
    pid_t server; /* the row's own; 0: none */
    int leash;    /* its standard input: it ends when that is closed */
};

/* --- sentences --- */

static inline int peer_unreachable(struct rk_context *c, const struct peer *peer, int error)
{
    if (error == ECONNREFUSED)
        return trouble(c, error,
                       "Nothing listens at %s; start reckon-peer there (make peer says how).",
                       peer->name);
    if (error == ETIMEDOUT)
        return trouble(c, error,
                       "The peer at %s did not answer within %d s; is it up, and does a "
                       "firewall let its port through?",
                       peer->name, PEER_DEADLINE_S);
    if (error == ECONNRESET)
        return trouble(c, error, "The peer at %s closed the connection before it answered.",
                       peer->name);
    return trouble(c, error, "There is no way to the peer at %s: %s.", peer->name, strerror(error));
}

/* --- lines, outside what is timed --- */

/* Up to the end of the line and not a byte further, which is the service's. 0 or -errno. */
static inline int peer_read_line(int fd, char *line, size_t size)
{
    const uint64_t end_ns = rk_monotonic_ns() + PEER_DEADLINE_S * 1000000000ull;
    for (size_t length = 0; length + 1 < size;) {
        const ssize_t seen = recv(fd, line + length, size - 1 - length, MSG_PEEK);
        if (seen < 0 && errno == EINTR)
            continue;
        if (seen <= 0)
            return seen == 0 ? -ECONNRESET : errno == EAGAIN ? -ETIMEDOUT : -errno;
        const char *end = memchr(line + length, '\n', (size_t)seen);
        const size_t take = end ? (size_t)(end - (line + length)) + 1 : (size_t)seen;
        const int status = peer_receive(fd, line + length, take);
        if (status)
            return status;
        length += take;
        if (end) {
            line[length - 1] = 0;
            return 0;
        }
        if (rk_monotonic_ns() > end_ns)
            return -ETIMEDOUT;
    }
    return -EMSGSIZE;
}

/* One line that the peer sends on the connection. 0 or a status, with the reason set. */
static inline int peer_line(struct rk_context *c, int fd, char *line, size_t size)
{
    const int status = peer_read_line(fd, line, size);
    if (status == -EMSGSIZE)
        return trouble(c, EMSGSIZE, "The peer sent a line longer than %zu characters.", size - 2);
    if (status == -ETIMEDOUT)
        return trouble(c, ETIMEDOUT, "The peer did not answer within %d s.", PEER_DEADLINE_S);
    if (!status && !line[0])
        return trouble(c, EPROTO, "The peer sent an empty line.");
    return status ? trouble(c, -status, "The peer went away before it had answered.") : 0;
}

/* --- asking for a service --- */

/* A connection within the deadline, from where on it blocks. 0 or -errno. */
static inline int peer_connect(const struct peer *peer, int *fd)
{
    const uint64_t end_ns = rk_monotonic_ns() + PEER_DEADLINE_S * 1000000000ull;
    const struct timeval limit = {.tv_sec = PEER_DEADLINE_S};
    const int on = 1;
    *fd = socket(peer->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return -errno;
    int error = connect(*fd, (const struct sockaddr *)&peer->address, peer->length) < 0 ? errno : 0;
    while (error == EINPROGRESS) {
        const int64_t left_ns = (int64_t)(end_ns - rk_monotonic_ns());
        struct pollfd event = {.fd = *fd, .events = POLLOUT};
        const int ready = left_ns > 0 ? poll(&event, 1, (int)(left_ns / 1000000) + 1) : 0;
        socklen_t size = sizeof error;
        if (ready == 0)
            error = ETIMEDOUT;
        else if (ready > 0)
            getsockopt(*fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (!error && (fcntl(*fd, F_SETFL, 0) < 0 ||
                   setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0 ||
                   setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0 ||
                   setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0))
        error = errno;
    if (error) {
        close(*fd);
        *fd = -1;
    }
    return -error;
}

/* Says who we are and what for; the peer's answer after its "ok" is left in `line`. */
static inline int peer_greet(struct rk_context *c, const struct peer *peer, int fd,
                             const char *service, char line[PEER_LINE_MOST])
{
    int version = 0;
    int status = peer_read_line(fd, line, PEER_LINE_MOST);
    if (!status && strncmp(line, "no ", 3) == 0)
        return trouble(c, EACCES, "%.250s", line + 3);
    if (status == -EMSGSIZE || (!status && (sscanf(line, PEER_NAME " %9d", &version) != 1)))
        return trouble(c, EPROTO, "What listens at %s is no reckon-peer.", peer->name);
    if (status)
        return peer_unreachable(c, peer, -status);
    const int said = version == PEER_VERSION
                         ? snprintf(line, PEER_LINE_MOST, PEER_NAME " %d %s %s\n", PEER_VERSION,
                                    peer->token, service)
                         : snprintf(line, PEER_LINE_MOST, PEER_NAME " %d\n", PEER_VERSION);
    if (said >= PEER_LINE_MOST)
        return trouble(c, E2BIG, "The service asked of the peer is too long.");
    status = peer_send(fd, line, (size_t)said);
    if (version != PEER_VERSION)
        return trouble(c, EPROTO,
                       "The peer at %s speaks version %d of the protocol and this reckon "
                       "version %d; build both from the same commit.",
                       peer->name, version, PEER_VERSION);
    status = status ? status : peer_read_line(fd, line, PEER_LINE_MOST);
    if (status)
        return peer_unreachable(c, peer, -status);
    if (strncmp(line, "no ", 3) == 0)
        return trouble(c, EACCES, "%.250s", line + 3);
    if (strcmp(line, "ok") != 0 && strncmp(line, "ok ", 3) != 0)
        return trouble(c, EPROTO, "The peer at %s answered neither yes nor no.", peer->name);
    return 0;
}

static inline int peer_ask_for(struct rk_context *c, struct peer *peer, const char *service,
                               int *fd, char line[PEER_LINE_MOST])
{
    int status = peer_connect(peer, fd);
    if (status)
        return peer_unreachable(c, peer, -status);
    status = peer_greet(c, peer, *fd, service, line);
    if (status) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* A new connection on which the peer now serves `service`. 0 or a status, with the reason set and
 * *fd -1. */
static inline int peer_ask(struct rk_context *c, struct peer *peer, const char *service, int *fd)
{
    char line[PEER_LINE_MOST];
    return peer_ask_for(c, peer, service, fd, line);
}

/* The same for a service with a port of its own, whose address this gives. Closing *fd ends it. */
static inline int peer_door(struct rk_context *c, struct peer *peer, const char *service, int *fd,
                            struct sockaddr_storage *address, socklen_t *length)
{
    char line[PEER_LINE_MOST];
    *address = peer->address;
    *length = peer->length;
    const int status = peer_ask_for(c, peer, service, fd, line);
    if (status)
        return status;
    int port = 0;
    if (sscanf(line, "ok %6d", &port) != 1 || port < 1 || port > 65535) {
        close(*fd);
        *fd = -1;
        return trouble(c, EPROTO, "The peer at %s names no port for %s.", peer->name, service);
    }
    ((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port); /* as for IPv4 */
    return 0;
}

#include "network/support/client_open.h"

#endif

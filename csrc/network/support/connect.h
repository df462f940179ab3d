/* connect.h: connections that are made, accepted and ended one after another, for network/connect.
 *
 * The next one begins when the other side has said, by one byte, that it accepted the one before,
 * so the accept queue never holds more than one. A queue that overflows drops the SYN, which is
 * sent again after 1 s: a median would hide that, a mean would be ruled by it. */
#ifndef RK_CONNECT_H
#define RK_CONNECT_H

#include <sys/time.h>

#include "network/support/door.h"

/* --- what went wrong, in a sentence --- */

static inline int not_connected(struct rk_context *c, int error)
{
    if (error == EADDRNOTAVAIL)
        return rk_cannot(c, "No local port is left for another connection; wait a minute until "
                            "those in TIME_WAIT are free, or widen net.ipv4.ip_local_port_range.");
    if (error == EINPROGRESS || error == ETIMEDOUT) /* the socket's own deadline, or the kernel's */
        return trouble(c, ETIMEDOUT,
                       "Nobody answered the SYN of a connection; is the peer "
                       "still up, does a firewall let every port through, is its accept queue "
                       "full?");
    if (error == ECONNREFUSED)
        return trouble(c, error, "The peer went away, or a firewall refuses all but its own port.");
    return rk_failed(c, "connect", error);
}

static inline int not_accepted(struct rk_context *c, ssize_t got, int error)
{
    if (got == 0 || error == ECONNRESET)
        return trouble(c, ECONNRESET, "The peer went away before it had accepted a connection.");
    if (error == EAGAIN)
        return trouble(c, ETIMEDOUT,
                       "A connection was made but not accepted within %d s; does "
                       "the peer still run?",
                       PEER_DEADLINE_S);
    return rk_failed(c, "recv", error);
}

/* --- one connection --- */

/* What close() does from then on: a RST instead of a FIN, and no TIME_WAIT (socket(7), SO_LINGER).
 */
static inline int prepare_reset(int fd)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

static inline int new_socket(const struct door *door)
{
    return socket(door->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Also the deadline of a connect() that nobody answers (socket(7), SO_SNDTIMEO). */
static inline int set_deadline(int fd)
{
    const struct timeval deadline = {.tv_sec = PEER_DEADLINE_S};
    const int bad = setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
    return bad ? bad : setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
}

/* A macro, so that what is timed at -O0 is the call and no more. */
#define CONNECT_TO(door, fd) connect(fd, (const struct sockaddr *)&(door)->address, (door)->length)

/* Waits until the other side has accepted; notes whether a SYN was lost. Closes fd on failure. */
static inline int await_accepted(struct rk_context *c, struct door *door, int fd)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    char byte;
    ssize_t got;
    do
        got = recv(fd, &byte, 1, 0);
    while (got < 0 && errno == EINTR);
    int status = got == 1 ? 0 : not_accepted(c, got, errno);
    if (!status && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0)
        status = rk_failed(c, "getsockopt", errno);
    if (status) {
        prepare_reset(fd);
        close(fd);
        return status;
    }
    door->sent_again += info.tcpi_total_retrans;
    door->made++;
    return 0;
}

/* A socket that is not connected yet; -1 with a reason. */
static inline int fresh_socket(struct rk_context *c, const struct door *door, int *status)
{
    const int fd = new_socket(door);
    *status = fd < 0 ? rk_refused(c, "socket", errno) : 0;
    if (fd >= 0 && set_deadline(fd) < 0) {
        *status = rk_failed(c, "setsockopt", errno);
        close(fd);
        return -1;
    }
    return fd;
}

/* An idle connection, not timed: established, accepted and its byte read (else close() would
 * be a reset); -1 with a reason. */
static inline int idle_connection(struct rk_context *c, struct door *door, int *status)
{
    const int fd = fresh_socket(c, door, status);
    if (fd < 0)
        return -1;
    if (CONNECT_TO(door, fd) < 0) {
        *status = not_connected(c, errno);
        close(fd);
        return -1;
    }
    *status = await_accepted(c, door, fd);
    return *status ? -1 : fd;
}

static inline int reset(struct rk_context *c, int fd)
{
    const int bad = prepare_reset(fd);
    return close(fd) < 0 || bad ? rk_failed(c, "a reset", errno) : 0;
}

/* After a connect() that was timed and gave `error`: sees it accepted, and resets it. */
static inline int end_connection(struct rk_context *c, struct door *door, int fd, int error)
{
    if (error) {
        close(fd);
        return not_connected(c, error);
    }
    const int status = await_accepted(c, door, fd);
    return status ? status : reset(c, fd);
}

/* --- what is timed, by whatever stamps TIMED(sample, body) has --- */

#define TIME_CONNECT(function, TIMED)                                                              \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n, enum server server, \
                        int cpu)                                                                   \
    {                                                                                              \
        struct door door;                                                                          \
        int status = open_door(c, &door, n, BY_RESET, server, cpu);                                \
        if (status)                                                                                \
            return status;                                                                         \
        for (size_t i = 0; i < n && !status; i++) {                                                \
            int bad = 0;                                                                           \
            const int fd = fresh_socket(c, &door, &status);                                        \
            if (fd < 0)                                                                            \
                break;                                                                             \
            TIMED(&out[i], bad = CONNECT_TO(&door, fd));                                           \
            status = end_connection(c, &door, fd, bad ? errno : 0);                                \
        }                                                                                          \
        return close_door(c, &door, BY_RESET, status);                                             \
    }

#define TIME_CLOSE(function, TIMED)                                                                \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n, enum ending ending, \
                        enum server server, int cpu)                                               \
    {                                                                                              \
        struct door door;                                                                          \
        int status = open_door(c, &door, n, ending, server, cpu);                                  \
        if (status)                                                                                \
            return status;                                                                         \
        for (size_t i = 0; i < n && !status; i++) {                                                \
            int bad = 0;                                                                           \
            const int fd = idle_connection(c, &door, &status);                                     \
            if (fd < 0)                                                                            \
                break;                                                                             \
            if (ending == BY_RESET)                                                                \
                bad = prepare_reset(fd);                                                           \
            sched_yield(); /* the server comes to wait for us, if it did not yet */                \
            TIMED(&out[i], bad |= close(fd));                                                      \
            if (bad)                                                                               \
                status = rk_failed(c, "close", errno);                                             \
        }                                                                                          \
        return close_door(c, &door, ending, status);                                               \
    }

#endif

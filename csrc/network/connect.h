/* connect.h: connections that are made, accepted and ended one after the other, for network/connect.
 *
 * The next one begins when the other side has said, by one byte, that it accepted the one before: so
 * the accept queue never holds more than one. A queue that overflows drops the SYN, which is sent
 * again after 1 s: a median would hide that, a mean would be ruled by it. */
#ifndef RK_CONNECT_H
#define RK_CONNECT_H

#include <sys/time.h>

#include "client.h"
#include "counts.h"
#include "stamps.h"

/* An orderly close leaves its port in TIME_WAIT for a minute. */
#define ORDERLY_MOST 1000

#define PEER RK_WORD("peer", "loopback", "loopback, or other: the other host")

enum ending { BY_RESET, IN_ORDER };

/* Where the connections go, and how it was before them. */
struct door {
    struct peer peer;
    struct sockaddr_storage address;
    socklen_t length;
    int control;
    size_t made;
    int64_t sent_again; /* SYNs of these connections */
    struct counts before;
};

static inline int set_linger(int fd, int seconds)
{
    const struct linger reset = {.l_onoff = seconds >= 0, .l_linger = seconds};
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
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline) < 0 ||
           setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline) < 0;
}

/* A macro, so that what is timed at -O0 is the call and no more. */
#define CONNECT_TO(door, fd) connect(fd, (const struct sockaddr *)&(door)->address, (door)->length)

/* --- what went wrong, in a sentence ------------------------------------------------------------- */

static inline int not_connected(struct rk_context *c, int error)
{
    if (error == EADDRNOTAVAIL)
        return rk_cannot(c, "No local port is left for another connection; wait a minute until those "
                            "in TIME_WAIT are free, or widen net.ipv4.ip_local_port_range.");
    if (error == EINPROGRESS || error == ETIMEDOUT) /* the socket's own deadline, or the kernel's */
        return peer_trouble(c, ETIMEDOUT, "Nobody answered the SYN of a connection; is the peer still "
                            "up, does a firewall let every port through, is its accept queue full?");
    if (error == ECONNREFUSED)
        return peer_trouble(c, error, "The peer listens no more for the connections to be timed; start "
                            "it again.");
    return rk_failed(c, "connect", error);
}

static inline int not_accepted(struct rk_context *c, ssize_t got, int error)
{
    if (got == 0 || error == ECONNRESET)
        return peer_trouble(c, ECONNRESET, "The peer went away before it had accepted a connection.");
    if (error == EAGAIN)
        return peer_trouble(c, ETIMEDOUT, "A connection was made but not accepted within %d s; does "
                            "the peer still run?", PEER_DEADLINE_S);
    return rk_failed(c, "recv", error);
}

/* --- the door ----------------------------------------------------------------------------------- */

/* As many local ports as the kernel chooses from; -1 if not known. */
static inline int64_t local_ports(void)
{
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    int64_t least = 0, most = -2;
    if (file && fscanf(file, "%ld %ld", &least, &most) != 2)
        most = least - 2;
    if (file)
        fclose(file);
    return most - least + 1;
}

/* Those in TIME_WAIT make the choice of a port slower, and in the end impossible. */
static inline int bound_time_wait(struct rk_context *c, size_t n)
{
    const int64_t ports = local_ports(), waiting = count_time_wait();
    char why[192];
    if (n > ORDERLY_MOST) {
        snprintf(why, sizeof why, "A process closes at most %d connections in order, because each "
                 "holds its port for a minute; take fewer samples.", ORDERLY_MOST);
        return rk_cannot(c, why);
    }
    if (ports < 0 || waiting < 0 || 2 * (waiting + (int64_t)n) <= ports)
        return 0;
    snprintf(why, sizeof why, "%lld connections in TIME_WAIT and %zu more would hold over half of the "
             "%lld local ports; wait a minute.", (long long)waiting, n, (long long)ports);
    return rk_cannot(c, why);
}

/* Starts or finds the other side (a server on `cpu`, -1: this one), and has it accept n. */
static inline int open_door(struct rk_context *c, struct door *door, size_t n, enum ending ending,
                            int cpu)
{
    char service[64];
    snprintf(service, sizeof service, "accept %zu 0", n);
    *door = (struct door){.control = -1};
    int status = peer_open(c, cpu, &door->peer);
    if (status)
        return status;
    door->before = count_tcp();
    status = ending == IN_ORDER ? bound_time_wait(c, n) : 0;
    if (!status)
        status = peer_door(c, &door->peer, service, &door->control, &door->address, &door->length);
    return status ? peer_close(c, &door->peer, status) : 0;
}

/* What the other side counted must be what was done here. */
static inline int agree(struct rk_context *c, struct door *door, enum ending ending)
{
    long long accepted, overflows, drops, in_order;
    char line[128];
    int status = peer_line(c, door->control, line, sizeof line);
    if (status)
        return status;
    if (sscanf(line, "done %lld %lld %lld %lld", &accepted, &overflows, &drops, &in_order) != 4)
        return peer_trouble(c, EPROTO, "The peer did not say what it had accepted.");
    if (overflows > 0 || drops > 0 || (overflows < 0 && door->sent_again > 0))
        return peer_trouble(c, EBUSY, "A full accept queue turned connections away (%lld overflows, "
                            "%lld drops), so that their SYN was sent again; raise net.core.somaxconn "
                            "on the peer's host.", overflows, drops);
    if (accepted != (long long)door->made || in_order != (ending == IN_ORDER ? accepted : 0))
        return peer_trouble(c, EPROTO, "%zu connections were made, %lld were accepted and %lld closed "
                            "in order, not by a reset.", door->made, accepted, in_order);
    return 0;
}

static inline int close_door(struct rk_context *c, struct door *door, enum ending ending, int status)
{
    if (!status)
        status = agree(c, door, ending);
    note_tcp_since(c, &door->before);
    close(door->control);
    return peer_close(c, &door->peer, status);
}

/* --- one connection ----------------------------------------------------------------------------- */

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
        set_linger(fd, 0);
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
    if (fd >= 0 && set_deadline(fd)) {
        *status = rk_failed(c, "setsockopt", errno);
        close(fd);
        return -1;
    }
    return fd;
}

/* An idle connection, not timed: established, accepted and its byte read; -1 with a reason. */
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

/* By a reset, so that it leaves no TIME_WAIT. */
static inline int reset(struct rk_context *c, int fd)
{
    const int kept = set_linger(fd, 0);
    return close(fd) < 0 || kept < 0 ? rk_failed(c, "close", errno) : 0;
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

/* --- what is timed, by whatever stamps TIMED(sample, body) has ----------------------------------- */

#define TIME_CONNECT(function, TIMED)                                                              \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n, int cpu)            \
    {                                                                                              \
        struct door door;                                                                          \
        int status = open_door(c, &door, n, BY_RESET, cpu);                                        \
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

#define TIME_SOCKET_CONNECT(function, TIMED)                                                       \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n, int cpu)            \
    {                                                                                              \
        struct door door;                                                                          \
        int status = open_door(c, &door, n, BY_RESET, cpu);                                        \
        if (status)                                                                                \
            return status;                                                                         \
        for (size_t i = 0; i < n && !status; i++) {                                                \
            int fd = -1, bad = 0;                                                                  \
            TIMED(&out[i], bad = (fd = new_socket(&door)) < 0 || CONNECT_TO(&door, fd) < 0);       \
            const int error = bad ? errno : 0;                                                     \
            if (fd < 0)                                                                            \
                status = rk_refused(c, "socket", error);                                           \
            else if (set_deadline(fd)) /* after: setting it is not what is timed */                \
                close(fd), status = rk_failed(c, "setsockopt", errno);                             \
            else                                                                                   \
                status = end_connection(c, &door, fd, error);                                      \
        }                                                                                          \
        return close_door(c, &door, BY_RESET, status);                                             \
    }

#define TIME_CLOSE(function, TIMED)                                                                \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n, int cpu,            \
                        enum ending ending)                                                        \
    {                                                                                              \
        struct door door;                                                                          \
        int status = open_door(c, &door, n, ending, cpu);                                          \
        if (status)                                                                                \
            return status;                                                                         \
        for (size_t i = 0; i < n && !status; i++) {                                                \
            int bad = 0;                                                                           \
            const int fd = idle_connection(c, &door, &status);                                     \
            if (fd < 0)                                                                            \
                break;                                                                             \
            if (ending == BY_RESET && set_linger(fd, 0) < 0)                                       \
                status = rk_failed(c, "setsockopt", errno);                                        \
            TIMED(&out[i], bad = close(fd));                                                       \
            if (bad)                                                                               \
                status = rk_failed(c, "close", errno);                                             \
        }                                                                                          \
        return close_door(c, &door, ending, status);                                               \
    }

#endif

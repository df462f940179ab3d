#include "network/support/connect.h"

#include "probe/kernel_files.h"

/* A connection closed in order leaves its port in TIME_WAIT for a minute. */
#define ORDERLY_MAX 1000

/* --- why a connection failed --- */

int not_connected(struct rk_context *c, int error)
{
    if (error == EADDRNOTAVAIL)
        return rk_unsupported(c, "No local port is left for another connection; wait a minute "
                                 "until those in "
                                 "TIME_WAIT are free, or widen net.ipv4.ip_local_port_range.");
    if (error == EINPROGRESS || error == ETIMEDOUT) /* the socket's own deadline, or the kernel's */
        return rk_error(c, ETIMEDOUT,
                        "No answer to the SYN of a connection; is the peer still up, does a "
                        "firewall let every port through, is its accept queue full?");
    if (error == ECONNREFUSED)
        return rk_error(c, error,
                        "The peer went away, or a firewall refuses all but its own port.");
    return rk_failed(c, "connect", error);
}

static int not_accepted(struct rk_context *c, ssize_t got, int error)
{
    if (got == 0 || error == ECONNRESET)
        return rk_error(c, ECONNRESET, "The peer went away before it had accepted a connection.");
    if (error == EAGAIN)
        return rk_error(c, ETIMEDOUT,
                        "A connection was made but not accepted within %d s; does the peer still "
                        "run?",
                        PEER_DEADLINE_S);
    return rk_failed(c, "recv", error);
}

/* --- the side that accepts --- */

/* As many local ports as the kernel chooses from; -1 if not known. */
static int64_t local_ports(void)
{
    char text[64];
    long first, last;
    rk_read_text("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof text);
    return sscanf(text, "%ld %ld", &first, &last) == 2 ? last - first + 1 : -1;
}

/* Waits until fewer than half of the local ports are in TIME_WAIT: with most of them taken, no
 * server finds a free one. Processes in turn make hundreds of connections a second. */
static int bound_time_wait(struct rk_context *c, size_t n)
{
    const int64_t ports = local_ports(), wait_ms = rk_integer(c, "ports_wait_ms");
    const struct timespec pause = {0, 50000000};
    if (n > ORDERLY_MAX)
        return rk_unsupported(c,
                              "A process closes at most %d connections in order, because each "
                              "holds its port for a minute; take fewer samples.",
                              ORDERLY_MAX);
    const uint64_t end_ns = rk_monotonic_ns() + (uint64_t)wait_ms * 1000000u;
    for (;;) {
        const int64_t waiting = rk_count_time_wait();
        if (ports < 0 || waiting < 0 || 2 * (waiting + (int64_t)n) <= ports)
            return 0;
        if (rk_monotonic_ns() >= end_ns)
            return rk_unsupported(c,
                                  "%lld connections in TIME_WAIT and %zu more would hold over half "
                                  "of the %lld local ports; wait a minute.",
                                  (long long)waiting, n, (long long)ports);
        nanosleep(&pause, NULL);
    }
}

int open_acceptor(struct rk_context *c)
{
    struct acceptor *to = rk_state(c);
    const struct acceptor_variant *const variant = rk_variant(c);
    const struct sched_param none = {0};
    to->opened = rk_stamp_now();
    to->control = -1;
    const int status = peer_open(c, &to->peer, variant->kind == ACROSS ? OTHER_CPU : SAME_CPU);
    if (status || !to->peer.server || variant->kind != BATCH)
        return status;
    /* Before it serves: the processes that it forks inherit this. */
    const int bad = sched_setscheduler(to->peer.server, SCHED_BATCH, &none);
    return bad ? rk_refused(c, "sched_setscheduler", errno) : 0;
}

int close_acceptor(struct rk_context *c)
{
    struct acceptor *to = rk_state(c);
    return peer_close(c, &to->peer);
}

int begin_accepting(struct rk_context *c, struct acceptor *to, size_t n, enum ending ending)
{
    const int at_once = 1;
    char service[64];
    snprintf(service, sizeof service, "accept %zu", n);
    to->control = -1;
    to->connections = to->syn_retransmits = 0;
    int status = ending == IN_ORDER ? bound_time_wait(c, n) : 0;
    to->before = rk_count_tcp();
    if (!status)
        status = peer_request_port(c, &to->peer, service, &to->control, &to->address, &to->length);
    /* Acknowledges the answer now, not after 40 ms: before, it would be sent again and counted. */
    if (!status)
        setsockopt(to->control, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
    return status;
}

/* A SYN that was lost on the way is a sample as any other, and the record's `retransmits` shows it;
 * one that found the accept queue full is a failure. */
static int compare_counts(struct rk_context *c, const struct acceptor *to, enum ending ending)
{
    long long accepted, overflows, drops, in_order;
    char line[128];
    const int status = peer_line(c, to->control, line, sizeof line);
    if (status)
        return status;
    if (sscanf(line, "done %lld %lld %lld %lld", &accepted, &overflows, &drops, &in_order) != 4)
        return rk_error(c, EPROTO, "The peer did not say what it had accepted.");
    /* Without a SYN sent again, overflows and drops are those of another socket there. */
    if (to->syn_retransmits && (overflows > 0 || drops > 0))
        return rk_error(
            c, EBUSY,
            "A full accept queue on the peer's host dropped a SYN, which was sent again a second "
            "later (%lld overflows, %lld drops); is its net.core.somaxconn far below 4096?",
            overflows, drops);
    if (to->syn_retransmits && (overflows < 0 || drops < 0))
        return rk_error(c, EBUSY,
                        "A SYN was sent again a second later, and the peer cannot tell whether its "
                        "accept queue was full: it may not read /proc/self/net/netstat there.");
    if (accepted != (long long)to->connections || in_order != (ending == IN_ORDER ? accepted : 0))
        return rk_error(c, EPROTO,
                        "%zu connections were made, %lld were accepted and %lld closed in order, "
                        "not by a reset.",
                        to->connections, accepted, in_order);
    return 0;
}

int end_accepting(struct rk_context *c, struct acceptor *to, enum ending ending, int status)
{
    if (!status)
        status = compare_counts(c, to, ending);
    rk_note_tcp_since(c, &to->before);
    if (to->control >= 0)
        close(to->control);
    return status;
}

/* --- one connection --- */

int prepare_reset(int fd)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

int await_accepted(struct rk_context *c, struct acceptor *to, int fd)
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
    to->syn_retransmits += info.tcpi_total_retrans;
    to->connections++;
    return 0;
}

int new_socket_with_deadline(struct rk_context *c, const struct acceptor *to, int *status)
{
    const int fd = new_socket(to);
    *status = fd < 0 ? rk_refused(c, "socket", errno) : 0;
    if (fd >= 0 && rk_set_time_limits(fd, PEER_DEADLINE_S) < 0) {
        *status = rk_failed(c, "setsockopt", errno);
        close(fd);
        return -1;
    }
    return fd;
}

int idle_connection(struct rk_context *c, struct acceptor *to, int *status)
{
    const int fd = new_socket_with_deadline(c, to, status);
    if (fd < 0)
        return -1;
    if (CONNECT_TO(to, fd) < 0) {
        *status = not_connected(c, errno);
        close(fd);
        return -1;
    }
    *status = await_accepted(c, to, fd);
    return *status ? -1 : fd;
}

int close_by_reset(struct rk_context *c, int fd)
{
    const int bad = prepare_reset(fd);
    return close(fd) < 0 || bad ? rk_failed(c, "a reset", errno) : 0;
}

int end_connection(struct rk_context *c, struct acceptor *to, int fd, int error)
{
    if (error) {
        close(fd);
        return not_connected(c, error);
    }
    const int status = await_accepted(c, to, fd);
    return status ? status : close_by_reset(c, fd);
}

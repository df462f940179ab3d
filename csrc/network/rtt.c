/* network/rtt: there and back over the network, as a process sees it and as a capture does. */
#include "network/support/ping.h"
#include "network/support/rtt_wire.h"
#include "network/support/servers.h"
#include "probe/stamps.h"

static char buffer[MESSAGE_MAX];

static size_t size_of(const struct rk_context *c)
{
    return (size_t)rk_integer(c, "size_bytes");
}

/* --- TCP --- */

static int open_tcp(struct rk_context *c)
{
    const int status = open_awake_trip(c);
    return status ? status : begin_echo(c, buffer);
}

static int run_tcp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = size_of(c);
    const int fd = ((const struct trip *)rk_state(c))->fd;
    const struct rk_tcp_counts before = rk_count_tcp();
    int bad = 0;
    TRIPS(out, n, rk_integer(c, "rounds"), bad, round_trip(fd, buffer, size));
    rk_note_tcp_since(c, &before);
    return trip_failed(c, bad);
}

/* --- UDP --- */

struct datagrams {
    struct trip trip; /* its connection keeps the service open */
    int fd;
    uint32_t number;
};

/* Each datagram has its number, so that an answer which comes late or twice is not taken for the
 * next one's. */
static int exchange(int fd, size_t size, uint32_t number)
{
    static char answer[MESSAGE_MAX];
    const size_t numbered = size < sizeof number ? size : sizeof number;
    memcpy(buffer, &number, numbered);
    while (send(fd, buffer, size, 0) != (ssize_t)size)
        if (errno != EINTR)
            return -errno;
    for (;;) {
        const ssize_t got = recv(fd, answer, sizeof answer, 0);
        if (got == (ssize_t)size && memcmp(answer, buffer, numbered) == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
    }
}

static int connect_udp(struct rk_context *c, const struct sockaddr_storage *to, socklen_t length,
                       int *fd)
{
    *fd = socket(to->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return rk_refused(c, "a socket for datagrams", errno);
    if (connect(*fd, (const struct sockaddr *)to, length) == 0 &&
        rk_set_time_limits(*fd, PEER_DEADLINE_S) == 0)
        return 0;
    return rk_failed(c, "connecting a socket for datagrams", errno);
}

/* A server that died with the datagram unread is silent, and its TCP connection has ended. */
static int check_server(int bad, int control)
{
    char byte;
    const int is_closed =
        bad == -ETIMEDOUT && recv(control, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    return is_closed ? -ECONNRESET : bad;
}

static int open_udp(struct rk_context *c)
{
    struct datagrams *state = rk_state(c);
    struct sockaddr_storage to;
    socklen_t length;
    state->fd = -1;
    int status = open_awake_trip(c);
    if (!status)
        status = peer_request_port(c, &state->trip.peer, "udp-echo", &state->trip.fd, &to, &length);
    if (!status)
        status = connect_udp(c, &to, length, &state->fd);
    if (status)
        return status;
    const int bad = exchange(state->fd, size_of(c), state->number); /* not timed */
    return trip_failed(c, check_server(bad, state->trip.fd));
}

static int run_udp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = size_of(c);
    struct datagrams *state = rk_state(c);
    const int fd = state->fd;
    const struct rk_tcp_counts before = rk_count_tcp();
    uint32_t number = state->number;
    int bad = 0;
    TRIPS(out, n, rk_integer(c, "rounds"), bad, exchange(fd, size, ++number));
    state->number = number;
    rk_note_tcp_since(c, &before);
    return trip_failed(c, check_server(bad, state->trip.fd));
}

static int close_udp(struct rk_context *c)
{
    struct datagrams *state = rk_state(c);
    if (state->fd >= 0)
        close(state->fd);
    return close_trip(c);
}

/* --- ICMP --- */

struct echo_requests {
    struct trip trip;
    struct ping ping;
};

static int open_icmp(struct rk_context *c)
{
    struct echo_requests *state = rk_state(c);
    int status = open_awake_trip(c);
    if (!status)
        status = ping_open(c, &state->trip.peer, size_of(c), &state->ping);
    if (status)
        return status;
    state->trip.fd = state->ping.fd;
    return trip_failed(c, ping_once(&state->ping));
}

static int run_icmp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct ping *ping = &((struct echo_requests *)rk_state(c))->ping;
    const struct rk_tcp_counts before = rk_count_tcp();
    int bad = 0;
    TRIPS(out, n, rk_integer(c, "rounds"), bad, ping_once(ping));
    rk_note_tcp_since(c, &before);
    return trip_failed(c, bad);
}

/* --- by a capture --- */

struct captured_trip {
    struct trip trip;
    struct capture capture;
};

static int open_tcp_wire(struct rk_context *c)
{
    struct captured_trip *state = rk_state(c);
    int status = open_awake_trip(c);
    if (!status)
        status = begin_echo(c, buffer);
    return status ? status : capture_connection(c, state->trip.fd, &state->capture);
}

static int run_tcp_wire(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct captured_trip *state = rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    const int bad = time_wire(&state->trip, &state->capture, out, n, buffer, size_of(c));
    rk_ns_to_ticks(out, n, &state->trip.opened);
    rk_note_tcp_since(c, &before);
    return capture_failed(c, bad);
}

static int close_captured(struct rk_context *c)
{
    struct captured_trip *state = rk_state(c);
    const int lost = state->capture.ring ? capture_close(c, &state->capture, 0) : 0;
    const int status = close_trip(c);
    return lost ? lost : status;
}

static int open_hpe_i7_860(struct rk_context *c)
{
    struct captured_trip *state = rk_state(c);
    int status = open_trip(c);
    if (!status)
        status = peer_request(c, &state->trip.peer, "quickack", &state->trip.fd);
    return status ? status : capture_connection(c, state->trip.fd, &state->capture);
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct captured_trip *state = rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    const int bad =
        time_acknowledgements(&state->trip, &state->capture, out, n, rk_integer(c, "interval_us"));
    rk_ns_to_ticks(out, n, &state->trip.opened);
    rk_note_tcp_since(c, &before);
    return capture_failed(c, bad);
}

/* --- mbp2016: the server is a thread of the client --- */

struct trip_to_thread {
    struct trip trip;
    struct loopback_thread server; /* fd -1: reckon-peer on the other host instead */
};

static int write_and_read(int fd, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t sent = send(fd, buffer + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        done += sent > 0 ? (size_t)sent : 0;
    }
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(fd, buffer + done, size - done);
        if (got == 0)
            return -ECONNRESET;
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static int open_mbp2016(struct rk_context *c)
{
    struct trip_to_thread *state = rk_state(c);
    state->server.fd = -1;
    int status = open_trip(c);
    if (status)
        return status;
    status = peer_is_loopback(c)
                 ? echo_thread_begin(c, &state->server, &state->trip.peer, &state->trip.fd)
                 : begin_echo(c, buffer);
    return status ? status : trip_failed(c, write_and_read(state->trip.fd, size_of(c)));
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = size_of(c);
    const int fd = ((const struct trip_to_thread *)rk_state(c))->trip.fd;
    const struct rk_tcp_counts before = rk_count_tcp();
    int bad = 0;
    for (size_t i = 0; i < n && !bad; i++)
        RK_TIME_DIFFERENCE(out + i, 1, rk_integer(c, "rounds"),
                           bad = bad ? bad : write_and_read(fd, size));
    rk_note_tcp_since(c, &before);
    return trip_failed(c, bad);
}

static int close_mbp2016(struct rk_context *c)
{
    struct trip_to_thread *state = rk_state(c);
    if (state->server.fd >= 0)
        loopback_thread_end(&state->server, state->trip.fd);
    return close_trip(c);
}

#define DATAGRAM(default_)                                                                         \
    RK_INTEGER("size_bytes", default_, 1, PING_MAX, "of the payload, each way")
RK_PROBE("network/rtt/tcp", .op = "round trip",
         .timed = "rounds x a message sent over TCP (TCP_NODELAY) and as many bytes received back; "
                  "on loopback the server is on the same CPU",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, SIZE(64), ROUNDS(1), RK_HOLD_IDLE),
         RK_STAGES(struct trip, open_tcp, run_tcp, close_trip));
RK_PROBE("network/rtt/tcp_across", .op = "round trip",
         .timed = "rounds x a message sent over TCP (TCP_NODELAY) and as many bytes received back; "
                  "the server is on another CPU of this computer",
         .needs = RK_NEEDS_PEER,
         .params = RK_PARAMS(PEER, SIZE(64), ROUNDS(1), RK_HOLD_IDLE, RK_PARTNER),
         RK_STAGES(struct trip, open_tcp, run_tcp, close_trip), SERVER(OTHER_CPU));
RK_PROBE("network/rtt/udp", .op = "round trip",
         .timed = "rounds x a datagram sent and its answer received; on loopback the server is on "
                  "the same CPU",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, DATAGRAM(64), ROUNDS(1), RK_HOLD_IDLE),
         RK_STAGES(struct datagrams, open_udp, run_udp, close_udp));
RK_PROBE("network/rtt/udp_across", .op = "round trip",
         .timed = "rounds x a datagram sent and its answer received; the server is on another CPU "
                  "of this computer",
         .needs = RK_NEEDS_PEER,
         .params = RK_PARAMS(PEER, DATAGRAM(64), ROUNDS(1), RK_HOLD_IDLE, RK_PARTNER),
         RK_STAGES(struct datagrams, open_udp, run_udp, close_udp), SERVER(OTHER_CPU));
RK_PROBE("network/rtt/icmp", .op = "round trip",
         .timed = "rounds x an echo request sent and its reply received, by a ping socket or else "
                  "a raw one; the other end's kernel answers",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, DATAGRAM(56), ROUNDS(1), RK_HOLD_IDLE),
         RK_STAGES(struct echo_requests, open_icmp, run_icmp, close_trip), SERVER(NO_SERVER));
RK_PROBE("network/rtt/tcp_wire", .op = "round trip",
         .timed = "of a round trip over TCP, by the kernel's time stamps of captured packets: from "
                  "the first segment of the message as it leaves to the first of the answer as it "
                  "comes in",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, SIZE(64), RK_HOLD_IDLE),
         RK_STAGES(struct captured_trip, open_tcp_wire, run_tcp_wire, close_captured));
RK_PROBE("network/rtt/hpe_i7_860", .op = "round trip", .reports = "hpe_i7_860",
         .timed = "by the kernel's time stamps of captured packets: from a segment as it leaves to "
                  "its acknowledgement as it comes in; 1 B every interval_us, TCP_QUICKACK at the "
                  "server",
         .needs = RK_NEEDS_PEER,
         .params = RK_PARAMS(PEER, RK_INTEGER("interval_us", 1000, 1, 1000000,
                                              "from one byte to the next")),
         RK_STAGES(struct captured_trip, open_hpe_i7_860, run_hpe_i7_860, close_captured));
RK_PROBE("network/rtt/mbp2016", .op = "round trip", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n messages written and read back, the server a thread of the "
                  "client's process on any CPU (peer=other: reckon-peer there)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, SIZE(64), ROUNDS(100)),
         RK_STAGES(struct trip_to_thread, open_mbp2016, run_mbp2016, close_mbp2016),
         SERVER(NO_SERVER));

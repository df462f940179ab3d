/* network/rtt: there and back over the network, as a process sees it and as a capture does. */
#include "network/support/ping.h"
#include "network/support/rtt_wire.h"
#include "network/support/servers.h"
#include "probe/stamps.h"

static char buffer[SIZE_MOST];

/* Where a server of the row's own runs, for the rows across two CPUs. 0 or a status. */
static int other_cpu(struct rk_context *c, int *cpu)
{
    *cpu = rk_other_cpu();
    if (*cpu < 0)
        return rk_cannot(c, "needs a second CPU, and this process may use only one");
    return only_loopback(c, "the other CPU is one of this computer: peer must be loopback here");
}

/* --- TCP --- */

static int time_tcp(struct rk_context *c, struct rk_sample *out, size_t n, int cpu)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    struct trip trip;
    int status = trip_begin(c, &trip, cpu, (int)rk_integer(c, "hold_idle")), bad = 0;
    if (status)
        return status;
    status = trip_echo(c, &trip, buffer, size);
    if (!status)
        TRIPS(out, n, rk_integer(c, "rounds"), bad, there_and_back(trip.fd, buffer, size));
    return trip_end(c, &trip, status ? status : trip_failed(c, bad));
}

static int run_tcp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_tcp(c, out, n, SAME_CPU);
}

static int run_tcp_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int cpu;
    const int status = other_cpu(c, &cpu);
    return status ? status : time_tcp(c, out, n, cpu);
}

/* --- UDP --- */

/* Each datagram has its number, so that an answer which comes late or twice is not taken for the
 * next one's. */
static int exchange(int fd, size_t size, uint32_t number)
{
    static char answer[SIZE_MOST];
    const size_t told = size < sizeof number ? size : sizeof number;
    memcpy(buffer, &number, told);
    while (send(fd, buffer, size, 0) != (ssize_t)size)
        if (errno != EINTR)
            return -errno;
    for (;;) {
        const ssize_t got = recv(fd, answer, sizeof answer, 0);
        if (got == (ssize_t)size && memcmp(answer, buffer, told) == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
    }
}

static int open_udp(struct rk_context *c, const struct sockaddr_storage *to, socklen_t length,
                    int *fd)
{
    const struct timeval limit = {.tv_sec = PEER_DEADLINE_S};
    *fd = socket(to->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return rk_refused(c, "a socket for datagrams", errno);
    if (connect(*fd, (const struct sockaddr *)to, length) == 0 &&
        setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0)
        return 0;
    const int error = errno;
    close(*fd);
    return rk_failed(c, "connecting a socket for datagrams", error);
}

/* An end that died with our datagram unread leaves silence, and the end of its other connection. */
static int silent_or_gone(int bad, int control)
{
    char byte;
    return bad == -ETIMEDOUT && recv(control, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ? -ECONNRESET
                                                                                      : bad;
}

static int time_udp(struct rk_context *c, struct rk_sample *out, size_t n, int cpu)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    struct sockaddr_storage to;
    socklen_t length;
    struct trip trip;
    uint32_t number = 0;
    int status = trip_begin(c, &trip, cpu, (int)rk_integer(c, "hold_idle")), bad = 0, fd = -1;
    if (status)
        return status;
    status = peer_door(c, &trip.peer, "udp-echo", &trip.fd, &to, &length);
    if (!status)
        status = open_udp(c, &to, length, &fd);
    if (!status) {
        bad = exchange(fd, size, number); /* one that nobody times */
        TRIPS(out, n, rk_integer(c, "rounds"), bad, exchange(fd, size, ++number));
        bad = silent_or_gone(bad, trip.fd);
        close(fd);
    }
    return trip_end(c, &trip, status ? status : trip_failed(c, bad));
}

static int run_udp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_udp(c, out, n, SAME_CPU);
}

static int run_udp_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int cpu;
    const int status = other_cpu(c, &cpu);
    return status ? status : time_udp(c, out, n, cpu);
}

/* --- ICMP --- */

static int run_icmp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    static struct ping ping;
    struct trip trip;
    int status = trip_begin(c, &trip, NO_SERVER, (int)rk_integer(c, "hold_idle")), bad = 0;
    if (status)
        return status;
    status = ping_open(c, &trip.peer, (size_t)rk_integer(c, "size_bytes"), &ping);
    if (!status) {
        bad = ping_once(&ping);
        TRIPS(out, n, rk_integer(c, "rounds"), bad, ping_once(&ping));
        close(ping.fd);
    }
    return trip_end(c, &trip, status ? status : trip_failed(c, bad));
}

/* --- seen by a capture --- */

static int run_tcp_wire(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const struct rk_stamp begin = rk_stamp_now();
    struct capture capture;
    struct trip trip;
    int status = trip_begin(c, &trip, SAME_CPU, (int)rk_integer(c, "hold_idle"));
    if (status)
        return status;
    status = trip_echo(c, &trip, buffer, size);
    if (!status)
        status = open_capture(c, trip.fd, &capture);
    if (!status) {
        status = capture_failed(c, time_wire(&trip, &capture, out, n, buffer, size));
        status = capture_close(c, &capture, status);
        capture_to_ticks(out, n, &begin);
    }
    return trip_end(c, &trip, status);
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_stamp begin = rk_stamp_now();
    struct capture capture;
    struct trip trip;
    int status = trip_begin(c, &trip, SAME_CPU, 0);
    if (status)
        return status;
    status = peer_ask(c, &trip.peer, "quickack", &trip.fd);
    if (!status)
        status = open_capture(c, trip.fd, &capture);
    if (!status) {
        const int64_t interval_us = rk_integer(c, "interval_us");
        status = capture_failed(c, time_acknowledgements(&trip, &capture, out, n, interval_us));
        status = capture_close(c, &capture, status);
        capture_to_ticks(out, n, &begin);
    }
    return trip_end(c, &trip, status);
}

/* --- mbp2016: the server is a thread of the client --- */

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
        if (got == 0 || (got < 0 && errno != EINTR))
            return got == 0 ? -ECONNRESET : errno == EAGAIN ? -ETIMEDOUT : -errno;
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const int own = strcmp(rk_text(c, "peer"), "loopback") == 0;
    struct echo_thread server = {.fd = -1};
    struct trip trip;
    int status = trip_begin(c, &trip, own ? NO_SERVER : SAME_CPU, 0), bad = 0;
    if (status)
        return status;
    status = own ? echo_thread_begin(c, &server, &trip.peer, &trip.fd)
                 : trip_echo(c, &trip, buffer, size);
    if (!status) {
        bad = write_and_read(trip.fd, size);
        for (size_t i = 0; i < n && !bad; i++)
            RK_TWICE_MINUS_ONCE(out + i, 1, rk_integer(c, "rounds"),
                                bad = bad ? bad : write_and_read(trip.fd, size));
        if (own)
            echo_thread_end(&server, trip.fd);
    }
    return trip_end(c, &trip, status ? status : trip_failed(c, bad));
}

#define DATAGRAM(preset) RK_COUNT("size_bytes", preset, 1, PING_MOST, "of the payload, each way")
#define OURS(size) RK_PARAMS(PEER, SIZE(size), ROUNDS(1), RK_HOLD_IDLE)
#define ROW(id, what, ...)                                                                         \
    RK_PROBE(id, .name = "network/rtt/" #id, .op = "round trip", .timed = what,                    \
             .needs = RK_NEEDS_PEER, .trials = run_##id, __VA_ARGS__)

ROW(tcp,
    "rounds x a message sent over TCP (TCP_NODELAY) and as many bytes received back; on loopback "
    "the server is on the same CPU",
    .params = OURS(64));
ROW(tcp_across,
    "rounds x a message sent over TCP (TCP_NODELAY) and as many bytes received back; the "
    "server is on another CPU of this computer (the lowest)",
    .params = OURS(64));
ROW(udp,
    "rounds x a datagram sent and its answer received; on loopback the server is on the same CPU",
    .params = RK_PARAMS(PEER, DATAGRAM(64), ROUNDS(1), RK_HOLD_IDLE));
ROW(udp_across,
    "rounds x a datagram sent and its answer received; the server is on another CPU of "
    "this computer (the lowest)",
    .params = RK_PARAMS(PEER, DATAGRAM(64), ROUNDS(1), RK_HOLD_IDLE));
ROW(icmp,
    "rounds x an echo request sent and its reply received, by a ping socket or else a raw one; "
    "the other end's kernel answers",
    .params = RK_PARAMS(PEER, DATAGRAM(56), ROUNDS(1), RK_HOLD_IDLE));
ROW(tcp_wire,
    "of a round trip over TCP, by the kernel's time stamps of captured packets: from the "
    "first segment of the message as it leaves to the first of the answer as it comes in",
    .params = RK_PARAMS(PEER, SIZE(64), RK_HOLD_IDLE));
ROW(hpe_i7_860,
    "by the kernel's time stamps of captured packets: from a segment as it leaves to its "
    "acknowledgement as it comes in; 1 B every interval_us, TCP_QUICKACK at the server",
    .reports = "hpe_i7_860",
    .params = RK_PARAMS(PEER,
                        RK_COUNT("interval_us", 1000, 1, 1000000, "from one byte to the next")));
ROW(mbp2016,
    "t(2n) - t(n) of n messages written and read back, the server a thread of the client's "
    "process on any CPU (peer=other: reckon-peer there)",
    .reports = "mbp2016", .params = RK_PARAMS(PEER, SIZE(64), ROUNDS(100)));

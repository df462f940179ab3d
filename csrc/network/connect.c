/* network/connect: making and ending TCP connections, as the caller sees it and on the wire. */
#include "network/support/connect.h"
#include "network/support/connection_packets.h"

#define FENCED(sample, body) RK_TIME_TRIALS(sample, 1, 1, body)

TIME_CONNECT(run_connect, FENCED)
TIME_CLOSE(run_close, FENCED, IN_ORDER)
TIME_CLOSE(run_close_reset, FENCED, BY_RESET)

static int run_socket_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct acceptor *to = rk_state(c);
    int status = begin_accepting(c, to, n + 1, BY_RESET);
    /* A deadline would be set between the two calls; so one connection shows first that the other
     * side answers, without which connect() waits for minutes. */
    const int first = status ? -1 : idle_connection(c, to, &status);
    if (first >= 0)
        status = close_by_reset(c, first);
    for (size_t i = 0; i < n && !status; i++) {
        int fd = -1, bad = 0;
        FENCED(&out[i], bad = (fd = new_socket(to)) < 0 || CONNECT_TO(to, fd) < 0);
        const int error = bad ? errno : 0;
        if (fd < 0)
            status = rk_refused(c, "socket", error);
        else if (rk_set_time_limits(fd, PEER_DEADLINE_S) < 0) { /* of what follows */
            status = rk_failed(c, "setsockopt", errno);
            close(fd);
        } else
            status = end_connection(c, to, fd, error);
    }
    return end_accepting(c, to, BY_RESET, status);
}

/* --- on the wire --- */

/* A connection that is captured: made, accepted, held and ended. */
static int captured_connection(struct rk_context *c, struct acceptor *to, struct capture *capture,
                               struct connection_packets *wire, enum ending ending, int64_t hold_us,
                               int64_t *connect_ticks)
{
    int status;
    const int fd = new_socket_with_deadline(c, to, &status);
    if (fd < 0)
        return status;
    const uint64_t begin = rk_begin();
    const int bad = CONNECT_TO(to, fd);
    const uint64_t end = rk_end();
    if (bad) {
        status = not_connected(c, errno);
        close(fd);
        return status;
    }
    *connect_ticks = (int64_t)(end - begin);
    status = await_accepted(c, to, fd);
    if (status)
        return status;
    if (hold_us)
        usleep((useconds_t)hold_us);
    if (ending == BY_RESET)
        status = close_by_reset(c, fd);
    else if (close(fd) < 0)
        status = rk_failed(c, "close", errno);
    if (!status)
        status = find_handshake(c, capture, wire);
    if (!status && ending == IN_ORDER)
        status = find_teardown(c, capture, wire);
    return status;
}

/* The SYN leaves after connect() was called and the ACK before it returns, so that the wire cannot
 * take longer than the caller (`connect_ticks`): else one of the two clocks was set in between. */
static int check_clocks(struct rk_context *c, const struct rk_sample *samples, size_t n,
                        const int64_t *connect_ticks)
{
    const struct acceptor_variant *const variant = rk_variant(c);
    for (size_t i = 0; i < n; i++) {
        const int64_t most = connect_ticks[i] + connect_ticks[i] / 100;
        if (samples[i].ticks < 0 || (variant->part == SETUP && samples[i].ticks > most))
            return rk_error(c, ERANGE,
                            "By the capture a connection took longer than by the caller's clock; "
                            "one of them was set in between; measure again.");
    }
    return 0;
}

/* `hold_us` is a parameter of the report's probes alone. */
static int time_on_the_wire(struct rk_context *c, struct rk_sample *out, size_t n, int64_t hold_us)
{
    struct acceptor *to = rk_state(c);
    const struct acceptor_variant *const variant = rk_variant(c);
    const enum ending ending = variant->ending;
    struct capture capture = {.fd = -1};
    int64_t *const connect_ticks = calloc(n, sizeof *connect_ticks);
    if (!connect_ticks)
        return rk_failed(c, "calloc", ENOMEM);
    int status = begin_accepting(c, to, n, ending);
    if (!status)
        status = capture_open(c, NULL, (const struct sockaddr *)&to->address, &capture);
    for (size_t i = 0; i < n && !status; i++) {
        struct connection_packets wire = {0};
        status = captured_connection(c, to, &capture, &wire, ending, hold_us, &connect_ticks[i]);
        const int64_t took_ns =
            variant->part == SETUP ? wire.ack_ns - wire.syn_ns : wire.last_ack_ns - wire.fin_ns;
        out[i] = (struct rk_sample){took_ns, 1};
    }
    if (capture.ring)
        status = capture_close(c, &capture, status);
    if (!status) {
        rk_ns_to_ticks(out, n, &to->opened);
        status = check_clocks(c, out, n, connect_ticks);
    }
    free(connect_ticks);
    return end_accepting(c, to, ending, status);
}

static int run_on_the_wire(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_on_the_wire(c, out, n, 0);
}

static int run_hpe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_on_the_wire(c, out, n, rk_integer(c, "hold_us"));
}

#define HOLD RK_INTEGER("hold_us", 1000, 0, 1000000, "between accepted and closed")

RK_PROBE("network/connect/connect", .op = "connection",
         .timed = "connect() alone on a new blocking socket; on loopback the server is on the same "
                  "CPU and waits until the caller does (SCHED_BATCH)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_connect, .kind = BATCH));
RK_PROBE("network/connect/connect_across", .op = "connection",
         .timed = "connect() alone on a new blocking socket, the server on another CPU",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, RK_PARTNER),
         OF_AN_ACCEPTOR(run_connect, .kind = ACROSS));
RK_PROBE("network/connect/socket_connect", .op = "connection",
         .timed = "socket() and a blocking connect(); on loopback the server is on the same CPU "
                  "and waits until the caller does (SCHED_BATCH)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_socket_connect, .kind = BATCH));
RK_PROBE("network/connect/close", .op = "connection",
         .timed = "close() of an idle connection, in order (FIN); on loopback the server is on the "
                  "same CPU and waits until the caller does (SCHED_BATCH)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, PORTS),
         OF_AN_ACCEPTOR(run_close, .kind = BATCH));
RK_PROBE("network/connect/close_across", .op = "connection",
         .timed = "close() of an idle connection, in order (FIN), the server on another CPU",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, PORTS, RK_PARTNER),
         OF_AN_ACCEPTOR(run_close, .kind = ACROSS));
RK_PROBE("network/connect/close_reset", .op = "connection",
         .timed = "close() of an idle connection after SO_LINGER 0: a reset (RST); on loopback the "
                  "server is on the same CPU and waits until the caller does (SCHED_BATCH)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_close_reset, .kind = BATCH));
RK_PROBE("network/connect/setup_wire", .op = "connection",
         .timed = "from the first SYN to the ACK of the SYN-ACK, both as they leave, by the "
                  "capture's kernel stamps; on loopback the server is on the same CPU and waits "
                  "until the caller does (SCHED_BATCH)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_on_the_wire, .kind = BATCH, .part = SETUP, .ending = BY_RESET));
RK_PROBE("network/connect/teardown_wire", .op = "connection",
         .timed = "from our FIN to the ACK of the server's, both as they leave, by the capture's "
                  "kernel stamps; on loopback the server is on the same CPU and waits until the "
                  "caller does (SCHED_BATCH)",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, PORTS),
         OF_AN_ACCEPTOR(run_on_the_wire, .kind = BATCH, .part = TEARDOWN, .ending = IN_ORDER));
RK_PROBE("network/connect/hpe_i7_860_setup", .op = "connection", .reports = "hpe_i7_860",
         .timed = "from the first SYN to the ACK of the SYN-ACK by capture; the connection is then "
                  "held hold_us and closed by this side; on loopback an ordinary server on the "
                  "same CPU, which may run during the measurement",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, PORTS, HOLD),
         OF_AN_ACCEPTOR(run_hpe, .kind = ORDINARY, .part = SETUP, .ending = IN_ORDER));
RK_PROBE("network/connect/hpe_i7_860_teardown", .op = "connection", .reports = "hpe_i7_860",
         .timed = "from our FIN to the ACK of the other side's by capture, of a connection that "
                  "was held hold_us; on loopback an ordinary server on the same CPU, which may run "
                  "during the measurement",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, PORTS, HOLD),
         OF_AN_ACCEPTOR(run_hpe, .kind = ORDINARY, .part = TEARDOWN, .ending = IN_ORDER));
RK_PROBE("network/connect/mbp2016_setup", .op = "connection", .reports = "mbp2016",
         .timed = "socket() and a blocking connect(), -O2; on loopback an ordinary server on the "
                  "same CPU, which may run during the measurement",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER),
         OF_AN_ACCEPTOR(run_socket_connect, .kind = ORDINARY));
RK_PROBE("network/connect/mbp2016_close", .op = "connection", .reports = "mbp2016",
         .timed = "close() of an idle connection, in order (FIN), -O2; on loopback an ordinary "
                  "server on the same CPU, which may run during the measurement",
         .needs = RK_NEEDS_PEER, .params = RK_PARAMS(PEER, PORTS),
         OF_AN_ACCEPTOR(run_close, .kind = ORDINARY));

/* network/connect: making and ending TCP connections, as the caller sees it and on the wire. */
#include "network/support/connect.h"
#include "network/support/wire.h"

#define OURS(sample, body) RK_BATCH(sample, 1, 1, body)

TIME_CONNECT(time_connect, OURS)
TIME_CLOSE(time_close, OURS)

static int time_socket_connect(struct rk_context *c, struct rk_sample *out, size_t n,
                               enum server server)
{
    struct door door;
    int status = open_door(c, &door, n + 1, BY_RESET, server, -1);
    if (status)
        return status;
    /* A deadline would be set between the two calls; so one connection shows first that there is a
     * way, without which connect() waits for minutes. */
    const int first = idle_connection(c, &door, &status);
    if (first >= 0)
        status = reset(c, first);
    for (size_t i = 0; i < n && !status; i++) {
        int fd = -1, bad = 0;
        OURS(&out[i], bad = (fd = new_socket(&door)) < 0 || CONNECT_TO(&door, fd) < 0);
        const int error = bad ? errno : 0;
        if (fd < 0)
            status = rk_refused(c, "socket", error);
        else if (set_deadline(fd) < 0) { /* of what follows */
            status = rk_failed(c, "setsockopt", errno);
            close(fd);
        } else
            status = end_connection(c, &door, fd, error);
    }
    return close_door(c, &door, BY_RESET, status);
}

static int run_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_connect(c, out, n, PATIENT, -1);
}

static int run_socket_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_socket_connect(c, out, n, PATIENT);
}

static int run_mbp2016_setup(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_socket_connect(c, out, n, ORDINARY);
}

static int run_close(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_close(c, out, n, IN_ORDER, PATIENT, -1);
}

static int run_close_reset(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_close(c, out, n, BY_RESET, PATIENT, -1);
}

static int run_mbp2016_close(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_close(c, out, n, IN_ORDER, ORDINARY, -1);
}

/* --- with the other side on another CPU --- */

static int other_cpu(struct rk_context *c, int *cpu)
{
    *cpu = rk_other_cpu();
    if (strcmp(rk_text(c, "peer"), "loopback") != 0)
        return trouble(c, EDOM,
                       "The server's CPU can be chosen on loopback alone; take the "
                       "row without _across.");
    return *cpu < 0 ? rk_cannot(c, "needs a second CPU, and this process may use only one") : 0;
}

static int run_connect_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int cpu;
    const int status = other_cpu(c, &cpu);
    return status ? status : time_connect(c, out, n, ORDINARY, cpu);
}

static int run_close_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int cpu;
    const int status = other_cpu(c, &cpu);
    return status ? status : time_close(c, out, n, IN_ORDER, ORDINARY, cpu);
}

/* --- on the wire --- */

enum part { SETUP, TEARDOWN };

/* A connection that is captured: made, accepted, held and ended. `caller` gets the ticks of
 * connect(). */
static int seen_connection(struct rk_context *c, struct door *door, struct capture *capture,
                           struct wire *wire, enum ending ending, int64_t hold_us, uint64_t *caller)
{
    int status;
    const int fd = fresh_socket(c, door, &status);
    if (fd < 0)
        return status;
    const uint64_t begin = rk_begin();
    const int bad = CONNECT_TO(door, fd);
    const uint64_t end = rk_end();
    if (bad) {
        status = not_connected(c, errno);
        close(fd);
        return status;
    }
    *caller = end - begin;
    status = await_accepted(c, door, fd);
    if (status)
        return status;
    if (hold_us)
        usleep((useconds_t)hold_us);
    if (ending == BY_RESET)
        status = reset(c, fd);
    else if (close(fd) < 0)
        status = rk_failed(c, "close", errno);
    if (!status)
        status = find_handshake(c, capture, wire);
    if (!status && ending == IN_ORDER)
        status = find_teardown(c, capture, wire);
    return status;
}

/* The SYN leaves after connect() was called and the ACK before it returns, so that the wire cannot
 * take longer than the caller: else one of the two clocks was set meanwhile. */
static int to_ticks(struct rk_context *c, struct rk_sample *out, size_t n, enum part part,
                    const struct rk_stamp *begin)
{
    capture_to_ticks(out, n, begin);
    for (size_t i = 0; i < n; i++) {
        const int64_t caller = (int64_t)out[i].ops;
        if (out[i].ticks < 0 || (part == SETUP && out[i].ticks > caller + caller / 100))
            return trouble(c, ERANGE,
                           "By the capture a connection took longer than by the "
                           "caller's clock; one of them was set meanwhile, measure again.");
        out[i].ops = 1;
    }
    return 0;
}

static int on_the_wire(struct rk_context *c, struct rk_sample *out, size_t n, enum part part,
                       enum ending ending, enum server server, int64_t hold_us)
{
    struct door door;
    struct capture capture;
    const struct rk_stamp begin = rk_stamp_now();
    int status = open_door(c, &door, n, ending, server, -1);
    if (status)
        return status;
    status = capture_open(c, NULL, (const struct sockaddr *)&door.address, &capture);
    if (status)
        return close_door(c, &door, ending, status);
    for (size_t i = 0; i < n && !status; i++) {
        struct wire wire = {0};
        uint64_t caller = 0;
        status = seen_connection(c, &door, &capture, &wire, ending, hold_us, &caller);
        out[i].ticks = part == SETUP ? wire.ack_ns - wire.syn_ns : wire.last_ack_ns - wire.fin_ns;
        out[i].ops = caller; /* until to_ticks() */
    }
    status = capture_close(c, &capture, status);
    if (!status)
        status = to_ticks(c, out, n, part, &begin);
    return close_door(c, &door, ending, status);
}

static int run_setup_wire(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, SETUP, BY_RESET, PATIENT, 0);
}

static int run_teardown_wire(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, TEARDOWN, IN_ORDER, PATIENT, 0);
}

static int run_hpe_setup(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, SETUP, IN_ORDER, ORDINARY, rk_integer(c, "hold_us"));
}

static int run_hpe_teardown(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, TEARDOWN, IN_ORDER, ORDINARY, rk_integer(c, "hold_us"));
}

/* --- the rows --- */

#define ROW(id, row_name, what, function, ...)                                                     \
    RK_PROBE(id, .name = "network/connect/" row_name, .op = "connection", .timed = what,           \
             .params = RK_PARAMS(PEER, ##__VA_ARGS__), .needs = RK_NEEDS_PEER, .trials = function)
#define REPORT_ROW(id, row_name, report, what, function, ...)                                      \
    RK_PROBE(id, .name = "network/connect/" report "_" row_name, .op = "connection",               \
             .reports = report, .timed = what, .params = RK_PARAMS(PEER, ##__VA_ARGS__),           \
             .needs = RK_NEEDS_PEER, .trials = function)
#define HPE_ROW(id, row_name, what, function)                                                      \
    RK_PROBE(id, .name = "network/connect/hpe_i7_860_" row_name, .op = "connection",               \
             .reports = "hpe_i7_860", .timed = what,                                               \
             .params =                                                                             \
                 RK_PARAMS(PEER, PORTS,                                                            \
                           RK_COUNT("hold_us", 1000, 0, 1000000, "between accepted and closed")),  \
             .needs = RK_NEEDS_PEER, .trials = function)

#define SAME_CPU                                                                                   \
    "; on loopback the server is on the same CPU and waits until the caller does (SCHED_BATCH)"
#define ORDINARY_SERVER "; on loopback an ordinary server on the same CPU, which may run meanwhile"

ROW(connect_, "connect", "connect() alone on a new blocking socket" SAME_CPU, run_connect);
ROW(connect_across, "connect_across",
    "connect() alone on a new blocking socket, the server on another CPU (the lowest)",
    run_connect_across);
ROW(socket_connect, "socket_connect", "socket() and a blocking connect()" SAME_CPU,
    run_socket_connect);
ROW(close_, "close", "close() of an idle connection, in order (FIN)" SAME_CPU, run_close, PORTS);
ROW(close_across, "close_across",
    "close() of an idle connection, in order (FIN), the server on another CPU (the lowest)",
    run_close_across, PORTS);
ROW(close_reset, "close_reset",
    "close() of an idle connection after SO_LINGER 0: a reset (RST)" SAME_CPU, run_close_reset);
ROW(setup_wire, "setup_wire",
    "from the first SYN to the ACK of the SYN-ACK, both as they leave, by the capture's kernel "
    "stamps" SAME_CPU,
    run_setup_wire);
ROW(teardown_wire, "teardown_wire",
    "from our FIN to the ACK of the server's, both as they leave, by the capture's kernel "
    "stamps" SAME_CPU,
    run_teardown_wire, PORTS);
HPE_ROW(hpe_setup, "setup",
        "from the first SYN to the ACK of the SYN-ACK by capture; the connection is then held "
        "hold_us and closed by this side" ORDINARY_SERVER,
        run_hpe_setup);
HPE_ROW(hpe_teardown, "teardown",
        "from our FIN to the ACK of the other side's by capture, of a connection that was held "
        "hold_us" ORDINARY_SERVER,
        run_hpe_teardown);
REPORT_ROW(mbp2016_setup, "setup", "mbp2016",
           "socket() and a blocking connect(), -O2" ORDINARY_SERVER, run_mbp2016_setup);
REPORT_ROW(mbp2016_close, "close", "mbp2016",
           "close() of an idle connection, in order (FIN), -O2" ORDINARY_SERVER, run_mbp2016_close,
           PORTS);

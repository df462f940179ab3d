/* network/connect: making and ending TCP connections, as the caller sees it and on the wire. */
#include "connect.h"
#include "wire.h"

#define OURS(sample, body) RK_BATCH(sample, 1, 1, body)

TIME_CONNECT(connect_with, OURS)
TIME_SOCKET_CONNECT(socket_connect_with, OURS)
TIME_CLOSE(close_with, OURS)

static int run_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return connect_with(c, out, n, -1);
}

static int run_socket_connect(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return socket_connect_with(c, out, n, -1);
}

static int run_close(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return close_with(c, out, n, -1, IN_ORDER);
}

static int run_close_reset(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return close_with(c, out, n, -1, BY_RESET);
}

/* --- with the other side on another CPU --------------------------------------------------------- */

static int other_cpu(struct rk_context *c, int *cpu)
{
    *cpu = rk_other_cpu();
    if (strcmp(rk_text(c, "peer"), "loopback") != 0)
        return peer_trouble(c, EDOM, "The server's CPU can be chosen on loopback alone; take the row "
                            "without _across.");
    return *cpu < 0 ? rk_cannot(c, "needs a second CPU, and this process may use only one") : 0;
}

static int run_connect_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int cpu;
    const int status = other_cpu(c, &cpu);
    return status ? status : connect_with(c, out, n, cpu);
}

static int run_close_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int cpu;
    const int status = other_cpu(c, &cpu);
    return status ? status : close_with(c, out, n, cpu, IN_ORDER);
}

/* --- on the wire -------------------------------------------------------------------------------- */

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
            return peer_trouble(c, ERANGE, "By the capture a connection took longer than by the "
                                "caller's clock; one of them was set meanwhile, measure again.");
        out[i].ops = 1;
    }
    return 0;
}

static int on_the_wire(struct rk_context *c, struct rk_sample *out, size_t n, enum part part,
                       enum ending ending, int64_t hold_us)
{
    struct door door;
    struct capture capture;
    const struct rk_stamp begin = rk_stamp_now();
    int status = open_door(c, &door, n, ending, -1);
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
    return on_the_wire(c, out, n, SETUP, BY_RESET, 0);
}

static int run_teardown_wire(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, TEARDOWN, IN_ORDER, 0);
}

static int run_hpe_setup(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, SETUP, IN_ORDER, rk_integer(c, "hold_us"));
}

static int run_hpe_teardown(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return on_the_wire(c, out, n, TEARDOWN, IN_ORDER, rk_integer(c, "hold_us"));
}

/* --- the rows ----------------------------------------------------------------------------------- */

#define ROW(id, row_name, what, function)                                                          \
    RK_PROBE(id, .name = "network/connect/" row_name, .op = "connection", .timed = what,           \
             .params = RK_PARAMS(PEER), .run = function)
#define REPORT_ROW(id, row_name, report, what, function)                                           \
    RK_PROBE(id, .name = "network/connect/" report "_" row_name, .op = "connection",               \
             .reports = report, .timed = what, .params = RK_PARAMS(PEER), .run = function)
#define HPE_ROW(id, row_name, what, function)                                                      \
    RK_PROBE(id, .name = "network/connect/hpe_i7_860_" row_name, .op = "connection",               \
             .reports = "hpe_i7_860", .timed = what,                                               \
             .params = RK_PARAMS(PEER, RK_COUNT("hold_us", 1000, 0, 1000000,                       \
                                                "between accepted and closed")),                   \
             .run = function)

ROW(connect_, "connect",
    "connect() alone on a new blocking socket; the server on the same CPU (loopback)", run_connect);
ROW(connect_across, "connect_across",
    "connect() alone on a new blocking socket; the server on another CPU", run_connect_across);
ROW(socket_connect, "socket_connect", "socket() and a blocking connect()", run_socket_connect);
ROW(close_, "close",
    "close() of an idle connection, in order (FIN); the server on the same CPU (loopback)", run_close);
ROW(close_across, "close_across",
    "close() of an idle connection, in order (FIN); the server on another CPU", run_close_across);
ROW(close_reset, "close_reset", "close() of an idle connection with SO_LINGER 0: a reset (RST)",
    run_close_reset);
ROW(setup_wire, "setup_wire",
    "from the first SYN to the ACK of the SYN-ACK, both leaving, by the capture's kernel stamps",
    run_setup_wire);
ROW(teardown_wire, "teardown_wire",
    "from our FIN to the ACK of the other side's, both leaving, by the capture's kernel stamps",
    run_teardown_wire);
HPE_ROW(hpe_setup, "setup",
        "from the first SYN to the ACK of the SYN-ACK by capture; the connection is then held "
        "hold_us and closed by this side", run_hpe_setup);
HPE_ROW(hpe_teardown, "teardown",
        "from our FIN to the ACK of the other side's by capture, of a connection that was held "
        "hold_us", run_hpe_teardown);
REPORT_ROW(mbp2016_setup, "setup", "mbp2016", "socket() and a blocking connect(), -O2",
           run_socket_connect);
REPORT_ROW(mbp2016_close, "close", "mbp2016", "close() of an idle connection, in order (FIN), -O2",
           run_close);

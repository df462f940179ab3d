/* network/rtt at -O0, as the reports compiled it. */
#include "network/support/rtt.h"
#include "network/support/servers.h"
#include "probe/stamps.h"

static char buffer[MESSAGE_MAX];

static int open_t470(struct rk_context *c)
{
    const int status = open_trip(c);
    return status ? status : begin_echo(c, buffer);
}

/* t470: send and recv, minus the timer, which is timed in the same trial. */
static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const struct trip trip = *(const struct trip *)rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    int bad = 0;
    for (size_t i = 0; i < n && !bad; i++) {
        struct rk_sample timer, whole;
        RK_TIME_BARE(&timer, 1, (void)0);
        RK_TIME_BARE(&whole, 1, bad = round_trip(trip.fd, buffer, size));
        out[i] = (struct rk_sample){whole.ticks - timer.ticks, 1};
    }
    rk_note_tcp_since(c, &before);
    return trip_failed(c, bad);
}

/* i7_10750h: ncat echoes, as on their computer. */
struct trip_to_ncat {
    struct trip trip;
    struct ncat ncat;
};

static int open_i7_10750h(struct rk_context *c)
{
    struct trip_to_ncat *state = rk_state(c);
    if (strcmp(rk_text(c, "peer"), "other") == 0)
        return rk_unsupported(c, "the foreign echo server (ncat) is started on this computer "
                                 "alone: peer must be loopback here");
    int status = open_trip(c);
    if (!status)
        status = ncat_begin(c, &state->trip.peer, &state->ncat, &state->trip.fd);
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    return status ? status : trip_failed(c, round_trip(state->trip.fd, buffer, size));
}

static int close_i7_10750h(struct rk_context *c)
{
    struct trip_to_ncat *state = rk_state(c);
    if (state->ncat.pid > 0)
        ncat_end(&state->ncat);
    return close_trip(c);
}

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const struct trip trip = ((const struct trip_to_ncat *)rk_state(c))->trip;
    const struct rk_tcp_counts before = rk_count_tcp();
    int bad = 0;
    for (size_t i = 0; i < n && !bad; i++)
        RK_TIME_PAOLONI(out + i, 1, bad = round_trip(trip.fd, buffer, size));
    rk_note_tcp_since(c, &before);
    return trip_failed(c, bad);
}

RK_PROBE("network/rtt/t470", .op = "round trip", .reports = "t470",
         .timed = "send() and recv() of a message between RDTSC and RDTSCP, -O0, minus the timer; "
                  "on loopback the server is on the same CPU",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER, SIZE(64)),
         RK_STAGES(struct trip, open_t470, run_t470, close_trip));
RK_PROBE("network/rtt/i7_10750h", .op = "round trip", .reports = "i7_10750h",
         .timed = "send() and recv() of a message between CPUID-fenced stamps, -O0, the stamps "
                  "included; the server is ncat with cat, on the same CPU",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER, SIZE(56)),
         RK_STAGES(struct trip_to_ncat, open_i7_10750h, run_i7_10750h, close_i7_10750h),
         SERVER(NO_SERVER));

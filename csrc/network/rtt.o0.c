/* network/rtt at -O0, as the reports compiled it. */
#include "network/support/rtt.h"
#include "network/support/servers.h"
#include "probe/stamps.h"

static char buffer[SIZE_MOST];

/* t470: send and recv, minus the timer, which is timed in the same trial. */
static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    struct trip trip;
    int bad = 0;
    int status = trip_begin(c, &trip, SAME_CPU, 0);
    if (status)
        return status;
    status = trip_echo(c, &trip, buffer, size);
    for (size_t i = 0; i < n && !status && !bad; i++) {
        struct rk_sample timer, whole;
        RK_ONE_BY_ONE(&timer, 1, RK_BARE_BEGIN, RK_BARE_END, (void)0);
        RK_ONE_BY_ONE(&whole, 1, RK_BARE_BEGIN, RK_BARE_END,
                      bad = there_and_back(trip.fd, buffer, size));
        out[i] = (struct rk_sample){whole.ticks - timer.ticks, 1};
    }
    return trip_end(c, &trip, status ? status : trip_failed(c, bad));
}

/* i7_10750h: ncat echoes, as on their computer. */
static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    struct trip trip;
    struct ncat ncat;
    int bad = 0;
    int status =
        only_loopback(c, "the foreign echo server (ncat) is started on this computer alone: "
                         "peer must be loopback here");
    if (!status)
        status = trip_begin(c, &trip, NO_SERVER, 0);
    if (status)
        return status;
    status = ncat_begin(c, &trip.peer, &ncat, &trip.fd);
    if (!status) {
        bad = there_and_back(trip.fd, buffer, size);
        for (size_t i = 0; i < n && !bad; i++)
            RK_ONE_BY_ONE(out + i, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END,
                          bad = there_and_back(trip.fd, buffer, size));
        ncat_end(&ncat);
    }
    return trip_end(c, &trip, status ? status : trip_failed(c, bad));
}

#define ROW(id, preset, what)                                                                      \
    RK_PROBE(id, .name = "network/rtt/" #id, .op = "round trip", .reports = #id, .timed = what,    \
             .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .trials = run_##id,                         \
             .params = RK_PARAMS(PEER, SIZE(preset)))

ROW(t470, 64,
    "send() and recv() of a message between RDTSC and RDTSCP, -O0, minus the timer; on "
    "loopback the server is on the same CPU");
ROW(i7_10750h, 56,
    "send() and recv() of a message between CPUID-fenced stamps, -O0, the stamps "
    "included; the server is ncat with cat, on the same CPU");

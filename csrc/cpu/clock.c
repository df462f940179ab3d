/* cpu/clock: how fast the tick counter runs, and how fast the core does. */
#include <unistd.h>

#include "probe/probe.h"
#include "probe/processor.h"

static int run_ticks(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const uint64_t interval_ns = (uint64_t)rk_integer(c, "interval_ns");
    for (size_t i = 0; i < n; i++) {
        const struct rk_stamp first = rk_stamp_now();
        while (rk_monotonic_ns() < first.ns + interval_ns)
            ;
        const struct rk_stamp last = rk_stamp_now();
        out[i] = (struct rk_sample){(int64_t)(last.ticks - first.ticks), last.ns - first.ns};
    }
    return 0;
}

static int run_core(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const uint64_t rounds = (uint64_t)rk_integer(c, "rounds");
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        RK_KEEP(rk_add_chain(rounds, begin, 1));
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), rounds * RK_CHAIN_STEP};
    }
    return 0;
}

/* The state of the probe of multiplies. */
struct multiplies {
    int cycles; /* of each */
};

static int open_core_multiply(struct rk_context *c)
{
    struct multiplies *const state = rk_state(c);
    state->cycles = rk_multiply_cycles();
    if (state->cycles)
        return 0;
    return rk_unsupported(c, "how many cycles a multiply takes on this processor is not known");
}

static int run_core_multiply(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct multiplies *const state = rk_state(c);
    const uint64_t rounds = (uint64_t)rk_integer(c, "rounds");
    const uint64_t cycles = rounds * RK_CHAIN_STEP * (uint64_t)state->cycles;
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        RK_KEEP(rk_multiply_chain(rounds, begin, 3));
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), cycles};
    }
    return 0;
}

/* The reports divide by the nominal interval; how long the sleep really was does not enter. */
static int run_sleep(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t sleep_ms = rk_integer(c, "sleep_ms");
    for (size_t i = 0; i < n; i++) {
        const struct timespec nominal = {sleep_ms / 1000, sleep_ms % 1000 * 1000000};
        const uint64_t begin = rk_begin();
        if (nanosleep(&nominal, NULL) < 0)
            return rk_failed(c, "nanosleep", errno);
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), (uint64_t)sleep_ms * 1000000u};
    }
    return 0;
}

/* One cycle an add is what the probe assumes; the multiply probe is the check of it. */
RK_PROBE("cpu/clock/ticks", .op = "ns",
         .timed = "busy waiting for interval_ns of CLOCK_MONOTONIC; ops are the nanoseconds that "
                  "really passed",
         .params = RK_PARAMS(RK_INTEGER("interval_ns", 20000000, 1000, 10000000000,
                                        "how long one trial waits")),
         .trials = run_ticks);
RK_PROBE("cpu/clock/core", .op = "cycle",
         .timed = "rounds x 512 dependent register adds of one cycle each",
         .params = RK_PARAMS(RK_INTEGER("rounds", 125, 1, 1000000000,
                                        "rounds of 512 adds a trial")),
         .trials = run_core);
RK_PROBE("cpu/clock/core_multiply", .op = "cycle",
         .timed = "rounds x 512 dependent multiplies, counted as three cycles each",
         .params = RK_PARAMS(RK_INTEGER("rounds", 42, 1, 1000000000,
                                        "rounds of 512 multiplies a trial")),
         .state_bytes = sizeof(struct multiplies), .open = open_core_multiply,
         .trials = run_core_multiply);
RK_PROBE("cpu/clock/t470_sleep", .op = "ns", .reports = "t470",
         .timed = "a sleep of sleep_ms, divided by its nominal length (the report: 500 x 2 s)",
         .params = RK_PARAMS(RK_INTEGER("sleep_ms", 2000, 1, 60000, "nominal sleep")),
         .trials = run_sleep);
RK_PROBE("cpu/clock/x510uq_second", .op = "ns", .reports = "x510uq",
         .timed = "a wait of sleep_ms, divided by its nominal length (the report: 100 x 1 s)",
         .params = RK_PARAMS(RK_INTEGER("sleep_ms", 1000, 1, 60000, "nominal wait")),
         .trials = run_sleep);

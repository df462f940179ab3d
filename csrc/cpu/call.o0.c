/* cpu/call at -O0, and by the methods of the reports that compiled without optimisation. */
#include "cpu/support/call.h"

RUN_GROUPS(run_o0)

/* One call between Paoloni's stamps, the stamps' own cost left in. */
#define ALONE(call) RK_TIME_PAOLONI(out, n, call)

static int run_alone(struct rk_context *c, struct rk_sample *out, size_t n)
{
    FOR_ARGUMENTS(rk_integer(c, "arguments"), ALONE, CALL)
    return 0;
}

#define LOOP(sample, TIMED, call) TIMED(sample, 1, for (int j = 0; j < calls; j++) call)

/* hpe_i7_860: a loop of calls minus the same loop without calls, which includes the stamps. */
#define HPE(call)                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                               \
        struct rk_sample loop, whole;                                                              \
        LOOP(&loop, RK_TIME_PAOLONI, {});                                                          \
        LOOP(&whole, RK_TIME_PAOLONI, call);                                                       \
        out[i] = (struct rk_sample){whole.ticks - loop.ticks, (uint64_t)calls};                    \
    }

/* t470: a loop of calls minus the stamps and minus n times the cost of one round, which the
 * report took as the mean of 500 loops of one round. A round costs less in a long loop, so too
 * much is subtracted. */
#define SINGLES 500
static int64_t single_rounds(int rounds)
{
    struct rk_sample samples[SINGLES];
    int64_t sum = 0;
    RK_TIME_BARE(samples, SINGLES, for (int j = 0; j < rounds; j++){});
    for (int i = 0; i < SINGLES; i++)
        sum += samples[i].ticks;
    return sum;
}

#define T470(call)                                                                                 \
    for (size_t i = 0; i < n; i++) {                                                               \
        struct rk_sample whole;                                                                    \
        const int64_t timers = single_rounds(0), rounds = single_rounds(1) - timers;               \
        LOOP(&whole, RK_TIME_BARE, call);                                                          \
        out[i] = (struct rk_sample){whole.ticks - (timers + rounds * calls) / SINGLES,             \
                                    (uint64_t)calls};                                              \
    }

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int calls = (int)rk_integer(c, "calls");
    FOR_ARGUMENTS(rk_integer(c, "arguments"), T470, CALL)
    return 0;
}

static int run_hpe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int calls = (int)rk_integer(c, "calls");
    FOR_ARGUMENTS(rk_integer(c, "arguments"), HPE, CALL)
    return 0;
}

#define INNER(default_) RK_INTEGER("calls", default_, 1, 1000000000, "calls between two stamps")

RK_PROBE("cpu/call/o0", .op = "call", .timed = "calls of an empty procedure in groups of 50, -O0",
         .params = RK_PARAMS(ARGUMENTS, CALLS(5000)), .trials = run_o0);
RK_PROBE("cpu/call/t470", .op = "call", .reports = "t470",
         .timed = "a loop of calls, -O0, minus the stamps and minus n times one round, as found by "
                  "500 loops of a single round (the report: 1,000,000 calls)",
         .params = RK_PARAMS(ARGUMENTS, INNER(1000000)), .needs = RK_NEEDS_STAMPS,
         .trials = run_t470);
RK_PROBE(
    "cpu/call/hpe_i7_860", .op = "call", .reports = "hpe_i7_860",
    .timed =
        "a loop of 50 calls, -O0, between CPUID-fenced stamps, minus the same loop without calls",
    .params = RK_PARAMS(ARGUMENTS, INNER(50)), .needs = RK_NEEDS_STAMPS, .trials = run_hpe);
RK_PROBE("cpu/call/x510uq", .op = "call", .reports = "x510uq",
         .timed = "one call, -O0, between CPUID-fenced stamps, the stamps included",
         .params = RK_PARAMS(ARGUMENTS), .needs = RK_NEEDS_STAMPS, .trials = run_alone);
RK_PROBE("cpu/call/i7_10750h", .op = "call", .reports = "i7_10750h",
         .timed = "one call, -O0, between CPUID-fenced stamps, the stamps included",
         .params = RK_PARAMS(ARGUMENTS), .needs = RK_NEEDS_STAMPS, .trials = run_alone);

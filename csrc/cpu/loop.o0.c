/* cpu/loop at -O0: the counter and the bound live on the stack. */
#include "probe/stamps.h"

#define ROUNDS(default_, minimum)                                                                  \
    RK_INTEGER("rounds", default_, minimum, 1000000000, "rounds of the loop in a trial")

static int run_o0(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int rounds = (int)rk_integer(c, "rounds");
    RK_TIME_TRIALS(out, n, 1, for (int i = 0; i < rounds; i++){});
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)rounds;
    return 0;
}

static int run_o0_whole(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int rounds = (int)rk_integer(c, "rounds");
    RK_TIME_TRIALS(out, n, rk_integer(c, "loops"), for (int i = 0; i < rounds; i++){});
    return 0;
}

/* t470: one round between bare stamps, minus the stamps. */
static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++) {
        struct rk_sample timer, loop;
        RK_TIME_BARE(&timer, 1, (void)0);
        RK_TIME_BARE(&loop, 1, for (int j = 0; j < 1; j++){});
        out[i] = (struct rk_sample){loop.ticks - timer.ticks, 1};
    }
    return 0;
}

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int rounds = (int)rk_integer(c, "rounds");
    RK_TIME_PAOLONI(out, n, for (int i = 0; i < rounds; i++){});
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)rounds;
    return 0;
}

/* hpe_i7_860: the whole loop, minus the stamps; the page fits the slope. */
static int run_hpe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int rounds = (int)rk_integer(c, "rounds");
    for (size_t i = 0; i < n; i++) {
        struct rk_sample timer, loop;
        RK_TIME_PAOLONI(&timer, 1, (void)0);
        RK_TIME_PAOLONI(&loop, 1, for (int j = 0; j < rounds; j++){});
        out[i] = (struct rk_sample){loop.ticks - timer.ticks, 1};
    }
    return 0;
}

RK_PROBE("cpu/loop/o0", .op = "round", .timed = "an empty loop of `rounds` rounds, -O0",
         .params = RK_PARAMS(ROUNDS(10000, 1)), .trials = run_o0);
RK_PROBE("cpu/loop/o0_whole", .op = "loop",
         .timed = "loops x the whole empty loop of `rounds` rounds, -O0",
         .params = RK_PARAMS(ROUNDS(1, 0),
                             RK_INTEGER("loops", 100, 1, 1000000000, "loops in a trial")),
         .trials = run_o0_whole);
RK_PROBE("cpu/loop/t470", .op = "round", .reports = "t470",
         .timed = "one round of a loop, -O0, between bare stamps, minus an empty pair of stamps",
         .needs = RK_NEEDS_STAMPS, .trials = run_t470);
RK_PROBE("cpu/loop/i7_10750h", .op = "round", .reports = "i7_10750h",
         .timed = "an empty loop of `rounds` rounds, -O0, between CPUID-fenced stamps (the report: "
                  "1,000,000 rounds)",
         .params = RK_PARAMS(ROUNDS(1000000, 1)), .needs = RK_NEEDS_STAMPS,
         .trials = run_i7_10750h);
RK_PROBE("cpu/loop/hpe_i7_860", .op = "loop", .reports = "hpe_i7_860",
         .timed = "the whole empty loop of `rounds` rounds, -O0, between CPUID-fenced stamps, "
                  "minus an empty pair of stamps",
         .params = RK_PARAMS(ROUNDS(1, 0)), .needs = RK_NEEDS_STAMPS, .trials = run_hpe);

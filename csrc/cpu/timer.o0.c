/* cpu/timer at -O0, as the reports compiled it: the halves of the first read are stored to the
 * stack before the second one. */
#include "probe/stamps.h"

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c;
    RK_TIME_BARE(out, n, (void)0);
    return 0;
}

static int run_paoloni(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c;
    RK_TIME_PAOLONI(out, n, (void)0);
    return 0;
}

/* The execution time of the same pair, which its own two reads do not show. */
static int run_paoloni_whole(struct rk_context *c, struct rk_sample *out, size_t n)
{
    uint32_t high, low;
    RK_TIME_TRIALS(out, n, rk_integer(c, "pairs"), {
        RK_PAOLONI_BEGIN(high, low);
        RK_PAOLONI_END(high, low);
        (void)(high + low);
    });
    return 0;
}

RK_PROBE("cpu/timer/t470", .op = "pair", .reports = "t470",
         .timed = "nothing: RDTSC ... RDTSCP, no fence, -O0, each pair a sample of its own",
         .needs = RK_NEEDS_STAMPS, .trials = run_t470);
RK_PROBE("cpu/timer/paoloni", .op = "pair", .reports = "x510uq i7_10750h hpe_i7_860",
         .timed = "nothing: CPUID; RDTSC ... RDTSCP; CPUID, -O0, each pair a sample of its own",
         .needs = RK_NEEDS_STAMPS, .trials = run_paoloni);
RK_PROBE("cpu/timer/paoloni_whole", .op = "pair",
         .timed = "pairs x (CPUID; RDTSC; RDTSCP; CPUID): what such a pair costs to execute",
         .params = RK_PARAMS(RK_INTEGER("pairs", 10, 1, 1000000, "pairs a trial")),
         .needs = RK_NEEDS_STAMPS, .trials = run_paoloni_whole);

/* cpu/call at -O0, and by the ways of the reports that compiled without optimisation. */
#include "call.h"

RUN_GROUPS(run_o0)

/* One call between Paoloni's stamps, the stamps' own cost left in. */
#define ALONE(call) RK_ONE_BY_ONE(out, n, RK_PAOLONI_BEGIN, RK_PAOLONI_END, call)

static int run_alone(struct rk_context *c, struct rk_sample *out, size_t n)
{
    if (!RK_HAVE_STAMPS)
        return rk_cannot(c, "RDTSC and CPUID are x86 instructions");
    FOR_ARGUMENTS(rk_integer(c, "arguments"), ALONE)
    return 0;
}

/* t470, hpe_i7_860: a loop of calls, minus the same loop with nothing in it, minus the stamps. All
 * three are timed in the same trial. The reports differ in the stamps and in the number of calls. */
#define LOOP(sample, begin, end, call)                                                             \
    RK_ONE_BY_ONE(sample, 1, begin, end, for (int j = 0; j < calls; j++) call)
#define MINUS_LOOP(begin, end, call)                                                               \
    for (size_t i = 0; i < n; i++) {                                                               \
        struct rk_sample timer, loop, whole;                                                       \
        RK_ONE_BY_ONE(&timer, 1, begin, end, (void)0);                                             \
        LOOP(&loop, begin, end, {});                                                               \
        LOOP(&whole, begin, end, call);                                                            \
        out[i] = (struct rk_sample){whole.ticks - loop.ticks - timer.ticks, (uint64_t)calls};      \
    }
#define T470(call) MINUS_LOOP(RK_BARE_BEGIN, RK_BARE_END, call)
#define HPE(call) MINUS_LOOP(RK_PAOLONI_BEGIN, RK_PAOLONI_END, call)

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    if (!RK_HAVE_STAMPS)
        return rk_cannot(c, "RDTSC is an x86 instruction");
    const int calls = (int)rk_integer(c, "calls");
    FOR_ARGUMENTS(rk_integer(c, "arguments"), T470)
    return 0;
}

static int run_hpe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    if (!RK_HAVE_STAMPS)
        return rk_cannot(c, "RDTSC and CPUID are x86 instructions");
    const int calls = (int)rk_integer(c, "calls");
    FOR_ARGUMENTS(rk_integer(c, "arguments"), HPE)
    return 0;
}

#define INNER(preset) RK_COUNT("calls", preset, 1, 1000000000, "calls between two stamps")
#define ALONE_ROW(id, report)                                                                      \
    RK_PROBE(id, .name = "cpu/call/" report, .op = "call", .reports = report,                      \
             .timed = "one call, -O0, between CPUID-fenced stamps, the stamps included",           \
             .params = RK_PARAMS(ARGUMENTS), .run = run_alone)

RK_PROBE(o0, .name = "cpu/call/o0", .op = "call",
         .timed = "calls of an empty procedure in groups of 50, -O0",
         .params = RK_PARAMS(ARGUMENTS, CALLS(5000)), .run = run_o0);
RK_PROBE(t470, .name = "cpu/call/t470", .op = "call", .reports = "t470",
         .timed = "a loop of calls, -O0, minus the stamps and minus the empty loop (the report: "
                  "1,000,000 calls)",
         .params = RK_PARAMS(ARGUMENTS, INNER(1000000)), .run = run_t470);
RK_PROBE(hpe_i7_860, .name = "cpu/call/hpe_i7_860", .op = "call", .reports = "hpe_i7_860",
         .timed = "a loop of 50 calls, -O0, between CPUID-fenced stamps, minus the stamps and the "
                  "empty loop",
         .params = RK_PARAMS(ARGUMENTS, INNER(50)), .run = run_hpe);
ALONE_ROW(x510uq, "x510uq");
ALONE_ROW(i7_10750h, "i7_10750h");

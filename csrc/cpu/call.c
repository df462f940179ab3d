/* cpu/call at -O2: a procedure call with 0 to 7 integer arguments. */
#include "cpu/support/call.h"

RUN_GROUPS(run_o2)

/* mbp2016: one variadic procedure, kept from being inlined. */
NOIPA static void variadic(int count, ...)
{
    (void)count;
    __asm__ volatile("");
}

#define VARIADIC0 variadic(0)
#define VARIADIC1 variadic(1, 1)
#define VARIADIC2 variadic(2, 1, 2)
#define VARIADIC3 variadic(3, 1, 2, 3)
#define VARIADIC4 variadic(4, 1, 2, 3, 4)
#define VARIADIC5 variadic(5, 1, 2, 3, 4, 5)
#define VARIADIC6 variadic(6, 1, 2, 3, 4, 5, 6)
#define VARIADIC7 variadic(7, 1, 2, 3, 4, 5, 6, 7)

#define DIFFERENCE(call) RK_TIME_DIFFERENCE(out, n, calls, call)

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t calls = rk_integer(c, "calls");
    FOR_ARGUMENTS(rk_integer(c, "arguments"), DIFFERENCE, VARIADIC)
    return 0;
}

RK_PROBE("cpu/call/o2", .op = "call",
         .timed = "calls of an empty procedure in groups of 50, -O2, neither inlined nor left out",
         .params = RK_PARAMS(ARGUMENTS, CALLS(5000)), .trials = run_o2);
RK_PROBE("cpu/call/mbp2016", .op = "call", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n rounds of a loop with one call of a variadic procedure, -O2 "
                  "(the report: n = 100,000,000)",
         .params = RK_PARAMS(ARGUMENTS, RK_INTEGER("calls", 10000, 1, 1000000000, "n")),
         .trials = run_mbp2016);

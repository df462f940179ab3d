/* cpu/syscall at -O0, by the methods of the reports that compiled without optimisation. */
#include <sys/syscall.h>
#include <sys/times.h>
#include <unistd.h>

#include "cpu/support/int80.h"
#include "probe/stamps.h"

/* t470: a loop of calls, minus the timer, minus the same loop with nothing in it. All three are
 * timed in the same trial. */
static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t calls = rk_integer(c, "calls");
    const long self = getpid();
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        struct rk_sample timer, loop, whole;
        RK_TIME_BARE(&timer, 1, (void)0);
        RK_TIME_BARE(&loop, 1, for (int64_t j = 0; j < calls; j++){});
        RK_TIME_BARE(&whole, 1,
                     for (int64_t j = 0; j < calls; j++) bad |= syscall(SYS_getpid) != self);
        out[i] = (struct rk_sample){whole.ticks - loop.ticks - timer.ticks, (uint64_t)calls};
    }
    return bad ? rk_failed(c, "getpid", errno) : 0;
}

/* One call between Paoloni's stamps, the stamps' own cost left in. */
#define ALONE(function, call, good)                                                                \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        char buffer[4096] __attribute__((unused));                                                 \
        struct tms used __attribute__((unused));                                                   \
        const long self __attribute__((unused)) = getpid();                                        \
        int bad = 0;                                                                               \
        long result;                                                                               \
        RK_TIME_PAOLONI(out, n, {                                                                  \
            result = (long)(call);                                                                 \
            bad |= !(good);                                                                        \
        });                                                                                        \
        return bad ? rk_failed(c, #call, errno) : 0;                                               \
    }

ALONE(run_x510uq_times, times(&used), result != -1)
ALONE(run_i7_getpid, getpid(), result == self)
ALONE(run_hpe_getcwd, getcwd(buffer, sizeof buffer), result != 0)
ALONE(run_hpe_getcwd_syscall, syscall(SYS_getcwd, buffer, sizeof buffer), result > 0)
ALONE(run_hpe_getpid_syscall, syscall(SYS_getpid), result == self)

static int run_hpe_int80(struct rk_context *c, struct rk_sample *out, size_t n, long number)
{
    const struct int80 *state = rk_state(c);
    const uint32_t low = (uint32_t)(uintptr_t)state->page;
    long result = 1, minimum = 1;
    RK_TIME_PAOLONI(out, n, {
        result = rk_int80(number, low, 4096);
        minimum = result < minimum ? result : minimum;
    });
    return minimum <= 0 ? rk_failed(c, "int 0x80", (int)-minimum) : 0;
}

static int run_hpe_getpid_int80(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return run_hpe_int80(c, out, n, INT80_GETPID);
}

static int run_hpe_getcwd_int80(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return run_hpe_int80(c, out, n, INT80_GETCWD);
}

RK_PROBE("cpu/syscall/t470_getpid", .op = "call", .reports = "t470",
         .timed = "calls x syscall(SYS_getpid), -O0, minus the timer and minus the empty loop",
         .params = RK_PARAMS(RK_INTEGER("calls", 100000, 1, 1000000000, "calls a trial")),
         .needs = RK_NEEDS_STAMPS, .trials = run_t470);
RK_PROBE("cpu/syscall/x510uq_times", .op = "call", .reports = "x510uq",
         .timed = "times(), -O0, one call between CPUID-fenced stamps, the stamps included",
         .needs = RK_NEEDS_STAMPS, .trials = run_x510uq_times);
RK_PROBE("cpu/syscall/i7_10750h_getpid", .op = "call", .reports = "i7_10750h",
         .timed = "getpid(), -O0, one call between CPUID-fenced stamps, the stamps included",
         .needs = RK_NEEDS_STAMPS, .trials = run_i7_getpid);
RK_PROBE("cpu/syscall/hpe_i7_860_getcwd", .op = "call", .reports = "hpe_i7_860",
         .timed = "getcwd(), -O0, one call between CPUID-fenced stamps, the stamps included",
         .needs = RK_NEEDS_STAMPS, .trials = run_hpe_getcwd);
RK_PROBE("cpu/syscall/hpe_i7_860_getcwd_syscall", .op = "call", .reports = "hpe_i7_860",
         .timed = "syscall(SYS_getcwd), -O0, one call between CPUID-fenced stamps, the stamps "
                  "included",
         .needs = RK_NEEDS_STAMPS, .trials = run_hpe_getcwd_syscall);
RK_PROBE("cpu/syscall/hpe_i7_860_getpid_syscall", .op = "call", .reports = "hpe_i7_860",
         .timed = "syscall(SYS_getpid), -O0, one call between CPUID-fenced stamps, the stamps "
                  "included",
         .needs = RK_NEEDS_STAMPS, .trials = run_hpe_getpid_syscall);
RK_PROBE("cpu/syscall/hpe_i7_860_getpid_int80", .op = "call", .reports = "hpe_i7_860",
         .timed = "INT 0x80 getpid, -O0, one call between CPUID-fenced stamps, the stamps included",
         .needs = RK_NEEDS_STAMPS,
         RK_STAGES(struct int80, open_int80, run_hpe_getpid_int80, close_int80));
RK_PROBE("cpu/syscall/hpe_i7_860_getcwd_int80", .op = "call", .reports = "hpe_i7_860",
         .timed = "INT 0x80 getcwd, -O0, one call between CPUID-fenced stamps, the stamps included",
         .needs = RK_NEEDS_STAMPS,
         RK_STAGES(struct int80, open_int80, run_hpe_getcwd_int80, close_int80));

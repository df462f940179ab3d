/* cpu/syscall: the minimal system call, by several entry points. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <unistd.h>

#include "cpu/support/int80.h"
#include "probe/stamps.h"

#define CALLS RK_PARAMS(RK_INTEGER("calls", 1000, 1, 1000000000, "calls a trial"))

/* A probe that times `calls` times `call`, by TIMED(out, n, reps, body), and fails if any of them
 * was not `good`. Checking costs a compare and an OR beside a call of tens of nanoseconds. */
#define TIME_CALLS(function, TIMED, call, good)                                                    \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        char buffer[4096] __attribute__((unused));                                                 \
        struct timespec now __attribute__((unused));                                               \
        struct tms used __attribute__((unused));                                                   \
        const long self __attribute__((unused)) = getpid();                                        \
        const long parent __attribute__((unused)) = getppid();                                     \
        const long user __attribute__((unused)) = getuid();                                        \
        int bad = 0;                                                                               \
        TIMED(out, n, rk_integer(c, "calls"), {                                                    \
            const long result = (long)(call);                                                      \
            bad |= !(good);                                                                        \
        });                                                                                        \
        return bad ? rk_error(c, EIO, "%s returned a wrong value", #call) : 0;                     \
    }

TIME_CALLS(run_getpid, RK_TIME_TRIALS, syscall(SYS_getpid), result == self)
TIME_CALLS(run_getpid_libc, RK_TIME_TRIALS, getpid(), result == self)
TIME_CALLS(run_getppid, RK_TIME_TRIALS, getppid(), result == parent)
TIME_CALLS(run_getuid, RK_TIME_TRIALS, getuid(), result == user)
TIME_CALLS(run_getcwd, RK_TIME_TRIALS, getcwd(buffer, sizeof buffer), result != 0)
TIME_CALLS(run_getcwd_syscall, RK_TIME_TRIALS, syscall(SYS_getcwd, buffer, sizeof buffer),
           result > 0)
TIME_CALLS(run_times, RK_TIME_TRIALS, times(&used), result != -1)
TIME_CALLS(run_gettime, RK_TIME_TRIALS, clock_gettime(CLOCK_MONOTONIC, &now), result == 0)
TIME_CALLS(run_gettime_syscall, RK_TIME_TRIALS, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now),
           result == 0)
TIME_CALLS(run_mbp2016_getpid, RK_TIME_DIFFERENCE, getpid(), result == self)
TIME_CALLS(run_mbp2016_getuid, RK_TIME_DIFFERENCE, getuid(), result == user)
TIME_CALLS(run_mbp2016_getppid, RK_TIME_DIFFERENCE, getppid(), result == parent)

static int run_getpid_int80(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const long self = getpid();
    int bad = 0;
    RK_TIME_TRIALS(out, n, rk_integer(c, "calls"), bad |= rk_int80(INT80_GETPID, 0, 0) != self);
    return bad ? rk_failed(c, "int 0x80 getpid", EIO) : 0;
}

static int run_getcwd_int80(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct int80 *state = rk_state(c);
    long result = 1;
    int bad = 0;
    RK_TIME_TRIALS(out, n, rk_integer(c, "calls"), {
        result = rk_int80(INT80_GETCWD, (uint32_t)(uintptr_t)state->page, 4096);
        bad |= result <= 0;
    });
    return bad ? rk_failed(c, "int 0x80 getcwd", (int)-result) : 0;
}

RK_PROBE("cpu/syscall/getpid", .op = "call", .timed = "calls x syscall(SYS_getpid)",
         .params = CALLS, .trials = run_getpid);
RK_PROBE("cpu/syscall/getpid_libc", .op = "call", .timed = "calls x getpid() of the C library",
         .params = CALLS, .trials = run_getpid_libc);
RK_PROBE("cpu/syscall/getppid", .op = "call", .timed = "calls x getppid() of the C library",
         .params = CALLS, .trials = run_getppid);
RK_PROBE("cpu/syscall/getuid", .op = "call", .timed = "calls x getuid() of the C library",
         .params = CALLS, .trials = run_getuid);
RK_PROBE("cpu/syscall/getcwd", .op = "call", .timed = "calls x getcwd() of the C library",
         .params = CALLS, .trials = run_getcwd);
RK_PROBE("cpu/syscall/getcwd_syscall", .op = "call", .timed = "calls x syscall(SYS_getcwd)",
         .params = CALLS, .trials = run_getcwd_syscall);
RK_PROBE("cpu/syscall/times", .op = "call", .timed = "calls x times() of the C library",
         .params = CALLS, .trials = run_times);
RK_PROBE("cpu/syscall/clock_gettime", .op = "call",
         .timed = "calls x clock_gettime() of the C library (the vDSO)", .params = CALLS,
         .trials = run_gettime);
RK_PROBE("cpu/syscall/clock_gettime_syscall", .op = "call",
         .timed = "calls x syscall(SYS_clock_gettime)", .params = CALLS,
         .trials = run_gettime_syscall);
RK_PROBE("cpu/syscall/getpid_int80", .op = "call",
         .timed = "calls x INT 0x80 with getpid's 32-bit number", .params = CALLS,
         RK_STAGES(struct int80, open_int80, run_getpid_int80, close_int80));
RK_PROBE("cpu/syscall/getcwd_int80", .op = "call",
         .timed = "calls x INT 0x80 with getcwd's 32-bit number, the buffer below 4 GiB",
         .params = CALLS, RK_STAGES(struct int80, open_int80, run_getcwd_int80, close_int80));
RK_PROBE("cpu/syscall/mbp2016_getpid", .op = "call", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n getpid() of the C library (the report: n = 100,000,000)",
         .params = CALLS, .trials = run_mbp2016_getpid);
RK_PROBE("cpu/syscall/mbp2016_getuid", .op = "call", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n getuid() of the C library (the report: n = 100,000,000)",
         .params = CALLS, .trials = run_mbp2016_getuid);
RK_PROBE("cpu/syscall/mbp2016_getppid", .op = "call", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n getppid() of the C library (the report: n = 100,000,000)",
         .params = CALLS, .trials = run_mbp2016_getppid);

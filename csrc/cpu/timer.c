/* cpu/timer: what reading time costs, and what a pair of reads adds to an interval. */
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/stamps.h"

#define READS RK_INTEGER("reads", 1000, 1, 1000000000, "reads a trial")

static int run_pair(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), 1};
    }
    return 0;
}

/* An interval of one-cycle adds between two reads: the remainder is the pair. */
static int run_around(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const uint64_t rounds = (uint64_t)rk_integer(c, "rounds");
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        RK_KEEP(rk_add_chain(rounds, begin, 1));
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), rounds};
    }
    return 0;
}

static int run_gettime(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct timespec now;
    int bad = 0;
    RK_TIME_TRIALS(out, n, rk_integer(c, "reads"), bad |= clock_gettime(CLOCK_MONOTONIC, &now));
    return bad ? rk_failed(c, "clock_gettime", errno) : 0;
}

static int run_gettime_syscall(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct timespec now;
    long bad = 0;
    RK_TIME_TRIALS(out, n, rk_integer(c, "reads"),
                   bad |= syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now));
    return bad ? rk_failed(c, "clock_gettime", errno) : 0;
}

#if defined(__x86_64__)
#define RDTSC() __asm__ volatile("rdtsc" ::: "rax", "rdx", "memory")
#define RDTSCP() __asm__ volatile("rdtscp" ::: "rax", "rcx", "rdx", "memory")
#define CPUID()                                                                                    \
    __asm__ volatile("xor %%eax, %%eax\n\tcpuid" ::: "rax", "rbx", "rcx", "rdx", "memory")
#else /* not run: RK_NEEDS_STAMPS */
#define RDTSC() ((void)0)
#define RDTSCP() ((void)0)
#define CPUID() ((void)0)
#endif

/* A probe that times `reads` times `read`, by TIMED(out, n, reps, body). */
#define TIME_READS(function, TIMED, read)                                                          \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        TIMED(out, n, rk_integer(c, "reads"), read);                                               \
        return 0;                                                                                  \
    }

TIME_READS(run_pairs, RK_TIME_TRIALS, RK_KEEP(rk_begin()); RK_KEEP(rk_end()))
TIME_READS(run_rdtsc, RK_TIME_TRIALS, RDTSC())
TIME_READS(run_rdtscp, RK_TIME_TRIALS, RDTSCP())
TIME_READS(run_cpuid, RK_TIME_TRIALS, CPUID())
TIME_READS(run_mbp2016, RK_TIME_DIFFERENCE, RDTSC())
TIME_READS(run_mbp2016_cpuid, RK_TIME_DIFFERENCE, CPUID(); RDTSC())

RK_PROBE("cpu/timer/pair", .op = "pair",
         .timed = "nothing: two fenced reads back to back, each pair a sample of its own",
         .trials = run_pair);
RK_PROBE("cpu/timer/fenced", .op = "pair",
         .timed = "reads x the two fenced reads, executed back to back", .params = RK_PARAMS(READS),
         .trials = run_pairs);
RK_PROBE("cpu/timer/around", .op = "round",
         .timed = "rounds x 512 one-cycle adds between one pair of fenced reads, the pair included",
         .params = RK_PARAMS(RK_INTEGER("rounds", 1, 1, 1000000000, "rounds of 512 adds a trial")),
         .trials = run_around);
RK_PROBE("cpu/timer/rdtsc", .op = "read", .timed = "reads x RDTSC, nothing to fence them",
         .params = RK_PARAMS(READS), .needs = RK_NEEDS_STAMPS, .trials = run_rdtsc);
RK_PROBE("cpu/timer/rdtscp", .op = "read", .timed = "reads x RDTSCP", .params = RK_PARAMS(READS),
         .needs = RK_NEEDS_STAMPS, .trials = run_rdtscp);
RK_PROBE("cpu/timer/cpuid", .op = "instruction",
         .timed = "reads x CPUID, which a hypervisor has to emulate",
         .params = RK_PARAMS(RK_INTEGER("reads", 20, 1, 1000000, "instructions a trial")),
         .needs = RK_NEEDS_STAMPS, .trials = run_cpuid);
RK_PROBE("cpu/timer/clock_gettime", .op = "call",
         .timed = "reads x clock_gettime(CLOCK_MONOTONIC) of the C library (the vDSO)",
         .params = RK_PARAMS(READS), .trials = run_gettime);
RK_PROBE("cpu/timer/clock_gettime_syscall", .op = "call",
         .timed = "reads x syscall(SYS_clock_gettime, CLOCK_MONOTONIC)", .params = RK_PARAMS(READS),
         .trials = run_gettime_syscall);
RK_PROBE("cpu/timer/mbp2016", .op = "read", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n RDTSC back to back, no CPUID (what its 25 cycles suggest; the "
                  "report: n = 100,000,000)",
         .params = RK_PARAMS(READS), .needs = RK_NEEDS_STAMPS, .trials = run_mbp2016);
RK_PROBE(
    "cpu/timer/mbp2016_cpuid", .op = "read", .reports = "mbp2016",
    .timed = "t(2n) - t(n) of n CPUID; RDTSC (what its text says; the report: n = 100,000,000)",
    .params = RK_PARAMS(RK_INTEGER("reads", 20, 1, 1000000000, "reads a trial")),
    .needs = RK_NEEDS_STAMPS, .trials = run_mbp2016_cpuid);

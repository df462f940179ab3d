/* cpu/loop: what one round of a loop costs. */
#include "probe/stamps.h"

#define ROUNDS RK_INTEGER("rounds", 10000, 1, 1000000000, "rounds of the loop")
/* The whole loop is repeated, so that it is long against a step of the counter (10 ns on some). */
#define LOOPS RK_INTEGER("loops", 100, 1, 1000000000, "loops in a trial")

/* The empty asm keeps the loop; it puts no instruction into it. */
#define EMPTY_LOOP(rounds)                                                                         \
    for (int64_t round_ = 0; round_ < (rounds); round_++)                                          \
    __asm__ volatile("")

static int run_o2(struct rk_context *c, struct rk_sample *out, size_t n)
{
    RK_TIME_TRIALS(out, n, rk_integer(c, "rounds"), __asm__ volatile(""));
    return 0;
}

/* The whole loop as one operation, from no round at all: for the curve against the rounds. */
static int run_o2_whole(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t rounds = rk_integer(c, "rounds");
    RK_TIME_TRIALS(out, n, rk_integer(c, "loops"), EMPTY_LOOP(rounds));
    return 0;
}

/* The compiler's loop, aligned so that its last instruction lies across two cache lines. */
static int run_o2_across_lines(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t rounds = rk_integer(c, "rounds");
    RK_TIME_TRIALS(out, n, 1, {
        int64_t round = 0;
#if defined(__x86_64__)
        __asm__ volatile(".p2align 6\n\t.nops 56\n"
                         "1:\tadd $1, %0\n\tcmp %0, %1\n\tjne 1b"
                         : "+r"(round)
                         : "r"(rounds)
                         : "cc");
#else
        __asm__ volatile(".p2align 6\n\t.rept 14\n\tnop\n\t.endr\n"
                         "1:\tadd %0, %0, #1\n\tcmp %0, %1\n\tb.ne 1b"
                         : "+r"(round)
                         : "r"(rounds)
                         : "cc");
#endif
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)rounds;
    return 0;
}

/* What holds an unoptimised loop back: its counter lives in memory, so each round's addition waits
 * for the store of the one before to be forwarded to its load. */
static int run_counter_in_memory(struct rk_context *c, struct rk_sample *out, size_t n)
{
    uint64_t counter = 0;
    RK_TIME_TRIALS(out, n, (rk_integer(c, "rounds") + 63) / 64, {
#if defined(__x86_64__)
        __asm__ volatile(".rept 64\n\taddl $1, %0\n\t.endr" : "+m"(counter)::"cc");
#else
        uint64_t scratch;
        __asm__ volatile(".rept 64\n\tldr %w1, %0\n\tadd %w1, %w1, #1\n\tstr %w1, %0\n\t.endr"
                         : "+m"(counter), "=&r"(scratch));
#endif
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops *= 64;
    return 0;
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    RK_TIME_DIFFERENCE(out, n, rk_integer(c, "rounds"), __asm__ volatile(""));
    return 0;
}

RK_PROBE("cpu/loop/o2", .op = "round",
         .timed = "a loop of `rounds` rounds around an empty asm, -O2", .params = RK_PARAMS(ROUNDS),
         .trials = run_o2);
RK_PROBE("cpu/loop/o2_whole", .op = "loop",
         .timed = "loops x the whole loop of `rounds` rounds around an empty asm, -O2",
         .params = RK_PARAMS(RK_INTEGER("rounds", 1, 0, 1000000000, "rounds of the loop"), LOOPS),
         .trials = run_o2_whole);
RK_PROBE("cpu/loop/o2_across_lines", .op = "round",
         .timed = "the loop of o2, placed so that it lies across two cache lines",
         .params = RK_PARAMS(ROUNDS), .trials = run_o2_across_lines);
RK_PROBE(
    "cpu/loop/counter_in_memory", .op = "addition",
    .timed = "additions of 1 to one counter in memory, each waiting for the last, in groups of 64",
    .params = RK_PARAMS(RK_INTEGER("rounds", 10000, 1, 1000000000, "additions, rounded up to 64")),
    .trials = run_counter_in_memory);
RK_PROBE("cpu/loop/mbp2016", .op = "round", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n rounds around an empty asm, -O2 (the report: n = 10,000,000)",
         .params = RK_PARAMS(RK_INTEGER("rounds", 100000, 1, 1000000000, "n")),
         .trials = run_mbp2016);

/* cpu/division: how long a division of 64-bit integers takes, by the bits of its quotient. */
#include "probe/probe.h"

#define DIVISIONS RK_INTEGER("divisions", 1000, 1, 1000000000, "divisions in a trial")
#define DIVIDEND(bits) RK_INTEGER("dividend_bits", bits, 3, 64, "bits of the dividend")
/* Two bits less than the dividend at most, so that no divisor is 1 or 2: those could be shortcuts.
 */
#define QUOTIENT(bits, maximum)                                                                    \
    RK_INTEGER("quotient_bits", bits, 1, maximum, "bits of the quotient")

/* The loops are in assembly: a compiler adds moves between registers to the chain, or a test
 * whether 32 bits are enough. DIV of x86 takes the dividend from RDX:RAX and leaves the remainder
 * in RDX, so RDX is cleared each time. That waits for nothing. */
#if defined(__x86_64__)
#define DIVIDE_AND_ADD "xor %%edx, %%edx\n\tdiv %[divisor]\n\tadd %[rest], %[x]"
#define DIVIDE "mov %[dividend], %[x]\n\txor %%edx, %%edx\n\tdiv %[divisor]"
#define X_REGISTER "+a"
#define CLOBBERED "rdx", "cc"
#else
#define DIVIDE_AND_ADD "udiv %[x], %[x], %[divisor]\n\tadd %[x], %[x], %[rest]"
#define DIVIDE "udiv %[x], %[dividend], %[divisor]"
#define X_REGISTER "+r"
#define CLOBBERED "cc"
#endif

/* How the probes differ. */
struct dividend {
    int bits;
};

struct operands {
    uint64_t dividend, divisor, quotient;
};

/* The dividend begins with a 1, and the quotient has exactly quotient_bits bits. */
static int open_operands(struct rk_context *c)
{
    struct operands *const state = rk_state(c);
    const struct dividend *const variant = rk_variant(c);
    state->dividend = UINT64_C(0x9e3779b97f4a7c15) >> (64 - variant->bits);
    state->divisor = (state->dividend >> rk_integer(c, "quotient_bits")) + 1;
    state->quotient = state->dividend / state->divisor;
    return 0;
}

/* The addition makes the same dividend of each quotient: so each division waits for the one before,
 * and all of them divide the same two numbers. */
static uint64_t divide_in_a_chain(const struct operands *of, int64_t rounds)
{
    uint64_t x = of->dividend;
    __asm__ volatile(".p2align 6\n1:\t" DIVIDE_AND_ADD "\n\t" RK_NEXT_ROUND
                     : [x] X_REGISTER(x), [rounds] "+r"(rounds)
                     : [divisor] "r"(of->divisor), [rest] "r"(of->dividend - of->quotient)
                     : CLOBBERED);
    return x;
}

static uint64_t divide_independently(const struct operands *of, int64_t rounds)
{
    uint64_t x = 0;
    __asm__ volatile(".p2align 6\n1:\t" DIVIDE "\n\t" RK_NEXT_ROUND
                     : [x] X_REGISTER(x), [rounds] "+r"(rounds)
                     : [divisor] "r"(of->divisor), [dividend] "r"(of->dividend)
                     : CLOBBERED);
    return x;
}

#define TIME_DIVISIONS(divide, right)                                                              \
    const int64_t divisions = rk_integer(c, "divisions");                                          \
    for (size_t i = 0; i < n; i++) {                                                               \
        const uint64_t begin = rk_begin();                                                         \
        const uint64_t x = divide(state, divisions);                                               \
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), (uint64_t)divisions};             \
        if (x != (right))                                                                          \
            return rk_error(c, EIO, "the last division gave another quotient");                    \
    }

static int run_in_a_chain(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct operands *const state = rk_state(c);
    TIME_DIVISIONS(divide_in_a_chain, state->dividend);
    return 0;
}

static int run_independent(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct operands *const state = rk_state(c);
    TIME_DIVISIONS(divide_independently, state->quotient);
    return 0;
}

RK_PROBE("cpu/division/long_quotient", .op = "division",
         .timed =
             "unsigned 64-bit divisions with a quotient of 62 bits; an addition makes the next "
             "dividend of each quotient",
         .params = RK_PARAMS(DIVISIONS, QUOTIENT(62, 62)), RK_VARIANT(struct dividend, 64),
         RK_STAGES(struct operands, open_operands, run_in_a_chain, NULL));
RK_PROBE("cpu/division/small_numbers", .op = "division",
         .timed = "unsigned 64-bit divisions of a number of 8 bits with a quotient of 4 bits; an "
                  "addition makes the next dividend of each quotient",
         .params = RK_PARAMS(DIVISIONS, QUOTIENT(4, 6)), RK_VARIANT(struct dividend, 8),
         RK_STAGES(struct operands, open_operands, run_in_a_chain, NULL));
RK_PROBE(
    "cpu/division/independent", .op = "division",
    .timed =
        "unsigned 64-bit divisions with a quotient of 62 bits, none of which waits for another",
    .params = RK_PARAMS(DIVISIONS, QUOTIENT(62, 62)), RK_VARIANT(struct dividend, 64),
    RK_STAGES(struct operands, open_operands, run_independent, NULL));

/* clock.h: reading time, and the few kernels that need assembly. */
#ifndef RK_CLOCK_H
#define RK_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)

/* Fenced reads. LFENCE waits until earlier instructions have completed and holds back later ones
 * (Intel SDM vol. 2, LFENCE; AMD: where LFENCE is dispatch serialising, which Linux sets).
 * CPUID, which Paoloni (2010) uses for the same end, traps in a virtual machine. */
static inline uint64_t rk_begin(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t rk_end(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high)::"rcx", "memory");
    return (uint64_t)high << 32 | low;
}

/* Within a loop that waits for another CPU: it then leaves the core to its sibling thread, and is
 * does not repeat its loads when the awaited store arrives (Intel SDM, PAUSE). */
static inline void rk_pause(void)
{
    __asm__ volatile("pause");
}

#define RK_ADD "add %[y], %[x]"
#define RK_MULTIPLY "imul %[y], %[x]"
#define RK_NEXT_ROUND "dec %[rounds]\n\tjnz 1b"

#elif defined(__aarch64__)

static inline uint64_t rk_begin(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks;
}

static inline uint64_t rk_end(void)
{
    return rk_begin();
}

static inline void rk_pause(void)
{
    __asm__ volatile("yield");
}

#define RK_ADD "add %[x], %[x], %[y]"
#define RK_MULTIPLY "mul %[x], %[x], %[y]"
#define RK_NEXT_ROUND "subs %[rounds], %[rounds], #1\n\tb.ne 1b"

#else
#error "Reckon measures on x86-64 and AArch64 only"
#endif

#define RK_CHAIN_STEP 512 /* instructions a round */
#define RK_CHAIN(name, instruction)                                                                \
    static inline uint64_t name(uint64_t rounds, uint64_t x, uint64_t y)                           \
    {                                                                                              \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t.rept 512\n\t" instruction "\n\t.endr\n\t" RK_NEXT_ROUND           \
                         : [x] "+r"(x), [rounds] "+r"(rounds)                                      \
                         : [y] "r"(y)                                                              \
                         : "cc");                                                                  \
        return x;                                                                                  \
    }

/* Dependent register-to-register adds, one cycle each. Not add-immediate: new cores fold chains of
 * those at rename. The round's own instructions run beside the chain, but take a port from it now
 * and then: with 64 adds a round that was up to 3 % (seen on a Golden Cove core), with 512 it is
 * lost in the noise. */
RK_CHAIN(rk_add_chain, RK_ADD)
/* The same with multiplies, of rk_multiply_cycles() each. */
RK_CHAIN(rk_multiply_chain, RK_MULTIPLY)

#define RK_NS_PER_S 1000000000ll

static inline uint64_t rk_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * RK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* How finely the counter is read: the least by which two readings in turn differ. */
struct rk_resolution {
    int64_t ticks;
    double ns; /* 0: not known before a calibration, and below 20 on every x86 processor */
};

struct rk_resolution rk_counter_resolution(void);

/* The counter and the clock at the same moment. */
struct rk_stamp {
    uint64_t ticks, ns;
};

/* Of ten tries the one with the least time between the two clock reads around the counter read. */
struct rk_stamp rk_stamp_now(void);

/* Ticks in a ns, by what the counter and the clock advanced since that stamp (some ms at least). */
double rk_ticks_per_ns(const struct rk_stamp *since);

/* A time in ns as ticks, rounded. */
static inline int64_t rk_ticks(double ns, double ticks_per_ns)
{
    return (int64_t)(ns * ticks_per_ns + 0.5);
}

#endif

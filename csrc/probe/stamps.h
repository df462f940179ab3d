/* stamps.h: how the reports read time. For the probes of their methods; Reckon's own is in
 * clock.h.
 *
 * The halves stay apart until after the second read, as in the reports' code: at -O0 what is
 * stored between the two reads is part of what they measured. */
#ifndef RK_STAMPS_H
#define RK_STAMPS_H

#include "probe/probe.h"

#if defined(__x86_64__)

/* t470: RDTSC ... RDTSCP with nothing to fence them. */
#define RK_BARE_BEGIN(high, low) __asm__ volatile("rdtsc" : "=d"(high), "=a"(low)::"memory")
#define RK_BARE_END(high, low) __asm__ volatile("rdtscp" : "=d"(high), "=a"(low)::"rcx", "memory")

/* Paoloni (2010), "How to benchmark code execution times", section 3.2: CPUID as the fence.
 * Used by x510uq, i7_10750h and hpe_i7_860. */
#define RK_PAOLONI_BEGIN(high, low)                                                                \
    __asm__ volatile("cpuid\n\trdtsc\n\tmov %%edx, %0\n\tmov %%eax, %1"                            \
                     : "=r"(high), "=r"(low)::"rax", "rbx", "rcx", "rdx", "memory")
#define RK_PAOLONI_END(high, low)                                                                  \
    __asm__ volatile("rdtscp\n\tmov %%edx, %0\n\tmov %%eax, %1\n\tcpuid"                           \
                     : "=r"(high), "=r"(low)::"rax", "rbx", "rcx", "rdx", "memory")

#else /* a probe with RK_NEEDS_STAMPS is refused by the runner */
#define RK_BARE_BEGIN(high, low) ((high) = (low) = 0)
#define RK_BARE_END(high, low) ((high) = (low) = 0)
#define RK_PAOLONI_BEGIN(high, low) ((high) = (low) = 0)
#define RK_PAOLONI_END(high, low) ((high) = (low) = 0)
#endif

#define RK_JOIN(high, low) ((uint64_t)(high) << 32 | (low))

/* n samples of `body`, each timed alone. */
#define RK_TIME_EACH(out, n, begin, end, body)                                                     \
    for (size_t trial_ = 0; trial_ < (n); trial_++) {                                              \
        uint32_t high0_, low0_, high1_, low1_;                                                     \
        begin(high0_, low0_);                                                                      \
        body;                                                                                      \
        end(high1_, low1_);                                                                        \
        (out)[trial_] =                                                                            \
            (struct rk_sample){(int64_t)(RK_JOIN(high1_, low1_) - RK_JOIN(high0_, low0_)), 1};     \
    }

/* The same between the stamps of t470, and between Paoloni's. */
#define RK_TIME_BARE(out, n, body) RK_TIME_EACH(out, n, RK_BARE_BEGIN, RK_BARE_END, body)
#define RK_TIME_PAOLONI(out, n, body) RK_TIME_EACH(out, n, RK_PAOLONI_BEGIN, RK_PAOLONI_END, body)

/* mbp2016: t(2n) - t(n), so that whatever is paid once cancels. */
#define RK_TIME_DIFFERENCE(out, n, reps, body)                                                     \
    for (size_t trial_ = 0; trial_ < (n); trial_++) {                                              \
        const int64_t reps_ = (reps);                                                              \
        const uint64_t begin_ = rk_begin();                                                        \
        for (int64_t rep_ = 0; rep_ < reps_; rep_++) {                                             \
            body;                                                                                  \
        }                                                                                          \
        const uint64_t once_ = rk_end();                                                           \
        for (int64_t rep_ = 0; rep_ < 2 * reps_; rep_++) {                                         \
            body;                                                                                  \
        }                                                                                          \
        const uint64_t twice_ = rk_end();                                                          \
        (out)[trial_] = (struct rk_sample){(int64_t)(twice_ - once_) - (int64_t)(once_ - begin_),  \
                                           (uint64_t)reps_};                                       \
    }

#endif

#include "probe/clock.h"

#include "probe/probe.h"

#define STAMP_TRIES 10     /* of which one is likely to be undisturbed */
#define STEP_READINGS 1000 /* some 20 us: hundreds of steps of a counter of 24 MHz */

/* Ticks per second, where a register has it; else 0. */
static double counter_hz(void)
{
#if defined(__aarch64__)
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return (double)hz;
#else
    return 0;
#endif
}

struct rk_resolution rk_counter_resolution(void)
{
    static int64_t step; /* measured once a process */
    uint64_t last = rk_begin(), minimum = UINT64_MAX;
    for (int i = 0; !step && i < STEP_READINGS; i++) {
        const uint64_t now = rk_begin();
        if (now != last && now - last < minimum)
            minimum = now - last;
        last = now;
    }
    if (!step)
        step = minimum == UINT64_MAX ? 1 : (int64_t)minimum;
    const double hz = counter_hz();
    return (struct rk_resolution){step, hz > 0 ? 1e9 * (double)step / hz : 0};
}

struct rk_stamp rk_stamp_now(void)
{
    struct rk_stamp stamp = {0, 0};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < STAMP_TRIES; i++) {
        const uint64_t before = rk_monotonic_ns();
        const uint64_t ticks = rk_begin();
        const uint64_t after = rk_monotonic_ns();
        if (after - before < tightest) {
            tightest = after - before;
            stamp = (struct rk_stamp){ticks, before + (after - before) / 2};
        }
    }
    return stamp;
}

double rk_ticks_per_ns(const struct rk_stamp *since)
{
    const struct rk_stamp now = rk_stamp_now();
    return (double)(now.ticks - since->ticks) / (double)(now.ns - since->ns);
}

void rk_ns_to_ticks(struct rk_sample *samples, size_t n, const struct rk_stamp *since)
{
    const double ticks_per_ns = rk_ticks_per_ns(since);
    for (size_t i = 0; i < n; i++)
        samples[i].ticks = rk_ticks((double)samples[i].ticks, ticks_per_ns);
}

/* A counter with steps of more is coarse, and then a trial spans 100 of them, for 1 %. Finer ones
 * only have to advance: trials of single events, some of 30 ns, are samples that Python's intervals
 * widen by a step. */
#define COARSE_STEP_NS 20
#define MIN_STEPS 100

int rk_long_enough(const struct rk_sample *samples, size_t n, const struct rk_resolution *step)
{
    const int64_t minimum = step->ns > COARSE_STEP_NS ? MIN_STEPS * step->ticks : 1;
    size_t shorter = 0;
    for (size_t i = 0; i < n; i++)
        shorter += samples[i].ticks < minimum && samples[i].ticks > -minimum;
    return 2 * shorter <= n;
}

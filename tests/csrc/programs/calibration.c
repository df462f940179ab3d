/* calibration.c: the runner's two calibrations on a made-up clock, for tests/csrc/runner:
 *
 *   calibration TICK_MHZ STEP_TICKS CORE_MHZ
 *     the core cycles in a tick, and the ticks in a second by 50 ms */
#include <stdio.h>
#include <stdlib.h>

#include "probe/probe.h"

static double now_ns, tick_mhz, core_mhz, step_ticks;
static uint64_t chance = 1;

/* Lets time pass, and up to 20 ns more; in one of 16 cases an interrupt of 5 us. */
static void pass(double ns)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    now_ns += ns + 20 * (double)(chance >> 32) / 4294967296.0;
    if (chance >> 60 == 0)
        now_ns += 5000;
}

static uint64_t made_up_counter(void)
{
    pass(10);
    return (uint64_t)(now_ns / 1e3 * tick_mhz / step_ticks) * (uint64_t)step_ticks;
}

static uint64_t made_up_ns(void)
{
    pass(10);
    return (uint64_t)now_ns;
}

static uint64_t made_up_chain(uint64_t rounds, uint64_t x, uint64_t y)
{
    pass((double)(rounds * RK_CHAIN_STEP) * 1e3 / core_mhz);
    return x + y;
}

#define rk_begin made_up_counter
#define rk_end made_up_counter
#define rk_monotonic_ns made_up_ns
#define rk_add_chain made_up_chain
#include "probe/clock.c"
#include "runner/in_process.c"
#include "runner/run.c"

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    tick_mhz = atof(argv[1]);
    step_ticks = atof(argv[2]);
    core_mhz = atof(argv[3]);
    const double cycles = cycles_per_tick();
    printf("%.9g %.9g\n", cycles, rk_tick_hz(50000000));
    return 0;
}

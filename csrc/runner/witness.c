/* witness.c: two short kernels that tell a slower clock from a core that is shared.
 *
 * Two hardware threads of a core share what executes instructions, and the hypervisor of a guest
 * shows nothing of a sibling that computes for somebody else. A chain of dependent adds leaves most
 * of the core idle, so a busy sibling costs it nothing: it shows the clock. Eight chains at once
 * use all of the core's adders: with a busy sibling they take up to twice as long (Tullsen, Eggers
 * and Levy, Simultaneous multithreading, ISCA 1995). */
#include "runner/witness.h"

#include "probe/clock.h"
#include "probe/probe.h"

#define TRIES 3          /* of which the fastest counts: an interrupt lengthens one */
#define STEPS 50         /* of the counter that a chain takes at least, for 2 % */
#define FIRST_CHAIN 4    /* rounds, of 512 adds: some 0.6 microseconds */
#define LONGEST_CHAIN 64 /* 10 microseconds */
#define WIDE_ROUNDS 4    /* for each of the chain: cores add four at a time and more */

#if defined(__x86_64__)
#define ADD_TO(register_) "add %[y], %[" register_ "]\n\t"
#else
#define ADD_TO(register_) "add %[" register_ "], %[" register_ "], %[y]\n\t"
#endif

/* As many adds as rk_add_chain(), in eight chains that do not wait for each other. */
static void add_wide(uint64_t rounds, uint64_t y)
{
    uint64_t a = y, b = y, c = y, d = y, e = y, f = y, g = y, h = y;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t.rept 64\n\t" ADD_TO("a") ADD_TO("b") ADD_TO("c") ADD_TO("d")
                         ADD_TO("e") ADD_TO("f") ADD_TO("g") ADD_TO("h") ".endr\n\t" RK_NEXT_ROUND
                     : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [e] "+r"(e), [f] "+r"(f),
                       [g] "+r"(g), [h] "+r"(h), [rounds] "+r"(rounds)
                     : [y] "r"(y)
                     : "cc");
}

static void add_chain(uint64_t rounds, uint64_t y)
{
    RK_KEEP(rk_add_chain(rounds, y, y));
}

/* The ticks that those rounds take, by the fastest of some tries. */
static uint64_t fastest(void (*add)(uint64_t rounds, uint64_t y), uint64_t rounds)
{
    uint64_t minimum = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = rk_begin();
        add(rounds, begin);
        const uint64_t ticks = rk_end() - begin;
        if (ticks < minimum)
            minimum = ticks;
    }
    return minimum;
}

struct rk_witness rk_take_witness(void)
{
    static uint64_t rounds = FIRST_CHAIN; /* long enough for this machine's counter */
    const uint64_t wanted = STEPS * (uint64_t)rk_counter_resolution().ticks;
    uint64_t chain = fastest(add_chain, rounds);
    while (chain < wanted && rounds < LONGEST_CHAIN) {
        rounds *= 2;
        chain = fastest(add_chain, rounds);
    }
    const double adds = (double)(rounds * RK_CHAIN_STEP);
    const uint64_t wide = fastest(add_wide, WIDE_ROUNDS * rounds);
    return (struct rk_witness){(float)((double)chain / adds),
                               (float)((double)wide / (WIDE_ROUNDS * adds))};
}

struct rk_witness rk_busier_witness(struct rk_witness a, struct rk_witness b)
{
    return a.wide * b.chain > b.wide * a.chain ? a : b;
}

/* order.h: random numbers, and orders in which places are visited. */
#ifndef RK_ORDER_H
#define RK_ORDER_H

#include <stdint.h>

/* Splitmix64 (Steele et al. 2014): seeded differently in each process, so that no two walk alike.
 * Inline, because whole files and regions are filled with it. */
static inline uint64_t rk_next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A random number below `limit` (Lemire 2019; its bias of 2^-32 is no matter here). */
static inline uint32_t rk_random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((rk_next_random(state) >> 32) * limit >> 32);
}

/* Puts the numbers into a random order (Fisher and Yates). */
void rk_shuffle(uint32_t *order, uint32_t count, uint64_t *state);

/* The numbers 0 to count - 1 in random order within windows of `window`, and the windows in random
 * order; one window: the whole is random. `order` has room for twice as many. */
void rk_random_order(uint32_t *order, uint32_t count, uint32_t window, uint64_t *state);

/* The same numbers in rising order. */
void rk_rising_order(uint32_t *order, uint32_t count);

#endif

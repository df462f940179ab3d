/* order.h: orders in which places are visited. */
#ifndef RK_ORDER_H
#define RK_ORDER_H

#include <stdint.h>

/* Splitmix64 (Steele et al. 2014): seeded anew in each process, so that no two walk alike. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A random number below `limit` (Lemire 2019; its bias of 2^-32 is no matter here). */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

/* Fisher and Yates. */
static inline void shuffle(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = random_below(state, i), held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}

/* The numbers 0 to count - 1 in random order within windows of `window`, and the windows in random
 * order; one window: the whole is random. `order` has room for twice as many. */
static inline void random_order(uint32_t *order, uint32_t count, uint32_t window, uint64_t *state)
{
    const uint32_t windows = count / window + (count % window != 0);
    uint32_t *const first = order + count; /* the second half of the array: the windows' order */
    for (uint32_t w = 0; w < windows; w++)
        first[w] = w;
    shuffle(first, windows, state);
    uint32_t filled = 0;
    for (uint32_t w = 0; w < windows; w++) {
        const uint32_t begin = first[w] * window;
        const uint32_t size = count - begin < window ? count - begin : window;
        for (uint32_t i = 0; i < size; i++)
            order[filled + i] = begin + i;
        shuffle(order + filled, size, state);
        filled += size;
    }
}

/* The same numbers in rising order. */
static inline void rising_order(uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
}

#endif

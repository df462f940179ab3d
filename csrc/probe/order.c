#include "probe/order.h"

void rk_shuffle(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = rk_random_below(state, i), held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}

void rk_random_order(uint32_t *order, uint32_t count, uint32_t window, uint64_t *state)
{
    const uint32_t windows = count / window + (count % window != 0);
    uint32_t *const first = order + count; /* the second half of the array: the windows' order */
    rk_rising_order(first, windows);
    rk_shuffle(first, windows, state);
    uint32_t filled = 0;
    for (uint32_t w = 0; w < windows; w++) {
        const uint32_t begin = first[w] * window;
        const uint32_t size = count - begin < window ? count - begin : window;
        for (uint32_t i = 0; i < size; i++)
            order[filled + i] = begin + i;
        rk_shuffle(order + filled, size, state);
        filled += size;
    }
}

void rk_rising_order(uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
}

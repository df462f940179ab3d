/* rings.c: prints the rings that csrc/memory/support/chase.c links, for
 * tests/csrc/memory/test_counted.py. `rings walk COUNT WINDOW DISTANCE SEEDS`: for each seed the
 * nodes in the order of a walk by single steps, and one more; window 0: in rising order. `rings
 * follow COUNT GROUPS`: the position where follow() ends. */
#include <stdio.h>
#include <stdlib.h>

#include "memory/support/chase.c"
#include "probe/order.c"

static const struct node *ring(char *start, uint32_t count, uint32_t window, size_t distance,
                               uint64_t seed)
{
    uint32_t *const order = calloc(2 * count, sizeof *order);
    if (window)
        rk_random_order(order, count, window, &seed);
    else
        rk_rising_order(order, count);
    const struct node *const first = link_ring(start, distance, order, count);
    free(order);
    return first;
}

int main(int argc, char **argv)
{
    const uint32_t count = argc > 3 ? (uint32_t)atoi(argv[2]) : 0;
    const uint32_t window = argc > 5 ? (uint32_t)atoi(argv[3]) : count;
    const size_t distance = argc > 5 ? (size_t)atoi(argv[4]) : sizeof(struct node);
    const int seeds = argc > 5 ? atoi(argv[5]) : 0;
    if (!count)
        return 2;
    char *const start = aligned_alloc(64, (count * distance + 63) / 64 * 64);
    for (int seed = 0; seed < seeds; seed++) {
        const struct node *p = ring(start, count, window, distance, (uint64_t)seed);
        for (uint32_t i = 0; i <= count; i++, p = p->next)
            printf("%zu ", (size_t)((const char *)p - start) / distance);
        putchar('\n');
    }
    if (!seeds)
        printf("%llu\n", (unsigned long long)follow(ring(start, count, window, distance, 1),
                                                    strtoull(argv[3], NULL, 10))
                             ->position);
    free(start);
    return 0;
}

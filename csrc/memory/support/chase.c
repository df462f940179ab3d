#include "memory/support/chase.h"

#include "probe/order.h"

struct node *link_ring(char *start, size_t distance, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct node *const node = (struct node *)(void *)(start + order[i] * distance);
        node->next = (struct node *)(void *)(start + order[i + 1 < count ? i + 1 : 0] * distance);
        node->position = i;
    }
    return (struct node *)(void *)(start + order[0] * distance);
}

/* How many nodes a ring through that much has. 0 or a status. */
static int count_nodes(struct rk_context *c, uint32_t *count, size_t size, size_t distance)
{
    if (distance % sizeof(uint64_t))
        return rk_unsupported(c, "the distance between nodes must be a multiple of 8 bytes");
    if (size / distance < 2 || size / distance > UINT32_MAX / 2)
        return rk_unsupported(c, "a ring needs at least two nodes and fewer than 2^31");
    *count = (uint32_t)(size / distance);
    return 0;
}

int make_ring(struct rk_context *c, struct ring *ring, size_t distance, size_t window_bytes)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const int huge = rk_wants_huge(c);
    if (huge < 0)
        return huge;
    int status = count_nodes(c, &ring->nodes, size, distance);
    if (!status && window_bytes && window_bytes < distance)
        status = rk_unsupported(c, "a window must hold at least one node");
    if (status)
        return status;
    /* The order of the nodes, then that of the windows; unmapped before anything is timed. */
    struct rk_region order;
    status = rk_map(c, &order, 2 * sizeof(uint32_t) * ring->nodes, 0);
    if (!status)
        status = rk_map(c, &ring->region, size, huge);
    if (!status) {
        uint32_t *const places = (uint32_t *)(void *)order.start;
        const size_t window = window_bytes / distance;
        uint64_t state = rk_begin();
        if (window_bytes)
            rk_random_order(places, ring->nodes,
                            window < ring->nodes ? (uint32_t)window : ring->nodes, &state);
        else
            rk_rising_order(places, ring->nodes);
        ring->at = link_ring(ring->region.start, distance, places, ring->nodes);
    }
    rk_unmap(&order);
    return status;
}

/* chase.h: rings of pointers in memory, and walking them. Each load needs the one before. */
#ifndef RK_CHASE_H
#define RK_CHASE_H

#include "probe/order.h"
#include "probe/region.h"

/* One node of the ring. Its number in the order of the walk proves, after the timing, that as many
 * loads were done as were counted. */
struct node {
    struct node *next;
    uint64_t position;
};

/* How many nodes a ring through that much has. 0 or a status. */
static inline int count_nodes(struct rk_context *c, uint32_t *count, size_t size, size_t distance)
{
    if (distance % sizeof(uint64_t))
        return rk_unsupported(c, "the distance between nodes must be a multiple of 8 bytes");
    if (size / distance < 2 || size / distance > UINT32_MAX / 2)
        return rk_unsupported(c, "a ring needs at least two nodes and fewer than 2^31");
    *count = (uint32_t)(size / distance);
    return 0;
}

/* Links `count` nodes, `distance` bytes apart, into one ring in the order given. */
static inline struct node *link_ring(char *start, size_t distance, const uint32_t *order,
                                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct node *const node = (struct node *)(void *)(start + order[i] * distance);
        node->next = (struct node *)(void *)(start + order[i + 1 < count ? i + 1 : 0] * distance);
        node->position = i;
    }
    return (struct node *)(void *)(start + order[0] * distance);
}

/* Follows the pointers, 64 to a group. */
#define FOLLOW_4(p) (p) = (p)->next, (p) = (p)->next, (p) = (p)->next, (p) = (p)->next
#define FOLLOW_16(p) FOLLOW_4(p), FOLLOW_4(p), FOLLOW_4(p), FOLLOW_4(p)
#define GROUP 64
static __attribute__((noinline)) const struct node *follow(const struct node *p, uint64_t groups)
{
    for (; groups; groups--) {
        FOLLOW_16(p);
        FOLLOW_16(p);
        FOLLOW_16(p);
        FOLLOW_16(p);
        RK_KEEP(p);
    }
    return p;
}

#endif

/* chase.h: rings of pointers in memory, and walking them. Each load needs the one before. */
#ifndef RK_CHASE_H
#define RK_CHASE_H

#include "probe/region.h"

/* One node of the ring. Its number in the order of the walk proves, after the timing, that as many
 * loads were done as were counted. */
struct node {
    struct node *next;
    uint64_t position;
};

/* Links `count` nodes, `distance` bytes apart, into one ring in the order given. Returns the first.
 */
struct node *link_ring(char *start, size_t distance, const uint32_t *order, uint32_t count);

/* A ring through a region of its own. */
struct ring {
    struct rk_region region;
    const struct node *at; /* where the walk is */
    uint32_t nodes;
};

/* Makes a ring through "size_bytes" of memory in pages as "pages" says: its nodes, `distance` bytes
 * apart, in random order within windows of `window_bytes` and these in random order (SIZE_MAX: one
 * window), or all in rising order (0). 0 or a status; rk_unmap() of its region in either case. */
int make_ring(struct rk_context *, struct ring *, size_t distance, size_t window_bytes);

/* Follows the pointers, 64 to a group. */
#define FOLLOW_4(p) (p) = (p)->next, (p) = (p)->next, (p) = (p)->next, (p) = (p)->next
#define FOLLOW_16(p) FOLLOW_4(p), FOLLOW_4(p), FOLLOW_4(p), FOLLOW_4(p)
#define GROUP 64
static __attribute__((noinline, unused))
const struct node *follow(const struct node *p, uint64_t groups)
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

/* barrier.h: readers that begin each trial at the same time. */
#ifndef RK_BARRIER_H
#define RK_BARRIER_H

#include <linux/futex.h>

#include "files/support/readers.h"

#define LOOK_EVERY_NS 20000000 /* for a reader that died: it wakes nobody */

/* Opens the files, with the blocks in random order, and starts the readers. On failure nothing is
 * left. */
int barrier_open(struct rk_context *c, struct readers *r, size_t trials);

/* Lets all begin trial number `trial` (from 0) at *begin, in ticks, and waits for the last. */
int barrier_trial(struct rk_context *c, struct readers *r, uint32_t trial, uint64_t *begin);

#endif

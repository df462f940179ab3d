/* barrier.h: readers that begin each trial at the same time. */
#ifndef RK_BARRIER_H
#define RK_BARRIER_H

#include "files/support/readers.h"

/* Opens the files, with the blocks in random order, and starts the readers; the state is a struct
 * readers. */
int barrier_open(struct rk_context *c);

/* 0 if each reader has different blocks for `trials` trials, else a status. */
int barrier_check(struct rk_context *c, const struct readers *r, size_t trials);

/* Starts the next trial of all readers, at *begin in ticks, and waits for the last. */
int barrier_trial(struct rk_context *c, struct readers *r, uint64_t *begin);

#endif

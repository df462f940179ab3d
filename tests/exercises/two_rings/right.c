/* exercises/two_rings: loads that do not wait for each other.
 *
 * Two rings of pointers lie in random order in memory that no cache holds; each load gives the
 * address of the next one in its ring. Time `rounds` rounds in a trial: a load of the one ring, and
 * one of the other; leave in `at` where both are. `ops` counts loads, two a round. Compare
 * csrc/memory/latency.c; `make exercise NAME=two_rings` compares a load of yours with one of a
 * single ring. */
#include <stdlib.h>

#include "probe/probe.h"

#define LINE_BYTES 64

struct line {
    struct line *next;
    char rest[LINE_BYTES - sizeof(struct line *)];
};

struct two_rings {
    struct line *lines;
    struct line *begin[2], *at[2]; /* where each walk began, and where it is */
};

/* Sattolo's shuffle: one ring through all lines from first on. */
static void shuffle(struct line *first, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        first[i].next = &first[i];
    for (size_t i = count - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        struct line *const other = &first[(seed >> 33) % i];
        struct line *const next = first[i].next;
        first[i].next = other->next;
        other->next = next;
    }
}

static int open_two_rings(struct rk_context *c)
{
    struct two_rings *const state = rk_state(c);
    const size_t count = (size_t)rk_integer(c, "size_bytes") / LINE_BYTES / 2;
    state->lines = aligned_alloc(LINE_BYTES, 2 * count * LINE_BYTES);
    if (!state->lines)
        return rk_failed(c, "aligned_alloc", ENOMEM);
    for (size_t ring = 0; ring < 2; ring++) {
        state->begin[ring] = state->at[ring] = &state->lines[ring * count];
        shuffle(state->at[ring], count, ring);
    }
    return 0;
}

static int time_two_rings(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct two_rings *const state = rk_state(c);
    struct line *first = state->at[0], *second = state->at[1];
    RK_TIME_TRIALS(out, n, rk_integer(c, "rounds"), {
        first = first->next;
        second = second->next;
    });
    state->at[0] = first;
    state->at[1] = second;
    for (size_t i = 0; i < n; i++)
        out[i].ops *= 2; /* one of each ring */
    return 0;
}

static int close_one_ring(struct rk_context *c)
{
    const struct two_rings *const state = rk_state(c);
    free(state->lines);
    return 0;
}

static int close_two_rings(struct rk_context *c)
{
    const struct two_rings *const state = rk_state(c);
    for (int ring = 0; ring < 2; ring++)
        if (state->at[ring] == state->begin[ring])
            return rk_error(c, EIO, "a ring was not walked through");
    return close_one_ring(c);
}

/* For comparison: each load waits for the one before. */
static int time_one_ring(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct two_rings *const state = rk_state(c);
    struct line *at = state->at[0];
    RK_TIME_TRIALS(out, n, rk_integer(c, "rounds"), at = at->next);
    state->at[0] = at;
    return 0;
}

#define PARAMETERS                                                                                 \
    RK_PARAMS(RK_INTEGER("rounds", 20000, 1, 1000000000, "rounds a trial"),                        \
              RK_INTEGER("size_bytes", 1 << 27, 4096, (int64_t)1 << 34, "both rings"))
RK_PROBE("exercises/one_ring", .op = "load", .timed = "rounds x a load of the one ring",
         .params = PARAMETERS,
         RK_STAGES(struct two_rings, open_two_rings, time_one_ring, close_one_ring));
RK_PROBE("exercises/two_rings", .op = "load",
         .timed = "rounds x (a load of the one ring, a load of the other)", .params = PARAMETERS,
         RK_STAGES(struct two_rings, open_two_rings, time_two_rings, close_two_rings));

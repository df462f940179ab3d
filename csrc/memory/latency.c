/* memory/latency: how long a load takes, by where its data lie. */
#include "memory/support/chase.h"
#include "probe/stamps.h"

/* Before the first timed walk the ring is followed once, but no further than 2^18 loads. A larger
 * ring needs no more, because linking it has written every line in the order of the walk (2^17 and
 * 2^20 loads gave the same within 1 % at 128 MiB). */
#define WARM_LOADS ((uint32_t)1 << 18)

struct walk {
    struct ring ring;
    uint64_t loads; /* done so far, from the first node on */
};

/* Makes the ring and follows it for up to WARM_LOADS. */
static int open_ring(struct rk_context *c, size_t distance, size_t window_bytes)
{
    struct walk *const walk = rk_state(c);
    const int status = make_ring(c, &walk->ring, distance, window_bytes);
    if (status)
        return status;
    const uint32_t loads = walk->ring.nodes < WARM_LOADS ? walk->ring.nodes : WARM_LOADS;
    const uint64_t groups = (loads + GROUP - 1) / GROUP;
    walk->ring.at = follow(walk->ring.at, groups);
    walk->loads = groups * GROUP;
    return 0;
}

static int open_random(struct rk_context *c)
{
    const int64_t window = rk_integer(c, "window_bytes");
    return open_ring(c, (size_t)rk_integer(c, "line_bytes"), window ? (size_t)window : SIZE_MAX);
}

static int open_stride(struct rk_context *c)
{
    return open_ring(c, (size_t)rk_integer(c, "stride_bytes"), 0);
}

/* n trials of `loads` loads around the ring. */
static int time_ring(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct walk *const walk = rk_state(c);
    const uint64_t groups = ((uint64_t)rk_integer(c, "loads") + GROUP - 1) / GROUP;
    for (size_t i = 0; i < n; i++) {
        const struct node *at = walk->ring.at;
        const uint64_t begin = rk_begin();
        at = follow(at, groups);
        RK_KEEP(at);
        const uint64_t end = rk_end();
        walk->ring.at = at;
        walk->loads += groups * GROUP;
        out[i] = (struct rk_sample){(int64_t)(end - begin), groups * GROUP};
    }
    return 0;
}

/* A self-check: the position must be the number of loads modulo the ring's length. */
static int close_ring(struct rk_context *c)
{
    struct walk *const walk = rk_state(c);
    const struct node *const at = walk->ring.at;
    const int is_wrong = at && at->position != walk->loads % walk->ring.nodes;
    rk_unmap(&walk->ring.region);
    return is_wrong ? rk_failed(c, "the walk does not end where its loads lead", EIO) : 0;
}

/* --- x510uq, after Bryant and O'Hallaron: independent reads, size against stride --- */

/* Sums every `step`-th word of `count` steps, four at a time, as test() of the memory mountain. */
static __attribute__((noinline)) uint64_t sum_words(const uint64_t *word, size_t step, size_t count)
{
    uint64_t sum[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4, word += 4 * step) {
        sum[0] += word[0];
        sum[1] += word[step];
        sum[2] += word[2 * step];
        sum[3] += word[3 * step];
        RK_KEEP(word);
    }
    for (; i < count; i++, word += step)
        sum[0] += word[0];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

struct mountain {
    struct rk_region region;
    size_t step, count, passes; /* words from one read to the next, reads in a pass, passes */
    uint64_t sum, passes_done;
};

static void sum_passes(struct mountain *state, size_t passes)
{
    const uint64_t *const word = (const uint64_t *)(const void *)state->region.start;
    uint64_t sum = 0;
    for (size_t pass = 0; pass < passes; pass++)
        sum += sum_words(word, state->step, state->count);
    RK_KEEP(sum);
    state->sum += sum;
    state->passes_done += passes;
}

static int open_mountain(struct rk_context *c)
{
    struct mountain *const state = rk_state(c);
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const size_t stride = (size_t)rk_integer(c, "stride_bytes");
    if (stride % sizeof(uint64_t))
        return rk_unsupported(c, "the stride must be a multiple of 8 bytes");
    if (size < stride)
        return rk_unsupported(c, "the region is smaller than the stride");
    const int status = rk_map(c, &state->region, size, 0);
    if (status)
        return status;
    state->step = stride / sizeof(uint64_t);
    state->count = size / stride;
    /* Enough passes that a trial is long compared with a step of the counter. */
    state->passes = 1 + (size_t)rk_integer(c, "loads") / state->count;
    uint64_t *const word = (uint64_t *)(void *)state->region.start;
    for (size_t i = 0; i < size / sizeof *word; i++)
        word[i] = 1;
    sum_passes(state, 1);
    return 0;
}

static int time_mountain(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct mountain *const state = rk_state(c);
    const uint64_t bytes = state->passes * state->count * sizeof(uint64_t);
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        sum_passes(state, state->passes);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), bytes};
    }
    return 0;
}

static int close_mountain(struct rk_context *c)
{
    struct mountain *const state = rk_state(c);
    rk_unmap(&state->region);
    if (state->sum != state->passes_done * state->count)
        return rk_failed(c, "the sum is not that of all words", EIO);
    return 0;
}

/* --- mbp2016: while (p->p_next != NULL) p = p->p_next, t(2n) - t(n) --- */

static __attribute__((noinline)) const struct node *walk_list(const struct node *p)
{
    while (p->next)
        p = p->next;
    return p;
}

static int open_mbp2016(struct rk_context *c)
{
    struct ring *const ring = rk_state(c);
    const size_t stride = (size_t)rk_integer(c, "stride_bytes");
    const int status = make_ring(c, ring, stride, 0);
    if (status)
        return status;
    /* The ring is cut open: the last node leads nowhere. */
    char *const last = ring->region.start + (ring->nodes - 1) * stride;
    ((struct node *)(void *)last)->next = NULL;
    RK_KEEP(walk_list(ring->at));
    return 0;
}

static int time_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct ring *const ring = rk_state(c);
    const int64_t walks = 1 + rk_integer(c, "loads") / ring->nodes;
    RK_TIME_DIFFERENCE(out, n, walks, RK_KEEP(walk_list(ring->at)));
    for (size_t i = 0; i < n; i++)
        out[i].ops *= ring->nodes;
    return 0;
}

static int close_mbp2016(struct rk_context *c)
{
    rk_unmap(&((struct ring *)rk_state(c))->region);
    return 0;
}

#define MAX_BYTES ((int64_t)1 << 37)
#define SIZE(default_)                                                                             \
    RK_INTEGER("size_bytes", default_, 128, MAX_BYTES, "the region that is walked through")
#define LOADS(help) RK_INTEGER("loads", 16384, 1, (int64_t)1 << 32, help)
#define IN_A_TRIAL LOADS("loads in a trial, rounded up to 64")

RK_PROBE("memory/latency/random", .op = "load",
         .timed = "loads, each of the pointer that the last one found: one ring through all lines "
                  "of the region in random order (within windows of `window_bytes`, these in "
                  "random order), of which up to 2^18 loads are done before",
         .params = RK_PARAMS(SIZE(1 << 26), IN_A_TRIAL, RK_PAGES,
                             RK_INTEGER("window_bytes", 0, 0, MAX_BYTES, "0: the whole region"),
                             RK_INTEGER("line_bytes", 64, 16, 4096, "from one node to the next")),
         RK_STAGES(struct walk, open_random, time_ring, close_ring));
RK_PROBE("memory/latency/stride", .op = "load",
         .timed = "loads, each of the pointer that the last one found, `stride_bytes` further on; "
                  "at the end from the beginning; up to 2^18 loads are done before",
         .params = RK_PARAMS(SIZE(1 << 26), IN_A_TRIAL, RK_PAGES,
                             RK_INTEGER("stride_bytes", 64, 16, 1 << 24,
                                        "from one node to the next")),
         RK_STAGES(struct walk, open_stride, time_ring, close_ring));
RK_PROBE("memory/latency/mountain", .op = "byte", .reports = "x510uq",
         .timed = "a word of 8 bytes every `stride_bytes`, summed up by four sums at -O2; the "
                  "bytes of the words count; once through before",
         .params = RK_PARAMS(SIZE(1 << 20), LOADS("words in a trial at least"),
                             RK_INTEGER("stride_bytes", 64, 8, 1 << 20,
                                        "from one word to the next")),
         RK_STAGES(struct mountain, open_mountain, time_mountain, close_mountain));
RK_PROBE("memory/latency/mbp2016", .op = "load", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n walks down a list whose elements lie `stride_bytes` apart "
                  "(the report: 4096)",
         .params = RK_PARAMS(SIZE(1 << 20), LOADS("loads in a trial at least"), RK_PAGES,
                             RK_INTEGER("stride_bytes", 4096, 16, 1 << 24, "between elements")),
         RK_STAGES(struct ring, open_mbp2016, time_mbp2016, close_mbp2016));

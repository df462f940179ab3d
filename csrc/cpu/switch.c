/* cpu/switch: from one process or thread to another. */
#include <stdlib.h>
#include <string.h>

#include "cpu/support/switch.h"
#include "probe/children.h"
#include "probe/region.h"

/* --- a token between two --- */

static int pass_token(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t turns = rk_integer(c, "turns");
    const struct pair *pair = rk_state(c);
    int bad = 0;
    RK_TIME_TRIALS(out, n, turns, bad |= turn_around(&pair->channel));
    for (size_t i = 0; i < n; i++)
        out[i].ops *= 2; /* there and back */
    return bad ? TOKEN_LOST(c) : 0;
}

/* The cost of the pipe itself: the same write and read in one process, which never blocks. */
static int pass_alone(struct rk_sample *out, size_t n, int64_t passes,
                      const struct channel *channel)
{
    int bad = 0;
    RK_TIME_TRIALS(out, n, passes, bad |= put(channel->request[1]) || get(channel->request[0]));
    return bad;
}

static int run_pipe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return pass_alone(out, n, rk_integer(c, "turns"), rk_state(c)) ? TOKEN_LOST(c) : 0;
}

/* Token minus pipe, both timed in the same trial. Negative where the pipe alone took longer. */
static int less_pipe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t turns = rk_integer(c, "turns");
    const struct pair_beside_pipe *state = rk_state(c);
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        struct rk_sample whole, alone;
        RK_TIME_TRIALS(&whole, 1, turns, bad |= turn_around(&state->pair.channel));
        bad |= pass_alone(&alone, 1, 2 * turns, &state->own);
        out[i] = (struct rk_sample){whole.ticks - alone.ticks, 2 * (uint64_t)turns};
    }
    return bad ? TOKEN_LOST(c) : 0;
}

/* --- a ring of processes, after lmbench's lat_ctx (McVoy and Staelin 1996, section 6.6) ---
 * Each reads the token from its pipe, sums up its working set, and writes to the next pipe. */

#define RING_MAX 32

struct ring {
    int64_t size;
    int pipes[RING_MAX][2]; /* member i reads pipes[i] and writes pipes[i + 1] */
    pid_t children[RING_MAX];
    uint64_t *words;
    size_t count;
    int64_t own_size; /* pipes of this process alone, whose cost is subtracted */
    int own[RING_MAX][2];
};

static inline void sum_up(const uint64_t *words, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += words[i];
    RK_KEEP(sum);
}

static int close_ring(struct rk_context *c)
{
    struct ring *ring = rk_state(c);
    int status = 0;
    for (int64_t i = 0; i < ring->size; i++) {
        if (ring->pipes[i][1] >= 0)
            close(ring->pipes[i][1]); /* the first child reads the end, and so on around */
        if (ring->pipes[i][0] >= 0)
            close(ring->pipes[i][0]);
    }
    for (int64_t i = 1; i < ring->size; i++) {
        if (ring->children[i] <= 0)
            continue;
        const int ended = rk_wait_child(c, ring->children[i], "a member of the ring");
        status = status ? status : ended;
    }
    for (int64_t i = 0; i < ring->own_size; i++) {
        close(ring->own[i][0]);
        close(ring->own[i][1]);
    }
    free(ring->words);
    return status;
}

/* Closes what belongs to others, so that a member that died is the end of the file for the next. */
static void close_other_ends(struct ring *ring, int64_t index)
{
    for (int64_t i = 0; i < ring->size; i++)
        for (int end = 0; end < 2; end++)
            if (i != (index + end) % ring->size) {
                close(ring->pipes[i][end]);
                ring->pipes[i][end] = -1;
            }
}

/* Member `index` of the ring; the working set is its own, because it writes to it first. */
static void run_member(struct ring *ring, int64_t index, pid_t parent)
{
    rk_die_with_parent(parent);
    const int from = ring->pipes[index][0], to = ring->pipes[(index + 1) % ring->size][1];
    close_other_ends(ring, index);
    for (size_t i = 0; i < ring->count; i++)
        ring->words[i] = (uint64_t)index;
    while (!get(from)) {
        sum_up(ring->words, ring->count);
        if (put(to))
            break;
    }
    _exit(0);
}

static int once_around(const struct ring *ring)
{
    sum_up(ring->words, ring->count);
    return put(ring->pipes[1][1]) || get(ring->pipes[0][0]);
}

static int open_ring(struct rk_context *c)
{
    const int64_t size = rk_integer(c, "processes");
    const size_t working_set = (size_t)rk_integer(c, "working_set_bytes");
    struct ring *ring = rk_state(c);
    const int status = rk_require_room(c, (size_t)size * working_set);
    if (status)
        return status;
    ring->count = working_set / sizeof(uint64_t);
    ring->words = calloc(ring->count + 1, sizeof(uint64_t));
    if (!ring->words)
        return rk_failed(c, "calloc", ENOMEM);
    memset(ring->pipes, 0xff, sizeof ring->pipes); /* -1 */
    ring->size = size;
    for (int64_t i = 0; i < size; i++)
        if (pipe(ring->pipes[i]) < 0)
            return rk_refused(c, "pipe", errno);
    const pid_t parent = getpid();
    for (int64_t i = 1; i < size; i++) {
        ring->children[i] = fork();
        if (ring->children[i] == 0)
            run_member(ring, i, parent);
        if (ring->children[i] < 0)
            return rk_refused(c, "fork", errno);
    }
    close_other_ends(ring, 0);
    for (; ring->own_size < size; ring->own_size++)
        if (pipe(ring->own[ring->own_size]) < 0)
            return rk_refused(c, "pipe", errno);
    for (size_t i = 0; i < ring->count; i++)
        ring->words[i] = 0;
    /* One untimed lap, so that every member has its working set. */
    return once_around(ring) ? TOKEN_LOST(c) : 0;
}

/* What lat_ctx subtracts: the token through as many pipes, and as many sums, in one process. */
static int alone_around(const struct ring *ring)
{
    int bad = 0;
    for (int64_t i = 0; i < ring->size; i++) {
        sum_up(ring->words, ring->count);
        bad |= put(ring->own[i][1]) || get(ring->own[i][0]);
    }
    return bad;
}

static int run_ring_with(struct rk_context *c, struct rk_sample *out, size_t n, int subtract)
{
    const int64_t laps = rk_integer(c, "laps");
    const struct ring *ring = rk_state(c);
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        struct rk_sample whole, alone = {0, 0};
        RK_TIME_TRIALS(&whole, 1, laps, bad |= once_around(ring));
        if (subtract)
            RK_TIME_TRIALS(&alone, 1, laps, bad |= alone_around(ring));
        out[i] = (struct rk_sample){whole.ticks - alone.ticks, (uint64_t)(laps * ring->size)};
    }
    return bad ? TOKEN_LOST(c) : 0;
}

static int run_ring(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return run_ring_with(c, out, n, 0);
}

static int run_ring_less_work(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return run_ring_with(c, out, n, 1);
}

/* --- mbp2016: ping-pong over pipes, t(2n) - t(n), the pipe's cost left in --- */

static int mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct pair *pair = rk_state(c);
    int bad = 0;
    RK_TIME_DIFFERENCE(out, n, rk_integer(c, "turns"), bad |= turn_around(&pair->channel));
    for (size_t i = 0; i < n; i++)
        out[i].ops *= 2;
    return bad ? TOKEN_LOST(c) : 0;
}

#define TURNS(default_)                                                                            \
    RK_INTEGER("turns", default_, 1, 100000000, "times the token goes there and back")
#define SAME_CPU RK_PARAMS(TURNS(100))
#define TWO_CPUS RK_PARAMS(TURNS(20), RK_PARTNER)
#define RING                                                                                       \
    RK_PARAMS(RK_INTEGER("processes", 2, 2, RING_MAX, "processes in the ring"),                    \
              RK_INTEGER("working_set_bytes", 0, 0, 1 << 30,                                       \
                         "summed up by each before it passes on"),                                 \
              RK_INTEGER("laps", 10, 1, 1000000, "times the token goes around"))

RK_PROBE("cpu/switch/process", .op = "switch",
         .timed = "turns x a token there and back between two processes over two pipes, same CPU",
         .params = SAME_CPU, PAIR(pass_token, .means = BY_PIPE, .partner = A_PROCESS));
RK_PROBE("cpu/switch/thread", .op = "switch",
         .timed = "turns x a token there and back between two threads over two pipes, same CPU",
         .params = SAME_CPU, PAIR(pass_token, .means = BY_PIPE, .partner = A_THREAD));
RK_PROBE("cpu/switch/eventfd_process", .op = "switch",
         .timed = "turns x a token there and back between two processes by eventfd, same CPU",
         .params = SAME_CPU, PAIR(pass_token, .means = BY_EVENTFD, .partner = A_PROCESS));
RK_PROBE("cpu/switch/eventfd_thread", .op = "switch",
         .timed = "turns x a token there and back between two threads by eventfd, same CPU",
         .params = SAME_CPU, PAIR(pass_token, .means = BY_EVENTFD, .partner = A_THREAD));
RK_PROBE("cpu/switch/futex_process", .op = "switch",
         .timed = "turns x a token there and back between two processes by futex, same CPU",
         .params = SAME_CPU, PAIR(pass_token, .means = BY_FUTEX, .partner = A_PROCESS));
/* Version 1 used a futex that processes can share, which took 13 % longer between threads. */
RK_PROBE("cpu/switch/futex_thread", .op = "switch", .version = 2,
         .timed = "turns x a token there and back between two threads by private futex, same CPU",
         .params = SAME_CPU, PAIR(pass_token, .means = BY_FUTEX, .partner = A_THREAD));
RK_PROBE("cpu/switch/process_across", .op = "switch",
         .timed = "turns x a token there and back between two processes over two pipes, the "
                  "partner on another CPU",
         .params = TWO_CPUS, PAIR(pass_token, .means = BY_PIPE, .partner = A_PROCESS, .across = 1));
RK_PROBE("cpu/switch/thread_across", .op = "switch",
         .timed = "turns x a token there and back between two threads over two pipes, the partner "
                  "on another CPU",
         .params = TWO_CPUS, PAIR(pass_token, .means = BY_PIPE, .partner = A_THREAD, .across = 1));
RK_PROBE("cpu/switch/eventfd_process_across", .op = "switch",
         .timed = "turns x a token there and back between two processes by eventfd, the partner "
                  "on another CPU",
         .params = TWO_CPUS,
         PAIR(pass_token, .means = BY_EVENTFD, .partner = A_PROCESS, .across = 1));
RK_PROBE("cpu/switch/eventfd_thread_across", .op = "switch",
         .timed = "turns x a token there and back between two threads by eventfd, the partner on "
                  "another CPU",
         .params = TWO_CPUS,
         PAIR(pass_token, .means = BY_EVENTFD, .partner = A_THREAD, .across = 1));
RK_PROBE("cpu/switch/futex_process_across", .op = "switch",
         .timed = "turns x a token there and back between two processes by futex, the partner on "
                  "another CPU",
         .params = TWO_CPUS,
         PAIR(pass_token, .means = BY_FUTEX, .partner = A_PROCESS, .across = 1));
RK_PROBE("cpu/switch/futex_thread_across", .op = "switch", .version = 2,
         .timed = "turns x a token there and back between two threads by private futex, the "
                  "partner on another CPU",
         .params = TWO_CPUS, PAIR(pass_token, .means = BY_FUTEX, .partner = A_THREAD, .across = 1));
RK_PROBE("cpu/switch/pipe", .op = "pass",
         .timed = "turns x a write to a pipe and a read from it in one process, which never blocks",
         .params = SAME_CPU, PIPES_ALONE(run_pipe));
RK_PROBE("cpu/switch/process_less_pipe", .op = "switch",
         .timed = "a token there and back between two processes, same CPU, minus as many writes "
                  "and reads in one process",
         .params = SAME_CPU, PAIR_AND_PIPE(less_pipe, A_PROCESS));
RK_PROBE("cpu/switch/thread_less_pipe", .op = "switch",
         .timed = "a token there and back between two threads, same CPU, minus as many writes and "
                  "reads in one process",
         .params = SAME_CPU, PAIR_AND_PIPE(less_pipe, A_THREAD));
RK_PROBE("cpu/switch/ring", .op = "switch",
         .timed = "laps x a token around a ring of processes over pipes, same CPU; each sums up "
                  "its working set before it passes on",
         .params = RING, RK_STAGES(struct ring, open_ring, run_ring, close_ring));
RK_PROBE(
    "cpu/switch/ring_less_work", .op = "switch",
    .timed =
        "laps x a token around a ring of processes over pipes, same CPU, each of which sums up its "
        "working set, minus as many sums, writes and reads in one process (lmbench's lat_ctx)",
    .params = RING, RK_STAGES(struct ring, open_ring, run_ring_less_work, close_ring));
RK_PROBE("cpu/switch/mbp2016_process", .op = "switch", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n tokens there and back over pipes, the pipe's cost left in",
         .params = SAME_CPU, PAIR(mbp2016, .means = BY_PIPE, .partner = A_PROCESS));
RK_PROBE("cpu/switch/mbp2016_thread", .op = "switch", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n tokens there and back over pipes, the pipe's cost left in",
         .params = SAME_CPU, PAIR(mbp2016, .means = BY_PIPE, .partner = A_THREAD));

/* memory/bandwidth: bytes a second from and to memory, by kind of store, width and CPUs. */
#include "memory/support/chase.h"
#include "memory/support/team.h"
#include "memory/support/vectors.h"
#include "probe/order.h"
#include "probe/stamps.h"
#include "probe/topology.h"

/* --- passes through memory, and the proof that they went through all of it --- */

enum kind { READ, WRITE, MODIFY, COPY };

/* A word of which every byte is 1. What is read and copied is made of it, so that a byte left out
 * at the end shows. */
#define ONES 0x0101010101010101u

/* What the probe does: `pass` through the memory of each member of the team. */
struct sweep {
    struct rk_team team; /* first, so that a member finds the rest */
    rk_pass *pass;
    enum kind kind;
    size_t bytes;    /* of each array of each member */
    uint64_t passes; /* in a trial */
};

/* Every pass stores another value, so the last one's is what must be there at the end. */
static uint64_t work(struct rk_member *self, uint64_t trial)
{
    const struct sweep *const sweep = (const struct sweep *)self->team;
    const uint64_t first = (trial - 1) * sweep->passes;
    uint64_t sum = 0;
    for (uint64_t pass = 0; pass < sweep->passes; pass++)
        sum += sweep->pass(self->to.start, self->from.start, sweep->bytes, first + pass);
    return sum;
}

static void fill(const struct rk_region *region, uint64_t value)
{
    for (size_t i = 0; i < region->size_bytes / sizeof value; i++)
        ((uint64_t *)(void *)region->start)[i] = value;
}

/* The word that a member's target holds after that many passes. */
static uint64_t last_word(const struct sweep *sweep, uint64_t passes)
{
    uint64_t word = passes - 1;
    if (sweep->kind == COPY)
        word = ONES;
    else if (sweep->kind == MODIFY)
        word = passes;
    return sweep->pass == pass_memset ? (word & 0xff) * ONES : word; /* it stores bytes */
}

/* Whether a member's memory shows that every pass went through all of it. */
static int is_done(const struct sweep *sweep, const struct rk_member *member)
{
    const uint64_t *to = (const uint64_t *)(const void *)member->to.start;
    const size_t words = sweep->bytes / sizeof *to;
    if (sweep->kind == READ)
        return member->result == sweep->passes * words * ONES;
    const uint64_t wanted = last_word(sweep, atomic_load(&sweep->team.trial) * sweep->passes);
    for (size_t i = 0; i < words; i++)
        if (to[i] != wanted)
            return 0;
    return 1;
}

/* The memory of each CPU: its share of the array, but more than a private cache can hold. CPUs
 * below different last caches have an array for each, or many such caches would hold it together.
 */
#define MIN_SHARE ((size_t)16 << 20)

static size_t share_bytes(struct rk_context *c, int threads)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    int cpus[RK_CPUS_MAX];
    const int usable = rk_cpus(cpus, threads);
    size_t share = size / (size_t)rk_fewest_below_a_cache("/sys", cpus, usable);
    if (share < MIN_SHARE)
        share = size < MIN_SHARE ? size : MIN_SHARE;
    return (share + RK_PASS_STEP - 1) / RK_PASS_STEP * RK_PASS_STEP;
}

/* Starts the team, fills its memory and goes through it once. */
static int open_sweep(struct rk_context *c, enum kind kind, rk_pass *pass, int threads, int huge)
{
    struct sweep *const sweep = rk_state(c);
    const size_t bytes = share_bytes(c, threads);
    const int reads = kind == READ || kind == COPY, writes = kind != READ;
    sweep->team.work = work;
    sweep->pass = pass;
    sweep->kind = kind;
    sweep->bytes = bytes;
    sweep->passes = (uint64_t)rk_integer(c, "passes");
    const int status =
        rk_team_begin(c, &sweep->team, threads, reads ? bytes : 0, writes ? bytes : 0, huge);
    if (status)
        return status;
    for (int i = 0; i < threads; i++) {
        if (reads)
            fill(&sweep->team.members[i].from, ONES);
        if (writes)
            fill(&sweep->team.members[i].to, 0);
    }
    rk_team_work(&sweep->team);
    return 0;
}

static void count_bytes(const struct sweep *sweep, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)sweep->team.count * sweep->passes * sweep->bytes;
}

static int time_sweep(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct sweep *const sweep = rk_state(c);
    RK_TIME_TRIALS(out, n, 1, rk_team_work(&sweep->team));
    count_bytes(sweep, out, n);
    return 0;
}

static int close_sweep(struct rk_context *c)
{
    struct sweep *const sweep = rk_state(c);
    int done = 1;
    if (atomic_load(&sweep->team.trial)) /* else open failed before the first pass */
        for (int i = 0; i < sweep->team.count; i++)
            done &= is_done(sweep, &sweep->team.members[i]);
    rk_team_end(&sweep->team);
    return done ? 0 : rk_failed(c, "the memory does not show every pass", EIO);
}

/* A probe's variant: what it does, and its loop: a kernel of the width that its parameter
 * `vector` names (its place in struct rk_width), or a function of its own. */
struct sweep_kind {
    enum kind kind;
    size_t kernel;
    rk_pass *own;
};

/* The kernel of that width; NULL where the machine has no such registers. */
static rk_pass *kernel_of(const struct sweep_kind *chosen, const char *vector)
{
    const struct rk_width *const width = rk_width(vector);
    return width ? *(rk_pass *const *)((const char *)width + chosen->kernel) : NULL;
}

/* With the parameters `pages` and `threads`. */
static int open_own(struct rk_context *c)
{
    const struct sweep_kind *const chosen = rk_variant(c);
    rk_pass *const pass = chosen->own ? chosen->own : kernel_of(chosen, rk_text(c, "vector"));
    const int huge = rk_wants_huge(c);
    if (huge < 0)
        return huge;
    if (!pass)
        return rk_unsupported(c, "this machine has no registers of that width (vector: widest, "
                                 "scalar, sse2, avx2, avx512 or neon)");
    return open_sweep(c, chosen->kind, pass, (int)rk_integer(c, "threads"), huge);
}

/* --- mbp2016: 64 bits at a time, t(2n) - t(n) --- */

static int time_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct sweep *const sweep = rk_state(c);
    RK_TIME_DIFFERENCE(out, n, 1, rk_team_work(&sweep->team));
    count_bytes(sweep, out, n);
    return 0;
}

static int open_mbp2016(struct rk_context *c)
{
    const struct sweep_kind *const chosen = rk_variant(c);
    rk_pass *const pass = chosen->own ? chosen->own : kernel_of(chosen, "scalar");
    return open_sweep(c, chosen->kind, pass, 1, 0);
}

/* --- latency under load --- */

/* A round of load and rest of the loading CPUs. A step of load takes some 2 microseconds, and a
 * walk 1 ms and more: ten steps to a round, and many rounds to a walk. */
#define ROUND_NS 20000u
#define LOAD_STEP ((size_t)16 << 10)

/* Of a trial: the CPUs gather, and load the memory as long as the walk lasts. */
enum phase { GATHERING, WALKING, OVER };

struct loaded {
    struct rk_team team; /* first, so that a member finds the rest */
    struct ring ring;
    rk_pass *read;
    uint64_t load_ns; /* of each round */
    uint64_t groups;  /* of loads, in a walk */
    int64_t ticks; /* of the walk alone: a loading CPU may be delayed by other work and end late */
    atomic_ulong bytes;
    atomic_int loading; /* CPUs that are ready to load */
    atomic_int phase;
};

/* Waits for every loading CPU: one that other work delays would load a part of the walk, or none of
 * it. */
static uint64_t walk(struct loaded *loaded)
{
    const struct node *at = loaded->ring.at;
    while (atomic_load(&loaded->loading) < loaded->team.count - 1)
        rk_pause();
    atomic_store(&loaded->phase, WALKING);
    const uint64_t begin = rk_begin();
    at = follow(at, loaded->groups);
    RK_KEEP(at);
    loaded->ticks = (int64_t)(rk_end() - begin);
    loaded->ring.at = at;
    atomic_store(&loaded->phase, OVER);
    return 0;
}

/* Reads the member's memory for a share of the time, beginning anywhere in a round, or a short walk
 * would always run under load; and anywhere in its memory, or a large cache would hold what all
 * walks read. */
static uint64_t load(struct loaded *loaded, const struct rk_member *self, uint64_t trial)
{
    uint64_t read = 0, state = rk_begin() + ((trial * RK_CPUS_MAX + (uint64_t)self->cpu) << 40);
    size_t at = LOAD_STEP * rk_random_below(&state, (uint32_t)(self->from.size_bytes / LOAD_STEP));
    atomic_fetch_add(&loaded->loading, 1);
    while (atomic_load(&loaded->phase) == GATHERING)
        rk_pause();
    const uint64_t begin = rk_monotonic_ns() - rk_random_below(&state, ROUND_NS);
    while (atomic_load(&loaded->phase) == WALKING) {
        if ((rk_monotonic_ns() - begin) % ROUND_NS >= loaded->load_ns) {
            rk_pause();
            continue;
        }
        RK_KEEP(loaded->read(NULL, self->from.start + at, LOAD_STEP, 0));
        at = at + 2 * LOAD_STEP <= self->from.size_bytes ? at + LOAD_STEP : 0;
        read += LOAD_STEP;
    }
    atomic_fetch_add(&loaded->bytes, read);
    return 0;
}

/* Member 0 walks the ring; the others load the memory until it is done. */
static uint64_t walk_or_load(struct rk_member *self, uint64_t trial)
{
    struct loaded *const loaded = (struct loaded *)self->team;
    return self == self->team->members ? walk(loaded) : load(loaded, self, trial);
}

static void work_once(struct loaded *loaded)
{
    atomic_store(&loaded->loading, 0);
    atomic_store(&loaded->phase, GATHERING);
    atomic_store(&loaded->bytes, 0);
    rk_team_work(&loaded->team);
}

static int open_loaded(struct rk_context *c)
{
    struct loaded *const loaded = rk_state(c);
    int cpus[RK_CPUS_MAX];
    const int threads = rk_cpus(cpus, RK_CPUS_MAX);
    if (threads < 2)
        return rk_unsupported(c,
                              "there is no other CPU that could load the memory during the walk");
    loaded->team.work = walk_or_load;
    loaded->read = rk_width("widest")->read;
    loaded->load_ns = ROUND_NS * (uint64_t)rk_integer(c, "load_percent") / 100;
    loaded->groups = ((uint64_t)rk_integer(c, "loads") + GROUP - 1) / GROUP;
    int status = make_ring(c, &loaded->ring, (size_t)rk_integer(c, "line_bytes"), SIZE_MAX);
    if (!status)
        status = rk_team_begin(c, &loaded->team, threads, share_bytes(c, threads), 0, 0);
    if (!status)
        work_once(loaded);
    return status;
}

/* A sample counts the loads of the walk. */
static int time_walks(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct loaded *const loaded = rk_state(c);
    for (size_t i = 0; i < n; i++) {
        work_once(loaded);
        out[i] = (struct rk_sample){loaded->ticks, loaded->groups * GROUP};
    }
    return 0;
}

/* How often a walk is repeated during which other programs had every loading CPU. */
#define LOAD_TRIES 1000

/* A sample counts the bytes that the other CPUs read; only at 0 % may they be none. */
static int time_load(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct loaded *const loaded = rk_state(c);
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes = 0;
        for (int tries = 0; tries < LOAD_TRIES && !bytes; tries++) {
            work_once(loaded);
            bytes = atomic_load(&loaded->bytes);
            if (!loaded->load_ns)
                break;
        }
        if (!bytes && loaded->load_ns)
            return rk_error(c, ENODATA,
                            "The other CPUs read nothing during a walk: it is too short for this "
                            "load_percent (take more loads), or other programs had those CPUs.");
        out[i] = (struct rk_sample){loaded->ticks, bytes};
    }
    return 0;
}

static int close_loaded(struct rk_context *c)
{
    struct loaded *const loaded = rk_state(c);
    const uint64_t loads = atomic_load(&loaded->team.trial) * loaded->groups * GROUP;
    const int is_wrong = loads && loaded->ring.at->position != loads % loaded->ring.nodes;
    rk_team_end(&loaded->team);
    rk_unmap(&loaded->ring.region);
    return is_wrong ? rk_failed(c, "the walk does not end where its loads lead", EIO) : 0;
}

#define SIZE                                                                                       \
    RK_INTEGER("size_bytes", 1 << 26, 1, (int64_t)1 << 40,                                         \
               "of each array, shared out among the CPUs below one last cache (16 MiB each at "    \
               "least)")
#define PASSES RK_INTEGER("passes", 1, 1, 1 << 20, "times through the array in a trial")
#define SWEEP_PARAMS(...)                                                                          \
    RK_PARAMS(SIZE, PASSES, RK_PAGES,                                                              \
              RK_INTEGER("threads", 1, 1, RK_CPUS_MAX, "CPUs at once"), ##__VA_ARGS__)
#define VECTOR_WIDTH RK_TEXT("vector", "widest", "width of the registers")
/* A sweep by the C library, or by the kernels of that name, one of each width. */
#define SWEEP(...)                                                                                 \
    RK_STAGES(struct sweep, open_own, time_sweep, close_sweep),                                    \
        RK_VARIANT(struct sweep_kind, __VA_ARGS__)
#define KERNEL(name) .kernel = offsetof(struct rk_width, name)
#define MBP2016(...)                                                                               \
    RK_STAGES(struct sweep, open_mbp2016, time_mbp2016, close_sweep),                              \
        RK_VARIANT(struct sweep_kind, __VA_ARGS__)
#define LOADED_PARAMS                                                                              \
    RK_PARAMS(SIZE, RK_PAGES, RK_INTEGER("loads", 16384, 1, 1 << 30, "loads in a trial"),          \
              RK_INTEGER("line_bytes", 64, 16, 4096, "from one node to the next"),                 \
              RK_INTEGER("load_percent", 100, 0, 100, "of the others' time"))

RK_PROBE("memory/bandwidth/read", .op = "byte",
         .timed = "every byte loaded and summed up; bytes loaded",
         .params = SWEEP_PARAMS(VECTOR_WIDTH), SWEEP(.kind = READ, KERNEL(read)));
RK_PROBE("memory/bandwidth/write", .op = "byte",
         .timed = "every byte stored; bytes stored (where a line is read before it is stored, that "
                  "is not counted)",
         .params = SWEEP_PARAMS(VECTOR_WIDTH), SWEEP(.kind = WRITE, KERNEL(write)));
RK_PROBE("memory/bandwidth/write_nt", .op = "byte",
         .timed = "every byte stored past the caches (non-temporal), and a fence; bytes stored",
         .params = SWEEP_PARAMS(VECTOR_WIDTH), SWEEP(.kind = WRITE, KERNEL(stream)));
RK_PROBE("memory/bandwidth/memset", .op = "byte",
         .timed = "memset() of the C library; bytes stored", .params = SWEEP_PARAMS(),
         SWEEP(.kind = WRITE, .own = pass_memset));
RK_PROBE("memory/bandwidth/modify", .op = "byte",
         .timed = "every word loaded, raised by one and stored; each byte counted once",
         .params = SWEEP_PARAMS(VECTOR_WIDTH), SWEEP(.kind = MODIFY, KERNEL(modify)));
RK_PROBE("memory/bandwidth/copy", .op = "byte",
         .timed = "memcpy() of the C library; bytes copied, each counted once",
         .params = SWEEP_PARAMS(), SWEEP(.kind = COPY, .own = pass_memcpy));
RK_PROBE("memory/bandwidth/copy_loop", .op = "byte",
         .timed = "every byte loaded and stored elsewhere; bytes copied, each counted once",
         .params = SWEEP_PARAMS(VECTOR_WIDTH), SWEEP(.kind = COPY, KERNEL(copy)));
RK_PROBE("memory/bandwidth/copy_nt", .op = "byte",
         .timed = "every byte loaded and stored elsewhere past the caches (non-temporal), and a "
                  "fence; bytes copied, each counted once",
         .params = SWEEP_PARAMS(VECTOR_WIDTH), SWEEP(.kind = COPY, KERNEL(copy_stream)));
RK_PROBE("memory/bandwidth/mbp2016_loop_read", .op = "byte", .reports = "mbp2016",
         .timed = "64 bits at a time loaded and summed up, -O2; bytes loaded, t(2n) - t(n)",
         .params = RK_PARAMS(SIZE, PASSES), MBP2016(.kind = READ, KERNEL(read)));
RK_PROBE("memory/bandwidth/mbp2016_loop_write", .op = "byte", .reports = "mbp2016",
         .timed = "64 bits at a time stored, -O2; bytes stored, t(2n) - t(n)",
         .params = RK_PARAMS(SIZE, PASSES), MBP2016(.kind = WRITE, KERNEL(write)));
RK_PROBE("memory/bandwidth/mbp2016_memset", .op = "byte", .reports = "mbp2016",
         .timed = "memset(); bytes stored, t(2n) - t(n)", .params = RK_PARAMS(SIZE, PASSES),
         MBP2016(.kind = WRITE, .own = pass_memset));
RK_PROBE("memory/bandwidth/mbp2016_loop_rw", .op = "byte", .reports = "mbp2016",
         .timed = "64 bits at a time copied, -O2; bytes copied, each counted once, t(2n) - t(n)",
         .params = RK_PARAMS(SIZE, PASSES), MBP2016(.kind = COPY, KERNEL(copy)));
RK_PROBE("memory/bandwidth/mbp2016_memcpy", .op = "byte", .reports = "mbp2016",
         .timed = "memcpy(); bytes copied, each counted once, t(2n) - t(n)",
         .params = RK_PARAMS(SIZE, PASSES), MBP2016(.kind = COPY, .own = pass_memcpy));
RK_PROBE("memory/bandwidth/loaded_latency", .op = "load",
         .timed = "loads around one random ring, by the CPU that walks it, while every other CPU "
                  "reads memory of its own for `load_percent` of the time",
         .params = LOADED_PARAMS, RK_STAGES(struct loaded, open_loaded, time_walks, close_loaded));
RK_PROBE("memory/bandwidth/load", .op = "byte",
         .timed = "the bytes that every other CPU reads of memory of its own, for `load_percent` "
                  "of the time, while one CPU walks a random ring",
         .params = LOADED_PARAMS, RK_STAGES(struct loaded, open_loaded, time_load, close_loaded));

/* memory/bandwidth: bytes a second from and to memory, by kind of store, width and CPUs. */
#include "memory/support/chase.h"
#include "memory/support/team.h"
#include "memory/support/vectors.h"
#include "probe/stamps.h"

/* --- passes through memory, and the proof that they went through all of it --- */

enum kind { READ, WRITE, MODIFY, COPY };

/* A word of which every byte is 1. What is read and copied is made of it, so that a byte left out
 * at the end shows. */
#define ONES 0x0101010101010101u

static struct job {
    rk_pass *pass;
    enum kind kind;
    size_t bytes;
    uint64_t passes; /* in a trial */
} job;

/* Every pass stores another value, so the last one's is what must be there at the end. */
static uint64_t work(struct rk_member *me, uint64_t trial)
{
    uint64_t sum = 0;
    for (uint64_t pass = 0; pass < job.passes; pass++)
        sum += job.pass(me->to.start, me->from.start, job.bytes, (trial - 1) * job.passes + pass);
    return sum;
}

static void fill(const struct rk_region *region, uint64_t value)
{
    for (size_t i = 0; i < region->size_bytes / sizeof value; i++)
        ((uint64_t *)(void *)region->start)[i] = value;
}

/* Whether a member's memory shows that `trials` trials were done in full. */
static int is_done(const struct rk_member *me, uint64_t trials)
{
    const uint64_t *to = (const uint64_t *)(const void *)me->to.start;
    const size_t words = job.bytes / sizeof *to;
    const uint64_t all = trials * job.passes;
    if (job.kind == READ)
        return me->result == job.passes * words * ONES;
    uint64_t wanted = job.kind == COPY ? ONES : job.kind == MODIFY ? all : all - 1;
    if (job.pass == pass_memset) /* which stores bytes, not words */
        wanted = (wanted & 0xff) * ONES;
    for (size_t i = 0; i < words; i++)
        if (to[i] != wanted)
            return 0;
    return 1;
}

/* Runs the job on `threads` CPUs: n trials, or pairs of trials whose difference is taken. */
static int run_job(struct rk_context *c, struct rk_sample *out, size_t n, int threads, int huge,
                   int twice_minus_once)
{
    struct rk_team team = {.work = work};
    const int reads = job.kind == READ || job.kind == COPY;
    const int status = rk_team_begin(c, &team, threads, reads ? job.bytes : 0,
                                     job.kind == READ ? 0 : job.bytes, huge);
    if (status)
        return status;
    for (int i = 0; i < threads; i++) {
        if (reads)
            fill(&team.members[i].from, ONES);
        if (job.kind != READ)
            fill(&team.members[i].to, 0);
    }
    rk_team_work(&team); /* once before it is timed */
    if (twice_minus_once) {
        RK_TWICE_MINUS_ONCE(out, n, 1, rk_team_work(&team));
    } else {
        RK_BATCH(out, n, 1, rk_team_work(&team));
    }
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)threads * job.passes * job.bytes;
    const uint64_t trials = 1 + n * (twice_minus_once ? 3 : 1);
    int done = 1;
    for (int i = 0; i < threads; i++)
        done &= is_done(&team.members[i], trials);
    return rk_team_end(&team, done ? 0 : rk_failed(c, "the memory does not show every pass", EIO));
}

/* What each of the CPUs goes through: its share of the array, but no less than a cache of its own
 * could not hold. */
#define LEAST_SHARE ((size_t)16 << 20)

static size_t share_bytes(struct rk_context *c, int threads)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    size_t share = size / (size_t)threads;
    if (share < LEAST_SHARE)
        share = size < LEAST_SHARE ? size : LEAST_SHARE;
    return (share + RK_PASS_STEP - 1) / RK_PASS_STEP * RK_PASS_STEP;
}

/* The job as the row's parameters set it; no pass: there is none of the width that they name. */
static int run_pass(struct rk_context *c, struct rk_sample *out, size_t n, enum kind kind,
                    rk_pass *pass)
{
    const int huge = rk_wants_huge(c), threads = (int)rk_integer(c, "threads");
    if (huge < 0)
        return huge;
    if (!pass)
        return rk_cannot(c, "this machine has no registers of that width (vector: widest, scalar, "
                            "sse2, avx2, avx512 or neon)");
    job = (struct job){pass, kind, share_bytes(c, threads), (uint64_t)rk_integer(c, "passes")};
    return run_job(c, out, n, threads, huge, 0);
}

#define WIDE(name, kind, chosen)                                                                   \
    static int run_##name(struct rk_context *c, struct rk_sample *out, size_t n)                   \
    {                                                                                              \
        const struct rk_width *const width = rk_width(rk_text(c, "vector"));                       \
        return run_pass(c, out, n, kind, width ? (chosen) : NULL);                                 \
    }
#define OWN(name, kind, pass)                                                                      \
    static int run_##name(struct rk_context *c, struct rk_sample *out, size_t n)                   \
    {                                                                                              \
        return run_pass(c, out, n, kind, pass);                                                    \
    }

WIDE(read, READ, width->read)
WIDE(write, WRITE, width->write)
WIDE(write_nt, WRITE, width->stream)
OWN(memset, WRITE, pass_memset)
WIDE(modify, MODIFY, width->modify)
OWN(copy, COPY, pass_memcpy)
WIDE(copy_loop, COPY, width->copy)
WIDE(copy_nt, COPY, width->copy_stream)

/* --- mbp2016: 64 bits at a time, t(2n) - t(n) --- */

#define MBP(name, kind, pass)                                                                      \
    static int run_mbp2016_##name(struct rk_context *c, struct rk_sample *out, size_t n)           \
    {                                                                                              \
        job = (struct job){pass, kind, share_bytes(c, 1), (uint64_t)rk_integer(c, "passes")};      \
        return run_job(c, out, n, 1, 0, 1);                                                        \
    }

MBP(loop_read, READ, read_scalar)
MBP(loop_write, WRITE, write_scalar)
MBP(memset, WRITE, pass_memset)
MBP(loop_rw, COPY, copy_scalar)
MBP(memcpy, COPY, pass_memcpy)

/* --- latency under load --- */

/* How the loading CPUs divide their time: so long is a round of load and rest. A step of load takes
 * some 2 microseconds, and a walk 1 ms and more: ten steps to a round, and many rounds to a walk.
 */
#define ROUND_NS 20000u
#define LOAD_STEP ((size_t)16 << 10)

static struct {
    rk_pass *read;
    uint64_t load_ns; /* of each round */
    uint64_t groups;
    const struct link *p;
    int64_t ticks; /* of the walk alone: one who loads may be put off by other work and end late */
    atomic_ulong bytes;
    atomic_int stop;
} loaded;

/* Member 0 walks the ring and then stops the others, who read their memory for a share of the time.
 * They begin anywhere in a round, else a short walk would always meet load. */
static uint64_t walk_or_load(struct rk_member *me, uint64_t trial)
{
    if (me == me->team->members) {
        const uint64_t begin = rk_begin();
        loaded.p = follow(loaded.p, loaded.groups);
        RK_KEEP(loaded.p);
        loaded.ticks = (int64_t)(rk_end() - begin);
        atomic_store(&loaded.stop, 1);
        return 0;
    }
    uint64_t read = 0, state = rk_begin() + ((trial * RK_CPUS_MOST + (uint64_t)me->cpu) << 40);
    size_t at = 0;
    const uint64_t begin = rk_monotonic_ns() - random_below(&state, ROUND_NS);
    while (!atomic_load(&loaded.stop)) {
        if ((rk_monotonic_ns() - begin) % ROUND_NS >= loaded.load_ns) {
            rk_pause();
            continue;
        }
        RK_KEEP(loaded.read(NULL, me->from.start + at, LOAD_STEP, 0));
        at = at + 2 * LOAD_STEP <= me->from.size_bytes ? at + LOAD_STEP : 0;
        read += LOAD_STEP;
    }
    atomic_fetch_add(&loaded.bytes, read);
    return 0;
}

/* A random ring through all lines of a region of its own. */
static int make_ring(struct rk_context *c, struct rk_region *region, uint32_t *count)
{
    const size_t distance = (size_t)rk_integer(c, "line_bytes");
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const int huge = rk_wants_huge(c);
    struct rk_region order;
    if (huge < 0)
        return huge;
    int status = count_stops(c, count, size, distance);
    if (!status)
        status = rk_map(c, &order, 2 * sizeof(uint32_t) * *count, 0);
    if (status)
        return status;
    status = rk_map(c, region, size, huge);
    if (!status) {
        uint64_t state = rk_begin();
        random_order((uint32_t *)(void *)order.start, *count, *count, &state);
        loaded.p = link_ring(region->start, distance, (uint32_t *)(void *)order.start, *count);
    }
    rk_unmap(&order);
    return status;
}

/* `bytes_out` says whether a sample counts the loads of the walk or the bytes of those who load. */
static int time_loaded(struct rk_context *c, struct rk_sample *out, size_t n, int bytes_out)
{
    struct rk_team team = {.work = walk_or_load};
    struct rk_region region = {NULL, 0};
    uint32_t count = 1;
    int cpus[RK_CPUS_MOST];
    const int threads = rk_cpus(cpus, RK_CPUS_MOST);
    if (threads < 2)
        return rk_cannot(c, "there is no other CPU that could load the memory meanwhile");
    int status = make_ring(c, &region, &count);
    if (status)
        return status;
    status = rk_team_begin(c, &team, threads, share_bytes(c, threads), 0, 0);
    if (status) {
        rk_unmap(&region);
        return status;
    }
    loaded.read = rk_width("widest")->read;
    loaded.load_ns = ROUND_NS * (uint64_t)rk_integer(c, "load_percent") / 100;
    loaded.groups = ((uint64_t)rk_integer(c, "loads") + GROUP - 1) / GROUP;
    for (size_t i = 0; i <= n; i++) { /* the first is not reported */
        atomic_store(&loaded.stop, 0), atomic_store(&loaded.bytes, 0);
        rk_team_work(&team);
        if (i)
            out[i - 1] = (struct rk_sample){loaded.ticks, bytes_out ? atomic_load(&loaded.bytes)
                                                                    : loaded.groups * GROUP};
    }
    if (loaded.p->place != (n + 1) * loaded.groups * GROUP % count)
        status = rk_failed(c, "the walk ends elsewhere than so many loads lead", EIO);
    rk_unmap(&region);
    return rk_team_end(&team, status);
}

static int run_loaded_latency(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_loaded(c, out, n, 0);
}

static int run_load(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_loaded(c, out, n, 1);
}

#define SIZE                                                                                       \
    RK_COUNT("size_bytes", 1 << 26, 1, (int64_t)1 << 40,                                           \
             "of each array, shared out among the CPUs (16 MiB each at least)")
#define PASSES RK_COUNT("passes", 1, 1, 1 << 20, "times through the array in a trial")
#define OWN_ROW(id, what, ...)                                                                     \
    RK_PROBE(id, .name = "memory/bandwidth/" #id, .op = "byte", .timed = what, .trials = run_##id, \
             .params = RK_PARAMS(                                                                  \
                 SIZE, PASSES, RK_PAGES,                                                           \
                 RK_COUNT("threads", 1, 1, RK_CPUS_MOST, "CPUs at once"), ##__VA_ARGS__))
#define WIDE_ROW(id, what) OWN_ROW(id, what, RK_WORD("vector", "widest", "width of the registers"))
#define MBP_ROW(id, what)                                                                          \
    RK_PROBE(mbp2016_##id, .name = "memory/bandwidth/mbp2016_" #id, .op = "byte",                  \
             .reports = "mbp2016", .timed = what ", t(2n) - t(n)", .trials = run_mbp2016_##id,     \
             .params = RK_PARAMS(SIZE, PASSES))
#define LOADED_ROW(id, op_, what)                                                                  \
    RK_PROBE(id, .name = "memory/bandwidth/" #id, .op = op_, .timed = what, .trials = run_##id,    \
             .params = RK_PARAMS(                                                                  \
                 SIZE, RK_PAGES, RK_COUNT("loads", 16384, 1, 1 << 30, "loads in a trial"),         \
                 RK_COUNT("line_bytes", 64, 16, 4096, "from one stop to the next"),                \
                 RK_COUNT("load_percent", 100, 0, 100, "of the others' time")))

WIDE_ROW(read, "every byte loaded and summed up; bytes loaded");
WIDE_ROW(write,
         "every byte stored; bytes stored (where a line is read before it is stored, that is "
         "not counted)");
WIDE_ROW(write_nt, "every byte stored past the caches (non-temporal), and a fence; bytes stored");
OWN_ROW(memset, "memset() of the C library; bytes stored");
WIDE_ROW(modify, "every word loaded, raised by one and stored; each byte counted once");
OWN_ROW(copy, "memcpy() of the C library; bytes copied, each counted once");
WIDE_ROW(copy_loop, "every byte loaded and stored elsewhere; bytes copied, each counted once");
WIDE_ROW(copy_nt,
         "every byte loaded and stored elsewhere past the caches (non-temporal), and a fence; "
         "bytes copied, each counted once");
MBP_ROW(loop_read, "64 bits at a time loaded and summed up, -O2; bytes loaded");
MBP_ROW(loop_write, "64 bits at a time stored, -O2; bytes stored");
MBP_ROW(memset, "memset(); bytes stored");
MBP_ROW(loop_rw, "64 bits at a time copied, -O2; bytes copied, each counted once");
MBP_ROW(memcpy, "memcpy(); bytes copied, each counted once");
LOADED_ROW(
    loaded_latency, "load",
    "loads around one random ring, by the CPU that walks it, while every other CPU reads memory of "
    "its own for `load_percent` of the time");
LOADED_ROW(load, "byte",
           "the bytes that every other CPU reads of memory of its own, for `load_percent` of the "
           "time, while one CPU walks a random ring");

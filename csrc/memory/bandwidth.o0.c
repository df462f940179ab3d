/* memory/bandwidth at -O0, as the reports compiled it. */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/children.h"
#include "probe/cpus.h"
#include "probe/region.h"
#include "probe/stamps.h"

#define LINE_INTS 16

/* One timed pass through an array. */
typedef void array_pass(int *array, int64_t ints, struct rk_sample *out);

/* A probe's variant. */
struct array_kind {
    int64_t multiple_bytes; /* of its array, so that no round of its loop is cut off */
    array_pass *pass;       /* of i7_10750h's method */
};

struct arrays {
    struct rk_region data, other; /* other: what evicts the caches before each trial */
};

static int64_t data_bytes(const struct rk_context *c)
{
    const struct array_kind *const kind = rk_variant(c);
    return rk_integer(c, "size_bytes") / kind->multiple_bytes * kind->multiple_bytes;
}

static int make_arrays(struct rk_context *c, struct arrays *a, int64_t other_bytes)
{
    int status = rk_map(c, &a->data, (size_t)data_bytes(c), 0);
    if (!status)
        status = rk_map(c, &a->other, (size_t)other_bytes, 0);
    for (size_t i = 0; !status && i < a->data.size_bytes / sizeof(int); i++)
        ((int *)(void *)a->data.start)[i] = 1;
    return status;
}

static int open_array(struct rk_context *c)
{
    return make_arrays(c, rk_state(c), 0);
}

static int open_arrays(struct rk_context *c)
{
    return make_arrays(c, rk_state(c), rk_integer(c, "evict_bytes"));
}

static int close_arrays(struct rk_context *c)
{
    struct arrays *const a = rk_state(c);
    rk_unmap(&a->data);
    rk_unmap(&a->other);
    return 0;
}

/* Copies within the second array, which leaves no room in the caches. */
static void copy_other(const struct arrays *a)
{
    const size_t half = a->other.size_bytes / 2;
    memcpy(a->other.start, a->other.start + half, half);
}

/* Every method here counts all bytes of the array. */
static void count_bytes(struct rk_sample *out, size_t n, int64_t bytes)
{
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)bytes;
}

/* What the compiler makes of each access at -O0, eight to a round. */
#define EIGHT(step, access)                                                                        \
    access(0 * (step)) access(1 * (step)) access(2 * (step)) access(3 * (step)) access(4 * (step)) \
        access(5 * (step)) access(6 * (step)) access(7 * (step))
#define PASS(step, access)                                                                         \
    for (int64_t i = 0; i < ints; i += 8 * (step)) {                                               \
        EIGHT(step, access)                                                                        \
    }
#define ADD(offset) sum += array[i + (offset)];
#define PUT(offset) array[i + (offset)] = (int)i;

/* A probe's n trials, each the code that is given last: it times a pass through `array`. The probe
 * counts one byte in `share`. */
#define ARRAY_TRIALS(name, share, ...)                                                             \
    static int name(struct rk_context *c, struct rk_sample *out, size_t n)                         \
    {                                                                                              \
        const struct arrays *const a = rk_state(c);                                                \
        const int64_t bytes = data_bytes(c), ints = bytes / (int64_t)sizeof(int);                  \
        int *const array = (int *)(void *)a->data.start;                                           \
        volatile int sum = 0;                                                                      \
        for (size_t trial = 0; trial < n; trial++) {                                               \
            __VA_ARGS__                                                                            \
        }                                                                                          \
        count_bytes(out, n, bytes / (share));                                                      \
        (void)sum;                                                                                 \
        return 0;                                                                                  \
    }

/* --- t470: one int of every 64 bytes, minus reads of the clock and an empty loop --- */

#define T470(name, access)                                                                         \
    ARRAY_TRIALS(name, 1, struct rk_sample nothing; struct rk_sample empty;                        \
                 RK_TIME_BARE(&nothing, 1, (void)0);                                               \
                 RK_TIME_BARE(&empty, 1, for (int64_t i = 0; i < ints; i += 8 * LINE_INTS){});     \
                 RK_TIME_BARE(out + trial, 1, PASS(LINE_INTS, access));                            \
                 out[trial].ticks -= empty.ticks + nothing.ticks;)

T470(run_t470_read, ADD)
T470(run_t470_write, PUT)

/* --- x510uq: 4 MB at a stride of 64 bytes, after a copy that leaves no room in its cache --- */

#define X510UQ(name, access)                                                                       \
    ARRAY_TRIALS(name, 1, copy_other(a); RK_TIME_PAOLONI(out + trial, 1, PASS(LINE_INTS, access));)

X510UQ(run_x510uq_read, ADD)
X510UQ(run_x510uq_write, PUT)

/* --- i7_10750h: all of 4 MB after a copy bigger than its cache; and two processes at once --- */

#define I7_10750H(name, access)                                                                    \
    static void name(int *array, int64_t ints, struct rk_sample *out)                              \
    {                                                                                              \
        volatile int sum = 0;                                                                      \
        RK_TIME_PAOLONI(out, 1, PASS(1, access));                                                  \
        (void)sum;                                                                                 \
    }

I7_10750H(i7_reads, ADD)
I7_10750H(i7_writes, PUT)

static void time_pass(const struct rk_context *c, const struct arrays *a, struct rk_sample *out)
{
    const struct array_kind *const kind = rk_variant(c);
    kind->pass((int *)(void *)a->data.start, data_bytes(c) / (int64_t)sizeof(int), out);
}

static int run_i7_one(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct arrays *const a = rk_state(c);
    for (size_t trial = 0; trial < n; trial++) {
        copy_other(a);
        time_pass(c, a, out + trial);
    }
    count_bytes(out, n, data_bytes(c));
    return 0;
}

/* What this process shares with the second one. */
struct second {
    atomic_ulong arrivals; /* at all rendezvous, of either process */
    atomic_ulong done;     /* passes that the second process has completed */
    atomic_int over;       /* one of the two makes no further pass */
    int status;            /* of the second process's preparation */
    struct rk_sample samples[];
};

struct two_processes {
    struct arrays arrays; /* first, for close_arrays() */
    struct second *second;
    size_t second_bytes;
    pid_t child;   /* 0 in the child */
    size_t passes; /* begun by this process */
};

/* Waits until the counter has that value. 0, or 1 if the other process makes no further pass. */
static int await_other(const struct two_processes *two, const atomic_ulong *counter, uint64_t value)
{
    while (atomic_load(counter) < value) {
        if ((two->child && rk_has_ended(two->child)) || atomic_load(&two->second->over))
            return atomic_load(counter) < value; /* it may have counted its last pass just before */
        rk_pause();
    }
    return 0;
}

/* A pass that begins when the other process's does. 0, or 1 if that makes no further pass. */
static int pass_at_once(const struct rk_context *c, struct two_processes *two,
                        struct rk_sample *out)
{
    copy_other(&two->arrays);
    atomic_fetch_add(&two->second->arrivals, 1);
    if (await_other(two, &two->second->arrivals, 2 * ++two->passes))
        return 1;
    time_pass(c, &two->arrays, out);
    return 0;
}

/* Before the trials, each of the two makes one pass: it copies the pages that they share. */
#define PASSES_BEFORE 1

/* The second process, on that CPU, with arrays of its own. */
static void run_second(struct rk_context *c, struct two_processes *two, int cpu, pid_t parent)
{
    struct second *const second = two->second;
    rk_die_with_parent(parent);
    two->child = 0;
    const int error = rk_pin_process(0, cpu);
    second->status = error ? rk_refused(c, "sched_setaffinity", error) : open_arrays(c);
    atomic_store(&second->over, second->status != 0);
    for (size_t pass = 0; !second->status && pass < rk_trials(c) + PASSES_BEFORE; pass++) {
        if (pass_at_once(c, two, &second->samples[pass]))
            break;
        atomic_store(&second->done, pass + 1);
    }
    _exit(0);
}

static int second_failed(struct rk_context *c, const struct second *second)
{
    if (second->status == -EOPNOTSUPP)
        return rk_unsupported(c, "the second process cannot have a CPU and arrays of its own");
    return rk_failed(c, "the second process", second->status ? -second->status : ECHILD);
}

static int open_i7_two(struct rk_context *c)
{
    struct two_processes *const two = rk_state(c);
    struct rk_sample unused;
    int cpus[RK_CPUS_MAX];
    const int have = rk_cpus(cpus, RK_CPUS_MAX);
    if (have < 2)
        return rk_unsupported(c, "there is one CPU only, and two processes at once need two");
    int status = rk_require_room(c, 2 * (size_t)(rk_integer(c, "size_bytes") +
                                                 rk_integer(c, "evict_bytes")));
    if (status)
        return status;
    two->second_bytes =
        sizeof(struct second) + (rk_trials(c) + PASSES_BEFORE) * sizeof(struct rk_sample);
    void *const shared =
        mmap(NULL, two->second_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    two->second = shared;
    two->second->status = -ECHILD; /* if it ends before it has another */
    const pid_t parent = getpid();
    two->child = fork();
    if (two->child == 0)
        run_second(c, two, cpus[have - 1], parent);
    if (two->child < 0)
        return rk_refused(c, "fork", errno);
    status = open_arrays(c);
    if (status)
        return status;
    return pass_at_once(c, two, &unused) ? second_failed(c, two->second) : 0;
}

/* This process and a child on the last CPU, at the same time; their rates are added, in this
 * process's time. */
static int run_i7_two(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct two_processes *const two = rk_state(c);
    const struct rk_sample *const other_samples = &two->second->samples[two->passes];
    for (size_t i = 0; i < n; i++)
        if (pass_at_once(c, two, out + i))
            return second_failed(c, two->second);
    if (await_other(two, &two->second->done, two->passes))
        return second_failed(c, two->second);
    count_bytes(out, n, data_bytes(c));
    for (size_t i = 0; i < n; i++) {
        if (other_samples[i].ticks <= 0)
            return rk_failed(c, "the second process's clock", ERANGE);
        out[i].ops = (uint64_t)((double)out[i].ops *
                                (1 + (double)out[i].ticks / (double)other_samples[i].ticks));
    }
    return 0;
}

static int close_i7_two(struct rk_context *c)
{
    struct two_processes *const two = rk_state(c);
    if (two->second)
        atomic_store(&two->second->over, 1);
    if (two->child > 0)
        rk_wait_status(two->child);
    if (two->second)
        munmap(two->second, two->second_bytes);
    return close_arrays(c);
}

/* --- hpe_i7_860: one int every 256 bytes, from a cache full of clean or of dirty lines --- */

#define HPE_STEP 64
#define HPE(name, access, prepare)                                                                 \
    ARRAY_TRIALS(name, 4, /* 64 of every 256 */                                                    \
                 volatile char *const other = a->other.start;                                      \
                 for (size_t i = 0; i < a->other.size_bytes; i += 64) prepare;                     \
                 RK_TIME_PAOLONI(out + trial, 1, PASS(HPE_STEP, access));)

HPE(run_hpe_i7_860_read, ADD, sum += other[i])
HPE(run_hpe_i7_860_write, PUT, other[i] = 1)

#define SIZE(default_, help)                                                                       \
    RK_INTEGER("size_bytes", default_, 4096, (int64_t)1 << 37, "the array (the report: " help ")")
#define EVICT(default_, help)                                                                      \
    RK_INTEGER("evict_bytes", default_, 4096, (int64_t)1 << 37,                                    \
               "what goes through the caches before " help)
#define I7_PARAMS RK_PARAMS(SIZE(4 << 20, "4 MB"), EVICT(32 << 20, "(a copy within 32 MB)"))

RK_PROBE("memory/bandwidth/t470_read", .op = "byte", .reports = "t470",
         .timed = "one int of every 64 bytes summed up, -O0, minus the clock's and an empty loop's "
                  "time; all bytes count",
         .needs = RK_NEEDS_STAMPS, .params = RK_PARAMS(SIZE(400000000, "400 MB")),
         RK_STAGES(struct arrays, open_array, run_t470_read, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512));
RK_PROBE("memory/bandwidth/t470_write", .op = "byte", .reports = "t470",
         .timed = "one int of every 64 bytes stored, -O0, minus the clock's and an empty loop's "
                  "time; all bytes count",
         .needs = RK_NEEDS_STAMPS, .params = RK_PARAMS(SIZE(400000000, "400 MB")),
         RK_STAGES(struct arrays, open_array, run_t470_write, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512));
RK_PROBE("memory/bandwidth/x510uq_read", .op = "byte", .reports = "x510uq",
         .timed = "one int of every 64 bytes of 4 MB summed up, -O0, after a copy; all bytes count",
         .needs = RK_NEEDS_STAMPS,
         .params = RK_PARAMS(SIZE(4 << 20, "4 MB"), EVICT(3 << 20, "(1.5 MB onto 1.5 MB)")),
         RK_STAGES(struct arrays, open_arrays, run_x510uq_read, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512));
RK_PROBE("memory/bandwidth/x510uq_write", .op = "byte", .reports = "x510uq",
         .timed = "one int of every 64 bytes of 4 MB stored, -O0, after a copy; all bytes count",
         .needs = RK_NEEDS_STAMPS,
         .params = RK_PARAMS(SIZE(4 << 20, "4 MB"), EVICT(3 << 20, "(1.5 MB onto 1.5 MB)")),
         RK_STAGES(struct arrays, open_arrays, run_x510uq_write, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512));
RK_PROBE("memory/bandwidth/i7_10750h_read", .op = "byte", .reports = "i7_10750h",
         .timed = "every int of 4 MB summed up, -O0, after a copy; bytes loaded",
         .needs = RK_NEEDS_STAMPS, .params = I7_PARAMS,
         RK_STAGES(struct arrays, open_arrays, run_i7_one, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512, .pass = i7_reads));
RK_PROBE("memory/bandwidth/i7_10750h_write", .op = "byte", .reports = "i7_10750h",
         .timed = "every int of 4 MB stored, -O0, after a copy; bytes stored",
         .needs = RK_NEEDS_STAMPS, .params = I7_PARAMS,
         RK_STAGES(struct arrays, open_arrays, run_i7_one, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512, .pass = i7_writes));
RK_PROBE("memory/bandwidth/i7_10750h_two_read", .op = "byte", .reports = "i7_10750h",
         .timed = "every int of 4 MB summed up, -O0, after a copy, by each of two processes on the "
                  "first and the last CPU; the rates added",
         .needs = RK_NEEDS_STAMPS, .params = I7_PARAMS,
         RK_STAGES(struct two_processes, open_i7_two, run_i7_two, close_i7_two),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512, .pass = i7_reads));
RK_PROBE("memory/bandwidth/i7_10750h_two_write", .op = "byte", .reports = "i7_10750h",
         .timed = "every int of 4 MB stored, -O0, after a copy, by each of two processes on the "
                  "first and the last CPU; the rates added",
         .needs = RK_NEEDS_STAMPS, .params = I7_PARAMS,
         RK_STAGES(struct two_processes, open_i7_two, run_i7_two, close_i7_two),
         RK_VARIANT(struct array_kind, .multiple_bytes = 512, .pass = i7_writes));
RK_PROBE("memory/bandwidth/hpe_i7_860_read", .op = "byte", .reports = "hpe_i7_860",
         .timed = "one int of every 256 bytes summed up, -O0, from a cache full of clean lines; 64 "
                  "bytes counted for each",
         .needs = RK_NEEDS_STAMPS,
         .params = RK_PARAMS(SIZE(64 << 20, "not stated"),
                             EVICT(64 << 20, "(the report: its last cache)")),
         RK_STAGES(struct arrays, open_arrays, run_hpe_i7_860_read, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 2048));
RK_PROBE("memory/bandwidth/hpe_i7_860_write", .op = "byte", .reports = "hpe_i7_860",
         .timed = "one int of every 256 bytes stored, -O0, from a cache full of dirty lines; 64 "
                  "bytes counted for each",
         .needs = RK_NEEDS_STAMPS,
         .params = RK_PARAMS(SIZE(64 << 20, "not stated"),
                             EVICT(64 << 20, "(the report: its last cache)")),
         RK_STAGES(struct arrays, open_arrays, run_hpe_i7_860_write, close_arrays),
         RK_VARIANT(struct array_kind, .multiple_bytes = 2048));

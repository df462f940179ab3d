/* memory/bandwidth at -O0, as the reports compiled it. */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "memory/support/both.h"
#include "probe/region.h"
#include "probe/stamps.h"

#define LINE_INTS 16

/* Two regions, given back together. */
struct arrays {
    struct rk_region data, other;
};

static int make_arrays(struct rk_context *c, struct arrays *a, int64_t bytes, int64_t other_bytes)
{
    *a = (struct arrays){{NULL, 0}, {NULL, 0}};
    int status = rk_map(c, &a->data, (size_t)bytes, 0);
    if (!status)
        status = rk_map(c, &a->other, (size_t)other_bytes, 0);
    if (status)
        rk_unmap(&a->data);
    for (size_t i = 0; !status && i < a->data.size_bytes / sizeof(int); i++)
        ((int *)(void *)a->data.start)[i] = 1;
    return status;
}

static int end_arrays(struct arrays *a, int status)
{
    rk_unmap(&a->data);
    rk_unmap(&a->other);
    return status;
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
#define ADD(offset) sum += array[i + (offset)];
#define PUT(offset) array[i + (offset)] = (int)i;

/* --- t470: one int of every 64 bytes, minus reads of the clock and an empty loop --- */

#define T470(name, access)                                                                         \
    static int name(struct rk_context *c, struct rk_sample *out, size_t n)                         \
    {                                                                                              \
        struct arrays a;                                                                           \
        struct rk_sample nothing, empty;                                                           \
        const int64_t bytes = rk_integer(c, "size_bytes") / 512 * 512;                             \
        const int64_t ints = bytes / (int64_t)sizeof(int);                                         \
        const int status = make_arrays(c, &a, bytes, 0);                                           \
        if (status)                                                                                \
            return status;                                                                         \
        int *const array = (int *)(void *)a.data.start;                                            \
        volatile int sum = 0;                                                                      \
        for (size_t trial = 0; trial < n; trial++) {                                               \
            RK_ONE_BY_ONE(&nothing, 1, RK_BARE_BEGIN, RK_BARE_END, (void)0);                       \
            RK_ONE_BY_ONE(&empty, 1, RK_BARE_BEGIN, RK_BARE_END,                                   \
                          for (int64_t i = 0; i < ints; i += 8 * LINE_INTS){});                    \
            RK_ONE_BY_ONE(                                                                         \
                out + trial, 1, RK_BARE_BEGIN, RK_BARE_END,                                        \
                for (int64_t i = 0; i < ints; i += 8 * LINE_INTS){EIGHT(LINE_INTS, access)});      \
            out[trial].ticks -= empty.ticks + nothing.ticks;                                       \
        }                                                                                          \
        count_bytes(out, n, bytes);                                                                \
        (void)sum;                                                                                 \
        return end_arrays(&a, 0);                                                                  \
    }

T470(run_t470_read, ADD)
T470(run_t470_write, PUT)

/* --- x510uq: 4 MB at a stride of 64 bytes, after a copy that leaves no room in its cache --- */

#define X510UQ(name, access)                                                                       \
    static int name(struct rk_context *c, struct rk_sample *out, size_t n)                         \
    {                                                                                              \
        struct arrays a;                                                                           \
        const int64_t bytes = rk_integer(c, "size_bytes") / 512 * 512;                             \
        const int64_t ints = bytes / (int64_t)sizeof(int),                                         \
                      half = rk_integer(c, "evict_bytes") / 2;                                     \
        const int status = make_arrays(c, &a, bytes, 2 * half);                                    \
        if (status)                                                                                \
            return status;                                                                         \
        int *const array = (int *)(void *)a.data.start;                                            \
        volatile int sum = 0;                                                                      \
        for (size_t trial = 0; trial < n; trial++) {                                               \
            memcpy(a.other.start, a.other.start + half, (size_t)half);                             \
            RK_ONE_BY_ONE(                                                                         \
                out + trial, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END,                                  \
                for (int64_t i = 0; i < ints; i += 8 * LINE_INTS){EIGHT(LINE_INTS, access)});      \
        }                                                                                          \
        count_bytes(out, n, bytes);                                                                \
        (void)sum;                                                                                 \
        return end_arrays(&a, 0);                                                                  \
    }

X510UQ(run_x510uq_read, ADD)
X510UQ(run_x510uq_write, PUT)

/* --- i7_10750h: all of 4 MB after a copy bigger than its cache; and two processes at once --- */

/* One trial. */
#define I7_10750H(name, access)                                                                    \
    static void name(int *array, int64_t ints, struct rk_sample *out)                              \
    {                                                                                              \
        volatile int sum = 0;                                                                      \
        RK_ONE_BY_ONE(out, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END,                                    \
                      for (int64_t i = 0; i < ints; i += 8){EIGHT(1, access)});                    \
        (void)sum;                                                                                 \
    }

I7_10750H(i7_reads, ADD)
I7_10750H(i7_writes, PUT)

typedef void i7_method(int *, int64_t, struct rk_sample *);

/* n trials with arrays of its own. Of two processes that do so, one trial before them, which copies
 * what the fork shares; and each pass begins when the other's does. */
static int i7_trials(struct rk_context *c, struct rk_sample *out, size_t n, i7_method *method,
                     struct both *both, pid_t child)
{
    struct arrays a;
    struct rk_sample unused;
    const int64_t bytes = rk_integer(c, "size_bytes") / 512 * 512;
    const int status = make_arrays(c, &a, bytes, rk_integer(c, "evict_bytes"));
    if (status)
        return status;
    const size_t half = a.other.size_bytes / 2, before = both ? 1 : 0;
    for (size_t trial = 0; trial < n + before; trial++) {
        memcpy(a.other.start, a.other.start + half, half);
        if (both && meet(both, trial + 1, child))
            break;
        method((int *)(void *)a.data.start, bytes / (int64_t)sizeof(int),
               trial < before ? &unused : out + trial - before);
    }
    count_bytes(out, n, bytes);
    return end_arrays(&a, 0);
}

static int run_i7_one(struct rk_context *c, struct rk_sample *out, size_t n, i7_method *method)
{
    return i7_trials(c, out, n, method, NULL, 0);
}

/* The child, on that CPU, until it is over. It ends with the process that it is a child of. */
static void be_second(struct rk_context *c, struct both *both, size_t n, i7_method *method, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    both->status = sched_setaffinity(0, sizeof set, &set) < 0
                       ? rk_refused(c, "sched_setaffinity", errno)
                       : i7_trials(c, both->theirs, n, method, both, 0);
    atomic_store(&both->over, both->status != 0);
    _exit(0);
}

/* This process and a child on the last CPU, at the same time; their rates are added, in this one's
 * time. */
static int run_i7_two(struct rk_context *c, struct rk_sample *out, size_t n, i7_method *method)
{
    int cpus[RK_CPUS_MOST];
    const int have = rk_cpus(cpus, RK_CPUS_MOST);
    if (have < 2)
        return rk_cannot(c, "there is one CPU only, and two processes at once need two");
    int status =
        rk_fits(c, 2 * (size_t)(rk_integer(c, "size_bytes") + rk_integer(c, "evict_bytes")));
    if (status)
        return status;
    const size_t size = sizeof(struct both) + n * sizeof *out;
    struct both *const both =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    both->status = -ECHILD; /* if it ends before it has another */
    const pid_t child = fork();
    if (child == 0)
        be_second(c, both, n, method, cpus[have - 1]);
    if (child < 0) {
        status = rk_refused(c, "fork", errno);
    } else {
        status = i7_trials(c, out, n, method, both, child);
        if (status)
            atomic_store(&both->over, 1);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        if (!status && both->status == -EOPNOTSUPP)
            status = rk_cannot(c, "the second process cannot have a CPU and arrays of its own");
        else if (!status && both->status)
            status = rk_failed(c, "the second process", -both->status);
    }
    for (size_t i = 0; i < n && !status; i++) {
        if (both->theirs[i].ticks <= 0)
            status = rk_failed(c, "the second process's clock", ERANGE);
        else
            out[i].ops = (uint64_t)((double)out[i].ops *
                                    (1 + (double)out[i].ticks / (double)both->theirs[i].ticks));
    }
    munmap(both, size);
    return status;
}

#define I7_RUN(name, run, method)                                                                  \
    static int name(struct rk_context *c, struct rk_sample *out, size_t n)                         \
    {                                                                                              \
        return run(c, out, n, method);                                                             \
    }

I7_RUN(run_i7_10750h_read, run_i7_one, i7_reads)
I7_RUN(run_i7_10750h_write, run_i7_one, i7_writes)
I7_RUN(run_i7_10750h_two_read, run_i7_two, i7_reads)
I7_RUN(run_i7_10750h_two_write, run_i7_two, i7_writes)

/* --- hpe_i7_860: one int every 256 bytes, 64 counted, from a cache full of clean or dirty lines --
 */

#define HPE_STEP 64
#define HPE(name, access, prepare)                                                                 \
    static int name(struct rk_context *c, struct rk_sample *out, size_t n)                         \
    {                                                                                              \
        struct arrays a;                                                                           \
        const int64_t bytes = rk_integer(c, "size_bytes") / 2048 * 2048;                           \
        const int64_t ints = bytes / (int64_t)sizeof(int);                                         \
        const int status = make_arrays(c, &a, bytes, rk_integer(c, "evict_bytes"));                \
        if (status)                                                                                \
            return status;                                                                         \
        int *const array = (int *)(void *)a.data.start;                                            \
        volatile int sum = 0;                                                                      \
        for (size_t trial = 0; trial < n; trial++) {                                               \
            volatile char *const other = a.other.start;                                            \
            for (size_t i = 0; i < a.other.size_bytes; i += 64)                                    \
                prepare;                                                                           \
            RK_ONE_BY_ONE(                                                                         \
                out + trial, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END,                                  \
                for (int64_t i = 0; i < ints; i += 8 * HPE_STEP){EIGHT(HPE_STEP, access)});        \
        }                                                                                          \
        count_bytes(out, n, bytes / 4); /* 64 of every 256 */                                      \
        (void)sum;                                                                                 \
        return end_arrays(&a, 0);                                                                  \
    }

HPE(run_hpe_i7_860_read, ADD, sum += other[i])
HPE(run_hpe_i7_860_write, PUT, other[i] = 1)

#define SIZE(preset, help)                                                                         \
    RK_COUNT("size_bytes", preset, 4096, (int64_t)1 << 37, "the array (the report: " help ")")
#define EVICT(preset, help)                                                                        \
    RK_COUNT("evict_bytes", preset, 4096, (int64_t)1 << 37,                                        \
             "what goes through the caches before " help)
#define ROW(id, report, what, ...)                                                                 \
    RK_PROBE(id, .name = "memory/bandwidth/" #id, .op = "byte", .reports = report, .timed = what,  \
             .needs = RK_NEEDS_STAMPS, .trials = run_##id, .params = RK_PARAMS(__VA_ARGS__))

#define T470_SIZE SIZE(400000000, "400 MB")
ROW(t470_read, "t470",
    "one int of every 64 bytes summed up, -O0, minus the clock's and an empty loop's "
    "time; all bytes count",
    T470_SIZE);
ROW(t470_write, "t470",
    "one int of every 64 bytes stored, -O0, minus the clock's and an empty loop's "
    "time; all bytes count",
    T470_SIZE);
#define X510UQ_PARAMS SIZE(4 << 20, "4 MB"), EVICT(3 << 20, "(1.5 MB onto 1.5 MB)")
ROW(x510uq_read, "x510uq",
    "one int of every 64 bytes of 4 MB summed up, -O0, after a copy; all bytes "
    "count",
    X510UQ_PARAMS);
ROW(x510uq_write, "x510uq",
    "one int of every 64 bytes of 4 MB stored, -O0, after a copy; all bytes "
    "count",
    X510UQ_PARAMS);
#define I7_PARAMS SIZE(4 << 20, "4 MB"), EVICT(32 << 20, "(a copy within 32 MB)")
ROW(i7_10750h_read, "i7_10750h", "every int of 4 MB summed up, -O0, after a copy; bytes loaded",
    I7_PARAMS);
ROW(i7_10750h_write, "i7_10750h", "every int of 4 MB stored, -O0, after a copy; bytes stored",
    I7_PARAMS);
ROW(i7_10750h_two_read, "i7_10750h",
    "every int of 4 MB summed up, -O0, after a copy, by each of two "
    "processes on the first and the last CPU; the rates added",
    I7_PARAMS);
ROW(i7_10750h_two_write, "i7_10750h",
    "every int of 4 MB stored, -O0, after a copy, by each of two "
    "processes on the first and the last CPU; the rates added",
    I7_PARAMS);
#define HPE_PARAMS SIZE(64 << 20, "not stated"), EVICT(64 << 20, "(the report: its last cache)")
ROW(hpe_i7_860_read, "hpe_i7_860",
    "one int of every 256 bytes summed up, -O0, from a cache full of clean "
    "lines; 64 bytes counted for each",
    HPE_PARAMS);
ROW(hpe_i7_860_write, "hpe_i7_860",
    "one int of every 256 bytes stored, -O0, from a cache full of dirty "
    "lines; 64 bytes counted for each",
    HPE_PARAMS);

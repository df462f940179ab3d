/* memory/latency at -O0, as the reports compiled it. */
#include <stdlib.h>

#include "probe/region.h"
#include "probe/stamps.h"

#define READS 99

/* --- t470: 99 reads, written out, through a table of pointers --- */

#define READ(i) value = *pointer[i];
#define READ_3(i) READ(i) READ(i + 1) READ(i + 2)
#define READ_9(i) READ_3(i) READ_3(i + 3) READ_3(i + 6)
#define READ_33(i) READ_9(i) READ_9(i + 9) READ_9(i + 18) READ_3(i + 27) READ_3(i + 30)
#define READ_99 READ_33(0) READ_33(33) READ_33(66)

static int64_t ints_of(struct rk_context *c)
{
    return rk_integer(c, "size_bytes") / (int64_t)sizeof(int);
}

/* Maps that much as the state of any of these probes. */
static int map_array(struct rk_context *c, size_t size_bytes)
{
    return rk_map(c, rk_state(c), size_bytes, 0);
}

static int *array_of(struct rk_context *c)
{
    return (int *)(void *)((struct rk_region *)rk_state(c))->start;
}

static int close_array(struct rk_context *c)
{
    rk_unmap(rk_state(c));
    return 0;
}

static int open_t470(struct rk_context *c)
{
    const int64_t ints = ints_of(c);
    if (ints <= READS)
        return rk_unsupported(c, "size_bytes must hold 100 integers at least");
    const int status = map_array(c, (size_t)ints * sizeof(int));
    for (int64_t i = 0; i < ints && !status; i++)
        array_of(c)[i] = 1;
    return status;
}

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t ints = ints_of(c), part = ints / (READS + 1);
    int *const array = array_of(c);
    int *pointer[READS];
    volatile int value;
    for (size_t i = 0; i < n; i++) {
        /* From the end towards the beginning, one at random in each hundredth. */
        int64_t left = ints - 1;
        for (int access = 0; access < READS; access++, left -= part)
            pointer[access] = &array[left - rand() % part];
        RK_TIME_BARE(out + i, 1, READ_99);
        out[i].ops = READS;
    }
    (void)value;
    return 0;
}

/* --- i7_10750h: x = A[x] --- */

static int open_i7_10750h(struct rk_context *c)
{
    const int64_t ints = ints_of(c), stride = rk_integer(c, "stride_bytes") / (int64_t)sizeof(int);
    if (ints > INT32_MAX)
        return rk_unsupported(c, "size_bytes is more than an int can index (8 GiB)");
    const int status = map_array(c, (size_t)ints * sizeof(int));
    for (int64_t i = 0; i < ints && !status; i++)
        array_of(c)[i] = (int)((i + stride) % ints);
    return status;
}

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t loads = rk_integer(c, "loads");
    int *const A = array_of(c);
    int x = 0;
    RK_TIME_PAOLONI(out, n, {
        for (int i = 0; i < loads; i++)
            x = A[x];
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)loads;
    return 0;
}

/* --- hpe_i7_860: chunks of elements, each pointing at random into the next chunk --- */

struct Linklist {
    struct Linklist *next;
};

static int open_hpe_i7_860(struct rk_context *c)
{
    const int64_t chunk = rk_integer(c, "chunk_elements");
    const int64_t chunks = rk_integer(c, "size_bytes") / (int64_t)sizeof(struct Linklist) / chunk;
    if (chunks < 2)
        return rk_unsupported(c, "the list needs two chunks at least");
    const int status = map_array(c, (size_t)(chunks * chunk) * sizeof(struct Linklist));
    struct Linklist *const list = (struct Linklist *)(void *)array_of(c);
    for (int64_t i = 0; i < chunks * chunk && !status; i++)
        list[i].next = &list[(i / chunk + 1) % chunks * chunk + rand() % chunk];
    return status;
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
#if defined(__x86_64__)
    const int64_t steps = rk_integer(c, "loads") / 100 + 1;
    struct Linklist *iter = (struct Linklist *)(void *)array_of(c);
    RK_TIME_PAOLONI(out, n, {
        for (int64_t step = steps; step > 0; step--)
            __asm__ volatile("mov %0, %%rax\n\t.rept 100\n\tmovq (%%rax), %%rax\n\t.endr\n\t"
                             "mov %%rax, %0"
                             : "+r"(iter)::"rax", "memory");
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)steps * 100;
    return 0;
#else
    (void)c, (void)out, (void)n; /* not run: RK_NEEDS_STAMPS */
    return -ENOSYS;
#endif
}

#define SIZE RK_INTEGER("size_bytes", 1 << 20, 2048, (int64_t)1 << 37, "the array")
#define LOADS RK_INTEGER("loads", 16384, 1, (int64_t)1 << 30, "loads in a trial")

RK_PROBE("memory/latency/t470", .op = "load", .reports = "t470",
         .timed = "99 reads, written out, of integers at random places from the end to the "
                  "beginning, none waiting for another; RDTSC ... RDTSCP, -O0",
         .needs = RK_NEEDS_STAMPS, .params = RK_PARAMS(SIZE),
         RK_STAGES(struct rk_region, open_t470, run_t470, close_array));
RK_PROBE("memory/latency/i7_10750h", .op = "load", .reports = "i7_10750h",
         .timed = "a loop of x = A[x], each `stride_bytes` further around the array, -O0 (the "
                  "report: 1,000,000 loads, 128 KiB)",
         .needs = RK_NEEDS_STAMPS,
         .params = RK_PARAMS(SIZE, LOADS,
                             RK_INTEGER("stride_bytes", 1 << 17, 4, 1 << 24,
                                        "to the next element")),
         RK_STAGES(struct rk_region, open_i7_10750h, run_i7_10750h, close_array));
RK_PROBE("memory/latency/hpe_i7_860", .op = "load", .reports = "hpe_i7_860",
         .timed = "hundreds of loads written out, each of the pointer that the last one found: a "
                  "random element of the next chunk of the list, and from the last chunk the first "
                  "again",
         .needs = RK_NEEDS_STAMPS,
         .params = RK_PARAMS(SIZE, LOADS,
                             RK_INTEGER("chunk_elements", 64, 1, 1 << 20,
                                        "pointers in a chunk; the report states none")),
         RK_STAGES(struct rk_region, open_hpe_i7_860, run_hpe_i7_860, close_array));

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

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t ints = rk_integer(c, "size_bytes") / (int64_t)sizeof(int);
    const int64_t part = ints / (READS + 1);
    struct rk_region region;
    int *pointer[READS];
    volatile int value;
    if (!part)
        return rk_cannot(c, "a hundred parts need a hundred integers");
    const int status = rk_map(c, &region, (size_t)ints * sizeof(int), 0);
    if (status)
        return status;
    int *const array = (int *)(void *)region.start;
    for (int64_t i = 0; i < ints; i++)
        array[i] = 1;
    for (size_t i = 0; i < n; i++) {
        /* From the end towards the beginning, one at random in each hundredth. */
        int64_t left = ints - 1;
        for (int access = 0; access < READS; access++, left -= part)
            pointer[access] = &array[left - rand() % part];
        RK_ONE_BY_ONE(out + i, 1, RK_BARE_BEGIN, RK_BARE_END, READ_99);
        out[i].ops = READS;
    }
    (void)value;
    rk_unmap(&region);
    return 0;
}

/* --- i7_10750h: x = A[x] --- */

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t ints = rk_integer(c, "size_bytes") / (int64_t)sizeof(int);
    const int64_t stride = rk_integer(c, "stride_bytes") / (int64_t)sizeof(int);
    const int64_t loads = rk_integer(c, "loads");
    struct rk_region region;
    if (ints > INT32_MAX)
        return rk_cannot(c, "an int counts no further than 8 GiB of integers");
    const int status = rk_map(c, &region, (size_t)ints * sizeof(int), 0);
    if (status)
        return status;
    int *const A = (int *)(void *)region.start;
    for (int64_t i = 0; i < ints; i++)
        A[i] = (int)((i + stride) % ints);
    int x = 0;
    RK_ONE_BY_ONE(out, n, RK_PAOLONI_BEGIN, RK_PAOLONI_END, {
        for (int i = 0; i < loads; i++)
            x = A[x];
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)loads;
    rk_unmap(&region);
    return 0;
}

/* --- hpe_i7_860: chunks of elements, each pointing at random into the next chunk --- */

struct Linklist {
    struct Linklist *next;
};

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
#if defined(__x86_64__)
    const int64_t chunk = rk_integer(c, "chunk_elements");
    const int64_t chunks = rk_integer(c, "size_bytes") / (int64_t)sizeof(struct Linklist) / chunk;
    const int64_t steps = rk_integer(c, "loads") / 100 + 1;
    struct rk_region region;
    if (chunks < 2)
        return rk_cannot(c, "the list needs two chunks at least");
    const int status = rk_map(c, &region, (size_t)(chunks * chunk) * sizeof(struct Linklist), 0);
    if (status)
        return status;
    struct Linklist *const list = (struct Linklist *)(void *)region.start;
    for (int64_t i = 0; i < chunks * chunk; i++)
        list[i].next = &list[(i / chunk + 1) % chunks * chunk + rand() % chunk];
    struct Linklist *iter = list;
    RK_ONE_BY_ONE(out, n, RK_PAOLONI_BEGIN, RK_PAOLONI_END, {
        for (int64_t step = steps; step > 0; step--)
            __asm__ volatile("mov %0, %%rax\n\t.rept 100\n\tmovq (%%rax), %%rax\n\t.endr\n\t"
                             "mov %%rax, %0"
                             : "+r"(iter)::"rax", "memory");
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops = (uint64_t)steps * 100;
    rk_unmap(&region);
    return 0;
#else
    (void)c, (void)out, (void)n; /* not run: RK_NEEDS_STAMPS */
    return -ENOSYS;
#endif
}

#define SIZE RK_COUNT("size_bytes", 1 << 20, 2048, (int64_t)1 << 37, "the array")
#define LOADS RK_COUNT("loads", 16384, 1, (int64_t)1 << 30, "loads in a trial")

RK_PROBE(t470, .name = "memory/latency/t470", .op = "load", .reports = "t470",
         .timed =
             "99 reads, written out, of integers at random places from the end to the beginning, "
             "none waiting for another; RDTSC ... RDTSCP, -O0",
         .params = RK_PARAMS(SIZE), .needs = RK_NEEDS_STAMPS, .trials = run_t470);
RK_PROBE(i7_10750h, .name = "memory/latency/i7_10750h", .op = "load", .reports = "i7_10750h",
         .timed =
             "a loop of x = A[x], each `stride_bytes` further around the array, -O0 (the report: "
             "1,000,000 loads, 128 KiB)",
         .params = RK_PARAMS(SIZE, LOADS,
                             RK_COUNT("stride_bytes", 1 << 17, 4, 1 << 24, "to the next element")),
         .needs = RK_NEEDS_STAMPS, .trials = run_i7_10750h);
RK_PROBE(hpe_i7_860, .name = "memory/latency/hpe_i7_860", .op = "load", .reports = "hpe_i7_860",
         .timed =
             "hundreds of loads written out, each of the pointer that the last one found: a random "
             "element of the next chunk of the list, and from the last chunk the first again",
         .params = RK_PARAMS(SIZE, LOADS,
                             RK_COUNT("chunk_elements", 64, 1, 1 << 20,
                                      "pointers in a chunk; the report states none")),
         .needs = RK_NEEDS_STAMPS, .trials = run_hpe_i7_860);

/* memory/fault at -O0, as the reports compiled it. They divide by the pages that they touched, and
 * so do these probes; the page shows how many faults there were. */
#include <stdlib.h>
#include <sys/mman.h>

#include "memory/support/mapped_file.h"
#include "probe/stamps.h"

/* What all of these touch: a file, or anonymous memory. */
struct touched {
    struct mapped mapped;
    size_t trials_done;
};

static int close_touched(struct rk_context *c)
{
    unmap_file(&((struct touched *)rk_state(c))->mapped);
    return 0;
}

static size_t bytes_touched(struct rk_context *c)
{
    return bytes_of(1, rk_integer(c, "touches"), rk_small_page());
}

/* The variant of a probe that reads or writes every page of its file. */
struct file_kind {
    size_t step_bytes; /* from one touch to the next; 0: a small page */
    int cold, protection, advice;
};

static int open_file(struct rk_context *c)
{
    const struct file_kind *const kind = rk_variant(c);
    struct touched *const state = rk_state(c);
    const size_t size = kind->step_bytes ? bytes_of(1, rk_integer(c, "touches"), kind->step_bytes)
                                         : bytes_touched(c);
    return make_file(c, &state->mapped, rk_scratch_dir(c),
                     &(const struct mapping){size, .cold = kind->cold,
                                             .protection = kind->protection,
                                             .advice = kind->advice});
}

/* Takes the pages out of the mapping again, and with `cold` out of the page cache too. */
static int forget(struct rk_context *c, const struct mapped *file, int cold)
{
    if (madvise(file->region.start, file->region.size_bytes, MADV_DONTNEED) < 0)
        return rk_failed(c, "madvise", errno);
    return cold ? rk_make_cold(c, file->fd) : 0;
}

/* n trials that each touch all pages of `file`. */
#define TOUCH_ALL(cold, TIMED, loop)                                                               \
    do {                                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int status = forget(c, &file, cold);                                             \
            if (status)                                                                            \
                return status;                                                                     \
            TIMED(out + i, 1, loop);                                                               \
            out[i].ops = (uint64_t)touches;                                                        \
        }                                                                                          \
    } while (0)

/* t470: backwards through a file, 2 MiB at a time. */
#define T470_STEP (2 << 20)

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches"), step = T470_STEP;
    struct mapped file = ((const struct touched *)rk_state(c))->mapped;
    volatile char value;
    TOUCH_ALL(1, RK_TIME_BARE, {
        for (int64_t at = touches * step - 1; at >= 0; at -= step)
            value = file.region.start[at];
    });
    (void)value;
    return 0;
}

/* x510uq: page by page through a cold file, with the advice that reads are random. */
static int run_x510uq(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const int64_t page = (int64_t)rk_small_page(), bytes = touches * page;
    struct mapped file = ((const struct touched *)rk_state(c))->mapped;
    volatile int sum = 0;
    TOUCH_ALL(1, RK_TIME_PAOLONI, {
        for (int64_t at = 0; at < bytes; at += page)
            sum += file.region.start[at];
    });
    (void)sum;
    return 0;
}

/* mbp2016: page by page through a file that is probably in memory. */
static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const int64_t page = (int64_t)rk_small_page(), bytes = touches * page;
    struct mapped file = ((const struct touched *)rk_state(c))->mapped;
    volatile char value;
    TOUCH_ALL(0, RK_TIME_BARE, {
        for (int64_t at = 0; at < bytes; at += page)
            value = file.region.start[at];
    });
    (void)value;
    return 0;
}

/* i7_10750h: a byte written into each page of a file just filled, and of anonymous memory. */
static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const int64_t page = (int64_t)rk_small_page(), bytes = touches * page;
    struct mapped file = ((const struct touched *)rk_state(c))->mapped;
    TOUCH_ALL(0, RK_TIME_PAOLONI, {
        for (int64_t at = 0; at < bytes; at += page)
            file.region.start[at] = 1;
    });
    return 0;
}

static int open_anonymous(struct rk_context *c)
{
    struct touched *const state = rk_state(c);
    state->mapped.fd = -1;
    return rk_map(c, &state->mapped.region, bytes_touched(c), 0);
}

/* hpe_i7_860: a stride with a random offset within it, through a big file on the disk, and
 * through one in a folder that in fact lies in memory. */
static size_t walk_bytes(struct rk_context *c)
{
    return bytes_of(rk_trials(c), rk_integer(c, "stride_pages"), rk_small_page());
}

static int open_walk(struct rk_context *c)
{
    return make_file(c, &((struct touched *)rk_state(c))->mapped, rk_scratch_dir(c),
                     &(const struct mapping){walk_bytes(c), .cold = 1, .protection = PROT_READ,
                                             .advice = MADV_NORMAL});
}

static int open_walk_in_memory(struct rk_context *c)
{
    struct touched *const state = rk_state(c);
    state->mapped.fd = -1;
    const struct mapping mapping = {walk_bytes(c), .in_memory = 1, .protection = PROT_READ,
                                    .advice = MADV_NORMAL};
    const int status = rk_require_room(c, mapping.size_bytes);
    return status ? status : make_file(c, &state->mapped, "/dev/shm", &mapping);
}

static int run_walk(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct touched *const state = rk_state(c);
    struct mapped *const file = &state->mapped;
    const int64_t small = (int64_t)rk_small_page();
    const int64_t pages = (int64_t)file->region.size_bytes / small;
    const int64_t stride = rk_integer(c, "stride_pages");
    volatile char value;
    (void)value;
    for (size_t i = 0; i < n; i++, state->trials_done++) {
        const int64_t page = ((int64_t)state->trials_done * stride + rand() % stride) % pages;
        RK_TIME_PAOLONI(out + i, 1, value = file->region.start[page * small]);
    }
    return 0;
}

#define TOUCHES(default_, help)                                                                    \
    RK_INTEGER("touches", default_, 1, 1 << 24, "pages touched in a trial (the report: " help ")")
#define STRIDE RK_INTEGER("stride_pages", 512, 1, 1 << 20, "the stride; the report states none")
#define TOUCHED(open_, trials_) RK_STAGES(struct touched, open_, trials_, close_touched)

RK_PROBE("memory/fault/t470", .op = "page", .reports = "t470",
         .timed = "a byte read every 2 MiB, backwards through a cold file (the report: 20 GB), "
                  "-O0; by the pages touched",
         .needs = RK_NEEDS_STAMPS | RK_NEEDS_DISK,
         .params = RK_PARAMS(TOUCHES(64, "10,000"), RK_DIR), TOUCHED(open_file, run_t470),
         RK_VARIANT(struct file_kind, .step_bytes = T470_STEP, .cold = 1, .protection = PROT_READ,
                    .advice = MADV_NORMAL));
RK_PROBE("memory/fault/x510uq", .op = "page", .reports = "x510uq",
         .timed = "a byte of each page of a cold file added up, with the advice that reads are "
                  "random, -O0; by the pages touched",
         .needs = RK_NEEDS_STAMPS | RK_NEEDS_DISK,
         .params = RK_PARAMS(TOUCHES(100, "100 to 3000"), RK_DIR), TOUCHED(open_file, run_x510uq),
         RK_VARIANT(struct file_kind, .cold = 1, .protection = PROT_READ, .advice = MADV_RANDOM));
RK_PROBE("memory/fault/mbp2016", .op = "page", .reports = "mbp2016",
         .timed = "a byte of each page of a file in the page cache read; by the pages touched",
         .needs = RK_NEEDS_STAMPS | RK_NEEDS_DISK,
         .params = RK_PARAMS(TOUCHES(1024, "not stated"), RK_DIR), TOUCHED(open_file, run_mbp2016),
         RK_VARIANT(struct file_kind, .protection = PROT_READ, .advice = MADV_NORMAL));
RK_PROBE("memory/fault/i7_10750h_file", .op = "page", .reports = "i7_10750h",
         .timed = "a byte written into each page of a file just filled, -O0; by the pages touched",
         .needs = RK_NEEDS_STAMPS | RK_NEEDS_DISK,
         .params = RK_PARAMS(TOUCHES(1024, "1,000,000"), RK_DIR), TOUCHED(open_file, run_i7_10750h),
         RK_VARIANT(struct file_kind, .protection = PROT_READ | PROT_WRITE, .advice = MADV_NORMAL));
RK_PROBE("memory/fault/i7_10750h_anonymous", .op = "page", .reports = "i7_10750h",
         .timed = "a byte written into each page of anonymous memory, -O0; by the pages touched",
         .needs = RK_NEEDS_STAMPS, .params = RK_PARAMS(TOUCHES(1024, "1,000,000")),
         TOUCHED(open_anonymous, run_i7_10750h));
RK_PROBE("memory/fault/hpe_i7_860", .op = "page", .reports = "hpe_i7_860",
         .timed = "a byte read at a random page of each stride of a cold file (the report: 16 GB), "
                  "each alone, -O0; every touch counts",
         .needs = RK_NEEDS_STAMPS | RK_NEEDS_DISK, .params = RK_PARAMS(STRIDE, RK_DIR),
         TOUCHED(open_walk, run_walk));
RK_PROBE("memory/fault/hpe_i7_860_memory", .op = "page", .reports = "hpe_i7_860",
         .timed = "a byte read at a random page of each stride of a file that lies in memory "
                  "(/dev/shm), each alone, -O0; every touch counts",
         .needs = RK_NEEDS_STAMPS, .params = RK_PARAMS(STRIDE),
         TOUCHED(open_walk_in_memory, run_walk));

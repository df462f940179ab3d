/* memory/fault at -O0, as the reports compiled it. They divide by the pages that they touched, and
 * so do these rows; the page tells how many faults there were. */
#include <sys/mman.h>

#include "memory/support/faults.h"
#include "probe/stamps.h"

/* A scratch file, mapped as the method needs it. */
static int make_file(struct rk_context *c, struct mapped *file, size_t size, int cold,
                     int protection, int advice)
{
    file->region = (struct rk_region){NULL, 0};
    file->fd = rk_scratch(c, rk_scratch_dir(c), size, 1);
    if (file->fd < 0)
        return file->fd;
    const int status = map_file(c, file, size, cold, protection, advice);
    if (status)
        unmap_file(file);
    return status;
}

/* Takes the pages out of the mapping again, and with `cold` out of the page cache too. */
static int forget(struct rk_context *c, const struct mapped *file, int cold)
{
    if (madvise(file->region.start, file->region.size_bytes, MADV_DONTNEED) < 0)
        return rk_failed(c, "madvise", errno);
    return cold ? rk_make_cold(c, file->fd) : 0;
}

/* t470: backwards through a file, 2 MiB at a time. */
static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches"), step = 2 << 20;
    struct mapped file;
    volatile char value;
    int status = make_file(c, &file, (size_t)(touches * step), 1, PROT_READ, MADV_NORMAL);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++) {
        status = forget(c, &file, 1);
        RK_ONE_BY_ONE(out + i, 1, RK_BARE_BEGIN, RK_BARE_END, {
            for (int64_t at = touches * step - 1; at >= 0; at -= step)
                value = file.region.start[at];
        });
        out[i].ops = (uint64_t)touches;
    }
    (void)value;
    unmap_file(&file);
    return status;
}

/* x510uq: page by page through a cold file, with the advice that reads are random. */
static int run_x510uq(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const int64_t page = (int64_t)rk_small_page(), bytes = touches * page;
    struct mapped file;
    volatile int sum = 0;
    int status = make_file(c, &file, (size_t)bytes, 1, PROT_READ, MADV_RANDOM);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++) {
        status = forget(c, &file, 1);
        RK_ONE_BY_ONE(out + i, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END, {
            for (int64_t at = 0; at < bytes; at += page)
                sum += file.region.start[at];
        });
        out[i].ops = (uint64_t)touches;
    }
    (void)sum;
    unmap_file(&file);
    return status;
}

/* mbp2016: page by page through a file that is probably in memory. */
static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const int64_t page = (int64_t)rk_small_page(), bytes = touches * page;
    struct mapped file;
    volatile char value;
    int status = make_file(c, &file, (size_t)bytes, 0, PROT_READ, MADV_NORMAL);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++) {
        status = forget(c, &file, 0);
        RK_ONE_BY_ONE(out + i, 1, RK_BARE_BEGIN, RK_BARE_END, {
            for (int64_t at = 0; at < bytes; at += page)
                value = file.region.start[at];
        });
        out[i].ops = (uint64_t)touches;
    }
    (void)value;
    unmap_file(&file);
    return status;
}

/* i7_10750h: a byte written into each page of a file just filled, and of anonymous memory. */
static int time_writes(struct rk_context *c, struct mapped *file, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const int64_t page = (int64_t)rk_small_page(), bytes = touches * page;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++) {
        status = forget(c, file, 0);
        RK_ONE_BY_ONE(out + i, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END, {
            for (int64_t at = 0; at < bytes; at += page)
                file->region.start[at] = 1;
        });
        out[i].ops = (uint64_t)touches;
    }
    unmap_file(file);
    return status;
}

static int run_i7_10750h_file(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct mapped file;
    const int status = make_file(c, &file, bytes_of(1, rk_integer(c, "touches"), rk_small_page()),
                                 0, PROT_READ | PROT_WRITE, MADV_NORMAL);
    return status ? status : time_writes(c, &file, out, n);
}

static int run_i7_10750h_anonymous(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct mapped memory = {.fd = -1};
    const size_t size = bytes_of(1, rk_integer(c, "touches"), rk_small_page());
    const int status = rk_map(c, &memory.region, size, 0);
    return status ? status : time_writes(c, &memory, out, n);
}

/* hpe_i7_860: a stride with a random offset within it, through a big file on the disk, and through
 * one in a folder that turned out to lie in memory. */
static int walk_at_random(struct rk_context *c, struct mapped *file, struct rk_sample *out,
                          size_t n)
{
    const int64_t small = (int64_t)rk_small_page();
    const int64_t pages = (int64_t)file->region.size_bytes / small;
    const int64_t stride = rk_integer(c, "stride_pages");
    volatile char value;
    (void)value;
    for (size_t i = 0; i < n; i++) {
        const int64_t page = ((int64_t)i * stride + rand() % stride) % pages;
        RK_ONE_BY_ONE(out + i, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END,
                      value = file->region.start[page * small]);
    }
    unmap_file(file);
    return 0;
}

static size_t walk_bytes(struct rk_context *c, size_t n)
{
    return bytes_of(n, rk_integer(c, "stride_pages"), rk_small_page());
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct mapped file;
    const int status = make_file(c, &file, walk_bytes(c, n), 1, PROT_READ, MADV_NORMAL);
    return status ? status : walk_at_random(c, &file, out, n);
}

static int run_hpe_i7_860_memory(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct mapped file = {.fd = -1};
    int status = rk_fits(c, walk_bytes(c, n));
    if (!status)
        file.fd = status = rk_scratch(c, "/dev/shm", walk_bytes(c, n), 0);
    if (status < 0)
        return status;
    status = map_file(c, &file, walk_bytes(c, n), 0, PROT_READ, MADV_NORMAL);
    if (!status)
        return walk_at_random(c, &file, out, n);
    unmap_file(&file);
    return status;
}

#define TOUCHES(preset, help)                                                                      \
    RK_COUNT("touches", preset, 1, 1 << 24, "pages touched in a trial (the report: " help ")")
#define ROW(id, report, more_needs, what, ...)                                                     \
    RK_PROBE(id, .name = "memory/fault/" #id, .op = "page", .reports = report, .timed = what,      \
             .needs = RK_NEEDS_STAMPS | (more_needs), .trials = run_##id,                          \
             .params = RK_PARAMS(__VA_ARGS__))
#define STRIDE RK_COUNT("stride_pages", 512, 1, 1 << 20, "the stride; the report states none")

ROW(t470, "t470", RK_NEEDS_DISK,
    "a byte read every 2 MiB, backwards through a cold file (the report: 20 GB), -O0; by "
    "the pages touched",
    TOUCHES(64, "10,000"), RK_DIR);
ROW(x510uq, "x510uq", RK_NEEDS_DISK,
    "a byte of each page of a cold file added up, with the advice that reads are "
    "random, -O0; by the pages touched",
    TOUCHES(100, "100 to 3000"), RK_DIR);
ROW(mbp2016, "mbp2016", RK_NEEDS_DISK,
    "a byte of each page of a file in the page cache read; by the pages touched",
    TOUCHES(1024, "not stated"), RK_DIR);
ROW(i7_10750h_file, "i7_10750h", RK_NEEDS_DISK,
    "a byte written into each page of a file just filled, -O0; by the pages "
    "touched",
    TOUCHES(1024, "1,000,000"), RK_DIR);
ROW(i7_10750h_anonymous, "i7_10750h", 0,
    "a byte written into each page of anonymous memory, -O0; by the "
    "pages touched",
    TOUCHES(1024, "1,000,000"));
ROW(hpe_i7_860, "hpe_i7_860", RK_NEEDS_DISK,
    "a byte read at a random page of each stride of a cold file (the report: "
    "16 GB), each alone, -O0; every touch counts",
    STRIDE, RK_DIR);
ROW(hpe_i7_860_memory, "hpe_i7_860", 0,
    "a byte read at a random page of each stride of a file that lies in "
    "memory (/dev/shm), each alone, -O0; every touch counts",
    STRIDE);

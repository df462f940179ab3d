/* memory/fault: what the first touch of a page costs, by where the page comes from. A sample's
 * `ops` are the faults that the kernel counted (getrusage(2)), not the pages that were touched. */
#include <sys/mman.h>

#include "memory/support/faults.h"
#include "probe/order.h"

/* --- anonymous memory --- */

/* One touch of each of `touches` pages, in rising order; the faults are counted outside the timing.
 */
static struct rk_sample touch(volatile char *at, size_t step, int64_t touches)
{
    const struct fault_count before = faults_now();
    const uint64_t begin = rk_begin();
    for (int64_t i = 0; i < touches; i++, at += step)
        *at = 1;
    const uint64_t end = rk_end();
    return (struct rk_sample){(int64_t)(end - begin), (uint64_t)faults_since(before).minor};
}

/* n trials of `touches` first touches of memory that the kernel has handed out before: what a
 * guest's host, or the kernel's own zeroing at boot, adds is paid by an earlier touch of as much.
 */
static int time_anonymous(struct rk_context *c, struct rk_sample *out, size_t n, int huge,
                          int64_t idle_ms)
{
    const int64_t touches = rk_integer(c, "touches");
    const size_t page = huge ? rk_huge_page() : rk_small_page(), size = bytes_of(n, touches, page);
    struct rk_region region;
    int status = rk_map(c, &region, size, huge);
    if (!status)
        rk_unmap(&region);
    if (!status && idle_ms) {
        const struct timespec rest = {idle_ms / 1000, idle_ms % 1000 * 1000000};
        nanosleep(&rest, NULL);
    }
    if (!status)
        status = rk_fits(c, size);
    if (!status)
        status = rk_reserve(c, &region, size, huge);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        out[i] = touch(region.start + i * (size_t)touches * page, page, touches);
    if (huge)
        status = rk_got_huge(c, &region);
    for (size_t i = 0; i < n && !status; i++)
        if (!out[i].ops)
            status = rk_failed(c, "touching new pages raised no fault", EIO);
    rk_unmap(&region);
    return status;
}

static int run_anonymous(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_anonymous(c, out, n, 0, 0);
}

static int run_huge(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_anonymous(c, out, n, 1, 0);
}

static int run_cold(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_anonymous(c, out, n, 0, rk_integer(c, "idle_ms"));
}

/* --- pages of files --- */

/* How often a trial is repeated whose pages had left the page cache: a machine that is short of
 * memory takes them away at any time, and a read of the disk is no sample of this row. */
#define MINOR_TRIES 4

/* One trial: `touches` reads of pages that lie in the page cache, `step` bytes apart. Returns how
 * many of them the kernel counted as major faults; then the pages are read in and no longer mapped.
 */
static int64_t touch_cached(struct mapped *file, size_t offset, int64_t touches, size_t step,
                            struct rk_sample *out)
{
    char page[4096];
    const volatile char *at = file->region.start + offset;
    const struct fault_count before = faults_now();
    const uint64_t begin = rk_begin();
    for (int64_t t = 0; t < touches; t++, at += step)
        (void)*at;
    const uint64_t end = rk_end();
    const struct fault_count counted = faults_since(before);
    *out = (struct rk_sample){(int64_t)(end - begin), (uint64_t)counted.minor};
    if (!counted.major)
        return 0;
    const size_t length = (size_t)touches * step;
    for (size_t done = 0; done < length; done += sizeof page)
        if (pread(file->fd, page, sizeof page, (off_t)(offset + done)) < 0)
            break; /* the next trial tells */
    (void)madvise(file->region.start + offset, length, MADV_DONTNEED);
    return counted.major;
}

/* n trials of `touches` reads of pages that lie in the page cache, `step_bytes` apart. */
static int run_minor(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t touches = rk_integer(c, "touches");
    const size_t step = (size_t)rk_integer(c, "step_bytes");
    const size_t size = bytes_of(n, touches, step);
    struct mapped file = {.fd = rk_scratch(c, rk_scratch_dir(c), size, 1)};
    if (file.fd < 0)
        return file.fd;
    int status = map_file(c, &file, size, 0, PROT_READ, MADV_NORMAL);
    for (size_t i = 0; i < n && !status; i++) {
        int tries = 0;
        while (tries < MINOR_TRIES &&
               touch_cached(&file, i * (size_t)touches * step, touches, step, &out[i]))
            tries++;
        if (tries == MINOR_TRIES)
            status = rk_cannot(c, "the file's pages do not stay in the page cache");
        else if (!out[i].ops)
            status =
                rk_cannot(c, "the kernel maps the file's pages ahead, so touching them raises no "
                             "fault");
    }
    unmap_file(&file);
    return status;
}

/* Each sample is one touch of a random page that the kernel counted as a major fault. Where a touch
 * found the page there, the next page is taken; it is no fault and so no sample of one. */
static int time_major(struct rk_context *c, struct rk_sample *out, size_t n, const char *dir)
{
    const size_t page = rk_small_page(), size = (size_t)rk_integer(c, "size_bytes") / page * page;
    const uint32_t pages = (uint32_t)(size / page);
    if (pages < 4 * n)
        return rk_cannot(c, "the file needs four pages for each sample");
    struct mapped file = {.fd = rk_scratch(c, dir, size, 1)};
    if (file.fd < 0)
        return file.fd;
    uint32_t *const order = malloc(pages * sizeof *order);
    int status = order ? map_file(c, &file, size, 1, PROT_READ, MADV_RANDOM)
                       : rk_failed(c, "malloc", ENOMEM);
    uint64_t state = rk_begin();
    if (!status) {
        rising_order(order, pages);
        shuffle(order, pages, &state);
    }
    size_t taken = 0;
    for (uint32_t i = 0; i < pages && taken < n && !status; i++) {
        const volatile char *const at = file.region.start + order[i] * page;
        const struct fault_count before = faults_now();
        const uint64_t begin = rk_begin();
        (void)*at;
        const uint64_t end = rk_end();
        const int64_t major = faults_since(before).major;
        if (major)
            out[taken++] = (struct rk_sample){(int64_t)(end - begin), (uint64_t)major};
    }
    if (!status && taken < n)
        status = rk_cannot(c, "the file's pages stay in memory, so touching them needs no disk");
    free(order);
    unmap_file(&file);
    return status;
}

static int run_major(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_major(c, out, n, rk_scratch_dir(c));
}

#define TOUCHES(preset) RK_COUNT("touches", preset, 1, 1 << 24, "pages touched in a trial")
#define ROW(id, needs_, what, ...)                                                                 \
    RK_PROBE(id, .name = "memory/fault/" #id, .op = "fault", .timed = what, .needs = needs_,       \
             .trials = run_##id, .params = RK_PARAMS(__VA_ARGS__))

ROW(anonymous, 0,
    "a byte written into each of `touches` new small pages that were touched, given back "
    "and mapped anew; by the faults counted",
    TOUCHES(64));
ROW(huge, 0,
    "a byte written into each of `touches` new huge pages, likewise; by the faults counted",
    TOUCHES(1));
ROW(cold, 0,
    "a byte written into each of `touches` new small pages after the free memory was left alone "
    "for `idle_ms`, so that a host may have taken it back; by the faults counted",
    TOUCHES(64), RK_COUNT("idle_ms", 2500, 0, 60000, "how long it is left alone"));
ROW(minor, RK_NEEDS_DISK,
    "a byte read every `step_bytes` of a mapped file that is in the page cache; by the faults "
    "counted, of which each may map several pages",
    TOUCHES(64), RK_COUNT("step_bytes", 65536, 1, 1 << 30, "from one touch to the next"), RK_DIR);
ROW(major, RK_NEEDS_DISK,
    "a byte read of a random page of a mapped file that is not in the page cache, with the advice "
    "that reads are random; each touch alone; touches that found their page are left out",
    RK_COUNT("size_bytes", 64 << 20, 4096, (int64_t)1 << 40, "the file"), RK_DIR);

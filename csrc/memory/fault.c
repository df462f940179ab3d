/* memory/fault: what the first touch of a page costs, by where the page comes from. A sample's
 * `ops` are the faults that the kernel counted (getrusage(2)), not the pages that were touched. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "memory/support/mapped_file.h"
#include "probe/order.h"

/* --- how many faults the kernel counted of this thread --- */

struct fault_count {
    int64_t minor, major;
};

static struct fault_count faults_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct fault_count){usage.ru_minflt, usage.ru_majflt};
}

static struct fault_count faults_since(struct fault_count before)
{
    const struct fault_count now = faults_now();
    return (struct fault_count){now.minor - before.minor, now.major - before.major};
}

/* --- anonymous memory --- */

/* A probe's variant. */
struct anonymous_kind {
    int huge;  /* huge pages */
    int idles; /* leaves the free memory alone for idle_ms first */
};

struct anonymous {
    struct rk_region region; /* of which each trial touches a part that none has touched */
    size_t trials_done;
};

/* Reserves memory that the kernel has handed out before: an earlier touch of as much pays what a
 * guest's host, or the kernel's zeroing at boot, adds. */
static int open_anonymous(struct rk_context *c)
{
    const struct anonymous_kind *const kind = rk_variant(c);
    struct anonymous *const state = rk_state(c);
    const size_t page = kind->huge ? rk_huge_page() : rk_small_page();
    const size_t size = bytes_of(rk_trials(c), rk_integer(c, "touches"), page);
    int status = rk_map(c, &state->region, size, kind->huge);
    if (status)
        return status;
    rk_unmap(&state->region);
    if (kind->idles) {
        const int64_t idle_ms = rk_integer(c, "idle_ms");
        const struct timespec rest = {idle_ms / 1000, idle_ms % 1000 * 1000000};
        nanosleep(&rest, NULL);
    }
    status = rk_require_room(c, size);
    return status ? status : rk_reserve(c, &state->region, size, kind->huge);
}

/* Touches each of `touches` pages once, in rising order; faults are counted outside the timing. */
static struct rk_sample touch(volatile char *at, size_t step, int64_t touches)
{
    const struct fault_count before = faults_now();
    const uint64_t begin = rk_begin();
    for (int64_t i = 0; i < touches; i++, at += step)
        *at = 1;
    const uint64_t end = rk_end();
    return (struct rk_sample){(int64_t)(end - begin), (uint64_t)faults_since(before).minor};
}

static int time_anonymous(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct anonymous_kind *const kind = rk_variant(c);
    struct anonymous *const state = rk_state(c);
    const int64_t touches = rk_integer(c, "touches");
    const size_t page = kind->huge ? rk_huge_page() : rk_small_page();
    for (size_t i = 0; i < n; i++, state->trials_done++) {
        char *const first = state->region.start + state->trials_done * (size_t)touches * page;
        out[i] = touch(first, page, touches);
        if (!out[i].ops)
            return rk_failed(c, "touching new pages raised no fault", EIO);
    }
    return kind->huge ? rk_require_huge(c, &state->region) : 0;
}

static int close_anonymous(struct rk_context *c)
{
    rk_unmap(&((struct anonymous *)rk_state(c))->region);
    return 0;
}

/* --- pages of files --- */

struct file_pages {
    struct mapped file;
    uint32_t *order;     /* in which single pages are touched; NULL: in rising order */
    size_t trials_begun; /* one more than the samples where a trial gave no sample */
};

static int close_file(struct rk_context *c)
{
    struct file_pages *const state = rk_state(c);
    unmap_file(&state->file);
    free(state->order);
    return 0;
}

/* How often a trial is repeated whose pages had left the page cache: a machine that is short of
 * memory takes them away at any time, and a read of the disk is no sample of this probe. */
#define MINOR_TRIES 4

static int open_minor(struct rk_context *c)
{
    struct file_pages *const state = rk_state(c);
    const size_t step = (size_t)rk_integer(c, "step_bytes");
    const size_t size = bytes_of(rk_trials(c), rk_integer(c, "touches"), step);
    return make_file(c, &state->file, rk_scratch_dir(c),
                     &(const struct mapping){size, .protection = PROT_READ, .advice = MADV_NORMAL});
}

/* One trial: `touches` reads of pages that lie in the page cache, `step` bytes apart. Returns how
 * many the kernel counted as major faults; then those pages are read in and unmapped again. */
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
            break; /* the next trial finds its pages missing */
    (void)madvise(file->region.start + offset, length, MADV_DONTNEED);
    return counted.major;
}

static int time_minor(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct file_pages *const state = rk_state(c);
    const int64_t touches = rk_integer(c, "touches");
    const size_t step = (size_t)rk_integer(c, "step_bytes");
    for (size_t i = 0; i < n; i++, state->trials_begun++) {
        const size_t offset = state->trials_begun * (size_t)touches * step;
        int tries = 0;
        while (tries < MINOR_TRIES && touch_cached(&state->file, offset, touches, step, &out[i]))
            tries++;
        if (tries == MINOR_TRIES)
            return rk_unsupported(c, "the file's pages do not stay in the page cache");
        if (!out[i].ops)
            return rk_unsupported(c, "the kernel maps the file's pages ahead, so touching them "
                                     "raises no fault");
    }
    return 0;
}

static uint32_t file_pages(struct rk_context *c)
{
    return (uint32_t)((size_t)rk_integer(c, "size_bytes") / rk_small_page());
}

static int open_major(struct rk_context *c)
{
    struct file_pages *const state = rk_state(c);
    const uint32_t pages = file_pages(c);
    const size_t size = pages * rk_small_page();
    uint64_t random = rk_begin();
    state->file.fd = -1;
    if (pages < 4 * rk_trials(c))
        return rk_unsupported(c, "the file needs four pages for each sample");
    state->order = malloc(pages * sizeof *state->order);
    if (!state->order)
        return rk_failed(c, "malloc", ENOMEM);
    rk_rising_order(state->order, pages);
    rk_shuffle(state->order, pages, &random);
    return make_file(c, &state->file, rk_scratch_dir(c),
                     &(const struct mapping){size, .cold = 1, .protection = PROT_READ,
                                             .advice = MADV_RANDOM});
}

/* Each sample is one touch of a random page that the kernel counted as a major fault. Where a
 * touch found the page there, the next page is taken; that is no fault, so no sample. */
static int time_major(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct file_pages *const state = rk_state(c);
    const size_t page = rk_small_page(), pages = file_pages(c);
    for (size_t samples = 0; samples < n; state->trials_begun++) {
        if (state->trials_begun == pages)
            return rk_unsupported(c, "the file's pages stay in memory, so touching them needs no "
                                     "disk");
        const volatile char *const at =
            state->file.region.start + state->order[state->trials_begun] * page;
        const struct fault_count before = faults_now();
        const uint64_t begin = rk_begin();
        (void)*at;
        const uint64_t end = rk_end();
        const int64_t major = faults_since(before).major;
        if (major)
            out[samples++] = (struct rk_sample){(int64_t)(end - begin), (uint64_t)major};
    }
    return 0;
}

#define TOUCHES(default_) RK_INTEGER("touches", default_, 1, 1 << 24, "pages touched in a trial")
#define ANONYMOUS(...)                                                                             \
    RK_STAGES(struct anonymous, open_anonymous, time_anonymous, close_anonymous),                  \
        RK_VARIANT(struct anonymous_kind, __VA_ARGS__)

RK_PROBE("memory/fault/anonymous", .op = "fault",
         .timed = "a byte written into each new small page, `touches` in a trial, after they were "
                  "touched, given back and mapped again; by the faults counted",
         .params = RK_PARAMS(TOUCHES(64)), ANONYMOUS(.huge = 0));
RK_PROBE("memory/fault/huge", .op = "fault",
         .timed = "a byte written into each new huge page, `touches` in a trial, likewise; by the "
                  "faults counted",
         .params = RK_PARAMS(TOUCHES(1)), ANONYMOUS(.huge = 1));
RK_PROBE("memory/fault/cold", .op = "fault",
         .timed = "a byte written into each new small page, `touches` in a trial, after the free "
                  "memory was left alone for `idle_ms`, so that a host may have taken it back; by "
                  "the faults counted",
         .params = RK_PARAMS(TOUCHES(64),
                             RK_INTEGER("idle_ms", 2500, 0, 60000, "how long it is left alone")),
         ANONYMOUS(.idles = 1));
RK_PROBE("memory/fault/minor", .op = "fault",
         .timed = "a byte read every `step_bytes` of a mapped file that is in the page cache; by "
                  "the faults counted, of which each may map several pages",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(TOUCHES(64),
                             RK_INTEGER("step_bytes", 65536, 1, 1 << 30,
                                        "from one touch to the next"),
                             RK_DIR),
         RK_STAGES(struct file_pages, open_minor, time_minor, close_file));
RK_PROBE("memory/fault/major", .op = "fault",
         .timed = "a byte read of a random page of a mapped file that is not in the page cache, "
                  "with the advice that reads are random; each touch alone; touches that found "
                  "their page are left out",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_INTEGER("size_bytes", 64 << 20, 4096, (int64_t)1 << 40, "the file"),
                             RK_DIR),
         RK_STAGES(struct file_pages, open_major, time_major, close_file));

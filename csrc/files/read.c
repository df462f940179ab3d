/* files/read: what reading one block of a file costs, by the order and by the method. Each block is
 * read into the same buffer; a short read fails the probe. */
#include "files/support/blocks.h"
#include "probe/kernel_files.h"

/* --- one block, alone --- */

static int time_one(struct rk_context *c, const struct rk_blocks *b, uint32_t first,
                    uint32_t blocks, struct rk_sample *out)
{
    const uint64_t begin = rk_begin();
    const int status = rk_read_span(b, first, blocks);
    const uint64_t end = rk_end();
    *out = (struct rk_sample){(int64_t)(end - begin), blocks};
    return status ? rk_read_failed(c, status) : 0;
}

/* --- the page cache --- */

/* Advises the kernel on the order in which the file will be read (posix_fadvise(2)). A status. */
static int advise(struct rk_context *c, const struct rk_blocks *b, const char *advice)
{
    static const struct {
        const char *name;
        int value;
    } known[] = {{"normal", POSIX_FADV_NORMAL},
                 {"random", POSIX_FADV_RANDOM},
                 {"sequential", POSIX_FADV_SEQUENTIAL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(advice, known[i].name) == 0) {
            const int error = posix_fadvise(b->fd, 0, 0, known[i].value);
            return error ? rk_failed(c, "posix_fadvise", error) : 0;
        }
    return rk_unsupported(c, "the advice is normal, random or sequential");
}

/* Empties the page cache of the whole machine (proc_sys_vm(5)). It drops clean pages alone, and the
 * file's are clean. */
static int drop_caches(struct rk_context *c)
{
    const int error = -rk_write_text("/proc/sys/vm/drop_caches", "1");
    return error ? rk_unsupported(c,
                                  "needs root to drop the page cache (/proc/sys/vm/drop_caches: "
                                  "%s)",
                                  strerror(error))
                 : 0;
}

/* Drops the file from the page cache, also after the warm-up has read it. A status. */
static int drop_file(struct rk_context *c)
{
    return rk_blocks_cold(c, rk_state(c));
}

/* The same by emptying the page cache, which holds the whole file before. */
static int drop_everything(struct rk_context *c)
{
    const struct rk_blocks *const b = rk_state(c);
    int status = rk_read_span(b, 0, b->count);
    status = status ? rk_read_failed(c, status) : drop_caches(c);
    return status ? status : rk_require_cold(c, b);
}

/* The variant of a probe that reads through the page cache. */
struct buffered {
    int (*drop)(struct rk_context *);
    const char *advice; /* NULL: the parameter "advice" */
};

static int make_cold(struct rk_context *c)
{
    const struct buffered *const buffered = rk_variant(c);
    if (!buffered)
        return 0;
    const int status = buffered->drop(c);
    const char *const advice = buffered->advice;
    return status ? status : advise(c, rk_state(c), advice ? advice : rk_text(c, "advice"));
}

/* --- the orders --- */

/* n blocks, none twice, in a new random order. */
static int run_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct rk_blocks *const b = rk_state(c);
    if (n > b->count)
        return rk_unsupported(c, "no block is read twice, and the file has only %u", b->count);
    int status = make_cold(c);
    rk_blocks_shuffle(b);
    for (size_t i = 0; i < n && !status; i++)
        status = time_one(c, b, b->order[i], 1, &out[i]);
    return status;
}

/* n samples of `blocks` blocks, each where the last one ended. At the end of the file it begins
 * again at the start, cold again. */
static int run_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_blocks *const b = rk_state(c);
    const uint32_t blocks = rk_at_most(rk_integer(c, "blocks"), b);
    uint32_t at = 0;
    int status = make_cold(c);
    for (size_t i = 0; i < n && !status; i++, at += blocks) {
        if (at + (uint64_t)blocks > b->count) {
            at = 0;
            status = make_cold(c);
        }
        status = status ? status : time_one(c, b, at, blocks, &out[i]);
    }
    return status;
}

/* --- without the disk --- */

static int open_cached(struct rk_context *c)
{
    struct rk_blocks *const b = rk_state(c);
    int status = rk_open_buffered(c);
    if (status)
        return status;
    status = rk_read_span(b, 0, b->count);
    return status ? rk_read_failed(c, status) : 0;
}

static int run_cached(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct rk_blocks *const b = rk_state(c);
    if (rk_cached_share(b->fd, rk_blocks_bytes(b)) < 0.95)
        return rk_unsupported(c, "the file does not stay in the page cache");
    rk_blocks_shuffle(b);
    int status = 0;
    for (size_t i = 0; i < n && !status; i++)
        status = time_one(c, b, b->order[i % b->count], 1, &out[i]);
    return status;
}

#define PLACES 1024u /* a power of two */

struct seeks {
    int fd;
    off_t places[PLACES];
};

static int open_seeks(struct rk_context *c)
{
    struct seeks *const state = rk_state(c);
    uint64_t random = rk_begin();
    for (size_t i = 0; i < PLACES; i++)
        state->places[i] = (off_t)(rk_next_random(&random) % rk_file_bytes(c));
    return rk_open_file(c, 0);
}

static int run_lseek(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t calls = rk_integer(c, "calls");
    const struct seeks *const state = rk_state(c);
    const off_t *const places = state->places;
    const int fd = state->fd;
    uint64_t wrong = 0;
    RK_TIME_TRIALS(out, n, calls, {
        const off_t place = places[(uint64_t)rep_ % PLACES];
        wrong += lseek(fd, place, SEEK_SET) != place;
    });
    return wrong ? rk_failed(c, "lseek", EIO) : 0;
}

static int run_lseek_current(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t calls = rk_integer(c, "calls"), step = 4096;
    const int fd = ((const struct seeks *)rk_state(c))->fd;
    uint64_t wrong = 0;
    off_t place = 0;
    lseek(fd, 0, SEEK_SET);
    RK_TIME_TRIALS(out, n, calls, { /* back and forth, so that it never passes the end */
                                    const off_t by = rep_ % 2 ? -step : step;
                                    place += by;
                                    wrong += lseek(fd, by, SEEK_CUR) != place;
    });
    return wrong ? rk_failed(c, "lseek", EIO) : 0;
}

/* --- mbp2016, compiled at -O2 --- */

static int open_halves(struct rk_context *c)
{
    struct rk_blocks *const b = rk_state(c);
    const int status = rk_open_direct(c);
    if (status)
        return status;
    const uint32_t half = b->count / 2;
    for (uint32_t i = 0; i < 2 * half; i++)
        b->order[i] = i / 2 + (i % 2) * half;
    return 0;
}

/* Past the page cache, each sample `blocks` reads: in order, or from both halves in turn. */
static int time_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n, int halves)
{
    const struct rk_blocks b = *(const struct rk_blocks *)rk_state(c);
    const uint32_t blocks = rk_at_most(rk_integer(c, "blocks"), &b);
    uint32_t at = 0;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++, at += blocks) {
        at = at + (uint64_t)blocks > b.count ? 0 : at;
        status = rk_seek(&b, at);
        const uint64_t begin = rk_begin();
        for (uint32_t k = 0; k < blocks && !status; k++)
            status = halves ? rk_seek_and_read(&b, b.order[at + k]) : rk_read_next(&b);
        const uint64_t end = rk_end();
        out[i] = (struct rk_sample){(int64_t)(end - begin), blocks};
    }
    return status ? rk_read_failed(c, status) : 0;
}

static int run_mbp2016_sequential(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_mbp2016(c, out, n, 0);
}

static int run_mbp2016_random(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_mbp2016(c, out, n, 1);
}

/* A disk that has answered a moment ago may answer the next requests sooner: in a guest, random
 * reads that began 250 ms after the file was open took 1.3 times as long as those that began at
 * once, and stayed so for a thousand reads. */
static int open_after_pause(struct rk_context *c)
{
    const int64_t pause_ms = rk_integer(c, "pause_ms");
    const struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};
    const int status = rk_open_direct(c);
    if (!status && pause_ms)
        nanosleep(&pause, NULL);
    return status;
}

#define FILE_OF RK_FILE(8 << 20), RK_BLOCK(4096), RK_DIR
#define SPAN(default_, help) RK_INTEGER("blocks", default_, 1, 1 << 30, help)
#define BLOCKS(open_, trials_) RK_STAGES(struct rk_blocks, open_, trials_, rk_close_blocks)
#define CALLS                                                                                      \
    RK_PARAMS(RK_FILE(1 << 20), RK_DIR, RK_INTEGER("calls", 1000, 1, 1 << 30, "calls in a trial"))
#define MBP2016 RK_PARAMS(FILE_OF, SPAN(64, "in a trial; the report: the file"))

RK_PROBE("files/read/direct_random", .op = "block",
         .timed = "one pread of a block with O_DIRECT; the blocks in random order, none twice",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(FILE_OF, RK_INTEGER("pause_ms", 0, 0, 10000,
                                                 "between opening the file and the first read")),
         BLOCKS(open_after_pause, run_random));
RK_PROBE("files/read/direct_sequential", .op = "block",
         .timed = "`blocks` preads with O_DIRECT, from the start of the file on",
         .needs = RK_NEEDS_DISK, .params = RK_PARAMS(FILE_OF, SPAN(1, "in a trial")),
         BLOCKS(rk_open_direct, run_sequential));
RK_PROBE("files/read/buffered_random", .op = "block",
         .timed = "one pread of a block that the page cache does not have, with the advice that "
                  "reads are random; the blocks in random order, none twice",
         .needs = RK_NEEDS_DISK, .params = RK_PARAMS(FILE_OF), BLOCKS(rk_open_buffered, run_random),
         RK_VARIANT(struct buffered, .drop = drop_file, .advice = "random"));
RK_PROBE("files/read/buffered_sequential", .op = "block",
         .timed = "`blocks` preads from the start of a file on that the page cache does not have, "
                  "after the advice about the order that `advice` names",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(FILE_OF, SPAN(256, "in a trial"),
                             RK_TEXT("advice", "normal",
                                     "the advice about the order: normal, random or sequential")),
         BLOCKS(rk_open_buffered, run_sequential), RK_VARIANT(struct buffered, .drop = drop_file));
RK_PROBE("files/read/dropped_random", .op = "block",
         .timed = "one pread of a block after all of the page cache was dropped, with the advice "
                  "that reads are random; the blocks in random order, none twice",
         .needs = RK_NEEDS_DISK, .params = RK_PARAMS(FILE_OF), BLOCKS(rk_open_buffered, run_random),
         RK_VARIANT(struct buffered, .drop = drop_everything, .advice = "random"));
RK_PROBE("files/read/dropped_sequential", .op = "block",
         .timed = "`blocks` preads from the start of a file on, after all of the page cache was "
                  "dropped",
         .needs = RK_NEEDS_DISK, .params = RK_PARAMS(FILE_OF, SPAN(256, "in a trial")),
         BLOCKS(rk_open_buffered, run_sequential),
         RK_VARIANT(struct buffered, .drop = drop_everything, .advice = "normal"));
RK_PROBE("files/read/cached", .op = "block",
         .timed = "one pread of a block that the page cache has, in random order",
         .needs = RK_NEEDS_DISK, .params = RK_PARAMS(FILE_OF), BLOCKS(open_cached, run_cached));
RK_PROBE("files/read/lseek", .op = "call",
         .timed = "one lseek to a random place of the file (SEEK_SET)", .needs = RK_NEEDS_DISK,
         .params = CALLS, RK_STAGES(struct seeks, open_seeks, run_lseek, rk_close_file));
RK_PROBE("files/read/lseek_current", .op = "call",
         .timed = "one lseek a block forward or back (SEEK_CUR)", .needs = RK_NEEDS_DISK,
         .params = CALLS, RK_STAGES(struct seeks, open_seeks, run_lseek_current, rk_close_file));
RK_PROBE("files/read/mbp2016_sequential", .op = "block", .reports = "mbp2016",
         .timed = "`blocks` reads with O_DIRECT, in order", .needs = RK_NEEDS_DISK,
         .params = MBP2016, BLOCKS(rk_open_direct, run_mbp2016_sequential));
RK_PROBE("files/read/mbp2016_random", .op = "block", .reports = "mbp2016",
         .timed = "`blocks` times lseek and read with O_DIRECT, from both halves of the file in "
                  "turn",
         .needs = RK_NEEDS_DISK, .params = MBP2016, BLOCKS(open_halves, run_mbp2016_random));

/* files/contention: processes that read different files of the same disk at the same time, past the
 * page cache, blocks in random order, each at most once. A barrier starts each trial. */
#include <pthread.h>

#include "files/support/barrier.h"

/* What a trial that began at `begin` says: of the whole, or of reader `i`. */
typedef struct rk_sample (*take)(const struct readers *, uint64_t begin, int i);

static struct rk_sample take_slowest(const struct readers *r, uint64_t begin, int unused)
{
    uint64_t end = begin;
    (void)unused;
    for (int i = 0; i < r->count; i++)
        if (r->shared->reader[i].end > end)
            end = r->shared->reader[i].end;
    return (struct rk_sample){(int64_t)(end - begin), r->blocks};
}

static struct rk_sample take_one(const struct readers *r, uint64_t begin, int i)
{
    (void)begin;
    return (struct rk_sample){(int64_t)(r->shared->reader[i].end - r->shared->reader[i].begin),
                              r->blocks};
}

static struct rk_sample take_together(const struct readers *r, uint64_t begin, int unused)
{
    (void)unused;
    return (struct rk_sample){(int64_t)(r->shared->first_end - begin), r->shared->first_blocks};
}

static struct rk_sample take_start(const struct readers *r, uint64_t begin, int unused)
{
    uint64_t last = begin;
    (void)unused;
    for (int i = 0; i < r->count; i++)
        if (r->shared->reader[i].begin > last)
            last = r->shared->reader[i].begin;
    return (struct rk_sample){(int64_t)(last - begin), 1};
}

/* In ns; run_work() makes them ticks. */
static struct rk_sample take_work(const struct readers *r, uint64_t begin, int unused)
{
    uint64_t ns = 0;
    (void)begin, (void)unused;
    for (int i = 0; i < r->count; i++)
        ns += r->shared->reader[i].cpu_ns;
    return (struct rk_sample){(int64_t)ns, (uint64_t)r->count * r->blocks};
}

/* n samples: one of each trial, or one of each reader in turn. Where fewer are asked than there are
 * readers, of readers evenly spread, because the first to be woken has the disk to itself. */
static int time_trials(struct rk_context *c, struct rk_sample *out, size_t n, take taken,
                       int of_each)
{
    struct readers r;
    const size_t count = (size_t)rk_integer(c, "files"), a_trial = of_each ? count : 1;
    const size_t trials = (n + a_trial - 1) / a_trial;
    int status = barrier_open(c, &r, trials);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++) {
        const size_t trial = i / a_trial, reader = n < count ? i * count / n : i % count;
        uint64_t begin = 0;
        if (i % a_trial == 0)
            status = barrier_trial(c, &r, (uint32_t)trial, &begin);
        if (!status)
            out[i] = taken(&r, begin, (int)reader);
    }
    return readers_end(&r, status);
}

static int run_slowest(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_trials(c, out, n, take_slowest, 0);
}

static int run_each(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_trials(c, out, n, take_one, 1);
}

static int run_together(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_trials(c, out, n, take_together, 0);
}

static int run_start(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return time_trials(c, out, n, take_start, 0);
}

static int run_work(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_stamp before = rk_stamp_now();
    const int status = time_trials(c, out, n, take_work, 0);
    const struct rk_stamp after = rk_stamp_now();
    const double ticks = (double)(after.ticks - before.ticks) / (double)(after.ns - before.ns);
    for (size_t i = 0; i < n && !status; i++)
        out[i].ticks = (int64_t)((double)out[i].ticks * ticks);
    return status;
}

/* --- mbp2016: threads on the same file --- */

struct same_file {
    const char *path;
    uint32_t blocks;
    size_t block_bytes;
    char *buffer;
    int status;
};

/* Opens the file by itself, or all would share one offset, and reads it from its beginning. */
static void *read_same(void *argument)
{
    struct same_file *const me = argument;
    struct rk_blocks file = {.buffer = me->buffer, .block_bytes = me->block_bytes};
    file.fd = open(me->path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    me->status = file.fd < 0 ? -errno : 0;
    for (uint32_t i = 0; i < me->blocks && !me->status; i++)
        me->status = rk_read_block(&file, i);
    if (file.fd >= 0)
        close(file.fd);
    return NULL;
}

/* One trial: from before the first thread is made until the last has been joined. */
static int time_threads(struct rk_context *c, struct rk_sample *out, struct same_file *threads,
                        int count, const pthread_attr_t *attr)
{
    pthread_t thread[READERS_MOST];
    int started = 0, error = 0, status = 0;
    const uint64_t begin = rk_begin();
    for (; started < count && !error; started += !error)
        error = pthread_create(&thread[started], attr, read_same, &threads[started]);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    const uint64_t end = rk_end();
    *out = (struct rk_sample){(int64_t)(end - begin), threads[0].blocks};
    for (int i = 0; i < started && !status; i++)
        if (threads[i].status)
            status = rk_read_trouble(c, threads[i].status);
    return error ? rk_refused(c, "pthread_create", error) : status;
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int count = (int)rk_integer(c, "threads");
    const size_t block = (size_t)rk_integer(c, "block_bytes");
    struct same_file threads[READERS_MOST];
    struct rk_blocks file;
    pthread_attr_t attr;
    cpu_set_t cpus;
    char path[64], *buffers = NULL;
    int status = rk_blocks_open(c, &file, 0, (size_t)rk_integer(c, "file_bytes"), block, O_DIRECT);
    if (status)
        return status;
    const int64_t asked = rk_integer(c, "blocks");
    const uint32_t blocks = asked < file.count ? (uint32_t)asked : file.count;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file.fd);
    const size_t room = (block + rk_small_page() - 1) / rk_small_page() * rk_small_page();
    if (posix_memalign((void **)&buffers, rk_small_page(), room * (size_t)count)) {
        buffers = NULL;
        status = rk_failed(c, "malloc", ENOMEM);
    } else {
        memset(buffers, 1, room * (size_t)count);
    }
    for (int i = 0; i < count; i++)
        threads[i] = (struct same_file){path, blocks, block, buffers + room * (size_t)i, 0};
    all_cpus(&cpus);
    pthread_attr_init(&attr);
    pthread_attr_setaffinity_np(&attr, sizeof cpus, &cpus);
    for (size_t i = 0; i < n && !status; i++)
        status = time_threads(c, &out[i], threads, count, &attr);
    pthread_attr_destroy(&attr);
    free(buffers);
    rk_blocks_close(&file);
    return status;
}

#define ROW(id, what)                                                                              \
    RK_PROBE(id, .name = "files/contention/" #id, .op = "block", .timed = what,                    \
             .needs = RK_NEEDS_DISK, .trials = run_##id,                                           \
             .params = RK_PARAMS(READERS(2), READS(32), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR))
#define READ_BY                                                                                    \
    "`files` processes, each from a file of its own, past the page cache, in random order, "       \
    "on all CPUs that this process might use"

ROW(slowest,
    "from the barrier until the slowest reader has read its `blocks` blocks; read by " READ_BY);
ROW(each, "from just before a reader's first read to just after its last of `blocks` blocks; read "
          "by " READ_BY);
ROW(together,
    "from the barrier until the first reader is done; blocks that all have read by then; read "
    "by " READ_BY);
ROW(work, "the time that all readers ran on a CPU meanwhile, by the kernel's account of each "
          "process; the "
          "interrupts that the disk raises are not in it; read by " READ_BY);
RK_PROBE(start, .name = "files/contention/start", .op = "start",
         .timed = "from the barrier until the last reader begins to read", .needs = RK_NEEDS_DISK,
         .trials = run_start,
         .params = RK_PARAMS(READERS(2), READS(4), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR));
RK_PROBE(
    mbp2016, .name = "files/contention/mbp2016", .op = "block", .reports = "mbp2016",
    .timed = "from before `threads` threads are created until the last has been joined; each opens "
             "the same file past the page cache and reads its first `blocks` blocks; by the blocks "
             "of one thread",
    .needs = RK_NEEDS_DISK, .trials = run_mbp2016,
    .params = RK_PARAMS(RK_COUNT("threads", 2, 1, READERS_MOST, "threads that read the same file"),
                        READS(64), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR));

/* files/contention: processes that read different files of the same disk at the same time, past the
 * page cache, blocks in random order, each at most once. A barrier starts each trial. */
#include <pthread.h>

#include "files/support/barrier.h"
#include "probe/cpus.h"

/* The sample of a trial that began at `begin`: of all readers, or of reader `i`. */
typedef struct rk_sample (*sampler)(const struct readers *, uint64_t begin, int i);

/* How the probes that share time_trials() differ. */
struct reading {
    sampler sample;
    int of_each; /* 1: each reader of a trial gives a sample */
};

static struct rk_sample sample_slowest(const struct readers *r, uint64_t begin, int unused)
{
    uint64_t end = begin;
    (void)unused;
    for (int i = 0; i < r->count; i++)
        if (r->shared->reader[i].end > end)
            end = r->shared->reader[i].end;
    return (struct rk_sample){(int64_t)(end - begin), r->blocks};
}

static struct rk_sample sample_reader(const struct readers *r, uint64_t begin, int i)
{
    (void)begin;
    return (struct rk_sample){(int64_t)(r->shared->reader[i].end - r->shared->reader[i].begin),
                              r->blocks};
}

static struct rk_sample sample_together(const struct readers *r, uint64_t begin, int unused)
{
    (void)unused;
    return (struct rk_sample){(int64_t)(r->shared->first_end - begin), r->shared->first_blocks};
}

static struct rk_sample sample_start(const struct readers *r, uint64_t begin, int unused)
{
    uint64_t last = begin;
    (void)unused;
    for (int i = 0; i < r->count; i++)
        if (r->shared->reader[i].begin > last)
            last = r->shared->reader[i].begin;
    return (struct rk_sample){(int64_t)(last - begin), 1};
}

/* In ns; run_work() makes them ticks. */
static struct rk_sample sample_work(const struct readers *r, uint64_t begin, int unused)
{
    uint64_t ns = 0;
    (void)begin, (void)unused;
    for (int i = 0; i < r->count; i++)
        ns += r->shared->reader[i].cpu_ns;
    return (struct rk_sample){(int64_t)ns, (uint64_t)r->count * r->blocks};
}

/* n samples: one of each trial, or one of each reader in turn. If there are fewer samples than
 * readers, they are of evenly spread readers, because the first to be woken has the disk to
 * itself. */
static int time_trials(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct reading *const reading = rk_variant(c);
    struct readers *const r = rk_state(c);
    const size_t count = (size_t)r->count, per_trial = reading->of_each ? count : 1;
    int status = barrier_check(c, r, (n + per_trial - 1) / per_trial);
    uint64_t begin = 0;
    for (size_t i = 0; i < n && !status; i++) {
        const size_t reader = n < count ? i * count / n : i % count;
        if (i % per_trial == 0)
            status = barrier_trial(c, r, &begin);
        if (!status)
            out[i] = reading->sample(r, begin, (int)reader);
    }
    return status;
}

static int run_work(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_stamp before = rk_stamp_now();
    const int status = time_trials(c, out, n);
    if (!status)
        rk_ns_to_ticks(out, n, &before);
    return status;
}

/* --- mbp2016: threads on the same file --- */

struct same_file_reader {
    const char *path;
    uint32_t blocks;
    size_t block_bytes;
    char *buffer;
    int status;
};

struct same_file {
    struct rk_blocks file;
    char path[64], *buffers;
    int count;
    struct same_file_reader reader[READERS_MAX];
    pthread_attr_t attr;
};

/* Reads from the file's beginning; opens it again, because the threads would share its offset. */
static void *read_same(void *argument)
{
    struct same_file_reader *const self = argument;
    struct rk_blocks file = {.buffer = self->buffer, .block_bytes = self->block_bytes};
    file.fd = open(self->path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    self->status = file.fd < 0 ? -errno : 0;
    for (uint32_t i = 0; i < self->blocks && !self->status; i++)
        self->status = rk_read_block(&file, i);
    if (file.fd >= 0)
        close(file.fd);
    return NULL;
}

/* One trial: from before the first thread is created until the last has been joined. */
static int time_threads(struct rk_context *c, struct rk_sample *out, struct same_file *all)
{
    pthread_t thread[READERS_MAX];
    int started = 0, error = 0, status = 0;
    const uint64_t begin = rk_begin();
    for (; started < all->count && !error; started += !error) /* timed: kept as it compiles */
        error = pthread_create(&thread[started], &all->attr, read_same, &all->reader[started]);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    const uint64_t end = rk_end();
    *out = (struct rk_sample){(int64_t)(end - begin), all->reader[0].blocks};
    for (int i = 0; i < started && !status; i++)
        if (all->reader[i].status)
            status = rk_read_failed(c, all->reader[i].status);
    return error ? rk_refused(c, "pthread_create", error) : status;
}

static int open_mbp2016(struct rk_context *c)
{
    struct same_file *const all = rk_state(c);
    const size_t block_bytes = rk_block_bytes(c), room = rk_whole_pages(block_bytes, 0);
    const struct rk_cpu_mask cpus = rk_cpu_set();
    pthread_attr_init(&all->attr);
    pthread_attr_setaffinity_np(&all->attr, sizeof cpus, cpus.part);
    const int status = rk_blocks_open(c, &all->file, 0, block_bytes, O_DIRECT);
    if (status)
        return status;
    const uint32_t blocks = rk_at_most(rk_integer(c, "blocks"), &all->file);
    snprintf(all->path, sizeof all->path, "/proc/self/fd/%d", all->file.fd);
    all->count = (int)rk_integer(c, "threads");
    all->buffers = aligned_alloc(rk_small_page(), room * (size_t)all->count);
    if (!all->buffers)
        return rk_failed(c, "malloc", ENOMEM);
    memset(all->buffers, 1, room * (size_t)all->count);
    for (int i = 0; i < all->count; i++)
        all->reader[i] = (struct same_file_reader){all->path, blocks, block_bytes,
                                                   all->buffers + room * (size_t)i, 0};
    return 0;
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int status = 0;
    for (size_t i = 0; i < n && !status; i++)
        status = time_threads(c, &out[i], rk_state(c));
    return status;
}

static int close_mbp2016(struct rk_context *c)
{
    struct same_file *const all = rk_state(c);
    pthread_attr_destroy(&all->attr);
    free(all->buffers);
    rk_blocks_close(&all->file);
    return 0;
}

#define OF_READERS(trials_, ...)                                                                   \
    RK_STAGES(struct readers, barrier_open, trials_, readers_close),                               \
        RK_VARIANT(struct reading, __VA_ARGS__)
#define DEFAULTS RK_PARAMS(READERS(2), READS(32), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR)

RK_PROBE("files/contention/slowest", .op = "block",
         .timed = "from the barrier until the slowest reader has read its `blocks` blocks; read by "
                  "`files` processes, each from a file of its own, past the page cache, in random "
                  "order, on all CPUs that this process might use",
         .needs = RK_NEEDS_DISK | RK_NEEDS_COMMON_COUNTER, .params = DEFAULTS,
         OF_READERS(time_trials, .sample = sample_slowest));
RK_PROBE("files/contention/each", .op = "block",
         .timed = "from just before a reader's first read to just after its last of `blocks` "
                  "blocks; read by `files` processes, each from a file of its own, past the page "
                  "cache, in random order, on all CPUs that this process might use",
         .needs = RK_NEEDS_DISK, .params = DEFAULTS,
         OF_READERS(time_trials, .sample = sample_reader, .of_each = 1));
RK_PROBE("files/contention/together", .op = "block",
         .timed = "from the barrier until the first reader is done; blocks that all have read by "
                  "then; read by `files` processes, each from a file of its own, past the page "
                  "cache, in random order, on all CPUs that this process might use",
         .needs = RK_NEEDS_DISK | RK_NEEDS_COMMON_COUNTER, .params = DEFAULTS,
         OF_READERS(time_trials, .sample = sample_together));
RK_PROBE("files/contention/work", .op = "block",
         .timed = "the time that all readers ran on a CPU during the trial, by the kernel's "
                  "account of each process; the interrupts that the disk raises are not in it; "
                  "read by `files` processes, each from a file of its own, past the page cache, in "
                  "random order, on all CPUs that this process might use",
         .needs = RK_NEEDS_DISK, .params = DEFAULTS, OF_READERS(run_work, .sample = sample_work));
RK_PROBE("files/contention/start", .op = "start",
         .timed = "from the barrier until the last reader begins to read",
         .needs = RK_NEEDS_DISK | RK_NEEDS_COMMON_COUNTER,
         .params = RK_PARAMS(READERS(2), READS(4), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR),
         OF_READERS(time_trials, .sample = sample_start));
RK_PROBE("files/contention/mbp2016", .op = "block", .reports = "mbp2016",
         .timed = "from before `threads` threads are created until the last has been joined; each "
                  "opens the same file past the page cache and reads its first `blocks` blocks; by "
                  "the blocks of one thread",
         .needs = RK_NEEDS_DISK,
         .params = RK_PARAMS(RK_INTEGER("threads", 2, 1, READERS_MAX,
                                        "threads that read the same file"),
                             READS(64), RK_BLOCK(4096), RK_FILE(8 << 20), RK_DIR),
         RK_STAGES(struct same_file, open_mbp2016, run_mbp2016, close_mbp2016));

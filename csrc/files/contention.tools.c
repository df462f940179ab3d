/* files/contention as fio measures it: several jobs, each with its own file. */
#include "files/support/fio.h"
#include "files/support/readers.h"

#define SPAN_MAX_MS 10000 /* a trial: a longer one only averages more */

struct fio_readers {
    struct readers readers; /* their files; fio starts the readers */
    struct fio_job job;
};

static void write_job(struct rk_context *c, struct fio_job *job, const struct readers *r)
{
    int cpus[RK_CPUS_MAX];
    const int count = rk_cpus(cpus, RK_CPUS_MAX);
    fio_begin(c, job);
    fio_add(job, "group_reporting\ntime_based\nruntime=%lldms\ncpus_allowed=",
            (long long)rk_integer(c, "span_ms"));
    for (int i = 0; i < count; i++)
        fio_add(job, "%s%d", i ? "," : "", cpus[i]);
    for (int i = 0; i < r->count; i++)
        fio_add(job, "\n[reader%d]\nfilename=/proc/self/fd/%d\n", i, r->file[i].fd);
}

/* The sample: the reads of all jobs, over the time of the longest. */
static int read_report(struct rk_context *c, const struct rk_tool *fio, struct rk_sample *out)
{
    const double elapsed_ms = (double)(rk_monotonic_ns() - fio->begin.ns) / 1e6;
    const char *const group = strstr(fio->text, "\"jobs\" : [");
    const char *const reads = group ? strstr(group, "\"read\" : {") : NULL;
    double error, reads_done, took_ms;
    if (!fio_number(group, "error", &error) || !fio_number(reads, "total_ios", &reads_done) ||
        !fio_number(reads, "runtime", &took_ms))
        return rk_error(c, EPROTO, "fio did not print its number of reads");
    if (error != 0 || reads_done < 1 || took_ms < 1 || took_ms > elapsed_ms)
        return rk_error(c, EPROTO,
                        "fio printed error %g, and %g reads in %g ms, which is impossible", error,
                        reads_done, took_ms);
    const int64_t ticks = rk_ticks(took_ms * 1e6, rk_ticks_per_ns(&fio->begin));
    *out = (struct rk_sample){ticks, (uint64_t)reads_done};
    return 0;
}

/* One run of fio. */
static int time_fio(struct rk_context *c, const struct fio_job *job, struct rk_sample *out)
{
    struct rk_tool fio;
    int status = fio_run(c, &fio, job, rk_integer(c, "span_ms"));
    status = status ? status : read_report(c, &fio, out);
    rk_tool_stop(&fio);
    return status;
}

static int open_fio(struct rk_context *c)
{
    struct fio_readers *const all = rk_state(c);
    int status = readers_open(c, &all->readers, 1, O_DIRECT);
    for (int i = 0; i < all->readers.count && !status; i++)
        status = fio_inherits(c, all->readers.file[i].fd);
    write_job(c, &all->job, &all->readers);
    return status;
}

static int run_fio(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct fio_readers *const all = rk_state(c);
    int status = 0;
    for (size_t i = 0; i < n && !status; i++)
        status = time_fio(c, &all->job, &out[i]);
    return status;
}

RK_PROBE("files/contention/fio", .op = "block",
         .timed = "as fio prints it, in whole milliseconds: reads of `files` jobs by pread, each "
                  "from a file of its own, past the page cache, in random order; over `span_ms`, "
                  "all jobs together",
         .needs = RK_NEEDS_DISK | RK_NEEDS_PROGRAM,
         .params = RK_PARAMS(READERS(2), RK_BLOCK(4096), RK_FILE(8 << 20),
                             RK_INTEGER("span_ms", 200, 10, SPAN_MAX_MS, "of each run of fio"),
                             RK_DIR),
         RK_STAGES(struct fio_readers, open_fio, run_fio, readers_close));

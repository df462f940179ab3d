/* files/contention as fio measures it: several jobs, each with its own file. */
#include "files/support/fio.h"
#include "files/support/readers.h"

#define SPAN_MOST_MS 10000

/* The job: what the rows of ours do, by fio. Threads, because its processes would be in sessions of
 * their own, where nobody ends them with it. `lent` are the files. */
static void write_job(struct rk_context *c, struct fio_job *job, const int *lent, int count)
{
    int cpus[RK_CPUS_MOST];
    const int have = rk_cpus(cpus, RK_CPUS_MOST);
    *job = (struct fio_job){0};
    fio_say(
        job,
        "[global]\nthread\nioengine=psync\nrw=randread\ndirect=1\nrandrepeat=0\ngroup_reporting\n"
        "allow_file_create=0\ntime_based\nbs=%lld\nsize=%lld\nruntime=%lldms\ncpus_allowed=",
        (long long)rk_integer(c, "block_bytes"), (long long)rk_integer(c, "file_bytes"),
        (long long)rk_integer(c, "span_ms"));
    for (int i = 0; i < have; i++)
        fio_say(job, "%s%d", i ? "," : "", cpus[i]);
    for (int i = 0; i < count; i++)
        fio_say(job, "\n[reader%d]\nfilename=/proc/self/fd/%d\n", i, lent[i]);
}

/* What the group of jobs did: its reads, over the time of the longest. */
static int read_report(struct rk_context *c, const char *text, struct rk_sample *out,
                       const struct rk_stamp *since)
{
    const struct rk_stamp now = rk_stamp_now();
    const double ms = (double)(now.ns - since->ns) / 1e6;
    const char *const group = text ? strstr(text, "\"jobs\" : [") : NULL;
    const char *const reads = group ? strstr(group, "\"read\" : {") : NULL;
    double error, reads_done, took_ms;
    if (!fio_number(group, "error", &error) || !fio_number(reads, "total_ios", &reads_done) ||
        !fio_number(reads, "runtime", &took_ms))
        return trouble(c, EPROTO, "fio did not print what its reads came to");
    if (error || reads_done < 1 || took_ms < 1 || took_ms > ms)
        return trouble(c, EPROTO, "fio printed error %g, and %g reads in %g ms, which cannot be",
                       error, reads_done, took_ms);
    const double ticks = (double)(now.ticks - since->ticks) / ms;
    *out = (struct rk_sample){(int64_t)(took_ms * ticks), (uint64_t)reads_done};
    return 0;
}

/* One run of fio on files that are lent to it. */
static int ask_fio(struct rk_context *c, const struct fio_job *job, struct rk_sample *out)
{
    const struct rk_stamp begin = rk_stamp_now();
    struct tool fio;
    int status = fio_run(c, &fio, job, rk_integer(c, "span_ms"));
    char *const text = status ? NULL : tool_text(fio.out);
    status = status ? status : read_report(c, text, out, &begin);
    free(text);
    tool_stop(&fio);
    return status;
}

static int run_fio(struct rk_context *c, struct rk_sample *out, size_t n)
{
    static struct fio_job job;
    struct readers r;
    int lent[READERS_MOST] = {0}, count = 0;
    int status = readers_open(c, &r, 1, 1, 0, O_DIRECT);
    if (status)
        return status;
    for (; count < r.count && !status; count += !status)
        if ((lent[count] = fio_lend(&r.file[count])) < 0)
            status = rk_refused(c, "dup", errno);
    write_job(c, &job, lent, count);
    for (size_t i = 0; i < n && !status; i++)
        status = ask_fio(c, &job, &out[i]);
    for (int i = 0; i < count; i++)
        close(lent[i]);
    return readers_end(&r, status);
}

RK_PROBE(
    fio, .name = "files/contention/fio", .op = "block", .needs = RK_NEEDS_DISK, .trials = run_fio,
    .timed =
        "as fio prints it, in whole milliseconds: reads of `files` jobs by pread, each from a file "
        "of its own, past the page cache, in random order; over `span_ms`, all jobs together",
    .params = RK_PARAMS(READERS(2), RK_BLOCK(4096), RK_FILE(8 << 20),
                        RK_COUNT("span_ms", 200, 10, SPAN_MOST_MS, "of each run of fio"), RK_DIR));

/* files/read as another program measures it: fio, with its own clock. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "files/support/fio.h"
#include "probe/owner.h"

#define READ_MAX_MS 50    /* a rotating disk takes 20 */
#define START_MS 2000     /* fio calibrates its clock first */
#define LOG "log_lat.log" /* fio appends "_lat.log" to the name */

struct fio_run {
    int file, log; /* the file that is read, and the folder of the log; fio inherits both */
    char folder[PATH_MAX];
};

/* A folder for fio's log, named as reckon/computer/scratch.py names its own: what a killed process
 * leaves, the next run removes. 0 or a status. */
static int make_folder(struct rk_context *c, struct fio_run *run)
{
    char owner[RK_OWNER_MAX], path[PATH_MAX];
    const char *const dir = rk_scratch_dir(c);
    if (rk_owner_name(owner))
        return rk_unsupported(c, "/proc does not report which process this is");
    if (snprintf(path, sizeof path, "%s/reckon-files-%s", dir, owner) >= PATH_MAX)
        return rk_unsupported(c, "the folder's name is too long");
    if (mkdir(path, 0700) < 0)
        return rk_unsupported(c, "no folder can be made in %.64s: %s", dir, strerror(errno));
    memcpy(run->folder, path, sizeof path);
    run->log = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return run->log < 0 ? rk_failed(c, "opening the folder of fio's log", errno)
                        : fio_inherits(c, run->log);
}

static void remove_folder(const char *path)
{
    DIR *const folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* The log has n lines, one for each read: "ms since the start, latency in ns, 0 for a read, bytes,
 * ...". */
static int read_log(struct rk_context *c, const struct rk_tool *fio, struct rk_sample *out,
                    size_t n)
{
    const double ticks_per_ns = rk_ticks_per_ns(&fio->begin);
    const uint64_t elapsed_ns = rk_monotonic_ns() - fio->begin.ns;
    const int64_t block_bytes = rk_integer(c, "block_bytes");
    size_t reads = 0;
    char *rest = fio->text;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        long long ns, bytes;
        int direction;
        if (!*line)
            continue;
        if (sscanf(line, "%*d, %lld, %d, %lld", &ns, &direction, &bytes) != 3 || direction != 0 ||
            bytes != block_bytes || ns <= 0 || (uint64_t)ns > elapsed_ns)
            return rk_error(c, EPROTO, "fio logged an impossible read: %.80s", line);
        if (reads < n)
            out[reads] = (struct rk_sample){rk_ticks((double)ns, ticks_per_ns), 1};
        reads++;
    }
    return reads == n ? 0 : rk_error(c, EPROTO, "fio logged %zu of %zu reads.", reads, n);
}

/* One thread of fio on this process's CPU reads n random blocks of the file, none twice. */
static int time_fio(struct rk_context *c, const struct fio_run *run, struct rk_sample *out,
                    size_t n)
{
    char message[RK_TOOL_MESSAGE_MAX];
    struct fio_job job;
    struct rk_tool fio;
    fio_begin(c, &job);
    fio_add(&job,
            "number_ios=%zu\nper_job_logs=0\nwrite_lat_log=/proc/self/fd/%d/log\n"
            "[read]\nfilename=/proc/self/fd/%d\n",
            n, run->log, run->file);
    int status = fio_run(c, &fio, &job, START_MS + READ_MAX_MS * (int64_t)n);
    const int fd = status ? -1 : openat(run->log, LOG, O_RDONLY | O_CLOEXEC);
    unlinkat(run->log, LOG, 0); /* the next run would append to it */
    if (!status)
        status = fd < 0
                     ? rk_error(c, EPROTO, "fio wrote no log: %s", rk_tool_message(&fio, message))
                     : rk_tool_read(c, &fio, fd);
    status = status ? status : read_log(c, &fio, out, n);
    if (fd >= 0)
        close(fd);
    rk_tool_stop(&fio);
    return status;
}

static int open_fio(struct rk_context *c)
{
    struct fio_run *const run = rk_state(c);
    run->log = -1;
    int status = rk_open_file(c, O_DIRECT);
    status = status ? status : fio_inherits(c, run->file);
    return status ? status : make_folder(c, run);
}

static int run_fio(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t blocks = rk_file_bytes(c) / rk_block_bytes(c);
    if (blocks < n)
        return rk_unsupported(c, "no block is read twice, and the file has only %zu", blocks);
    return time_fio(c, rk_state(c), out, n);
}

static int close_fio(struct rk_context *c)
{
    const struct fio_run *const run = rk_state(c);
    if (run->folder[0])
        remove_folder(run->folder);
    if (run->log >= 0)
        close(run->log);
    return rk_close_file(c);
}

RK_PROBE("files/read/fio", .op = "block",
         .timed = "as fio logs them (write_lat_log, psync, direct=1, randread), by its own clock: "
                  "one pread of a block with O_DIRECT; the blocks in random order, none twice",
         .needs = RK_NEEDS_DISK | RK_NEEDS_PROGRAM,
         .params = RK_PARAMS(RK_FILE(8 << 20), RK_BLOCK(4096), RK_DIR),
         RK_STAGES(struct fio_run, open_fio, run_fio, close_fio));

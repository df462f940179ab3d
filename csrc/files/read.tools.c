/* files/read as another program measures it: fio, with its own clock. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "files/support/blocks.h"
#include "probe/owner.h"
#include "probe/tools.h"

#define READ_MOST_MS 50 /* a rotating disk takes 20 */
#define START_MS 2000   /* fio calibrates its clock first */

/* A folder for fio's log, named as reckon/computer/scratch.py names its own: what a killed process
 * leaves, the next run removes. 0 or a status. */
static int make_folder(struct rk_context *c, char path[PATH_MAX])
{
    char owner[RK_OWNER_MOST];
    const char *const dir = rk_scratch_dir(c);
    if (rk_owner_name(owner))
        return rk_unsupported(c, "/proc does not say who this process is");
    const int length = snprintf(path, PATH_MAX - 32, "%s/reckon-files-%s", dir, owner);
    if (length >= PATH_MAX - 32) {
        path[0] = 0;
        return rk_unsupported(c, "the folder's name is too long");
    }
    if (mkdir(path, 0700) == 0)
        return 0;
    const int error = errno;
    path[0] = 0;
    return trouble(c, EOPNOTSUPP, "no folder can be made in %.64s: %s", dir, strerror(error));
}

static void remove_folder(const char *path)
{
    DIR *const folder = opendir(path);
    for (const struct dirent *one; folder && (one = readdir(folder));)
        unlinkat(dirfd(folder), one->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* The log's lines are "ms since the start, latency in ns, 0 for a read, bytes, ...", one for each
 * read, and there are to be n of them. */
static int read_log(struct rk_context *c, char *text, struct rk_sample *out, size_t n,
                    const struct rk_stamp *begin)
{
    const double ticks_per_ns = rk_ticks_per_ns(begin);
    const uint64_t elapsed_ns = rk_monotonic_ns() - begin->ns;
    const int64_t block_bytes = rk_integer(c, "block_bytes");
    size_t seen = 0;
    char *rest = text;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        long long ns, bytes;
        int direction;
        if (!*line)
            continue;
        if (sscanf(line, "%*d, %lld, %d, %lld", &ns, &direction, &bytes) != 3 || direction != 0 ||
            bytes != block_bytes || ns <= 0 || (uint64_t)ns > elapsed_ns)
            return trouble(c, EPROTO, "fio logged a read that cannot be: %.80s", line);
        if (seen < n)
            out[seen] = (struct rk_sample){(int64_t)((double)ns * ticks_per_ns), 1};
        seen++;
    }
    return seen == n ? 0 : trouble(c, EPROTO, "fio logged %zu reads, and was to do %zu.", seen, n);
}

/* One thread of fio's on this process's CPU reads n random blocks of the open `file`, none twice.
 */
static int ask_fio(struct rk_context *c, int file, const char *folder, struct rk_sample *out,
                   size_t n)
{
    char name[64], size[48], block[32], count[40], log[PATH_MAX + 32], words[150];
    struct tool fio;
    snprintf(name, sizeof name, "--filename=/proc/self/fd/%d", file); /* fio has it open, too */
    snprintf(size, sizeof size, "--size=%lld", (long long)rk_integer(c, "file_bytes"));
    snprintf(block, sizeof block, "--bs=%lld", (long long)rk_integer(c, "block_bytes"));
    snprintf(count, sizeof count, "--number_ios=%zu", n);
    snprintf(log, sizeof log, "--write_lat_log=%s/log", folder);
    const char *const asked[] = {"--name=read",
                                 name,
                                 size,
                                 block,
                                 count,
                                 log,
                                 "--ioengine=psync",
                                 "--direct=1",
                                 "--rw=randread",
                                 "--randrepeat=0",
                                 "--readonly",
                                 "--thread",
                                 "--per_job_logs=0",
                                 "--disk_util=0",
                                 NULL};
    const struct rk_stamp begin = rk_stamp_now();
    int status = tool_start(c, &fio, "fio", "fio", asked, -1, START_MS + READ_MOST_MS * (int64_t)n);
    status = status ? status : tool_wait(c, &fio);
    snprintf(log, sizeof log, "%s/log_lat.log", folder);
    const int fd = status ? -1 : open(log, O_RDONLY | O_CLOEXEC);
    unlink(log); /* the next run would append to it */
    char *const text = fd < 0 ? NULL : tool_text(fd);
    if (!status && !text)
        status = trouble(c, EPROTO, "fio wrote no log: %s", tool_words(&fio, words));
    status = status ? status : read_log(c, text, out, n, &begin);
    free(text);
    if (fd >= 0)
        close(fd);
    tool_stop(&fio);
    return status;
}

struct fio_run {
    int file; /* inherited by fio */
    char folder[PATH_MAX];
};

static int open_fio(struct rk_context *c)
{
    struct fio_run *const state = rk_state(c);
    state->file = rk_data(c, 0, (size_t)rk_integer(c, "file_bytes"), O_DIRECT);
    if (state->file < 0)
        return state->file;
    if (fcntl(state->file, F_SETFD, 0) < 0)
        return rk_failed(c, "fcntl", errno);
    return make_folder(c, state->folder);
}

static int run_fio(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct fio_run *const state = rk_state(c);
    const int64_t blocks = rk_integer(c, "file_bytes") / rk_integer(c, "block_bytes");
    if ((uint64_t)blocks < n)
        return trouble(c, EOPNOTSUPP, "no block is read twice, and the file has only %lld",
                       (long long)blocks);
    return ask_fio(c, state->file, state->folder, out, n);
}

static int close_fio(struct rk_context *c)
{
    const struct fio_run *const state = rk_state(c);
    if (state->folder[0])
        remove_folder(state->folder);
    if (state->file >= 0)
        close(state->file);
    return 0;
}

RK_PROBE(
    fio, .name = "files/read/fio", .op = "block",
    .timed = "as fio logs them (write_lat_log, psync, direct=1, randread), by its own clock: one "
             "pread of a block with O_DIRECT; the blocks in random order, none twice",
    .params = RK_PARAMS(RK_FILE(8 << 20), RK_BLOCK(4096), RK_DIR), .needs = RK_NEEDS_DISK,
    .open = open_fio, .trials = run_fio, .close = close_fio, .state_bytes = sizeof(struct fio_run));

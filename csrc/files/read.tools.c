/* files/read as another program measures it: fio, with its own clock. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "files/support/blocks.h"
#include "probe/tools.h"

#define READ_MOST_MS 50 /* a rotating disk takes 20 */
#define START_MS 2000   /* fio calibrates its clock first */

/* The beginning of a file of the kernel's, as text; what was read of it, or -1. */
static ssize_t read_beginning(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return got;
}

/* When this process started, in ticks since boot (proc_pid_stat(5), field 22), and where it has its
 * number: this boot and its PID namespace. 0 or -1. */
static int who_am_i(unsigned long long *started, char space[48])
{
    char stat[1024], link[64] = "", boot[9];
    const ssize_t got = read_beginning("/proc/self/stat", stat, sizeof stat);
    const char *const after = strrchr(stat, ')');
    const ssize_t known = read_beginning("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    snprintf(space, 48, "%s", boot);
    return got > 0 && known == 8 && after &&
                   readlink("/proc/self/ns/pid", link, sizeof link - 1) > 0 &&
                   sscanf(link, "pid:[%31[0-9]", space + 8) == 1 &&
                   sscanf(after,
                          ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                          "%*s %*s %*s %llu",
                          started) == 1
               ? 0
               : -1;
}

/* A folder for fio's log, named as reckon/scratch.py names its own: what a killed process leaves,
 * the next run removes. 0 or a status. */
static int make_folder(struct rk_context *c, char path[PATH_MAX])
{
    char why[160], space[48];
    unsigned long long started;
    const char *const dir = rk_scratch_dir(c);
    if (who_am_i(&started, space) < 0)
        return rk_cannot(c, "/proc does not say who this process is");
    const int length = snprintf(path, PATH_MAX - 32, "%s/reckon-files-%s-%d-%llu", dir, space,
                                (int)getpid(), started);
    if (length >= PATH_MAX - 32)
        return rk_cannot(c, "the folder's name is too long");
    if (mkdir(path, 0700) == 0)
        return 0;
    snprintf(why, sizeof why, "no folder can be made in %.64s: %s", dir, strerror(errno));
    return rk_cannot(c, why);
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
    const struct rk_stamp now = rk_stamp_now();
    const double ticks_in_ns = (double)(now.ticks - begin->ticks) / (double)(now.ns - begin->ns);
    const int64_t block_bytes = rk_integer(c, "block_bytes");
    size_t seen = 0;
    char *rest = text;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        long long ns, bytes;
        int direction;
        if (!*line)
            continue;
        if (sscanf(line, "%*d, %lld, %d, %lld", &ns, &direction, &bytes) != 3 || direction != 0 ||
            bytes != block_bytes || ns <= 0 || (uint64_t)ns > now.ns - begin->ns)
            return trouble(c, EPROTO, "fio logged a read that cannot be: %.80s", line);
        if (seen < n)
            out[seen] = (struct rk_sample){(int64_t)((double)ns * ticks_in_ns), 1};
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

static int run_fio(struct rk_context *c, struct rk_sample *out, size_t n)
{
    char folder[PATH_MAX], why[128];
    const int64_t size = rk_integer(c, "file_bytes"), block = rk_integer(c, "block_bytes");
    if ((uint64_t)(size / block) < n) {
        snprintf(why, sizeof why, "no block is read twice, and the file has only %lld",
                 (long long)(size / block));
        return rk_cannot(c, why);
    }
    const int fd = rk_data(c, 0, (size_t)size, O_DIRECT);
    if (fd < 0)
        return fd;
    int status = fcntl(fd, F_SETFD, 0) < 0 ? rk_failed(c, "fcntl", errno) : make_folder(c, folder);
    if (!status) {
        status = ask_fio(c, fd, folder, out, n);
        remove_folder(folder);
    }
    close(fd);
    return status;
}

RK_PROBE(fio, .name = "files/read/fio", .op = "block",
         .timed =
             "as fio logs them (write_lat_log, psync, direct=1, randread), by its own clock: one "
             "pread of a block with O_DIRECT; the blocks in random order, none twice",
         .params = RK_PARAMS(RK_FILE(8 << 20), RK_BLOCK(4096), RK_DIR), .needs = RK_NEEDS_DISK,
         .trials = run_fio);

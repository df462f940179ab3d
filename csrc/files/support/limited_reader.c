#include "files/support/limited_reader.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

int rk_read_wide(const struct rk_reader *r)
{
    const struct rk_blocks *const b = &r->blocks;
    const size_t bytes = rk_blocks_bytes(b);
    for (size_t at = 0; at < bytes; at += RK_WIDE_BYTES) {
        const size_t part = bytes - at < RK_WIDE_BYTES ? bytes - at : RK_WIDE_BYTES;
        const ssize_t got = pread(b->fd, r->wide, part, (off_t)at);
        if (got != (ssize_t)part)
            return got < 0 ? -errno : -ENODATA;
    }
    return 0;
}

int rk_close_reader(struct rk_context *c)
{
    struct rk_reader *const r = rk_state(c);
    if (r->wide && r->wide != MAP_FAILED)
        munmap(r->wide, RK_WIDE_BYTES);
    r->wide = NULL;
    rk_blocks_close(&r->blocks);
    return 0;
}

int rk_open_cold(struct rk_context *c, int index, size_t block_bytes, int64_t passes)
{
    struct rk_reader *const r = rk_state(c);
    const int status = rk_blocks_open(c, &r->blocks, index, block_bytes, 0);
    r->passes = passes;
    if (status)
        return status;
    r->wide = mmap(NULL, RK_WIDE_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return r->wide == MAP_FAILED ? rk_refused(c, "mmap", errno) : rk_require_cold(c, &r->blocks);
}

int rk_open_limited(struct rk_context *c, int index, size_t block_bytes, int64_t passes)
{
    const int status = rk_require_room(c, (size_t)rk_integer(c, "limit_bytes"));
    return status ? status : rk_open_cold(c, index, block_bytes, passes);
}

int rk_open_reader(struct rk_context *c)
{
    const struct rk_reading *const reading = rk_variant(c);
    return rk_open_limited(c, reading->index,
                           reading->block_bytes ? reading->block_bytes : rk_block_bytes(c),
                           reading->has_passes ? rk_integer(c, "passes") : 0);
}

/* In memory that the reader shares with the probe. */
struct reading_result {
    int status, entered;
    struct rk_sample samples[];
};

/* In the child. */
__attribute__((noreturn)) static void run_reader(struct rk_reader *r, struct reading_result *result,
                                                 pid_t parent, int (*reading)(struct rk_reader *))
{
    rk_die_with_parent(parent);
    close(r->group->lifetime_fd);
    r->samples = result->samples;
    result->entered = group_write(r->group, "cgroup.procs", "0");
    if (!result->entered) {
        /* Copies the parent's pages here, in the group that is charged for them, and not in the
         * first timed read. */
        memset(r->blocks.buffer, 1, r->blocks.block_bytes);
        result->status = reading(r);
    }
    _exit(0);
}

static int rk_reader_ended(struct rk_context *c, const struct reading_result *result, pid_t child,
                           const struct rk_group *group, int64_t limit_bytes)
{
    const int wait_status = rk_wait_status(child);
    if (wait_status && group_killed_for_memory(group))
        return rk_unsupported(c,
                              "within a limit of %lld KiB the kernel ended the reader for want of "
                              "memory",
                              (long long)limit_bytes >> 10);
    if (WIFSIGNALED(wait_status))
        return rk_error(c, ECHILD, "the reader in the control group died of signal %d (%s)",
                        WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    if (wait_status)
        return rk_failed(c, "the reader in the control group", ECHILD);
    if (result->entered)
        return rk_unsupported(c, "the control group admits no process (%s)",
                              strerror(-result->entered));
    if (result->status == -ESTALE)
        return rk_error(c, EBUSY,
                        "another program emptied the page cache each time that it was filled "
                        "(drop_caches)");
    return result->status ? rk_read_failed(c, result->status) : 0;
}

int rk_run_reader(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct rk_reading *const reading = rk_variant(c);
    struct rk_reader *const r = rk_state(c);
    struct rk_group group = {.lifetime_fd = -1};
    const int64_t limit_bytes = rk_integer(c, "limit_bytes");
    const size_t size = sizeof(struct reading_result) + n * sizeof *out;
    struct reading_result *const result =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    memset(result, 0, size); /* so that the group is not charged for its pages */
    r->group = &group;
    r->n = n;
    int status = rk_require_cold(c, &r->blocks);
    status = status ? status : group_open(c, &group, limit_bytes);
    if (!status) {
        const pid_t parent = getpid(), child = fork();
        if (child == 0)
            run_reader(r, result, parent, reading->read);
        status = child < 0 ? rk_refused(c, "fork", errno)
                           : rk_reader_ended(c, result, child, &group, limit_bytes);
        posix_fadvise(r->blocks.fd, 0, 0,
                      POSIX_FADV_DONTNEED); /* its pages would outlive the group */
    }
    r->group = NULL;
    const int closed = group_close(c, &group);
    if (!status && !closed)
        memcpy(out, result->samples, n * sizeof *out);
    munmap(result, size);
    return status ? status : closed;
}

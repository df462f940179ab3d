#include "files/support/within.h"

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

int rk_open_within(struct rk_context *c, int index, size_t block_bytes, int64_t passes)
{
    const int status = rk_require_room(c, (size_t)rk_integer(c, "limit_bytes"));
    return status ? status : rk_open_cold(c, index, block_bytes, passes);
}

/* In memory that the reader shares with the probe. */
struct rk_outcome {
    int status, entered;
    struct rk_sample samples[];
};

/* In the child. */
__attribute__((noreturn)) static void run_reader(struct rk_reader *r, struct rk_outcome *outcome,
                                                 pid_t parent, int (*reading)(struct rk_reader *))
{
    rk_die_with_parent();
    if (getppid() != parent)
        _exit(1);
    close(r->group->life);
    r->samples = outcome->samples;
    outcome->entered = group_write(r->group, "cgroup.procs", "0");
    if (!outcome->entered) {
        /* Copies the parent's pages here, in the group that is charged for them, and not in the
         * first timed read. */
        memset(r->blocks.buffer, 1, r->blocks.block_bytes);
        outcome->status = reading(r);
    }
    _exit(0);
}

static int rk_reader_ended(struct rk_context *c, const struct rk_outcome *outcome, pid_t child,
                           int64_t limit_bytes)
{
    const int how = rk_wait_status(child);
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
        return rk_unsupported(
            c, "within a limit of %lld KiB the kernel ended the reader for want of memory",
            (long long)limit_bytes >> 10);
    if (how)
        return rk_failed(c, "the reader in the control group", ECHILD);
    if (outcome->entered)
        return rk_unsupported(c, "the control group admits no process (%s)",
                              strerror(-outcome->entered));
    if (outcome->status == -ESTALE)
        return rk_error(c, EBUSY,
                        "another program emptied the page cache each time that it was filled "
                        "(drop_caches)");
    return outcome->status ? rk_read_failed(c, outcome->status) : 0;
}

int rk_read_within(struct rk_context *c, struct rk_sample *out, size_t n,
                   int (*reading)(struct rk_reader *))
{
    struct rk_reader *const r = rk_state(c);
    struct rk_group group = {.life = -1};
    const int64_t limit_bytes = rk_integer(c, "limit_bytes");
    const size_t size = sizeof(struct rk_outcome) + n * sizeof *out;
    struct rk_outcome *const outcome =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcome == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    memset(outcome, 0, size); /* so that the group is not charged for its pages */
    r->group = &group;
    r->n = n;
    int status = rk_require_cold(c, &r->blocks);
    status = status ? status : group_open(c, &group, limit_bytes);
    if (!status) {
        const pid_t parent = getpid(), child = fork();
        if (child == 0)
            run_reader(r, outcome, parent, reading);
        status = child < 0 ? rk_refused(c, "fork", errno)
                           : rk_reader_ended(c, outcome, child, limit_bytes);
        posix_fadvise(r->blocks.fd, 0, 0,
                      POSIX_FADV_DONTNEED); /* its pages would outlive the group */
    }
    r->group = NULL;
    const int closed = group_close(c, &group);
    if (!status && !closed)
        memcpy(out, outcome->samples, n * sizeof *out);
    munmap(outcome, size);
    return status ? status : closed;
}

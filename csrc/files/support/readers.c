#include "files/support/readers.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "probe/cpus.h"

/* --- the files --- */
int readers_close(struct rk_context *c)
{
    struct readers *const r = rk_state(c);
    for (int i = 0; i < r->count; i++)
        if (r->pid[i] > 0)
            kill(r->pid[i], SIGKILL);
    for (int i = 0; i < r->count; i++) {
        if (r->pid[i] > 0)
            rk_wait_status(r->pid[i]);
        rk_blocks_close(&r->file[i]);
    }
    if (r->shared)
        munmap(r->shared, sizeof *r->shared);
    return 0;
}

int readers_prepare(struct rk_context *c, struct readers *r, int64_t blocks)
{
    *r = (struct readers){.count = (int)rk_integer(c, "files"), .blocks = (uint32_t)blocks};
    for (int i = 0; i < r->count; i++)
        r->file[i].fd = -1;
    r->cpus = rk_cpu_set(); /* readers may use every CPU */
    void *const memory = mmap(NULL, sizeof *r->shared, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    r->shared = memory;
    return 0;
}

int readers_open(struct rk_context *c, struct readers *r, int64_t blocks, int flags)
{
    const size_t file_bytes = rk_file_bytes(c), block_bytes = rk_block_bytes(c);
    if (file_bytes / block_bytes < (uint64_t)blocks)
        return rk_unsupported(c,
                              "%lld different blocks of %zu bytes are requested of a file that has "
                              "%zu; request fewer trials or a larger file",
                              (long long)blocks, block_bytes, file_bytes / block_bytes);
    int status = readers_prepare(c, r, blocks);
    for (int i = 0; i < r->count && !status; i++)
        status = rk_blocks_open(c, &r->file[i], i, block_bytes, flags);
    return status;
}

/* --- the processes --- */
int reader_failed(struct rk_context *c, const struct readers *r, int i, int wait_status)
{
    const int status = r->shared->reader[i].status;
    if (status)
        return rk_read_failed(c, status);
    if (WIFSIGNALED(wait_status))
        return rk_error(c, ECHILD, "reader %d of %d died of signal %d (%s) before it was done",
                        i + 1, r->count, WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    return rk_error(c, ECHILD, "reader %d of %d left before it was done", i + 1, r->count);
}

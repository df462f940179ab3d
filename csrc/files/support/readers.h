/* readers.h: processes that read files at the same time, each a file of its own. */
#ifndef RK_READERS_H
#define RK_READERS_H

#include <sched.h>
#include <stdatomic.h>

#include "files/support/blocks.h"
#include "probe/cpus.h"

#define READERS_MAX 64
#define READERS(default_)                                                                          \
    RK_INTEGER("files", default_, 1, READERS_MAX, "processes that read, each a file of its own")
#define READS(default_)                                                                            \
    RK_INTEGER("blocks", default_, 1, 1 << 24, "reads of each process in a trial")

/* What a reader reports, in memory that all share; each on cache lines of its own. */
struct reader {
    _Alignas(128) atomic_uint done; /* blocks of this trial */
    int status;                     /* of a read that failed */
    uint64_t begin, end;            /* ticks: before its first read of a trial, after its last */
    uint64_t cpu_ns;                /* of CPU time in this trial */
    int64_t ticks;                  /* of its reads, where it times itself */
};

struct shared {
    _Alignas(128) atomic_uint trial;    /* the number of the current trial; 0: none yet */
    _Alignas(128) atomic_uint arrivals; /* at the barrier, over all trials */
    atomic_uint first;                  /* 1: a reader has finished this trial, then: */
    uint64_t first_end, first_blocks;
    struct reader reader[READERS_MAX];
};

struct readers {
    int count;
    uint32_t blocks; /* each reads in a trial */
    uint32_t trials; /* begun so far */
    struct shared *shared;
    struct rk_blocks file[READERS_MAX];
    pid_t pid[READERS_MAX]; /* 0: not started, or waited for */
    struct rk_cpu_mask cpus;
};

/* --- the files --- */

/* Ends the readers that still run, and closes the files. The state begins with a struct readers,
 * which may be zeroed. */
int readers_close(struct rk_context *c);

/* Maps the shared memory, and opens no file yet. */
int readers_prepare(struct rk_context *c, struct readers *r, int64_t blocks);

/* The same, and opens the files, each of at least `blocks` blocks. */
int readers_open(struct rk_context *c, struct readers *r, int64_t blocks, int flags);

/* --- the processes ---
 * t470 times their start and their end, at -O0: compiled with the file that uses them. */

/* In a reader: closes the others' files, and does not outlive its parent. */
static inline void reader_settle(struct readers *r, int index, pid_t parent)
{
    rk_die_with_parent(parent);
    if (sched_setaffinity(0, sizeof r->cpus, r->cpus.part) < 0)
        _exit(1);
    for (int i = 0; i < r->count; i++)
        if (i != index && r->file[i].fd >= 0)
            close(r->file[i].fd);
}

/* Starts one process for each file, which does `work` and ends. Does not wait. */
static inline int readers_start(struct rk_context *c, struct readers *r,
                                void (*work)(struct readers *, int index))
{
    const pid_t parent = getpid();
    for (int i = 0; i < r->count; i++) {
        const pid_t child = fork();
        if (child == 0) {
            reader_settle(r, i, parent);
            work(r, i);
            _exit(0);
        }
        if (child < 0)
            return rk_refused(c, "starting that many readers", errno);
        r->pid[i] = child;
    }
    return 0;
}

/* The probe's status for a reader that ended with that wait status, or whose read failed. */
int reader_failed(struct rk_context *c, const struct readers *r, int i, int wait_status);

/* Waits until all readers have ended. 0 if each has read all its blocks. */
static inline int readers_wait(struct rk_context *c, struct readers *r)
{
    int status = 0;
    for (int i = 0; i < r->count; i++) {
        const int wait_status = rk_wait_status(r->pid[i]);
        r->pid[i] = 0;
        if (!status && (wait_status || r->shared->reader[i].status))
            status = reader_failed(c, r, i, wait_status);
    }
    return status;
}

#endif

#include "files/support/barrier.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The interval of the check for a reader that died; it wakes no process. */
#define POLL_NS 20000000

static void sleep_while(atomic_uint *word, uint32_t value, const struct timespec *timeout)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0);
}

static void wake_all(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Reports this reader as ready for the next trial; the last one wakes the parent. */
static void arrive(struct readers *r)
{
    if ((atomic_fetch_add(&r->shared->arrivals, 1) + 1) % (uint32_t)r->count == 0)
        wake_all(&r->shared->arrivals);
}

/* The first reader to finish notes how many blocks all have read by then, because after that fewer
 * readers share the disk. */
static void note_first(struct readers *r, uint64_t end)
{
    struct shared *const all = r->shared;
    uint64_t blocks = 0;
    if (atomic_exchange(&all->first, 1))
        return;
    for (int i = 0; i < r->count; i++)
        blocks += atomic_load_explicit(&all->reader[i].done, memory_order_relaxed);
    all->first_blocks = blocks;
    all->first_end = end;
}

static uint64_t cpu_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * RK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* One trial: the next `blocks` blocks of the file's order. */
static void reader_trial(struct readers *r, int index, uint32_t from)
{
    struct reader *const own = &r->shared->reader[index];
    const struct rk_blocks *const file = &r->file[index];
    const uint64_t cpu_ns = cpu_time_ns();
    own->begin = rk_begin();
    for (uint32_t i = 0; i < r->blocks; i++) {
        const int status = rk_read_block(file, file->order[from + i]);
        if (status) {
            own->status = status;
            return;
        }
        atomic_store_explicit(&own->done, i + 1, memory_order_relaxed);
    }
    own->end = rk_end();
    note_first(r, own->end);
    own->cpu_ns = cpu_time_ns() - cpu_ns;
}

/* The trials until a reader is at the start of its order again, where a block is not timed. */
static uint32_t trials_in_order(const struct readers *r, int i)
{
    return (r->file[i].count - 1) / r->blocks;
}

/* A reader: one block that is not timed, as a warm-up; then one trial after another. */
static void reader_live(struct readers *r, int index)
{
    const uint32_t in_order = trials_in_order(r, index);
    memset(r->file[index].buffer, 1,
           r->file[index].block_bytes); /* copies the parent's pages before a timed read does */
    r->shared->reader[index].status = rk_read_block(&r->file[index], r->file[index].order[0]);
    for (uint32_t trial = 0;; trial++) {
        arrive(r);
        uint32_t now;
        while ((now = atomic_load(&r->shared->trial)) == trial)
            sleep_while(&r->shared->trial, trial, NULL);
        if (!r->shared->reader[index].status)
            reader_trial(r, index, 1 + trial % in_order * r->blocks);
    }
}

/* Waits until all are ready for the next trial. A status if a reader failed. */
static int await_all(struct rk_context *c, struct readers *r)
{
    const struct timespec interval = {0, POLL_NS};
    const uint32_t wanted = (uint32_t)r->count * (r->trials + 1);
    for (uint32_t now; (now = atomic_load(&r->shared->arrivals)) < wanted;) {
        sleep_while(&r->shared->arrivals, now, &interval);
        for (int i = 0; i < r->count; i++) {
            int wait_status = 0;
            if (waitpid(r->pid[i], &wait_status, WNOHANG) == r->pid[i]) {
                r->pid[i] = 0;
                return reader_failed(c, r, i, wait_status);
            }
        }
    }
    for (int i = 0; i < r->count; i++)
        if (r->shared->reader[i].status)
            return reader_failed(c, r, i, 0);
    return 0;
}

int barrier_check(struct rk_context *c, const struct readers *r, size_t trials)
{
    for (int i = 0; i < r->count; i++)
        if (trials > trials_in_order(r, i))
            return rk_unsupported(c,
                                  "%zu different blocks of %zu bytes are requested of a file that "
                                  "has %u; request fewer trials or a larger file",
                                  trials * r->blocks + 1, r->file[i].block_bytes, r->file[i].count);
    return 0;
}

int barrier_open(struct rk_context *c)
{
    struct readers *const r = rk_state(c);
    uint64_t state = rk_begin();
    int status = readers_open(c, r, rk_integer(c, "blocks"), O_DIRECT);
    if (status)
        return status;
    for (int i = 0; i < r->count; i++)
        rk_shuffle(r->file[i].order, r->file[i].count, &state);
    status = readers_start(c, r, reader_live);
    return status ? status : await_all(c, r);
}

int barrier_trial(struct rk_context *c, struct readers *r, uint64_t *begin)
{
    for (int i = 0; i < r->count; i++)
        atomic_store(&r->shared->reader[i].done, 0);
    atomic_store(&r->shared->first, 0);
    *begin = rk_begin();
    atomic_store(&r->shared->trial, ++r->trials);
    wake_all(&r->shared->trial);
    return await_all(c, r);
}

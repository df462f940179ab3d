/* faults.h: what one touch is, and how many faults the kernel counted for it. */
#ifndef RK_FAULTS_H
#define RK_FAULTS_H

#include <sys/resource.h>

#include "probe/region.h"
#include "probe/scratch.h"

struct fault_count {
    int64_t minor, major;
};

static inline struct fault_count faults_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct fault_count){usage.ru_minflt, usage.ru_majflt};
}

static inline struct fault_count faults_since(struct fault_count before)
{
    const struct fault_count now = faults_now();
    return (struct fault_count){now.minor - before.minor, now.major - before.major};
}

/* Bytes of `touches` steps for each of n samples; where these are too many to count, so many that
 * no memory and no disk has them. */
static inline size_t bytes_of(size_t n, int64_t touches, size_t step)
{
    ptrdiff_t bytes;
    if (__builtin_mul_overflow(n, touches, &bytes) || __builtin_mul_overflow(bytes, step, &bytes))
        return PTRDIFF_MAX;
    return (size_t)bytes;
}

/* A file, mapped; both are given back together. */
struct mapped {
    int fd;
    struct rk_region region;
};

static inline void unmap_file(struct mapped *file)
{
    rk_unmap(&file->region);
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* Maps what is open. `cold`: nothing of it is in the page cache; else all of it is. */
static inline int map_file(struct rk_context *c, struct mapped *file, size_t size_bytes, int cold,
                           int protection, int advice)
{
    const int status = cold ? rk_make_cold(c, file->fd) : 0;
    char *const start =
        status ? MAP_FAILED : mmap(NULL, size_bytes, protection, MAP_SHARED, file->fd, 0);
    if (start == MAP_FAILED)
        return status ? status : rk_refused(c, "mmap", errno);
    file->region = (struct rk_region){start, size_bytes};
    madvise(start, size_bytes, advice);
    return 0;
}

#endif

/* faults.c: mapping files for the probes of page faults. */
#include "memory/support/faults.h"

#include <sys/mman.h>
#include <unistd.h>

size_t bytes_of(size_t n, int64_t touches, size_t step)
{
    ptrdiff_t bytes;
    if (__builtin_mul_overflow(n, touches, &bytes) || __builtin_mul_overflow(bytes, step, &bytes))
        return PTRDIFF_MAX;
    return (size_t)bytes;
}

void unmap_file(struct mapped *file)
{
    rk_unmap(&file->region);
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

int map_file(struct rk_context *c, struct mapped *file, size_t size_bytes, int cold, int protection,
             int advice)
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

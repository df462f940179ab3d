#include "memory/support/mapped_file.h"

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

int make_file(struct rk_context *c, struct mapped *file, const char *dir,
              const struct mapping *mapping)
{
    file->fd = rk_scratch(c, dir, mapping->size_bytes, !mapping->in_memory);
    if (file->fd < 0)
        return file->fd;
    const int status = mapping->cold ? rk_make_cold(c, file->fd) : 0;
    if (status)
        return status;
    char *const start =
        mmap(NULL, mapping->size_bytes, mapping->protection, MAP_SHARED, file->fd, 0);
    if (start == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    file->region = (struct rk_region){start, mapping->size_bytes};
    madvise(start, mapping->size_bytes, mapping->advice);
    return 0;
}

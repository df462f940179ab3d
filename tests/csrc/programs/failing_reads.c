/* For LD_PRELOAD: a disk whose reads fail. read(2) and pread(2) of a file whose path matches
 * $FAILING report EIO. */
#include <errno.h>
#include <sys/syscall.h>

#include "failing_paths.h"

ssize_t read(int fd, void *buffer, size_t size)
{
    if (is_to_fail(fd)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_read, fd, buffer, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
    if (is_to_fail(fd)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, fd, buffer, size, at);
}

ssize_t pread64(int fd, void *buffer, size_t size, off_t at)
{
    return pread(fd, buffer, size, at);
}

/* For LD_PRELOAD: a disk that is full or fails. write(2) to a file whose path matches $FAILING
 * reports the error $ERROR. */
#include <errno.h>
#include <sys/syscall.h>

#include "failing_paths.h"

ssize_t write(int fd, const void *data, size_t size)
{
    if (is_to_fail(fd)) {
        errno = atoi(getenv("ERROR"));
        return -1;
    }
    return syscall(SYS_write, fd, data, size);
}

/* For LD_PRELOAD: a disk that is full or fails. write(2) to a file whose path matches $FAILING
 * reports the error $ERROR. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_meant(int fd, const char *pattern)
{
    char link[64], path[4096];

    if (!pattern)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return fnmatch(pattern, path, 0) == 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (is_meant(fd, getenv("FAILING"))) {
        errno = atoi(getenv("ERROR"));
        return -1;
    }
    return syscall(SYS_write, fd, data, size);
}

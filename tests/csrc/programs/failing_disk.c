/* For LD_PRELOAD: a disk below the folder $FAILING that fails. What is written reaches its cache,
 * and fsync(2) reports EIO, as the kernel does for a disk that took no block. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int fsync(int fd)
{
    char link[64], path[4096];
    const char *failing = getenv("FAILING");

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path);
    if (failing && length >= (ssize_t)strlen(failing) &&
        strncmp(path, failing, strlen(failing)) == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

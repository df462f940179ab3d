/* For LD_PRELOAD: a disk whose reads fail. Below $FAILING read(2) and pread(2) report EIO. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_below(int fd, const char *folder)
{
    char link[64], path[4096];

    if (!folder)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path);
    return length >= (ssize_t)strlen(folder) && strncmp(path, folder, strlen(folder)) == 0;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    if (is_below(fd, getenv("FAILING"))) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_read, fd, buffer, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
    if (is_below(fd, getenv("FAILING"))) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, fd, buffer, size, at);
}

ssize_t pread64(int fd, void *buffer, size_t size, off_t at)
{
    return pread(fd, buffer, size, at);
}

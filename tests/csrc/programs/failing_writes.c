/* For LD_PRELOAD: a disk that is full or fails. write(2), or the call that $CALL names, reports the
 * error $ERROR for a file whose path matches $FAILING. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "failing_paths.h"

static int reports(const char *call, int fd)
{
    const char *const chosen = getenv("CALL");

    if (strcmp(call, chosen ? chosen : "write") != 0 || !is_to_fail(fd))
        return 0;
    errno = atoi(getenv("ERROR"));
    return 1;
}

ssize_t write(int fd, const void *data, size_t size)
{
    return reports("write", fd) ? -1 : syscall(SYS_write, fd, data, size);
}

int fsync(int fd)
{
    return reports("fsync", fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

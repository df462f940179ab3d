/* named_scratch.c: put before the C library (LD_PRELOAD) by tests/csrc/files/test_read_refused.py:
 * a file system without files that have no name, and a process that is killed before it removes
 * one. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
    va_end(list);
    if ((flags & O_TMPFILE) != O_TMPFILE)
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
}

int unlink(const char *path)
{
    (void)path;
    return raise(SIGKILL);
}

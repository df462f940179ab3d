/* file_system.c: preloaded, every file lies on a file system of the type $TYPE (statfs(2)), and the
 * page cache drops no file once it was advised $DROPS times to do so. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int fstatfs(int fd, struct statfs *about)
{
    const int status = (int)syscall(SYS_fstatfs, fd, about);
    if (status == 0 && getenv("TYPE"))
        about->f_type = strtol(getenv("TYPE"), NULL, 16);
    return status;
}

int posix_fadvise(int fd, off_t from, off_t length, int advice)
{
    static int drops;
    if (advice == POSIX_FADV_DONTNEED && getenv("DROPS") && drops++ >= atoi(getenv("DROPS")))
        return 0;
    return (int)syscall(SYS_fadvise64, fd, from, length, advice);
}

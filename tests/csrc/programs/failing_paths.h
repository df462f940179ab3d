/* Which files a shim for LD_PRELOAD fails: those whose path matches the pattern $FAILING. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int is_to_fail(int fd)
{
    char link[64], path[4096];
    const char *const pattern = getenv("FAILING");

    if (!pattern)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return fnmatch(pattern, path, 0) == 0;
}

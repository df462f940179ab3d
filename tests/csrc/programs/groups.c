/* groups.c: put before the C library (LD_PRELOAD) by tests/csrc/files/test_cache_groups.py: folders
 * in GROUPS behave as control groups of version 2. One that is made has its files, whoever writes
 * to cgroup.procs is in, and one that is removed goes with its files. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const files[] = {"cgroup.procs", "memory.max", "memory.current", "memory.stat",
                                    "memory.limit_in_bytes"};
/* Of a limit of 8 MiB that is full: 7 MiB of it page cache. */
static const char *const holds[] = {"", "max", "8388608",
                                    "anon 4096\nfile 7340032\nkernel 1048576\n", "max"};

static int is_in_groups(const char *path)
{
    const char *const root = getenv("GROUPS");
    return root && strncmp(path, root, strlen(root)) == 0;
}

static void each_file(const char *folder, int make)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        const int fd = make ? open(path, O_WRONLY | O_CREAT, 0644) : -1;
        if (fd >= 0 && write(fd, holds[i], strlen(holds[i])) >= 0)
            close(fd);
        if (!make)
            unlink(path);
    }
}

/* $OWN_GROUP is this process's group, and GROUPS is where groups are mounted. Returns the path that
 * is opened instead, in `other` if it differs. */
static const char *mapped(const char *path, char other[PATH_MAX])
{
    static const char mounted[] = "/sys/fs/cgroup/";
    if (getenv("OWN_GROUP") && strcmp(path, "/proc/self/cgroup") == 0)
        return getenv("OWN_GROUP");
    if (!getenv("OWN_GROUP") || strncmp(path, mounted, strlen(mounted)) != 0)
        return path;
    snprintf(other, PATH_MAX, "%s/%s", getenv("GROUPS"), path + strlen(mounted));
    return other;
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*const real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    char other[PATH_MAX];
    return real(mapped(path, other), mode);
}

int open(const char *path, int flags, ...)
{
    int (*const real)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    char other[PATH_MAX];
    va_list list;
    va_start(list, flags);
    const int makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = makes ? va_arg(list, mode_t) : 0;
    va_end(list);
    return real(mapped(path, other), flags, mode);
}

DIR *opendir(const char *path)
{
    DIR *(*const real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    const int own = getenv("OWN_GROUP") && strcmp(path, "/sys/fs/cgroup") == 0;
    return real(own ? getenv("GROUPS") : path);
}

int mkdir(const char *path, mode_t mode)
{
    int (*const real)(const char *, mode_t) =
        (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
    const int status = real(path, mode);
    if (status == 0 && is_in_groups(path))
        each_file(path, 1);
    return status;
}

int rmdir(const char *path)
{
    int (*const real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "rmdir");
    if (is_in_groups(path)) {
        char copy[PATH_MAX], log[PATH_MAX + 32];
        snprintf(log, sizeof log, "%s/limit-of-the-last", getenv("GROUPS"));
        snprintf(copy, sizeof copy, "%s/%s", path,
                 getenv("OWN_GROUP") ? "memory.limit_in_bytes" : "memory.max");
        unlink(log);
        if (link(copy, log) < 0)
            return -1;
        each_file(path, 0);
    }
    return real(path);
}

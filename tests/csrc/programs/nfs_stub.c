/* nfs_stub.c: a library in the place of libnfs, for tests/csrc/files/test_remote.py. It has one
 * file of 1 MiB of sevens, /reckon-data at 127.0.0.77:/x. ORDER is the order of the last three
 * parameters of nfs_pread(): libnfs changed it without a new name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char context, file;

void *nfs_init_context(void)
{
    return &context;
}

void nfs_destroy_context(void *nfs)
{
    (void)nfs;
}

int nfs_set_version(void *nfs, int version)
{
    (void)nfs;
    return version == 3 || version == 4 ? 0 : -1;
}

void nfs_set_timeout(void *nfs, int ms)
{
    (void)nfs, (void)ms;
}

void nfs_set_autoreconnect(void *nfs, int count)
{
    (void)nfs, (void)count;
}

char *nfs_get_error(void *nfs)
{
    (void)nfs;
    return "the stub's error";
}

int nfs_mount(void *nfs, const char *server, const char *path)
{
    (void)nfs;
    return strcmp(server, "127.0.0.77") || strcmp(path, "/x");
}

int nfs_open(void *nfs, const char *path, int flags, void **handle)
{
    (void)nfs, (void)flags;
    *handle = &file;
    return strcmp(path, "/reckon-data");
}

int nfs_close(void *nfs, void *handle)
{
    (void)nfs, (void)handle;
    return 0;
}

int nfs_lseek(void *nfs, void *handle, int64_t offset, int whence, uint64_t *at)
{
    (void)nfs, (void)handle, (void)offset, (void)whence;
    *at = 1 << 20;
    return 0;
}

int nfs_pread(void *nfs, void *handle, ORDER)
{
    (void)nfs, (void)handle;
    if (count != 4096 || at % 4096 || at >= 1 << 20)
        return -5;
    memset(to, 7, count);
    return (int)count;
}

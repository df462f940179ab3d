#include "files/support/fio.h"

#include <stdarg.h>
#include <sys/mman.h>

void fio_add(struct fio_job *job, const char *format, ...)
{
    const size_t room = sizeof job->text - job->length;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(job->text + job->length, room, format, list);
    va_end(list);
    job->length += length < 0 || (size_t)length >= room ? room - 1 : (size_t)length;
}

void fio_begin(struct rk_context *c, struct fio_job *job)
{
    job->length = 0;
    fio_add(job,
            "[global]\nthread\nioengine=psync\nrw=randread\ndirect=1\nrandrepeat=0\n"
            "allow_file_create=0\nbs=%zu\nsize=%zu\n",
            rk_block_bytes(c), rk_file_bytes(c));
}

int fio_inherits(struct rk_context *c, int fd)
{
    return fcntl(fd, F_SETFD, 0) < 0 ? rk_failed(c, "fcntl", errno) : 0;
}

int fio_run(struct rk_context *c, struct rk_tool *fio, const struct fio_job *job,
            int64_t allowed_ms)
{
    *fio = (struct rk_tool){0};
    const int fd = memfd_create("reckon-job", 0); /* inherited */
    if (fd < 0)
        return rk_refused(c, "memfd_create", errno);
    int status = write(fd, job->text, job->length) == (ssize_t)job->length
                     ? 0
                     : rk_refused(c, "writing the job for fio", errno);
    if (!status)
        status = rk_tool_run(c, fio, "fio", allowed_ms,
                             "fio --readonly --output-format=json /proc/self/fd/%d", fd);
    close(fd);
    return status;
}

int fio_number(const char *from, const char *name, double *value)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\" : ", name);
    const char *const at = from ? strstr(from, key) : NULL;
    return at && sscanf(at + strlen(key), "%lf", value) == 1;
}

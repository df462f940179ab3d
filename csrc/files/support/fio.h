/* fio.h: fio(1) as a row: a job from memory, and what it prints. */
#ifndef RK_FIO_H
#define RK_FIO_H

#include "files/support/blocks.h"
#include "probe/tools.h"

#define FIO_JOB_MOST 16384

/* What a job file says so far (fio(1), job file format). */
struct fio_job {
    size_t length;
    char text[FIO_JOB_MOST];
};

__attribute__((format(printf, 2, 3))) static inline void fio_say(struct fio_job *job,
                                                                 const char *format, ...)
{
    const size_t room = sizeof job->text - job->length;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(job->text + job->length, room, format, list);
    va_end(list);
    job->length += length < 0 || (size_t)length >= room ? room - 1 : (size_t)length;
}

/* A file that fio is to read: a descriptor that it inherits, so that a file without a name will do,
 * and that it opens anew as /proc/self/fd/N. -1 with errno. */
static inline int fio_lend(const struct rk_blocks *b)
{
    return dup(b->fd);
}

/* Starts fio on the job and waits until it has ended, well; what it printed, as JSON, is in
 * tool->out. 0 or a status, with the reason set; tool_stop() in either case. */
static inline int fio_run(struct rk_context *c, struct tool *fio, const struct fio_job *job,
                          int64_t allowed_ms)
{
    char path[32];
    *fio = (struct tool){0};
    const int fd = memfd_create("reckon-job", 0); /* inherited */
    if (fd < 0)
        return rk_refused(c, "memfd_create", errno);
    int status = write(fd, job->text, job->length) == (ssize_t)job->length
                     ? 0
                     : rk_refused(c, "writing the job for fio", errno);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const char *const words[] = {"--readonly", "--output-format=json", path, NULL};
    status = status ? status : tool_start(c, fio, "fio", "fio", words, -1, allowed_ms);
    close(fd);
    return status ? status : tool_wait(c, fio);
}

/* The first number after `"name" :` behind `from` in JSON as fio prints it; 0 where there is none.
 */
static inline int fio_number(const char *from, const char *name, double *value)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\" : ", name);
    const char *const at = from ? strstr(from, key) : NULL;
    return at && sscanf(at + strlen(key), "%lf", value) == 1;
}

#endif

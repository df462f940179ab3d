/* fio.h: fio(1) as a probe: a job from memory, and its output. */
#ifndef RK_FIO_H
#define RK_FIO_H

#include "files/support/blocks.h"
#include "probe/tools.h"

#define FIO_JOB_MAX 65536 /* the numbers of as many CPUs as there can be take 40 KiB */

/* The text of a job file so far (fio(1), job file format). */
struct fio_job {
    size_t length;
    char text[FIO_JOB_MAX];
};

__attribute__((format(printf, 2, 3))) void fio_add(struct fio_job *job, const char *format, ...);

/* Begins a job of random direct reads, each block at most once, as Reckon's probes do them.
 * Threads, because fio's processes run in sessions of their own and would outlive it. */
void fio_begin(struct rk_context *c, struct fio_job *job);

/* Lets fio inherit the descriptor of a file, which it reopens as /proc/self/fd/N: the file needs no
 * name. 0 or a status. */
int fio_inherits(struct rk_context *c, int fd);

/* Runs fio on the job; its output, JSON, is in tool->text. 0 or a status, with the reason set;
 * rk_tool_stop() in either case. */
int fio_run(struct rk_context *c, struct rk_tool *fio, const struct fio_job *job,
            int64_t allowed_ms);

/* Reads the first number after `"name" :` behind `from` in fio's JSON. 0 if there is none. */
int fio_number(const char *from, const char *name, double *value);

#endif

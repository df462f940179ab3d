/* fio.h: fio(1) as a probe: a job from memory, and what it prints. */
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

__attribute__((format(printf, 2, 3))) void fio_say(struct fio_job *job, const char *format, ...);

/* A file that fio is to read: a descriptor that it inherits, so that a file without a name will do,
 * and that it reopens as /proc/self/fd/N. -1 with errno. */
int fio_lend(const struct rk_blocks *b);

/* Starts fio on the job and waits until it has ended, well; what it printed, as JSON, is in
 * tool->out. 0 or a status, with the reason set; tool_stop() in either case. */
int fio_run(struct rk_context *c, struct tool *fio, const struct fio_job *job, int64_t allowed_ms);

/* The first number after `"name" :` behind `from` in JSON as fio prints it; 0 where there is none.
 */
int fio_number(const char *from, const char *name, double *value);

#endif

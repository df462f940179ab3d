#include "cpu/support/task.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MOMENT_NS 500000
#define MOMENTS_MAX 20000 /* some ten seconds */

static void *block(void *argument)
{
    const struct blocked_tasks *tasks = argument;
    char byte = 0;
    if (write(tasks->arrived[1], &byte, 1) != 1)
        return NULL;
    while (read(tasks->release[0], &byte, 1) < 0 && errno == EINTR)
        ;
    return NULL;
}

/* Waits until all block, or the first task would be timed with all of them still to run. */
static int await_blocked(struct rk_context *c, const struct blocked_tasks *tasks)
{
    const struct timespec moment = {.tv_nsec = MOMENT_NS};
    int arrived = 0;
    for (int i = 0; i < MOMENTS_MAX; i++) {
        if (ioctl(tasks->arrived[0], FIONREAD, &arrived) < 0)
            return rk_failed(c, "ioctl", errno);
        nanosleep(&moment, NULL); /* one more after the last: from its write to its read */
        if (arrived >= tasks->count)
            return 0;
    }
    return rk_failed(c, "waiting until all tasks block", ETIMEDOUT);
}

int end_blocked(struct rk_context *c, struct blocked_tasks *tasks)
{
    int status = 0;
    if (!tasks->children && !tasks->threads)
        return 0;
    if (tasks->release[1] >= 0)
        close(tasks->release[1]); /* every task reads the end of the file and ends */
    for (int64_t i = 0; i < tasks->count; i++) {
        const int ended =
            tasks->children ? wait_child(c, tasks->children[i]) : join(c, tasks->threads[i]);
        status = status ? status : ended;
    }
    const int others[] = {tasks->release[0], tasks->arrived[0], tasks->arrived[1]};
    for (int i = 0; i < 3; i++)
        if (others[i] >= 0)
            close(others[i]);
    free(tasks->children);
    free(tasks->threads);
    *tasks = (struct blocked_tasks){0};
    return status;
}

/* Starts one more. 0 or a status. */
static int start_one(struct rk_context *c, struct blocked_tasks *tasks)
{
    if (tasks->threads) {
        const int error = pthread_create(&tasks->threads[tasks->count], NULL, block, tasks);
        return error ? rk_refused(c, "pthread_create", error) : 0;
    }
    const pid_t child = fork();
    if (child < 0)
        return rk_refused(c, "fork", errno);
    if (child == 0) {
        close(tasks->release[1]);
        block(tasks);
        _exit(0);
    }
    tasks->children[tasks->count] = child;
    return 0;
}

int start_blocked(struct rk_context *c, struct blocked_tasks *tasks, int64_t count,
                  enum task_kind kind)
{
    *tasks = (struct blocked_tasks){.release = {-1, -1}, .arrived = {-1, -1}};
    if (!count)
        return 0;
    if (kind == PROCESSES)
        tasks->children = calloc((size_t)count, sizeof *tasks->children);
    else
        tasks->threads = calloc((size_t)count, sizeof *tasks->threads);
    if (!tasks->children && !tasks->threads)
        return rk_failed(c, "calloc", ENOMEM);
    int status =
        pipe(tasks->release) < 0 || pipe(tasks->arrived) < 0 ? rk_refused(c, "pipe", errno) : 0;
    while (!status && tasks->count < count) {
        status = start_one(c, tasks);
        if (!status)
            tasks->count++;
    }
    return status ? status : await_blocked(c, tasks);
}

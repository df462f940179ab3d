/* task.h: children and threads for cpu/task. Whatever is started here is ended and reaped
 * here, also when something fails half-way. */
#ifndef RK_TASK_H
#define RK_TASK_H

#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/stamps.h"

/* Waits for a child that has to end with status 0. */
static inline int reap(struct rk_context *c, pid_t child)
{
    int status;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended != child)
        return rk_failed(c, "waitpid", errno);
    return status == 0 ? 0 : rk_failed(c, "the child did not end as it should", ECHILD);
}

static void *nothing(void *unused)
{
    return unused;
}

static inline int join(struct rk_context *c, pthread_t thread)
{
    const int error = pthread_join(thread, NULL);
    return error ? rk_failed(c, "pthread_join", error) : 0;
}

/* --- others alive meanwhile ---
 * `alive` processes or threads that block on an empty pipe until it is closed. */
struct crowd {
    int64_t size;
    int gate[2], arrived[2];
    pid_t *children; /* NULL: the crowd is of threads */
    pthread_t *threads;
};

static void *wait_at_gate(void *given)
{
    const struct crowd *crowd = given;
    char byte = 0;
    if (write(crowd->arrived[1], &byte, 1) != 1)
        return NULL;
    while (read(crowd->gate[0], &byte, 1) < 0 && errno == EINTR)
        ;
    return NULL;
}

/* Until everyone blocks, or the first task would be timed with all of them still to run. */
static inline int await_crowd(struct rk_context *c, const struct crowd *crowd)
{
    const struct timespec moment = {.tv_nsec = 500000};
    int arrived = 0;
    for (int tries = 0; tries < 20000; tries++) { /* some ten seconds */
        if (ioctl(crowd->arrived[0], FIONREAD, &arrived) < 0)
            return rk_failed(c, "ioctl", errno);
        nanosleep(&moment, NULL); /* one more after the last: from its write to its read */
        if (arrived >= crowd->size)
            return 0;
    }
    return rk_failed(c, "not everyone who was started arrived", ETIMEDOUT);
}

/* Also of a crowd that was never gathered, or is dismissed already. */
static inline int dismiss(struct rk_context *c, struct crowd *crowd, int status)
{
    if (!crowd->children && !crowd->threads)
        return status;
    if (crowd->gate[1] >= 0)
        close(crowd->gate[1]); /* everyone reads the end of the file */
    for (int64_t i = 0; i < crowd->size; i++) {
        const int ended =
            crowd->children ? reap(c, crowd->children[i]) : join(c, crowd->threads[i]);
        status = status ? status : ended;
    }
    const int others[] = {crowd->gate[0], crowd->arrived[0], crowd->arrived[1]};
    for (int i = 0; i < 3; i++)
        if (others[i] >= 0)
            close(others[i]);
    free(crowd->children);
    free(crowd->threads);
    *crowd = (struct crowd){0};
    return status;
}

static inline int gather(struct rk_context *c, struct crowd *crowd, int64_t alive, int processes)
{
    *crowd = (struct crowd){.gate = {-1, -1}, .arrived = {-1, -1}};
    if (!alive)
        return 0;
    void *members = calloc((size_t)alive, processes ? sizeof(pid_t) : sizeof(pthread_t));
    crowd->children = processes ? members : NULL;
    crowd->threads = processes ? NULL : members;
    if (!members)
        return rk_failed(c, "calloc", ENOMEM);
    if (pipe(crowd->gate) < 0 || pipe(crowd->arrived) < 0)
        return dismiss(c, crowd, rk_refused(c, "pipe", errno));
    for (; crowd->size < alive; crowd->size++) {
        if (!processes) {
            const int error =
                pthread_create(&crowd->threads[crowd->size], NULL, wait_at_gate, crowd);
            if (error)
                return dismiss(c, crowd, rk_refused(c, "pthread_create", error));
            continue;
        }
        const pid_t child = fork();
        if (child < 0)
            return dismiss(c, crowd, rk_refused(c, "fork", errno));
        if (child == 0) {
            close(crowd->gate[1]);
            wait_at_gate(crowd);
            _exit(0);
        }
        crowd->children[crowd->size] = child;
    }
    const int status = await_crowd(c, crowd);
    return status ? dismiss(c, crowd, status) : 0;
}

#endif

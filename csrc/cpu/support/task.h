/* task.h: children and threads for cpu/task. All that are started are ended and waited for, also
 * after a failure. */
#ifndef RK_TASK_H
#define RK_TASK_H

#include <pthread.h>

#include "probe/children.h"
#include "probe/stamps.h"

static inline int wait_child(struct rk_context *c, pid_t child)
{
    return rk_wait_child(c, child, "the child");
}

static inline void *nothing(void *unused)
{
    return unused;
}

static inline int join(struct rk_context *c, pthread_t thread)
{
    const int error = pthread_join(thread, NULL);
    return error ? rk_failed(c, "pthread_join", error) : 0;
}

/* Processes or threads that block on an empty pipe until it is closed. */
struct blocked_tasks {
    int64_t count;
    int release[2];  /* each task blocks on it until it is closed */
    int arrived[2];  /* each task writes a byte before it blocks */
    pid_t *children; /* NULL: they are threads */
    pthread_t *threads;
};

enum task_kind { PROCESSES, THREADS };

/* Starts `count` of them and waits until all block. 0 or a status; end_blocked() is due in
 * either case. */
int start_blocked(struct rk_context *, struct blocked_tasks *, int64_t count, enum task_kind);

/* Ends them and waits for their ends, also where none was started. 0 or a status. */
int end_blocked(struct rk_context *, struct blocked_tasks *);

#endif

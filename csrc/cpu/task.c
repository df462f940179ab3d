/* cpu/task: creating a process or a thread, running it, and waiting for its end. */
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "probe/region.h"
#include "cpu/support/task.h"

/* --- methods of creating a process --- */

extern char **environ;

/* The program that these probes run, located before anything is timed. */
static char program[PATH_MAX];
static char *const arguments[] = {program, NULL};

static int find_program(struct rk_context *c, const char *name)
{
    if (rk_beside(name, program) == 0)
        return 0;
    if (strcmp(name, "reckon-blank") == 0)
        return rk_unsupported(c, "reckon-blank is not beside the library; run `make lib`");
    return rk_unsupported(c,
                          "the C library has no static form here, so there is no static program");
}

/* Each returns the child, or -1 with errno. */
#define CREATE(function, fork_or_vfork, in_the_child)                                              \
    static pid_t function(void)                                                                    \
    {                                                                                              \
        const pid_t child = fork_or_vfork();                                                       \
        if (child == 0) {                                                                          \
            in_the_child;                                                                          \
            _exit(127);                                                                            \
        }                                                                                          \
        return child;                                                                              \
    }

CREATE(by_fork, fork, _exit(0))
CREATE(by_vfork, vfork, _exit(0))
CREATE(by_fork_exec, fork, execve(program, arguments, environ))
CREATE(by_vfork_exec, vfork, execve(program, arguments, environ))

static pid_t by_posix_spawn(void)
{
    pid_t child;
    errno = posix_spawn(&child, program, NULL, NULL, arguments, environ);
    return errno ? -1 : child;
}

/* Creates a child and waits for it, n times; `with_wait` says whether the wait is timed. */
static int create_and_wait(struct rk_context *c, struct rk_sample *out, size_t n,
                           pid_t (*create)(void), int with_wait)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        const pid_t child = create();
        uint64_t end = rk_end();
        if (child < 0)
            return rk_refused(c, "creating a process", errno);
        const int status = wait_child(c, child);
        if (with_wait)
            end = rk_end();
        if (status)
            return status;
        out[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    return 0;
}

/* --- memory and other tasks that exist during the measurement --- */

struct background {
    struct blocked_tasks others;
    struct rk_region region;
};

/* The parent's memory. Touching it leaves the caches and the free lists in an unusual state, so
 * one untimed creation follows. */
static int map_resident(struct rk_context *c, pid_t (*create)(void))
{
    struct background *background = rk_state(c);
    struct rk_sample unused;
    const int huge = rk_wants_huge(c);
    const int status =
        huge < 0 ? huge
                 : rk_map(c, &background->region, (size_t)rk_integer(c, "resident_bytes"), huge);
    return status || !background->region.start ? status : create_and_wait(c, &unused, 1, create, 1);
}

static int open_fork(struct rk_context *c)
{
    struct background *background = rk_state(c);
    const int status = start_blocked(c, &background->others, rk_integer(c, "alive"), PROCESSES);
    return status ? status : map_resident(c, by_fork);
}

static int open_vfork(struct rk_context *c)
{
    return map_resident(c, by_vfork);
}

static int open_posix_spawn(struct rk_context *c)
{
    const int status = find_program(c, "reckon-blank");
    return status ? status : map_resident(c, by_posix_spawn);
}

static int open_thread(struct rk_context *c)
{
    struct background *background = rk_state(c);
    return start_blocked(c, &background->others, rk_integer(c, "alive"), THREADS);
}

static int close_background(struct rk_context *c)
{
    struct background *background = rk_state(c);
    rk_unmap(&background->region);
    return end_blocked(c, &background->others);
}

static int open_program(struct rk_context *c)
{
    return find_program(c, "reckon-blank");
}

static int open_static_program(struct rk_context *c)
{
    return find_program(c, "reckon-blank-static");
}

#define CREATE_AND_WAIT(function, create, with_wait)                                               \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        return create_and_wait(c, out, n, create, with_wait);                                      \
    }

CREATE_AND_WAIT(run_fork, by_fork, 1)
CREATE_AND_WAIT(run_fork_return, by_fork, 0)
CREATE_AND_WAIT(run_vfork, by_vfork, 1)
CREATE_AND_WAIT(run_posix_spawn, by_posix_spawn, 1)
CREATE_AND_WAIT(run_fork_exec, by_fork_exec, 1)
CREATE_AND_WAIT(run_vfork_exec, by_vfork_exec, 1)

/* --- threads --- */

static int create_and_join(struct rk_context *c, struct rk_sample *out, size_t n, int with_wait)
{
    for (size_t i = 0; i < n; i++) {
        pthread_t thread;
        const uint64_t begin = rk_begin();
        const int error = pthread_create(&thread, NULL, nothing, NULL);
        uint64_t end = rk_end();
        if (error)
            return rk_refused(c, "pthread_create", error);
        const int status = join(c, thread);
        if (with_wait)
            end = rk_end();
        if (status)
            return status;
        out[i] = (struct rk_sample){(int64_t)(end - begin), 1};
    }
    return 0;
}

static int run_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return create_and_join(c, out, n, 1);
}

static int run_thread_return(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return create_and_join(c, out, n, 0);
}

/* --- mbp2016: t(2n) - t(n) --- */

static int run_mbp2016_process(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int status = 0, refused = 0;
    RK_TIME_DIFFERENCE(out, n, rk_integer(c, "tasks"), {
        const pid_t child = by_fork();
        const int ended = child < 0 ? 0 : wait_child(c, child);
        refused = child < 0 ? errno : refused;
        status = status ? status : ended;
    });
    return refused ? rk_refused(c, "fork", refused) : status;
}

static int run_mbp2016_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int status = 0, refused = 0;
    RK_TIME_DIFFERENCE(out, n, rk_integer(c, "tasks"), {
        pthread_t thread;
        const int error = pthread_create(&thread, NULL, nothing, NULL);
        const int ended = error ? 0 : join(c, thread);
        refused = error ? error : refused;
        status = status ? status : ended;
    });
    return refused ? rk_refused(c, "pthread_create", refused) : status;
}

#define ALIVE(what)                                                                                \
    RK_INTEGER("alive", 0, 0, 4096, what " alive and blocked during the measurement")
#define RESIDENT                                                                                   \
    RK_INTEGER("resident_bytes", 0, 0, (int64_t)1 << 40,                                           \
               "memory that the caller has touched before, beside its own"),                       \
        RK_PAGES
#define TASKS RK_PARAMS(RK_INTEGER("tasks", 10, 1, 100000, "n"))

RK_PROBE("cpu/task/fork", .op = "task",
         .timed = "fork(), _exit(0) in the child, waitpid() in the parent",
         .params = RK_PARAMS(ALIVE("child processes"), RESIDENT),
         RK_STAGES(struct background, open_fork, run_fork, close_background));
RK_PROBE("cpu/task/vfork", .op = "task",
         .timed = "vfork(), _exit(0) in the child, waitpid() in the parent",
         .params = RK_PARAMS(RESIDENT),
         RK_STAGES(struct background, open_vfork, run_vfork, close_background));
RK_PROBE("cpu/task/posix_spawn", .op = "task",
         .timed = "posix_spawn() of an empty program, waitpid() in the parent",
         .params = RK_PARAMS(RESIDENT),
         RK_STAGES(struct background, open_posix_spawn, run_posix_spawn, close_background));
RK_PROBE("cpu/task/fork_return", .op = "task",
         .timed = "fork(), until it returns in the parent; no wait inside",
         .trials = run_fork_return);
RK_PROBE("cpu/task/fork_exec", .op = "task",
         .timed = "fork(), execve() of an empty program in the child, waitpid() in the parent",
         .open = open_program, .trials = run_fork_exec);
RK_PROBE("cpu/task/fork_exec_static", .op = "task",
         .timed = "fork(), execve() of an empty static program in the child, waitpid()",
         .open = open_static_program, .trials = run_fork_exec);
RK_PROBE("cpu/task/vfork_exec", .op = "task",
         .timed = "vfork(), execve() of an empty program in the child, waitpid() in the parent",
         .open = open_program, .trials = run_vfork_exec);
RK_PROBE("cpu/task/thread", .op = "task",
         .timed = "pthread_create() of an empty thread and pthread_join()",
         .params = RK_PARAMS(ALIVE("threads")),
         RK_STAGES(struct background, open_thread, run_thread, close_background));
RK_PROBE("cpu/task/thread_return", .op = "task",
         .timed = "pthread_create(), until it returns to the creator; no join inside",
         .trials = run_thread_return);
RK_PROBE("cpu/task/mbp2016_process", .op = "task", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n times fork(), exit in the child, waitpid() (the report does "
                  "not say if it waits)",
         .params = TASKS, .trials = run_mbp2016_process);
RK_PROBE("cpu/task/mbp2016_thread", .op = "task", .reports = "mbp2016",
         .timed = "t(2n) - t(n) of n times pthread_create() and pthread_join() (the report does "
                  "not say if it waits)",
         .params = TASKS, .trials = run_mbp2016_thread);

/* cpu/task by the methods of the reports that compiled without optimisation. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/support/round_robin.h"
#include "cpu/support/task.h"

/* The most children that are dead and not yet waited for at any time. */
#define ZOMBIES 64

/* The empty loop between stamps includes both overheads that t470 subtracts. */
#define MINUS_TIMER_AND_LOOP(sample, count)                                                        \
    do {                                                                                           \
        struct rk_sample loop_;                                                                    \
        RK_TIME_BARE(&loop_, 1, for (int64_t k = 0; k < (count); k++){});                          \
        (sample)->ticks -= loop_.ticks;                                                            \
    } while (0)

/* t470: forks in a loop with no wait between the stamps. The report left 10,000 zombies; here the
 * clock is stopped after every 64 to wait for them. */
static int run_t470_fork(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t tasks = rk_integer(c, "tasks");
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct rk_sample){0, (uint64_t)tasks};
        for (int64_t done = 0; done < tasks; done += ZOMBIES) {
            const int64_t more = tasks - done < ZOMBIES ? tasks - done : ZOMBIES;
            pid_t children[ZOMBIES];
            int64_t created = 0;
            int error = 0, status = 0;
            struct rk_sample chunk;
            RK_TIME_BARE(
                &chunk, 1, for (; created < more; created++) {
                    const pid_t child = fork();
                    if (child == 0)
                        _exit(0);
                    if (child < 0) {
                        error = errno;
                        break;
                    }
                    children[created] = child;
                });
            for (int64_t k = 0; k < created; k++) {
                const int ended = wait_child(c, children[k]);
                status = status ? status : ended;
            }
            if (error || status)
                return error ? rk_refused(c, "fork", error) : status;
            MINUS_TIMER_AND_LOOP(&chunk, more);
            out[i].ticks += chunk.ticks;
        }
    }
    return 0;
}

static int run_t470_fork_exec(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t tasks = rk_integer(c, "tasks");
    char program[PATH_MAX];
    if (rk_beside("reckon-blank", program) < 0)
        return rk_unsupported(c, "reckon-blank is not beside the library; run `make lib`");
    char *const arguments[] = {program, NULL};
    for (size_t i = 0; i < n; i++) {
        int error = 0, status = 0;
        RK_TIME_BARE(
            out + i, 1, for (int64_t k = 0; k < tasks && !error && !status; k++) {
                const pid_t child = fork();
                if (child == 0) {
                    execv(program, arguments);
                    _exit(127);
                }
                if (child < 0)
                    error = errno;
                else
                    status = wait_child(c, child);
            });
        if (error || status)
            return error ? rk_refused(c, "fork", error) : status;
        out[i].ops = (uint64_t)tasks;
        MINUS_TIMER_AND_LOOP(out + i, tasks);
    }
    return 0;
}

static int run_t470_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t tasks = rk_integer(c, "tasks");
    for (size_t i = 0; i < n; i++) {
        int error = 0, status = 0;
        RK_TIME_BARE(
            out + i, 1, for (int64_t k = 0; k < tasks && !error && !status; k++) {
                pthread_t thread;
                error = pthread_create(&thread, NULL, nothing, NULL);
                if (!error)
                    status = join(c, thread);
            });
        if (error || status)
            return error ? rk_refused(c, "pthread_create", error) : status;
        out[i].ops = (uint64_t)tasks;
        MINUS_TIMER_AND_LOOP(out + i, tasks);
    }
    return 0;
}

/* x510uq and i7_10750h: fork() or pthread_create() alone between CPUID-fenced stamps; the child
 * ends at once and is waited for outside. */
static int run_fork_alone(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pid_t child;
        RK_TIME_PAOLONI(out + i, 1, {
            child = fork();
            if (child == 0)
                _exit(0);
        });
        const int status = child < 0 ? rk_refused(c, "fork", errno) : wait_child(c, child);
        if (status)
            return status;
    }
    return 0;
}

static int run_x510uq_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pthread_t thread;
        int error;
        RK_TIME_PAOLONI(out + i, 1, error = pthread_create(&thread, NULL, nothing, NULL));
        const int status = error ? rk_refused(c, "pthread_create", error) : join(c, thread);
        if (status)
            return status;
    }
    return 0;
}

static int run_i7_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pthread_t thread;
        int error, status = 0;
        RK_TIME_PAOLONI(out + i, 1, {
            error = pthread_create(&thread, NULL, nothing, NULL);
            if (!error)
                status = join(c, thread);
        });
        if (error || status)
            return error ? rk_refused(c, "pthread_create", error) : status;
    }
    return 0;
}

/* hpe_i7_860: under SCHED_RR 99, from before the creation until the first of the two runs after it:
 * both stamp the time, and the smaller one counts. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int first_of_process(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t high, low;
        uint64_t other_stamp = 0;
        int pipe_ends[2];
        if (pipe(pipe_ends) < 0)
            return rk_refused(c, "pipe", errno);
        RK_PAOLONI_BEGIN(high, low);
        const uint64_t begin = RK_JOIN(high, low);
        const pid_t child = fork();
        RK_PAOLONI_END(high, low);
        const uint64_t own_stamp = RK_JOIN(high, low);
        if (child == 0)
            _exit(write(pipe_ends[1], &own_stamp, sizeof own_stamp) != sizeof own_stamp);
        close(pipe_ends[1]);
        const int received =
            child > 0 && read(pipe_ends[0], &other_stamp, sizeof other_stamp) == sizeof other_stamp;
        close(pipe_ends[0]);
        const int status = child < 0 ? rk_refused(c, "fork", errno) : wait_child(c, child);
        if (status || !received)
            return status ? status : rk_failed(c, "the child reported no time", EPIPE);
        out[i] = (struct rk_sample){(int64_t)(earlier(own_stamp, other_stamp) - begin), 1};
    }
    return 0;
}

static void *stamp(void *slot)
{
    uint32_t high, low;
    RK_PAOLONI_END(high, low);
    *(volatile uint64_t *)slot = RK_JOIN(high, low);
    return NULL;
}

static int first_of_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t high, low;
        uint64_t own_stamp, other_stamp = 0;
        pthread_t thread;
        RK_PAOLONI_BEGIN(high, low);
        const uint64_t begin = RK_JOIN(high, low);
        const int error = pthread_create(&thread, NULL, stamp, &other_stamp);
        stamp(&own_stamp);
        const int status = error ? rk_refused(c, "pthread_create", error) : join(c, thread);
        if (status)
            return status;
        out[i] = (struct rk_sample){(int64_t)(earlier(own_stamp, other_stamp) - begin), 1};
    }
    return 0;
}

#define TASKS(default_) RK_PARAMS(RK_INTEGER("tasks", default_, 1, 1000000, "tasks a trial"))

RK_PROBE("cpu/task/t470_fork", .op = "task", .reports = "t470",
         .timed =
             "forks in a loop with no wait inside, the children exit at once, minus the stamps and "
             "the empty loop (the report: 10,000; here every 64 are reaped, untimed)",
         .params = TASKS(64), .needs = RK_NEEDS_STAMPS, .trials = run_t470_fork);
RK_PROBE("cpu/task/t470_fork_exec", .op = "task", .reports = "t470",
         .timed = "fork(), execv() of an empty program and wait() in a loop, minus the stamps and "
                  "the empty loop (the report: 10,000)",
         .params = TASKS(10), .needs = RK_NEEDS_STAMPS, .trials = run_t470_fork_exec);
RK_PROBE("cpu/task/t470_thread", .op = "task", .reports = "t470",
         .timed = "pthread_create() and pthread_join() in a loop, minus the stamps and the empty "
                  "loop (the report: 10,000)",
         .params = TASKS(100), .needs = RK_NEEDS_STAMPS, .trials = run_t470_thread);
RK_PROBE("cpu/task/x510uq_fork", .op = "task", .reports = "x510uq",
         .timed = "fork() alone between CPUID-fenced stamps, no wait inside",
         .needs = RK_NEEDS_STAMPS, .trials = run_fork_alone);
RK_PROBE("cpu/task/x510uq_thread", .op = "task", .reports = "x510uq",
         .timed = "pthread_create() alone between CPUID-fenced stamps, no join inside",
         .needs = RK_NEEDS_STAMPS, .trials = run_x510uq_thread);
RK_PROBE("cpu/task/i7_10750h_fork", .op = "task", .reports = "i7_10750h",
         .timed = "fork() until the parent goes on, between CPUID-fenced stamps, no wait inside",
         .needs = RK_NEEDS_STAMPS, .trials = run_fork_alone);
RK_PROBE("cpu/task/i7_10750h_thread", .op = "task", .reports = "i7_10750h",
         .timed = "pthread_create() and pthread_join() between CPUID-fenced stamps",
         .needs = RK_NEEDS_STAMPS, .trials = run_i7_thread);
RK_PROBE("cpu/task/hpe_i7_860_process", .op = "task", .reports = "hpe_i7_860",
         .timed = "fork() until parent or child goes on, whichever is first, under SCHED_RR 99",
         .needs = RK_NEEDS_STAMPS,
         RK_STAGES(struct scheduling, open_round_robin, first_of_process, close_round_robin));
RK_PROBE(
    "cpu/task/hpe_i7_860_thread", .op = "task", .reports = "hpe_i7_860",
    .timed =
        "pthread_create() until creator or thread goes on, whichever is first, under SCHED_RR 99",
    .needs = RK_NEEDS_STAMPS,
    RK_STAGES(struct scheduling, open_round_robin, first_of_thread, close_round_robin));

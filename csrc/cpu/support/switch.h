/* switch.h: two tasks, processes or threads, that pass a token to each other, for cpu/switch.
 *
 * The task that passes the token cannot go on until it comes back, so on one CPU every pass is a
 * context switch: `turns` there and back are 2 x `turns` switches (a test counts them with
 * getrusage). */
#ifndef RK_SWITCH_H
#define RK_SWITCH_H

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/stamps.h"

enum means { BY_PIPE, BY_EVENTFD, BY_FUTEX };
enum partner { A_PROCESS, A_THREAD };

/* What carries the token there and back. Of two descriptors, 0 is read and 1 written. */
struct channel {
    enum means means;
    int request[2], reply[2];
    _Atomic uint32_t *turn; /* by futex: 0 our turn, 1 the partner's. Always: 2 means stop */
    int futex_flags; /* FUTEX_PRIVATE_FLAG between threads, as mutexes of a C library have it */
};

/* A probe's variant. `answer` is the partner's loop: a pointer, so that each file uses its own
 * copy, compiled with its own optimisation, as part of what is timed. */
struct pair_kind {
    enum means means;
    enum partner partner;
    int across; /* the partner is on another CPU */
    void (*answer)(const struct channel *);
};

struct pair {
    struct channel channel;
    const struct pair_kind *kind;
    pid_t child;
    pthread_t thread;
};

/* A pair, and a pipe that this process uses alone: its cost is subtracted. */
struct pair_beside_pipe {
    struct pair pair;
    struct channel own;
};

/* --- one pass ---
 * A token is 8 bytes, because an eventfd takes no other. Both return 0 on success, else 1. */
static inline int put(int fd)
{
    const uint64_t token = 1;
    ssize_t done;
    do
        done = write(fd, &token, sizeof token);
    while (done < 0 && errno == EINTR);
    return done != sizeof token;
}

static inline int get(int fd)
{
    uint64_t token;
    ssize_t done;
    do
        done = read(fd, &token, sizeof token);
    while (done < 0 && errno == EINTR);
    return done != sizeof token;
}

static inline int pass_turn(const struct channel *channel, uint32_t to)
{
    atomic_store(channel->turn, to);
    return syscall(SYS_futex, channel->turn, FUTEX_WAKE | channel->futex_flags, 1, NULL, NULL, 0) <
           0;
}

static inline int await_turn(const struct channel *channel, uint32_t mine)
{
    for (;;) {
        const uint32_t now = atomic_load(channel->turn);
        if (now == mine)
            return 0;
        if (now == 2)
            return 1;
        if (syscall(SYS_futex, channel->turn, FUTEX_WAIT | channel->futex_flags, now, NULL, NULL,
                    0) < 0 &&
            errno != EAGAIN && errno != EINTR)
            return 1;
    }
}

/* There and back, by the task that begins. */
static inline int turn_around(const struct channel *channel)
{
    if (channel->means == BY_FUTEX)
        return pass_turn(channel, 1) || await_turn(channel, 0);
    return put(channel->request[1]) || get(channel->reply[0]);
}

/* The partner: answers until the other task stops. */
static inline void answer(const struct channel *channel)
{
    if (channel->means == BY_FUTEX)
        while (!await_turn(channel, 1) && !pass_turn(channel, 0))
            ;
    else /* an eventfd has no end of file, so `turn` marks the end */
        while (!get(channel->request[0]) && atomic_load(channel->turn) != 2 &&
               !put(channel->reply[1]))
            ;
}

/* --- open and close of probes whose state is, or begins with, a pair; or of pipes alone --- */

#define TOKEN_LOST(c) rk_failed(c, "the token was lost", EPIPE)

int open_channel(struct rk_context *, struct channel *, enum means); /* 0 or a status */
void close_channel(struct channel *); /* also of a channel that was never opened */
int open_pair(struct rk_context *);
int close_pair(struct rk_context *);
int open_beside_pipe(struct rk_context *);
int close_beside_pipe(struct rk_context *);
int open_pipes(struct rk_context *);
int close_pipes(struct rk_context *);

/* The fields of a probe of two tasks: its trials, then the rest of its struct pair_kind. */
#define PAIR(trials_, ...)                                                                         \
    RK_STAGES(struct pair, open_pair, trials_, close_pair),                                        \
        RK_VARIANT(struct pair_kind, .answer = answer, __VA_ARGS__)
#define PAIR_AND_PIPE(trials_, partner_)                                                           \
    RK_STAGES(struct pair_beside_pipe, open_beside_pipe, trials_, close_beside_pipe),              \
        RK_VARIANT(struct pair_kind, .answer = answer, .means = BY_PIPE, .partner = partner_)
#define PIPES_ALONE(trials_) RK_STAGES(struct channel, open_pipes, trials_, close_pipes)

#endif

/* switch.h: two parties that hand a token to each other, for cpu/switch.
 *
 * The party that gives the token cannot go on until it comes back, so on one CPU every pass is a
 * context switch: `turns` there and back are 2 x `turns` switches (a test counts them with
 * getrusage). */
#ifndef RK_SWITCH_H
#define RK_SWITCH_H

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/children.h"
#include "probe/cpus.h"
#include "probe/stamps.h"

enum means { BY_PIPE, BY_EVENTFD, BY_FUTEX };
enum partner { A_PROCESS, A_THREAD };

/* The way from one party to the other and back. Of two descriptors, 0 is read and 1 written. */
struct link {
    enum means means;
    int there[2], back[2];
    _Atomic uint32_t *turn; /* BY_FUTEX: whose turn it is: 0 ours, 1 the partner's. 2: it is over */
};

struct pair {
    struct link link;
    enum partner partner;
    pid_t child;
    pthread_t thread;
};

/* --- one pass ---
 * A token is 8 bytes, because an eventfd takes no other. Both return 0 only if it went through. */
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

static inline int hand_turn(_Atomic uint32_t *turn, uint32_t to)
{
    atomic_store(turn, to);
    return syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0) < 0;
}

static inline int await_turn(_Atomic uint32_t *turn, uint32_t mine)
{
    for (;;) {
        const uint32_t now = atomic_load(turn);
        if (now == mine)
            return 0;
        if (now == 2)
            return 1;
        if (syscall(SYS_futex, turn, FUTEX_WAIT, now, NULL, NULL, 0) < 0 && errno != EAGAIN &&
            errno != EINTR)
            return 1;
    }
}

/* There and back, as the party that begins sees it. */
static inline int turn_around(const struct link *link)
{
    if (link->means == BY_FUTEX)
        return hand_turn(link->turn, 1) || await_turn(link->turn, 0);
    return put(link->there[1]) || get(link->back[0]);
}

/* The partner: answers until nothing more comes. */
static void answer(const struct link *link)
{
    if (link->means == BY_FUTEX)
        while (!await_turn(link->turn, 1) && !hand_turn(link->turn, 0))
            ;
    else /* an eventfd has no end of file, so `turn` says when it is over */
        while (!get(link->there[0]) && atomic_load(link->turn) != 2 && !put(link->back[1]))
            ;
}

static void *answer_thread(void *link)
{
    answer(link);
    return NULL;
}

/* --- a pair --- */

/* Also of a link that was never opened, or is closed already. */
static inline void close_link(struct link *link)
{
    if (!link->turn)
        return;
    const int open[] = {link->there[0], link->there[1], link->back[0], link->back[1]};
    for (int i = 0; i < 4; i++)
        if (open[i] >= 0 && (i % 2 == 0 || open[i] != open[i - 1]))
            close(open[i]);
    munmap((void *)link->turn, 4096);
    link->turn = NULL;
}

static inline int open_link(struct rk_context *c, struct link *link, enum means means)
{
    *link = (struct link){.means = means, .there = {-1, -1}, .back = {-1, -1}};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    link->turn = page;
    int bad = 0;
    if (means == BY_PIPE)
        bad = pipe(link->there) < 0 || pipe(link->back) < 0;
    if (means == BY_EVENTFD) {
        link->there[0] = link->there[1] = eventfd(0, 0);
        link->back[0] = link->back[1] = eventfd(0, 0);
        bad = link->there[0] < 0 || link->back[0] < 0;
    }
    if (!bad)
        return 0;
    const int error = errno;
    close_link(link);
    return rk_refused(c, means == BY_PIPE ? "pipe" : "eventfd", error);
}

static inline int part(struct rk_context *c, struct pair *pair, int status)
{
    struct link *link = &pair->link;
    if (!link->turn)
        return status; /* they never met */
    atomic_store(link->turn, 2);
    if (link->means == BY_FUTEX)
        syscall(SYS_futex, link->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
    else
        put(link->there[1]); /* wakes the partner, which then sees that it is over */
    int ended = 0;
    if (pair->partner == A_PROCESS)
        ended = rk_wait_child(c, pair->child, "the partner");
    else
        pthread_join(pair->thread, NULL);
    close_link(link);
    return status ? status : ended;
}

/* Starts the partner: on `cpu`, or where this party runs if that is -1. */
static inline int meet(struct rk_context *c, struct pair *pair, enum means means,
                       enum partner partner, int cpu)
{
    int status = open_link(c, &pair->link, means), error = 0;
    pair->partner = partner;
    if (status)
        return status;
    if (partner == A_PROCESS) {
        pair->child = fork();
        if (pair->child == 0) {
            rk_die_with_parent();
            answer(&pair->link);
            _exit(0);
        }
        error = pair->child < 0 ? errno : 0;
        if (!error && means == BY_PIPE) { /* so that a partner that died is the end of the file */
            close(pair->link.there[0]);
            close(pair->link.back[1]);
            pair->link.there[0] = pair->link.back[1] = -1;
        }
    } else {
        error = pthread_create(&pair->thread, NULL, answer_thread, &pair->link);
    }
    if (error) {
        close_link(&pair->link);
        return rk_refused(c, partner == A_PROCESS ? "fork" : "pthread_create", error);
    }
    if (cpu >= 0) {
        error = partner == A_PROCESS ? rk_pin_process(pair->child, cpu)
                                     : rk_pin_thread(pair->thread, cpu);
        if (error)
            return part(c, pair, rk_refused(c, "sched_setaffinity", error));
    }
    /* One turn that nobody times: the partner's own beginning is not a switch. */
    return turn_around(&pair->link) ? part(c, pair, rk_failed(c, "the token was lost", EPIPE)) : 0;
}

/* --- for rows whose state is, or begins with, a pair --- */

#define TOKEN_LOST(c) rk_failed(c, "the token was lost", EPIPE)

/* A pair, and pipes of this party's own to take off what they cost. */
struct pair_beside_pipe {
    struct pair pair;
    struct link own;
};

static inline int open_process_pair(struct rk_context *c)
{
    return meet(c, rk_state(c), BY_PIPE, A_PROCESS, -1);
}

static inline int open_thread_pair(struct rk_context *c)
{
    return meet(c, rk_state(c), BY_PIPE, A_THREAD, -1);
}

static inline int close_pair(struct rk_context *c)
{
    return part(c, rk_state(c), 0);
}

static inline int open_process_beside_pipe(struct rk_context *c)
{
    struct pair_beside_pipe *state = rk_state(c);
    const int status = open_link(c, &state->own, BY_PIPE);
    return status ? status : open_process_pair(c);
}

static inline int open_thread_beside_pipe(struct rk_context *c)
{
    struct pair_beside_pipe *state = rk_state(c);
    const int status = open_link(c, &state->own, BY_PIPE);
    return status ? status : open_thread_pair(c);
}

static inline int close_beside_pipe(struct rk_context *c)
{
    struct pair_beside_pipe *state = rk_state(c);
    close_link(&state->own);
    return close_pair(c);
}

static inline int open_pipes(struct rk_context *c)
{
    return open_link(c, rk_state(c), BY_PIPE);
}

static inline int close_pipes(struct rk_context *c)
{
    close_link(rk_state(c));
    return 0;
}

#define OF_A_PAIR(open_) .state_bytes = sizeof(struct pair), .open = open_, .close = close_pair
#define OF_A_PAIR_BESIDE_PIPE(open_)                                                               \
    .state_bytes = sizeof(struct pair_beside_pipe), .open = open_, .close = close_beside_pipe
#define OF_PIPES .state_bytes = sizeof(struct link), .open = open_pipes, .close = close_pipes

#endif

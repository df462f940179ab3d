#include "cpu/support/switch.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "probe/children.h"
#include "probe/cpus.h"

void close_channel(struct channel *channel)
{
    if (!channel->turn)
        return;
    const int open[] = {channel->request[0], channel->request[1], channel->reply[0],
                        channel->reply[1]};
    for (int i = 0; i < 4; i++)
        if (open[i] >= 0 && (i % 2 == 0 || open[i] != open[i - 1]))
            close(open[i]);
    munmap((void *)channel->turn, 4096);
    channel->turn = NULL;
}

int open_channel(struct rk_context *c, struct channel *channel, enum means means)
{
    *channel = (struct channel){.means = means, .request = {-1, -1}, .reply = {-1, -1}};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    channel->turn = page;
    int bad = 0;
    if (means == BY_PIPE)
        bad = pipe(channel->request) < 0 || pipe(channel->reply) < 0;
    if (means == BY_EVENTFD) {
        channel->request[0] = channel->request[1] = eventfd(0, 0);
        channel->reply[0] = channel->reply[1] = eventfd(0, 0);
        bad = channel->request[0] < 0 || channel->reply[0] < 0;
    }
    if (!bad)
        return 0;
    const int error = errno;
    close_channel(channel);
    return rk_refused(c, means == BY_PIPE ? "pipe" : "eventfd", error);
}

static void *answer_thread(void *argument)
{
    const struct pair *const pair = argument;
    pair->kind->answer(&pair->channel);
    return NULL;
}

/* The partner as a process. 0 or an errno. */
static int start_process(struct pair *pair)
{
    struct channel *const channel = &pair->channel;
    const pid_t parent = getpid();
    pair->child = fork();
    if (pair->child == 0) {
        rk_die_with_parent(parent);
        pair->kind->answer(channel);
        _exit(0);
    }
    if (pair->child < 0)
        return errno;
    if (channel->means == BY_PIPE) { /* so that a partner that died is the end of the file */
        close(channel->request[0]);
        close(channel->reply[1]);
        channel->request[0] = channel->reply[1] = -1;
    }
    return 0;
}

/* Starts the partner, on `cpu`, or where this process runs if that is -1. */
static int start_partner(struct rk_context *c, struct pair *pair, int cpu)
{
    const int is_process = pair->kind->partner == A_PROCESS;
    int status = open_channel(c, &pair->channel, pair->kind->means);
    if (status)
        return status;
    pair->channel.futex_flags = is_process ? 0 : FUTEX_PRIVATE_FLAG;
    int error =
        is_process ? start_process(pair) : pthread_create(&pair->thread, NULL, answer_thread, pair);
    if (error) {
        close_channel(&pair->channel);
        return rk_refused(c, is_process ? "fork" : "pthread_create", error);
    }
    if (cpu >= 0) {
        error = is_process ? rk_pin_process(pair->child, cpu) : rk_pin_thread(pair->thread, cpu);
        if (error)
            return rk_refused(c, "sched_setaffinity", error);
    }
    /* One turn that is not timed: the partner's own start is not a switch. */
    return turn_around(&pair->channel) ? TOKEN_LOST(c) : 0;
}

int open_pair(struct rk_context *c)
{
    struct pair *const pair = rk_state(c);
    pair->kind = rk_variant(c);
    const int cpu = pair->kind->across ? rk_other_cpu(c) : -1;
    return pair->kind->across && cpu < 0 ? cpu : start_partner(c, pair, cpu);
}

int close_pair(struct rk_context *c)
{
    struct pair *const pair = rk_state(c);
    struct channel *const channel = &pair->channel;
    if (!channel->turn)
        return 0; /* the partner was never started */
    atomic_store(channel->turn, 2);
    if (channel->means == BY_FUTEX)
        syscall(SYS_futex, channel->turn, FUTEX_WAKE | channel->futex_flags, 1, NULL, NULL, 0);
    else
        put(channel->request[1]); /* wakes the partner, which then sees that it is over */
    int ended = 0;
    if (pair->kind->partner == A_PROCESS)
        ended = rk_wait_child(c, pair->child, "the partner");
    else
        pthread_join(pair->thread, NULL);
    close_channel(channel);
    return ended;
}

int open_beside_pipe(struct rk_context *c)
{
    struct pair_beside_pipe *const state = rk_state(c);
    const int status = open_channel(c, &state->own, BY_PIPE);
    return status ? status : open_pair(c);
}

int close_beside_pipe(struct rk_context *c)
{
    struct pair_beside_pipe *const state = rk_state(c);
    close_channel(&state->own);
    return close_pair(c);
}

int open_pipes(struct rk_context *c)
{
    return open_channel(c, rk_state(c), BY_PIPE);
}

int close_pipes(struct rk_context *c)
{
    close_channel(rk_state(c));
    return 0;
}

/* cpu/switch by the methods of the reports that compiled without optimisation. */
#include "cpu/support/round_robin.h"
#include "cpu/support/switch.h"
#include "probe/children.h"

/* n turns between t470's stamps; returns whether a token was lost. */
#define T470_LOOP(sample, turns, body)                                                             \
    RK_TIME_BARE(sample, 1, for (int64_t k = 0; k < (turns); k++) body)

/* t470: token through a ring of two pipes between two processes, minus the same in one process,
 * minus the loop and the stamps. */
static int run_t470_process(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t turns = rk_integer(c, "turns");
    struct pair_beside_pipe *state = rk_state(c);
    const struct channel *own = &state->own;
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        struct rk_sample pipes, whole;
        T470_LOOP(&pipes, turns,
                  bad |= put(own->request[1]) || get(own->request[0]) || put(own->reply[1]) ||
                         get(own->reply[0]));
        T470_LOOP(&whole, turns, bad |= turn_around(&state->pair.channel));
        out[i] = (struct rk_sample){whole.ticks - pipes.ticks, 2 * (uint64_t)turns};
    }
    return bad ? TOKEN_LOST(c) : 0;
}

/* One of t470's two threads: the first passes and waits, the second answers. */
struct turns {
    const struct channel *channel;
    int64_t turns;
    int bad;
};

static void *begin_turns(void *argument)
{
    struct turns *own = argument;
    for (int64_t k = 0; k < own->turns; k++)
        own->bad |= put(own->channel->request[1]) || get(own->channel->reply[0]);
    return NULL;
}

static void *answer_turns(void *argument)
{
    struct turns *own = argument;
    for (int64_t k = 0; k < own->turns; k++)
        own->bad |= get(own->channel->request[0]) || put(own->channel->reply[1]);
    return NULL;
}

/* Creates the two threads and joins them; 0 or an error number. */
static int two_threads(struct turns *first, struct turns *second)
{
    pthread_t threads[2];
    int error = pthread_create(&threads[0], NULL, begin_turns, first);
    if (error)
        return error;
    error = pthread_create(&threads[1], NULL, answer_turns, second);
    if (error)
        answer_turns(second); /* or the first would wait for ever */
    else
        pthread_join(threads[1], NULL);
    pthread_join(threads[0], NULL);
    return error;
}

/* t470, threads: creation and join of both are inside, and subtracted as measured in the same
 * trial. */
static int run_t470_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t turns = rk_integer(c, "turns");
    const struct channel *channel = rk_state(c);
    int bad = 0, error = 0;
    struct turns idle[2] = {{channel, 0, 0}, {channel, 0, 0}};
    struct turns busy[2] = {{channel, turns, 0}, {channel, turns, 0}};
    for (size_t i = 0; i < n && !error; i++) {
        struct rk_sample creation, pipes, whole;
        T470_LOOP(&pipes, turns,
                  bad |= put(channel->request[1]) || get(channel->request[0]) ||
                         put(channel->reply[1]) || get(channel->reply[0]));
        T470_LOOP(&creation, 1, error = two_threads(&idle[0], &idle[1]));
        if (error)
            break;
        T470_LOOP(&whole, 1, error = two_threads(&busy[0], &busy[1]));
        out[i] =
            (struct rk_sample){whole.ticks - creation.ticks - pipes.ticks, 2 * (uint64_t)turns};
    }
    if (error)
        return rk_refused(c, "pthread_create", error);
    return bad || busy[0].bad || busy[1].bad ? TOKEN_LOST(c) : 0;
}

/* x510uq: every turn timed alone, there and back being two switches; the pipe's cost left in. */
static int run_x510uq(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct pair *pair = rk_state(c);
    int bad = 0;
    RK_TIME_PAOLONI(out, n, bad |= turn_around(&pair->channel));
    for (size_t i = 0; i < n; i++)
        out[i].ops = 2;
    return bad ? TOKEN_LOST(c) : 0;
}

static int run_x510uq_pipe(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct channel *channel = rk_state(c);
    int bad = 0;
    RK_TIME_PAOLONI(out, n, bad |= put(channel->request[1]) || get(channel->request[0]));
    return bad ? TOKEN_LOST(c) : 0;
}

static inline uint64_t stamp_begin(void)
{
    uint32_t high, low;
    RK_PAOLONI_BEGIN(high, low);
    return RK_JOIN(high, low);
}

static inline uint64_t stamp_end(void)
{
    uint32_t high, low;
    RK_PAOLONI_END(high, low);
    return RK_JOIN(high, low);
}

/* i7_10750h: the clock starts after fork() has returned in the parent and stops when the child
 * first runs; a child that ran first makes it negative. The child sends its time through a pipe. */
static int run_i7_process(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int ends[2];
        uint64_t other_stamp = 0;
        if (pipe(ends) < 0)
            return rk_refused(c, "pipe", errno);
        const pid_t child = fork();
        if (child == 0) {
            other_stamp = stamp_end();
            _exit(write(ends[1], &other_stamp, sizeof other_stamp) != sizeof other_stamp);
        }
        const uint64_t begin = stamp_begin();
        close(ends[1]);
        const int received =
            child > 0 && read(ends[0], &other_stamp, sizeof other_stamp) == sizeof other_stamp;
        close(ends[0]);
        const int status =
            child < 0 ? rk_refused(c, "fork", errno) : rk_wait_child(c, child, "the child");
        if (status || !received)
            return status ? status : TOKEN_LOST(c);
        out[i] = (struct rk_sample){(int64_t)(other_stamp - begin), 1};
    }
    return 0;
}

static void *stamp_thread(void *slot)
{
    *(volatile uint64_t *)slot = stamp_end();
    return NULL;
}

static int run_i7_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pthread_t thread;
        uint64_t other_stamp = 0;
        const int error = pthread_create(&thread, NULL, stamp_thread, &other_stamp);
        const uint64_t begin = stamp_begin();
        if (error)
            return rk_refused(c, "pthread_create", error);
        pthread_join(thread, NULL);
        out[i] = (struct rk_sample){(int64_t)(other_stamp - begin), 1};
    }
    return 0;
}

/* hpe_i7_860: a child waits at a pipe; the clock runs from the parent's write, followed by wait(),
 * until the child has read. Under SCHED_RR 99. */
static int run_hpe_process(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct channel channel;
        uint64_t other_stamp = 0;
        int status = open_channel(c, &channel, BY_PIPE);
        if (status)
            return status;
        const pid_t child = fork();
        if (child == 0) {
            close(channel.request[1]); /* or the end of the file would never be read */
            const int lost = get(channel.request[0]);
            other_stamp = stamp_end();
            _exit(lost ||
                  write(channel.reply[1], &other_stamp, sizeof other_stamp) != sizeof other_stamp);
        }
        sched_yield(); /* lets the child come to its read */
        const uint64_t begin = stamp_begin();
        int lost = child < 0 || put(channel.request[1]);
        status = child < 0 ? rk_refused(c, "fork", errno) : rk_wait_child(c, child, "the child");
        lost = lost || status ||
               read(channel.reply[0], &other_stamp, sizeof other_stamp) != sizeof other_stamp;
        close_channel(&channel);
        if (lost)
            return status ? status : TOKEN_LOST(c);
        out[i] = (struct rk_sample){(int64_t)(other_stamp - begin), 1};
    }
    return 0;
}

/* The same for threads, with a condition variable. */
struct signalled {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int ready, go;
    uint64_t woke;
};

static void *wait_for_signal(void *argument)
{
    struct signalled *s = argument;
    pthread_mutex_lock(&s->mutex);
    s->ready = 1;
    while (!s->go)
        pthread_cond_wait(&s->condition, &s->mutex);
    s->woke = stamp_end();
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static int run_hpe_thread(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct signalled s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
        pthread_t thread;
        const int error = pthread_create(&thread, NULL, wait_for_signal, &s);
        if (error)
            return rk_refused(c, "pthread_create", error);
        for (int ready = 0; !ready;) {
            sched_yield();
            pthread_mutex_lock(&s.mutex);
            ready = s.ready; /* with the mutex free again, it waits */
            pthread_mutex_unlock(&s.mutex);
        }
        pthread_mutex_lock(&s.mutex);
        s.go = 1;
        const uint64_t begin = stamp_begin();
        pthread_cond_signal(&s.condition);
        pthread_mutex_unlock(&s.mutex);
        pthread_join(thread, NULL);
        out[i] = (struct rk_sample){(int64_t)(s.woke - begin), 1};
    }
    return 0;
}

#define TURNS RK_PARAMS(RK_INTEGER("turns", 100, 1, 1000000, "times the token goes there and back"))

RK_PROBE("cpu/switch/t470_process", .op = "switch", .reports = "t470",
         .timed = "a token there and back between two processes, minus as many passes through both "
                  "pipes in one process (the report: 10,000 turns)",
         .params = TURNS, .needs = RK_NEEDS_STAMPS, PAIR_AND_PIPE(run_t470_process, A_PROCESS));
RK_PROBE("cpu/switch/t470_thread", .op = "switch", .reports = "t470",
         .timed =
             "two threads created, a token there and back between them, both joined, minus "
             "creation and join, minus as many passes in one thread (the report: 10,000 turns)",
         .params = TURNS, .needs = RK_NEEDS_STAMPS, PIPES_ALONE(run_t470_thread));
RK_PROBE("cpu/switch/x510uq_process", .op = "switch", .reports = "x510uq",
         .timed = "one token there and back between two processes, CPUID-fenced stamps and pipe "
                  "left in; halved here",
         .needs = RK_NEEDS_STAMPS, PAIR(run_x510uq, .means = BY_PIPE, .partner = A_PROCESS));
RK_PROBE("cpu/switch/x510uq_thread", .op = "switch", .reports = "x510uq",
         .timed = "one token there and back between two threads, CPUID-fenced stamps and pipe left "
                  "in; halved here",
         .needs = RK_NEEDS_STAMPS, PAIR(run_x510uq, .means = BY_PIPE, .partner = A_THREAD));
RK_PROBE("cpu/switch/x510uq_pipe", .op = "pass", .reports = "x510uq",
         .timed = "one write to a pipe and one read in one process, between CPUID-fenced stamps",
         .needs = RK_NEEDS_STAMPS, PIPES_ALONE(run_x510uq_pipe));
RK_PROBE("cpu/switch/i7_10750h_process", .op = "switch", .reports = "i7_10750h",
         .timed = "from fork()'s return in the parent until the child first runs",
         .needs = RK_NEEDS_STAMPS, .trials = run_i7_process);
RK_PROBE("cpu/switch/i7_10750h_thread", .op = "switch", .reports = "i7_10750h",
         .timed = "from pthread_create()'s return until the thread first runs",
         .needs = RK_NEEDS_STAMPS, .trials = run_i7_thread);
RK_PROBE("cpu/switch/hpe_i7_860_process", .op = "switch", .reports = "hpe_i7_860",
         .timed = "from a write to a pipe, followed by wait(), until the child has read, under "
                  "SCHED_RR 99",
         .needs = RK_NEEDS_STAMPS,
         RK_STAGES(struct scheduling, open_round_robin, run_hpe_process, close_round_robin));
RK_PROBE("cpu/switch/hpe_i7_860_thread", .op = "switch", .reports = "hpe_i7_860",
         .timed = "from pthread_cond_signal() until the thread has woken, under SCHED_RR 99",
         .needs = RK_NEEDS_STAMPS,
         RK_STAGES(struct scheduling, open_round_robin, run_hpe_thread, close_round_robin));

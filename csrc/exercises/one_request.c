/* exercises/one_request: what a request costs that has a connection of its own.
 *
 * A child is the server, on the CPU of this process: a request is one byte, and so is its answer.
 * Time `requests` requests in a trial, each from socket() and connect() to `state->server` until
 * close(). `ops` counts requests; add the byte of each answer to `state->answers`. Compare
 * csrc/network/connect.c; `make exercise NAME=one_request` compares what the server counted. */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/children.h"
#include "probe/sockets.h"

struct counts {
    uint64_t connections, left_open, answers; /* answers: the sum of their bytes */
};

struct one_request {
    struct sockaddr_storage server;
    uint64_t answers;       /* the sum of the bytes that you received */
    struct counts *counted; /* by the server */
    pid_t child;
};

/* One connection at a time: a new one that comes before the last is closed is counted. */
static void serve(int listening, struct counts *counted)
{
    struct pollfd at[2] = {{-1, POLLIN, 0}, {listening, POLLIN, 0}};
    while (poll(at, 2, -1) > 0) {
        unsigned char byte;
        if (at[0].revents && read(at[0].fd, &byte, 1) == 1) {
            byte = (unsigned char)(counted->answers % 251 + 1);
            counted->answers += byte;
            if (write(at[0].fd, &byte, 1) != 1)
                return;
            continue;
        }
        counted->left_open += at[0].fd >= 0 && !at[0].revents;
        if (at[0].fd >= 0)
            close(at[0].fd);
        at[0].fd = at[1].revents ? accept(listening, NULL, NULL) : -1;
        counted->connections += at[0].fd >= 0;
    }
}

static int open_one_request(struct rk_context *c)
{
    struct one_request *const state = rk_state(c);
    const pid_t parent = getpid();
    const socklen_t length = rk_loopback_of(AF_INET, &state->server);
    const int listening = rk_bound_socket(SOCK_STREAM, &state->server, length);
    if (listening < 0 || listen(listening, 1024) < 0)
        return rk_failed(c, "listen", errno);
    state->counted = mmap(NULL, sizeof *state->counted, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    state->child = state->counted == MAP_FAILED ? -1 : fork();
    if (state->child == 0) {
        rk_die_with_parent(parent);
        serve(listening, state->counted);
        _exit(1);
    }
    const int error = errno;
    close(listening);
    return state->child < 0 ? rk_failed(c, "starting the server", error) : 0;
}

static int time_one_request(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)out, (void)n; /* Your part: fill the n samples. */
    return rk_unsupported(c, "time_one_request() is not written yet");
}

static int close_one_request(struct rk_context *c)
{
    const struct one_request *const state = rk_state(c);
    const uint64_t requests = rk_trials(c) * (uint64_t)rk_integer(c, "requests");
    if (state->child <= 0)
        return 0;
    kill(state->child, SIGKILL);
    rk_wait_status(state->child);
    const struct counts *const counted = state->counted;
    if (counted->answers != state->answers)
        return rk_error(c, EIO, "your sum of the answers is not the server's: some were not read");
    if (counted->connections != requests)
        return rk_error(c, EIO,
                        "for %ju requests the server had %ju connections: each has one of its own",
                        requests, counted->connections);
    if (counted->left_open)
        return rk_error(c, EIO, "%ju connections were still open when the next one came",
                        counted->left_open);
    return 0;
}

RK_PROBE("exercises/one_request", .op = "request",
         .timed = "requests x (socket, connect, write a byte, read a byte, close)",
         .params = RK_PARAMS(RK_INTEGER("requests", 20, 1, 1000, "requests a trial")),
         RK_STAGES(struct one_request, open_one_request, time_one_request, close_one_request));

/* Probes for the tests alone: services of reckon-peer, with what they must give. */
#include <signal.h>
#include <sys/time.h>

#include "network/support/client.h"
#include "probe/children.h"

/* turns messages there and back; each byte that comes back is compared. */
static int echo_on(struct rk_context *c, int fd, char *message, size_t size, int64_t turns)
{
    char *received = malloc(size);
    int status = received ? 0 : -ENOMEM;
    for (int64_t turn = 0; turn < turns && !status; turn++) {
        memset(message, (int)turn, size);
        message[size - 1] = (char)(turn + 1);
        status = peer_send(fd, message, size);
        status = status ? status : peer_receive(fd, received, size);
        if (!status && memcmp(message, received, size) != 0)
            status = -EBADMSG;
    }
    free(received);
    return status ? rk_failed(c, "the echo", -status) : 0;
}

struct connection {
    struct peer peer;
    int fd;
};

static int close_connection(struct rk_context *c)
{
    const struct connection *connection = rk_state(c);
    if (connection->fd > 0)
        close(connection->fd);
    return peer_close(c, rk_state(c));
}

static int open_echo(struct rk_context *c)
{
    struct connection *connection = rk_state(c);
    char service[64];
    snprintf(service, sizeof service, "echo %zu", (size_t)rk_integer(c, "size_bytes"));
    const int status =
        peer_open(c, &connection->peer, rk_integer(c, "across") ? OTHER_CPU : SAME_CPU);
    return status ? status : peer_request(c, &connection->peer, service, &connection->fd);
}

static int run_echo(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct connection *connection = rk_state(c);
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const int64_t turns = rk_integer(c, "turns");
    char *message = malloc(size);
    int status = message ? 0 : rk_failed(c, "malloc", ENOMEM);
    for (size_t i = 0; i < n && !status; i++) {
        const uint64_t begin = rk_begin();
        status = echo_on(c, connection->fd, message, size, turns);
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), (uint64_t)turns};
    }
    free(message);
    return status;
}

/* Requests whatever service is named and reads one line: for messages. */
static int open_ask(struct rk_context *c)
{
    struct connection *connection = rk_state(c);
    char line[4096];
    int status = peer_open(c, &connection->peer, SAME_CPU);
    if (!status)
        status = peer_request(c, &connection->peer, rk_text(c, "service"), &connection->fd);
    return status ? status : peer_line(c, connection->fd, line, sizeof line);
}

static int run_ask(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct rk_sample){1, 1};
    return 0;
}

static volatile sig_atomic_t interruptions;

static void interrupt(int number)
{
    (void)number;
    interruptions++;
}

/* Sends back what arrives, slowly and in small pieces, so that the other end waits many times. */
static void answer_slowly(int fd, size_t size, pid_t parent)
{
    char piece[4096];
    rk_die_with_parent(parent);
    for (size_t done = 0; done < size;) {
        const struct timespec pause = {0, 500000};
        const ssize_t got = recv(fd, piece, sizeof piece, 0);
        if (got <= 0 || peer_send(fd, piece, (size_t)got))
            _exit(1);
        done += (size_t)got;
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

/* There and back in pieces that the sockets hold only in part. */
static int exchange(int fd, char *sent, char *received, size_t size)
{
    int status = 0;
    const size_t half = 64 << 10; /* what the socket holds on the way there and back */
    for (size_t done = 0; done < size && !status; done += half) {
        status = peer_send(fd, sent + done, half);
        status = status ? status : peer_receive(fd, received + done, half);
    }
    if (!status && memcmp(sent, received, size) != 0)
        status = -EBADMSG;
    return status;
}

static int run_whole(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = 1 << 20;
    const int small = 4096;
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = interrupt}; /* not SA_RESTART */
    struct sigaction before;
    int pair[2], wait_status = 0, status = 0;
    char *sent = malloc(size), *received = calloc(size, 1);
    if (!sent || !received || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return rk_failed(c, "socketpair", errno);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    for (size_t i = 0; i < size; i++)
        sent[i] = (char)(i * 31 >> 3);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(pair[0]);
        answer_slowly(pair[1], size, parent);
    }
    close(pair[1]);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    status = child < 0 ? -errno : exchange(pair[0], sent, received, size);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    close(pair[0]);
    if (child > 0)
        wait_status = rk_wait_status(child);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct rk_sample){interruptions, 1};
    free(sent);
    free(received);
    return status || wait_status
               ? rk_failed(c, "what was sent and received", status ? -status : EPIPE)
               : 0;
}

RK_PROBE("test/peer_echo", .op = "turn",
         .timed = "turns x size_bytes to reckon-peer's echo and back, and the comparison",
         .needs = RK_NEEDS_PEER,
         .params = RK_PARAMS(PEER, RK_INTEGER("size_bytes", 64, 1, 1 << 20, "of a message"),
                             RK_INTEGER("turns", 10, 1, 1000000000, "messages a trial"),
                             RK_INTEGER("across", 0, 0, 1,
                                        "1: the probe's own peer is on another CPU"),
                             RK_PARTNER),
         RK_STAGES(struct connection, open_echo, run_echo, close_connection));
RK_PROBE("test/peer_ask", .op = "line", .timed = "nothing: one line is read",
         .needs = RK_NEEDS_PEER,
         .params = RK_PARAMS(PEER, RK_TEXT("service", "about", "the request to the peer")),
         RK_STAGES(struct connection, open_ask, run_ask, close_connection));
RK_PROBE("test/peer_whole", .op = "interruption",
         .timed = "nothing; ticks are the signals that came while a mebibyte went there and back",
         .trials = run_whole);

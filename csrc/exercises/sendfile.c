/* exercises/sendfile: what a byte of a stream costs that the sender does not copy.
 *
 * A child receives, on the CPU of this process, and sends back one byte, a receipt, for every
 * `size_bytes` that it has. In each trial send the whole file, which is in memory, by sendfile(),
 * which may take several calls; the trial ends when you have read the receipt. `ops` counts bytes.
 * Compare csrc/network/throughput.c; `make exercise NAME=sendfile` compares the receiver's count
 * with yours. */
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "probe/children.h"
#include "probe/sockets.h"

#define PIECE_BYTES (128 << 10)
/* In s, of each wait; reading a receipt for which too few bytes came returns 0 then. */
#define LIMIT_S 2

struct stream {
    int file, socket; /* the file, of size_bytes, and the connection */
    uint64_t *received;
    pid_t child;
};

static char piece[PIECE_BYTES];

static int receive(int from, uint64_t size, uint64_t *received)
{
    ssize_t got;
    while ((got = read(from, piece, PIECE_BYTES)) != 0) {
        const uint64_t before = *received / size;
        if (got < 0 && errno != EAGAIN)
            return 1;
        *received += got > 0 ? (uint64_t)got : 0;
        if (got < 0)
            shutdown(from, SHUT_WR); /* nothing came within the limit */
        else if (*received / size > before)
            send(from, piece, *received / size - before, MSG_NOSIGNAL);
    }
    return 0;
}

static int open_stream(struct rk_context *c)
{
    struct stream *const state = rk_state(c);
    const pid_t parent = getpid();
    const int64_t size = rk_integer(c, "size_bytes");
    struct sockaddr_storage address;
    const socklen_t length = rk_loopback_of(AF_INET, &address);
    const int listening = rk_bound_socket(SOCK_STREAM, &address, length);
    if (listening < 0 || listen(listening, 1) < 0)
        return rk_failed(c, "listen", errno);
    state->file = memfd_create("file", MFD_CLOEXEC);
    for (int64_t at = 0; at < size; at += PIECE_BYTES) /* a hole has no pages to send */
        if (pwrite(state->file, piece, PIECE_BYTES, at) != PIECE_BYTES)
            return rk_failed(c, "a file in memory", errno);
    state->received = mmap(NULL, sizeof *state->received, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rk_connect_within(LIMIT_S, &address, length, &state->socket) < 0)
        return rk_error(c, EIO, "no connection to this computer");
    const int accepted = accept(listening, NULL, NULL);
    rk_set_time_limits(accepted, LIMIT_S);
    state->child = state->received == MAP_FAILED ? -1 : fork();
    if (state->child == 0) {
        rk_die_with_parent(parent);
        _exit(receive(accepted, (uint64_t)size, state->received));
    }
    return state->child < 0 ? rk_failed(c, "starting the receiver", errno) : 0;
}

#pragma GCC poison send sendto sendmsg write writev /* Nothing else than sendfile() sends here. */

static int time_sendfile(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)out, (void)n; /* Your part: fill the n samples. */
    return rk_unsupported(c, "time_sendfile() is not written yet");
}

static int close_stream(struct rk_context *c)
{
    const struct stream *const state = rk_state(c);
    const uint64_t file = rk_trials(c) * (uint64_t)rk_integer(c, "size_bytes");
    uint64_t unread = 0;
    char receipt;
    if (state->child <= 0)
        return 0;
    shutdown(state->socket, SHUT_WR);
    const int status = rk_wait_child(c, state->child, "the receiver");
    if (status)
        return status;
    if (*state->received != file)
        return rk_error(c, EIO,
                        "the receiver has %ju of %ju bytes: each trial sends the whole file",
                        *state->received, file);
    while (read(state->socket, &receipt, 1) == 1)
        unread++;
    if (unread)
        return rk_error(c, EIO, "%ju trials ended before their receipt was read", unread);
    return 0;
}

RK_PROBE("exercises/sendfile", .op = "byte", .timed = "sendfile() of size_bytes, and a receipt",
         .params = RK_PARAMS(RK_INTEGER("size_bytes", 1 << 20, PIECE_BYTES, 1 << 28,
                                        "of the file")),
         RK_STAGES(struct stream, open_stream, time_sendfile, close_stream));

/* receiver.h: how many bytes the receiver of a stream had at which time, as reckon-peer's sink
 * noted it by its own clock; for network/throughput. What the sender has handed over is not yet
 * received: some MB of it may lie in its socket. */
#ifndef RK_RECEIVER_H
#define RK_RECEIVER_H

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include "network/support/client.h"

/* A connection without progress for that long counts as stalled. */
#define PATIENCE_S PEER_DEADLINE_S
/* What Reckon's receiver takes from its socket in one call. On the sender's own CPU it decides how
 * much goes through at a time: each call makes room, for which the sender is woken at once. With
 * sends of 1 MiB and 128 KiB a call it had half of what iperf3 -l 1M has, with 1 MiB a call as
 * much; on another CPU it makes no difference. */
#define RECEIVER_BYTES (1 << 20)
/* The reports' receiver: iperf3's default, and a note a second, as only its count is needed. */
#define SINK_THAT_COUNTS "sink 1000000 131072"

struct note {
    uint64_t bytes;
    int64_t ns;
};

struct notes {
    struct note *at; /* in the order of time */
    size_t count;
};

/* Why a send or a wait failed. */
int transfer_failed(struct rk_context *, int error);
/* The notes of a stream that has ended; the last must count every byte that was sent. 0 or a
 * status, with the reason set. */
int read_notes(struct rk_context *, int fd, uint64_t sent, struct notes *);
void free_notes(struct notes *);
/* Bytes that the receiver had at a time between its first note and its last, interpolated between
 * the two notes around it. */
double bytes_at(const struct notes *, int64_t ns);
/* Ends the stream; the receiver must have every byte that was sent. 0 or a status, with the reason
 * set. */
int all_received(struct rk_context *, int fd, uint64_t sent);
/* Segments that TCP sent again on this connection; -1 if not known. */
int64_t tcp_retransmits(int fd);

/* --- what the reports time with their sends --- */

static inline int pending_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

/* Waits until the other host has acknowledged all that was sent or, with `answer`, until it sends
 * something; without limit while it acknowledges more. 0 or an error number. */
static inline int await_taken(int fd, int answer)
{
    int waiting = 0, before = -1;
    uint64_t since_ns = rk_monotonic_ns();
    for (;;) {
        struct pollfd event = {.fd = fd, .events = answer ? POLLIN : 0};
        if (!answer && ioctl(fd, SIOCOUTQ, &waiting) == 0 && waiting == 0)
            return 0;
        const int ready = poll(&event, 1, answer ? 20 : 1);
        if (ready < 0 && errno != EINTR)
            return errno;
        if (ready > 0 && event.revents & POLLIN)
            return 0;
        if (ready > 0) {
            const int error = pending_error(fd);
            return error ? error : ECONNRESET;
        }
        if (ioctl(fd, SIOCOUTQ, &waiting) < 0)
            return errno;
        const uint64_t now_ns = rk_monotonic_ns();
        if (waiting != before) {
            before = waiting;
            since_ns = now_ns;
        } else if (now_ns - since_ns > PATIENCE_S * RK_NS_PER_S) {
            return ETIMEDOUT;
        }
    }
}

/* Ends the stream and waits until the receiver has everything and answers. 0 or an error number. */
static inline int end_stream(int fd)
{
    return shutdown(fd, SHUT_WR) < 0 ? errno : await_taken(fd, 1);
}

#endif

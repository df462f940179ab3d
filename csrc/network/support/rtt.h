/* rtt.h: what the probes of network/rtt prepare, and the round trip that they time. */
#ifndef RK_RTT_H
#define RK_RTT_H

#include "network/support/client.h"
#include "probe/counts.h"
#include "probe/idle.h"

#define MESSAGE_MAX 65536

struct trip {
    struct peer peer;
    struct rk_stamp opened;
    int fd, awake; /* the connection; what keeps CPUs awake. -1: none */
};

/* There and back on the same buffer; the compiler must not assume what arrives. */
static inline int round_trip(int fd, char *buffer, size_t size)
{
    const int status = peer_send(fd, buffer, size);
    return status ? status : peer_receive(fd, buffer, size);
}

/* n samples of `rounds` round trips each, until one fails. */
#define TRIPS(out, n, rounds, bad, trip)                                                           \
    for (size_t sample_ = 0; sample_ < (n) && !(bad); sample_++)                                   \
    RK_TIME_TRIALS((out) + sample_, 1, rounds, (bad) = (bad) ? (bad) : (trip))

/* 0, or why a round trip failed. */
int trip_failed(struct rk_context *, int status);

/* For probes whose state begins with a struct trip: 0 or a status, with the reason set. */

/* Opens the peer, whose place is the variant; open_awake_trip() keeps CPUs awake if the parameter
 * "hold_idle" says so. close_trip() in either case. */
int open_trip(struct rk_context *);
int open_awake_trip(struct rk_context *);
int close_trip(struct rk_context *);
/* A connection to the peer's echo of messages of "size_bytes", and one round trip that is not
 * timed: it includes the start of the echo. */
int begin_echo(struct rk_context *, char *buffer);

#define SIZE(default_)                                                                             \
    RK_INTEGER("size_bytes", default_, 1, MESSAGE_MAX, "of the message, each way")
#define ROUNDS(default_) RK_INTEGER("rounds", default_, 1, 1000000, "round trips in a trial")

#endif

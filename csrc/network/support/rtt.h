/* rtt.h: what the rows of network/rtt begin and end with. */
#ifndef RK_RTT_H
#define RK_RTT_H

#include "network/support/client.h"
#include "network/support/counts.h"
#include "network/support/idle.h"

#define SIZE_MOST 65536

struct trip {
    struct peer peer;
    struct counts before;
    int fd, idle; /* the connection; what keeps CPUs awake. -1: none */
};

/* There and back on the same buffer; the compiler must not think that it knows what comes. */
static inline int there_and_back(int fd, char *buffer, size_t size)
{
    const int status = peer_send(fd, buffer, size);
    return status ? status : peer_receive(fd, buffer, size);
}

/* Why a round trip failed, in a sentence. */
static inline int trip_failed(struct rk_context *c, int status)
{
    if (status == -ETIMEDOUT)
        return trouble(c, ETIMEDOUT,
                       "Nothing came back within %d s: lost on the way, or the "
                       "other end hangs.",
                       PEER_DEADLINE_S);
    if (status == -ECONNRESET || status == -EPIPE || status == -ECONNREFUSED)
        return trouble(c, ECONNRESET,
                       "The other end went away in the middle; is it still "
                       "running there?");
    return status ? rk_failed(c, "a round trip", -status) : 0;
}

/* Loopback's address without a server: what the kernel answers needs none. */
static inline int trip_to_kernel(struct rk_context *c, struct peer *peer)
{
    if (strcmp(rk_text(c, "peer"), "loopback") != 0)
        return peer_open(c, -1, peer);
    *peer = (struct peer){.leash = -1};
    return peer_at_loopback(c, peer);
}

/* The server of loopback is on that CPU: SAME_CPU as this process, or NO_SERVER at all. Idle states
 * are held before the peer's namespace is entered, where root may be nobody. */
#define SAME_CPU -1
#define NO_SERVER -2
static inline int trip_begin(struct rk_context *c, struct trip *trip, int cpu, int hold_idle)
{
    trip->fd = -1;
    int status = idle_hold(c, hold_idle, &trip->idle);
    if (status)
        return status;
    status = cpu == NO_SERVER ? trip_to_kernel(c, &trip->peer) : peer_open(c, cpu, &trip->peer);
    if (status && trip->idle >= 0)
        close(trip->idle);
    if (!status)
        trip->before = count_tcp();
    return status;
}

static inline int trip_end(struct rk_context *c, struct trip *trip, int status)
{
    if (trip->fd >= 0)
        close(trip->fd);
    note_tcp_since(c, &trip->before);
    status = peer_close(c, &trip->peer, status);
    if (trip->idle >= 0)
        close(trip->idle);
    return status;
}

/* A connection to the peer's echo of messages of that size, and one round trip that nobody times:
 * the other end's own beginning is not part of one. */
static inline int trip_echo(struct rk_context *c, struct trip *trip, char *buffer, size_t size)
{
    char service[32];
    snprintf(service, sizeof service, "echo %zu", size);
    memset(buffer, 1, size);
    const int status = peer_ask(c, &trip->peer, service, &trip->fd);
    return status ? status : trip_failed(c, there_and_back(trip->fd, buffer, size));
}

/* n samples of so many rounds each, up to the first that fails. */
#define TRIPS(out, n, rounds, bad, trip)                                                           \
    for (size_t sample_ = 0; sample_ < (n) && !(bad); sample_++)                                   \
    RK_BATCH((out) + sample_, 1, rounds, (bad) = (bad) ? (bad) : (trip))

static inline int only_loopback(struct rk_context *c, const char *why)
{
    return strcmp(rk_text(c, "peer"), "other") == 0 ? rk_cannot(c, why) : 0;
}

#define PEER RK_WORD("peer", "loopback", "loopback, or other: the other host")
#define SIZE(preset) RK_COUNT("size_bytes", preset, 1, SIZE_MOST, "of the message, each way")
#define ROUNDS(preset) RK_COUNT("rounds", preset, 1, 1000000, "round trips in a trial")

#endif

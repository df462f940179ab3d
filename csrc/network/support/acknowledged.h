/* acknowledged.h: how much of a stream its receiver had acknowledged by when, from a capture of its
 * acknowledgements on the sender's side; for network/throughput.
 *
 * An acknowledgement tells of all bytes before it, so one that the capture lost only makes the
 * steps of the count larger: the bytes are told by the next. */
#ifndef RK_ACKNOWLEDGED_H
#define RK_ACKNOWLEDGED_H

#include "network/support/capture.h"
#include "network/support/streams.h"

struct acknowledgement {
    int64_t ns;
    uint64_t bytes; /* since the first one that was captured */
};

struct acknowledged {
    struct acknowledgement *at;
    size_t count, room;
    uint32_t last; /* as in the header */
};

/* The other host's packets of this connection, from now on. */
static inline int capture_stream(struct rk_context *c, int fd, struct capture *capture)
{
    struct sockaddr_storage own, theirs;
    socklen_t own_length = sizeof own, their_length = sizeof theirs;
    if (getsockname(fd, (struct sockaddr *)&own, &own_length) < 0 ||
        getpeername(fd, (struct sockaddr *)&theirs, &their_length) < 0)
        return transfer_failed(c, errno == ENOTCONN ? ECONNRESET : errno);
    const int status =
        capture_open(c, (const struct sockaddr *)&own, (const struct sockaddr *)&theirs, capture);
    if (!status)
        capture_only_theirs(capture);
    return status;
}

/* 0 or an errno. */
static inline int note_acknowledgement(struct acknowledged *told, const struct packet *packet)
{
    const int32_t step = (int32_t)(packet->ack - told->last); /* the header's number wraps */
    if (!(packet->flags & TH_ACK) || (told->count && step <= 0))
        return 0;
    if (told->count == told->room) {
        const size_t room = told->room ? 2 * told->room : 1 << 16;
        struct acknowledgement *more = realloc(told->at, room * sizeof *more);
        if (!more)
            return ENOMEM;
        told->at = more;
        told->room = room;
    }
    const uint64_t before = told->count ? told->at[told->count - 1].bytes : 0;
    told->at[told->count] =
        (struct acknowledgement){packet->ns, told->count ? before + (uint64_t)step : 0};
    told->count++;
    told->last = packet->ack;
    return 0;
}

/* So much, and from the first to the last of them so long: not by the sender's clock, which may
 * fill its socket before the receiver's first turn on the same CPU. */
static inline int is_enough(const struct acknowledged *told, int64_t span_ns, uint64_t bytes)
{
    const struct acknowledgement *last = told->count ? &told->at[told->count - 1] : NULL;
    return last && last->bytes >= bytes && last->ns - told->at[0].ns >= span_ns;
}

/* All that come until they are enough, and until what was sent by then is acknowledged. The ring is
 * emptied every few ms: to be woken for each would take the CPU from the sender. 0 or an errno. */
static inline int take_acknowledgements(struct capture *capture, struct streams *all,
                                        int64_t span_ns, uint64_t least_bytes,
                                        struct acknowledged *told)
{
    const struct timespec pause = {0, 3000000};
    uint64_t since_ns = rk_monotonic_ns();
    for (int ended = 0;;) {
        struct packet packet;
        int got, error = 0;
        const size_t before = told->count;
        if (!ended && !atomic_load(&all->sending)) {
            ended = 1;
            error = all->each[0].error ? 0 : await_taken(all->each[0].fd, 0);
        }
        while (!error && (got = capture_next(capture, &packet, 0)) != 0)
            error = got < 0 ? -got : note_acknowledgement(told, &packet);
        since_ns = told->count > before ? rk_monotonic_ns() : since_ns;
        const int blind = rk_monotonic_ns() - since_ns > PATIENCE_S * 1000000000ull;
        if (error || blind || is_enough(told, span_ns, least_bytes))
            atomic_store(&all->over, 1);
        if (ended || error)
            return error;
        nanosleep(&pause, NULL);
    }
}

/* The most that was acknowledged within any such time, from one acknowledgement to another; in ns.
 */
static inline int best_window(struct rk_context *c, const struct acknowledged *told, uint64_t sent,
                              int64_t best_ns, struct rk_sample *out)
{
    const size_t last = told->count - 1;
    uint64_t best = 0;
    if (told->count < 2 || told->at[last].ns - told->at[0].ns < best_ns)
        return trouble(c, ENODATA, "The capture has no %g ms of acknowledgements.",
                       (double)best_ns / 1e6);
    /* Where it lost so much that the header's number wrapped unseen, the sum is short. */
    if (told->at[last].bytes > sent || sent - told->at[last].bytes > (uint64_t)1 << 30)
        return trouble(c, ENOBUFS, "The capture saw %llu bytes acknowledged of %llu sent.",
                       (unsigned long long)told->at[last].bytes, (unsigned long long)sent);
    for (size_t begin = 0, end = 0; begin <= last; begin++) {
        while (end < last && told->at[end + 1].ns <= told->at[begin].ns + best_ns)
            end++;
        const uint64_t bytes = told->at[end].bytes - told->at[begin].bytes;
        best = bytes > best ? bytes : best;
    }
    *out = (struct rk_sample){best_ns, best};
    return 0;
}

#endif

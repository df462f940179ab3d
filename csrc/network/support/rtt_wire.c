#include "network/support/rtt_wire.h"

static int64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * RK_NS_PER_S + now.tv_nsec;
}

/* The time stamp of the next segment with data in that direction that is not a retransmission.
 * `*seq` is its number (`any`: not known yet) and becomes that of the next message. 0 or -errno. */
static int await_segment(struct capture *capture, int outgoing, int any, uint32_t *seq, size_t size,
                         int64_t *ns)
{
    struct packet packet;
    for (;;) {
        const int got = capture_next(capture, &packet, PEER_DEADLINE_S * 1000);
        if (got <= 0)
            return got < 0 ? got : -ENODATA;
        if (packet.outgoing != outgoing || !packet.payload || (!any && packet.seq != *seq))
            continue;
        *seq = packet.seq + (uint32_t)size;
        *ns = packet.ns;
        return 0;
    }
}

int time_wire(const struct trip *trip, struct capture *capture, struct rk_sample *out, size_t n,
              char *buffer, size_t size)
{
    uint32_t own_next = 0, peer_next = 0;
    for (size_t i = 0; i <= n; i++) { /* the first gives the sequence numbers alone */
        int64_t left = 0, back = 0;
        const int64_t begin = realtime_ns();
        int bad = round_trip(trip->fd, buffer, size);
        const int64_t end = realtime_ns();
        bad = bad ? bad : await_segment(capture, 1, i == 0, &own_next, size, &left);
        bad = bad ? bad : await_segment(capture, 0, i == 0, &peer_next, size, &back);
        if (bad)
            return bad;
        /* By the same clock, the packets lie between the caller's two calls. */
        if (left < begin || back < left || end < back)
            return -ETIME;
        if (i)
            out[i - 1] = (struct rk_sample){back - left, 1};
    }
    return 0;
}

int capture_failed(struct rk_context *c, int status)
{
    if (status == -ENODATA)
        return rk_error(c, ENODATA,
                        "A segment was not seen by the capture within %d s; does the connection go "
                        "over another interface?",
                        PEER_DEADLINE_S);
    if (status == -ETIME)
        return rk_error(c, ETIME,
                        "A captured time lies outside the round trip that the caller timed: the "
                        "clock was set in between; measure again.");
    return trip_failed(c, status);
}

/* --- hpe_i7_860: a byte at intervals, from each segment to its acknowledgement --- */

static int64_t behind(uint32_t seq, uint32_t other) /* numbers wrap */
{
    return (int32_t)(seq - other);
}

/* A segment of this side: when it left, and the sequence number after it. */
struct segment {
    int64_t left_ns;
    uint32_t end;
};

/* The n segments whose acknowledgements are timed, in the order of their sequence numbers. */
struct segments {
    struct segment *segment;
    size_t n, left, acknowledged;
    struct rk_sample *out; /* of those acknowledged */
};

static void match_packet(struct segments *all, const struct packet *packet)
{
    if (packet->outgoing) {
        const int is_retransmission =
            all->left && behind(packet->seq, all->segment[all->left - 1].end) < 0;
        if (packet->payload && !is_retransmission && all->left < all->n)
            all->segment[all->left++] = (struct segment){packet->ns, packet->seq + packet->payload};
        return;
    }
    while (packet->flags & TH_ACK && all->acknowledged < all->left &&
           behind(packet->ack, all->segment[all->acknowledged].end) >= 0) {
        const int64_t left_ns = all->segment[all->acknowledged].left_ns;
        all->out[all->acknowledged++] = (struct rk_sample){packet->ns - left_ns, 1};
    }
}

static int match_segments(const struct trip *trip, struct capture *capture, struct segments *all,
                          int64_t interval_us)
{
    const int64_t limit_ns = PEER_DEADLINE_S * RK_NS_PER_S;
    int64_t due_ns = (int64_t)rk_monotonic_ns(), progress_ns = due_ns;
    while (all->acknowledged < all->n) {
        const size_t before = all->left + all->acknowledged;
        struct packet packet;
        int got = 0;
        if (all->left < all->n) {
            const char byte = 1;
            const int bad = peer_send(trip->fd, &byte, 1);
            if (bad)
                return bad;
            due_ns += interval_us * 1000;
            const struct timespec due = {due_ns / RK_NS_PER_S, due_ns % RK_NS_PER_S};
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
                ;
        }
        while ((got = capture_next(capture, &packet, all->left < all->n ? 0 : 100)) == 1 &&
               all->acknowledged < all->n)
            match_packet(all, &packet);
        if (got < 0)
            return got;
        if (all->left + all->acknowledged != before)
            progress_ns = (int64_t)rk_monotonic_ns();
        else if ((int64_t)rk_monotonic_ns() - progress_ns > limit_ns)
            return -ENODATA;
    }
    return 0;
}

int time_acknowledgements(const struct trip *trip, struct capture *capture, struct rk_sample *out,
                          size_t n, int64_t interval_us)
{
    struct segments all = {.segment = calloc(n, sizeof *all.segment), .n = n, .out = out};
    const int bad = all.segment ? match_segments(trip, capture, &all, interval_us) : -ENOMEM;
    free(all.segment);
    return bad;
}

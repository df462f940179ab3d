#include "network/support/acknowledged.h"

/* 0 or an error number. */
static int note_acknowledgement(struct acknowledged *acks, const struct packet *packet)
{
    const int32_t step = (int32_t)(packet->ack - acks->last); /* the header's number wraps */
    if (!(packet->flags & TH_ACK) || (acks->count && step <= 0))
        return 0;
    if (acks->count == acks->room) {
        const size_t room = acks->room ? 2 * acks->room : 1 << 16;
        struct acknowledgement *more = realloc(acks->at, room * sizeof *more);
        if (!more)
            return ENOMEM;
        acks->at = more;
        acks->room = room;
    }
    const uint64_t before = acks->count ? acks->at[acks->count - 1].bytes : 0;
    acks->at[acks->count] =
        (struct acknowledgement){packet->ns, acks->count ? before + (uint64_t)step : 0};
    acks->count++;
    acks->last = packet->ack;
    return 0;
}

/* Whether the acknowledgements cover that many bytes and that time. Not by the sender's clock: it
 * may fill its socket before the receiver first runs on the same CPU. */
static int is_enough(const struct acknowledged *acks, int64_t span_ns, uint64_t bytes)
{
    const struct acknowledgement *last = acks->count ? &acks->at[acks->count - 1] : NULL;
    return last && last->bytes >= bytes && last->ns - acks->at[0].ns >= span_ns;
}

/* The ring is emptied every few ms: a wake-up for each packet takes the CPU from the sender. */
int take_acknowledgements(struct capture *capture, struct streams *all, int64_t span_ns,
                          uint64_t minimum_bytes, struct acknowledged *acks)
{
    const struct timespec pause = {0, 3000000};
    uint64_t since_ns = rk_monotonic_ns();
    for (int ended = 0;;) {
        struct packet packet;
        int got, error = 0;
        const size_t before = acks->count;
        if (!ended && !atomic_load(&all->sending)) {
            ended = 1;
            error = all->stream[0].error ? 0 : await_taken(all->stream[0].fd, 0);
        }
        while (!error && (got = capture_next(capture, &packet, 0)) != 0)
            error = got < 0 ? -got : note_acknowledgement(acks, &packet);
        since_ns = acks->count > before ? rk_monotonic_ns() : since_ns;
        const int blind = rk_monotonic_ns() - since_ns > PATIENCE_S * RK_NS_PER_S;
        if (error || blind || is_enough(acks, span_ns, minimum_bytes))
            atomic_store(&all->over, 1);
        if (ended || error)
            return error;
        nanosleep(&pause, NULL);
    }
}

int best_window(struct rk_context *c, const struct acknowledged *acks, uint64_t sent,
                int64_t best_ns, struct rk_sample *out)
{
    const size_t last = acks->count - 1;
    uint64_t best = 0;
    if (acks->count < 2 || acks->at[last].ns - acks->at[0].ns < best_ns)
        return rk_error(c, ENODATA, "The captured acknowledgements span less than %g ms.",
                        (double)best_ns / 1e6);
    /* If the capture lost more than 4 GiB at a time, the header's number wrapped unseen and the sum
     * is too small. */
    if (acks->at[last].bytes > sent || sent - acks->at[last].bytes > (uint64_t)1 << 30)
        return rk_error(c, ENOBUFS, "The capture saw %llu bytes acknowledged of %llu sent.",
                        (unsigned long long)acks->at[last].bytes, (unsigned long long)sent);
    for (size_t begin = 0, end = 0; begin <= last; begin++) {
        while (end < last && acks->at[end + 1].ns <= acks->at[begin].ns + best_ns)
            end++;
        const uint64_t bytes = acks->at[end].bytes - acks->at[begin].bytes;
        best = bytes > best ? bytes : best;
    }
    *out = (struct rk_sample){best_ns, best};
    return 0;
}

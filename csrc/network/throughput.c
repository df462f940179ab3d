/* network/throughput: bytes of a TCP stream, counted by the receiver, in its own time. */
#include "network/support/capture.h"
#include "network/support/own_receiver.h"
#include "network/support/streams.h"

#define MS_NS 1000000
/* Sent beyond the last window, because the receiver's time begins only when it has its first byte,
 * which may have had to be sent twice. Where that was not enough, because the receiver's CPU was
 * busy, all is taken again with a longer one. */
#define MARGIN_MS 100
#define LONGEST_MARGIN_MS 1600
/* Notes in a window, so that what is interpolated between two of them is a small part of it; fewer
 * in a run so long that its sink would have to discard notes. */
#define NOTES_A_WINDOW 50
#define NOTES_A_RUN 90000

struct windows {
    int streams; /* connections at a time */
    int64_t skip_ms, window_ms;
};

/* n successive windows on the same connections; ticks are ns. Adds the segments
 * that TCP sent again to *retransmits. ETIME: a receiver began later than margin_ms. */
static int try_windows(struct rk_context *c, const struct windows *windows, int64_t margin_ms,
                       struct rk_sample *out, size_t n, int64_t *retransmits)
{
    const int64_t span_ms = windows->skip_ms + (int64_t)n * windows->window_ms + margin_ms;
    const int64_t fine_us = windows->window_ms * 1000 / NOTES_A_WINDOW;
    const int64_t bounded_us = span_ms * 1000 / NOTES_A_RUN;
    struct streams all;
    int status =
        open_streams(c, rk_state(c), &all, windows->streams,
                     fine_us > bounded_us ? fine_us : bounded_us, rk_text(c, "congestion"));
    if (status)
        return status;
    status = begin_streams(c, &all, span_ms * MS_NS);
    if (!status)
        status = finish_streams(c, &all);
    if (!status)
        status = cut_windows(c, &all, out, n, windows->skip_ms * MS_NS, windows->window_ms * MS_NS);
    *retransmits = rk_add_counts(*retransmits, all_retransmits(&all));
    close_streams(&all);
    return status;
}

static int take_windows(struct rk_context *c, const struct windows *windows, struct rk_sample *out,
                        size_t n, int64_t *retransmits)
{
    int64_t margin_ms = MARGIN_MS;
    int status = try_windows(c, windows, margin_ms, out, n, retransmits);
    while (status == -ETIME && margin_ms < LONGEST_MARGIN_MS) {
        margin_ms *= 4;
        status = try_windows(c, windows, margin_ms, out, n, retransmits);
    }
    return status;
}

/* Of several streams the receivers, too, may use every CPU; between two CPUs there have to be two.
 */
static int open_tcp(struct rk_context *c)
{
    const int several = rk_integer(c, "streams") > 1;
    const enum server_place place = server_place_of(c);
    const int other = several && place == OTHER_CPU ? rk_other_cpu(c) : 0;
    if (other < 0)
        return other;
    return open_sender_of(c, (size_t)rk_integer(c, "size_bytes"), several ? ANY_CPU : place);
}

static int run_tcp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct sender *sender = rk_state(c);
    const struct windows windows = {.streams = (int)rk_integer(c, "streams"),
                                    .skip_ms = rk_integer(c, "skip_ms"),
                                    .window_ms = rk_integer(c, "window_ms")};
    const struct rk_tcp_counts before = rk_count_tcp();
    int64_t retransmits = 0;
    const int status = take_windows(c, &windows, out, n, &retransmits);
    rk_note_retransmits(c, retransmits, &before);
    rk_ns_to_ticks(out, n, &sender->opened);
    return status;
}

/* Each window is the first of a fresh connection. */
static int run_start(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct sender *sender = rk_state(c);
    const struct windows windows = {.streams = 1,
                                    .skip_ms = rk_integer(c, "after_ms"),
                                    .window_ms = rk_integer(c, "window_ms")};
    const struct rk_tcp_counts before = rk_count_tcp();
    int64_t retransmits = 0;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++)
        status = take_windows(c, &windows, out + i, 1, &retransmits);
    rk_note_retransmits(c, retransmits, &before);
    rk_ns_to_ticks(out, n, &sender->opened);
    return status;
}

/* --- mbp2016: 32 MB in one loop of writes, to a thread of the same process or to the other host
 * --- */

struct sender_to_thread {
    struct sender sender;
    struct own_receiver thread;
    uint64_t sent;
};

static int open_mbp2016(struct rk_context *c)
{
    struct sender_to_thread *state = rk_state(c);
    struct sender *sender = &state->sender;
    const int status = open_sender(c);
    if (status)
        return status;
    return peer_is_loopback(c) ? open_own_receiver(c, &state->thread, &sender->peer, &sender->fd)
                               : peer_request(c, &sender->peer, SINK_THAT_COUNTS, &sender->fd);
}

/* Each transfer begins when the receiver has the whole of the one before. */
static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct sender_to_thread *state = rk_state(c);
    const char *data = state->sender.data.start;
    const size_t size = state->sender.size_bytes;
    const int fd = state->sender.fd;
    const struct rk_tcp_counts before = rk_count_tcp();
    const int64_t retransmits = tcp_retransmits(fd);
    int error = 0;
    for (size_t i = 0; i < n && !error; i++) {
        const uint64_t begin = rk_begin();
        error = -peer_send(fd, data, size);
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), size};
        error = error ? error : await_taken(fd, 0);
        state->sent += size;
    }
    rk_note_retransmits(c, rk_count_growth(retransmits, tcp_retransmits(fd)), &before);
    return error ? transfer_failed(c, error) : 0;
}

static int close_mbp2016(struct rk_context *c)
{
    struct sender_to_thread *state = rk_state(c);
    struct sender *sender = &state->sender;
    int received = 0;
    if (sender->opened.ns && sender->fd >= 0 && peer_is_loopback(c)) {
        received = close_own_receiver(c, &state->thread, sender->fd, state->sent);
        sender->fd = -1;
    } else if (sender->opened.ns && sender->fd >= 0) {
        received = all_received(c, sender->fd, state->sent);
    }
    const int status = close_sender(c);
    return received ? received : status;
}

#define SIZE RK_INTEGER("size_bytes", 131072, 64, 4 << 20, "handed over in one send")
#define CONGESTION                                                                                 \
    RK_TEXT("congestion", "",                                                                      \
            "the sender's congestion control, as reno or cubic; empty: the system's")
#define WINDOWS                                                                                    \
    SIZE, RK_INTEGER("streams", 1, 1, STREAMS_MAX, "connections at a time"),                       \
        RK_INTEGER("skip_ms", 100, 0, 60000, "at the beginning that do not count (slow start)"),   \
        RK_INTEGER("window_ms", 50, 1, 60000, "of one sample"), CONGESTION

RK_PROBE("network/throughput/tcp", .op = "byte",
         .timed = "bytes that the receiver took from all its connections in successive windows of "
                  "window_ms by its own clock, skip_ms after its first byte; it takes up to 1 MiB "
                  "a call. On loopback it is on the sender's CPU; of several streams both ends may "
                  "use every CPU",
         .params = RK_PARAMS(PEER, WINDOWS), .needs = RK_NEEDS_PEER,
         RK_STAGES(struct sender, open_tcp, run_tcp, close_sender));
RK_PROBE("network/throughput/tcp_across", .op = "byte",
         .timed =
             "bytes that the receiver, on another CPU of this computer than the sender, took "
             "from all its connections in successive windows of window_ms by its own clock, "
             "skip_ms after its first byte; it takes up to 1 MiB a call. Of several streams both "
             "ends may use every CPU",
         .params = RK_PARAMS(RK_TEXT("peer", "loopback", "loopback"), WINDOWS, RK_PARTNER),
         .needs = RK_NEEDS_PEER, RK_STAGES(struct sender, open_tcp, run_tcp, close_sender),
         SERVER(OTHER_CPU));
RK_PROBE("network/throughput/start", .op = "byte",
         .timed = "bytes that the receiver of a fresh connection took in one window of window_ms "
                  "by its own clock, after_ms after its first byte",
         .params = RK_PARAMS(PEER, SIZE,
                             RK_INTEGER("after_ms", 0, 0, 60000,
                                        "from the first byte to the window"),
                             RK_INTEGER("window_ms", 10, 1, 60000, "of the window"), CONGESTION),
         .needs = RK_NEEDS_PEER, RK_STAGES(struct sender, open_sender, run_start, close_sender));
RK_PROBE("network/throughput/mbp2016", .op = "byte", .reports = "mbp2016",
         .timed = "sends in a loop until the last of size_bytes is handed over, the sender's time; "
                  "the end of it lies in socket buffers yet. Loopback: to a thread of the same "
                  "process, where the scheduler puts it",
         .params = RK_PARAMS(PEER, RK_INTEGER("size_bytes", 32 << 20, 1, 1 << 30,
                                              "of one sample (the report: 32 MB)")),
         .needs = RK_NEEDS_PEER,
         RK_STAGES(struct sender_to_thread, open_mbp2016, run_mbp2016, close_mbp2016),
         SERVER(NO_SERVER));

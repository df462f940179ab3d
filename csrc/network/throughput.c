/* network/throughput: bytes of a TCP stream, counted by whoever receives them, in its own time. */
#include "network/support/capture.h"
#include "network/support/own_receiver.h"
#include "network/support/streams.h"

#define MS_NS 1000000
/* Sent beyond the last window, because the receiver's time begins only when its first byte is
 * there, which may have had to be sent twice. */
#define MARGIN_MS 100
/* Notes in a window, so that what is spread evenly between two of them is a small part of it; fewer
 * in a run so long that its sink would have to throw notes away. */
#define NOTES_A_WINDOW 50
#define NOTES_A_RUN 90000

/* What a row asks for. */
struct wish {
    int cpu, streams; /* of the row's own server; connections at a time */
    int64_t size_bytes, skip_ms, window_ms;
    const char *congestion;
};

/* n windows on the same connections, one after the other; in ns. */
static int take_windows(struct rk_context *c, struct peer *peer, const struct wish *wish,
                        struct rk_sample *out, size_t n, int64_t *again)
{
    const int64_t span_ms = wish->skip_ms + (int64_t)n * wish->window_ms + MARGIN_MS;
    const int64_t fine_us = wish->window_ms * 1000 / NOTES_A_WINDOW;
    const int64_t bounded_us = span_ms * 1000 / NOTES_A_RUN;
    struct streams all;
    int status = open_streams(c, peer, &all, wish->streams, (size_t)wish->size_bytes,
                              fine_us > bounded_us ? fine_us : bounded_us, wish->congestion);
    if (status)
        return status;
    status = begin_streams(c, &all, span_ms * MS_NS);
    if (!status)
        status = finish_streams(c, &all);
    if (!status)
        status = cut_windows(c, &all, out, n, wish->skip_ms * MS_NS, wish->window_ms * MS_NS);
    const int64_t now_again = all_sent_again(&all);
    *again = *again < 0 || now_again < 0 ? -1 : *again + now_again;
    close_streams(&all);
    return status;
}

/* n windows of one go, or, with `anew`, each of fresh connections. */
static int measure(struct rk_context *c, const struct wish *wish, struct rk_sample *out, size_t n,
                   int anew)
{
    const struct rk_stamp begin = rk_stamp_now();
    struct peer peer;
    int64_t again = 0;
    int status = peer_open(c, wish->cpu, &peer);
    if (status)
        return status;
    const struct counts before = count_tcp();
    if (!anew)
        status = take_windows(c, &peer, wish, out, n, &again);
    for (size_t i = 0; anew && i < n && !status; i++)
        status = take_windows(c, &peer, wish, out + i, 1, &again);
    note_stream(c, again, &before);
    capture_to_ticks(out, n, &begin);
    return peer_close(c, &peer, status);
}

static struct wish wish_for_windows(const struct rk_context *c, int cpu)
{
    return (struct wish){.cpu = cpu,
                         .streams = (int)rk_integer(c, "streams"),
                         .size_bytes = rk_integer(c, "size_bytes"),
                         .skip_ms = rk_integer(c, "skip_ms"),
                         .window_ms = rk_integer(c, "window_ms"),
                         .congestion = rk_text(c, "congestion")};
}

static int run_tcp(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct wish wish = wish_for_windows(c, -1);
    return measure(c, &wish, out, n, 0);
}

static int run_tcp_across(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct wish wish = wish_for_windows(c, rk_other_cpu());
    if (strcmp(rk_text(c, "peer"), "loopback") != 0)
        return rk_cannot(c, "is about two CPUs of this computer: peer is loopback");
    if (wish.cpu < 0)
        return rk_cannot(c, "needs a second CPU, and this process may use only one");
    return measure(c, &wish, out, n, 0);
}

static int run_start(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct wish wish = {.cpu = -1,
                              .streams = 1,
                              .size_bytes = rk_integer(c, "size_bytes"),
                              .skip_ms = rk_integer(c, "after_ms"),
                              .window_ms = rk_integer(c, "window_ms"),
                              .congestion = rk_text(c, "congestion")};
    return measure(c, &wish, out, n, 1);
}

/* --- mbp2016: 32 MB in one loop of writes, to a thread of the same process or to the other host
 * --- */

/* n times everything, each begun when the receiver has all that was before. */
static int send_all(struct rk_context *c, int fd, const struct rk_region *data,
                    struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        int error = -peer_send(fd, data->start, size);
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), size};
        error = error ? error : await_taken(fd, 0);
        if (error)
            return transfer_failed(c, error);
    }
    return 0;
}

static int run_mbp2016(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const int here = strcmp(rk_text(c, "peer"), "loopback") == 0;
    struct own_receiver own;
    struct rk_region data;
    struct peer peer = {.server = 0};
    int fd = -1;
    int status = rk_map(c, &data, size, 0);
    if (status)
        return status;
    fill_at_random(&data);
    status = here ? own_receiver_open(c, &own, &fd) : peer_open(c, -1, &peer);
    const struct counts before = count_tcp();
    if (!status && !here)
        status = peer_ask(c, &peer, SINK_THAT_COUNTS, &fd);
    if (!status) {
        status = send_all(c, fd, &data, out, n);
        if (!status && !here)
            status = all_received(c, fd, n * size);
        note_stream(c, sent_again(fd), &before);
        if (here)
            status = own_receiver_close(c, &own, fd, n * size, status);
        else
            close(fd);
    }
    rk_unmap(&data);
    return peer_close(c, &peer, status);
}

#define PEER RK_WORD("peer", "loopback", "loopback, or other: the other host")
#define SIZE RK_COUNT("size_bytes", 131072, 64, 4 << 20, "handed over in one send")
#define CONGESTION                                                                                 \
    RK_WORD("congestion", "",                                                                      \
            "the sender's congestion control, as reno or cubic; empty: the system's")
#define WINDOWS                                                                                    \
    SIZE, RK_COUNT("streams", 1, 1, STREAMS_MOST, "connections at a time"),                        \
        RK_COUNT("skip_ms", 100, 0, 60000, "at the beginning that do not count (slow start)"),     \
        RK_COUNT("window_ms", 50, 1, 60000, "of one sample"), CONGESTION

RK_PROBE(tcp, .name = "network/throughput/tcp", .op = "byte",
         .timed =
             "bytes that the receiver took from all its connections in successive windows of "
             "window_ms by its own clock, skip_ms after its first byte; it takes up to 1 MiB a "
             "call, and on loopback it is on the sender's CPU",
         .params = RK_PARAMS(PEER, WINDOWS), .needs = RK_NEEDS_PEER, .trials = run_tcp);
RK_PROBE(
    tcp_across, .name = "network/throughput/tcp_across", .op = "byte",
    .timed =
        "bytes that the receiver, on another CPU of this computer than the sender (the lowest), "
        "took from all its connections in successive windows of window_ms by its own "
        "clock, skip_ms after its first byte; it takes up to 1 MiB a call",
    .params = RK_PARAMS(RK_WORD("peer", "loopback", "loopback"), WINDOWS), .needs = RK_NEEDS_PEER,
    .trials = run_tcp_across);
RK_PROBE(start, .name = "network/throughput/start", .op = "byte",
         .timed =
             "bytes that the receiver of a fresh connection took in one window of window_ms by its "
             "own clock, after_ms after its first byte",
         .params = RK_PARAMS(PEER, SIZE,
                             RK_COUNT("after_ms", 0, 0, 60000, "from the first byte to the window"),
                             RK_COUNT("window_ms", 10, 1, 60000, "of the window"), CONGESTION),
         .needs = RK_NEEDS_PEER, .trials = run_start);
RK_PROBE(mbp2016, .name = "network/throughput/mbp2016", .op = "byte", .reports = "mbp2016",
         .timed =
             "sends in a loop until the last of size_bytes is handed over, the sender's time; the "
             "end of it lies in socket buffers yet. Loopback: to a thread of the same process, "
             "where the scheduler puts it",
         .params = RK_PARAMS(PEER, RK_COUNT("size_bytes", 32 << 20, 1, 1 << 30,
                                            "of one sample (the report: 32 MB)")),
         .needs = RK_NEEDS_PEER, .trials = run_mbp2016);

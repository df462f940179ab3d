/* network/throughput by the ways of the reports that compiled without optimisation. */
#include "network/support/acknowledged.h"
#include "network/support/streams.h"
#include "probe/stamps.h"

/* What these rows have in common: a peer, one connection at a time, and data to send. */
struct sender {
    struct peer peer;
    struct rk_region data;
    struct counts before;
    int64_t again;
    int fd;
};

/* Where it fails, nothing is left. */
static int open_sender(struct rk_context *c, struct sender *me)
{
    *me = (struct sender){.fd = -1};
    int status = rk_map(c, &me->data, (size_t)rk_integer(c, "size_bytes"), 0);
    if (status)
        return status;
    fill_at_random(&me->data);
    status = peer_open(c, -1, &me->peer);
    if (status)
        rk_unmap(&me->data);
    me->before = count_tcp();
    return status;
}

/* Ends the connection, and keeps what TCP had to send again on it. */
static void hang_up(struct sender *me)
{
    const int64_t again = me->fd < 0 ? 0 : sent_again(me->fd);
    me->again = me->again < 0 || again < 0 ? -1 : me->again + again;
    if (me->fd >= 0)
        close(me->fd);
    me->fd = -1;
}

static int close_sender(struct rk_context *c, struct sender *me, int status)
{
    hang_up(me);
    note_stream(c, me->again, &me->before);
    rk_unmap(&me->data);
    return peer_close(c, &me->peer, status);
}

/* --- t470: one send() of everything, the sender's time --- */

/* A send of many MB may take longer than the limit of one call, as long as the other host takes
 * more: the limit is put on the time without an acknowledgement instead (tcp(7), TCP_USER_TIMEOUT).
 */
static int wait_while_it_moves(struct rk_context *c, int fd)
{
    const struct timeval none = {0, 0};
    const unsigned limit_ms = PATIENCE_S * 1000;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none) < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof limit_ms) < 0)
        return rk_failed(c, "setsockopt", errno);
    return 0;
}

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    struct sender me;
    int status = open_sender(c, &me);
    if (status)
        return status;
    status = peer_ask(c, &me.peer, SINK_THAT_COUNTS, &me.fd);
    if (!status)
        status = wait_while_it_moves(c, me.fd);
    for (size_t i = 0; i < n && !status; i++) {
        ssize_t sent;
        errno = 0;
        RK_ONE_BY_ONE(out + i, 1, RK_BARE_BEGIN, RK_BARE_END,
                      sent = send(me.fd, me.data.start, size, MSG_WAITALL | MSG_NOSIGNAL));
        int error = sent < 0 ? errno : sent < (ssize_t)size ? pending_error(me.fd) : 0;
        error = error ? error : sent < (ssize_t)size ? ETIMEDOUT : await_taken(me.fd, 0);
        out[i].ops = size;
        status = error ? transfer_failed(c, error) : 0;
    }
    if (!status)
        status = all_received(c, me.fd, n * size);
    return close_sender(c, &me, status);
}

/* --- i7_10750h: 128 KiB at a time, for seconds --- */

/* Sends until the time is up, and waits until the receiver has it all. 0 or an errno. */
static int chunks_one_way(const struct sender *me, size_t size, uint64_t span_ns, uint64_t *bytes)
{
    const uint64_t end_ns = rk_monotonic_ns() + span_ns;
    while (rk_monotonic_ns() < end_ns) {
        const int error = -peer_send(me->fd, me->data.start, size);
        if (error)
            return error;
        *bytes += size;
    }
    return end_stream(me->fd);
}

/* Each chunk is sent, and one of the same size comes back. */
static int chunks_there_and_back(const struct sender *me, size_t size, uint64_t span_ns,
                                 uint64_t *bytes)
{
    const uint64_t end_ns = rk_monotonic_ns() + span_ns;
    while (rk_monotonic_ns() < end_ns) {
        int error = -peer_send(me->fd, me->data.start, size);
        error = error ? error : -peer_receive(me->fd, me->data.start, size);
        if (error)
            return error;
        *bytes += size;
    }
    return 0;
}

typedef int chunks(const struct sender *, size_t size, uint64_t span_ns, uint64_t *bytes);

/* A sample a connection, each a new one. */
static int i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n, chunks *exchange,
                     int back)
{
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    const uint64_t span_ns = (uint64_t)rk_integer(c, "span_ms") * 1000000;
    char service[64];
    struct sender me;
    int status = open_sender(c, &me);
    if (status)
        return status;
    snprintf(service, sizeof service, "echo %zu", size);
    for (size_t i = 0; i < n && !status; i++) {
        uint64_t bytes = 0;
        struct notes notes = {NULL, 0};
        int error = 0;
        status = peer_ask(c, &me.peer, back ? service : SINK_THAT_COUNTS, &me.fd);
        if (status)
            break;
        RK_ONE_BY_ONE(out + i, 1, RK_PAOLONI_BEGIN, RK_PAOLONI_END,
                      error = exchange(&me, size, span_ns, &bytes));
        out[i].ops = bytes;
        status = error ? transfer_failed(c, error) : back ? 0 : hear_notes(c, me.fd, bytes, &notes);
        forget_notes(&notes);
        hang_up(&me);
    }
    return close_sender(c, &me, status);
}

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return i7_10750h(c, out, n, chunks_one_way, 0);
}

static int run_i7_10750h_exchange(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return i7_10750h(c, out, n, chunks_there_and_back, 1);
}

/* --- hpe_i7_860: what was acknowledged in the best second of 5 GB, from a capture --- */

#define HPE_SEND_BYTES (128 << 10) /* the report does not say */

/* One transfer: the sender's thread sends while this one takes the acknowledgements. */
static int one_transfer(struct rk_context *c, struct streams *all, struct capture *capture,
                        int64_t best_ns, uint64_t least_bytes, struct rk_sample *out)
{
    struct acknowledged told = {.count = 0};
    int status = begin_streams(c, all, INT64_MAX / 2); /* until it is enough */
    if (status)
        return status;
    const int error = take_acknowledgements(capture, all, 2 * best_ns, least_bytes, &told);
    status = finish_streams(c, all);
    if (error && !status)
        status = rk_failed(c, "taking the acknowledgements", error);
    if (!status)
        status = best_window(c, &told, all->each[0].sent, best_ns, out);
    free(told.at);
    return status;
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t best_ns = rk_integer(c, "best_ms") * 1000000;
    const uint64_t least_bytes = (uint64_t)rk_integer(c, "size_bytes");
    const struct rk_stamp begin = rk_stamp_now();
    struct peer peer;
    int64_t again = 0;
    int status = peer_open(c, -1, &peer);
    if (status)
        return status;
    const struct counts before = count_tcp();
    for (size_t i = 0; i < n && !status; i++) {
        struct streams all;
        struct capture capture;
        status = open_streams(c, &peer, &all, 1, HPE_SEND_BYTES, 1000000, "");
        if (status)
            break;
        status = capture_stream(c, all.each[0].fd, &capture);
        if (!status) {
            status = one_transfer(c, &all, &capture, best_ns, least_bytes, out + i);
            capture_lost(&capture); /* harmless: each acknowledgement tells of all before it */
            status = capture_close(c, &capture, status);
        }
        const int64_t now_again = all_sent_again(&all);
        again = again < 0 || now_again < 0 ? -1 : again + now_again;
        close_streams(&all);
    }
    note_stream(c, again, &before);
    capture_to_ticks(out, n, &begin);
    return peer_close(c, &peer, status);
}

#define PEER RK_WORD("peer", "loopback", "loopback, or other: the other host")
#define CHUNK RK_COUNT("size_bytes", 128 << 10, 64, 4 << 20, "of a chunk (the report: 128 KB)")
#define LOOPBACK "on loopback the server is on the sender's CPU"
#define SPAN RK_COUNT("span_ms", 20000, 1, 600000, "that one sample lasts (the report: 20 s)")

RK_PROBE(t470, .name = "network/throughput/t470", .op = "byte", .reports = "t470",
         .timed =
             "one send() of size_bytes with MSG_WAITALL, -O0, between bare stamps: until the last "
             "byte is in the sender's socket, whose buffer is empty at the beginning; " LOOPBACK,
         .params = RK_PARAMS(PEER, RK_COUNT("size_bytes", 512 << 20, 1, 1 << 30,
                                            "of one send (the report: 512 MB, and 10 MB to another "
                                            "host)")),
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .trials = run_t470);
RK_PROBE(i7_10750h, .name = "network/throughput/i7_10750h", .op = "byte", .reports = "i7_10750h",
         .timed =
             "sends of size_bytes one after the other for span_ms, -O0, and until the receiver has "
             "them all, between CPUID-fenced stamps; the receiver's bytes; " LOOPBACK,
         .params = RK_PARAMS(PEER, CHUNK, SPAN), .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS,
         .trials = run_i7_10750h);
RK_PROBE(i7_10750h_exchange, .name = "network/throughput/i7_10750h_exchange", .op = "byte",
         .reports = "i7_10750h",
         .timed = "for span_ms a chunk of size_bytes sent and as much received, -O0, between "
                  "CPUID-fenced stamps; bytes of one way; " LOOPBACK,
         .params = RK_PARAMS(PEER, CHUNK, SPAN), .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS,
         .trials = run_i7_10750h_exchange);
RK_PROBE(
    hpe_i7_860, .name = "network/throughput/hpe_i7_860", .op = "byte", .reports = "hpe_i7_860",
    .timed = "bytes newly acknowledged in the best best_ms of a transfer of size_bytes, or more "
             "until it has lasted twice as long, by the kernel's times of the "
             "acknowledgements; " LOOPBACK,
    .params = RK_PARAMS(PEER,
                        RK_COUNT("size_bytes", 5000000000, 1, (int64_t)1 << 40,
                                 "of a transfer, at least (the report: 5 GB)"),
                        RK_COUNT("best_ms", 1000, 1, 60000, "of the window (the report: 1 s)")),
    .needs = RK_NEEDS_PEER, .trials = run_hpe_i7_860);

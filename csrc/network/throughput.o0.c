/* network/throughput by the methods of the reports that compiled without optimisation. */
#include "network/support/acknowledged.h"
#include "network/support/streams.h"
#include "probe/stamps.h"

/* --- t470: one send() of everything, the sender's time --- */

struct whole_sends {
    struct sender sender;
    uint64_t sent;
    int failed;
};

/* A send of many MB may take longer than the limit of one call, as long as the other host takes
 * more: the limit is on the time without an acknowledgement instead (tcp(7), TCP_USER_TIMEOUT). */
static int limit_stalls(struct rk_context *c, int fd)
{
    const struct timeval none = {0, 0};
    const unsigned limit_ms = PATIENCE_S * 1000;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none) < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof limit_ms) < 0)
        return rk_failed(c, "setsockopt", errno);
    return 0;
}

static int open_t470(struct rk_context *c)
{
    struct whole_sends *state = rk_state(c);
    struct sender *sender = &state->sender;
    int status = open_sender(c);
    if (!status)
        status = peer_request(c, &sender->peer, SINK_THAT_COUNTS, &sender->fd);
    return status ? status : limit_stalls(c, sender->fd);
}

/* Why a send() that returned `sent` did not take everything; 0 if it did. */
static int send_error(int fd, ssize_t sent, size_t size)
{
    if (sent < 0)
        return errno;
    if (sent == (ssize_t)size)
        return 0;
    const int error = pending_error(fd);
    return error ? error : ETIMEDOUT;
}

static int run_t470(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct whole_sends *state = rk_state(c);
    const struct sender sender = state->sender;
    const size_t size = sender.size_bytes;
    const struct rk_tcp_counts before = rk_count_tcp();
    const int64_t retransmits = tcp_retransmits(sender.fd);
    int error = 0;
    for (size_t i = 0; i < n && !error; i++) {
        ssize_t sent;
        errno = 0;
        RK_TIME_BARE(out + i, 1,
                     sent = send(sender.fd, sender.data.start, size, MSG_WAITALL | MSG_NOSIGNAL));
        error = send_error(sender.fd, sent, size);
        error = error ? error : await_taken(sender.fd, 0);
        out[i].ops = size;
        state->sent += size;
    }
    state->failed = error;
    rk_note_retransmits(c, rk_count_growth(retransmits, tcp_retransmits(sender.fd)), &before);
    return error ? transfer_failed(c, error) : 0;
}

static int close_t470(struct rk_context *c)
{
    struct whole_sends *state = rk_state(c);
    const struct sender *sender = &state->sender;
    const int received = sender->opened.ns && sender->fd >= 0 && !state->failed
                             ? all_received(c, sender->fd, state->sent)
                             : 0;
    const int status = close_sender(c);
    return received ? received : status;
}

/* --- i7_10750h: 128 KiB at a time, for seconds --- */

/* Sends until the time is up, and waits until the receiver has it all. 0 or an error number. */
static int chunks_one_way(const struct sender *sender, size_t size, uint64_t span_ns,
                          uint64_t *bytes)
{
    const uint64_t end_ns = rk_monotonic_ns() + span_ns;
    while (rk_monotonic_ns() < end_ns) {
        const int error = -peer_send(sender->fd, sender->data.start, size);
        if (error)
            return error;
        *bytes += size;
    }
    return end_stream(sender->fd);
}

/* Each chunk is sent, and one of the same size comes back. */
static int chunks_there_and_back(const struct sender *sender, size_t size, uint64_t span_ns,
                                 uint64_t *bytes)
{
    const uint64_t end_ns = rk_monotonic_ns() + span_ns;
    while (rk_monotonic_ns() < end_ns) {
        int error = -peer_send(sender->fd, sender->data.start, size);
        error = error ? error : -peer_receive(sender->fd, sender->data.start, size);
        if (error)
            return error;
        *bytes += size;
    }
    return 0;
}

typedef int chunks(const struct sender *, size_t size, uint64_t span_ns, uint64_t *bytes);

/* A sample a connection, each a new one. */
static int i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n, chunks *exchange,
                     const char *service)
{
    struct sender *sender = rk_state(c);
    const size_t size = sender->size_bytes;
    const uint64_t span_ns = (uint64_t)rk_integer(c, "span_ms") * 1000000;
    const struct rk_tcp_counts before = rk_count_tcp();
    int64_t retransmits = 0;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++) {
        uint64_t bytes = 0;
        struct notes notes = {NULL, 0};
        int error = 0;
        status = peer_request(c, &sender->peer, service, &sender->fd);
        if (status)
            break;
        RK_TIME_PAOLONI(out + i, 1, error = exchange(sender, size, span_ns, &bytes));
        out[i].ops = bytes;
        if (error)
            status = transfer_failed(c, error);
        else if (exchange == chunks_one_way)
            status = read_notes(c, sender->fd, bytes, &notes);
        free_notes(&notes);
        retransmits = rk_add_counts(retransmits, close_connection(sender));
    }
    rk_note_retransmits(c, retransmits, &before);
    return status;
}

static int run_i7_10750h(struct rk_context *c, struct rk_sample *out, size_t n)
{
    return i7_10750h(c, out, n, chunks_one_way, SINK_THAT_COUNTS);
}

static int run_i7_10750h_exchange(struct rk_context *c, struct rk_sample *out, size_t n)
{
    char service[64];
    snprintf(service, sizeof service, "echo %zu", (size_t)rk_integer(c, "size_bytes"));
    return i7_10750h(c, out, n, chunks_there_and_back, service);
}

/* --- hpe_i7_860: what was acknowledged in the best second of 5 GB, from a capture --- */

#define HPE_SEND_BYTES (128 << 10) /* the report does not say */

static int open_hpe_i7_860(struct rk_context *c)
{
    return open_sender_of(c, HPE_SEND_BYTES, server_place_of(c));
}

/* One transfer: the stream's thread sends while this one reads the acknowledgements. */
static int one_transfer(struct rk_context *c, struct streams *all, struct capture *capture,
                        struct rk_sample *out)
{
    const int64_t best_ns = rk_integer(c, "best_ms") * 1000000;
    const uint64_t minimum_bytes = (uint64_t)rk_integer(c, "size_bytes");
    struct acknowledged acks = {.count = 0};
    int status = begin_streams(c, all, INT64_MAX / 2); /* until it is enough */
    if (status)
        return status;
    const int error = take_acknowledgements(capture, all, 2 * best_ns, minimum_bytes, &acks);
    status = finish_streams(c, all);
    if (error && !status)
        status = rk_failed(c, "reading the acknowledgements", error);
    if (!status)
        status = best_window(c, &acks, all->stream[0].sent, best_ns, out);
    free(acks.at);
    return status;
}

static int captured_transfer(struct rk_context *c, struct streams *all, struct rk_sample *out)
{
    struct capture capture;
    int status = capture_connection(c, all->stream[0].fd, &capture);
    if (status)
        return status;
    capture_only_incoming(&capture);
    status = one_transfer(c, all, &capture, out);
    capture_lost(&capture); /* harmless: each acknowledgement covers all bytes before it */
    return capture_close(c, &capture, status);
}

static int run_hpe_i7_860(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const struct sender *sender = rk_state(c);
    const struct rk_tcp_counts before = rk_count_tcp();
    int64_t retransmits = 0;
    int status = 0;
    for (size_t i = 0; i < n && !status; i++) {
        struct streams all;
        status = open_streams(c, sender, &all, 1, 1000000, "");
        if (status)
            break;
        status = captured_transfer(c, &all, out + i);
        retransmits = rk_add_counts(retransmits, all_retransmits(&all));
        close_streams(&all);
    }
    rk_note_retransmits(c, retransmits, &before);
    rk_ns_to_ticks(out, n, &sender->opened);
    return status;
}

#define CHUNK RK_INTEGER("size_bytes", 128 << 10, 64, 1 << 20, "of a chunk (the report: 128 KB)")
#define SPAN RK_INTEGER("span_ms", 20000, 1, 600000, "that one sample lasts (the report: 20 s)")

RK_PROBE("network/throughput/t470", .op = "byte", .reports = "t470",
         .timed = "one send() of size_bytes with MSG_WAITALL, -O0, between bare stamps: until the "
                  "last byte is in the sender's socket, whose buffer is empty at the beginning; on "
                  "loopback the server is on the sender's CPU",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS,
         .params = RK_PARAMS(PEER, RK_INTEGER("size_bytes", 512 << 20, 1, 1 << 30,
                                              "of one send (the report: 512 MB, and 10 MB to "
                                              "another host)")),
         RK_STAGES(struct whole_sends, open_t470, run_t470, close_t470));
RK_PROBE("network/throughput/i7_10750h", .op = "byte", .reports = "i7_10750h",
         .timed = "sends of size_bytes one after the other for span_ms, -O0, and until the "
                  "receiver has them all, between CPUID-fenced stamps; the receiver's bytes; on "
                  "loopback the server is on the sender's CPU",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER, CHUNK, SPAN),
         RK_STAGES(struct sender, open_sender, run_i7_10750h, close_sender));
RK_PROBE("network/throughput/i7_10750h_exchange", .op = "byte", .reports = "i7_10750h",
         .timed = "for span_ms a chunk of size_bytes sent and as much received, -O0, between "
                  "CPUID-fenced stamps; bytes of one way; on loopback the server is on the "
                  "sender's CPU",
         .needs = RK_NEEDS_PEER | RK_NEEDS_STAMPS, .params = RK_PARAMS(PEER, CHUNK, SPAN),
         RK_STAGES(struct sender, open_sender, run_i7_10750h_exchange, close_sender));
RK_PROBE("network/throughput/hpe_i7_860", .op = "byte", .reports = "hpe_i7_860",
         .timed = "bytes newly acknowledged in the best best_ms of a transfer of size_bytes, or "
                  "more until it has lasted twice as long, by the kernel's times of the "
                  "acknowledgements; on loopback the server is on the sender's CPU",
         .needs = RK_NEEDS_PEER,
         .params = RK_PARAMS(PEER,
                             RK_INTEGER("size_bytes", 5000000000, 1, (int64_t)1 << 40,
                                        "of a transfer, at least (the report: 5 GB)"),
                             RK_INTEGER("best_ms", 1000, 1, 60000,
                                        "of the window (the report: 1 s)")),
         RK_STAGES(struct sender, open_hpe_i7_860, run_hpe_i7_860, close_sender));

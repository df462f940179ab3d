/* receiver.h: how many bytes the receiver of a stream had by when, as reckon-peer's sink noted it
 * by a clock of its own; for network/throughput. What the sender has handed over is not yet
 * received: some MB of it may lie in its socket. */
#ifndef RK_RECEIVER_H
#define RK_RECEIVER_H

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "network/support/client.h"
#include "network/support/counts.h"

/* As long as nothing moves before a connection counts as stalled. */
#define PATIENCE_S PEER_DEADLINE_S
/* What our rows' receiver asks of its socket in one call. On the sender's own CPU it decides how
 * much goes through at a time: each call makes room, for which the sender is woken at once. With
 * sends of 1 MiB and 128 KiB a call it had half of what iperf3 -l 1M has, with 1 MiB a call as
 * much; on another CPU it makes no difference. */
#define RECEIVER_BYTES (1 << 20)
/* The reports' receiver: as iperf3's default, and a note a second, as only its count is asked for.
 */
#define SINK_THAT_COUNTS "sink 1000000 131072"
/* More than the sink keeps: whoever sends as many is no sink. */
#define NOTES_MOST 200000

struct note {
    uint64_t bytes;
    int64_t ns;
};

struct notes {
    struct note *at; /* in the order of time */
    size_t count;
};

static inline void forget_notes(struct notes *notes)
{
    free(notes->at);
    *notes = (struct notes){NULL, 0};
}

/* Each failure of a send or of a wait is told by the same sentences. */
static inline int transfer_failed(struct rk_context *c, int error)
{
    if (error == ETIMEDOUT)
        return trouble(c, error,
                       "The receiver took nothing for %d s; is the other host busy, or "
                       "the link down?",
                       PATIENCE_S);
    if (error == ECONNRESET || error == EPIPE)
        return trouble(c, ECONNRESET, "The receiver went away before it had everything.");
    return rk_failed(c, "the transfer", error);
}

static inline int pending_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

/* Until the other host has acknowledged all that was sent or, with `answer`, until it says
 * something. As long as it takes more, it may take its time. 0 or an errno. */
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
        } else if (now_ns - since_ns > PATIENCE_S * 1000000000ull) {
            return ETIMEDOUT;
        }
    }
}

static inline int add_note(struct rk_context *c, struct notes *notes, const char *line)
{
    unsigned long long bytes;
    long long ns;
    char end;
    const struct note *last = notes->count ? &notes->at[notes->count - 1] : NULL;
    if (sscanf(line, "%llu %lld%c", &bytes, &ns, &end) != 3 || end != '\n' ||
        (last && (bytes < last->bytes || ns < last->ns)) || notes->count == NOTES_MOST)
        return trouble(c, EPROTO,
                       "The receiver's notes make no sense; build reckon-peer and "
                       "this reckon from the same commit.");
    notes->at[notes->count++] = (struct note){bytes, ns};
    return 0;
}

/* Nothing more is sent; back when the receiver has everything and begins to tell. 0 or an errno. */
static inline int end_stream(int fd)
{
    return shutdown(fd, SHUT_WR) < 0 ? errno : await_taken(fd, 1);
}

/* The receiver's notes of a stream that has ended; the last must tell of every byte that was sent.
 */
static inline int hear_notes(struct rk_context *c, int fd, uint64_t sent, struct notes *notes)
{
    char line[64];
    int status = 0;
    notes->count = 0;
    notes->at = notes->at ? notes->at : malloc(NOTES_MOST * sizeof *notes->at);
    const int own = notes->at ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    FILE *lines = own < 0 ? NULL : fdopen(own, "r");
    if (!lines) {
        const int error = errno;
        if (own >= 0)
            close(own);
        return rk_refused(c, "reading the receiver's notes", error);
    }
    while (!status) {
        errno = 0;
        if (!fgets(line, sizeof line, lines))
            status = transfer_failed(c, errno == EAGAIN ? ETIMEDOUT : errno ? errno : ECONNRESET);
        else if (strcmp(line, "end\n") == 0)
            break;
        else
            status = add_note(c, notes, line);
    }
    fclose(lines);
    const uint64_t got = notes->count ? notes->at[notes->count - 1].bytes : 0;
    if (!status && got != sent)
        status = trouble(c, EPROTO, "The receiver counted %llu bytes where %llu were sent.",
                         (unsigned long long)got, (unsigned long long)sent);
    return status;
}

/* Bytes that the receiver had at that time, which lies between its first note and its last: what
 * came between two notes is spread evenly over the time between them. */
static inline double bytes_at(const struct notes *notes, int64_t ns)
{
    size_t low = 0, high = notes->count - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (notes->at[middle].ns <= ns)
            low = middle;
        else
            high = middle;
    }
    const struct note a = notes->at[low], b = notes->at[high];
    const double share = b.ns > a.ns ? (double)(ns - a.ns) / (double)(b.ns - a.ns) : 1;
    return (double)a.bytes + share * (double)(b.bytes - a.bytes);
}

/* The stream ends, and the receiver must have every byte that was sent. */
static inline int all_received(struct rk_context *c, int fd, uint64_t sent)
{
    struct notes notes = {NULL, 0};
    const int error = end_stream(fd);
    const int status = error ? transfer_failed(c, error) : hear_notes(c, fd, sent, &notes);
    forget_notes(&notes);
    return status;
}

/* Segments that TCP sent again on this connection; -1 if not known. */
static inline int64_t sent_again(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0
               ? -1
               : (int64_t)info.tcpi_total_retrans;
}

/* Into the record: what TCP had to send again, and what came to the namespace's counters. */
static inline void note_stream(struct rk_context *c, int64_t again, const struct counts *before)
{
    const struct counts now = count_tcp();
    rk_note_tcp(c, again, grown(before->listen_overflows, now.listen_overflows),
                grown(before->listen_drops, now.listen_drops), count_time_wait());
}

#endif

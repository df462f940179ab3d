/* streams.h: data to send to the peer, and several connections at a time with a thread each that
 * sends them; for network/throughput. */
#ifndef RK_STREAMS_H
#define RK_STREAMS_H

#include <pthread.h>
#include <stdatomic.h>

#include "probe/counts.h"
#include "network/support/receiver.h"
#include "probe/region.h"

#define STREAMS_MAX 8 /* connections; one fills a CPU, so more than CPUs share them */

/* What the probes have in common. */
struct sender {
    struct peer peer;
    struct rk_region data; /* random bytes, whole pages */
    size_t size_bytes;     /* in one send */
    struct rk_stamp opened;
    int fd; /* one connection; -1: none */
};

/* For probes whose state begins with a sender: 0, or a status with the reason set. The variant is
 * the server's place; close_sender() in either case. */
int open_sender(struct rk_context *); /* of "size_bytes" */
int open_sender_of(struct rk_context *, size_t size_bytes, enum server_place);
int close_sender(struct rk_context *);
/* Closes the connection; the segments that TCP sent again on it, -1 if not known. */
int64_t close_connection(struct sender *);

struct streams;

struct stream {
    struct streams *all;
    int fd, error;
    pthread_t thread;
    uint64_t sent;
    struct notes notes;
};

struct streams {
    struct stream stream[STREAMS_MAX];
    int count;
    const char *data; /* what every send sends */
    size_t size_bytes;
    pthread_mutex_t start_lock; /* held until all threads have started */
    uint64_t until_ns;          /* when each stops, */
    atomic_int over;            /* or when this is set: enough was sent, or one has failed */
    atomic_int sending;         /* threads that have not ended */
};

/* Those that return int: 0, or a status with the reason set. */

/* `count` connections to a sink that takes a note every `every_us`. None after a failure. */
int open_streams(struct rk_context *, const struct sender *, struct streams *, int count,
                 int64_t every_us, const char *congestion);
void close_streams(struct streams *);
/* All begin to send, for that time. */
int begin_streams(struct rk_context *, struct streams *, int64_t span_ns);
/* Waits for all, and reads what their receivers noted. */
int finish_streams(struct rk_context *, struct streams *);
/* n successive windows, the first `after_ns` after the receiver had something of each stream: ops
 * are the bytes of all streams, ticks are ns. */
int cut_windows(struct rk_context *, const struct streams *, struct rk_sample *out, size_t n,
                int64_t after_ns, int64_t window_ns);
int64_t all_retransmits(const struct streams *); /* -1: not known */

#endif

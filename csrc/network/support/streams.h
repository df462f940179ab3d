/* streams.h: several connections to the receiver at a time, each with a thread that sends; for
 * network/throughput. */
#ifndef RK_STREAMS_H
#define RK_STREAMS_H

#include <pthread.h>
#include <stdatomic.h>

#include "network/support/receiver.h"
#include "probe/region.h"

#define STREAMS_MOST 8

struct streams;

struct stream {
    struct streams *all;
    int fd, error;
    pthread_t thread;
    uint64_t sent;
    struct notes notes;
};

struct streams {
    struct stream each[STREAMS_MOST];
    int count;
    struct rk_region data; /* what every send sends */
    size_t size_bytes;     /* in one send */
    pthread_mutex_t gate;  /* held until all threads are there */
    uint64_t until_ns;     /* each sends until then */
    atomic_int over;       /* or until it is enough, or one has failed */
    atomic_int sending;    /* threads that have not ended */
};

/* Bytes that no link on the way can make fewer (xorshift, Marsaglia 2003). */
static inline void fill_at_random(const struct rk_region *region)
{
    uint64_t x = 88172645463325252u, *words = (uint64_t *)(void *)region->start;
    for (size_t i = 0; i < region->size_bytes / sizeof x; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        words[i] = x;
    }
}

static inline int choose_congestion(struct rk_context *c, int fd, const char *name)
{
    char why[200];
    if (!*name || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
        return 0;
    snprintf(why, sizeof why,
             "the congestion control %.20s is not to be had here: %s (see "
             "net.ipv4.tcp_available_congestion_control and tcp_allowed_congestion_control)",
             name, strerror(errno));
    return rk_cannot(c, why);
}

/* Ends all connections and gives the memory back. */
static inline void close_streams(struct streams *all)
{
    for (int i = 0; i < all->count; i++) {
        if (all->each[i].fd >= 0)
            close(all->each[i].fd);
        forget_notes(&all->each[i].notes);
    }
    all->count = 0;
    rk_unmap(&all->data);
}

/* As a connection is by itself (Nagle's algorithm, RFC 896): peer_ask() makes it send at once,
 * which is for round trips. */
static inline int gather_small_sends(struct rk_context *c, int fd)
{
    const int off = 0;
    return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof off) == 0
               ? 0
               : rk_failed(c, "TCP_NODELAY", errno);
}

/* So many connections to a sink that notes every so often. Where it fails, nothing is left. */
static inline int open_streams(struct rk_context *c, struct peer *peer, struct streams *all,
                               int count, size_t size_bytes, int64_t every_us,
                               const char *congestion)
{
    char service[64];
    snprintf(service, sizeof service, "sink %lld %d", (long long)every_us, RECEIVER_BYTES);
    *all = (struct streams){.size_bytes = size_bytes, .gate = PTHREAD_MUTEX_INITIALIZER};
    int status = rk_map(c, &all->data, size_bytes, 0);
    if (!status)
        fill_at_random(&all->data);
    for (; !status && all->count < count; all->count++) {
        struct stream *one = &all->each[all->count];
        *one = (struct stream){.all = all, .fd = -1};
        status = peer_ask(c, peer, service, &one->fd);
        if (!status)
            status = gather_small_sends(c, one->fd);
        if (!status)
            status = choose_congestion(c, one->fd, congestion);
    }
    if (status)
        close_streams(all);
    return status;
}

static inline void *keep_sending(void *given)
{
    struct stream *const me = given;
    struct streams *const all = me->all;
    pthread_mutex_lock(&all->gate);
    pthread_mutex_unlock(&all->gate);
    while (!atomic_load_explicit(&all->over, memory_order_relaxed) &&
           rk_monotonic_ns() < all->until_ns) {
        me->error = -peer_send(me->fd, all->data.start, all->size_bytes);
        if (me->error) {
            atomic_store(&all->over, 1);
            break;
        }
        me->sent += all->size_bytes;
    }
    atomic_fetch_sub(&all->sending, 1);
    return NULL;
}

/* All begin to send, for so long. */
static inline int begin_streams(struct rk_context *c, struct streams *all, int64_t span_ns)
{
    int started = 0, error = 0;
    pthread_mutex_lock(&all->gate);
    while (started < all->count && !error) {
        struct stream *one = &all->each[started];
        error = pthread_create(&one->thread, NULL, keep_sending, one);
        started += !error;
    }
    atomic_store(&all->over, error != 0);
    atomic_store(&all->sending, started);
    all->until_ns = rk_monotonic_ns() + (uint64_t)span_ns;
    pthread_mutex_unlock(&all->gate);
    if (!error)
        return 0;
    for (int i = 0; i < started; i++)
        pthread_join(all->each[i].thread, NULL);
    return rk_refused(c, "pthread_create", error);
}

/* Waits for all, and hears what their receivers noted. 0 or a status. */
static inline int finish_streams(struct rk_context *c, struct streams *all)
{
    int error = 0, status = 0;
    for (int i = 0; i < all->count; i++) {
        pthread_join(all->each[i].thread, NULL);
        error = error ? error : all->each[i].error;
    }
    for (int i = 0; i < all->count && !error; i++)
        error = end_stream(all->each[i].fd);
    if (error)
        return transfer_failed(c, error);
    for (int i = 0; i < all->count && !status; i++)
        status = hear_notes(c, all->each[i].fd, all->each[i].sent, &all->each[i].notes);
    return status;
}

/* The time since when the receiver had something of each, and until when each went on. */
static inline int64_t all_began_ns(const struct streams *all)
{
    int64_t began = INT64_MIN;
    for (int i = 0; i < all->count; i++)
        if (all->each[i].notes.at[0].ns > began)
            began = all->each[i].notes.at[0].ns;
    return began;
}

/* n windows one after the other, the first `after_ns` after the receiver had something of each
 * stream: bytes of all of them in it, and ns for now. */
static inline int cut_windows(struct rk_context *c, const struct streams *all,
                              struct rk_sample *out, size_t n, int64_t after_ns, int64_t window_ns)
{
    const int64_t begin_ns = all_began_ns(all) + after_ns;
    const int64_t end_ns = begin_ns + (int64_t)n * window_ns;
    double before = 0;
    for (int i = 0; i < all->count; i++) {
        const struct notes *notes = &all->each[i].notes;
        if (notes->at[notes->count - 1].ns < end_ns)
            return trouble(c, ETIME,
                           "The receiver's notes end before the last window does: its "
                           "stream began late; measure again.");
        before += bytes_at(notes, begin_ns);
    }
    for (size_t trial = 0; trial < n; trial++) {
        double after = 0;
        for (int i = 0; i < all->count; i++)
            after += bytes_at(&all->each[i].notes, begin_ns + (int64_t)(trial + 1) * window_ns);
        /* Rounded at the window's ends, so that the windows sum up. */
        out[trial] = (struct rk_sample){window_ns, (uint64_t)after - (uint64_t)before};
        if (!out[trial].ops)
            return trouble(c, ENODATA,
                           "Not a byte came within a window of %g ms; take a longer "
                           "window_ms.",
                           (double)window_ns / 1e6);
        before = after;
    }
    return 0;
}

static inline int64_t all_sent_again(const struct streams *all)
{
    int64_t sum = 0;
    for (int i = 0; i < all->count && sum >= 0; i++) {
        const int64_t one = sent_again(all->each[i].fd);
        sum = one < 0 ? -1 : sum + one;
    }
    return sum;
}

#endif

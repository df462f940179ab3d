#include "network/support/streams.h"

#include "probe/cpus.h"
#include "probe/order.h"

/* Bytes that no link can compress. */
static void fill_at_random(const struct rk_region *region)
{
    uint64_t state = rk_begin(), *const words = (uint64_t *)(void *)region->start;
    for (size_t i = 0; i < region->size_bytes / sizeof *words; i++)
        words[i] = rk_next_random(&state);
}

/* --- the sender --- */

int open_sender_of(struct rk_context *c, size_t size_bytes, enum server_place place)
{
    struct sender *const sender = rk_state(c);
    sender->opened = rk_stamp_now();
    sender->fd = -1;
    sender->size_bytes = size_bytes;
    const int status = rk_map(c, &sender->data, size_bytes, 0);
    if (status)
        return status;
    fill_at_random(&sender->data);
    return peer_open(c, &sender->peer, place);
}

int open_sender(struct rk_context *c)
{
    return open_sender_of(c, (size_t)rk_integer(c, "size_bytes"), server_place_of(c));
}

int64_t close_connection(struct sender *sender)
{
    const int64_t retransmits = tcp_retransmits(sender->fd);
    close(sender->fd);
    sender->fd = -1;
    return retransmits;
}

int close_sender(struct rk_context *c)
{
    struct sender *const sender = rk_state(c);
    if (sender->opened.ns && sender->fd >= 0)
        close(sender->fd);
    rk_unmap(&sender->data);
    return peer_close(c, &sender->peer);
}

/* --- several connections --- */

static int choose_congestion(struct rk_context *c, int fd, const char *name)
{
    if (!*name || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
        return 0;
    return rk_unsupported(c,
                          "the congestion control %.20s is not available here: %s (see "
                          "net.ipv4.tcp_available_congestion_control and "
                          "tcp_allowed_congestion_control)",
                          name, strerror(errno));
}

void close_streams(struct streams *all)
{
    for (int i = 0; i < all->count; i++) {
        if (all->stream[i].fd >= 0)
            close(all->stream[i].fd);
        free_notes(&all->stream[i].notes);
    }
    all->count = 0;
}

/* Nagle's algorithm (RFC 896), which peer_request() switches off for round trips. */
static int gather_small_sends(struct rk_context *c, int fd)
{
    const int off = 0;
    const int bad = setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof off);
    return bad ? rk_failed(c, "TCP_NODELAY", errno) : 0;
}

int open_streams(struct rk_context *c, const struct sender *sender, struct streams *all, int count,
                 int64_t every_us, const char *congestion)
{
    char service[64];
    snprintf(service, sizeof service, "sink %lld %d", (long long)every_us, RECEIVER_BYTES);
    *all = (struct streams){.data = sender->data.start,
                            .size_bytes = sender->size_bytes,
                            .start_lock = PTHREAD_MUTEX_INITIALIZER};
    int status = 0;
    for (; !status && all->count < count; all->count++) {
        struct stream *stream = &all->stream[all->count];
        *stream = (struct stream){.all = all, .fd = -1};
        status = peer_request(c, &sender->peer, service, &stream->fd);
        if (!status)
            status = gather_small_sends(c, stream->fd);
        if (!status)
            status = choose_congestion(c, stream->fd, congestion);
    }
    if (status)
        close_streams(all);
    return status;
}

static void *keep_sending(void *argument)
{
    struct stream *const self = argument;
    struct streams *const all = self->all;
    pthread_mutex_lock(&all->start_lock);
    pthread_mutex_unlock(&all->start_lock);
    while (!atomic_load_explicit(&all->over, memory_order_relaxed) &&
           rk_monotonic_ns() < all->until_ns) {
        self->error = -peer_send(self->fd, all->data, all->size_bytes);
        if (self->error) {
            atomic_store(&all->over, 1);
            break;
        }
        self->sent += all->size_bytes;
    }
    atomic_fetch_sub(&all->sending, 1);
    return NULL;
}

int begin_streams(struct rk_context *c, struct streams *all, int64_t span_ns)
{
    /* One stream is sent on the probe's CPU; of several each sender may use any. */
    const struct rk_cpu_mask cpus = all->count > 1 ? rk_cpu_set() : rk_one_cpu(sched_getcpu());
    int started = 0, error = 0;
    pthread_mutex_lock(&all->start_lock);
    while (started < all->count && !error) {
        struct stream *stream = &all->stream[started];
        error = rk_start_thread(&stream->thread, cpus, keep_sending, stream);
        if (!error)
            started++;
    }
    atomic_store(&all->over, error != 0);
    atomic_store(&all->sending, started);
    all->until_ns = rk_monotonic_ns() + (uint64_t)span_ns;
    pthread_mutex_unlock(&all->start_lock);
    if (!error)
        return 0;
    for (int i = 0; i < started; i++)
        pthread_join(all->stream[i].thread, NULL);
    return rk_refused(c, "pthread_create", error);
}

int finish_streams(struct rk_context *c, struct streams *all)
{
    int error = 0, status = 0;
    for (int i = 0; i < all->count; i++) {
        pthread_join(all->stream[i].thread, NULL);
        error = error ? error : all->stream[i].error;
    }
    for (int i = 0; i < all->count && !error; i++)
        error = end_stream(all->stream[i].fd);
    if (error)
        return transfer_failed(c, error);
    for (int i = 0; i < all->count && !status; i++)
        status = read_notes(c, all->stream[i].fd, all->stream[i].sent, &all->stream[i].notes);
    return status;
}

/* Since when the receiver had something of each stream. */
static int64_t all_began_ns(const struct streams *all)
{
    int64_t began = INT64_MIN;
    for (int i = 0; i < all->count; i++)
        if (all->stream[i].notes.at[0].ns > began)
            began = all->stream[i].notes.at[0].ns;
    return began;
}

int cut_windows(struct rk_context *c, const struct streams *all, struct rk_sample *out, size_t n,
                int64_t after_ns, int64_t window_ns)
{
    const int64_t begin_ns = all_began_ns(all) + after_ns;
    const int64_t end_ns = begin_ns + (int64_t)n * window_ns;
    double before = 0;
    for (int i = 0; i < all->count; i++) {
        const struct notes *notes = &all->stream[i].notes;
        if (notes->at[notes->count - 1].ns < end_ns)
            return rk_error(c, ETIME,
                            "The receiver's notes end before the last window does: its stream "
                            "began late; measure again.");
        before += bytes_at(notes, begin_ns);
    }
    for (size_t trial = 0; trial < n; trial++) {
        double after = 0;
        for (int i = 0; i < all->count; i++)
            after += bytes_at(&all->stream[i].notes, begin_ns + (int64_t)(trial + 1) * window_ns);
        /* Rounded at the window's ends, so that the windows sum up. */
        out[trial] = (struct rk_sample){window_ns, (uint64_t)after - (uint64_t)before};
        if (!out[trial].ops)
            return rk_error(c, ENODATA,
                            "Not a byte came within a window of %g ms; take a longer window_ms.",
                            (double)window_ns / 1e6);
        before = after;
    }
    return 0;
}

int64_t all_retransmits(const struct streams *all)
{
    int64_t sum = 0;
    for (int i = 0; i < all->count; i++)
        sum = rk_add_counts(sum, tcp_retransmits(all->stream[i].fd));
    return sum;
}

#include "network/support/rtt.h"

int trip_failed(struct rk_context *c, int status)
{
    if (status == -ETIMEDOUT)
        return rk_error(c, ETIMEDOUT,
                        "Nothing came back within %d s: lost on the way, or the other end hangs.",
                        PEER_DEADLINE_S);
    if (status == -ECONNRESET || status == -EPIPE || status == -ECONNREFUSED)
        return rk_error(c, ECONNRESET,
                        "The other end went away in the middle; is it still running there?");
    return status ? rk_failed(c, "a round trip", -status) : 0;
}

static int open_and_keep(struct rk_context *c, int awake)
{
    struct trip *const trip = rk_state(c);
    trip->fd = trip->awake = -1;
    trip->opened = rk_stamp_now();
    /* Before the peer's namespace is entered, where root may be nobody. */
    const int status = rk_keep_cpus_awake(c, awake, &trip->awake);
    return status ? status : peer_open(c, &trip->peer, server_place_of(c));
}

int open_trip(struct rk_context *c)
{
    return open_and_keep(c, 0);
}

int open_awake_trip(struct rk_context *c)
{
    return open_and_keep(c, (int)rk_integer(c, "hold_idle"));
}

int close_trip(struct rk_context *c)
{
    struct trip *const trip = rk_state(c);
    if (!trip->opened.ns) /* the probe refused before open_trip() */
        return 0;
    if (trip->fd >= 0)
        close(trip->fd);
    const int status = peer_close(c, &trip->peer);
    if (trip->awake >= 0)
        close(trip->awake);
    return status;
}

int begin_echo(struct rk_context *c, char *buffer)
{
    struct trip *const trip = rk_state(c);
    const size_t size = (size_t)rk_integer(c, "size_bytes");
    char service[32];
    snprintf(service, sizeof service, "echo %zu", size);
    memset(buffer, 1, size);
    const int status = peer_request(c, &trip->peer, service, &trip->fd);
    return status ? status : trip_failed(c, round_trip(trip->fd, buffer, size));
}

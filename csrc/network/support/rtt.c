/* rtt.c: what the probes of network/rtt prepare, outside what is timed. */
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

static int open_trip(struct rk_context *c, struct trip *trip, enum server_place place, int awake)
{
    trip->fd = trip->awake = -1;
    trip->opened = rk_stamp_now();
    /* Before the peer's namespace is entered, where root may be nobody. */
    const int status = keep_cpus_awake(c, awake, &trip->awake);
    return status ? status : peer_open(c, &trip->peer, place);
}

int trip_open(struct rk_context *c, struct trip *trip, enum server_place place)
{
    return open_trip(c, trip, place, 0);
}

int trip_open_awake(struct rk_context *c, struct trip *trip, enum server_place place)
{
    return open_trip(c, trip, place, (int)rk_integer(c, "hold_idle"));
}

int trip_close(struct rk_context *c, struct trip *trip)
{
    if (!trip->opened.ns) /* the probe refused before trip_open() */
        return 0;
    if (trip->fd >= 0)
        close(trip->fd);
    const int status = peer_close(c, &trip->peer);
    if (trip->awake >= 0)
        close(trip->awake);
    return status;
}

int trip_echo(struct rk_context *c, struct trip *trip, char *buffer, size_t size)
{
    char service[32];
    snprintf(service, sizeof service, "echo %zu", size);
    memset(buffer, 1, size);
    const int status = peer_request(c, &trip->peer, service, &trip->fd);
    return status ? status : trip_failed(c, round_trip(trip->fd, buffer, size));
}

/* door.h: where network/connect makes its connections: a server that accepts as many as it is told
 * and says at the end what it counted, which must be what was done here. */
#ifndef RK_DOOR_H
#define RK_DOOR_H

#include "network/support/client.h"
#include "network/support/counts.h"
#include "probe/stamps.h"

/* An orderly close leaves its port in TIME_WAIT for a minute. */
#define ORDERLY_MOST 1000

#define PEER RK_WORD("peer", "loopback", "loopback, or other: the other host")
/* Of rows that close in order. Less than the minute after which a run is ended (measure.py). */
#define PORTS                                                                                      \
    RK_COUNT("ports_wait_ms", 20000, 0, 60000,                                                     \
             "longest wait, before the first connection, for ports that are in TIME_WAIT")

enum ending { BY_RESET, IN_ORDER };

/* What a server on the caller's CPU does when connect() or close() wakes it. An ordinary one often
 * takes the CPU at once, so that what it does then lies within the caller's call: connect() took 13
 * or 28 us as it happened, close() 6 or 22. One under SCHED_BATCH waits until the caller does
 * (sched(7)): half of the samples were within 0.4 us. The reports' servers were ordinary. */
enum server { ORDINARY, PATIENT };

/* Where the connections go, and how it was before them. */
struct door {
    struct peer peer;
    struct sockaddr_storage address;
    socklen_t length;
    int control;
    size_t made;
    uint64_t sent_again; /* SYNs of these connections */
    struct counts before;
};

/* As many local ports as the kernel chooses from; -1 if not known. */
static inline int64_t local_ports(void)
{
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    int64_t least = 0, most = -2;
    if (file && fscanf(file, "%ld %ld", &least, &most) != 2)
        most = least - 2;
    if (file)
        fclose(file);
    return most - least + 1;
}

/* Waits until fewer than half of the local ports are in TIME_WAIT: with most of them, no server
 * finds a free one any more. Process after process, a row makes hundreds a second. */
static inline int bound_time_wait(struct rk_context *c, size_t n)
{
    const int64_t ports = local_ports(), most_ms = rk_integer(c, "ports_wait_ms");
    const struct timespec pause = {0, 50000000};
    char why[192];
    if (n > ORDERLY_MOST) {
        snprintf(why, sizeof why,
                 "A process closes at most %d connections in order, because each "
                 "holds its port for a minute; take fewer samples.",
                 ORDERLY_MOST);
        return rk_cannot(c, why);
    }
    const uint64_t end_ns = rk_monotonic_ns() + (uint64_t)most_ms * 1000000u;
    for (;;) {
        const int64_t waiting = count_time_wait();
        if (ports < 0 || waiting < 0 || 2 * (waiting + (int64_t)n) <= ports)
            return 0;
        if (rk_monotonic_ns() >= end_ns) {
            snprintf(why, sizeof why,
                     "%lld connections in TIME_WAIT and %zu more would hold over "
                     "half of the %lld local ports; wait a minute.",
                     (long long)waiting, n, (long long)ports);
            return rk_cannot(c, why);
        }
        nanosleep(&pause, NULL);
    }
}

/* Before it serves: what it forks inherits this. */
static inline int make_patient(struct rk_context *c, const struct peer *peer)
{
    const struct sched_param none = {0};
    return sched_setscheduler(peer->server, SCHED_BATCH, &none) == 0
               ? 0
               : rk_refused(c, "sched_setscheduler", errno);
}

/* Starts or finds the other side (a server on `cpu`, -1: this one), and has it accept n. */
static inline int open_door(struct rk_context *c, struct door *door, size_t n, enum ending ending,
                            enum server server, int cpu)
{
    char service[64];
    snprintf(service, sizeof service, "accept %zu 0", n);
    *door = (struct door){.control = -1};
    int status = peer_open(c, cpu, &door->peer);
    if (status)
        return status;
    status = ending == IN_ORDER ? bound_time_wait(c, n) : 0;
    if (!status && server == PATIENT && door->peer.server)
        status = make_patient(c, &door->peer);
    door->before = count_tcp();
    if (!status)
        status = peer_door(c, &door->peer, service, &door->control, &door->address, &door->length);
    if (status)
        return peer_close(c, &door->peer, status);
    /* The answer is acknowledged now, not after 40 ms: it would be sent again before, and counted.
     */
    const int at_once = 1;
    setsockopt(door->control, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
    return 0;
}

/* What the other side counted must be what was done here. A SYN that was lost on the way is a
 * sample as any other, and the record's `retransmits` tells of it; one that found no room is not.
 */
static inline int agree(struct rk_context *c, struct door *door, enum ending ending)
{
    long long accepted, overflows, drops, in_order;
    char line[128];
    int status = peer_line(c, door->control, line, sizeof line);
    if (status)
        return status;
    if (sscanf(line, "done %lld %lld %lld %lld", &accepted, &overflows, &drops, &in_order) != 4)
        return trouble(c, EPROTO, "The peer did not say what it had accepted.");
    if (door->sent_again &&
        (overflows > 0 || drops > 0)) /* alone, they are of another socket there */
        return trouble(c, EBUSY,
                       "A full accept queue on the peer's host dropped a SYN, which "
                       "was sent again a second later (%lld overflows, %lld drops); is its "
                       "net.core.somaxconn far below 4096?",
                       overflows, drops);
    if (door->sent_again && (overflows < 0 || drops < 0))
        return trouble(c, EBUSY,
                       "A SYN was sent again a second later, and the peer cannot tell "
                       "whether its accept queue was full: it may not read "
                       "/proc/self/net/netstat there.");
    if (accepted != (long long)door->made || in_order != (ending == IN_ORDER ? accepted : 0))
        return trouble(c, EPROTO,
                       "%zu connections were made, %lld were accepted and %lld "
                       "closed in order, not by a reset.",
                       door->made, accepted, in_order);
    return 0;
}

static inline int close_door(struct rk_context *c, struct door *door, enum ending ending,
                             int status)
{
    if (!status)
        status = agree(c, door, ending);
    note_tcp_since(c, &door->before);
    close(door->control);
    return peer_close(c, &door->peer, status);
}

#endif

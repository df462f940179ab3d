/* lab.h: the lab host, a second host in namespaces of its own behind a link whose round trip and
 * rate are set and therefore known. Shared by the files of the program reckon-lab.
 *
 *   main.c        the first process: options, messages to its caller, the end
 *   namespaces.c  the two hosts' namespaces, each step tried alone
 *   link.c        addresses, devices and neighbours (rtnetlink)
 *   port.c        the relay's two ports: TUN devices, or packet sockets on veth pairs
 *   relay.c       the delay line
 *   program.c     the relay and the programs of the second host, in a process space of their own
 *
 * The first process stays in its caller's process space and lives in the client's network
 * namespace: probes enter that by its pid. The relay is the init of a process namespace; when
 * it ends, for any reason, the kernel ends all programs of the second host. The relay ends when the
 * first process does (a pipe), and the first process when its caller does (stdin). */
#ifndef RK_LAB_H
#define RK_LAB_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define LAB_MTU 1500
#define LAB_DEVICE "lab0" /* in both hosts */
#define LAB_PORT 7325     /* where reckon-peer listens */
#define LAB_PROGRAMS_MAX 2

enum lab_side { LAB_CLIENT, LAB_PEER };
enum lab_path { LAB_ANY, LAB_TUN, LAB_PACKET };

extern const char *const lab_address[2], *const lab_address6[2]; /* by side */

/* One end of the relay. What is read from it and written to it is a virtio_net_hdr (10 bytes), then
 * the frame: `link_header` bytes that do not count on the link, and an IP packet. */
struct lab_port {
    int fd;
    unsigned link_header;
};

/* In memory that the relay shares with the first process. */
struct lab_counts {
    _Atomic uint64_t packets, bytes; /* taken onto the link; bytes of IP */
    _Atomic uint64_t dropped;        /* the queue was full */
    _Atomic uint64_t missed;         /* lost before the relay saw them; a large one counts once */
    _Atomic uint64_t refused;        /* the other host's device did not take it */
    _Atomic uint64_t late;           /* handed over more than 0.1 ms after their time */
    _Atomic uint64_t deepest;        /* bytes that waited at most */
};

struct lab {
    int64_t rtt_ns, rate_bit, queue_bytes;
    enum lab_path requested, path;
    int offload; /* one large packet stands for many segments (GSO) */
    int ipv6;
    char congestion[32];
    int net[2]; /* the two hosts' network namespaces, by side */
    struct lab_port port[2];
    struct lab_counts *counts; /* [2]: by the side that sends */
    int lifetime_pipe[2];      /* the relay ends when no process holds [1] */
    pid_t relay;
    char *const *program[LAB_PROGRAMS_MAX + 1]; /* of the second host; NULL: no more */
};

/* Prints {"unsupported": ..., "remedy": ...} and ends this process, and with it the lab. */
__attribute__((noreturn, format(printf, 2, 3))) void lab_unsupported(const char *remedy,
                                                                     const char *format, ...);
/* The same with "failed": another attempt may succeed. */
__attribute__((noreturn, format(printf, 2, 3))) void lab_failed(const char *remedy,
                                                                const char *format, ...);
/* The end at a call that failed: a line to stderr if a limit on processes was reached, else
 * unsupported, "what: strerror(error)". */
__attribute__((noreturn)) void lab_stop(const char *what, int error);

void lab_open_namespaces(struct lab *lab);
void lab_enter(const struct lab *lab, enum lab_side side);
void lab_set_up_host(struct lab *lab, enum lab_side side);

int lab_open_tun(struct lab *lab);         /* 0 or -errno */
int lab_open_packet(struct lab *lab);      /* 0 or -errno */
int lab_set_neighbour(enum lab_side side); /* its Ethernet address, without ARP */
/* read(2), and when the frame arrived (CLOCK_MONOTONIC). */
ssize_t lab_read(const struct lab_port *port, uint8_t *frame, size_t room, int64_t *arrived_ns);
uint64_t lab_missed(const struct lab_port *port);
/* A frame's bytes on the link: a large one as its segments, each with its headers. */
int64_t lab_link_bytes(const struct lab_port *port, const uint8_t *frame, size_t size,
                       uint64_t *segments);

/* rtnetlink, in the current network namespace. 0 or -errno. */
int lab_link_up(const char *device);
int lab_link_prepare(const char *device);
int lab_link_veth(const char *name, const char *peer_name, int peer_net, const uint8_t mac[6]);
int lab_link_address(const char *device, int family, const void *address, int prefix);
int lab_link_neighbour(const char *device, int family, const void *address, const uint8_t mac[6]);

__attribute__((noreturn)) void lab_relay(struct lab *lab);
/* Starts the relay and, from it, the programs. The pid of the last one, as the machine sees it. */
pid_t lab_start(struct lab *lab);
/* Of a process that has opened all that it needs; what it starts is not affected. */
void lab_drop_capabilities(void);
/* The relay's exit status, and the signal: a program of the second host died of it. */
#define LAB_PROGRAM_DIED 64
void lab_await_port(const struct lab *lab, int port); /* until a program listens there */

static inline int64_t lab_ns(const struct timespec *time)
{
    return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static inline int64_t lab_now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return lab_ns(&now);
}

#endif

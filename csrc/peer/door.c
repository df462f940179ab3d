/* door.c: udp-echo and accept: services with a port of their own, open as long as the
 * connection that asked for them. Only the host that asked is served there. */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "peer/peer.h"

/* A socket at the address that the caller already reaches, at a port that is free. -1: says why. */
static int open_door(int control, int kind, int backlog, int *port)
{
    struct sockaddr_storage here = {0};
    socklen_t length = sizeof here;
    getsockname(control, (struct sockaddr *)&here, &length);
    ((struct sockaddr_in6 *)&here)->sin6_port = 0; /* in the same place for IPv4 */
    const int fd = socket(here.ss_family, kind | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&here, length) == 0 &&
        (!backlog || listen(fd, backlog) == 0) &&
        getsockname(fd, (struct sockaddr *)&here, &length) == 0) {
        *port = ntohs(((struct sockaddr_in6 *)&here)->sin6_port);
        return fd;
    }
    answer(control, "no The other host opens no port for this service: %s.\n", strerror(errno));
    return -1;
}

/* --- udp-echo --- */

static void *end_with(void *control)
{
    char byte;
    while (recv(*(int *)control, &byte, 1, 0) > 0 || errno == EINTR)
        errno = 0;
    _exit(0);
}

void serve_udp_echo(int control, const struct host *host, const int64_t *numbers)
{
    (void)numbers;
    static char buffer[65536];
    memset(buffer, 1, sizeof buffer);
    int port;
    const int fd = open_door(control, SOCK_DGRAM, 0, &port);
    pthread_t watcher; /* the connection is watched elsewhere: the loop is receive and send alone */
    if (fd < 0)
        return;
    if (pthread_create(&watcher, NULL, end_with, &control)) {
        answer(control, "no The other host allows reckon-peer no further thread.\n");
        return;
    }
    if (answer(control, "ok %d\n", port))
        return;
    for (;;) {
        struct sockaddr_storage from;
        socklen_t length = sizeof from;
        const ssize_t got =
            recvfrom(fd, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &length);
        if (got < 0)
            continue;
        const struct host asking = host_of(&from);
        if (same_host(&asking, host))
            sendto(fd, buffer, (size_t)got, MSG_NOSIGNAL, (struct sockaddr *)&from, length);
    }
}

/* --- accept --- */

struct held {
    int fd;
    uint64_t due_ns;
};

struct door {
    int fd, control, epoll, listening;
    int64_t accepted, closed, in_order, count; /* in_order: closed by the caller, by a FIN */
    uint64_t hold_ns;
    struct held *held; /* a ring: each is held as long, so the first in is the first out */
    size_t room, first, holding;
};

static const int control_mark = -1, door_mark = -2;

static void wait_for(struct door *door, int fd, int mark)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = mark};
    epoll_ctl(door->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void stop_listening(struct door *door)
{
    if (door->listening)
        epoll_ctl(door->epoll, EPOLL_CTL_DEL, door->fd, NULL);
    door->listening = 0;
}

static void one_closed(struct door *door, int fd)
{
    close(fd);
    door->closed++;
    if (!door->listening && door->accepted < door->count) { /* it had no descriptor left */
        wait_for(door, door->fd, door_mark);
        door->listening = 1;
    }
}

static void let_in(struct door *door, const struct host *host)
{
    struct sockaddr_storage from = {0};
    socklen_t length = sizeof from;
    const int fd =
        accept4(door->fd, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) &&
            door->closed < door->accepted)
            stop_listening(door); /* until one closes */
        return;
    }
    const struct host asking = host_of(&from);
    if (!same_host(&asking, host) || (door->hold_ns && door->holding == door->room)) {
        close(fd);
        return;
    }
    const char here = 1;
    send(fd, &here, 1, MSG_NOSIGNAL);
    if (++door->accepted == door->count)
        stop_listening(door);
    if (door->hold_ns)
        door->held[(door->first + door->holding++) % door->room] =
            (struct held){fd, now_ns() + door->hold_ns};
    else
        wait_for(door, fd, fd);
}

/* Closes those whose time is over; when the next one's is, -1 for none. */
static int64_t let_go(struct door *door)
{
    while (door->holding) {
        const struct held one = door->held[door->first];
        const uint64_t now = now_ns();
        if (one.due_ns > now)
            return (int64_t)(one.due_ns - now);
        one_closed(door, one.fd);
        door->first = (door->first + 1) % door->room;
        door->holding--;
    }
    return -1;
}

static void attend(struct door *door, const struct host *host)
{
    while (door->closed < door->count) {
        const int64_t left_ns = door->hold_ns ? let_go(door) : -1;
        if (door->closed == door->count)
            return;
        const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
        struct pollfd any = {.fd = door->epoll, .events = POLLIN};
        ppoll(&any, 1, left_ns < 0 ? NULL : &left, NULL);
        struct epoll_event events[64];
        const int ready = epoll_wait(door->epoll, events, 64, 0);
        for (int i = 0; i < ready; i++) {
            char bytes[4096];
            const int fd = events[i].data.fd;
            if (fd == door_mark) {
                let_in(door, host);
                continue;
            }
            const ssize_t got =
                recv(fd == control_mark ? door->control : fd, bytes, sizeof bytes, MSG_DONTWAIT);
            if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
                continue;
            if (fd == control_mark)
                return;
            door->in_order += got == 0;
            one_closed(door, fd);
        }
    }
}

/* Connections that found the queue of a listening socket full, in this network namespace. */
static void read_drops(long long *overflows, long long *drops)
{
    *overflows = *drops = -1;
    FILE *file = fopen("/proc/self/net/netstat", "re");
    char names[8192], values[8192], *in_names, *in_values;
    while (file && fgets(names, sizeof names, file) && fgets(values, sizeof values, file)) {
        if (strncmp(names, "TcpExt:", 7) != 0)
            continue;
        const char *name = strtok_r(names, " \n", &in_names);
        const char *value = strtok_r(values, " \n", &in_values);
        for (; name && value;
             name = strtok_r(NULL, " \n", &in_names), value = strtok_r(NULL, " \n", &in_values)) {
            if (strcmp(name, "ListenOverflows") == 0)
                *overflows = atoll(value);
            if (strcmp(name, "ListenDrops") == 0)
                *drops = atoll(value);
        }
    }
    if (file)
        fclose(file);
}

static long long since(long long before, long long after)
{
    return before < 0 || after < 0 ? -1 : after - before;
}

void serve_accept(int control, const struct host *host, const int64_t *numbers)
{
    struct rlimit files = {0, 0};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 1 << 20 ? files.rlim_max : 1 << 20;
    setrlimit(RLIMIT_NOFILE, &files);
    long long overflows[2], drops[2];
    read_drops(&overflows[0], &drops[0]);
    int port;
    struct door door = {.control = control,
                        .count = numbers[0],
                        .listening = 1,
                        .hold_ns = (uint64_t)numbers[1] * 1000,
                        .room = files.rlim_cur};
    door.fd = open_door(control, SOCK_STREAM | SOCK_NONBLOCK, 4096, &port);
    if (door.fd < 0)
        return;
    door.epoll = epoll_create1(EPOLL_CLOEXEC);
    door.held = calloc(door.room, sizeof *door.held);
    if (door.epoll < 0 || !door.held) {
        answer(control, "no The other host has no room for this service: %s.\n", strerror(errno));
        return;
    }
    wait_for(&door, door.fd, door_mark);
    wait_for(&door, control, control_mark);
    if (answer(control, "ok %d\n", port))
        return;
    attend(&door, host);
    read_drops(&overflows[1], &drops[1]);
    close(door.fd); /* whoever reads the answer finds the door shut */
    answer(control, "done %lld %lld %lld %lld\n", (long long)door.accepted,
           since(overflows[0], overflows[1]), since(drops[0], drops[1]), (long long)door.in_order);
}

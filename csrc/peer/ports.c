/* ports.c: udp-echo and accept: services with a port of their own, open as long as the connection
 * that requested them. Only the host that requested them is served there. */
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
static int open_port(int control, int kind, int backlog, int *port)
{
    struct sockaddr_storage here = {0};
    socklen_t length = sizeof here;
    getsockname(control, (struct sockaddr *)&here, &length);
    ((struct sockaddr_in6 *)&here)->sin6_port = 0; /* in the same place for IPv4 */
    const int fd = socket(here.ss_family, kind | SOCK_CLOEXEC, 0), off = 0;
    if (fd >= 0 && here.ss_family == AF_INET6) /* the caller may be an IPv4 host */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
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

static void *exit_with(void *control)
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
    const int fd = open_port(control, SOCK_DGRAM, 0, &port);
    pthread_t watcher; /* of the connection, so that the loop is receive and send alone */
    if (fd < 0)
        return;
    if (pthread_create(&watcher, NULL, exit_with, &control)) {
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

struct acceptor {
    int fd, control, epoll, listening;
    int64_t accepted, closed, in_order, count; /* in_order: closed by the caller, by a FIN */
    uint64_t hold_ns;
    struct held *held; /* a ring: all are held equally long, so the first in is the first out */
    size_t room, first, holding;
};

static const int control_mark = -1, port_mark = -2;

/* 0 or -1: the kernel may refuse it (epoll_ctl(2): ENOMEM, ENOSPC). */
static int wait_for(struct acceptor *acceptor, int fd, int mark)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = mark};
    return epoll_ctl(acceptor->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void stop_listening(struct acceptor *acceptor)
{
    if (acceptor->listening)
        epoll_ctl(acceptor->epoll, EPOLL_CTL_DEL, acceptor->fd, NULL);
    acceptor->listening = 0;
}

static void close_one(struct acceptor *acceptor, int fd)
{
    close(fd);
    acceptor->closed++;
    if (!acceptor->listening &&
        acceptor->accepted < acceptor->count) /* a descriptor is free again */
        acceptor->listening = wait_for(acceptor, acceptor->fd, port_mark) == 0;
}

/* No descriptor or memory for a connection. If the service holds others, it accepts again when one
 * is closed; else the shortage is the system's, and the service tries again in a while. */
static void wait_for_room(struct acceptor *acceptor)
{
    const struct timespec pause = {0, FULL_PAUSE_NS};
    if (acceptor->closed < acceptor->accepted)
        stop_listening(acceptor);
    else
        nanosleep(&pause, NULL);
}

static void accept_one(struct acceptor *acceptor, const struct host *host)
{
    struct sockaddr_storage from = {0};
    socklen_t length = sizeof from;
    const int fd =
        accept4(acceptor->fd, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (is_full(errno))
            wait_for_room(acceptor);
        return;
    }
    const struct host asking = host_of(&from);
    if (!same_host(&asking, host) || (acceptor->hold_ns && acceptor->holding == acceptor->room)) {
        close(fd);
        return;
    }
    const char here = 1;
    send(fd, &here, 1, MSG_NOSIGNAL);
    if (++acceptor->accepted == acceptor->count)
        stop_listening(acceptor);
    if (acceptor->hold_ns)
        acceptor->held[(acceptor->first + acceptor->holding++) % acceptor->room] =
            (struct held){fd, now_ns() + acceptor->hold_ns};
    else if (wait_for(acceptor, fd, fd) < 0)
        close_one(acceptor, fd); /* its end would never be noticed */
}

/* Closes the connections whose time is over; returns the ns until the next one's, -1 for none. */
static int64_t close_due(struct acceptor *acceptor)
{
    while (acceptor->holding) {
        const struct held one = acceptor->held[acceptor->first];
        const uint64_t now = now_ns();
        if (one.due_ns > now)
            return (int64_t)(one.due_ns - now);
        close_one(acceptor, one.fd);
        acceptor->first = (acceptor->first + 1) % acceptor->room;
        acceptor->holding--;
    }
    return -1;
}

static void serve_connections(struct acceptor *acceptor, const struct host *host)
{
    while (acceptor->closed < acceptor->count) {
        const int64_t left_ns = acceptor->hold_ns ? close_due(acceptor) : -1;
        if (acceptor->closed == acceptor->count)
            return;
        const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
        struct pollfd any = {.fd = acceptor->epoll, .events = POLLIN};
        ppoll(&any, 1, left_ns < 0 ? NULL : &left, NULL);
        struct epoll_event events[64];
        const int ready = epoll_wait(acceptor->epoll, events, 64, 0);
        for (int i = 0; i < ready; i++) {
            char bytes[4096];
            const int fd = events[i].data.fd;
            if (fd == port_mark) {
                accept_one(acceptor, host);
                continue;
            }
            const ssize_t got = recv(fd == control_mark ? acceptor->control : fd, bytes,
                                     sizeof bytes, MSG_DONTWAIT);
            if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
                continue;
            if (fd == control_mark)
                return;
            acceptor->in_order += got == 0;
            close_one(acceptor, fd);
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
    struct acceptor acceptor = {.control = control,
                                .count = numbers[0],
                                .listening = 1,
                                .hold_ns = (uint64_t)numbers[1] * 1000,
                                .room = files.rlim_cur};
    acceptor.fd = open_port(control, SOCK_STREAM | SOCK_NONBLOCK, 4096, &port);
    if (acceptor.fd < 0)
        return;
    acceptor.epoll = epoll_create1(EPOLL_CLOEXEC);
    acceptor.held = calloc(acceptor.room, sizeof *acceptor.held);
    if (acceptor.epoll < 0 || !acceptor.held) {
        answer(control, "no The other host has no room for this service: %s.\n", strerror(errno));
        return;
    }
    wait_for(&acceptor, acceptor.fd, port_mark);
    wait_for(&acceptor, control, control_mark);
    if (answer(control, "ok %d\n", port))
        return;
    serve_connections(&acceptor, host);
    read_drops(&overflows[1], &drops[1]);
    close(acceptor.fd); /* before the answer, so that its reader finds the port closed */
    answer(control, "done %lld %lld %lld %lld\n", (long long)acceptor.accepted,
           since(overflows[0], overflows[1]), since(drops[0], drops[1]),
           (long long)acceptor.in_order);
}

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

#include "probe/proc_net.h"
#include "peer/peer.h"

/* A socket on a free port of the address that the caller has reached; -1 after a refusal to the
 * caller. */
static int open_port(int control, int kind, int backlog, int *port)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    getsockname(control, (struct sockaddr *)&address, &length);
    *rk_port_of(&address) = 0;
    const int fd = rk_bound_socket(kind, &address, length);
    if (fd >= 0 && (!backlog || listen(fd, backlog) == 0)) {
        *port = ntohs(*rk_port_of(&address));
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
        const struct host caller = host_of(&from);
        if (same_host(&caller, host))
            sendto(fd, buffer, (size_t)got, MSG_NOSIGNAL, (struct sockaddr *)&from, length);
    }
}

/* --- accept --- */

struct accept_service {
    int fd, control, epoll, listening;
    int64_t accepted, closed, in_order, count; /* in_order: closed by the caller, by a FIN */
};

static const int control_mark = -1, port_mark = -2;

/* 0 or -1: the kernel may refuse it (epoll_ctl(2): ENOMEM, ENOSPC). */
static int add_to_epoll(struct accept_service *acceptor, int fd, int mark)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = mark};
    return epoll_ctl(acceptor->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void stop_listening(struct accept_service *acceptor)
{
    if (acceptor->listening)
        epoll_ctl(acceptor->epoll, EPOLL_CTL_DEL, acceptor->fd, NULL);
    acceptor->listening = 0;
}

static void close_one(struct accept_service *acceptor, int fd)
{
    close(fd);
    acceptor->closed++;
    if (!acceptor->listening &&
        acceptor->accepted < acceptor->count) /* a descriptor is free again */
        acceptor->listening = add_to_epoll(acceptor, acceptor->fd, port_mark) == 0;
}

/* No descriptor or memory for a connection. If the service holds others, it accepts again when one
 * is closed; else the shortage is the system's, and the service tries again in a while. */
static void wait_for_room(struct accept_service *acceptor)
{
    const struct timespec pause = {0, FULL_PAUSE_NS};
    if (acceptor->closed < acceptor->accepted)
        stop_listening(acceptor);
    else
        nanosleep(&pause, NULL);
}

static void accept_one(struct accept_service *acceptor, const struct host *host)
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
    const struct host caller = host_of(&from);
    if (!same_host(&caller, host)) {
        close(fd);
        return;
    }
    const char byte = 1;
    send(fd, &byte, 1, MSG_NOSIGNAL);
    if (++acceptor->accepted == acceptor->count)
        stop_listening(acceptor);
    if (add_to_epoll(acceptor, fd, fd) < 0)
        close_one(acceptor, fd); /* its end would never be noticed */
}

static void serve_connections(struct accept_service *acceptor, const struct host *host)
{
    while (acceptor->closed < acceptor->count) {
        /* Waits in poll() and not in epoll_wait(): where the server is woken decides how soon it
         * takes the caller's CPU, and so what close() costs the caller (a reset: 16 us, or 8). */
        struct pollfd any = {.fd = acceptor->epoll, .events = POLLIN};
        poll(&any, 1, -1);
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

void serve_accept(int control, const struct host *host, const int64_t *numbers)
{
    struct rlimit files = {0, 0};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 1 << 20 ? files.rlim_max : 1 << 20;
    setrlimit(RLIMIT_NOFILE, &files);
    const struct rk_tcp_counts before = rk_count_tcp();
    int port;
    struct accept_service acceptor = {.control = control, .count = numbers[0], .listening = 1};
    acceptor.fd = open_port(control, SOCK_STREAM | SOCK_NONBLOCK, 4096, &port);
    if (acceptor.fd < 0)
        return;
    acceptor.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (acceptor.epoll < 0 || add_to_epoll(&acceptor, acceptor.fd, port_mark) < 0 ||
        add_to_epoll(&acceptor, control, control_mark) < 0) {
        answer(control, "no The other host has no room for this service: %s.\n", strerror(errno));
        return;
    }
    if (answer(control, "ok %d\n", port))
        return;
    serve_connections(&acceptor, host);
    const struct rk_tcp_counts after = rk_count_tcp();
    close(acceptor.fd); /* before the answer, so that its reader finds the port closed */
    answer(control, "done %lld %lld %lld %lld\n", (long long)acceptor.accepted,
           (long long)rk_count_growth(before.listen_overflows, after.listen_overflows),
           (long long)rk_count_growth(before.listen_drops, after.listen_drops),
           (long long)acceptor.in_order);
}

/* wire.h: what both ends of a connection to reckon-peer agree on. Included by the program and,
 * through network/support/client.h, by the probes, so that both send and receive by the same two
 * functions.
 *
 * The peer sends first, so that the token goes only to what greets as a reckon-peer:
 *     peer:  reckon-peer 1
 *     probe: reckon-peer 1 TOKEN SERVICE NUMBER ...
 *     peer:  ok [PORT]            or: no SENTENCE */
#ifndef RK_PEER_WIRE_H
#define RK_PEER_WIRE_H

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Raised when a line or a service changes its meaning. */
#define PEER_VERSION 1
#define PEER_NAME "reckon-peer"
#define PEER_PORT "7325"
#define PEER_LINE_MAX 512 /* the longest token and a service's numbers take half of it */
#define PEER_TOKEN_MIN 16 /* 64 bits in hexadecimal digits */
#define PEER_TOKEN_MAX 128

/* The rest after a call that did only a part. `done` is what that call returned. */
static __attribute__((cold, noinline, unused)) int peer_send_rest(int fd, const char *from,
                                                                  size_t size, ssize_t done)
{
    for (size_t sent = 0;;) {
        if (done < 0 && errno == EPIPE)
            return -ECONNRESET;
        if (done < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        sent += done > 0 ? (size_t)done : 0;
        if (sent == size)
            return 0;
        done = send(fd, from + sent, size - sent, MSG_NOSIGNAL);
    }
}

static __attribute__((cold, noinline, unused)) int peer_receive_rest(int fd, char *to, size_t size,
                                                                     ssize_t done)
{
    for (size_t received = 0;;) {
        if (done == 0)
            return -ECONNRESET;
        if (done < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        received += done > 0 ? (size_t)done : 0;
        if (received == size)
            return 0;
        done = recv(fd, to + received, size - received, 0);
    }
}

/* All of it, or -errno: -ETIMEDOUT where a time limit of the socket is over, -ECONNRESET where
 * the other end is gone. One call in the common case. */
static inline int peer_send(int fd, const void *from, size_t size)
{
    const ssize_t done = send(fd, from, size, MSG_NOSIGNAL);
    return __builtin_expect(done == (ssize_t)size, 1) ? 0 : peer_send_rest(fd, from, size, done);
}

static inline int peer_receive(int fd, void *to, size_t size)
{
    const ssize_t done = recv(fd, to, size, 0);
    return __builtin_expect(done == (ssize_t)size, 1) ? 0 : peer_receive_rest(fd, to, size, done);
}

#endif

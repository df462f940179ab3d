/* own_receiver.h: a thread of this process that receives over loopback, on whichever CPU the
 * scheduler likes, as one of the reports had it; for network/throughput. */
#ifndef RK_OWN_RECEIVER_H
#define RK_OWN_RECEIVER_H

#include <pthread.h>

#include "network/support/client.h"

#define OWN_RECEIVER_BYTES (128 << 10)

struct own_receiver {
    int fd, error;
    pthread_t thread;
    uint64_t got;
    char buffer[OWN_RECEIVER_BYTES];
};

/* Until the sender ends. */
static inline void *keep_receiving(void *given)
{
    struct own_receiver *const me = given;
    ssize_t got;
    do {
        got = recv(me->fd, me->buffer, sizeof me->buffer, 0);
        me->got += got > 0 ? (uint64_t)got : 0;
        me->error = got < 0 && errno != EINTR ? errno : 0;
    } while (got && !me->error);
    return NULL;
}

/* Both ends of a connection of this process with itself, at that address: 0 or an errno. */
static inline int connect_to_self(struct peer self, int *sender, int *receiver)
{
    int error = 0;
    const int listener = socket(self.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return errno;
    if (bind(listener, (const struct sockaddr *)&self.address, self.length) < 0 ||
        listen(listener, 1) < 0 ||
        getsockname(listener, (struct sockaddr *)&self.address, &self.length) < 0)
        error = errno;
    *sender = -1;
    error = error ? error : -peer_connect(&self, sender);
    if (!error) {
        *receiver = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        error = *receiver < 0 ? errno : 0;
    }
    if (error && *sender >= 0)
        close(*sender);
    close(listener);
    return error;
}

/* 0 with *fd to send on, or a status and nothing left. */
static inline int own_receiver_open(struct rk_context *c, struct own_receiver *me, int *fd)
{
    int cpus[RK_CPUS_MOST];
    cpu_set_t set;
    pthread_attr_t attr;
    memset(me, 0, sizeof *me); /* touches the buffer, too */
    struct peer self = {.server = 0};
    const int status = peer_at_loopback(c, &self);
    if (status)
        return status;
    int error = connect_to_self(self, fd, &me->fd);
    if (error)
        return rk_refused(c, "a connection to this process itself", error);
    CPU_ZERO(&set);
    for (int i = rk_cpus(cpus, RK_CPUS_MOST); i-- > 0;)
        CPU_SET(cpus[i], &set);
    error = pthread_attr_init(&attr);
    if (!error) {
        error = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
        error = error ? error : pthread_create(&me->thread, &attr, keep_receiving, me);
        pthread_attr_destroy(&attr);
    }
    if (!error)
        return 0;
    close(me->fd);
    close(*fd);
    return rk_refused(c, "pthread_create", error);
}

/* The status, or a failure if that is 0 and the thread has not received every byte. */
static inline int own_receiver_close(struct rk_context *c, struct own_receiver *me, int fd,
                                     uint64_t sent, int status)
{
    close(fd); /* which it reads as the end */
    pthread_join(me->thread, NULL);
    close(me->fd);
    if (status || (!me->error && me->got == sent))
        return status;
    return trouble(c, me->error ? me->error : EPROTO,
                   "The receiving thread has %llu of the %llu bytes that were sent.",
                   (unsigned long long)me->got, (unsigned long long)sent);
}

#endif

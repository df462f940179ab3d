#include "network/support/own_receiver.h"

#include "network/support/loopback.h"
#include "probe/cpus.h"

/* Until the sender ends. */
static void *keep_receiving(void *argument)
{
    struct own_receiver *const self = argument;
    ssize_t got;
    do {
        got = recv(self->fd, self->buffer, sizeof self->buffer, 0);
        self->received += got > 0 ? (uint64_t)got : 0;
        self->error = got < 0 && errno != EINTR ? errno : 0;
    } while (got && !self->error);
    return NULL;
}

int open_own_receiver(struct rk_context *c, struct own_receiver *self, const struct peer *loopback,
                      int *fd)
{
    int error = loopback_pair(*loopback, fd, &self->fd);
    if (error)
        return rk_refused(c, "a connection to this process itself", error);
    error = rk_start_thread(&self->thread, rk_cpu_set(), keep_receiving, self);
    if (!error)
        return 0;
    close(self->fd);
    close(*fd);
    *fd = -1;
    return rk_refused(c, "pthread_create", error);
}

int close_own_receiver(struct rk_context *c, struct own_receiver *self, int fd, uint64_t sent)
{
    close(fd); /* the thread reads the end of the stream */
    pthread_join(self->thread, NULL);
    close(self->fd);
    if (!self->error && self->received == sent)
        return 0;
    return rk_error(c, self->error ? self->error : EPROTO,
                    "The receiving thread has %llu of the %llu bytes that were sent.",
                    (unsigned long long)self->received, (unsigned long long)sent);
}

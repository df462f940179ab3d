#include "network/support/own_receiver.h"

/* Until the sender ends. */
static void *keep_receiving(void *argument)
{
    struct own_receiver *const self = argument;
    ssize_t got;
    do {
        got = recv(self->server.fd, self->buffer, sizeof self->buffer, 0);
        self->received += got > 0 ? (uint64_t)got : 0;
        self->error = got < 0 && errno != EINTR ? errno : 0;
    } while (got && !self->error);
    return NULL;
}

int open_own_receiver(struct rk_context *c, struct own_receiver *self, const struct peer *loopback,
                      int *fd)
{
    return loopback_thread_begin(c, loopback, &self->server, keep_receiving, self, fd);
}

int close_own_receiver(struct rk_context *c, struct own_receiver *self, int fd, uint64_t sent)
{
    loopback_thread_end(&self->server, fd);
    close(fd);
    if (!self->error && self->received == sent)
        return 0;
    return rk_error(c, self->error ? self->error : EPROTO,
                    "The receiving thread has %llu of the %llu bytes that were sent.",
                    (unsigned long long)self->received, (unsigned long long)sent);
}

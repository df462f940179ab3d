/* own_receiver.c: a thread of this process that receives over loopback. */
#include "network/support/own_receiver.h"

#include "network/support/loopback.h"
#include "probe/cpus.h"

/* Until the sender ends. */
static void *keep_receiving(void *argument)
{
    struct own_receiver *const me = argument;
    ssize_t got;
    do {
        got = recv(me->fd, me->buffer, sizeof me->buffer, 0);
        me->received += got > 0 ? (uint64_t)got : 0;
        me->error = got < 0 && errno != EINTR ? errno : 0;
    } while (got && !me->error);
    return NULL;
}

int open_own_receiver(struct rk_context *c, struct own_receiver *me, const struct peer *self,
                      int *fd)
{
    int error = loopback_pair(*self, fd, &me->fd);
    if (error)
        return rk_refused(c, "a connection to this process itself", error);
    error = rk_start_thread(&me->thread, rk_cpu_set(), keep_receiving, me);
    if (!error)
        return 0;
    close(me->fd);
    close(*fd);
    *fd = -1;
    return rk_refused(c, "pthread_create", error);
}

int close_own_receiver(struct rk_context *c, struct own_receiver *me, int fd, uint64_t sent)
{
    close(fd); /* the thread reads the end of the stream */
    pthread_join(me->thread, NULL);
    close(me->fd);
    if (!me->error && me->received == sent)
        return 0;
    return rk_error(c, me->error ? me->error : EPROTO,
                    "The receiving thread has %llu of the %llu bytes that were sent.",
                    (unsigned long long)me->received, (unsigned long long)sent);
}

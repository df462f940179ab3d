#include "network/support/loopback.h"

#include "probe/cpus.h"

/* "127.0.0.1:0", "[::1]:0" where there is no IPv4, or NULL if the interface is down. Some
 * containers have the IPv6 loopback alone, and one without a network has none. */
static const char *loopback_address(void)
{
    if (rk_loopback_is_up(AF_INET))
        return "127.0.0.1:0";
    return rk_loopback_is_up(AF_INET6) ? "[::1]:0" : NULL;
}

int loopback_locate(struct rk_context *c, struct peer *peer)
{
    const char *at = loopback_address();
    if (!at)
        return rk_unsupported(c, "needs a loopback interface that is up, 127.0.0.1 or ::1");
    return peer_locate(peer, at) ? rk_failed(c, "loopback's address", EADDRNOTAVAIL) : 0;
}

/* Both ends of a connection of this process with itself. 0 or an error number. */
static int make_pair(struct peer self, int *client, int *accepted)
{
    const int listener = rk_bound_socket(SOCK_STREAM, &self.address, self.length);
    int error = listener < 0 || listen(listener, 1) < 0 ? errno : 0;
    *client = -1;
    error = error ? error : -rk_connect_within(PEER_DEADLINE_S, &self.address, self.length, client);
    if (!error) {
        *accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        error = *accepted < 0 ? errno : 0;
    }
    if (error && *client >= 0) {
        close(*client);
        *client = -1;
    }
    if (listener >= 0)
        close(listener);
    return error;
}

int loopback_thread_begin(struct rk_context *c, const struct peer *loopback,
                          struct loopback_thread *self, void *(*serve)(void *), void *argument,
                          int *client)
{
    int error = make_pair(*loopback, client, &self->fd);
    if (error) {
        self->fd = -1;
        return rk_refused(c, "a connection of this process with itself", error);
    }
    error = rk_start_thread(&self->thread, rk_cpu_set(), serve, argument);
    if (!error)
        return 0;
    close(self->fd);
    close(*client);
    self->fd = *client = -1;
    return rk_refused(c, "pthread_create", error);
}

void loopback_thread_end(struct loopback_thread *self, int client)
{
    shutdown(client, SHUT_WR); /* the thread reads the end of the stream and ends */
    pthread_join(self->thread, NULL);
    close(self->fd);
}

/* loopback.c: addresses and connections on this computer's loopback interface. */
#include "network/support/loopback.h"

#include <sched.h>

/* Whether the own address is reachable: while an interface is down it can be bound all the same. */
static int is_up(const void *address, socklen_t length)
{
    const int family = ((const struct sockaddr *)address)->sa_family;
    const int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    const int up = fd >= 0 && bind(fd, address, length) == 0 &&
                   getsockname(fd, (struct sockaddr *)&own, &size) == 0 &&
                   connect(fd, (const struct sockaddr *)&own, size) == 0;
    if (fd >= 0)
        close(fd);
    return up;
}

/* Some containers have the IPv6 loopback alone, and one without a network has none. */
const char *loopback_address(void)
{
    const struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    if (is_up(&four, sizeof four))
        return "127.0.0.1:0";
    return is_up(&six, sizeof six) ? "[::1]:0" : NULL;
}

int loopback_locate(struct rk_context *c, struct peer *peer)
{
    const char *at = loopback_address();
    if (!at)
        return rk_unsupported(c, "needs a loopback interface that is up, 127.0.0.1 or ::1");
    return peer_locate(peer, at) ? rk_failed(c, "loopback's address", EADDRNOTAVAIL) : 0;
}

int loopback_bind(struct peer *peer)
{
    const int fd = socket(peer->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&peer->address, peer->length) == 0 &&
        getsockname(fd, (struct sockaddr *)&peer->address, &peer->length) == 0)
        return fd;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int loopback_pair(struct peer self, int *client, int *accepted)
{
    const int listener = loopback_bind(&self);
    int error = listener < 0 || listen(listener, 1) < 0 ? errno : 0;
    *client = -1;
    error = error ? error : -peer_connect(&self, client);
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

int start_unpinned_thread(pthread_t *thread, void *(*function)(void *), void *argument)
{
    int cpus[RK_CPUS_MOST];
    cpu_set_t set;
    pthread_attr_t attr;
    CPU_ZERO(&set);
    for (int i = rk_cpus(cpus, RK_CPUS_MOST); i-- > 0;)
        CPU_SET(cpus[i], &set);
    int error = pthread_attr_init(&attr);
    if (error)
        return error;
    error = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
    error = error ? error : pthread_create(thread, &attr, function, argument);
    pthread_attr_destroy(&attr);
    return error;
}

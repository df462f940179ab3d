/* full.c: preloaded, accept4() has no descriptor left after $ACCEPTS connections, and epoll_ctl()
 * no room for a connection, or with $NO_EPOLL=all for any descriptor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    static int accepted;
    if (getenv("ACCEPTS") && accepted >= atoi(getenv("ACCEPTS"))) {
        errno = EMFILE;
        return -1;
    }
    const int connection = (int)syscall(SYS_accept4, fd, address, length, flags);
    accepted += connection >= 0;
    return connection;
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    const char *const refused = getenv("NO_EPOLL");
    /* reckon-peer marks its other descriptors by negative numbers. */
    const int is_refused = refused && event && (event->data.fd >= 0 || strcmp(refused, "all") == 0);
    if (operation == EPOLL_CTL_ADD && is_refused) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

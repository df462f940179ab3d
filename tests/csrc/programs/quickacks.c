/* quickacks.c: preloaded, the file $QUICKACKS gets a 'q' each time TCP_QUICKACK is set, and an 'r'
 * for each byte that recv() returns. */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *what)
{
    const int file = open(getenv("QUICKACKS"), O_WRONLY | O_APPEND);
    if (file < 0 || write(file, what, 1) != 1)
        abort();
    close(file);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    if (level == IPPROTO_TCP && name == TCP_QUICKACK && *(const int *)value == 1)
        note("q");
    return (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
    const ssize_t got = syscall(SYS_recvfrom, fd, to, size, flags, NULL, NULL);
    for (ssize_t i = 0; i < got; i++)
        note("r");
    return got;
}

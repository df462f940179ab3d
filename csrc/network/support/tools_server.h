/* tools_server.h: the second half of tools.h: the loopback, and programs that serve others on it.
 */
#ifndef RK_TOOLS_SERVER_H
#define RK_TOOLS_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "probe/tools.h"

#define TOOL_LOOPBACK "127.0.0.1"

/* Where the interface is down there is no way to the address, though it may still be bound to. */
static inline int tool_loopback(struct rk_context *c)
{
    const struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 && errno != EAFNOSUPPORT)
        return rk_refused(c, "socket", errno);
    const int there = fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0)
        close(fd);
    return there ? 0
                 : rk_cannot(c, "needs the loopback address " TOOL_LOOPBACK
                                ", to which there is no way here");
}

/* A port of the loopback that nobody uses. 0 or a status, with the reason set. */
static inline int tool_port(struct rk_context *c, int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof at;
    const int status = tool_loopback(c);
    if (status)
        return status;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int bad = fd < 0 || bind(fd, (struct sockaddr *)&at, length) < 0 ||
                    getsockname(fd, (struct sockaddr *)&at, &length) < 0;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    *port = ntohs(at.sin_port);
    return bad ? rk_refused(c, "a port of the loopback", error) : 0;
}

/* As the kernel lists it (proc(5), net/tcp): a connection to see would be the one that it waits
 * for. */
static inline int tool_listens(int port)
{
    char line[256];
    unsigned local, state;
    int found = 0;
    FILE *list = fopen("/proc/thread-self/net/tcp", "re");
    while (list && !found && fgets(line, sizeof line, list))
        found = sscanf(line, " %*d: %*x:%x %*x:%*x %x", &local, &state) == 2 && state == 10 &&
                local == (unsigned)port;
    if (list)
        fclose(list);
    return found;
}

/* Until the server listens on the port. 0 or a status, with the reason set. */
static inline int tool_await(struct rk_context *c, struct tool *tool, int port)
{
    const uint64_t end_ns = rk_monotonic_ns() + TOOL_SPARE_S * 1000000000ull;
    siginfo_t info = {0};
    char words[150];
    while (!tool_listens(port)) {
        if (waitid(P_PID, (id_t)tool->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid) {
            const int status = tool_wait(c, tool);
            return status ? status
                          : trouble(c, ECHILD, "%s ended before it listened: %s", tool->name,
                                    tool_words(tool, words));
        }
        if (rk_monotonic_ns() > end_ns)
            return trouble(c, ETIMEDOUT, "%s did not listen within %d s.", tool->name,
                           TOOL_SPARE_S);
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}

#endif

/* tools_server.c: programs that serve others on the loopback. */
#include "network/support/tools_server.h"

#include <sys/wait.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* While the interface is down the address is not reachable, though it can be bound. */
int tool_loopback(struct rk_context *c)
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
                 : rk_unsupported(c, "needs the loopback address " TOOL_LOOPBACK
                                     ", to which there is no way here");
}

int tool_port(struct rk_context *c, int *port)
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

/* As the kernel lists it (proc(5), net/tcp): a test connection would be the one that it waits for.
 */
static int tool_listens(int port)
{
    char line[256];
    unsigned local, state;
    int listens = 0;
    FILE *list = fopen("/proc/thread-self/net/tcp", "re");
    while (list && !listens && fgets(line, sizeof line, list))
        listens = sscanf(line, " %*d: %*x:%x %*x:%*x %x", &local, &state) == 2 && state == 10 &&
                  local == (unsigned)port;
    if (list)
        fclose(list);
    return listens;
}

int tool_await(struct rk_context *c, struct tool *tool, int port)
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
